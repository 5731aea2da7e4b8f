//! Elements that lie side by side: `glsl/scan/tiles.comp`.

use super::exchange::{Exchange, SLOTS_EACH};
use super::work::{HEADS, OUTPUT, Planner, RUN_COUNT, RUN_KEYS, SCRATCH};
use super::{Heads, ScanOp, ScanStrategy};
use crate::Error;
use crate::schedule::{COUNT_BYTES, Schedule, StepAction, StepRange, dispatch};
use crate::split::blocks;

/// What a dispatch does (`STAGE_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Reduce = 0,
    Scan = 1,
    LookBack = 2,
}

/// The most tiles of a workgroup: llvmpipe leaves its loops after 65535 rounds in all, and a tile takes up to 40.
const MOST_TILES: u64 = 512;

/// The constant that holds a tile back, and its value where none is (`glsl/scan/tiles.comp`).
const HELD_TILE: u32 = 9;
const NO_TILE: u32 = u32::MAX;

/// Neighbouring elements that descriptors reach, in the order of the scan.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u64,
    count: u64,
    /// Tiles and workgroups of the pieces before.
    tile_base: u64,
    group_base: u64,
    tiles: u64,
    groups: u64,
}

/// Where things are in scratch, in words.
#[derive(Clone, Copy, Debug, Default)]
struct ScratchPlaces {
    status: u64,
    tickets: u64,
    fallbacks: u64,
    count: u64,
    carries: u64,
    /// How many segments begin before each tile, and how many there are.
    tile_heads: u64,
    runs: u64,
}

