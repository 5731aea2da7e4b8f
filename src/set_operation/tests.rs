//! Schedules of set operations, on every profile and on devices narrower than any: legal, and with every element marked by all of the other array.

use wavelane_device::{Capabilities, quirks_of};

use super::{SetOp, SetOperation};
use crate::schedule::{Schedule, legal};
use crate::shaders::set_operation::marks::PushConstants;
use crate::{DType, Error, Kernel};

fn devices() -> Vec<Capabilities> {
    legal::devices(&[
        |device| device.limits.max_storage_buffer_range = 12 << 10,
        |device| {
            device.limits.max_storage_buffer_range = 1 << 15;
            device.limits.min_storage_buffer_offset_alignment = 1024;
        },
        |device| device.limits.max_compute_work_group_count = [7, 65_535, 2],
        |device| device.limits.max_compute_work_group_invocations = 1,
    ])
}

#[test]
fn schedules_are_legal_on_every_device() {
    for capabilities in devices() {
        let quirks = quirks_of(&capabilities);
        let mut planned = 0;
        for op in SetOp::ALL {
            for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
                for (first, second) in [(0, 0), (0, 5), (7, 0), (1, 1), (20_011, 9001), (3, 30_003), (1 << 28, 1 << 28)] {
                    // The largest arrays in few forms: thousands of dispatches take their time.
                    if first == 1 << 28 && (dtype != DType::F16 || op == SetOp::SymmetricDifference) {
                        continue;
                    }
                    for operation in [SetOperation::new(op, dtype, first, second), SetOperation::new(op, dtype, first, second).counted()] {
                        match operation.schedule(&capabilities, &quirks, None) {
                            Ok(schedule) => {
                                legal::check(&schedule, &capabilities);
                                check_cover(&operation, &schedule);
                                planned += 1;
                            }
                            Err(Error::Unplannable { .. }) if first == 1 << 28 => {}
                            Err(error) => panic!("{operation:?} on {}: {error}", capabilities.shown_name()),
                        }
                    }
                }
            }
        }
        assert!(planned >= 190, "only {planned} of {}", capabilities.shown_name());
    }
}

/// Marks, the merged elements and those of one array alone; and 1 % and 64 KiB for the counts of selections and what is aligned.
#[test]
fn scratch_is_as_stated() {
    for capabilities in legal::devices(&[]) {
        for dtype in DType::ALL {
            for (first, second) in [(1, 0), (3, 5), (1000, 24), (20_011, 9001), (1 << 20, 1 << 22)] {
                for op in SetOp::ALL {
                    for operation in [SetOperation::new(op, dtype, first, second), SetOperation::new(op, dtype, first, second).counted()] {
                        let (most, all) = (operation.most_results() as u64, (first + second) as u64);
                        let merged = match op {
                            SetOp::Union => all * dtype.size(),
                            SetOp::SymmetricDifference => 2 * all * dtype.size(),
                            _ => 0,
                        };
                        let own = 4 * most + merged;
                        let (got, most) = (
                            operation.schedule(&capabilities, &quirks_of(&capabilities), None).expect("within every limit").scratch_bytes(),
                            own + own / 100 + (64 << 10),
                        );
                        assert!(got <= most, "{operation:?} takes {got}, and {most} are stated, on {}", capabilities.shown_name());
                    }
                }
            }
        }
    }
}

/// The first marks are those of the first array, or of both: each element meets every piece of what it is searched for in, the first of them first.
fn check_cover(operation: &SetOperation, schedule: &Schedule) {
    let marks: Vec<PushConstants> = schedule
        .dispatches()
        .filter(|dispatch| dispatch.kernel == "set_operation.marks")
        .map(|dispatch| bytemuck::pod_read_unaligned(&dispatch.push))
        .collect();
    let (total, other) = match operation.op {
        SetOp::Union => ((operation.first + operation.second) as u32, 0),
        _ => (operation.first as u32, operation.second as u32),
    };
    for element in (0..total).step_by((total as usize / 20).max(1)) {
        let mut next = 0;
        let of_first = |push: &&PushConstants| push.first_most == operation.first as u32 && push.other_length == other;
        for push in marks.iter().filter(of_first).filter(|push| (push.first..push.first + push.elements).contains(&element)) {
            // A symmetric difference has the second array, and both, marked later.
            if next == other && next > 0 {
                break;
            }
            assert_eq!(push.piece_first, next, "{operation:?}: element {element}");
            assert_eq!(push.options & 2 != 0, next > 0, "{operation:?}: element {element}");
            next = push.piece_end;
        }
        assert_eq!(next, other, "{operation:?}: element {element}");
    }
    assert_eq!(marks.is_empty(), operation.most_results() == 0, "{operation:?}");
}

#[test]
fn more_elements_than_are_counted_are_refused() {
    let device = &devices()[0];
    for (first, second) in [(1 << 31, 1 << 31), (usize::MAX, 1)] {
        let many = SetOperation::new(SetOp::Union, DType::U8, first, second).schedule(device, &[], None);
        assert!(matches!(many, Err(Error::TooManyElements { .. })), "{many:?}");
    }
}
