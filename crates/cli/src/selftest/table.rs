//! What the self-test found, as a table and as JSON.

use serde::Serialize;
use wavelane_reference::Element;

/// What was found of one operation, type and path.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Finding {
    /// All checks passed.
    Ok {
        /// Arrays reduced and compared.
        checks: usize,
    },
    /// The device cannot, and why.
    Skipped {
        /// What is missing.
        reason: String,
    },
    /// A check failed.
    Failed {
        /// Which, and how.
        detail: String,
    },
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub kernel: &'static str,
    pub path: &'static str,
    pub op: &'static str,
    #[serde(rename = "dtype", serialize_with = "element_name")]
    pub element: Element,
    #[serde(flatten)]
    pub finding: Finding,
}

fn element_name<S: serde::Serializer>(element: &Element, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(element.name())
}

/// How many rows ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub ok: usize,
    pub skipped: usize,
    pub failed: usize,
    /// Arrays reduced and compared, in all rows that passed.
    pub checks: usize,
}

impl Counts {
    pub fn of(rows: &[Row]) -> Counts {
        let mut counts = Counts::default();
        for row in rows {
            match row.finding {
                Finding::Ok { checks } => {
                    counts.ok += 1;
                    counts.checks += checks;
                }
                Finding::Skipped { .. } => counts.skipped += 1,
                Finding::Failed { .. } => counts.failed += 1,
            }
        }
        counts
    }
}

/// A table for each path, operations down and types across; then the reasons of what was skipped and the details of what failed.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut paths: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !paths.contains(&(row.kernel, row.path)) {
            paths.push((row.kernel, row.path));
        }
    }
    for (kernel, path) in paths {
        let cell = |op: &str, element: Element| {
            let found = rows.iter().find(|row| (row.kernel, row.path, row.op, row.element) == (kernel, path, op, element));
            match found.map(|row| &row.finding) {
                Some(Finding::Ok { .. }) => "ok",
                Some(Finding::Skipped { .. }) => "skip",
                Some(Finding::Failed { .. }) => "FAIL",
                None => "-",
            }
        };
        let columns: String = Element::ALL.iter().map(|element| format!("{:>6}", element.name())).collect();
        text.push_str(&format!("{kernel}, path {path}\n  {:<8}{columns}\n", "op"));
        let mut ops: Vec<&str> = Vec::new();
        for row in rows.iter().filter(|row| (row.kernel, row.path) == (kernel, path)) {
            if !ops.contains(&row.op) {
                ops.push(row.op);
            }
        }
        for op in ops {
            let cells: String = Element::ALL.iter().map(|&element| format!("{:>6}", cell(op, element))).collect();
            text.push_str(&format!("  {op:<8}{cells}\n"));
        }
        text.push('\n');
    }
    for (reason, count) in reasons(rows) {
        text.push_str(&format!("skipped {count}: {reason}\n"));
    }
    for row in rows {
        if let Finding::Failed { detail } = &row.finding {
            text.push_str(&format!("FAILED {} {} {} {}: {detail}\n", row.kernel, row.path, row.op, row.element.name()));
        }
    }
    let counts = Counts::of(rows);
    text.push_str(&format!("{} ok ({} checks), {} skipped, {} failed\n", counts.ok, counts.checks, counts.skipped, counts.failed));
    text
}

/// Each reason for skipping once, with how often.
fn reasons(rows: &[Row]) -> Vec<(&str, usize)> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if let Finding::Skipped { reason } = &row.finding {
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            }
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |path, op: &'static str, element, finding| Row { kernel: "reduce", path, op, element, finding };
        vec![
            row("lsm", "sum", Element::U32, Finding::Ok { checks: 12 }),
            row("lsm", "sum", Element::F64, Finding::Skipped { reason: "no shaderFloat64".to_owned() }),
            row("lsm", "max", Element::F64, Finding::Skipped { reason: "no shaderFloat64".to_owned() }),
            row("subgroup", "max", Element::I32, Finding::Failed { detail: "result 0 is 1 where the CPU has 2".to_owned() }),
        ]
    }

    #[test]
    fn counts() {
        assert_eq!(Counts::of(&rows()), Counts { ok: 1, skipped: 2, failed: 1, checks: 12 });
    }

    #[test]
    fn table() {
        let text = text(&rows());
        assert!(text.contains(
            "reduce, path lsm\n  op          u8   u16    i8   i16   u32   i32   f32   u64   i64   f64   f16\n  sum          -     -     -     -    ok     -     -     -     -  skip     -\n"
        ));
        assert!(text.contains("reduce, path subgroup\n"));
        assert!(text.contains("\n\nskipped 2: no shaderFloat64\nFAILED reduce subgroup max i32: result 0 is 1 where the CPU has 2\n"));
        assert!(text.ends_with("1 ok (12 checks), 2 skipped, 1 failed\n"));
    }

    #[test]
    fn json() {
        let json = serde_json::to_value(&rows()[1]).unwrap();
        let want = serde_json::json!({
            "kernel": "reduce", "path": "lsm", "op": "sum", "dtype": "f64", "status": "skipped", "reason": "no shaderFloat64"
        });
        assert_eq!(json, want);
    }
}
