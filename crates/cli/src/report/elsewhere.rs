//! Options and words that one kernel does not have and others do: what a wrong command line may have meant.

use clap::{Arg, Command, CommandFactory};

use crate::arguments::Arguments;

/// The commands that have an option, of those beside the one that was called.
pub fn of_option(called: &str, long: &str) -> Option<String> {
    listed(called, |argument| argument.get_long() == Some(long))
}

/// Those whose option takes a word.
pub fn of_value(called: &str, long: &str, word: &str) -> Option<String> {
    listed(called, |argument| {
        argument.get_long() == Some(long) && argument.get_possible_values().iter().any(|value| value.matches(word, false))
    })
}

/// `called` is `run`, `explain`, or a command that has none below it.
fn listed(called: &str, wanted: impl Fn(&Arg) -> bool) -> Option<String> {
    let all = Arguments::command();
    let kernels = all.find_subcommand(called)?.get_subcommands();
    let has = |kernel: &&Command| kernel.get_arguments().any(|argument| !argument.is_global_set() && wanted(argument));
    let names: Vec<String> = kernels.filter(has).map(|kernel| format!("{called} {}", kernel.get_name())).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_other_kernels() {
        assert_eq!(of_option("run", "rows").as_deref(), Some("run select, run partition, run rle, run histogram"));
        assert_eq!(of_option("explain", "rows").as_deref(), Some("explain histogram"));
        assert_eq!(of_option("run", "device"), None, "global options are everywhere");
        assert_eq!((of_option("run", "fast"), of_option("info", "rows"), of_option("", "rows")), (None, None, None));
    }

    #[test]
    fn words_of_other_kernels() {
        assert_eq!(of_value("run", "op", "mean").as_deref(), Some("run reduce, run segreduce"));
        assert_eq!((of_value("run", "op", "median"), of_value("run", "nan", "mean")), (None, None));
    }
}
