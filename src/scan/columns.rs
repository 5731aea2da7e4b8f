//! Along an axis that is not the last: `glsl/scan/columns.comp`.

use super::work::{OUTPUT, Planner, SCRATCH};
use crate::Error;
use crate::schedule::dispatch;
use crate::split::blocks;

/// What a dispatch does (`STAGE_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Reduce = 0,
    ReduceStates = 1,
    ScanStates = 2,
    Scan = 3,
}

/// Rows of a chunk at least, and of a chunk of states.
const LEAST_ROWS: u64 = 32;
const ROWS_OF_STATES: u64 = 32;

/// Rows of a chunk at most: llvmpipe leaves its loops after 65535 rounds in all.
const MOST_ROWS: u64 = 1 << 16;

/// The most states of a column that one invocation scans.
const MOST_STATES: u64 = 64;

/// The most invocations of a dispatch: their numbers fit 32 bits, the padding of folded workgroups included.
const MOST_ITEMS: u64 = 1 << 31;

/// Rows of elements or states, cut into chunks that an invocation takes of a column each.
#[derive(Clone, Copy, Debug)]
struct Level {
    rows: u64,
    chunk_rows: u64,
    chunks: u64,
    /// Words where the states of its rows, and of its chunks, begin in scratch.
    states: u64,
    above: u64,
}

