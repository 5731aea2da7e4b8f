//! Submitting: sequences, order between submissions, the caller's semaphores and fences, time-outs, what is dropped when, and every kind of command
//! that a recorder takes.

#[path = "submission/commands.rs"]
mod commands;
#[path = "submission/drops.rs"]
mod drops;
#[path = "submission/errors.rs"]
mod errors;
mod gate;
#[path = "submission/handles.rs"]
mod handles;
mod harness;
#[path = "submission/images.rs"]
mod images;
#[path = "submission/levels.rs"]
mod levels;
mod multiply_add;
#[path = "submission/order.rs"]
mod order;
#[path = "submission/semaphores.rs"]
mod semaphores;
#[path = "submission/sequences.rs"]
mod sequences;
#[path = "submission/status.rs"]
mod status;

use std::process::ExitCode;
use std::sync::Arc;

use harness::Case;
use harness::gpu::device;
use libtest_mimic::Failed;
use wavelane_device::{Device, Profile};

type Run = fn(&Arc<Device>) -> Result<(), Failed>;

fn main() -> ExitCode {
    let runs: [(&str, Run); 33] = [
        ("a_sequence_is_submitted_once", sequences::once),
        ("a_sequence_is_submitted_many_times", sequences::many),
        ("a_sequence_is_in_flight_twice", sequences::simultaneous),
        ("a_sequence_is_recorded_anew", sequences::anew),
        ("a_completion_is_of_the_last_submission", sequences::last),
        ("a_submission_follows_another", order::after),
        ("queues_follow_each_other", order::across_queues),
        ("recordings_are_submitted_together", order::together),
        ("ownership_goes_to_another_family", order::ownership),
        ("binary_semaphores_are_waited_for_and_signalled", semaphores::binary),
        ("timeline_semaphores_are_waited_for_and_signalled", semaphores::timeline),
        ("a_callers_fence_is_signalled", semaphores::fence),
        ("a_host_signals_late", semaphores::host_signals_late),
        ("a_time_out_changes_nothing", status::time_out),
        ("completions_tell_how_far_it_is", status::completion),
        ("points_are_only_of_what_was_submitted", status::points),
        ("times_after_a_reset_are_none", status::timings_after_reset),
        ("times_of_a_sequence_are_the_last", status::timings_of_a_sequence),
        ("everything_may_be_dropped_in_flight", drops::every_order),
        ("handles_may_be_dropped_before_submitting", drops::handles),
        ("what_is_handed_over_is_kept", handles::handed_over),
        ("two_handles_of_a_buffer_are_one_buffer", handles::aliased),
        ("a_release_to_the_same_family_orders", order::within_a_family),
        ("what_is_given_away_is_not_used", order::given_away),
        ("a_dispatch_starts_from_a_base", commands::base),
        ("a_dispatch_takes_its_counts_from_a_buffer", commands::indirect),
        ("updates_write_bytes", commands::update),
        ("fills_write_words", commands::fill),
        ("images_are_copied_and_computed_on", images::storage),
        ("images_are_overwritten", images::overwritten),
        ("volumes_are_copied", images::volume),
        ("levels_of_an_image_are_told_apart", levels::apart),
        ("wrong_calls_are_errors", errors::calls),
    ];
    let mut cases = vec![
        Case::new("a_missing_order_is_noticed", |_| order::unordered(&device(None)?)).must_fail("SYNC-HAZARD"),
        Case::new("two_devices_do_not_mix", |_| errors::two_devices(&device(None)?, &device(None)?)),
    ];
    for (name, run) in runs {
        // With timeline semaphores, push descriptors and synchronization2 where the device has them, and without: other code runs then.
        cases.push(Case::new(name, move |_| run(&device(None)?)));
        cases.push(Case::new(format!("{name}_on_vulkan_1_1"), move |_| run(&device(Some(Profile::named("minimal")?))?)));
    }
    harness::main(cases)
}
