//! The file that a pipeline cache is kept in: whose it is, and whether it is whole. Nothing here touches Vulkan or the disk.
//!
//! All numbers are little-endian:
//!
//! | bytes    | what                                                              |
//! |----------|-------------------------------------------------------------------|
//! | 8        | `WLPIPES\0`                                                       |
//! | 4        | version of this format                                            |
//! | 4        | size of a pointer, for drivers whose 32- and 64-bit builds share a UUID |
//! | 4 4 4 4  | vendor, device, driver id, driver version                         |
//! | 16 16    | `pipelineCacheUUID`, `driverUUID`                                 |
//! | 8        | length of the driver's data                                       |
//! | 32       | BLAKE3 of everything above and the driver's data                  |
//! | …        | the driver's data, which begins with Vulkan's own header          |

use ash::vk;

const MAGIC: [u8; 8] = *b"WLPIPES\0";
const FORMAT: u32 = 1;
const KEY_BYTES: usize = 4 * 5 + 16 * 2;
const HASHED_BYTES: usize = 8 + 4 + KEY_BYTES + 8;
/// Length of everything before the driver's data.
pub(super) const HEADER_BYTES: usize = HASHED_BYTES + 32;
/// Length of Vulkan's own header, in the one version that there is.
const VULKAN_HEADER_BYTES: usize = 32;
/// More than this is neither read nor written: no set of compute kernels comes near, and a file may be anything.
pub(super) const LARGEST_DATA: u64 = 256 << 20;

/// Why a file with a pipeline cache was not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineCacheFault {
    /// The file system refused.
    #[error("it cannot be read: {cause}")]
    Unreadable {
        /// What the operating system says.
        cause: String,
    },
    /// A folder, a pipe or a device stands in its place.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is longer than any pipeline cache should be.
    #[error("it is {bytes} bytes long, and more than {limit} are not read")]
    TooLarge {
        /// Its length.
        bytes: u64,
        /// The most that is read.
        limit: u64,
    },
    /// It is shorter or longer than its header says, or shorter than a header.
    #[error("it is {found} bytes long instead of {expected}")]
    Length {
        /// Its length.
        found: u64,
        /// The length that its header calls for, or at least a header's.
        expected: u64,
    },
    /// It does not begin like a pipeline cache of Wavelane.
    #[error("it is not a pipeline cache of Wavelane")]
    NotACache,
    /// It is of another version of this library.
    #[error("its format is version {found}, and this is version {expected}")]
    Format {
        /// The file's version.
        found: u32,
        /// The version that is read and written here.
        expected: u32,
    },
    /// It was made by another device or driver.
    #[error("it was made for another {what}")]
    Foreign {
        /// What differs: `vendor`, `device`, `driver`, …
        what: &'static str,
    },
    /// Its bytes are not those that were written.
    #[error("its checksum does not match its contents")]
    Checksum,
    /// The header that the driver put before its data is not one that the driver may be given.
    #[error("the driver's own header in it has a wrong {what}")]
    DriverHeader {
        /// What is wrong: `length`, `version`, `vendor`, …
        what: &'static str,
    },
    /// The driver did not take the data.
    #[error("the driver refused it: {result:?}")]
    Refused {
        /// What `vkCreatePipelineCache` returned.
        result: vk::Result,
    },
}

/// Whose a pipeline cache is. Two devices with the same key can use each other's; which of several equal GPUs it is does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CacheKey {
    pub(super) vendor_id: u32,
    pub(super) device_id: u32,
    pub(super) driver_id: i32,
    pub(super) driver_version: u32,
    pub(super) cache_uuid: [u8; vk::UUID_SIZE],
    pub(super) driver_uuid: [u8; vk::UUID_SIZE],
}

impl CacheKey {
    fn bytes(&self) -> [u8; KEY_BYTES] {
        let mut bytes = [0; KEY_BYTES];
        let words = [size_of::<usize>() as u32, self.vendor_id, self.device_id, self.driver_id.cast_unsigned(), self.driver_version];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[20..36].copy_from_slice(&self.cache_uuid);
        bytes[36..52].copy_from_slice(&self.driver_uuid);
        bytes
    }

