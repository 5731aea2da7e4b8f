//! The jobs that have to bear faults: a context, and work with it. One is two reductions of host data with everything that those can take.

use std::sync::{Arc, OnceLock};

use libtest_mimic::Failed;
use wavelane::device::{Capabilities, Instance, InstanceOptions, Profile, Validation};
use wavelane::{Context, ContextOptions, DType, Error, Reduce, ReduceOp, Tensor};

use super::faults;
use super::harness::gpu::ensure;

/// Little enough that uploads and readbacks of the job take several parts.
const STAGING_BYTES: u64 = 32 << 10;

/// Little enough that the job's arrays are cut into several dispatches.
const STORAGE_RANGE: u32 = 64 << 10;

/// 78 KiB, and so two pieces and a dispatch that combines them; three parts to upload.
const LINE: usize = 20_000;

/// 70 KiB of rows of two, with 35 KiB of results: two dispatches, three parts to upload, two to read back.
const ROWS: usize = 9_000;

/// What stands for the driver's device in the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// All that it has, and unified memory shown as a discrete GPU's.
    Discrete,
    /// The least that Vulkan 1.1 promises: no push descriptors, no synchronization2, no timestamps. Memory as it is.
    Minimal,
}

/// What a job does with its context; what is wrong with the results, if anything is.
pub type Work = fn(&Context) -> Result<Option<String>, Error>;

/// How a job ended.
#[derive(Debug)]
pub enum Ended {
    /// With the right results.
    Right,
    /// With others.
    Wrong(String),
    /// With an error.
    Error(Error),
}

/// An instance whose calls may fail, under validation.
pub fn instance() -> Result<Arc<Instance>, Error> {
    let options = InstanceOptions { application_name: "wavelane tests".to_owned(), validation: Validation::On };
    let entry = faults::entry().map_err(|_| wavelane::device::Error::NoDevice)?;
    Ok(Instance::with_entry(entry, &options)?)
}

impl Setting {
    /// A context in this setting.
    pub fn context(self) -> Result<Context, Error> {
        faults::pretend_discrete(self == Self::Discrete);
        let profile = Some(self.profile()?);
        let options = ContextOptions { profile, validation: Validation::On, staging_bytes: STAGING_BYTES, ..Default::default() };
        Context::with_instance(&instance()?, &options)
    }

    /// The device's capabilities, or the least there are, with a short storage range. Asked for once, as everything else in a trial may have to fail.
    fn profile(self) -> Result<Profile, Error> {
        static CAPABILITIES: OnceLock<Capabilities> = OnceLock::new();
        if self == Self::Minimal {
            let mut profile = Profile::named("minimal")?;
            profile.capabilities.limits.max_storage_buffer_range = STORAGE_RANGE;
            return Ok(profile);
        }
        let mut capabilities = match CAPABILITIES.get() {
            Some(capabilities) => capabilities.clone(),
            None => Context::with_instance(&instance()?, &ContextOptions::default())?.device().capabilities().clone(),
        };
        let _ = CAPABILITIES.set(capabilities.clone());
        capabilities.limits.max_storage_buffer_range = STORAGE_RANGE;
        Ok(Profile { name: "faulty".into(), source: "a limit lowered by a test".into(), capabilities })
    }

    /// Does the work with a context of its own, and drops everything. After an error the same context must still be good for the work, and once its device
    /// is lost, keep saying so.
    pub fn run(self, work: Work) -> Ended {
        let context = match self.context() {
            Ok(context) => context,
            Err(error) => return Ended::Error(error),
        };
        let error = match work(&context) {
            Ok(None) => return Ended::Right,
            Ok(Some(wrong)) => return Ended::Wrong(wrong),
            Err(error) => error,
        };
        faults::disarm();
        match work(&context) {
            Ok(None) if !error.is_device_lost() => Ended::Error(error),
            Err(again) if error.is_device_lost() && again.is_device_lost() => Ended::Error(error),
            again => Ended::Wrong(format!("{error:?}, and with the same context then {again:?}")),
        }
    }

    /// The same without a fault, for its counts of calls.
    pub fn run_well(self, work: Work) -> Result<(), Failed> {
        faults::arm(None);
        match self.run(work) {
            Ended::Right => Ok(()),
            ended => Err(format!("without a fault: {ended:?}").into()),
        }
    }

    /// A new context that works, in little time.
    pub fn works(self) -> Result<(), Failed> {
        faults::arm(None);
        let context = self.context()?;
        let elements: Vec<u32> = (0..1000).map(element).collect();
        let sum = Reduce::new(ReduceOp::Sum, DType::U32, &[1000]);
        let got: u32 = context.reduce(&sum, &Tensor::from_slice(&elements, &[1000])?)?.tensor.to_scalar()?;
        let expected = elements.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
        ensure(got == expected, || format!("a new context gives {got} and not {expected}"))
    }
}

fn element(index: usize) -> u32 {
    (index as u32).wrapping_mul(2_654_435_761) >> 7
}

/// Both reductions; what is wrong with their results, if anything is.
pub fn reductions(context: &Context) -> Result<Option<String>, Error> {
    let line: Vec<u32> = (0..LINE).map(element).collect();
    let sum = Reduce::new(ReduceOp::Sum, DType::U32, &[LINE]);
    let expected = vec![line.iter().fold(0u32, |sum, &x| sum.wrapping_add(x))];
    let outcome = context.reduce(&sum, &Tensor::from_slice(&line, &[LINE])?)?;
    if outcome.plan.schedule().steps.len() < 2 {
        return Ok(Some(format!("this should be two dispatches:\n{}", outcome.plan.explain())));
    }
    if outcome.tensor.to_vec::<u32>()? != expected {
        return Ok(Some(format!("{:?} and not {expected:?}", outcome.tensor.to_vec::<u32>()?)));
    }
    let rows: Vec<u32> = (0..2 * ROWS).map(element).collect();
    let sums = Reduce::new(ReduceOp::Max, DType::U32, &[ROWS, 2]).along(1);
    let expected: Vec<u32> = rows.chunks(2).map(|row| row[0].max(row[1])).collect();
    let outcome = context.reduce(&sums, &Tensor::from_slice(&rows, &[ROWS, 2])?)?;
    Ok((outcome.tensor.to_vec::<u32>()? != expected).then(|| "wrong maxima of rows".to_owned()))
}
