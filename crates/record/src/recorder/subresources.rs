//! Mip levels and array layers of images, in the numbers that the tracker of hazards counts bytes by.
//!
//! Each layer of each level counts as one byte. Layers of a level are neighbours; levels are far enough apart that no two of them are.

use ash::vk;

/// From a layer to the same layer of the next level.
const LEVEL: u64 = 1 << 32;
/// Behind the last layer that a level can have.
const LAYERS_END: u64 = LEVEL - 1;
/// An extent of 32 bits has no more.
const MOST_LEVELS: u32 = 32;

/// Offset and size of what is meant of each level.
pub(super) fn positions(range: vk::ImageSubresourceRange) -> impl Iterator<Item = (u64, u64)> {
    let first = range.base_mip_level.min(MOST_LEVELS);
    // `VK_REMAINING_MIP_LEVELS` and `VK_REMAINING_ARRAY_LAYERS` are the greatest numbers there are.
    let levels = range.level_count.min(MOST_LEVELS - first);
    let layer = u64::from(range.base_array_layer).min(LAYERS_END);
    let layers = u64::from(range.layer_count).min(LAYERS_END - layer);
    (first..first + levels).map(move |level| (u64::from(level) * LEVEL + layer, layers))
}

/// What an offset and a size within a level mean.
pub(super) fn subresources(aspect_mask: vk::ImageAspectFlags, offset: u64, size: u64) -> vk::ImageSubresourceRange {
    let layer = offset % LEVEL;
    let layer_count = if layer + size >= LAYERS_END { vk::REMAINING_ARRAY_LAYERS } else { size as u32 };
    vk::ImageSubresourceRange {
        aspect_mask,
        base_mip_level: (offset / LEVEL) as u32,
        level_count: 1,
        base_array_layer: layer as u32,
        layer_count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(levels: (u32, u32), layers: (u32, u32)) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: levels.0,
            level_count: levels.1,
            base_array_layer: layers.0,
            layer_count: layers.1,
        }
    }

    fn same(one: vk::ImageSubresourceRange, other: vk::ImageSubresourceRange) -> bool {
        format!("{one:?}") == format!("{other:?}")
    }

    #[test]
    fn levels_and_layers_come_back() {
        for layers in [(0, 1), (3, 6), (0, vk::REMAINING_ARRAY_LAYERS), (5, vk::REMAINING_ARRAY_LAYERS)] {
            let found: Vec<_> = positions(range((2, 3), layers)).collect();
            assert_eq!(found.len(), 3);
            for (&(offset, size), level) in found.iter().zip(2..) {
                let back = subresources(vk::ImageAspectFlags::COLOR, offset, size);
                assert!(same(back, range((level, 1), layers)), "{back:?} of level {level} and layers {layers:?}");
            }
            // With a gap between levels, so that none are taken for one.
            assert!(found.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0), "{found:?}");
        }
    }

    #[test]
    fn nothing_runs_over() {
        let all = u32::MAX;
        assert_eq!(positions(range((0, vk::REMAINING_MIP_LEVELS), (0, 1))).count(), 32);
        assert_eq!(positions(range((all, all), (all, all))).count(), 0);
        assert_eq!(positions(range((31, all), (all, all))).collect::<Vec<_>>(), [(31 * LEVEL + LAYERS_END, 0)]);
    }
}
