//! The thread that wakes futures.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::completion::{Completion, Status};
use crate::error::Error;

/// How long it sleeps in the driver at a time, and so the most that a future waits longer than it must: when it is new, and done before what is slept for.
const SLICE: Duration = Duration::from_millis(5);
/// How long it sleeps while no recording is in flight. It is told of submissions, and looks by itself in case one is missed.
const PAUSE: Duration = Duration::from_millis(200);
/// How long it stays when nothing waits, to be there for the next frame.
const LINGER: Duration = Duration::from_secs(1);

/// Futures that wait, and the thread that wakes them: started when there is one, gone when there is none.
#[derive(Default)]
pub(crate) struct Waiter {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    last_id: u64,
    thread: Option<ThreadId>,
    /// The thread holds something of a device outside of the lock.
    asleep_in_driver: bool,
}

struct Entry {
    id: u64,
    completion: Completion,
    waker: Waker,
}

/// What the thread does next, outside of the lock.
enum Step {
    Wake(Vec<Waker>),
    Sleep(Completion),
    LookAgain,
    End,
}

impl Waiter {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new_id(&self) -> u64 {
        let mut state = self.state();
        state.last_id += 1;
        state.last_id
    }

    /// Wakes this waker when the recording is done, abandoned or lost. Another one under the same number takes its place.
    pub(crate) fn register(self: &Arc<Self>, id: u64, completion: &Completion, waker: &Waker) -> Result<(), Error> {
        // First, so that a submission from here on is heard of.
        completion.watch(self);
        let mut waker = waker.clone();
        let mut state = self.state();
        match state.entries.iter_mut().find(|entry| entry.id == id) {
            Some(entry) => std::mem::swap(&mut entry.waker, &mut waker),
            None => state.entries.push(Entry { id, completion: completion.clone(), waker: waker.clone() }),
        }
        if state.thread.is_none() {
            let waiter = Arc::clone(self);
            match thread::Builder::new().name("wavelane-readback".into()).spawn(move || waiter.run()) {
                Ok(thread) => state.thread = Some(thread.thread().id()),
                Err(error) => {
                    drop(state);
                    self.forget(id);
                    return Err(Error::WaiterThread { cause: error.to_string() });
                }
            }
        }
        self.changed.notify_all();
        // Before the waker that was replaced, which may run code of an executor's that comes back here.
        drop(state);
        drop(waker);
        Ok(())
    }

    /// Nobody waits under this number any more.
    pub(crate) fn forget(&self, id: u64) {
        let mut state = self.state();
        let gone = state.entries.iter().position(|entry| entry.id == id).map(|index| state.entries.swap_remove(index));
        drop(state);
        // What it holds may be the last of a device, and wakers run code of an executor's.
        drop(gone);
    }

    /// Something may have changed.
    pub(crate) fn look(&self) {
        // The lock is taken so that this does not come between the thread's look and its sleep.
        drop(self.state());
        self.changed.notify_all();
    }

    /// Waits until the thread holds nothing of any device: no longer than a slice, since nothing is left to wait for.
    pub(crate) fn settle(&self) {
        let mut state = self.state();
        while state.asleep_in_driver && state.thread != Some(thread::current().id()) {
            state = self.changed.wait_timeout(state, SLICE).map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
    }

    fn run(&self) {
        loop {
            match self.next() {
                Step::Wake(wakers) => wakers.into_iter().for_each(wake),
                Step::Sleep(completion) => {
                    let result = completion.wait(SLICE);
                    drop(completion);
                    let mut state = self.state();
                    state.asleep_in_driver = false;
                    self.changed.notify_all();
                    if !matches!(result, Ok(()) | Err(Error::Timeout { .. })) {
                        // Those who wait are told by their own look; a wait that fails at once must not become a busy one.
                        drop(self.changed.wait_timeout(state, SLICE));
                    }
                }
                Step::LookAgain => {}
                Step::End => return,
            }
        }
    }

    fn next(&self) -> Step {
        let mut state = self.state();
        let mut wakers = Vec::new();
        let mut in_flight: Option<usize> = None;
        let mut index = 0;
        while let Some(entry) = state.entries.get(index) {
            match entry.completion.status() {
                Ok(Status::InFlight) => {
                    // The earliest of its queue is done first.
                    let value = |entry: &Entry| entry.completion.sync_point().map(|point| point.value());
                    if in_flight.is_none_or(|known| value(entry) < value(&state.entries[known])) {
                        in_flight = Some(index);
                    }
                    index += 1;
                }
                Ok(Status::Recording) => index += 1,
                // `swap_remove` puts an entry here that was not looked at, and moves none that was.
                Ok(Status::Done | Status::Abandoned) | Err(_) => wakers.push(state.entries.swap_remove(index).waker),
            }
        }
        if !wakers.is_empty() {
            return Step::Wake(wakers);
        }
        if let Some(entry) = in_flight.and_then(|index| state.entries.get(index)) {
            let completion = entry.completion.clone();
            state.asleep_in_driver = true;
            return Step::Sleep(completion);
        }
        let idle = state.entries.is_empty();
        let (mut state, result) = match self.changed.wait_timeout(state, if idle { LINGER } else { PAUSE }) {
            Ok((state, result)) => (state, result),
            Err(poisoned) => poisoned.into_inner(),
        };
        if idle && result.timed_out() && state.entries.is_empty() {
            state.thread = None;
            return Step::End;
        }
        Step::LookAgain
    }
}

/// An executor that panics in a waker must not take those of others with it.
fn wake(waker: Waker) {
    if catch_unwind(AssertUnwindSafe(|| waker.wake())).is_err() {
        log::error!("a waker panicked");
    }
}
