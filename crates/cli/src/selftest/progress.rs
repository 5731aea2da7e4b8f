//! A line of progress on a terminal, and nothing anywhere else.

use std::io::{IsTerminal, Write, stderr};

pub struct Progress {
    total: usize,
    done: usize,
    terminal: bool,
}

impl Progress {
    pub fn new(total: usize) -> Progress {
        Progress { total, done: 0, terminal: stderr().is_terminal() }
    }

    /// Says what is done next.
    pub fn step(&mut self, what: &str) {
        self.show(&format!("{}/{} {what}", self.done, self.total));
        self.done += 1;
    }

    /// Clears the line.
    pub fn finish(&self) {
        self.show("");
    }

    fn show(&self, text: &str) {
        if self.terminal {
            // If standard error is gone there is nobody to tell.
            let _ = write!(stderr(), "\r\x1b[K{text}").and_then(|()| stderr().flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
