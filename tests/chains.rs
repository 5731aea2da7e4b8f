//! Random chains of one to eight kernels on random data: each is recorded into one command buffer and submitted once, and every array and count that it leaves is what
//! the CPU twins say, bit for bit but for which NaN it is. The output of one kernel is the input of the next. Counts stay on the device, and the kernels that can take them from there do.
//! Scratch is one buffer for all kernels of a chain, arrays are parts of another, and results take the place of arrays that are no longer needed. Barriers are
//! the recorder's own by turns with those that the documentation of the kernels asks for, checked and unchecked.
//!
//! A chain follows from its number, and from what the device can do; a failure prints all of it. Floats are such that whatever is computed of them is exact in any order.
//!
//! Read from the environment:
//! - `WAVELANE_CHAINS`: how many chains there are, 500 if not set. One driver runs all of them, others a third each unless `WAVELANE_TEST_EVERY` is 1.
//! - `WAVELANE_CHAIN`: the number of one chain, which is run alone; any number, also beyond those.

#[path = "chains/arena.rs"]
mod arena;
#[path = "chains/chain.rs"]
mod chain;
#[allow(dead_code, reason = "chains have elements of their own")]
#[path = "reduce/data.rs"]
mod data;
#[path = "chains/draw.rs"]
mod draw;
#[path = "chains/elements.rs"]
mod elements;
#[path = "chains/exact.rs"]
mod exact;
mod harness;
#[path = "chains/planned.rs"]
mod planned;
#[path = "chains/rig.rs"]
mod rig;
#[path = "chains/run.rs"]
mod run;
#[path = "chains/steps/mod.rs"]
mod steps;
mod twin;
#[path = "chains/variants.rs"]
mod variants;

use std::collections::BTreeSet;
use std::process::ExitCode;

use chain::Chain;
use data::Random;
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use rig::Rig;
use run::{Barriers, Fault};
use variants::Variant;

/// Chains of a trial, which share their kernels' pipelines.
const EACH: u64 = 100;

/// The device with the least features, which has its own kind of barriers.
const LEAST: Option<&str> = Some("minimal");

fn main() -> ExitCode {
    if let Some(number) = from_environment("WAVELANE_CHAIN") {
        let alone = move |profile| Trial::new(number / EACH, profile)?.run(number, Barriers::of(number), Fault::None).map(drop);
        return harness::main(vec![
            Case::new(format!("chain_{number}"), move |_| alone(None)),
            Case::new(format!("chain_{number}_as_minimal"), move |_| alone(LEAST)),
        ]);
    }
    let chains = from_environment("WAVELANE_CHAINS").unwrap_or(500);
    let trial = |number: u64, profile: Option<&'static str>, name: &str| {
        let numbers = number * EACH..((number + 1) * EACH).min(chains);
        let name = format!("chains_{}_to_{}{name}", numbers.start, numbers.end - 1);
        Case::new(name, move |_| Trial::new(number, profile)?.run_all(numbers.clone()))
    };
    // What chains are about, barriers and memory that kernels share, drivers do not tell apart; what a driver makes of each kernel its own test shows.
    let by_turns = |number: u64| trial(number, None, "").by_turns(number as usize);
    let mut cases: Vec<Case> = (0..chains.div_ceil(EACH)).map(by_turns).collect();
    // The least device has no subgroups that a setting of the driver could change.
    cases.push(trial(0, LEAST, "_as_minimal").without_subgroups(true));
    cases.push(Case::new("a_wrong_result_fails", |_| wrong(Fault::WrongTwin, Barriers::Automatic)).must_fail("is right; 1 of "));
    cases.push(Case::new("a_missing_barrier_fails", |_| wrong(Fault::NoBarriers, Barriers::Checked)).must_fail("no barrier"));
    cases.push(Case::new("a_missing_barrier_is_noticed", |_| wrong(Fault::NoBarriers, Barriers::Unchecked)).must_fail("SYNC-HAZARD"));
    harness::main(cases)
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, and not a number")))
}

/// A device with the kernels that are combined.
struct Trial {
    rig: Rig,
    types: Vec<wavelane::DType>,
    pool: Vec<Variant>,
}

impl Trial {
    fn new(number: u64, profile: Option<&str>) -> Result<Self, Failed> {
        let rig = Rig::new(profile)?;
        let mut random = Random::new(0x7c1a_1000 + number);
        let types = variants::types(&mut random).to_vec();
        let pool = variants::pool(&rig, &types, &mut random)?;
        Ok(Self { rig, types, pool })
    }

    fn run_all(&self, numbers: std::ops::Range<u64>) -> Result<(), Failed> {
        let mut used = BTreeSet::new();
        let whole = numbers.end - numbers.start == EACH;
        for number in numbers {
            used.extend(self.run(number, Barriers::of(number), Fault::None)?);
        }
        // Some take nothing of what these chains happen to have, but most kernels have to have run.
        let unused: Vec<&Variant> = (0..self.pool.len()).filter(|at| !used.contains(at)).map(|at| &self.pool[at]).collect();
        ensure(!whole || 4 * unused.len() < self.pool.len(), || format!("no chain has these: {unused:?}"))
    }

    /// Runs a chain; says which variants were used. The error has all that there is to know of it.
    fn run(&self, number: u64, barriers: Barriers, fault: Fault) -> Result<Vec<usize>, Failed> {
        let mut random = Random::new(number.wrapping_mul(0x9e37_79b9) ^ 0xc4a1);
        let mut chain = Chain::new(arena::Arena::new(&self.rig.device));
        let mut used = Vec::new();
        let ran = self.make(&mut chain, &mut used, &mut random).and_then(|()| run::run(&self.rig.device, &chain, barriers, fault));
        let Err(failed) = ran else { return Ok(used) };
        let why = failed.message().unwrap_or("without a message");
        let alone = format!("WAVELANE_CHAIN={number} runs it alone");
        Err(format!("{why}\nchain {number}, barriers {barriers:?}:\n{}{alone}", chain.words).into())
    }

    fn make(&self, chain: &mut Chain, used: &mut Vec<usize>, random: &mut Random) -> Result<(), Failed> {
        let (kernels, dtype, length) = (1 + random.below(8), random.pick(&self.types), draw::length(random));
        let values = elements::draw(dtype, length, random);
        chain.current = match random.one_in(4) {
            true => chain.upload_counted(
                dtype,
                values,
                random.pick(&[0, length / 3, length / 2, length - length / 9, length, length + 5, u32::MAX as usize]) as u32,
            ),
            false => chain.upload(dtype, values),
        };
        while chain.steps.len() < kernels {
            used.extend(steps::link(chain, &self.rig, &self.pool, kernels - chain.steps.len(), random)?);
        }
        Ok(())
    }
}

/// Chains with something wrong, which one of them has to notice.
fn wrong(fault: Fault, barriers: Barriers) -> Result<(), Failed> {
    let trial = Trial::new(0, None)?;
    for number in 0..5 {
        trial.run(number, barriers, fault)?;
    }
    Ok(())
}
