//! Kernels as links of a chain: each takes the chain's current array, draws its options, and leaves arrays with what the twin says.
//!
//! Each of these says whether it fitted. What does not fit has changed nothing but for arrays that were uploaded and that no kernel takes.

mod elementwise;
mod histogram;
mod indices;
mod order_statistics;
mod reductions;
mod rows;
mod runs;
mod scans;
mod segments;
mod selections;
mod sorted;
mod sorts;
mod top_k;
mod transforms;

use libtest_mimic::Failed;
use wavelane::ReduceOp;
use wavelane_reference::{Op, Values};

use super::{chain, data, draw, elements, exact, planned, rig, twin, variants};
use chain::Chain;
use data::Random;
use rig::Rig;
use variants::{Form, Variant};

/// Adds one kernel, or two where the elements become another type first; says which variants of the pool they are.
pub fn link(chain: &mut Chain, rig: &Rig, pool: &[Variant], left: usize, random: &mut Random) -> Result<Vec<usize>, Failed> {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    random.shuffle(&mut order);
    // What is left of little is nothing before long, so kernels that can make more of it come first as often as not.
    if chain.input().len() < 2 && !random.one_in(4) {
        order.sort_by_key(|&at| !matches!(pool[at].form, Form::RunLengthDecode | Form::Gather | Form::Transform { .. } | Form::Scatter));
    }
    let mut used = Vec::new();
    // So that kernels of all types get their turn.
    if left > 1 && random.one_in(4) {
        let next = order[0];
        elementwise::convert(chain, rig, &pool[next], random)?;
        order.retain(|&at| !matches!(pool[at].form, Form::Convert));
    }
    for at in order {
        if apply(chain, rig, &pool[at], random)? {
            used.push(at);
            return Ok(used);
        }
    }
    // Something takes each type.
    let to = pool.iter().filter(|variant| variant.dtype != chain.input().dtype).nth(random.below(3));
    elementwise::convert(chain, rig, to.ok_or("all kernels are of one type")?, random)?;
    Ok(used)
}

fn apply(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let is_seldom = match variant.form {
        // These look at no element.
        Form::Fill | Form::Iota => true,
        // These leave one, or a few.
        Form::Reduce { .. } | Form::Histogram { .. } => chain.input().len() < 2,
        _ => false,
    };
    if is_seldom && !random.one_in(3) {
        return Ok(false);
    }
    match variant.form {
        Form::Scan { op, wide } => scans::scan(chain, rig, variant, op, wide, random),
        Form::SegmentedScan { op, source } => segments::scan(chain, rig, variant, op, source, random),
        Form::SegmentedReduce { op, nan } => segments::reduce(chain, rig, variant, op, nan, random),
        Form::Reduce { .. } => reductions::reduce(chain, rig, variant, random),
        Form::ReduceByKey { op, key } => reductions::by_key(chain, rig, variant, op, key, random),
        Form::Select { by, positions, rows } => selections::select(chain, rig, variant, by, (positions, rows), random),
        Form::Nonzero => selections::nonzero(chain, rig, variant, random),
        Form::Partition { by, rows } => selections::partition(chain, rig, variant, by, rows, random),
        Form::Runs { rows } => runs::unique(chain, rig, variant, (false, rows), random),
        Form::SortedUnique => runs::unique(chain, rig, variant, (true, false), random),
        Form::RunLengthDecode => runs::decode(chain, rig, variant, random),
        Form::Fill => elementwise::fill(chain, rig, variant, random),
        Form::Iota => elementwise::iota(chain, rig, variant, random),
        Form::Convert => elementwise::convert(chain, rig, variant, random),
        Form::Gather => indices::gather(chain, rig, variant, random),
        Form::Scatter => indices::scatter(chain, rig, variant, random),
        Form::Histogram { weights } => histogram::histogram(chain, rig, variant, weights, random),
        Form::SearchSorted => sorted::search(chain, rig, variant, random),
        Form::SetOperation { op } => sorted::sets(chain, rig, variant, op, random),
        Form::Merge { moved } => sorted::merge(chain, rig, variant, moved, random),
        Form::Sort { moved } => sorts::sort(chain, rig, variant, moved, random),
        Form::TopK { order } => top_k::top_k(chain, rig, variant, order, random),
        Form::PartitionAt { order } => order_statistics::partition_at(chain, rig, variant, order, random),
        Form::NthElement { order } => order_statistics::nth_element(chain, rig, variant, order, random),
        Form::Transform { op } => transforms::transform(chain, rig, variant, op, random),
    }
}

/// The twin's word for a reduction's operator.
fn reduction_operator(op: ReduceOp) -> Op {
    Op::ALL.into_iter().find(|known| known.name() == op.name()).unwrap_or(Op::Sum)
}

/// u32 elements, of an array that has such.
fn words(values: &Values) -> Vec<u32> {
    values.bits().into_iter().map(|bits| bits as u32).collect()
}
