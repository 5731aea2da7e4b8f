//! Reductions of the current array: whole, along an axis, and beside equal keys.

use libtest_mimic::Failed;
use wavelane::{DType, NanPolicy, Reduce, ReduceByKey, ReduceByKeyBindings, ReduceOp, ScanStrategy};
use wavelane_reference::{self as reference, Nan, Segments};

use super::chain::Chain;
use super::data::{Random, element};
use super::planned::{self, Ranges};
use super::rig::Rig;
use super::variants::{Form, Variant};
use super::{draw, elements, exact, reduction_operator};

/// The twin's word for what happens to NaN.
pub fn policy(nan: NanPolicy) -> Nan {
    if nan == NanPolicy::Ignore { Nan::Ignore } else { Nan::Propagate }
}

pub fn reduce(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    let Form::Reduce { op, nan, wide } = variant.form else { return Ok(false) };
    if input.dtype != variant.dtype || !exact::reduction(op, &input.live) {
        return Ok(false);
    }
    let rectangle = draw::rectangle(input.capacity, random).filter(|_| !input.is_counted() && !random.one_in(3));
    let (shape, axis) = match rectangle {
        Some((rows, columns)) => (vec![rows, columns], Some(random.below(2))),
        None => (vec![input.capacity], None),
    };
    let reduce = Reduce { axis, nan, wide, counted: input.is_counted(), ..Reduce::new(op, variant.dtype, &shape) };
    let result = reduce.result_dtype()?;
    let Some(planned) = planned::reduction(&rig.pipelines, &reduce, variant.path)? else { return Ok(false) };
    let twin_op = reduction_operator(op);
    let live = match axis {
        // As a segment, since there may be no element.
        None => {
            let whole = [0, input.len() as u32];
            reference::segmented_reduce(twin_op, &input.live, &Segments::Offsets(&whole), policy(nan), wide)?
        }
        Some(_) => match reference::reduce(twin_op, &input.live, &shape, axis, policy(nan), wide) {
            // The twin has no word for the position of the least of nothing but NaN.
            Err(reference::Error::AllNan { .. }) => return Ok(false),
            live => live?,
        },
    };
    let (output, count) = (chain.room_for(result, live.len(), &[input.slot], random), chain.count_slot(&input));
    chain.push(planned, &[("input", input.slot), ("output", output), ("count", count)])?;
    let capacity = live.len();
    chain.result(output, result, reference::convert(&live, element(result)), capacity, None)?;
    Ok(true)
}

/// The current array is the keys or what is beside them.
pub fn by_key(chain: &mut Chain, rig: &Rig, variant: &Variant, op: ReduceOp, key: DType, random: &mut Random) -> Result<bool, Failed> {
    let current = chain.input();
    let length = current.capacity;
    let can_be = (current.dtype == key && current.has_known_bits(), current.dtype == variant.dtype);
    if can_be == (false, false) {
        return Ok(false);
    }
    let (size, counted) = ((current.len(), length), current.is_counted());
    let given = chain.count_slot(&current);
    let (keys, input) = if can_be.1 && (!can_be.0 || random.one_in(2)) {
        (chain.beside_or(key, size, &[], random, |random| elements::runs(key, length, random)), current)
    } else {
        let input = chain.beside_or(variant.dtype, size, &[], random, |random| elements::draw(variant.dtype, length, random));
        (current, input)
    };
    // An array found may have more.
    let (key_values, values) = (keys.live.take(0..size.0), input.live.take(0..size.0));
    if !exact::reduction(op, &values) {
        return Ok(false);
    }
    let is_float_sum = variant.dtype.is_float() && matches!(op, ReduceOp::Sum | ReduceOp::Prod);
    let any_order = is_float_sum && variant.strategy == Some(ScanStrategy::SinglePass);
    let reduce = ReduceByKey { any_order, counted, strategy: variant.strategy, ..ReduceByKey::new(op, key, variant.dtype, length) };
    let result = reduce.result_dtype()?;
    let Some(planned) = rig.plan(&reduce, variant.path, bindings)? else { return Ok(false) };
    let (run_keys, results) = reference::reduce_by_key(reduction_operator(op), &key_values, &values, Nan::Propagate, false)?;
    let key_output = chain.room_for(key, length, &[keys.slot, input.slot], random);
    let output = chain.room_for(result, length, &[keys.slot, input.slot, key_output], random);
    let count_slot = chain.arena.slot(4);
    let named = [
        ("keys", keys.slot),
        ("input", input.slot),
        ("key output", key_output),
        ("output", output),
        ("runs", count_slot),
        ("count", given),
    ];
    chain.push(planned, &named)?;
    let count = chain.counted(count_slot, run_keys.len());
    let first = chain.result(key_output, key, run_keys, length, Some(count))?;
    let second = chain.result(output, result, reference::convert(&results, element(result)), length, Some(count))?;
    chain.current = random.pick(&[first, second]);
    Ok(true)
}

fn bindings<'a>(&[input, output, scratch, count, keys, key_output, runs, ..]: &Ranges<'a>) -> ReduceByKeyBindings<'a> {
    ReduceByKeyBindings { keys, input, key_output, output, runs, scratch: Some(scratch), count: Some(count) }
}
