//! Work by a count that only the device knows: appends to a list, dispatches over as many elements as were appended, reduces what comes out, in one
//! submission and without the host in between; then checks all of it against the CPU.
//!
//! `cargo run --release --example indirect [-- --validate]`; `--validate` has the validation layer watch.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use wavelane::device::{
    Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, Validation, choose,
};
use wavelane::record::{
    Access, Binding, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, Recorder,
    SpecializationConstant, fold_groups,
};
use wavelane::{
    DType, DeviceClass, DispatchArguments, DispatchArgumentsBindings, DispatchRecord, Path, PathChoice, PathNeeds, Reduce, ReduceBindings,
    ReduceOp, ScratchState, Tuning, select,
};

/// Values to choose from, and room in the list: more than are even, which the host does not know.
const VALUES: u32 = 1_000_000;
const CAPACITY: u32 = 600_000;

fn main() -> anyhow::Result<()> {
    let validation = if std::env::args().any(|argument| argument == "--validate") { Validation::On } else { Validation::Off };
    let instance = Instance::new(&InstanceOptions { application_name: "indirect".into(), validation })?;
    let adapters = instance.adapters()?;
    let device = Device::new(choose(&adapters, &DeviceChoice::from_env())?, &DeviceOptions::default())?;
    let capabilities = device.capabilities();

    // The path by which workgroups count what they append: one atomic each, whatever the path.
    let needs = PathNeeds { shared_words: 1, shared_words_beside: 1, arithmetic: true, wide_arithmetic: false, ballots: false };
    let choice = select(capabilities, device.quirks(), &Tuning::of(DeviceClass::of(capabilities)), &needs, Path::from_env()?)?;
    let append = append_even(&device, &choice)?;
    let square = square_listed(&device, &choice)?;
    let arguments = DispatchArguments::new(choice.workgroup_size, CAPACITY).plan(&device)?;
    let sum = Reduce::new(ReduceOp::Sum, DType::U32, &[CAPACITY as usize]).wide().counted().plan(&device, Path::from_env()?)?;

    let values: Vec<u32> = (0..VALUES).map(|i| i.wrapping_mul(2_654_435_761) >> 19).collect();
    let buffer = |name, size| Buffer::new(&device, &BufferDescription { size, memory: MemoryUse::Shared, name });
    let source = buffer("values", 4 * u64::from(VALUES))?;
    let list = buffer("list", 4 * u64::from(CAPACITY))?;
    let counter = buffer("counter", 4)?;
    let record = buffer("record", arguments.schedule().record_bytes)?;
    let squares = buffer("squares", 4 * u64::from(CAPACITY))?;
    let total = buffer("sum", sum.schedule().output_bytes)?;
    let scratch = buffer("scratch", sum.schedule().scratch_bytes)?;
    source.write(0, bytemuck::cast_slice(&values))?;
    let [source, list, counter, record, squares, total, scratch] =
        [&source, &list, &counter, &record, &squares, &total, &scratch].map(BufferRange::whole);

    let mut recorder = Recorder::new(&device)?;
    // A counter begins at zero by an explicit fill; nothing resets it behind one's back.
    recorder.fill(counter, 0)?;
    recorder.barrier(&[BufferBarrier::new(counter, Access::TransferWrite, Access::ComputeReadWrite)])?;

    let groups = fold_groups(u64::from(VALUES.div_ceil(choice.workgroup_size)), &capabilities.limits).context("too many values")?;
    let push = [VALUES, CAPACITY];
    // SAFETY: the shader reads VALUES values, and writes to the list where it has room for CAPACITY.
    unsafe { recorder.dispatch(&append, &[source, list, counter].map(Binding::Buffer), bytemuck::bytes_of(&push), groups) }?;
    recorder.barrier(&[
        BufferBarrier::new(counter, Access::ComputeReadWrite, Access::ComputeRead),
        BufferBarrier::new(list, Access::ComputeWrite, Access::ComputeRead),
    ])?;

    // The count becomes the arguments of a dispatch, cut to what the list holds and folded within the device's limits.
    arguments.record(&mut recorder, &DispatchArgumentsBindings { counts: counter, first_count: 0, records: record })?;
    recorder.barrier(&[
        BufferBarrier::new(record, Access::ComputeWrite, Access::IndirectRead),
        BufferBarrier::new(record, Access::ComputeWrite, Access::ComputeRead),
        BufferBarrier::new(record, Access::ComputeWrite, Access::TransferRead),
    ])?;

    // SAFETY: the shader keeps to the count in the record, which is no more than list and squares hold; the arguments keep to the limits.
    unsafe {
        let bindings = [list, record, squares].map(Binding::Buffer);
        recorder.dispatch_indirect(&square, &bindings, &[], arguments.arguments(record, 0)?)
    }?;
    recorder.barrier(&[BufferBarrier::new(squares, Access::ComputeWrite, Access::ComputeRead)])?;

    // The reduction is planned for a full list, and reads on the device how much of it there is.
    let bindings = ReduceBindings {
        input: squares,
        output: total,
        scratch: Some(scratch),
        scratch_state: ScratchState::Unknown,
        count: Some(arguments.count(record, 0)?),
    };
    sum.record(&mut recorder, &bindings)?;
    recorder.barrier(&[
        BufferBarrier::new(total, Access::ComputeWrite, Access::HostRead),
        BufferBarrier::new(record, Access::ComputeWrite, Access::HostRead),
        BufferBarrier::new(list, Access::ComputeWrite, Access::HostRead),
    ])?;
    recorder.submit()?.wait(Duration::from_secs(60))?;

    let record: DispatchRecord = read(record)?[0];
    let mut list: Vec<u32> = read(list)?;
    let total: u64 = read(total)?[0];
    let mut expected: Vec<u32> = values.into_iter().filter(|value| value % 2 == 0).collect();
    println!("device      {}, path {}", capabilities.device_name, choice.path);
    println!("appended    {} of {VALUES} values, by {groups:?} workgroups of {}", record.count + record.lost, choice.workgroup_size);
    println!("dispatched  {:?} workgroups, by that count; {} did not fit", record.groups, record.lost);
    println!("reduced     {total} is the sum of their squares, by {}", sum.path());

    ensure!(record.count as usize == expected.len() && record.lost == 0, "the CPU counts {}", expected.len());
    list.truncate(record.count as usize);
    list.sort_unstable();
    expected.sort_unstable();
    ensure!(list == expected, "the list holds other values than were even");
    let right: u64 = expected.iter().map(|&value| u64::from(value.wrapping_mul(value))).sum();
    ensure!(total == right, "the CPU's sum is {right}");
    let messages = instance.validation_messages();
    ensure!(messages.is_empty(), "the validation layer says {messages:#?}");
    println!("checked     count, list and sum are the CPU's");
    Ok(())
}

