//! Names of GLSL turned into names of Rust.

/// `true` for a lower-case identifier that can name a Rust module or field as it is.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
    first && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') && !KEYWORDS.contains(&name)
}

/// `WorkgroupSize`, `WORKGROUP_SIZE` and `workgroup_size` all become `workgroup_size`; a keyword gets a `_` behind it.
pub(crate) fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower_before {
            out.push('_');
        }
        lower_before = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    if KEYWORDS.contains(&out.as_str()) {
        out.push('_');
    }
    out
}

/// [`snake_case`], in capitals.
pub(crate) fn upper_case(name: &str) -> String {
    snake_case(name).trim_end_matches('_').to_ascii_uppercase()
}

const KEYWORDS: &[&str] = &[
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else", "enum", "extern",
    "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_becomes_snake_case() {
        for name in ["WorkgroupSize", "WORKGROUP_SIZE", "workgroup_size", "workgroupSize"] {
            assert_eq!(snake_case(name), "workgroup_size");
        }
        assert_eq!(snake_case("type"), "type_");
        assert_eq!(snake_case("2d"), "_2d");
        assert_eq!(snake_case("a.b"), "a_b");
        assert_eq!(upper_case("in"), "IN");
    }

    #[test]
    fn identifiers_are_lower_case_and_no_keywords() {
        assert!(is_identifier("rows") && is_identifier("row_2"));
        assert!(!is_identifier("") && !is_identifier("Rows") && !is_identifier("2d") && !is_identifier("a-b") && !is_identifier("match"));
    }
}
