//! How the command fails: one line that says what, one that says what to do.

mod elsewhere;
mod lists;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A failure, to be shown in two lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What failed: what was asked, and the limit or the cause.
    pub what: String,
    /// What to do about it.
    pub advice: String,
    cause: Cause,
}

/// Where a failure comes from, which decides on the exit code.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    /// The command line alone.
    Usage,
    /// What was asked for does not fit the elements: what a file holds, or an option says.
    Elements,
    /// Everything else.
    Other,
}

impl Failure {
    /// Something failed (exit code 1).
    pub fn new(what: String, advice: String) -> Failure {
        Failure { what, advice, cause: Cause::Other }
    }

    /// Elements are not of a type, shape or number for what was asked (exit code 1). Where options tell of them all and no file does,
    /// [`Failure::told_by_options`] makes wrong usage of it.
    pub fn unfit(what: String, advice: String) -> Failure {
        Failure { what, advice, cause: Cause::Elements }
    }

    /// The command was called wrongly (exit code 2).
    pub fn usage(what: String, advice: String) -> Failure {
        Failure { what, advice, cause: Cause::Usage }
    }

    /// A failure where the elements are what the command line says.
    pub fn told_by_options(self) -> Failure {
        let cause = if self.cause == Cause::Elements { Cause::Usage } else { self.cause };
        Failure { cause, ..self }
    }

    /// Shows it on standard error. The exit code is 1, or 2 for wrong usage.
    pub fn show(&self) -> ExitCode {
        // If standard error is gone, the exit code must do.
        let _ = writeln!(io::stderr(), "{self}");
        ExitCode::from(if self.cause == Cause::Usage { 2 } else { 1 })
    }
}

/// Shows why a command line was not understood, or the help that it asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion) {
        // Help that cannot be written, for a reader that has gone, is no concern.
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    }
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::ValueValidation)
        && let Some(failure) = lists::with_spaces(&words)
    {
        return failure.show();
    }
    let called = words.into_iter().find(|word| word == "run" || word == "explain").unwrap_or_default();
    two_lines(&error.render().to_string(), meant(error, &called)).show()
}

/// What may have been meant by an option or a word that the kernel does not have.
fn meant(error: &clap::Error, called: &str) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // `--op <OP>`
    let option = text(ContextKind::InvalidArg)?.strip_prefix("--")?.split([' ', '=']).next()?;
    match error.kind() {
        ErrorKind::UnknownArgument => {
            elsewhere::of_option(called, option).map(|commands| format!("--{option} is an option of: {commands}"))
        }
        ErrorKind::InvalidValue => {
            let word = text(ContextKind::InvalidValue)?;
            elsewhere::of_value(called, option, word).map(|commands| format!("--{option} {word} is known to: {commands}"))
        }
        _ => None,
    }
}

/// The parser's message has a paragraph that says what, and others with hints. What may have been meant stands before these.
fn two_lines(message: &str, meant: Option<String>) -> Failure {
    let (what, hints) = message.split_once("\n\n").unwrap_or((message, ""));
    let what = what.strip_prefix("error: ").unwrap_or(what).split_whitespace().collect::<Vec<_>>().join(" ");
    let hints = hints.lines().map(|line| line.trim().trim_start_matches("tip: ").trim_end_matches('.'));
    // Nobody means a file named as an option is; and of the words that are listed already, a similar one may mean something else altogether.
    let helps = |hint: &&str| !hint.is_empty() && !hint.starts_with("to pass '") && !hint.starts_with("a similar value exists");
    let hints = meant.into_iter().chain(hints.filter(helps).map(str::to_owned));
    Failure::usage(what, hints.collect::<Vec<_>>().join("; "))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\nhelp: {}", one_line(&self.what), one_line(&self.advice))
    }
}

/// Drivers and systems may put line breaks into their messages.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// How a command ended.
pub enum Ending {
    /// All is well.
    Done,
    /// What was asked for was done, and it is the result that is bad: it has been shown.
    Bad,
}

/// Writes a result to standard output. A reader that has gone away (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            format!("cannot write the result: {error}"),
            "check where standard output goes, or write to a file with -o".to_owned(),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parsers_message_in_two_lines() {
        let message = "error: invalid value 'median' for '--op <OP>'\n  [possible values: sum, prod]\n\n  tip: a similar value exists: 'mean'\n\nFor more information, try '--help'.\n";
        let want = "error: invalid value 'median' for '--op <OP>' [possible values: sum, prod]\nhelp: For more information, try '--help'";
        assert_eq!(two_lines(message, None).to_string(), want);
        let meant = two_lines(message, Some("--op median is known to: run sort".to_owned()));
        assert_eq!(meant.advice, "--op median is known to: run sort; For more information, try '--help'");
    }

    #[test]
    fn two_lines_whatever_the_message() {
        let failure = Failure::new("the driver said:\n  out of memory\n".to_owned(), "close\nprograms".to_owned());
        assert_eq!(failure.to_string(), "error: the driver said:; out of memory\nhelp: close; programs");
    }
}
