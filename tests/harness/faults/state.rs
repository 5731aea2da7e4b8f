//! What wrappers share: counts, the fault that is due, lost devices, real functions, the books.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};

use wavelane_device::vk;

use super::ledger::Ledger;
use super::wrapper::{Dispatch, Function};

/// A call that is to fail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name.
    pub call: &'static str,
    /// Which of its calls: 1 is the first.
    pub occurrence: u32,
    /// How many in a row.
    pub times: u32,
    /// What it returns. Where that is a lost device, whatever of that device can say so does from then on.
    pub result: vk::Result,
}

impl Fault {
    /// One call that fails.
    pub fn once(call: &'static str, occurrence: u32, result: vk::Result) -> Self {
        Self { call, occurrence, times: 1, result }
    }

    /// A call that fails, and every one after it.
    pub fn from(call: &'static str, occurrence: u32, result: vk::Result) -> Self {
        Self { call, occurrence, times: u32::MAX, result }
    }
}

/// Calls that notice a lost device, by the specification.
const NOTICE_LOSS: [&str; 13] = [
    "vkQueueSubmit",
    "vkQueueSubmit2",
    "vkQueueSubmit2KHR",
    "vkQueueBindSparse",
    "vkQueueWaitIdle",
    "vkDeviceWaitIdle",
    "vkWaitForFences",
    "vkGetFenceStatus",
    "vkWaitSemaphores",
    "vkWaitSemaphoresKHR",
    "vkGetSemaphoreCounterValue",
    "vkGetSemaphoreCounterValueKHR",
    "vkGetQueryPoolResults",
];

#[derive(Default)]
pub struct State {
    counts: BTreeMap<&'static str, u32>,
    fault: Option<Fault>,
    fired: u32,
    lost: HashSet<usize>,
    functions: HashMap<(usize, &'static str), Function>,
    /// For objects whose first word is not their instance's or device's.
    latest: HashMap<&'static str, Function>,
    devices: HashMap<usize, vk::Device>,
    pub ledger: Ledger,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

/// Works on the state. The driver is never called meanwhile, so that nothing can wait for itself.
pub fn with<T>(action: impl FnOnce(&mut State) -> T) -> T {
    action(&mut STATE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Starts the counts anew, with a fault to come, if any.
pub fn arm(fault: Option<Fault>) {
    with(|state| {
        state.counts.clear();
        state.fired = 0;
        state.fault = fault;
    });
}

/// No fault is to come any more. Counts stay, and what is lost stays lost.
pub fn disarm() {
    with(|state| state.fault = None);
}

/// How often each wrapped call was made since [`arm`].
pub fn counts() -> BTreeMap<&'static str, u32> {
    with(|state| state.counts.clone())
}

/// How often the fault struck since [`arm`]; what a lost device does later does not count.
pub fn fired() -> u32 {
    with(|state| state.fired)
}

/// What lives, as a count of each kind of object. Nothing, once everything is dropped.
pub fn live() -> BTreeMap<String, u32> {
    with(|state| state.ledger.counts())
}

/// Objects destroyed that were not there, memory unmapped that was not mapped, since they were last asked for.
pub fn misdeeds() -> Vec<String> {
    with(|state| std::mem::take(&mut state.ledger.misdeeds))
}

pub fn count(call: &'static str) {
    with(|state| *state.counts.entry(call).or_default() += 1);
}

/// Counts a call. `Some` is what it returns instead of being made.
pub fn enter(call: &'static str, key: usize) -> Option<vk::Result> {
    let (result, newly_lost) = with(|state| {
        let count = state.counts.entry(call).or_default();
        *count += 1;
        if state.lost.contains(&key) && NOTICE_LOSS.contains(&call) {
            return (Some(vk::Result::ERROR_DEVICE_LOST), false);
        }
        let due = |fault: &Fault| fault.call == call && (fault.occurrence..fault.occurrence.saturating_add(fault.times)).contains(count);
        let Some(fault) = state.fault.filter(due) else { return (None, false) };
        state.fired += 1;
        let lost = fault.result == vk::Result::ERROR_DEVICE_LOST && state.devices.contains_key(&key);
        (Some(fault.result), lost && state.lost.insert(key))
    });
    if newly_lost {
        stop_working(key);
    }
    result
}

/// A lost device works on nothing any more, so that everything of it may be destroyed. The real one behind it is waited for, which makes it so; the layer sees
/// the waiting, and that nothing is in use afterwards.
fn stop_working(key: usize) {
    let device = with(|state| state.devices.get(&key).copied());
    if let Some(device) = device {
        // SAFETY: what is kept under this name is the function of this name.
        let wait = unsafe { std::mem::transmute::<Function, vk::PFN_vkDeviceWaitIdle>(real("vkDeviceWaitIdle", key)) };
        // SAFETY: the device is alive: a call of it is being made.
        let _ = unsafe { wait(device) };
    }
}

/// Keeps the real function behind a wrapper.
pub fn remember(call: &'static str, key: usize, function: Function) {
    with(|state| {
        state.functions.insert((key, call), function);
        state.latest.insert(call, function);
    });
}

/// The real function behind a wrapper. There always is one: it was kept before the wrapper was given out.
pub fn real(call: &'static str, key: usize) -> Function {
    with(|state| state.functions.get(&(key, call)).or_else(|| state.latest.get(call)).copied())
        .unwrap_or_else(|| panic!("{call} was called, and nobody asked for it"))
}

/// A device was made.
///
/// # Safety
///
/// `out` points to its handle.
pub unsafe fn device_made(out: *const vk::Device) {
    // SAFETY: the caller's promise.
    let device = unsafe { out.read() };
    with(|state| {
        state.lost.remove(&device.key());
        state.devices.insert(device.key(), device);
    });
}

/// A device is about to be destroyed.
pub fn device_gone(device: vk::Device) {
    with(|state| {
        state.devices.remove(&device.key());
        state.lost.remove(&device.key());
    });
}
