//! One compaction: `glsl/compact/tiles.glsl` on the pieces of an array that descriptors reach.

use super::condition::MaskForm;
use super::planner::{EXCHANGE, Planner};
use super::rows::Rows;
use super::width::{Kind, Width};
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;
use crate::{Error, ScanStrategy};

/// Which elements are flagged (`FLAGS_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flags {
    Compare {
        wanted: u32,
        kind: Kind,
        value: [u32; 2],
    },
    Mask(MaskForm),
    Heads,
    NoBits([u32; 2]),
    /// What is not 0, and the first.
    Starts,
}

impl Flags {
    fn number(self) -> u32 {
        match self {
            Self::Compare { .. } => 0,
            Self::Mask(MaskForm::Words) => 1,
            Self::Mask(MaskForm::Bytes) => 2,
            Self::Heads => 3,
            Self::NoBits(_) => 4,
            Self::Starts => 5,
        }
    }

    fn options(self) -> u32 {
        match self {
            Self::Compare { wanted, kind, .. } => wanted << 12 | (kind as u32) << 8,
            _ => 0,
        }
    }

    fn value(self) -> [u32; 2] {
        match self {
            Self::Compare { value, .. } | Self::NoBits(value) => value,
            _ => [0; 2],
        }
    }
}

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The flagged elements.
    Elements,
    /// Their positions.
    Positions,
    /// Both; positions go to the second place.
    Both(Place),
    /// The flagged elements, and behind them the others.
    Partition,
    /// For each element the number of the last flagged one up to it.
    Numbers,
    /// Nothing but how many are flagged before each row, in scratch.
    Ranks,
}

impl Keep {
    fn options(self) -> u32 {
        const PARTITION: u32 = 2;
        const ELEMENTS: u32 = 4;
        const POSITIONS: u32 = 8;
        const NUMBERS: u32 = 16;
        match self {
            Self::Elements => ELEMENTS,
            Self::Positions => POSITIONS,
            Self::Both(_) => ELEMENTS | POSITIONS,
            Self::Partition => ELEMENTS | PARTITION,
            Self::Numbers => NUMBERS,
            Self::Ranks => 0,
        }
    }

    /// Bytes of a result at the output.
    fn size(self, width: Width) -> u64 {
        match self {
            Self::Positions | Self::Numbers => 4,
            _ => width.bytes(),
        }
    }

    /// Bytes of the widest result.
    fn widest(self, width: Width) -> u64 {
        match self {
            Self::Both(_) => self.size(width).max(4),
            _ => self.size(width),
        }
    }
}

/// One compaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) width: Width,
    /// Elements, at most.
    pub(super) len: u64,
    /// Whether the device has their number, in scratch.
    pub(super) counted: bool,
    pub(super) flags: Flags,
    pub(super) keep: Keep,
    /// Whether another pass behind this one gives the elements numbers ([`Keep::Numbers`]).
    pub(super) numbered: bool,
    pub(super) input: Place,
    /// Where the mask is, if there is one.
    pub(super) mask: Place,
    pub(super) output: Place,
    pub(super) strategy: Option<ScanStrategy>,
    /// Its rows, if each is treated by itself: positions count in the row, a row begins with a head, and a partition leaves elements in their row.
    pub(super) rows: Option<Rows>,
}

/// What a dispatch does (`STAGE_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Reduce = 0,
    Scan = 1,
    LookBack = 2,
    Known = 3,
}

/// Wide loads of an invocation in a tile (`UNROLL`).
const UNROLL: u64 = 4;

/// The most dispatches of a pass. 2^32 - 1 elements of 32 bits in descriptors of 128 MiB take 8513.
const MOST_DISPATCHES: usize = 1 << 15;

/// Elements that lie on multiples of whole words and wide loads in every buffer.
const PIECE_UNIT: u64 = 64;

/// The most tiles that one workgroup takes. Software drivers end the loops of an invocation after 65535 turns of all of them together, and a tile takes up to a hundred.
const MOST_TILES: u64 = 256;

/// The value of the constant that holds a tile back, where none is.
const NO_TILE: u32 = u32::MAX;

/// Words of scratch that every pass has: the count of elements, if the device has it, and how many are flagged.
pub(super) const COUNT_WORD: u64 = 0;
pub(super) const TOTAL_WORD: u64 = 1;
const STATUS_WORD: u64 = 4;

/// Neighbouring elements that descriptors reach.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u64,
    count: u64,
    group_base: u64,
    tiles: u64,
    groups: u64,
}

/// Results that descriptors reach.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: u64,
    end: u64,
}

