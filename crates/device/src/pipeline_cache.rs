//! The pipeline cache, in memory and, if the caller names a folder, on disk.
//!
//! Compiling a kernel takes a phone's driver seconds, and loading what it compiled before takes it milliseconds. Vulkan says that a driver must
//! recognise data that is not its own; many do not, so nothing reaches the driver that is not known to be whole and this device's.

mod disk;
mod file;
mod report;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ash::vk;

pub use self::file::PipelineCacheFault;
use self::file::{CacheKey, LARGEST_DATA};
pub use self::report::{PipelineCacheReport, PipelineCacheSave, PipelineCacheStart};
use crate::device::Device;
use crate::error::Error;
use crate::instance::Instance;
use crate::quirks::{Quirk, QuirkEffect};

/// How often a driver is asked again that says its data grew meanwhile. Some never stop saying so.
const ATTEMPTS: u32 = 4;

/// A device's pipeline cache.
pub(crate) struct PipelineCache {
    raw: vk::PipelineCache,
    store: Option<Store>,
    start: PipelineCacheStart,
    pipelines: AtomicU64,
    nanoseconds: AtomicU64,
}

/// Where it is kept.
struct Store {
    path: PathBuf,
    key: CacheKey,
    /// How many pipelines had been made at the last save. Held while saving.
    saved_pipelines: Mutex<u64>,
}

impl PipelineCache {
    /// No cache, which Vulkan allows too: what a device has while it is made.
    pub(crate) fn none() -> Self {
        Self {
            raw: vk::PipelineCache::null(),
            store: None,
            start: PipelineCacheStart::NoFolder,
            pipelines: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// A cache that begins with what the folder has for this device. `driver_id` is the real device's, whatever is simulated.
    pub(crate) fn new(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        device: &ash::Device,
        driver_id: i32,
        quirks: &[&'static Quirk],
        folder: Option<&Path>,
    ) -> Result<Self, Error> {
        let mut cache = Self::none();
        let mut data = Vec::new();
        if let Some(folder) = folder {
            match quirks.iter().find(|quirk| quirk.effect == QuirkEffect::NoPipelineCachePersistence) {
                Some(quirk) => cache.start = PipelineCacheStart::Forbidden { quirk: quirk.id },
                None => (cache.store, cache.start, data) = load(folder, read_key(instance, physical, driver_id)),
            }
        }
        let made = create(device, &data);
        let made = match made {
            Err(result) if !data.is_empty() => {
                cache.start = PipelineCacheStart::Ignored(PipelineCacheFault::Refused { result });
                create(device, &[])
            }
            made => made,
        };
        if let (PipelineCacheStart::Ignored(fault), Some(store)) = (&cache.start, &cache.store) {
            log::warn!("the pipeline cache {} is not used and will be replaced: {fault}", store.path.display());
        }
        cache.raw = made.map_err(|result| Error::vulkan("vkCreatePipelineCache", result))?;
        Ok(cache)
    }

    pub(crate) fn raw(&self) -> vk::PipelineCache {
        self.raw
    }

    /// Saves it if pipelines were made since, and destroys it.
    ///
    /// # Safety
    ///
    /// `device` must be the one that it was made with, alive, and nobody may use the cache any more.
    pub(crate) unsafe fn destroy(&mut self, device: &ash::Device) {
        if let Some(store) = &mut self.store {
            let saved = *store.saved_pipelines.get_mut().unwrap_or_else(PoisonError::into_inner);
            if *self.pipelines.get_mut() > saved {
                self.save(device);
            }
        }
        // SAFETY: the cache is of this device and not in use, as the caller promises; null is allowed.
        unsafe { device.destroy_pipeline_cache(self.raw, None) };
        self.raw = vk::PipelineCache::null();
    }

    fn save(&self, device: &ash::Device) -> PipelineCacheSave {
        let Some(store) = &self.store else { return PipelineCacheSave::NotKept };
        let mut saved = store.saved_pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let pipelines = self.pipelines.load(Ordering::Relaxed);
        match store.save(device, self.raw) {
            Ok(written) => {
                *saved = pipelines;
                written.map_or(PipelineCacheSave::Unchanged, |bytes| PipelineCacheSave::Written { bytes })
            }
            Err(cause) => {
                log::warn!("the pipeline cache could not be saved to {}: {cause}", store.path.display());
                PipelineCacheSave::Failed { cause }
            }
        }
    }
}

impl fmt::Debug for PipelineCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineCache").field("raw", &self.raw).field("start", &self.start).finish_non_exhaustive()
    }
}

impl Store {
    /// Writes the cache's data to the file, beside what others put there; `None` where all of it is there already.
    fn save(&self, device: &ash::Device, cache: vk::PipelineCache) -> Result<Option<u64>, String> {
        let mut data = data_of(device, cache).map_err(|result| format!("vkGetPipelineCacheData failed: {result:?}"))?;
        // A file that cannot be used is no reason not to write one that can.
        if let Some(theirs) = disk::read(&self.path, &self.key).ok().flatten() {
            if theirs == data {
                return Ok(None);
            }
            match merged(device, cache, &theirs) {
                // Both together are no longer than the file, in whatever order the driver tells them, so the file has all.
                Some(both) if both.len() <= theirs.len() => return Ok(None),
                Some(both) => data = both,
                // The cache alone is better than nothing.
                None => {}
            }
        }
        self.key.check_driver_header(&data).map_err(|fault| fault.to_string())?;
        if data.len() as u64 > LARGEST_DATA {
            return Err(format!("it has grown to {} bytes, and more than {LARGEST_DATA} are not kept", data.len()));
        }
        disk::replace(&self.path, &self.key, &data).map_err(|error| error.to_string())?;
        Ok(Some(data.len() as u64))
    }
}

impl Device {
    /// What the pipeline cache began with, and how long pipelines took: with it and, at a first start, without.
    pub fn pipeline_cache_report(&self) -> PipelineCacheReport {
        let cache = self.cache();
        PipelineCacheReport {
            file: cache.store.as_ref().map(|store| store.path.clone()),
            start: cache.start.clone(),
            pipelines: cache.pipelines.load(Ordering::Relaxed),
            creation_time: Duration::from_nanos(cache.nanoseconds.load(Ordering::Relaxed)),
        }
    }

