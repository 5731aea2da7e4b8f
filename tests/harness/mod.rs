//! Runs each case on each Vulkan driver of this machine, under the validation layer.
//!
//! A test binary has `harness = false` in Cargo.toml, and a `main` that hands its cases to [`main`]. Every case becomes one trial a driver, named
//! `<driver>::<case>`. Each trial is a process of its own, since a driver is chosen, and lavapipe reads its vector width, once a process; so a driver that
//! crashes or hangs fails its trial and nothing else. To debug one, run the command that a failed trial prints.
//!
//! Read from the environment:
//! - `WAVELANE_TEST_DRIVERS`: names, separated by commas; only these drivers are used.
//! - `WAVELANE_TEST_REQUIRE`: names; one that is missing fails the run. Without any driver the run always fails.
//! - `WAVELANE_TEST_EVERY`: 1 runs what is left out otherwise, as it is the same again: combinations of operators, types and paths ([`every`]), and cases in which
//!   subgroups do not matter ([`Case::without_subgroups`]) on each setting of a driver, those on narrowed devices ([`Case::narrowed`]) and above all drivers
//!   ([`Case::above_drivers`]) on each driver, and what drivers try by turns ([`Case::by_turns`], [`Driver::has_turn`]) on each of them.
//! - `WAVELANE_TEST_TIMEOUT`: seconds that a trial may take, 300 if not set.
//! - `WAVELANE_TEST_TIMES`: a file that gets a line for each trial: the seconds it took, the test binary, its name.
//! - `VK_DRIVER_FILES`, `VK_LAYER_PATH`: as the Vulkan loader reads them, in place of what is found.
//!
//! A failed trial shows what its process printed, and all that was logged.

#![allow(dead_code, reason = "each test binary uses a part of it")]

mod drivers;
pub mod gpu;
mod messages;
mod process;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use wavelane_device::{Instance, InstanceOptions, Validation};

pub use drivers::Driver;

type Run = Box<dyn Fn(&Driver) -> Result<(), Failed> + Send + Sync>;

/// A thing to test.
pub struct Case {
    name: String,
    scope: Scope,
    /// The trial is good only if its process fails and says this.
    must_fail_with: Option<&'static str>,
    differs: Differs,
    /// Its number among cases that drivers try by turns.
    turn: Option<usize>,
    run: Run,
}

/// Between which drivers a case can make a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Differs {
    /// All, and their subgroup sizes.
    BySetting,
    /// All, whatever their subgroup sizes.
    ByDriver,
    /// None.
    Nowhere,
}

enum Scope {
    EachDriver,
    /// Once, with these variables set.
    Once(Vec<(&'static str, &'static str)>),
}

impl Case {
    /// A case that runs on each driver. It fails on an `Err`, on a panic, and on any message of the validation layer.
    pub fn new(name: impl Into<String>, run: impl Fn(&Driver) -> Result<(), Failed> + Send + Sync + 'static) -> Case {
        Case {
            name: name.into(),
            scope: Scope::EachDriver,
            must_fail_with: None,
            differs: Differs::BySetting,
            turn: None,
            run: Box::new(run),
        }
    }

    /// A case that is about no driver in particular: it runs once, as `<case>`, with these environment variables.
    pub fn once(
        name: impl Into<String>,
        environment: &[(&'static str, &'static str)],
        run: impl Fn() -> Result<(), Failed> + Send + Sync + 'static,
    ) -> Case {
        Case { scope: Scope::Once(environment.to_vec()), ..Case::new(name, move |_| run()) }
    }

    /// One of a group of cases, which its name begins with.
    pub fn within(self, group: &str) -> Case {
        Case { name: format!("{group}::{}", self.name), ..self }
    }

    /// Says whether subgroups do not matter in it, as on the shared-memory path: it runs on one setting of a driver then, and not on each subgroup size that the driver has.
    pub fn without_subgroups(self, is_without: bool) -> Case {
        // What runs on one driver alone runs on one setting of it.
        if is_without && self.differs == Differs::BySetting { Case { differs: Differs::ByDriver, ..self } } else { self }
    }

    /// Says that the device is narrowed to less than any driver has, without subgroups or with limits that small arrays meet: it runs on one driver then. What each driver makes of the
    /// same shaders is shown by the cases on all of it.
    pub fn narrowed(self) -> Case {
        Case { differs: Differs::Nowhere, ..self }
    }

    /// Says that what it tests lies above drivers, and that each makes the same of it: it runs on one.
    pub fn above_drivers(self) -> Case {
        Case { differs: Differs::Nowhere, ..self }
    }