/// How a pass is done.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    strategy: ScanStrategy,
    pieces: Vec<Piece>,
    windows: Vec<Window>,
    tiles: u64,
    group_tiles: u64,
    groups: u64,
    tile: u64,
    carries: u64,
    /// Where in scratch it stands how many are flagged before each row.
    ranks: u64,
    scratch_words: u64,
}

impl Layout {
    pub(super) fn scratch_bytes(&self) -> u64 {
        4 * self.scratch_words
    }

    /// How often elements are read.
    pub(super) fn reads(&self) -> u64 {
        if self.groups > 1 && self.strategy != ScanStrategy::SinglePass { 2 } else { 1 }
    }

    /// Where a pass in rows leaves how many are flagged before each, and in all, of its scratch.
    pub(super) fn ranks_of(&self, scratch: Place) -> Place {
        Place { offset: scratch.offset + 4 * self.ranks, ..scratch }
    }

    pub(super) fn words(&self) -> String {
        let Self { tiles, groups, group_tiles, tile, .. } = self;
        match self.strategy {
            ScanStrategy::SinglePass => format!("single pass over {tiles} tiles of {tile} elements, looking back"),
            _ if *groups == 1 => "one workgroup".into(),
            _ => format!("reduce, then scan: {groups} workgroups of {group_tiles} tiles of {tile} elements"),
        }
    }
}

/// Where a pass leaves how many elements are flagged, of its scratch.
pub(super) fn total_of(scratch: Place) -> Place {
    Place { offset: scratch.offset + 4 * TOTAL_WORD, ..scratch }
}

/// Where it finds how many elements there are.
pub(super) fn count_of(scratch: Place) -> Place {
    Place { offset: scratch.offset + 4 * COUNT_WORD, ..scratch }
}

impl Pass {
    /// How the pass is done.
    pub(super) fn layout(&self, planner: &Planner<'_>) -> Result<Layout, Error> {
        let bytes = self.len * self.width.bytes().max(self.keep.widest(self.width));
        planner.limits.check_reach("a selection", bytes)?;
        let tile = UNROLL * u64::from(planner.choice.workgroup_size) * self.width.per_wide_load();
        let tiles = self.len.div_ceil(tile);
        let lengths = (self.piece_length(planner, tile)?, self.window_length(planner)?);
        let is_whole = lengths.0 >= self.len && lengths.1 >= self.len;
        let strategy = self.strategy_of(planner, tiles, is_whole)?;
        let group_tiles = match strategy {
            ScanStrategy::OneWorkgroup => tiles,
            ScanStrategy::SinglePass => 1,
            ScanStrategy::ReduceThenScan => {
                let each = tiles.div_ceil(u64::from(planner.tuning.fill_workgroups).min(tiles));
                each.max(u64::from(planner.tuning.least_group_tiles)).min(MOST_TILES)
            }
        };
        let mut groups = 0;
        let pieces = blocks(self.len, lengths.0).map(|(first, count)| {
            let tiles = count.div_ceil(tile);
            let piece = Piece { first, count, group_base: groups, tiles, groups: tiles.div_ceil(group_tiles) };
            groups += piece.groups;
            piece
        });
        let pieces: Vec<Piece> = pieces.collect();
        let windows: Vec<Window> = blocks(self.len, lengths.1).map(|(first, count)| Window { first, end: first + count }).collect();
        // What a piece selects may lie in any part of the results before its end.
        if pieces.len() * windows.len() > MOST_DISPATCHES {
            return Err(planner.limits.out_of_reach(format!("a selection of {} elements in {} pieces", self.len, pieces.len())));
        }
        // Statuses, a ticket and a counter; then carries.
        let (carries, words) = match strategy {
            ScanStrategy::SinglePass => ((STATUS_WORD + tiles + 2).next_multiple_of(4), 2 * tiles),
            _ => (STATUS_WORD, if groups > 1 { groups } else { 0 }),
        };
        let ranks = carries + words;
        let scratch_words = ranks + self.rows.map_or(0, Rows::offsets);
        if let Some(rows) = self.rows.filter(|_| 4 * scratch_words > planner.limits.reach()) {
            return Err(planner.limits.out_of_reach(format!("scratch with a count for each of {} rows", rows.count)));
        }
        Ok(Layout { strategy, pieces, windows, tiles, group_tiles, groups, tile, carries, ranks, scratch_words })
    }

