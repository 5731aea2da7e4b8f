//! The `wavelane` command.

mod arguments;
mod compaction;
mod convert;
mod device;
mod explain;
mod files;
mod indices;
mod info;
mod npy;
mod numpy;
mod outputs;
mod paths;
mod reduction;
mod report;
mod run;
mod scalar;
mod selftest;
mod text;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use report::{Ending, Failure};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return report::usage(&error),
    };
    let global = &arguments.global;
    start_log(global.verbose);
    let ending = match &arguments.command {
        Command::Info { json } => info::run(global, *json),
        Command::Run { kernel } => run::run(global, kernel),
        Command::Explain { kernel } => explain::run(global, kernel).map_err(Failure::told_by_options),
        Command::Selftest(selftest) => selftest::run(global, selftest),
    };
    match ending {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Bad) => ExitCode::FAILURE,
        Err(failure) => failure.show(),
    }
}

/// Warnings, or more with `-v`; `RUST_LOG` outweighs both.
fn start_log(verbose: u8) {
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(level)).format_timestamp(None).format_target(false).init();
}
