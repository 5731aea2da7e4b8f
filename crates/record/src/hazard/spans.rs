//! A map from byte ranges to what is known of them.

/// A range of bytes, up to and without `end`, and where its value is.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    end: u64,
    slot: usize,
}

/// Values of byte ranges that do not overlap; neighbours with equal values are one range. Bytes that nothing is known of have none.
///
/// Ranges are kept in a sorted list with small entries, and the values beside it: finding one takes a binary search, and making room for one
/// moves only the entries. What was removed is used again, so that nothing is allocated once the lists have grown to their size.
#[derive(Debug)]
pub(super) struct Spans<T> {
    list: Vec<Span>,
    values: Vec<T>,
    free: Vec<usize>,
}

impl<T: Copy + PartialEq> Spans<T> {
    pub(super) const fn new() -> Self {
        Self { list: Vec::new(), values: Vec::new(), free: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.values.clear();
        self.free.clear();
    }

    /// The parts of a range that something is known of, in their order, with what is known.
    pub(super) fn overlapping(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, &T)> {
        let first = self.first_ending_after(start);
        self.list[first..]
            .iter()
            .take_while(move |span| start < end && span.start < end)
            .map(move |span| (span.start.max(start), span.end.min(end), &self.values[span.slot]))
    }

    /// Changes everything that is known.
    pub(super) fn change_all(&mut self, change: impl FnMut(&mut T)) {
        self.change(0, u64::MAX, change);
    }

    /// Changes what is known of the bytes of a range, and leaves those alone that nothing is known of.
    pub(super) fn change(&mut self, start: u64, end: u64, mut change: impl FnMut(&mut T)) {
        let (first, last) = self.cut(start, end);
        for span in &self.list[first..last] {
            change(&mut self.values[span.slot]);
        }
        self.join(first, last);
    }

    /// Changes what is known of the bytes of a range, beginning with `unknown` for those that nothing is known of.
    pub(super) fn change_or_insert(&mut self, start: u64, end: u64, unknown: T, change: impl FnMut(&mut T)) {
        let (mut at, _) = self.cut(start, end);
        let mut position = start;
        while position < end {
            match self.list.get(at) {
                Some(span) if span.start == position => position = span.end,
                next => {
                    let gap = next.map_or(end, |span| span.start.min(end));
                    let slot = self.store(unknown);
                    self.list.insert(at, Span { start: position, end: gap, slot });
                    position = gap;
                }
            }
            at += 1;
        }
        self.change(start, end, change);
    }

    /// Sets what is known of all bytes of a range.
    pub(super) fn set(&mut self, start: u64, end: u64, value: T) {
        if start >= end {
            return;
        }
        let first = self.remove(start, end);
        let slot = self.store(value);
        self.list.insert(first, Span { start, end, slot });
        self.join(first, first + 1);
    }

    /// Forgets what is known of a range. Returns where in the list it was.
    pub(super) fn remove(&mut self, start: u64, end: u64) -> usize {
        let (first, last) = self.cut(start, end);
        self.free.extend(self.list.drain(first..last).map(|span| span.slot));
        first
    }

    fn store(&mut self, value: T) -> usize {
        match self.free.pop() {
            Some(slot) => {
                self.values[slot] = value;
                slot
            }
            None => {
                self.values.push(value);
                self.values.len() - 1
            }
        }
    }

    fn first_ending_after(&self, position: u64) -> usize {
        self.list.partition_point(|span| span.end <= position)
    }

    /// Cuts spans at both ends of a range, and returns which ones lie in it.
    fn cut(&mut self, start: u64, end: u64) -> (usize, usize) {
        if start >= end {
            let at = self.first_ending_after(start);
            return (at, at);
        }
        self.cut_at(start);
        self.cut_at(end);
        let first = self.first_ending_after(start);
        let last = first + self.list[first..].partition_point(|span| span.start < end);
        (first, last)
    }

    fn cut_at(&mut self, position: u64) {
        let at = self.first_ending_after(position);
        if let Some(&span) = self.list.get(at)
            && span.start < position
        {
            let slot = self.store(self.values[span.slot]);
            self.list[at].end = position;
            self.list.insert(at + 1, Span { start: position, slot, ..span });
        }
    }

    /// Joins neighbours with equal values among the spans `first..last` and the ones beside them.
    fn join(&mut self, first: usize, last: usize) {
        let (first, last) = (first.saturating_sub(1), (last + 1).min(self.list.len()));
        if first >= last {
            return;
        }
        let mut kept = first;
        for at in first + 1..last {
            let (before, span) = (self.list[kept], self.list[at]);
            if before.end == span.start && self.values[before.slot] == self.values[span.slot] {
                self.list[kept].end = span.end;
                self.free.push(span.slot);
            } else {
                kept += 1;
                self.list[kept] = span;
            }
        }
        self.list.drain(kept + 1..last);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(spans: &Spans<u8>) -> Vec<(u64, u64, u8)> {
        spans.overlapping(0, u64::MAX).map(|(start, end, &value)| (start, end, value)).collect()
    }

    #[test]
    fn equal_neighbours_are_one_span() {
        let mut spans = Spans::new();
        spans.set(0, 4, 1);
        spans.set(8, 12, 1);
        spans.set(4, 8, 1);
        assert_eq!(known(&spans), [(0, 12, 1)]);
        spans.change(4, 8, |value| *value = 2);
        assert_eq!(known(&spans), [(0, 4, 1), (4, 8, 2), (8, 12, 1)]);
        spans.change_all(|value| *value = 3);
        assert_eq!(known(&spans), [(0, 12, 3)]);
        spans.remove(3, 5);
        spans.change_or_insert(2, 6, 7, |value| *value += 1);
        assert_eq!(known(&spans), [(0, 2, 3), (2, 3, 4), (3, 5, 8), (5, 6, 4), (6, 12, 3)]);
        assert_eq!(spans.overlapping(1, 4).map(|(start, end, _)| (start, end)).collect::<Vec<_>>(), [(1, 2), (2, 3), (3, 4)]);
    }

    #[test]
    fn the_ends_of_the_range_of_addresses_are_no_exception() {
        let mut spans = Spans::new();
        spans.set(u64::MAX - 4, u64::MAX, 1);
        spans.set(0, 4, 2);
        spans.set(5, 5, 3);
        spans.change_or_insert(9, 9, 3, |value| *value = 4);
        assert_eq!(known(&spans), [(0, 4, 2), (u64::MAX - 4, u64::MAX, 1)]);
    }

    proptest! {
        #[test]
        fn spans_are_what_an_array_of_bytes_is(operations in prop::collection::vec((0..5u8, 0..24u64, 0..24u64, 0..3u8), 0..40)) {
            let mut spans = Spans::new();
            let mut bytes = [None; 24];
            for (operation, a, b, value) in operations {
                let (start, end) = (a.min(b), a.max(b));
                let range = start as usize..end as usize;
                match operation {
                    0 => {
                        spans.set(start, end, value);
                        bytes[range].fill(Some(value));
                    }
                    1 => {
                        spans.change(start, end, |known| *known = (*known + value) % 3);
                        bytes[range].iter_mut().flatten().for_each(|known| *known = (*known + value) % 3);
                    }
                    2 => {
                        spans.change_or_insert(start, end, 2, |known| *known = (*known + value) % 3);
                        bytes[range].iter_mut().for_each(|known| *known = Some((known.unwrap_or(2) + value) % 3));
                    }
                    3 => {
                        spans.remove(start, end);
                        bytes[range].fill(None);
                    }
                    _ => {
                        spans.change_all(|known| *known = value);
                        bytes.iter_mut().flatten().for_each(|known| *known = value);
                    }
                }
                let mut expected: Vec<(u64, u64, u8)> = Vec::new();
                for (at, value) in (0..).zip(bytes) {
                    match (value, expected.last_mut()) {
                        (Some(value), Some(last)) if last.1 == at && last.2 == value => last.1 = at + 1,
                        (Some(value), _) => expected.push((at, at + 1, value)),
                        (None, _) => {}
                    }
                }
                prop_assert_eq!(known(&spans), expected);
                // Nothing leaks: what is not used is free.
                prop_assert_eq!(spans.values.len(), spans.list.len() + spans.free.len());
            }
        }
    }
}
