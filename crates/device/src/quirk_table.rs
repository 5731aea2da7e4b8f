//! The faults themselves. Each row comes from a public report or from the work-arounds of a shipped engine.

use ash::vk::DriverId;

use crate::quirks::{Quirk, QuirkEffect};

const AMD: u32 = 0x1002;
const APPLE: u32 = 0x106b;
const ARM: u32 = 0x13b5;
const IMAGINATION: u32 = 0x1010;
const INTEL: u32 = 0x8086;
const QUALCOMM: u32 = 0x5143;
const SAMSUNG: u32 = 0x144d;

/// What most rows leave open.
const ANY: Quirk = Quirk {
    id: "",
    vendor_id: None,
    device_name_contains: &[],
    driver_id: None,
    driver_versions: None,
    without_size_control: false,
    effect: QuirkEffect::ForbidSubgroup,
    summary: "",
    link: "",
};

/// Whether a driver is one of those that hardware vendors ship themselves.
pub(crate) fn is_vendors_own(driver: DriverId) -> bool {
    matches!(
        driver,
        DriverId::QUALCOMM_PROPRIETARY | DriverId::ARM_PROPRIETARY | DriverId::IMAGINATION_PROPRIETARY | DriverId::SAMSUNG_PROPRIETARY
    )
}

/// Qualcomm's version 512.`minor`.`patch`.
const fn adreno(minor: u32, patch: u32) -> u32 {
    512 << 22 | minor << 12 | patch
}

