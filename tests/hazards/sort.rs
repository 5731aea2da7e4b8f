//! Sorts: by parts and by rows, narrow keys that are put into cleared words, a count of the device, values in place, positions between two buffers, rows in shared memory, and segments.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::Device;
use wavelane::{DType, Sort, SortBindings, SortStrategy};

use super::{Kernel, Maker, PATH, shared_form};

pub fn kernels() -> Vec<Maker> {
    let sorts = [
        Sort::new(DType::U8, &[150_001]).counted(),
        Sort::new(DType::U32, &[40_009]).with_values(DType::U32).by_bits(4, 20),
        Sort::new(DType::F16, &[70_001]).with_values(DType::F32).in_place(),
        Sort::positions(DType::F32, &[40_009]).by_bits(8, 32),
        Sort::new(DType::I32, &[40_009]).with_positions().by_bits(0, 24).double_buffered().counted(),
        Sort::new(DType::U32, &[300, 131]).by_bits(0, 8).with_values(DType::U64),
        Sort::new(DType::F16, &[2003, 3]).along(0),
        Sort::new(DType::U16, &[300, 31]).in_place().counted().with_values(DType::U32).with_strategy(SortStrategy::Local),
        Sort::new(DType::U32, &[200_001]).in_segments(50).with_values(DType::U32).by_bits(0, 16),
        Sort::new(DType::U8, &[100_001]).in_segments(50).in_place(),
        Sort::new(DType::U16, &[40_009]).with_values(DType::U32).with_strategy(SortStrategy::Onesweep).counted(),
    ];
    let mut all: Vec<Maker> = Vec::new();
    for sort in sorts {
        // One descriptor has to reach across all segments.
        for narrow in [false, true].into_iter().filter(|narrow| !narrow || sort.segments.is_none()) {
            let sort = sort.clone();
            all.push(Box::new(move |device| of(device, &sort, narrow)));
        }
    }
    all
}

fn of(device: &Arc<Device>, sort: &Sort, narrow: bool) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, sort, PATH, narrow, |[input, output, scratch, count, values, output_values, offsets, ..]| {
        Some(SortBindings { input, output, scratch, count, values, output_values, offsets })
    })
}
