//! Uploads, readbacks, imports, the books, and memory that is not coherent, on each driver.

#[path = "memory/accounts.rs"]
mod accounts;
#[path = "memory/coherence.rs"]
mod coherence;
mod counting;
#[path = "memory/future.rs"]
mod future;
mod gate;
mod harness;
#[path = "memory/import.rs"]
mod import;
mod multiply_add;
#[path = "memory/readback.rs"]
mod readback;
#[path = "memory/staging.rs"]
mod staging;
#[path = "memory/support.rs"]
mod support;

use std::process::ExitCode;
use std::sync::Arc;

use harness::Case;
use harness::gpu::device;
use libtest_mimic::Failed;
use wavelane_device::{Device, Profile};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

fn main() -> ExitCode {
    let mut cases = vec![
        Case::new("host_memory_is_a_buffer", |_| import::computes(&device(None)?)),
        Case::new("impossible_imports_are_errors", |_| import::errors(&device(None)?)),
        Case::new("without_the_extension_nothing_is_imported", |_| import::absent(&device(Some(Profile::named("minimal")?))?)),
        Case::new("everything_alive_is_named", |_| accounts::named(&device(None)?)),
        Case::new("a_device_closes_when_nothing_uses_it", |_| accounts::close(device(None)?)),
        Case::new("what_is_left_is_reported", |_| accounts::leak_report(device(None)?)),
        Case::new("what_is_left_is_logged", |_| accounts::leak_log(device(None)?)).must_fail("is not gone: "),
        Case::new("memory_that_is_not_coherent_is_flushed", |_| coherence::edges()),
        Case::new("uploads_and_readbacks_flush", |_| coherence::ring_and_readbacks()),
        Case::new("a_flush_of_half_an_atom_is_noticed", |_| coherence::half_an_atom()).must_fail("VUID-VkMappedMemoryRange"),
        Case::new("nothing_is_allocated_while_staging", |_| staging::no_allocation(&device(None)?)),
        Case::new("memory_stays_flat", |_| readback::flat(&device(None)?)),
        Case::new("a_context_keeps_what_it_needs_again", |_| accounts::context()),
    ];
    type Run = fn(&Arc<Device>) -> Result<(), Failed>;
    let runs: [(&str, Run); 17] = [
        ("much_data_goes_through_a_small_ring", staging::pressure),
        ("what_is_staged_arrives_in_order", staging::order),
        ("a_full_ring_says_who_holds_it", staging::full),
        ("a_full_ring_waits_for_the_device", staging::back_pressure),
        ("abandoned_recordings_give_their_room_back", staging::abandoned),
        ("impossible_staging_is_an_error", staging::errors),
        ("texels_are_staged", staging::texels),
        ("idle_memory_is_written_directly", staging::idle),
        ("frames_are_read_back", readback::frames),
        ("a_dropped_readback_keeps_its_buffer_until_it_is_done", readback::dropped),
        ("a_pool_has_a_limit", readback::limit),
        ("a_readback_waits", readback::waits),
        ("a_readback_of_nothing_is_empty", readback::nothing),
        ("what_does_not_come_back_is_an_error", readback::abandoned),
        ("mapped_memory_is_read_in_place", readback::in_place),
        ("a_readback_is_awaited", future::awaited),
        ("futures_learn_what_went_wrong", future::errors),
    ];
    for (name, run) in runs {
        // With timeline semaphores and push descriptors where the device has them, and with fences and sets.
        cases.push(Case::new(name, move |_| run(&device(None)?)));
        cases.push(Case::new(format!("{name}_on_vulkan_1_1"), move |_| run(&device(Some(Profile::named("minimal")?))?)));
    }
    harness::main(cases)
}
