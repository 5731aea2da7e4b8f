//! Passes that read the keys once, each workgroup looking back at what the tiles before its own have counted: `glsl/sort/onesweep.comp`.

use wavelane_device::{Capabilities, Quirk, QuirkEffect};

use super::digits::Digit;
use super::parts::{Parts, options_of};
use super::planner::{EXCHANGE, Pass, Planner};
use super::sweep;
use crate::Error;
use crate::layout::Layout;
use crate::schedule::{Place, StepAction, StepRange, dispatch};

type Push = crate::shaders::sort::onesweep::PushConstants;

/// What a dispatch does (`STAGE_*`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Count = 0,
    Move = 1,
    Starts = 3,
}

/// PCI ids of vendors whose GPUs go on with every workgroup that has begun, as far as anyone has found who sorts on them: NVIDIA and AMD. Of others it is not known, and phones' GPUs do not.
const PROGRESSING_VENDORS: [u32; 2] = [0x10de, 0x1002];

/// The most keys: what tiles publish has 29 bits for a number of them.
const MOST_KEYS: u64 = (1 << 29) - 1;

/// Words of the table in front of the starts (`STARTS_WORD`), and behind them up to the ring: the next tile, and four counts of tiles that are done.
const STARTS_WORD: u64 = 17;
const TICKET_WORDS: u64 = 5;

/// Whether a workgroup may wait for another as long as it takes.
pub(super) fn is_patient(capabilities: &Capabilities, quirks: &[&'static Quirk]) -> bool {
    PROGRESSING_VENDORS.contains(&capabilities.vendor_id)
        && !quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidLastWorkgroupDone)
}

/// Whether the kernel has such arrays.
pub(super) fn is_possible(layout: &Layout) -> bool {
    layout.results() == 1 && layout.inner == 1 && layout.elements() <= MOST_KEYS
}

/// Tiles of an array, and the lines that they share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    tiles: u64,
    ring_tiles: u64,
    group_tiles: u64,
    digits: u64,
    digit_bits: u32,
    is_patient: bool,
}

impl Ring {
    /// The ring for some digits; nothing where scratch has no room for one that tiles can share.
    pub(super) fn of(planner: &Planner<'_>, digits: u64, is_patient: bool) -> Option<Self> {
        let digit_bits = planner.sort.digit_bits();
        let elements = planner.layout.elements();
        let key_bytes = elements * planner.width.bytes();
        let tile = u64::from(planner.choice.workgroup_size * sweep::keys_each(planner));
        let tiles = elements.div_ceil(tile);
        // The pool has the counts of all digits.
        if digits << digit_bits > u64::from(sweep::pool_slots(planner)) {
            return None;
        }
        let lines = Parts::budget(planner, key_bytes, digit_bits).saturating_sub(digits + 1);
        let ring = |ring_tiles, group_tiles| Self { tiles, ring_tiles, group_tiles, digits, digit_bits, is_patient };
        match lines / 4 {
            _ if tiles <= lines => Some(ring(tiles, tiles)),
            group if is_patient && group > 0 => Some(ring(4 * group, group)),
            _ => None,
        }
    }

    /// Whether every tile has a line, or tiles wait so little for one that it pays: on an H200 2^22 pairs take 298 us on 224 lines and 388 without looking back, 2^20 pairs 169 us on 100 lines and 139 without.
    pub(super) fn is_wide(&self, planner: &Planner<'_>) -> bool {
        self.ring_tiles == self.tiles || self.ring_tiles / 2 >= u64::from(planner.tuning.fill_workgroups) / 10
    }

    fn starts_end(&self) -> u64 {
        STARTS_WORD + (self.digits << self.digit_bits)
    }

    fn table_bytes(&self) -> u64 {
        4 * (self.starts_end() + TICKET_WORDS + (self.ring_tiles << self.digit_bits))
    }

    /// Sorts by all digits.
    pub(super) fn record(&self, digits: &[Digit], passes: &[Pass], counted: bool, planner: &mut Planner<'_>) -> Result<String, Error> {
        let elements = planner.layout.elements();
        let table = planner.take(self.table_bytes());
        planner.copy_count(counted, table);
        let clear = |from: u64| StepRange { offset: 4 * from, size: self.table_bytes() - 4 * from };
        let fill = |place: Place, range: StepRange| {
            let (buffer, range) = place.bytes(range);
            StepAction::Fill { buffer, range, word: 0 }
        };
        // The count stands in the first word.
        planner.actions.push(fill(table, clear(1)));
        for stage in [Stage::Count, Stage::Starts] {
            self.step(stage, digits, 0, &passes[0], table, planner)?;
        }
        for (number, pass) in passes.iter().enumerate() {
            if number > 0 {
                planner.actions.push(fill(table, clear(self.starts_end())));
            }
            if let (Some(to), true) = (pass.keys_to, planner.width.bytes() < 4) {
                // Several keys share a word, and are put into it one by one.
                planner.actions.push(fill(to, StepRange::first((elements * planner.width.bytes()).next_multiple_of(4))));
            }
            self.step(Stage::Move, digits, number, pass, table, planner)?;
        }
        let Self { tiles, .. } = self;
        Ok(format!("{} digits counted at once, each moved by {tiles} workgroups that look back", digits.len()))
    }

    fn step(
        &self,
        stage: Stage,
        digits: &[Digit],
        number: usize,
        pass: &Pass,
        table: Place,
        planner: &mut Planner<'_>,
    ) -> Result<(), Error> {
        let table = table.bytes(StepRange::first(self.table_bytes()));
        let ([keys, mut output, mut values, mut output_values], mut options) = sweep::bind(pass, table, planner);
        if stage != Stage::Move {
            (output, values, output_values) = (table, keys, table);
            options = options_of(planner);
        }
        let groups = match stage {
            Stage::Count => self.tiles.min(u64::from(planner.tuning.fill_workgroups)),
            Stage::Starts => 1,
            Stage::Move => self.tiles,
        };
        let whole = Digit { first_bit: 0, bits: 0 };
        let action = dispatch!(
            sort::onesweep,
            planner.width.module(planner.choice.path),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                stage: stage as u32,
                digit_bits: self.digit_bits,
                value_words: if stage == Stage::Move { planner.value_words } else { 0 },
                exchange_slots: EXCHANGE.slots(&planner.choice),
                keys_each: sweep::keys_each(planner),
                pool_slots: sweep::pool_slots(planner),
                is_patient: u32::from(self.is_patient),
                held_tile: u32::MAX,
            },
            Push {
                row_length: planner.layout.elements() as u32,
                count_word: 0,
                options,
                begin_bit: digits[0].first_bit,
                end_bit: digits.last().map_or(0, |digit| digit.first_bit + digit.bits),
                digits: digits.len() as u32,
                shift: pass.digit.shift(planner.width),
                digit_mask: pass.digit.mask(),
                digit: number as u32,
                group_tiles: self.group_tiles as u32,
                ring_tiles: self.ring_tiles as u32,
                key_shift: whole.shift(planner.width),
            },
            planner.limits.fold(groups)?,
            vec![keys, table, output, values, output_values]
        );
        planner.actions.push(action);
        Ok(())
    }
}
