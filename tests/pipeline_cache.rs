//! The pipeline cache on disk, on each driver: what is loaded, what is refused, and that nothing that can be wrong with it is an error.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use harness::Case;
use harness::gpu::{device_with, ensure};
use libtest_mimic::Failed;
use wavelane_device::{Device, DeviceOptions, PipelineCacheFault, PipelineCacheSave, PipelineCacheStart, Profile};
use wavelane_record::{Access, BindingDescription, ComputePipeline, ComputePipelineDescription};

/// Where in the file Wavelane's own header ends and the driver's data begins.
const DRIVER_DATA: usize = 104;

fn main() -> ExitCode {
    harness::main(vec![
        Case::new("a_second_start_loads", |_| second_start()),
        Case::new("nothing_is_written_unless_pipelines_were_made", |_| only_when_due()),
        Case::new("pipelines_are_counted_and_saved", |_| counted()),
        Case::new("without_a_folder_nothing_is_kept", |_| no_folder()),
        Case::new("damage_is_noticed_and_replaced", |_| damage()),
        Case::new("another_devices_cache_is_refused", |_| foreign()),
        Case::new("a_folder_that_cannot_be_written_is_no_error", |_| unwritable()),
        Case::new("devices_that_save_at_a_time_leave_one_whole_file", |_| together()),
        Case::new("a_simulated_driver_that_corrupts_caches_keeps_none", |_| forbidden()),
    ])
}