    /// The file's name: ids that a person recognises, and a hash over all of the key, so that devices and drivers do not take turns in one file.
    pub(super) fn file_name(&self) -> String {
        let hash = blake3::hash(&self.bytes()).to_hex();
        format!("{:04x}-{:04x}-{}.pipelines", self.vendor_id, self.device_id, &hash.as_str()[..16])
    }

    /// The file's contents up to the driver's data.
    pub(super) fn header(&self, data: &[u8]) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        header[12..12 + KEY_BYTES].copy_from_slice(&self.bytes());
        header[12 + KEY_BYTES..HASHED_BYTES].copy_from_slice(&(data.len() as u64).to_le_bytes());
        let hash = checksum(&header[..HASHED_BYTES], data);
        header[HASHED_BYTES..].copy_from_slice(&hash);
        header
    }

    /// The driver's data in a file's contents, once all of it is known to be whole and this device's.
    pub(super) fn open<'a>(&self, file: &'a [u8]) -> Result<&'a [u8], PipelineCacheFault> {
        let found = file.len() as u64;
        let length = |expected: u64| Err(PipelineCacheFault::Length { found, expected });
        if !file.starts_with(&MAGIC[..file.len().min(MAGIC.len())]) {
            return Err(PipelineCacheFault::NotACache);
        }
        let Some((header, data)) = file.split_at_checked(HEADER_BYTES) else { return length(HEADER_BYTES as u64) };
        let format = word(header, 8);
        if format != FORMAT {
            return Err(PipelineCacheFault::Format { found: format, expected: FORMAT });
        }
        let (theirs, ours) = (&header[12..12 + KEY_BYTES], self.bytes());
        for (what, part) in [
            ("size of pointers", 0..4),
            ("vendor", 4..8),
            ("device", 8..12),
            ("driver", 12..16),
            ("driver version", 16..20),
            ("pipeline cache UUID", 20..36),
            ("build of the driver", 36..52),
        ] {
            if theirs[part.clone()] != ours[part] {
                return Err(PipelineCacheFault::Foreign { what });
            }
        }
        let stated = u64::from(word(header, HASHED_BYTES - 8)) | u64::from(word(header, HASHED_BYTES - 4)) << 32;
        if stated != data.len() as u64 {
            return length(stated.saturating_add(HEADER_BYTES as u64));
        }
        if checksum(&header[..HASHED_BYTES], data) != header[HASHED_BYTES..] {
            return Err(PipelineCacheFault::Checksum);
        }
        self.check_driver_header(data)?;
        Ok(data)
    }

    /// Checks Vulkan's own header (`VkPipelineCacheHeaderVersionOne`), which drivers are known to trust too much.
    pub(super) fn check_driver_header(&self, data: &[u8]) -> Result<(), PipelineCacheFault> {
        let wrong = |what| Err(PipelineCacheFault::DriverHeader { what });
        if data.len() < VULKAN_HEADER_BYTES || word(data, 0) as usize != VULKAN_HEADER_BYTES {
            return wrong("length");
        }
        if word(data, 4).cast_signed() != vk::PipelineCacheHeaderVersion::ONE.as_raw() {
            return wrong("version");
        }
        if word(data, 8) != self.vendor_id {
            return wrong("vendor");
        }
        if word(data, 12) != self.device_id {
            return wrong("device");
        }
        if data[16..32] != self.cache_uuid {
            return wrong("UUID");
        }
        Ok(())
    }
}

fn checksum(header: &[u8], data: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new().update(header).update(data).finalize().as_bytes()
}

