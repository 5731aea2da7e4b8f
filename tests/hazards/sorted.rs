//! Kernels on sorted arrays: searches that go on piece by piece, merges by both strategies with values, set operations, and counts of the device.

use wavelane::record::BufferRange;
use wavelane::{DType, MOST_BUFFERS, Merge, MergeBindings, SearchSorted, SearchSortedBindings, SetOp, SetOperation, SetOperationBindings};

use super::{Maker, PATH, shared_form};

type Ranges<'a> = [Option<BufferRange<'a>>; MOST_BUFFERS];

pub fn kernels() -> Vec<Maker> {
    let mut all: Vec<Maker> = Vec::new();
    for narrow in [false, true] {
        for search in [
            SearchSorted::new(DType::U32, 100_003, &[50_021]).counted().counted_array(),
            SearchSorted::new(DType::F64, 3001, &[30, 1009]).in_rows(1009).counted_array(),
        ] {
            all.push(Box::new(move |device| {
                shared_form::kernel(device, &search, PATH, narrow, |[array, values, output, scratch, count, array_count, ..]| {
                    Some(SearchSortedBindings { array: array?, values: values?, output: output?, scratch, count, array_count })
                })
            }));
        }
        for merge in [
            Merge::new(DType::F16, 50_021, 30_011).with_positions().counted(),
            Merge::new(DType::U32, 5003, 3001).with_values(DType::U64).counted(),
            Merge::new(DType::U8, 100_003, 50_021).with_values(DType::F32),
        ] {
            all.push(Box::new(move |device| shared_form::kernel(device, &merge, PATH, narrow, merged)));
        }
        // It has the steps of both differences and of a union, and an intersection those of a difference.
        let operation = SetOperation::new(SetOp::SymmetricDifference, DType::U32, 20_011, 40_009).counted();
        all.push(Box::new(move |device| shared_form::kernel(device, &operation, PATH, narrow, united)));
    }
    all
}

fn united([first, second, output, scratch, first_count, second_count, found, ..]: Ranges<'_>) -> Option<SetOperationBindings<'_>> {
    let (first, second, output, found) = (first?, second?, output?, found?);
    Some(SetOperationBindings { first, second, output, found, scratch, first_count, second_count })
}

fn merged(
    [first, second, output, scratch, first_count, second_count, first_values, second_values, output_values]: Ranges<'_>,
) -> Option<MergeBindings<'_>> {
    let (first, second) = (first?, second?);
    Some(MergeBindings { first, second, output, scratch, first_count, second_count, first_values, second_values, output_values })
}
