//! What keeps a device alive that ought to be gone.

use std::sync::{Arc, Weak};

use crate::accounts::LiveResource;
use crate::device::Device;

/// The most resources that a report names.
const NAMED: usize = 8;

/// A device could not be closed, because something of it is alive. It works on as before.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the device is still in use{}{}", listed(resources), others(*handles))]
pub struct StillInUse {
    /// The device, to be closed later.
    pub device: Arc<Device>,
    /// Buffers and images that are alive, the oldest first.
    pub resources: Vec<LiveResource>,
    /// Other handles: clones of the device, pipelines, recorders, submissions and what waits for them.
    pub handles: usize,
}

impl StillInUse {
    /// What to do about it, in one line.
    pub fn advice(&self) -> String {
        "drop what is listed first, and with it the recorders, sequences, submissions and pipelines of the device".into()
    }
}

impl Device {
    /// Buffers and images that are alive, the oldest first: with names, kinds and bytes.
    pub fn live_resources(&self) -> Vec<LiveResource> {
        self.with_memory(|pool| pool.accounts().live()).unwrap_or_default()
    }

    /// Destroys the device now, or says what still uses it.
    ///
    /// A device goes by itself with the last thing made of it. This is for those who must know that it is gone: before they destroy a
    /// device that they lent, or its instance or surface.
    ///
    /// # Errors
    ///
    /// [`StillInUse`], with the device, where this is not its last handle.
    pub fn close(self: Arc<Self>) -> Result<(), StillInUse> {
        match Arc::try_unwrap(self) {
            Ok(device) => {
                drop(device);
                Ok(())
            }
            Err(device) => {
                let resources = device.live_resources();
                // Each of them holds one handle, and this is another.
                let handles = Arc::strong_count(&device).saturating_sub(1 + resources.len());
                Err(StillInUse { device, resources, handles })
            }
        }
    }
}

/// Says in the log of a debug build, when it is dropped, which buffers and images of a device are alive then.
///
/// Buffers and images keep their device alive, so one that is forgotten somewhere costs its own memory and all of the device's, and nothing fails. Whoever owns
/// everything that is made with a device makes this the *last* field of what it owns: fields are dropped in their order, so nothing should be left.
/// A release build says nothing.
#[derive(Debug)]
pub struct LeakReport {
    device: Weak<Device>,
}

impl LeakReport {
    /// A report on this device. It does not keep the device alive.
    pub fn new(device: &Arc<Device>) -> Self {
        Self { device: Arc::downgrade(device) }
    }

    /// What it would say now; `None` where no buffer and no image is alive.
    pub fn text(&self) -> Option<String> {
        let device = self.device.upgrade()?;
        let resources = device.live_resources();
        let bytes: u64 = resources.iter().filter(|resource| resource.kind.is_own()).map(|resource| resource.bytes).sum();
        let name = &device.capabilities().device_name;
        (!resources.is_empty()).then(|| format!("{name} is not gone: {bytes} bytes are alive{}", listed(&resources)))
    }
}

impl Drop for LeakReport {
    fn drop(&mut self) {
        if cfg!(debug_assertions)
            && let Some(text) = self.text()
        {
            log::warn!("{text}");
        }
    }
}

/// ` by buffer …, image …`, the first of them.
fn listed(resources: &[LiveResource]) -> String {
    if resources.is_empty() {
        return String::new();
    }
    let mut text = format!(" by {}", resources.iter().take(NAMED).map(LiveResource::to_string).collect::<Vec<_>>().join(", "));
    if resources.len() > NAMED {
        text += &format!(" and {} more", resources.len() - NAMED);
    }
    text
}

fn others(handles: usize) -> String {
    match handles {
        0 => String::new(),
        1 => ", and 1 other handle".into(),
        many => format!(", and {many} other handles"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryKind;

    #[test]
    fn a_list_names_the_first_and_counts_the_rest() {
        let resource = |id| LiveResource { id, name: format!("b{id}").into(), kind: MemoryKind::Device, image: false, bytes: 16 * id };
        assert_eq!(listed(&[]), "");
        assert_eq!(listed(&[resource(1)]), " by buffer `b1` (device, 16 bytes)");
        let many: Vec<_> = (0..11).map(resource).collect();
        assert!(listed(&many).ends_with("buffer `b7` (device, 112 bytes) and 3 more"), "{}", listed(&many));
        assert_eq!([0, 1, 2].map(others), ["", ", and 1 other handle", ", and 2 other handles"]);
    }
}