/// Appends the even ones of an array to a list.
fn append_even(device: &Arc<Device>, choice: &PathChoice) -> anyhow::Result<ComputePipeline> {
    let module = match choice.path {
        Path::SharedMemory => &include_bytes!("../tests/data/shaders/append_even.shared_memory.spv")[..],
        Path::Subgroup => &include_bytes!("../tests/data/shaders/append_even.subgroup.spv")[..],
        Path::Shuffle => &include_bytes!("../tests/data/shaders/append_even.shuffle.spv")[..],
    };
    let bindings = [Access::ComputeRead, Access::ComputeWrite, Access::ComputeReadWrite].map(BindingDescription::storage_buffer);
    pipeline(device, choice, "append_even", module, &bindings, 8)
}

/// Squares the elements of a list, as many as its record counts.
fn square_listed(device: &Arc<Device>, choice: &PathChoice) -> anyhow::Result<ComputePipeline> {
    let bindings = [Access::ComputeRead, Access::ComputeRead, Access::ComputeWrite].map(BindingDescription::storage_buffer);
    pipeline(device, choice, "square_listed", include_bytes!("../tests/data/shaders/square_listed.spv"), &bindings, 0)
}

fn pipeline(
    device: &Arc<Device>,
    choice: &PathChoice,
    name: &str,
    module: &[u8],
    bindings: &[BindingDescription],
    push_constant_bytes: u32,
) -> anyhow::Result<ComputePipeline> {
    let spirv: Vec<u32> = module.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let description = ComputePipelineDescription {
        name,
        spirv: &spirv,
        bindings,
        push_constant_bytes,
        specialization: &[SpecializationConstant { id: 0, value: choice.workgroup_size }],
        required_subgroup_size: choice.subgroup_size,
        full_subgroups: choice.full_subgroups,
        dispatch_base: false,
    };
    // SAFETY: the modules are valid, need no more than the path that was chosen for the device, and the descriptions are of them.
    Ok(unsafe { ComputePipeline::new(device, &description) }?)
}

/// All of a buffer.
fn read<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(range: BufferRange<'_>) -> anyhow::Result<Vec<T>> {
    let mut bytes = vec![0; range.size() as usize];
    range.buffer().read(range.offset(), &mut bytes)?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}