    /// Elements of a piece: all, or whole tiles if one is in reach.
    fn piece_length(&self, planner: &Planner<'_>, tile: u64) -> Result<u64, Error> {
        let limits = &planner.limits;
        let mut size = self.width.bytes();
        if let Flags::Mask(form) = self.flags {
            size = size.max(form.size());
        }
        if self.numbered {
            size = size.max(4);
        }
        // The last tile's end, too, has to be a number of 32 bits.
        if (self.len * size).next_multiple_of(4) <= limits.reach() && self.len + tile <= 1 << 32 {
            return Ok(self.len);
        }
        // A piece may begin behind where its binding does, by the elements of an alignment, and one more alignment for the element before it.
        let reach = limits.reach().saturating_sub(2 * limits.alignment()) / size;
        let unit = tile.min(PIECE_UNIT);
        if reach < unit {
            return Err(limits.out_of_reach(format!("a selection of {unit} elements at once")));
        }
        // Whole tiles, unless not even one is in reach.
        Ok(if reach < tile { reach - reach % unit } else { reach - reach % tile })
    }

    /// Results of a window: all, or as many as begin at a multiple of every alignment.
    fn window_length(&self, planner: &Planner<'_>) -> Result<u64, Error> {
        let limits = &planner.limits;
        let size = self.keep.widest(self.width);
        if (self.len * size).next_multiple_of(4) <= limits.reach() {
            return Ok(self.len);
        }
        let alignment = limits.alignment();
        let length = limits.reach() / size / alignment * alignment;
        if length == 0 {
            return Err(limits.out_of_reach(format!("a part of {alignment} results")));
        }
        Ok(length)
    }

    /// The strategy that was asked for, or the one that suits the device.
    fn strategy_of(&self, planner: &Planner<'_>, tiles: u64, is_whole: bool) -> Result<ScanStrategy, Error> {
        let obstacle = if self.keep == Keep::Partition && self.rows.is_none() {
            Some("how many elements are selected must be known before the others are moved")
        } else if !planner.may_look_back {
            Some("workgroups of this device cannot rely on what others write in the same dispatch")
        } else if !is_whole {
            Some("a descriptor of this device does not reach across the array")
        } else {
            None
        };
        match (self.strategy, obstacle) {
            (Some(ScanStrategy::SinglePass), Some(obstacle)) => Err(Error::StrategyUnavailable { strategy: "a single pass", obstacle }),
            (Some(ScanStrategy::OneWorkgroup), _) if tiles > MOST_TILES => {
                Err(Error::StrategyUnavailable { strategy: "one workgroup", obstacle: "it takes at most 256 tiles" })
            }
            (Some(strategy), _) => Ok(strategy),
            (None, _) if tiles <= u64::from(planner.tuning.one_workgroup_tiles) => Ok(ScanStrategy::OneWorkgroup),
            (None, None) if planner.tuning.look_back => Ok(ScanStrategy::SinglePass),
            (None, _) => Ok(ScanStrategy::ReduceThenScan),
        }
    }

    /// The steps; `scratch` has [`Layout::scratch_bytes`], and in it the count, if there is one.
    pub(super) fn record(&self, layout: &Layout, scratch: Place, planner: &mut Planner<'_>) -> Result<(), Error> {
        if layout.strategy == ScanStrategy::SinglePass {
            let cleared = StepRange { offset: scratch.offset + 4 * STATUS_WORD, size: 4 * (layout.tiles + 2) };
            planner.actions.push(StepAction::Fill { buffer: scratch.buffer, range: cleared, word: 0 });
            return self.steps(Stage::LookBack, self.rows.is_some(), layout, scratch, planner);
        }
        if layout.groups > 1 {
            for piece in &layout.pieces {
                self.step(Stage::Reduce, false, piece, layout.windows[0], layout, scratch, planner)?;
            }
        }
        self.steps(Stage::Scan, self.rows.is_some(), layout, scratch, planner)
    }

    /// [`Pass::record`] behind another pass over the same elements with the same flags, whose scratch is as it was left.
    pub(super) fn record_behind(&self, layout: &Layout, scratch: Place, planner: &mut Planner<'_>) -> Result<(), Error> {
        let stage = if layout.strategy == ScanStrategy::SinglePass { Stage::Known } else { Stage::Scan };
        self.steps(stage, false, layout, scratch, planner)
    }

