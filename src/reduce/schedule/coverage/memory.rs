//! The buffers of a reduction as a ledger: who read which element, which state stands in which slot, what became of each result.

use super::super::ReduceSchedule;
use crate::layout::Layout;
use crate::schedule::StepRange;

/// What a state stands for: some of one result's elements. Two tags' sums are equal only if the elements are (but for a chance of 2^-64).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    result: Option<u64>,
    elements: u64,
    tags: u64,
}

impl Part {
    fn of(result: u64, element: u64) -> Self {
        Self { result: Some(result), elements: 1, tags: tag(element) }
    }

    pub(super) fn combine(self, other: Self) -> Self {
        assert!(
            self.result.is_none() || other.result.is_none() || self.result == other.result,
            "states of results {:?} and {:?} are combined",
            self.result,
            other.result
        );
        let result = self.result.or(other.result);
        Self { result, elements: self.elements + other.elements, tags: self.tags.wrapping_add(other.tags) }
    }
}

/// The bits of a number, well mixed.
fn tag(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The step that stores or loads.
pub(super) type StepNumber = usize;

pub(super) struct Memory<'a> {
    schedule: &'a ReduceSchedule,
    /// Where elements lie; `count` is the most there can be along the axis.
    layout: Layout,
    /// What the device counted, which may be more.
    counted: u32,
    state_words: u64,
    /// How often each element was read.
    read: Vec<u32>,
    results: Vec<Option<Part>>,
    counters: Vec<u32>,
    /// States in scratch, and the steps that stored them.
    slots: Vec<Option<(Part, StepNumber)>>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(schedule: &'a ReduceSchedule, layout: Layout, state_words: u32, counted: u32) -> Self {
        Self {
            schedule,
            layout,
            counted,
            state_words: u64::from(state_words),
            read: vec![0; layout.elements() as usize],
            results: vec![None; layout.results() as usize],
            counters: vec![0; (schedule.counter_bytes / 4) as usize],
            slots: vec![None; (schedule.scratch_bytes / 4 / u64::from(state_words)) as usize],
        }
    }

    pub(super) fn element_size(&self) -> u64 {
        self.schedule.reduce.dtype.size()
    }

    fn place(&self, range: Option<StepRange>, index: u32) -> u64 {
        let range = range.expect("an element is read through a range that is not there");
        let size = self.element_size();
        assert!((u64::from(index) + 1) * size <= range.size, "element {index} lies outside {range:?}");
        assert!(range.offset.is_multiple_of(size));
        range.offset / size + u64::from(index)
    }

    /// Elements along the axis.
    fn length(&self) -> u64 {
        if self.schedule.reduce.counted { self.layout.count.min(u64::from(self.counted)) } else { self.layout.count }
    }

    /// Reads the count from a word of scratch.
    pub(super) fn count(&self, word: u32) -> u32 {
        assert_eq!(self.schedule.count_offset, Some(4 * u64::from(word)), "the count is read at word {word}");
        self.counted
    }

    /// Reads element `index` of a bound range, which the kernel takes to lie at `axis_index` along the axis.
    pub(super) fn element(&mut self, range: Option<StepRange>, index: u32, axis_index: u32) -> Part {
        let element = self.place(range, index);
        let Layout { count, inner, .. } = self.layout;
        assert_eq!(element / inner % count, u64::from(axis_index), "the axis index of element {element}");
        assert!(u64::from(axis_index) < self.length(), "element {element} lies past the {} that were counted", self.length());
        self.read[element as usize] += 1;
        Part::of(element / (count * inner) * inner + element % inner, element)
    }

    /// Elements of a wide load.
    pub(super) fn per_quad(&self) -> u32 {
        self.schedule.reduce.dtype.per_wide_load() as u32
    }

    /// A wide load: its elements, of which the first is taken to lie at `axis_index`.
    pub(super) fn quad(&mut self, range: Option<StepRange>, quad: u32, axis_index: u32) -> Part {
        assert!(
            range.is_some_and(|range| (u64::from(quad) + 1) * u64::from(self.per_quad()) * self.element_size() <= range.size),
            "quad {quad} lies outside {range:?}"
        );
        let per_quad = self.per_quad();
        (0..per_quad).fold(Part::default(), |part, k| part.combine(self.element(range, quad * per_quad + k, axis_index + k)))
    }

    /// Reads a pivot: the element at axis index 0 of the result that an invocation works on, or of any if it idles.
    pub(super) fn pivot(&self, range: Option<StepRange>, index: u32, result: Option<u64>) {
        let element = self.place(range, index);
        let Layout { count, inner, .. } = self.layout;
        assert_eq!(element / inner % count, 0, "the pivot {element} does not lie at axis index 0");
        if let Some(result) = result {
            assert_eq!(element / (count * inner) * inner + element % inner, result, "the pivot of result {result}");
        }
    }

    /// The number of the result that lies at `index` of a bound range.
    pub(super) fn result_number(&self, range: StepRange, index: u32) -> u64 {
        let size = self.schedule.result_dtype.size();
        assert!((u64::from(index) + 1) * size <= range.size, "result {index} lies outside {range:?}");
        assert!(range.offset.is_multiple_of(size));
        range.offset / size + u64::from(index)
    }

    pub(super) fn store_result(&mut self, range: StepRange, index: u32, part: Part) {
        let result = self.result_number(range, index);
        let before = self.results[result as usize].replace(part);
        assert_eq!(before, None, "result {result} is written again");
    }

    fn slot(&self, base: u32, index: u32) -> usize {
        let begin = self.schedule.count_offset.map_or(self.schedule.counter_bytes, |offset| offset + 4);
        assert!(u64::from(base) * 4 >= begin, "states from word {base} on overlap what ends at byte {begin}");
        let end = 4 * (u64::from(base) + (u64::from(index) + 1) * self.state_words);
        assert!(end <= self.schedule.scratch_bytes, "state {index} ends at byte {end} of {} of scratch", self.schedule.scratch_bytes);
        index as usize
    }

    pub(super) fn store_partial(&mut self, base: u32, index: u32, part: Part, step: StepNumber) {
        let slot = self.slot(base, index);
        let before = self.slots[slot].replace((part, step));
        assert_eq!(before, None, "slot {slot} is written before what stands there was combined");
    }

    /// Loads a state, once. One of the same step may be loaded only by a workgroup that has seen the others arrive.
    pub(super) fn load_partial(&mut self, base: u32, index: u32, step: StepNumber, arrived: bool) -> Part {
        let slot = self.slot(base, index);
        let Some((part, stored)) = self.slots[slot].take() else { panic!("slot {slot} is combined, and nothing stands there") };
        assert_eq!(stored == step, arrived, "slot {slot} was stored by step {stored} and is combined by step {step}");
        part
    }

    /// Counts an arrival; whether it is the last.
    pub(super) fn arrive(&mut self, counter: u32, arrivals: u32) -> bool {
        let arrived = self.counters.get_mut(counter as usize).expect("a counter lies outside those that were zeroed");
        *arrived += 1;
        let last = *arrived == arrivals;
        if last {
            *arrived = 0;
        }
        last
    }

    /// What must hold when all steps are done.
    pub(super) fn check(&self) {
        let Layout { outer, count, inner } = self.layout;
        for (element, times) in self.read.iter().enumerate() {
            let there = element as u64 / inner % count.max(1) < self.length();
            assert_eq!(*times, u32::from(there), "element {element} was read {times} times");
        }
        for (result, part) in self.results.iter().enumerate() {
            let part = part.unwrap_or_else(|| panic!("result {result} was not written"));
            let (o, j) = (result as u64 / inner, result as u64 % inner);
            let whole =
                (0..self.length()).fold(Part::default(), |sum, i| sum.combine(Part::of(result as u64, (o * count + i) * inner + j)));
            assert_eq!(part, whole, "result {result} of {outer} × {inner}");
        }
        assert!(self.counters.iter().all(|&counter| counter == 0), "a counter is left at {:?}", self.counters);
        assert!(self.slots.iter().all(Option::is_none), "a state was stored and never combined");
    }
}
