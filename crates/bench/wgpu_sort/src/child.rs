//! A part of the work in a process that may crash or hang.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;

/// What became of it.
pub enum Outcome {
    /// What it printed.
    Said(Value),
    /// Why it printed nothing.
    Failed(String),
}

/// Runs this program with these arguments, for no longer than `limit`.
pub fn run(arguments: &[String], limit: Duration) -> Result<Outcome> {
    let mut command = Command::new(std::env::current_exe()?);
    // Where it is missing, a library that looks for windows complains.
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (said, complained) = (read(child.stdout.take()), read(child.stderr.take()));
    let status = wait(&mut child, limit)?;
    let (said, complained) = (said.join().unwrap_or_default(), complained.join().unwrap_or_default());
    Ok(match (status, serde_json::from_str(&said)) {
        (Some(status), Ok(value)) if status.success() => Outcome::Said(value),
        (Some(status), _) => Outcome::Failed(format!("{status} {}", one_line(&complained)).trim_end().to_owned()),
        (None, _) => Outcome::Failed(format!("not done after {} s", limit.as_secs())),
    })
}

/// `None` where it was ended at the limit.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<std::process::ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Reads to the end meanwhile: a full pipe would stop the child.
fn read(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The beginning of what it complained of.
fn one_line(text: &str) -> String {
    let text: Vec<&str> = text.split_whitespace().collect();
    text.join(" ").chars().take(400).collect()
}
