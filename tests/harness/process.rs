//! Trials as child processes: how a process knows its part, and how a child is run, timed and reported.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::drivers::Driver;

const PROBE: &str = "WAVELANE_TEST_PROBE";
const DRIVER: &str = "WAVELANE_TEST_DRIVER";
/// Lines of a failed child that are shown; a driver in trouble can print without end.
const SHOWN_LINES: usize = 200;

/// What this process is to do.
pub enum Role {
    /// List the trials and run each in a child.
    Parent,
    /// Run one trial.
    Child(Driver, String),
    /// Say by its exit code whether the driver in its environment has a device.
    Probe,
}

/// This process's role, from its environment.
pub fn role() -> Role {
    if std::env::var_os(PROBE).is_some() {
        return Role::Probe;
    }
    match std::env::var(DRIVER) {
        Ok(name) => Role::Child(Driver::from_environment(name), std::env::args().nth(1).unwrap_or_default()),
        Err(_) => Role::Parent,
    }
}

/// What became of a child.
pub struct Outcome {
    /// `None`: it was stopped at the time limit.
    pub status: Option<ExitStatus>,
    /// Standard output and standard error.
    pub output: String,
}

impl Outcome {
    /// Whether it ended by itself, saying success.
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Asks, in a process that may crash, whether this driver has a device.
pub fn run_probe(driver: &Driver) -> Outcome {
    run(&driver.environment(), &[], (PROBE, OsStr::new("1")), Duration::from_secs(60))
}

/// Runs a trial in a process of its own. The error is a report: what happened, what was printed, how to run it alone.
pub fn run_trial(name: &str, driver: &Driver) -> Result<(), String> {
    let environment = driver.environment();
    let arguments = [name, "--exact", "--nocapture"];
    let limit = time_limit();
    let started = Instant::now();
    let outcome = run(&environment, &arguments, (DRIVER, OsStr::new(&driver.name)), limit);
    note_time(name, started.elapsed());
    if outcome.succeeded() {
        return Ok(());
    }
    let what = match outcome.status {
        Some(status) if status.code().is_some() => "failed".to_owned(),
        // A signal: the driver crashed, or the program under test did.
        Some(status) => format!("crashed ({status})"),
        None => format!("ran longer than {} s", limit.as_secs()),
    };
    Err(format!("{what}\n{}\nalone: {}", last_lines(&outcome.output), as_shell(&environment, driver, &arguments)))
}

/// Adds a line to the file that is to have the times of trials, if one is.
fn note_time(name: &str, took: Duration) {
    let Some(path) = std::env::var_os("WAVELANE_TEST_TIMES") else { return };
    let program = std::env::current_exe().unwrap_or_default();
    let file = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let line = format!("{:.2} {} {name}\n", took.as_secs_f64(), file.rsplit_once('-').map_or(&*file, |(file, _)| file));
    let written = OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("the time of {name} could not be written to {}: {error}", path.display());
    }
}

fn time_limit() -> Duration {
    let seconds = std::env::var("WAVELANE_TEST_TIMEOUT").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(300))
}

fn run(environment: &[(&'static str, OsString)], arguments: &[&str], role: (&str, &OsStr), limit: Duration) -> Outcome {
    let failed_to_start = |error: std::io::Error| Outcome { status: None, output: format!("the process did not start: {error}") };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed_to_start(error),
    };
    let child = Command::new(program)
        .args(arguments)
        .envs(environment.iter().map(|(key, value)| (*key, value)))
        .env(role.0, role.1)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    match child {
        Ok(child) => wait(child, limit),
        Err(error) => failed_to_start(error),
    }
}

fn wait(mut child: Child, limit: Duration) -> Outcome {
    // Both pipes are drained while the child runs: a full one would stop it.
    let stdout = child.stdout.take().map(|pipe| thread::spawn(move || read_all(pipe)));
    let stderr = child.stderr.take().map(|pipe| thread::spawn(move || read_all(pipe)));
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if started.elapsed() < limit => thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                // An error here means that it has ended meanwhile, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let mut output = String::new();
    for reader in [stdout, stderr].into_iter().flatten() {
        output.push_str(&reader.join().unwrap_or_default());
    }
    Outcome { status, output }
}

fn read_all(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth showing.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let skipped = lines.len().saturating_sub(SHOWN_LINES);
    let shown = lines[skipped..].join("\n");
    if skipped == 0 { shown } else { format!("({skipped} lines before these)\n{shown}") }
}

fn as_shell(environment: &[(&'static str, OsString)], driver: &Driver, arguments: &[&str]) -> String {
    let mut words: Vec<String> = environment.iter().map(|(key, value)| format!("{key}='{}'", value.to_string_lossy())).collect();
    words.push(format!("{DRIVER}={}", driver.name));
    words.push(std::env::current_exe().unwrap_or_default().display().to_string());
    words.extend(arguments.iter().map(|argument| format!("'{argument}'")));
    words.join(" ")
}