    /// Writes the pipeline cache to its folder now, as the device does when it is dropped: for a program that may be killed, as those of phones are.
    /// The file is replaced at once, with what other processes added to it since. May be called from any thread.
    pub fn save_pipeline_cache(&self) -> PipelineCacheSave {
        self.cache().save(self.raw())
    }

    /// Counts a pipeline that the driver took this long to make with [`Device::pipeline_cache`]. A caller who makes pipelines of its own calls
    /// it for them to be in [`PipelineCacheReport`], and saved.
    pub fn note_pipeline_creation(&self, took: Duration) {
        let cache = self.cache();
        cache.pipelines.fetch_add(1, Ordering::Relaxed);
        cache.nanoseconds.fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

fn load(folder: &Path, key: CacheKey) -> (Option<Store>, PipelineCacheStart, Vec<u8>) {
    let path = folder.join(key.file_name());
    let (start, data) = match disk::read(&path, &key) {
        Ok(None) => (PipelineCacheStart::NoFile, Vec::new()),
        Ok(Some(data)) => (PipelineCacheStart::Loaded { bytes: data.len() as u64 }, data),
        Err(fault) => (PipelineCacheStart::Ignored(fault), Vec::new()),
    };
    (Some(Store { path, key, saved_pipelines: Mutex::new(0) }), start, data)
}

fn read_key(instance: &Instance, physical: vk::PhysicalDevice, driver_id: i32) -> CacheKey {
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    // SAFETY: the physical device belongs to the living instance, and both are of Vulkan 1.1, which brought the structure.
    unsafe { instance.raw().get_physical_device_properties2(physical, &mut properties) };
    let properties = properties.properties;
    CacheKey {
        vendor_id: properties.vendor_id,
        device_id: properties.device_id,
        driver_id,
        driver_version: properties.driver_version,
        cache_uuid: properties.pipeline_cache_uuid,
        driver_uuid: ids.driver_uuid,
    }
}

fn create(device: &ash::Device, data: &[u8]) -> Result<vk::PipelineCache, vk::Result> {
    // SAFETY: the device is alive; the data is none, or what this driver gave before.
    unsafe { device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default().initial_data(data), None) }
}

/// The cache's data. Not through ash's function, which asks for as long as the driver says that there is more.
fn data_of(device: &ash::Device, cache: vk::PipelineCache) -> Result<Vec<u8>, vk::Result> {
    let get = device.fp_v1_0().get_pipeline_cache_data;
    for _ in 0..ATTEMPTS {
        let mut size = 0;
        // SAFETY: the cache is of this device; without memory to write to, only the size is asked for.
        unsafe { get(device.handle(), cache, &mut size, std::ptr::null_mut()) }.result()?;
        let mut data = vec![0u8; size];
        // SAFETY: as above, and there are `size` bytes to write to.
        match unsafe { get(device.handle(), cache, &mut size, data.as_mut_ptr().cast()) } {
            vk::Result::SUCCESS => {
                data.truncate(size);
                return Ok(data);
            }
            // Other threads make pipelines meanwhile.
            vk::Result::INCOMPLETE => {}
            result => return Err(result),
        }
    }
    Err(vk::Result::INCOMPLETE)
}

/// The data of a cache together with that of a file. `None` where the driver fails at it.
fn merged(device: &ash::Device, cache: vk::PipelineCache, theirs: &[u8]) -> Option<Vec<u8>> {
    // Into a third one: a cache that others are added to must not be used meanwhile, and other threads may be making pipelines with this one.
    let (other, all) = (create(device, theirs).ok(), create(device, &[]).ok());
    let data = other.zip(all).and_then(|(other, all)| {
        // SAFETY: all three are of this device; the one that is changed is known to nobody else.
        unsafe { device.merge_pipeline_caches(all, &[cache, other]) }.ok()?;
        data_of(device, all).ok()
    });
    for made in [other, all].into_iter().flatten() {
        // SAFETY: made above, and not in use any more.
        unsafe { device.destroy_pipeline_cache(made, None) };
    }
    data
}
