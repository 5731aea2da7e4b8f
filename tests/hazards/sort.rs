//! Sorts: by parts and by rows, narrow keys that are put into cleared words, a count of the device, values in place, and positions between two buffers.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::Device;
use wavelane::{DType, Sort, SortBindings};

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
    ];
    let mut all: Vec<Maker> = Vec::new();
    for sort in sorts {
        for narrow in [false, true] {
            let sort = sort.clone();
            all.push(Box::new(move |device| of(device, &sort, narrow)));
        }
    }
    all
}

fn of(device: &Arc<Device>, sort: &Sort, narrow: bool) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, sort, PATH, narrow, |[input, output, scratch, count, values, output_values, ..]| {
        Some(SortBindings { input, output, scratch, count, values, output_values })
    })
}