impl Planner<'_> {
    /// Elements of a tile.
    fn tile(&self) -> u64 {
        u64::from(SLOTS_EACH * self.choice.workgroup_size) * self.work.dtype.per_wide_load()
    }

    pub(super) fn tiles(&mut self) -> Result<(), Error> {
        let least_tiles = self.work.layout.elements().div_ceil(self.tile());
        let strategy = self.strategy_of(least_tiles)?;
        let group_tiles = match strategy {
            ScanStrategy::OneWorkgroup => least_tiles.min(MOST_TILES),
            ScanStrategy::SinglePass => 1,
            ScanStrategy::ReduceThenScan => {
                let each = least_tiles.div_ceil(u64::from(self.tuning.fill_workgroups).min(least_tiles));
                each.max(u64::from(self.tuning.least_group_tiles)).min(MOST_TILES)
            }
        };
        let pieces = self.pieces(group_tiles)?;
        // A piece may end within a tile.
        let tiles: u64 = pieces.iter().map(|piece| piece.tiles).sum();
        let groups: u64 = pieces.iter().map(|piece| piece.groups).sum();
        let carries = match strategy {
            ScanStrategy::SinglePass => 2 * tiles,
            _ if groups == 1 => 0,
            _ => groups,
        };
        let places = self.places(strategy, tiles, carries, pieces.len() as u64);
        self.take_count(places.count);
        self.make_heads()?;
        self.reads = 1;
        match strategy {
            ScanStrategy::SinglePass => {
                let cleared = StepRange { offset: 4 * places.status, size: 4 * (places.count - places.status) };
                self.actions.push(StepAction::Fill { buffer: SCRATCH, range: cleared, word: 0 });
                for (number, piece) in (0..).zip(&pieces) {
                    let places = ScratchPlaces { tickets: places.tickets + number, ..places };
                    self.tiles_step(Stage::LookBack, piece, 1, &places)?;
                }
                self.strategy = format!("single pass over {tiles} tiles of {} elements, looking back", self.tile());
            }
            _ => {
                if groups > 1 {
                    self.reads = 2;
                    for piece in &pieces {
                        // Nobody asks what the last workgroup has.
                        let last = piece.group_base + piece.groups == groups;
                        let asked = Piece { groups: piece.groups - u64::from(last), ..*piece };
                        if asked.groups > 0 {
                            self.tiles_step(Stage::Reduce, &asked, group_tiles, &places)?;
                        }
                    }
                }
                for piece in &pieces {
                    self.tiles_step(Stage::Scan, piece, group_tiles, &places)?;
                }
                self.strategy = match groups {
                    1 => "one workgroup".into(),
                    _ => format!("reduce, then scan: {groups} workgroups of {group_tiles} tiles of {} elements", self.tile()),
                };
            }
        }
        if self.work.runs {
            self.run_keys(&pieces, &places)?;
        }
        Ok(())
    }

    /// The strategy that was asked for, or the one that suits the device.
    fn strategy_of(&self, tiles: u64) -> Result<ScanStrategy, Error> {
        let work = self.work;
        let obstacle = if work.in_place {
            Some("results replace the elements that another workgroup may have to read")
        } else if !self.may_look_back {
            Some("workgroups of this device cannot rely on what others write in the same dispatch")
        } else if !work.is_exact() && !work.any_order {
            Some("sums and products of floats would depend on which workgroup is done first")
        } else {
            None
        };
        match (work.strategy, obstacle) {
            (Some(ScanStrategy::SinglePass), Some(obstacle)) => Err(Error::StrategyUnavailable { strategy: "a single pass", obstacle }),
            (Some(ScanStrategy::OneWorkgroup), _) if tiles > MOST_TILES => {
                Err(Error::StrategyUnavailable { strategy: "one workgroup", obstacle: "it takes at most 512 tiles" })
            }
            (Some(strategy), _) => Ok(strategy),
            (None, _) if tiles <= u64::from(self.tuning.one_workgroup_tiles) => Ok(ScanStrategy::OneWorkgroup),
            (None, None) if self.tuning.look_back => Ok(ScanStrategy::SinglePass),
            (None, _) => Ok(ScanStrategy::ReduceThenScan),
        }
    }

    /// The array in parts that descriptors reach, in the order of the scan. All but the last in memory are made of whole wide loads.
    fn pieces(&self, group_tiles: u64) -> Result<Vec<Piece>, Error> {
        let work = self.work;
        let elements = work.layout.elements();
        let (size, result) = (work.dtype.size(), work.variant.result.size());
        let reach = self.limits.capacity(elements, size).min(work.heads.capacity(&self.limits));
        // Results of runs go anywhere, so all of them are bound.
        let reach = if work.runs { reach } else { reach.min(self.limits.capacity(elements, result)) };
        if work.runs {
            self.limits.check_whole("results", elements * result)?;
            self.limits.check_whole("the keys of runs", work.heads.bytes(elements))?;
        }
        let mut length = elements;
        if reach < elements {
            // Each begins with a wide load, at offsets that are aligned in both buffers.
            let alignment = self.limits.alignment();
            let unit = lcm(lcm(16, alignment) / size * result, alignment) / result;
            length = reach - reach % unit;
            if length == 0 {
                return Err(self.limits.out_of_reach(format!("a scan of {unit} elements at once")));
            }
        }
        let mut parts: Vec<_> = blocks(elements, length).collect();
        if work.reverse {
            parts.reverse();
        }
        let (mut tile_base, mut group_base) = (0, 0);
        let pieces = parts.into_iter().map(|(first, count)| {
            let tiles = count.div_ceil(self.tile());
            let groups = tiles.div_ceil(group_tiles);
            let piece = Piece { first, count, tile_base, group_base, tiles, groups };
            tile_base += tiles;
            group_base += groups;
            piece
        });
        Ok(pieces.collect())
    }

    /// Lays scratch out, and notes what it takes.
    fn places(&mut self, strategy: ScanStrategy, tiles: u64, carries: u64, pieces: u64) -> ScratchPlaces {
        let mut places = ScratchPlaces::default();
        if strategy == ScanStrategy::SinglePass {
            places.tickets = tiles;
            places.fallbacks = tiles + pieces;
            places.count = places.fallbacks + 1;
        }
        let header = places.count + u64::from(self.counted());
        places.carries = if carries > 0 { header.next_multiple_of(4) } else { header };
        let words = carries * u64::from(self.exchange.carry_words());
        self.scratch_words = places.carries + words;
        if self.work.runs {
            places.tile_heads = self.scratch_words;
            places.runs = places.tile_heads + tiles;
            self.scratch_words = places.runs + 1;
            self.runs_word = places.runs;
        }
        self.scratch_traffic = 2 * words;
        places
    }

    fn tiles_step(&mut self, stage: Stage, piece: &Piece, group_tiles: u64, places: &ScratchPlaces) -> Result<(), Error> {
        let work = self.work;
        let total = work.layout.elements();
        let (input, _) = self.limits.range(piece.first, piece.count, work.dtype.size());
        let (output, _) = self.limits.range(piece.first, piece.count, work.variant.result.size());
        let (heads, head_first) =
            if work.heads.has_buffer() { work.heads.range(piece.first, piece.count, total, &self.limits) } else { (input, 0) };
        let input = (self.source(), input);
        // Where a run's result goes is known only then.
        let output = if work.runs { StepRange::first(total * work.variant.result.size()) } else { output };
        let scratch = if self.scratch_words > 0 { (SCRATCH, self.scratch()) } else { (OUTPUT, output) };
        // What a stage does not touch stands for nothing; another buffer of the dispatch fills the binding.
        let output = if stage == Stage::Reduce { scratch } else { (OUTPUT, output) };
        let heads = match work.heads {
            Heads::None | Heads::Rows | Heads::Length(_) => input,
            Heads::Flags | Heads::Keys(_) => (HEADS, heads),
            Heads::Offsets(_) => (SCRATCH, StepRange { offset: self.heads_at + heads.offset, size: heads.size }),
        };
        let [initial_low, initial_high] = work.initial_words();
        let action = dispatch!(
            scan::tiles,
            work.module(self.choice.path),
            shader::SpecializationConstants {
                workgroup_size: self.choice.workgroup_size,
                operator: work.op.shader_number(),
                key_kind: work.variant.key as u32,
                stage: stage as u32,
                heads: work.heads.number(),
                reverse: u32::from(work.reverse),
                counted: u32::from(self.counted()),
                exchange_slots: self.exchange.slots(&self.choice),
                exchange_head_slots: self.exchange.head_slots(&self.choice),
                held_tile: NO_TILE,
                runs: u32::from(work.runs),
                element_bits: work.dtype.bits(),
                element_signed: work.dtype.signed_constant(),
            },
            shader::PushConstants {
                elements: piece.count as u32,
                first: piece.first as u32,
                total: total as u32,
                row_length: work.layout.count as u32,
                tiles: piece.tiles as u32,
                group_tiles: group_tiles as u32,
                groups: piece.groups as u32,
                group_base: piece.group_base as u32,
                tile_base: piece.tile_base as u32,
                carries: places.carries as u32,
                count_word: places.count as u32,
                status: places.status as u32,
                ticket: places.tickets as u32,
                fallbacks: places.fallbacks as u32,
                head_first: head_first as u32,
                options: work.options(),
                initial_low,
                initial_high,
                tile_heads: places.tile_heads as u32,
                runs: places.runs as u32,
                segment_length: work.heads.segment_length() as u32,
            },
            self.limits.fold(piece.groups)?,
            vec![input, output, scratch, heads]
        );
        self.actions.push(action);
        Ok(())
    }
}