/// The number at `offset`; the callers have checked that it is there.
fn word(bytes: &[u8], offset: usize) -> u32 {
    bytes[offset..offset + 4].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> CacheKey {
        CacheKey { vendor_id: 0x13b5, device_id: 0xa867_0000, driver_id: 9, driver_version: 7, cache_uuid: [3; 16], driver_uuid: [4; 16] }
    }

    /// What a driver gives: its header, then something.
    fn data(key: &CacheKey) -> Vec<u8> {
        let mut data = Vec::new();
        for word in [32, 1, key.vendor_id, key.device_id] {
            data.extend_from_slice(&u32::to_le_bytes(word));
        }
        data.extend_from_slice(&key.cache_uuid);
        data.extend((0..1000u32).map(|i| ((i * i) >> 3) as u8));
        data
    }

    fn file(key: &CacheKey, data: &[u8]) -> Vec<u8> {
        [&key.header(data), data].concat()
    }

    fn why(file: &[u8]) -> Result<usize, String> {
        key().open(file).map(<[u8]>::len).map_err(|fault| fault.to_string())
    }

    #[test]
    fn what_was_written_is_read() {
        let data = data(&key());
        assert_eq!(key().open(&file(&key(), &data)), Ok(data.as_slice()));
    }

    #[test]
    fn every_byte_counts() {
        let good = file(&key(), &data(&key()));
        for place in 0..good.len() {
            for bit in [1, 0x80] {
                let mut bad = good.clone();
                bad[place] ^= bit;
                assert!(key().open(&bad).is_err(), "bit {bit:#x} of byte {place}");
            }
        }
    }

    #[test]
    fn every_length_but_the_right_one_is_refused() {
        let good = file(&key(), &data(&key()));
        for length in 0..good.len() {
            let expected = if length < HEADER_BYTES { HEADER_BYTES } else { good.len() };
            assert_eq!(why(&good[..length]), Err(format!("it is {length} bytes long instead of {expected}")));
        }
        assert_eq!(why(&[good.as_slice(), &[0]].concat()), Err(format!("it is {} bytes long instead of {}", good.len() + 1, good.len())));
    }

    #[test]
    fn a_length_that_no_file_has_is_refused() {
        let mut bad = file(&key(), &data(&key()));
        bad[HASHED_BYTES - 8..HASHED_BYTES].fill(0xff);
        assert_eq!(why(&bad), Err(format!("it is {} bytes long instead of {}", bad.len(), u64::MAX)));
    }

    #[test]
    fn another_devices_file_is_refused_by_what_differs() {
        for (theirs, what) in [
            (CacheKey { vendor_id: 1, ..key() }, "vendor"),
            (CacheKey { device_id: 1, ..key() }, "device"),
            (CacheKey { driver_id: -1, ..key() }, "driver"),
            (CacheKey { driver_version: 1, ..key() }, "driver version"),
            (CacheKey { cache_uuid: [9; 16], ..key() }, "pipeline cache UUID"),
            (CacheKey { driver_uuid: [9; 16], ..key() }, "build of the driver"),
        ] {
            assert_eq!(why(&file(&theirs, &data(&theirs))), Err(format!("it was made for another {what}")));
            assert_ne!(theirs.file_name(), key().file_name());
        }
    }

    #[test]
    fn the_drivers_header_must_be_this_devices_whatever_ours_says() {
        for (place, byte, what) in [
            (0, 31, "length"),
            (0, 33, "length"),
            (2, 1, "length"),
            (4, 2, "version"),
            (9, 0, "vendor"),
            (15, 0, "device"),
            (31, 0, "UUID"),
        ] {
            let mut data = data(&key());
            data[place] = byte;
            assert_eq!(why(&file(&key(), &data)), Err(format!("the driver's own header in it has a wrong {what}")), "byte {place}");
        }
        assert_eq!(why(&file(&key(), &data(&key())[..31])), Err("the driver's own header in it has a wrong length".into()));
        assert_eq!(why(&file(&key(), &[])), Err("the driver's own header in it has a wrong length".into()));
    }

    #[test]
    fn other_files_are_told_from_damaged_ones() {
        assert_eq!(why(b"PK\x03\x04 and so on"), Err("it is not a pipeline cache of Wavelane".into()));
        let mut newer = file(&key(), &data(&key()));
        newer[8] = 2;
        assert_eq!(why(&newer), Err("its format is version 2, and this is version 1".into()));
        assert_eq!(why(&[]), Err(format!("it is 0 bytes long instead of {HEADER_BYTES}")));
    }

    #[test]
    fn names_can_be_told_apart_by_people_too() {
        let name = key().file_name();
        assert!(name.starts_with("13b5-a8670000-") && name.ends_with(".pipelines"), "{name}");
        assert!(name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-.".contains(&letter)), "{name}");
    }
}