/// A folder of this trial's own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Self, Failed> {
        let path = std::env::temp_dir().join(format!("wavelane-pipelines-{}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// The one file in it.
    fn file(&self) -> Result<PathBuf, Failed> {
        let files: Vec<_> = fs::read_dir(&self.0)?.flatten().map(|entry| entry.path()).collect();
        match files.as_slice() {
            [file] => Ok(file.clone()),
            files => Err(format!("{} holds {files:?}", self.0.display()).into()),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn device(folder: Option<&Path>) -> Result<Arc<Device>, Failed> {
    device_with(&DeviceOptions { pipeline_cache: folder.map(Path::to_owned), ..Default::default() })
}

fn start(device: &Device) -> PipelineCacheStart {
    device.pipeline_cache_report().start
}

fn second_start() -> Result<(), Failed> {
    let folder = Folder::new("second")?;
    let first = device(Some(&folder.0))?;
    ensure(start(&first) == PipelineCacheStart::NoFile, || format!("{:?} in an empty folder", start(&first)))?;
    let saved = first.save_pipeline_cache();
    let PipelineCacheSave::Written { bytes } = saved else { return Err(format!("{saved:?}").into()) };
    ensure(first.save_pipeline_cache() == PipelineCacheSave::Unchanged, || "the same was written again".into())?;
    ensure(first.pipeline_cache_report().file == Some(folder.file()?), || format!("{:?}", first.pipeline_cache_report()))?;
    let second = device(Some(&folder.0))?;
    ensure(start(&second) == PipelineCacheStart::Loaded { bytes }, || format!("{:?} instead of {bytes} bytes", start(&second)))?;
    ensure(fs::metadata(folder.file()?)?.len() == bytes + DRIVER_DATA as u64, || "the file has another length".into())
}

fn only_when_due() -> Result<(), Failed> {
    let folder = Folder::new("due")?;
    drop(device(Some(&folder.0))?);
    ensure(folder.file().is_err(), || "a device without pipelines left a file".into())?;
    let device = device(Some(&folder.0))?;
    device.note_pipeline_creation(Duration::from_millis(3));
    device.note_pipeline_creation(Duration::from_millis(4));
    let report = device.pipeline_cache_report();
    ensure((report.pipelines, report.creation_time) == (2, Duration::from_millis(7)), || format!("{report:?}"))?;
    drop(device);
    folder.file().map(drop)
}

/// The pipelines themselves: made, timed, kept, and made again from what was kept.
fn counted() -> Result<(), Failed> {
    let words: Vec<u32> = include_bytes!("data/shaders/count_off.spv")
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let description = ComputePipelineDescription {
        name: "kept",
        spirv: &words,
        bindings: &[BindingDescription::storage_buffer(Access::ComputeWrite)],
        push_constant_bytes: 4,
        specialization: &[],
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: false,
    };
    let folder = Folder::new("counted")?;
    for starts in 0..2 {
        let device = device(Some(&folder.0))?;
        ensure(matches!(start(&device), PipelineCacheStart::Loaded { .. }) == (starts > 0), || {
            format!("start {starts}: {:?}", start(&device))
        })?;
        // SAFETY: the module is glslangValidator's, and its source has this binding and these push constants.
        let made = [(); 2].map(|()| unsafe { ComputePipeline::new(&device, &description) });
        for pipeline in made {
            pipeline?;
        }
        let report = device.pipeline_cache_report();
        ensure(report.pipelines == 2 && report.creation_time > Duration::ZERO, || format!("{report:?} of two pipelines"))?;
        drop(device);
        folder.file()?;
    }
    Ok(())
}

fn no_folder() -> Result<(), Failed> {
    let device = device(None)?;
    ensure(start(&device) == PipelineCacheStart::NoFolder, || format!("{:?}", start(&device)))?;
    ensure(device.save_pipeline_cache() == PipelineCacheSave::NotKept, || "something was kept".into())?;
    ensure(device.pipeline_cache_report().file.is_none(), || "there is a file".into())
}

type Damage = fn(&mut Vec<u8>);

fn damage() -> Result<(), Failed> {
    let kinds: [(&str, Damage, &str); 9] = [
        ("emptied", |file| file.clear(), "it is 0 bytes long instead of 104"),
        ("cut in the header", |file| file.truncate(50), "it is 50 bytes long instead of 104"),
        ("cut in the data", |file| file.truncate(DRIVER_DATA + 20), "it is 124 bytes long instead of "),
        ("grown", |file| file.push(0), " bytes long instead of "),
        ("a bit of the data", |file| file[DRIVER_DATA + 17] ^= 4, "its checksum does not match its contents"),
        ("a bit of the checksum", |file| file[DRIVER_DATA - 1] ^= 4, "its checksum does not match its contents"),
        ("another program's", |file| file.splice(..4, *b"PK\x03\x04").for_each(drop), "it is not a pipeline cache of Wavelane"),
        ("a newer format", |file| file[8] += 1, "its format is version 2, and this is version 1"),
        ("zeroes", |file| file.fill(0), "it is not a pipeline cache of Wavelane"),
    ];
    let folder = Folder::new("damage")?;
    device(Some(&folder.0))?.save_pipeline_cache();
    let file = folder.file()?;
    let good = fs::read(&file)?;
    for (kind, damage, expected) in kinds {
        let mut bytes = good.clone();
        damage(&mut bytes);
        fs::write(&file, bytes)?;
        ignored_and_replaced(&folder, kind, expected)?;
        ensure(fs::read(&file)? == good, || format!("{kind}: the file was not replaced by a good one"))?;
    }
    Ok(())
}

fn ignored_and_replaced(folder: &Folder, kind: &str, expected: &str) -> Result<(), Failed> {
    let device = device(Some(&folder.0))?;
    match start(&device) {
        PipelineCacheStart::Ignored(fault) if fault.to_string().contains(expected) => {}
        other => return Err(format!("{kind}: {other:?} instead of {expected}").into()),
    }
    let saved = device.save_pipeline_cache();
    ensure(matches!(saved, PipelineCacheSave::Written { .. }), || format!("{kind}: {saved:?}"))
}

/// A file of the right name whose header, checksum and all, is of another device: what a copied or shared folder can hold.
fn foreign() -> Result<(), Failed> {
    let folder = Folder::new("foreign")?;
    device(Some(&folder.0))?.save_pipeline_cache();
    let file = folder.file()?;
    let good = fs::read(&file)?;
    for (place, what) in [(16, "vendor"), (20, "device"), (24, "driver"), (28, "driver version"), (32, "pipeline cache UUID")] {
        let mut bytes = good.clone();
        bytes[place] ^= 1;
        fs::write(&file, seal(bytes))?;
        ignored_and_replaced(&folder, what, &format!("it was made for another {what}"))?;
    }
    // Wavelane's header says that it is this device's, and Vulkan's that it is not: the driver must not be asked.
    for (place, what) in [(8, "vendor"), (12, "device"), (20, "UUID"), (4, "version"), (0, "length")] {
        let mut bytes = good.clone();
        bytes[DRIVER_DATA + place] ^= 1;
        fs::write(&file, seal(bytes))?;
        ignored_and_replaced(&folder, what, &format!("the driver's own header in it has a wrong {what}"))?;
    }
    Ok(())
}

/// Makes the checksum right for the contents.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let hashed = DRIVER_DATA - 32;
    let hash = blake3::Hasher::new().update(&bytes[..hashed]).update(&bytes[DRIVER_DATA..]).finalize();
    bytes[hashed..DRIVER_DATA].copy_from_slice(hash.as_bytes());
    bytes
}

fn unwritable() -> Result<(), Failed> {
    let folder = Folder::new("unwritable")?;
    let file = folder.0.join("a file");
    fs::write(&file, b"")?;
    let below = device(Some(&file.join("below")))?;
    ensure(start(&below) == PipelineCacheStart::NoFile, || format!("{:?} below a file", start(&below)))?;
    let saved = below.save_pipeline_cache();
    ensure(matches!(saved, PipelineCacheSave::Failed { .. }), || format!("{saved:?} below a file"))?;
    below.note_pipeline_creation(Duration::ZERO);
    drop(below);

    // A folder in the file's place.
    let device = device(Some(&folder.0))?;
    let name = device.pipeline_cache_report().file.ok_or("no file")?;
    drop(device);
    fs::create_dir_all(name.join("full"))?;
    let device = self::device(Some(&folder.0))?;
    ensure(start(&device) == PipelineCacheStart::Ignored(PipelineCacheFault::NotAFile), || format!("{:?} for a folder", start(&device)))?;
    let saved = device.save_pipeline_cache();
    ensure(matches!(saved, PipelineCacheSave::Failed { .. }), || format!("{saved:?} in place of a folder"))?;
    ensure(fs::read_dir(&folder.0)?.count() == 2, || "temporary files are left".into())
}

fn together() -> Result<(), Failed> {
    let folder = Folder::new("together")?;
    let devices = (0..3).map(|_| device(Some(&folder.0))).collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        for device in &devices {
            scope.spawn(move || {
                for _ in 0..20 {
                    let file = device.pipeline_cache_report().file.unwrap_or_default();
                    // So that there is something to write each time.
                    let _ = fs::remove_file(file);
                    device.save_pipeline_cache();
                }
            });
        }
    });
    drop(devices);
    folder.file()?;
    let last = device(Some(&folder.0))?;
    ensure(matches!(start(&last), PipelineCacheStart::Loaded { .. }), || format!("{:?}", start(&last)))
}

fn forbidden() -> Result<(), Failed> {
    let folder = Folder::new("forbidden")?;
    let text = r#"{ "name": "xclipse", "source": "made up", "capabilities": { "device_name": "Samsung Xclipse 940", "vendor_id": 5197, "driver_id": 21 } }"#;
    let profile = Profile::from_json(text)?;
    let device = device_with(&DeviceOptions { profile: Some(profile), pipeline_cache: Some(folder.0.clone()), ..Default::default() })?;
    ensure(start(&device) == PipelineCacheStart::Forbidden { quirk: "xclipse-pipeline-cache" }, || format!("{:?}", start(&device)))?;
    device.note_pipeline_creation(Duration::ZERO);
    ensure(device.save_pipeline_cache() == PipelineCacheSave::NotKept, || "something was kept".into())?;
    drop(device);
    ensure(folder.file().is_err(), || "a file was written".into())
}