pub(crate) static QUIRKS: &[Quirk] = &[
    Quirk {
        id: "panvk-arithmetic",
        vendor_id: Some(ARM),
        driver_id: Some(DriverId::MESA_PANVK),
        effect: QuirkEffect::PreferShuffle,
        summary: "subgroup arithmetic is lowered to long generic code, while a butterfly of shuffles is a few instructions",
        link: "https://docs.mesa3d.org/drivers/panfrost.html",
        ..ANY
    },
    Quirk {
        id: "powervr-one-lane-subgroups",
        vendor_id: Some(IMAGINATION),
        device_name_contains: &["Rogue GE8", "Rogue GM9446"],
        effect: QuirkEffect::ForbidSubgroup,
        summary: "subgroups of one lane with all operations advertised: legal, and of no use",
        link: "https://vulkan.gpuinfo.org/displayreport.php?id=38086",
        ..ANY
    },
    Quirk {
        id: "powervr-pipeline-threads",
        vendor_id: Some(IMAGINATION),
        driver_id: Some(DriverId::IMAGINATION_PROPRIETARY),
        effect: QuirkEffect::SingleThreadedPipelineCreation,
        summary: "the pipeline compiler is not thread-safe",
        link: "https://github.com/godotengine/godot/issues/123614",
        ..ANY
    },
    Quirk {
        id: "powervr-d-series-pipeline-cache",
        vendor_id: Some(IMAGINATION),
        device_name_contains: &["D-Series"],
        driver_id: Some(DriverId::IMAGINATION_PROPRIETARY),
        effect: QuirkEffect::NoPipelineCachePersistence,
        summary: "vkGetPipelineCacheData answers VK_INCOMPLETE or with data that is corrupt",
        link: "https://crbug.com/437807243",
        ..ANY
    },
    Quirk {
        id: "xclipse-pipeline-cache",
        vendor_id: Some(SAMSUNG),
        device_name_contains: &["Xclipse"],
        driver_id: Some(DriverId::SAMSUNG_PROPRIETARY),
        effect: QuirkEffect::NoPipelineCachePersistence,
        summary: "vkGetPipelineCacheData answers VK_INCOMPLETE or with data that is corrupt",
        link: "https://crbug.com/487613497",
        ..ANY
    },
    Quirk {
        id: "adreno-640-shuffle",
        vendor_id: Some(QUALCOMM),
        device_name_contains: &["Adreno (TM) 640"],
        driver_id: Some(DriverId::QUALCOMM_PROPRIETARY),
        driver_versions: Some((0, adreno(502, u32::MAX >> 20))),
        effect: QuirkEffect::ForbidShuffle,
        summary: "unrolled chains of subgroupShuffle give wrong results",
        link: "https://github.com/Tencent/ncnn/issues/6778",
        ..ANY
    },
    Quirk {
        id: "turnip-640-shuffle",
        vendor_id: Some(QUALCOMM),
        device_name_contains: &["Adreno (TM) 640"],
        driver_id: Some(DriverId::MESA_TURNIP),
        effect: QuirkEffect::ForbidShuffle,
        summary: "unrolled chains of subgroupShuffle give wrong results",
        link: "https://github.com/Tencent/ncnn/issues/6778",
        ..ANY
    },
    Quirk {
        id: "adreno-840-shuffle",
        vendor_id: Some(QUALCOMM),
        device_name_contains: &["Adreno (TM) 840"],
        driver_id: Some(DriverId::QUALCOMM_PROPRIETARY),
        driver_versions: Some((0, adreno(842, u32::MAX >> 20))),
        effect: QuirkEffect::ForbidShuffle,
        summary: "unrolled chains of subgroupShuffle give wrong results",
        link: "https://github.com/Tencent/ncnn/issues/6778",
        ..ANY
    },
    Quirk {
        id: "adreno-840-square-workgroups",
        vendor_id: Some(QUALCOMM),
        device_name_contains: &["Adreno (TM) 840"],
        driver_id: Some(DriverId::QUALCOMM_PROPRIETARY),
        effect: QuirkEffect::LinearWorkgroupsOnly,
        summary: "workgroups close to square give corrupt blocks in one run of ten",
        link: "https://github.com/pytorch/executorch/issues/22327",
        ..ANY
    },
    Quirk {
        id: "adreno-large-shared-memory",
        vendor_id: Some(QUALCOMM),
        device_name_contains: &["Adreno (TM) 732", "Adreno (TM) 740", "Adreno (TM) 750", "Adreno (TM) 8"],
        driver_id: Some(DriverId::QUALCOMM_PROPRIETARY),
        effect: QuirkEffect::LimitSharedMemory { bytes: 16 << 10 },
        summary: "kernels with more than about half of the shared memory that the limit promises crash or hang",
        link: "https://github.com/ggml-org/llama.cpp/pull/24877",
        ..ANY
    },
    Quirk {
        id: "adreno-write-after-read",
        vendor_id: Some(QUALCOMM),
        driver_id: Some(DriverId::QUALCOMM_PROPRIETARY),
        effect: QuirkEffect::FullBarrierForWriteAfterRead,
        summary: "a barrier from compute to compute with read-only source access is dropped, and the write overtakes the read",
        link: "https://github.com/pytorch/executorch/pull/20915",
        ..ANY
    },
    Quirk {
        id: "adreno-cooperative-matrix",
        vendor_id: Some(QUALCOMM),
        driver_id: Some(DriverId::QUALCOMM_PROPRIETARY),
        effect: QuirkEffect::ForbidCooperativeMatrix,
        summary: "pipelines with cooperative matrices fail to compile or give wrong results",
        link: "https://github.com/Tencent/ncnn/blob/master/src/gpu.cpp",
        ..ANY
    },
    Quirk {
        id: "arm-cooperative-matrix",
        vendor_id: Some(ARM),
        driver_id: Some(DriverId::ARM_PROPRIETARY),
        effect: QuirkEffect::ForbidCooperativeMatrix,
        summary: "the stride of a cooperative matrix is read in elements of the matrix rather than of the array",
        link: "https://crbug.com/460209126",
        ..ANY
    },
    Quirk {
        id: "moltenvk-device-scope",
        driver_id: Some(DriverId::MOLTENVK),
        effect: QuirkEffect::ForbidLastWorkgroupDone,
        summary: "Metal's atomics are relaxed only, so a workgroup need not see what others wrote before their atomic",
        link: "https://developer.apple.com/metal/Metal-Shading-Language-Specification.pdf",
        ..ANY
    },
    Quirk {
        id: "apple-device-scope",
        vendor_id: Some(APPLE),
        driver_id: Some(DriverId::from_raw(0)),
        effect: QuirkEffect::ForbidLastWorkgroupDone,
        summary: "Metal's atomics are relaxed only, so a workgroup need not see what others wrote before their atomic",
        link: "https://developer.apple.com/metal/Metal-Shading-Language-Specification.pdf",
        ..ANY
    },
    Quirk {
        id: "moltenvk-amd-half-subgroups",
        vendor_id: Some(AMD),
        driver_id: Some(DriverId::MOLTENVK),
        effect: QuirkEffect::ForbidSubgroup,
        summary: "a subgroup of 64 is two of 32 half switched off, and shuffles across them give garbage",
        link: "https://github.com/KhronosGroup/MoltenVK/issues/1553",
        ..ANY
    },
    Quirk {
        id: "intel-reported-subgroup-size",
        vendor_id: Some(INTEL),
        without_size_control: true,
        effect: QuirkEffect::ForbidSubgroup,
        summary: "gl_SubgroupSize says 32 while 8 or 16 lanes run",
        link: "https://github.com/google/uVkCompute/issues/43",
        ..ANY
    },
];
