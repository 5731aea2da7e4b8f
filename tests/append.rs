//! `glsl/include/append.glsl`: lists that the device appends to and consumes, on each driver and path.

mod harness;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use harness::Case;
use harness::gpu::{device, ensure};
use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse, Profile};
use wavelane::record::{
    Access, Binding, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, Recorder,
    SpecializationConstant, fold_groups,
};
use wavelane::{DeviceClass, Path, PathNeeds, Tuning, select};

const PATIENCE: Duration = Duration::from_secs(60);

/// What `append_even.comp` and `consume.comp` do with their bindings.
const READ: BindingDescription = BindingDescription::storage_buffer(Access::ComputeRead);
const WRITE: BindingDescription = BindingDescription::storage_buffer(Access::ComputeWrite);
const BOTH: BindingDescription = BindingDescription::storage_buffer(Access::ComputeReadWrite);

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for path in Path::ALL {
        cases.push(
            Case::new(format!("append::{path}"), move |_| append(&Gpu::new(None, Some(path))?))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(
            Case::new(format!("append_beyond_capacity::{path}"), move |_| overflow(&Gpu::new(None, Some(path))?))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(
            Case::new(format!("consume::{path}"), move |_| consume(&Gpu::new(None, Some(path))?))
                .without_subgroups(path == Path::SharedMemory),
        );
    }
    let minimal = || Gpu::new(Some(Profile::named("minimal")?), None);
    cases.push(Case::new("append::as_minimal", move |_| append(&minimal()?)).narrowed());
    cases.push(Case::new("append::in_odd_workgroups", |_| odd_workgroups(&Gpu::new(None, Some(Path::SharedMemory))?)));
    cases.push(Case::new("consume::as_minimal", move |_| consume(&minimal()?)).narrowed());
    harness::main(cases)
}

/// A device, and how a workgroup of it counts itself.
struct Gpu {
    device: Arc<Device>,
    choice: wavelane::PathChoice,
}

impl Gpu {
    fn new(profile: Option<Profile>, path: Option<Path>) -> Result<Self, Failed> {
        let device = device(profile)?;
        let capabilities = device.capabilities();
        // A count for each subgroup or bits for each invocation, and where the workgroup's slots begin.
        let needs = PathNeeds { shared_words: 1, shared_words_beside: 1, arithmetic: true, wide_arithmetic: false, ballots: false };
        let choice = select(capabilities, device.quirks(), &Tuning::of(DeviceClass::of(capabilities)), &needs, path)?;
        Ok(Self { device, choice })
    }

    fn pipeline(&self, name: &str, bindings: &[BindingDescription], push_constant_bytes: u32) -> Result<ComputePipeline, Failed> {
        macro_rules! module {
            ($name:literal) => {
                match self.choice.path {
                    Path::SharedMemory => &include_bytes!(concat!("data/shaders/", $name, ".shared_memory.spv"))[..],
                    Path::Subgroup => &include_bytes!(concat!("data/shaders/", $name, ".subgroup.spv"))[..],
                    Path::Shuffle => &include_bytes!(concat!("data/shaders/", $name, ".shuffle.spv"))[..],
                }
            };
        }
        let bytes = if name == "append_even" { module!("append_even") } else { module!("consume") };
        let spirv: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let description = ComputePipelineDescription {
            name,
            spirv: &spirv,
            bindings,
            push_constant_bytes,
            specialization: &[SpecializationConstant { id: 0, value: self.choice.workgroup_size }],
            required_subgroup_size: self.choice.subgroup_size,
            full_subgroups: self.choice.full_subgroups,
            dispatch_base: false,
        };
        // SAFETY: the modules are valid and the description is of them; the path was chosen for the device.
        Ok(unsafe { ComputePipeline::new(&self.device, &description) }?)
    }

    fn filled(&self, name: &str, words: &[u32]) -> Result<Buffer, Failed> {
        let buffer = Buffer::new(&self.device, &BufferDescription { size: 4 * words.len() as u64, memory: MemoryUse::Shared, name })?;
        buffer.write(0, bytemuck::cast_slice(words))?;
        Ok(buffer)
    }

    /// One dispatch of `total` workgroups, done.
    fn run(&self, pipeline: &ComputePipeline, buffers: [&Buffer; 3], push: &[u8], total: u64) -> Result<(), Failed> {
        let groups = fold_groups(total, &self.device.capabilities().limits).ok_or("too many workgroups")?;
        let ranges = buffers.map(BufferRange::whole);
        let mut recorder = Recorder::new(&self.device)?;
        // SAFETY: the tests bind as many elements as they count.
        unsafe { recorder.dispatch(pipeline, &ranges.map(Binding::Buffer), push, groups) }?;
        recorder.barrier(&ranges.map(|range| BufferBarrier::new(range, Access::ComputeReadWrite, Access::HostRead)))?;
        Ok(recorder.submit()?.wait(PATIENCE)?)
    }

    /// The list and the counter after the even ones of `values` were appended to a list with room for `capacity`, and `spare` words behind.
    fn append_even(&self, values: &[u32], capacity: u32, spare: u32) -> Result<(Vec<u32>, u32), Failed> {
        let pipeline = self.pipeline("append_even", &[READ, WRITE, BOTH], 8)?;
        let list = self.filled("list", &vec![UNTOUCHED; (capacity + spare).max(1) as usize])?;
        let counter = self.filled("counter", &[0])?;
        let total = values.len().div_ceil(self.choice.workgroup_size as usize) as u64;
        let push = [values.len() as u32, capacity];
        self.run(&pipeline, [&self.filled("values", values)?, &list, &counter], bytemuck::cast_slice(&push), total)?;
        Ok((words(&list)?, words(&counter)?[0]))
    }
}

/// An odd number, so that it is none of those that are appended.
const UNTOUCHED: u32 = u32::MAX;

fn words(buffer: &Buffer) -> Result<Vec<u32>, Failed> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes)?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