    /// Says that it is one of several that differ by things that drivers do not tell apart, such as operators. See [`Driver::has_turn`].
    pub fn by_turns(self, number: usize) -> Case {
        Case { turn: Some(number), ..self }
    }

    /// Makes a canary of it: it does something wrong, and is good only if that failed its trial with a report that contains `text`.
    pub fn must_fail(self, text: &'static str) -> Case {
        Case { must_fail_with: Some(text), ..self }
    }
}

/// Cases in all of which subgroups do not matter.
pub fn without_subgroups(cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(|case| case.without_subgroups(true)).collect()
}

/// Cases on devices narrowed to less than any driver has.
pub fn narrowed(cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(Case::narrowed).collect()
}

/// Whether every combination of what a kernel takes is to be tried, and not only each with some of the others.
pub fn every() -> bool {
    std::env::var_os("WAVELANE_TEST_EVERY").is_some_and(|value| value == "1")
}

/// In a case: what the validation layer has said since the last call, which then no longer fails the trial. For cases that do wrong on purpose
/// and look at what is said of it.
pub fn take_messages() -> Vec<String> {
    messages::taken()
}

/// The `main` of a test binary.
pub fn main(cases: Vec<Case>) -> ExitCode {
    match process::role() {
        process::Role::Probe => drivers::probe(),
        process::Role::Child(driver, trial) => in_child(&cases, &driver, &trial),
        process::Role::Parent => in_parent(&cases).exit_code(),
    }
}

fn in_parent(cases: &[Case]) -> Conclusion {
    let mut arguments = Arguments::from_args();
    // Trials are processes already; a tool that runs one process a trial asks for each by its exact name.
    let only = arguments.filter.clone().filter(|_| arguments.exact);
    let drivers = drivers::discover(only.as_deref());
    let mut trials = drivers::presence_trials(&drivers);
    for case in cases {
        let on: Vec<(String, Driver)> = match &case.scope {
            Scope::EachDriver => {
                let is_the_same = |other: &Driver, driver: &Driver| match case.differs {
                    Differs::BySetting => false,
                    Differs::ByDriver => other.is_another(driver),
                    Differs::Nowhere => true,
                };
                let is_tried = |at: usize, driver: &Driver| {
                    let is_another = !drivers[..at].iter().any(|other| is_the_same(other, driver));
                    is_another && case.turn.is_none_or(|number| driver.has_turn(number))
                };
                let on = drivers.iter().enumerate().filter(|(at, driver)| every() || is_tried(*at, driver));
                on.map(|(_, driver)| (format!("{}::{}", driver.name, case.name), driver.clone())).collect()
            }
            Scope::Once(environment) => vec![(case.name.clone(), Driver::none(environment))],
        };
        for (name, driver) in on {
            let must_fail_with = case.must_fail_with;
            trials.push(Trial::test(name.clone(), move || {
                let result = process::run_trial(&name, &driver);
                must_fail_with.map_or(result.clone(), |text| failed_with(text, &result)).map_err(Failed::from)
            }));
        }
    }
    // The child's output is shown with a failure; nothing else is printed that could be captured.
    arguments.nocapture = true;
    libtest_mimic::run(&arguments, trials)
}

fn failed_with(text: &str, result: &Result<(), String>) -> Result<(), String> {
    match result {
        Err(report) if report.contains(text) => Ok(()),
        Err(report) => Err(format!("this had to fail with {text:?}, and failed otherwise: {report}")),
        Ok(()) => Err(format!("this had to fail with {text:?}, and did not fail")),
    }
}

fn in_child(cases: &[Case], driver: &Driver, trial: &str) -> ExitCode {
    messages::collect();
    let wanted = trial.strip_prefix(&format!("{}::", driver.name)).unwrap_or(trial);
    let Some(case) = cases.iter().find(|case| case.name == wanted) else {
        eprintln!("there is no case {wanted}");
        return ExitCode::FAILURE;
    };
    // Some drivers cannot be loaded again and again in one process (NVIDIA's runs out of static thread storage), so one instance stays.
    let anchor = matches!(case.scope, Scope::EachDriver)
        .then(|| Instance::new(&InstanceOptions { application_name: "wavelane tests".to_owned(), validation: Validation::Off }));
    let result = (case.run)(driver);
    drop(anchor);
    let messages = messages::taken();
    for message in &messages {
        eprintln!("validation: {message}");
    }
    if let Err(failed) = &result {
        eprintln!("failed: {}", failed.message().unwrap_or("without a message"));
    }
    if result.is_ok() && messages.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
