//! What the validation layer said, as it arrives in the log: this catches the last messages too, about objects that outlive their device.

use std::sync::Mutex;

use log::{Level, LevelFilter, Log, Metadata, Record};

/// The target under which the device crate logs what the validation layer reports; the canaries notice if it changes.
const VALIDATION: &str = "wavelane_device::validation";

struct Collector {
    messages: Mutex<Vec<String>>,
}

static COLLECTOR: Collector = Collector { messages: Mutex::new(Vec::new()) };

impl Log for Collector {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, record: &Record) {
        // A child's standard error is read only when it fails.
        eprintln!("{} {}: {}", record.level(), record.target(), record.args());
        // Old loaders ask devices for an instance's function. The device crate knows; a test's own messenger does not.
        let loaders_own = record.args().to_string().contains("vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR");
        if record.target() == VALIDATION && record.level() <= Level::Warn && !loaders_own {
            // A poisoned lock still holds the messages, and none may be lost.
            self.messages.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Begins to collect. Without effect where a logger is set already.
pub fn collect() {
    if log::set_logger(&COLLECTOR).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}

/// The warnings and errors so far.
pub fn taken() -> Vec<String> {
    std::mem::take(&mut *COLLECTOR.messages.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}
