//! Whether results are the CPU's.

use anyhow::{Context, Result, ensure};
use wavelane_reference::Values;

use super::Bench;
use super::case::Prepared;
use super::sets::{PATIENCE, Sets, full_barrier, recorder};

/// Elements that results are compared of: tiles of many workgroups and a part of one, and little for the CPU's plain loops.
pub const ELEMENTS: usize = 300_000;

/// Records the work twice, so that what a recording leaves in scratch is met by the next, and compares. The inner error says what differs.
pub fn verify(prepared: &Prepared, bench: &Bench) -> Result<Result<(), String>> {
    let device = bench.pipelines.device();
    let sets = Sets::new(device, prepared.work.as_ref(), &prepared.inputs, 1)?;
    let mut recorder = recorder(device)?;
    let ranges = sets.ranges(0);
    for _ in 0..2 {
        full_barrier(&mut recorder, &ranges)?;
        prepared.work.record(&mut recorder, &ranges)?;
    }
    full_barrier(&mut recorder, &ranges)?;
    recorder.submit()?.wait(PATIENCE)?;
    let all = (prepared.expect)(&prepared.inputs).context("on the CPU")?;
    ensure!(!all.is_empty(), "nothing is compared");
    for expected in all {
        let got = sets.download(expected.buffer, expected.element, expected.values.len())?;
        if let Err(difference) = compare(&got, &expected.values, &expected.bounds) {
            return Ok(Err(format!("`{}`: {difference}", expected.buffer)));
        }
    }
    Ok(Ok(()))
}

/// Compares results, each within its bound. Those of one type must be equal where the bound is 0.
fn compare(got: &Values, want: &Values, bounds: &[f64]) -> Result<(), String> {
    let (ours, theirs) = (got.to_f64(), want.to_f64());
    let same_type = got.element() == want.element();
    let (our_bits, their_bits) = (got.bits(), want.bits());
    let agrees = |at: usize| match bounds[at] {
        0.0 if same_type => our_bits[at] == their_bits[at],
        bound => (ours[at] - theirs[at]).abs() <= bound,
    };
    match (0..want.len()).find(|&at| !agrees(at)) {
        None => Ok(()),
        Some(at) => Err(format!("result {at} is {} where the CPU has {}, and may be off by {}", ours[at], theirs[at], bounds[at])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_differ_where_they_do() {
        // As f64 both are 2^64.
        let (most, less) = (Values::U64(vec![1, u64::MAX]), Values::U64(vec![1, u64::MAX - 1]));
        assert!(compare(&most, &most, &[0.0; 2]).is_ok() && compare(&less, &most, &[0.0; 2]).is_err());
        let want = Values::F64(vec![1.0]);
        assert!(compare(&Values::F32(vec![1.001]), &want, &[0.01]).is_ok());
        assert!(
            compare(&Values::F32(vec![1.1]), &want, &[0.01]).is_err() && compare(&Values::F32(vec![f32::NAN]), &want, &[0.01]).is_err()
        );
    }
}