/// All different, about half of them even.
fn values(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(2_654_435_761) ^ (i >> 16)).collect()
}

fn even(values: &[u32]) -> Vec<u32> {
    let mut even: Vec<u32> = values.iter().copied().filter(|value| value % 2 == 0).collect();
    even.sort_unstable();
    even
}

fn append(gpu: &Gpu) -> Result<(), Failed> {
    let workgroup = gpu.choice.workgroup_size;
    for count in [1, 2, workgroup - 1, workgroup, workgroup + 1, 1000, 100_003] {
        for values in [values(count), (0..count).map(|i| 2 * i).collect(), vec![1; count as usize]] {
            let expected = even(&values);
            let (mut list, counted) = gpu.append_even(&values, count, 0)?;
            ensure(counted as usize == expected.len(), || format!("{counted} of {count} were counted, and {} are even", expected.len()))?;
            ensure(list[counted as usize..].iter().all(|&word| word == UNTOUCHED), || format!("{count}: words behind the list changed"))?;
            list.truncate(counted as usize);
            list.sort_unstable();
            ensure(list == expected, || format!("{count}: the list has other elements than were appended"))?;
        }
    }
    Ok(())
}

/// What does not fit is counted, and nothing is written for it.
fn overflow(gpu: &Gpu) -> Result<(), Failed> {
    let values = values(10_007);
    let expected = even(&values);
    for capacity in [0, 1, 1000, expected.len() as u32 - 1] {
        let (mut list, counted) = gpu.append_even(&values, capacity, 9)?;
        ensure(counted as usize == expected.len(), || format!("{counted} were counted, and {} are even", expected.len()))?;
        ensure(list[capacity as usize..].iter().all(|&word| word == UNTOUCHED), || format!("{capacity}: words behind the list changed"))?;
        list.truncate(capacity as usize);
        list.sort_unstable();
        list.dedup();
        ensure(list.len() == capacity as usize, || format!("{capacity}: an element stands twice"))?;
        ensure(list.iter().all(|value| expected.binary_search(value).is_ok()), || format!("{capacity}: an element was never appended"))?;
    }
    Ok(())
}

/// Workgroups whose bits do not fill words, and of one invocation.
fn odd_workgroups(gpu: &Gpu) -> Result<(), Failed> {
    for workgroup_size in [1, 2, 31, 32, 33, 48, 127] {
        let choice = wavelane::PathChoice { workgroup_size, ..gpu.choice.clone() };
        let gpu = Gpu { device: gpu.device.clone(), choice };
        let values = values(2003);
        let (mut list, counted) = gpu.append_even(&values, 2003, 0)?;
        list.truncate(counted as usize);
        list.sort_unstable();
        ensure(list == even(&values), || format!("workgroups of {workgroup_size} append something else"))?;
    }
    Ok(())
}

/// Each element of a list is taken once, whichever workgroup comes first, and whether or not all invocations take one.
fn consume(gpu: &Gpu) -> Result<(), Failed> {
    let pipeline = gpu.pipeline("consume", &[READ, BOTH, BOTH], 4)?;
    for length in [0u32, 1, 777, 20_011] {
        for every in [1u32, 3] {
            let list: Vec<u32> = (0..length.max(1)).rev().collect();
            let counters = gpu.filled("counters", &[length, 0])?;
            let taken = gpu.filled("taken", &vec![0; list.len()])?;
            gpu.run(&pipeline, [&gpu.filled("list", &list)?, &counters, &taken], &every.to_ne_bytes(), 13)?;
            let taken = words(&taken)?;
            let right = taken[..length as usize].iter().all(|&times| times == 1) && (length > 0 || taken[0] == 0);
            ensure(right, || format!("of {length} by every {every}, elements were taken {taken:?} times"))?;
            ensure(words(&counters)?[1] >= length, || "the list was not emptied".into())?;
        }
    }
    Ok(())
}