    /// One dispatch for each piece and window that its results may fall into. The first of each piece leaves ranks, if they are wanted.
    fn steps(&self, stage: Stage, ranks: bool, layout: &Layout, scratch: Place, planner: &mut Planner<'_>) -> Result<(), Error> {
        for piece in &layout.pieces {
            if self.keep == Keep::Numbers {
                let window = Window { first: piece.first, end: piece.first + piece.count };
                self.step(stage, ranks, piece, window, layout, scratch, planner)?;
                continue;
            }
            let mut ranks = ranks;
            for window in layout.windows.iter().filter(|window| self.may_fall_into(piece, window)) {
                self.step(stage, ranks, piece, *window, layout, scratch, planner)?;
                ranks = false;
            }
        }
        Ok(())
    }

    /// Whether a piece may have results in a window.
    fn may_fall_into(&self, piece: &Piece, window: &Window) -> bool {
        let end = piece.first + piece.count;
        match (self.keep, self.rows) {
            (Keep::Ranks, _) => window.first == 0,
            (Keep::Partition, None) => true,
            // An element may go anywhere in its row.
            (Keep::Partition, Some(rows)) => window.first < rows.end_of(end) && window.end > rows.begin_of(piece.first),
            _ => window.first < end,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "what one dispatch differs in from another")]
    fn step(
        &self,
        stage: Stage,
        ranks: bool,
        piece: &Piece,
        window: Window,
        layout: &Layout,
        scratch: Place,
        planner: &mut Planner<'_>,
    ) -> Result<(), Error> {
        let limits = &planner.limits;
        // The element before the piece's first, too.
        let before = u64::from(piece.first > 0);
        let size = self.width.bytes();
        let (input, base) = limits.range(piece.first - before, piece.count + before, size);
        let input_first = u64::from(base) + before;
        let whole_scratch = scratch.bytes(StepRange::first(layout.scratch_bytes()));
        let (output, output_base) = limits.range(window.first, window.end - window.first, self.keep.size(self.width));
        let (positions, _) = limits.range(window.first, window.end - window.first, 4);
        let window_first = window.first - u64::from(output_base);
        // What a stage does not touch stands for nothing; another buffer of the dispatch fills the binding.
        let output = if stage == Stage::Reduce || self.keep == Keep::Ranks { whole_scratch } else { self.output.bytes(output) };
        let input = self.input.bytes(input);
        let (beside, mask_first) = match (self.flags, self.keep) {
            (Flags::Mask(form), _) => {
                let (range, base) = limits.range(piece.first, piece.count, form.size());
                (self.mask.bytes(range), base)
            }
            (Flags::Heads, Keep::Both(place)) if stage != Stage::Reduce => (place.bytes(positions), 0),
            (Flags::Heads, _) => (whole_scratch, 0),
            _ => (input, 0),
        };
        const RANKS: u32 = 32;
        let given = u32::from(self.counted) | if ranks { RANKS } else { 0 };
        let [value_low, value_high] = self.flags.value();
        macro_rules! tiles {
            ($kernel:ident) => {
                dispatch!(
                    compact::$kernel,
                    self.width.module(planner.choice.path),
                    shader::SpecializationConstants {
                        workgroup_size: planner.choice.workgroup_size,
                        stage: stage as u32,
                        flags: self.flags.number(),
                        exchange_slots: EXCHANGE.slots(&planner.choice),
                        staging_slots: self.width.staging_words() * planner.choice.workgroup_size,
                        rows: u32::from(self.rows.is_some()),
                        held_tile: NO_TILE,
                    },
                    shader::PushConstants {
                        elements: piece.count as u32,
                        first: piece.first as u32,
                        total: self.len as u32,
                        input_quad: (input_first / self.width.per_wide_load()) as u32,
                        tiles: piece.tiles as u32,
                        group_tiles: layout.group_tiles as u32,
                        groups: piece.groups as u32,
                        group_base: piece.group_base as u32,
                        all_groups: layout.groups as u32,
                        carries: layout.carries as u32,
                        count_word: COUNT_WORD as u32,
                        total_word: TOTAL_WORD as u32,
                        status: STATUS_WORD as u32,
                        ticket: (STATUS_WORD + layout.tiles) as u32,
                        fallbacks: (STATUS_WORD + layout.tiles + 1) as u32,
                        window_first: window_first as u32,
                        window_end: window.end as u32,
                        mask_first,
                        options: self.flags.options() | self.keep.options() | given,
                        value_low,
                        value_high,
                        row_length: self.rows.map_or(0, |rows| rows.length) as u32,
                        row_ranks: layout.ranks as u32,
                    },
                    limits.fold(piece.groups)?,
                    vec![input, output, whole_scratch, beside]
                )
            };
        }
        let action = if self.flags == Flags::Heads { tiles!(runs) } else { tiles!(select) };
        planner.actions.push(action);
        Ok(())
    }
}
