//! Lists whose numbers have spaces between them, where commas belong: the parser takes what follows the first one for files.

use clap::{Command, CommandFactory};

use super::Failure;
use crate::arguments::Arguments;

/// What is wrong with the list of an option, if that is what the parser stumbled over. `words` are those of the command line, the program's name first.
pub fn with_spaces(words: &[String]) -> Option<Failure> {
    let all = Arguments::command();
    let called = words.iter().position(|word| word == "run" || word == "explain")?;
    let kernel = all.find_subcommand(&words[called])?.find_subcommand(words.get(called + 1)?)?;
    for (at, option) in words.iter().enumerate().skip(called + 2) {
        let Some((first, behind)) = words[at + 1..].split_first().filter(|_| is_list(kernel, option)) else { continue };
        let first = first.trim_end_matches(',');
        let stray: Vec<&str> =
            behind.iter().map(|word| word.trim_end_matches(',')).take_while(|word| word.parse::<f64>().is_ok()).collect();
        if !stray.is_empty() {
            return Some(Failure::usage(
                format!("{option} was given {first}, and {} apart from it", stray.join(" ")),
                format!("put commas and no spaces between several numbers: {option} {first},{}", stray.join(",")),
            ));
        }
    }
    None
}

/// Whether an option of the kernel takes numbers with commas between them.
fn is_list(kernel: &Command, option: &str) -> bool {
    let named = option.strip_prefix("--");
    named.is_some_and(|name| {
        kernel.get_arguments().any(|argument| argument.get_long() == Some(name) && argument.get_value_delimiter().is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        with_spaces(&words).map(|failure| failure.to_string())
    }

    #[test]
    fn spaces_are_told_of_and_nothing_else_is() {
        let want = "error: --q was given 0.5, and 0.6 apart from it\nhelp: put commas and no spaces between several numbers: --q 0.5,0.6";
        assert_eq!(told("wavelane run quantile --q 0.5 0.6 a.npy").as_deref(), Some(want));
        assert!(told("wavelane run fill --dtype u8 --value 1 --shape 2, 3").is_some_and(|text| text.ends_with("--shape 2,3")));
        for line in [
            "wavelane run quantile --q 0.5 a.npy",
            "wavelane run sort --bits 0 4",
            "wavelane run median --q 0.5 0.6",
            "wavelane info",
            "wavelane run",
        ] {
            assert_eq!(told(line), None, "{line}");
        }
    }
}