impl Planner<'_> {
    pub(super) fn columns(&mut self) -> Result<(), Error> {
        let layout = self.work.layout;
        let pieces = self.slabs_and_rows()?;
        let levels = self.levels(pieces.most_rows);
        let count_word = self.scratch_words;
        self.scratch_words += u64::from(self.counted());
        self.take_count(count_word);
        let several = levels[0].chunks > 1;
        self.reads = 1 + u64::from(several);
        if several {
            for &(first, chunks) in &pieces.runs(&levels[0], layout.outer) {
                self.columns_step(Stage::Reduce, &levels[0], (first, chunks), count_word)?;
            }
            for level in &levels[1..] {
                if level.chunks > 1 {
                    self.columns_step(Stage::ReduceStates, level, (0, layout.outer * level.chunks), count_word)?;
                }
            }
            for level in levels[1..].iter().rev() {
                self.columns_step(Stage::ScanStates, level, (0, layout.outer * level.chunks), count_word)?;
            }
        }
        for &(first, chunks) in &pieces.runs(&levels[0], layout.outer) {
            self.columns_step(Stage::Scan, &levels[0], (first, chunks), count_word)?;
        }
        let Level { chunk_rows, chunks, .. } = levels[0];
        self.strategy = match chunks {
            1 => "one invocation a column".into(),
            _ => format!("{chunks} chunks of {chunk_rows} rows a column, their states in {} levels", levels.len() - 1),
        };
        Ok(())
    }

    /// How much of the array descriptors reach.
    fn slabs_and_rows(&self) -> Result<Reach, Error> {
        let (work, layout) = (self.work, self.work.layout);
        let elements = layout.elements();
        let reach = self.limits.capacity(elements, work.dtype.size()).min(self.limits.capacity(elements, work.variant.result.size()));
        let most_rows = (reach / layout.inner).min(MOST_ITEMS);
        if most_rows == 0 {
            return Err(self.limits.out_of_reach(format!("a scan across rows of {} elements", layout.inner)));
        }
        Ok(Reach { most_rows, slab_rows: layout.count })
    }

    /// The levels, elements first. The last one's chunks are whole columns.
    fn levels(&mut self, most_rows: u64) -> Vec<Level> {
        let layout = self.work.layout;
        let lines = layout.outer * layout.inner;
        let invocations = u64::from(self.tuning.fill_workgroups) * u64::from(self.choice.workgroup_size);
        let state_words = u64::from(self.work.variant.state.words());
        // So many chunks that there is work for all; one, where the columns are enough.
        let wanted = invocations.div_ceil(lines);
        let rows = layout.count;
        let chunk_rows = rows.div_ceil(wanted).max(LEAST_ROWS).min(most_rows).min(MOST_ROWS).min(rows);
        let mut levels = vec![Level { rows, chunk_rows, chunks: rows.div_ceil(chunk_rows), states: 0, above: 0 }];
        while let Some(&last) = levels.last()
            && last.chunks > 1
        {
            let above = self.scratch_words;
            self.scratch_words += last.chunks * lines * state_words;
            self.scratch_traffic += 2 * last.chunks * lines * state_words;
            if let Some(last) = levels.last_mut() {
                last.above = above;
            }
            let rows = last.chunks;
            let chunk_rows = if rows > MOST_STATES { ROWS_OF_STATES } else { rows };
            levels.push(Level { rows, chunk_rows, chunks: rows.div_ceil(chunk_rows), states: above, above: 0 });
        }
        levels
    }

    /// One dispatch over `chunks` chunks from the `first` on, counted through all slabs.
    fn columns_step(&mut self, stage: Stage, level: &Level, (first, chunks): (u64, u64), count_word: u64) -> Result<(), Error> {
        let (work, layout) = (self.work, self.work.layout);
        let of_elements = matches!(stage, Stage::Reduce | Stage::Scan);
        let (begin, rows) = if of_elements { self.rows_of(level, first, chunks) } else { (0, layout.outer * layout.count) };
        let elements = rows * layout.inner;
        let scratch = (SCRATCH, self.scratch());
        let (input, input_base) = self.limits.range(begin * layout.inner, elements, work.dtype.size());
        let (output, output_base) = self.limits.range(begin * layout.inner, elements, work.variant.result.size());
        let source = (self.source(), input);
        let output = (OUTPUT, output);
        // What a stage does not touch stands for nothing; another buffer of the dispatch fills the binding.
        let bindings = match stage {
            Stage::Reduce => vec![source, scratch, scratch],
            Stage::ReduceStates | Stage::ScanStates => vec![scratch; 3],
            Stage::Scan => vec![source, output, if self.scratch_words > 0 { scratch } else { output }],
        };
        let [initial_low, initial_high] = work.initial_words();
        let (item_base, items) = (first * layout.inner, chunks * layout.inner);
        for (offset, items) in blocks(items, MOST_ITEMS) {
            let action = dispatch!(
                scan::columns,
                work.module_of_state(),
                shader::SpecializationConstants {
                    workgroup_size: self.choice.workgroup_size,
                    operator: work.op.shader_number(),
                    key_kind: work.variant.key as u32,
                    stage: stage as u32,
                    reverse: u32::from(work.reverse),
                    counted: u32::from(self.counted()),
                    element_bits: work.dtype.bits(),
                    element_signed: work.dtype.signed_constant(),
                },
                shader::PushConstants {
                    items: items as u32,
                    item_base: (item_base + offset) as u32,
                    columns: layout.inner as u32,
                    rows: level.rows as u32,
                    chunk_rows: level.chunk_rows as u32,
                    chunks: level.chunks as u32,
                    input_first: (begin * layout.inner - u64::from(input_base)) as u32,
                    output_first: (begin * layout.inner - u64::from(output_base)) as u32,
                    states: level.states as u32,
                    above: level.above as u32,
                    above_slots: if level.chunks > 1 { level.chunks as u32 } else { 0 },
                    count_word: count_word as u32,
                    options: work.options(),
                    initial_low,
                    initial_high,
                },
                self.limits.fold(items.div_ceil(u64::from(self.choice.workgroup_size)))?,
                bindings.clone()
            );
            self.actions.push(action);
        }
        Ok(())
    }

    /// The rows of memory, counted through all slabs, that a run of chunks covers: their first, and how many.
    fn rows_of(&self, level: &Level, first: u64, chunks: u64) -> (u64, u64) {
        let (slab, chunk) = (first / level.chunks, first % level.chunks);
        if chunks.is_multiple_of(level.chunks) && chunk == 0 {
            return (slab * level.rows, chunks / level.chunks * level.rows);
        }
        // Within a slab.
        let begin = chunk * level.chunk_rows;
        let end = (begin + chunks * level.chunk_rows).min(level.rows);
        let begin_in_memory = if self.work.reverse { level.rows - end } else { begin };
        (slab * level.rows + begin_in_memory, end - begin)
    }
}

/// What descriptors reach of a tall array.
struct Reach {
    /// Rows at once.
    most_rows: u64,
    /// Rows of a slab.
    slab_rows: u64,
}

impl Reach {
    /// Runs of chunks that each lie within what descriptors reach: whole slabs, or parts of one. First chunk, and how many.
    fn runs(&self, level: &Level, slabs: u64) -> Vec<(u64, u64)> {
        let slabs_at_once = self.most_rows / self.slab_rows;
        if slabs_at_once > 0 {
            return blocks(slabs, slabs_at_once).map(|(slab, slabs)| (slab * level.chunks, slabs * level.chunks)).collect();
        }
        let chunks_at_once = (self.most_rows / level.chunk_rows).max(1);
        let of_slab = |slab| blocks(level.chunks, chunks_at_once).map(move |(chunk, chunks)| (slab * level.chunks + chunk, chunks));
        (0..slabs).flat_map(of_slab).collect()
    }
}