impl Planner<'_> {
    /// The key of each run, behind the dispatches that count the runs before each tile.
    fn run_keys(&mut self, pieces: &[Piece], places: &ScratchPlaces) -> Result<(), Error> {
        let work = self.work;
        let total = work.layout.elements();
        let all = StepRange::first(work.heads.bytes(total));
        if work.heads.is_packed() {
            self.actions.push(StepAction::Fill { buffer: RUN_KEYS, range: all, word: 0 });
        }
        let exchange = Exchange { slots_each: 1, state_words: 1, has_heads: false, has_arithmetic: true, wide: false };
        for piece in pieces {
            let (keys, head_first) = work.heads.range(piece.first, piece.count, total, &self.limits);
            let keys = (HEADS, keys);
            let action = dispatch!(
                scan::run_keys,
                self.choice.path.module_name().into(),
                shader::SpecializationConstants {
                    workgroup_size: self.choice.workgroup_size,
                    operator: ScanOp::Sum.shader_number(),
                    heads: work.heads.number(),
                    exchange_slots: exchange.slots(&self.choice),
                    counted: u32::from(self.counted()),
                },
                shader::PushConstants {
                    elements: piece.count as u32,
                    first: piece.first as u32,
                    total: total as u32,
                    tile_elements: self.tile() as u32,
                    tiles: piece.tiles as u32,
                    tile_heads: (places.tile_heads + piece.tile_base) as u32,
                    head_first: head_first as u32,
                    count_word: places.count as u32,
                },
                self.limits.fold(piece.tiles)?,
                vec![keys, (RUN_KEYS, all), (SCRATCH, self.scratch()), keys]
            );
            self.actions.push(action);
        }
        Ok(())
    }

    /// How many runs there are, to the buffer for it.
    pub(super) fn count_runs(&mut self) {
        let range = StepRange::first(COUNT_BYTES);
        self.actions.push(match self.work.layout.elements() {
            0 => StepAction::Fill { buffer: RUN_COUNT, range, word: 0 },
            _ => StepAction::Copy { from: SCRATCH, from_offset: 4 * self.runs_word, to: RUN_COUNT, range },
        });
    }
}

impl Schedule {
    /// For tests: in a single pass, keeps the workgroup of a tile from publishing anything, as if it were held back for ever, so that another has to do its work.
    #[doc(hidden)]
    pub fn hold_tile_back(&mut self, tile: u32) {
        for step in &mut self.steps {
            if let StepAction::Dispatch(dispatch) = &mut step.action {
                let held = dispatch.constants.iter_mut().filter(|constant| **constant == (HELD_TILE, NO_TILE));
                held.for_each(|constant| constant.1 = tile);
            }
        }
    }
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}
