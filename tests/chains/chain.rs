//! A chain in the making: the kernels, the arrays that they leave, and what the CPU twins say is in them.

use std::fmt::Write;

use libtest_mimic::Failed;
use wavelane::{DType, MOST_BUFFERS};
use wavelane_reference::Values;

use super::arena::Arena;
use super::data::{Random, element};
use super::planned::Planned;

/// An array on the device.
#[derive(Clone)]
pub struct Array {
    pub slot: usize,
    pub dtype: DType,
    /// The elements that count.
    pub live: Values,
    /// How many there can be at most, as far as the host knows.
    pub capacity: usize,
    /// The count that says how many there are, if the device has it.
    pub count: Option<usize>,
    /// Whether no kernel made it.
    is_uploaded: bool,
    /// Whether its slot has another array by now.
    lost: bool,
}

impl Array {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    pub fn is_counted(&self) -> bool {
        self.count.is_some()
    }

    /// Whether elements can be compared by their bits: no kernel says which bits a NaN has that it gives.
    pub fn has_known_bits(&self) -> bool {
        self.is_uploaded || !self.live.element().is_float() || !self.live.to_f64().iter().any(|x| x.is_nan())
    }
}

/// How an array came to be, in the words of a chain.
const UPLOADED: &str = "uploaded";

/// A count on the device.
#[derive(Clone, Copy)]
pub struct Count {
    pub slot: usize,
    pub value: u32,
}

/// A kernel, and the slots that it is bound to. Scratch is one for all.
pub struct Step {
    pub planned: Planned,
    pub slots: [Option<usize>; MOST_BUFFERS],
}

pub struct Chain {
    pub arena: Arena,
    pub arrays: Vec<Array>,
    pub counts: Vec<Count>,
    pub steps: Vec<Step>,
    /// What the next kernel takes: the output of the last one.
    pub current: usize,
    /// The chain in words, a line for each array and kernel.
    pub words: String,
}

impl Chain {
    pub fn new(arena: Arena) -> Self {
        Self { arena, arrays: Vec::new(), counts: Vec::new(), steps: Vec::new(), current: 0, words: String::new() }
    }

    /// The array that the next kernel takes.
    pub fn input(&self) -> Array {
        self.arrays[self.current].clone()
    }

    /// The slot of an array's count.
    pub fn count_slot(&self, array: &Array) -> usize {
        // Kernels that are not counted have no use for it.
        array.count.map_or(array.slot, |count| self.counts[count].slot)
    }

    /// An array that is there from the start.
    pub fn upload(&mut self, dtype: DType, values: Values) -> usize {
        let slot = self.arena.upload(&values.to_bytes(), 0);
        let capacity = values.len();
        self.array(slot, dtype, values, capacity, None, UPLOADED)
    }

    /// An array that is there from the start, and a count that says how many of its elements there are.
    pub fn upload_counted(&mut self, dtype: DType, values: Values, value: u32) -> usize {
        let slot = self.arena.upload(&values.to_bytes(), 0);
        let count_slot = self.arena.upload(&value.to_ne_bytes(), 0);
        self.counts.push(Count { slot: count_slot, value });
        let capacity = values.len();
        let live = values.take(0..capacity.min(value as usize));
        self.array(slot, dtype, live, capacity, Some(self.counts.len() - 1), UPLOADED)
    }

    fn array(&mut self, slot: usize, dtype: DType, live: Values, capacity: usize, count: Option<usize>, how: &str) -> usize {
        for other in self.arrays.iter_mut().filter(|other| other.slot == slot) {
            other.lost = true;
        }
        let number = self.arrays.len();
        let counted = count.map_or_else(String::new, |count| format!(", count {count} is {}", self.counts[count].value));
        let _ = writeln!(self.words, "    array {number}: {} of {capacity} {dtype} {how} in slot {slot}{counted}", live.len());
        self.arrays.push(Array { slot, dtype, live, capacity, count, is_uploaded: how == UPLOADED, lost: false });
        number
    }

    /// A slot for results: a new one, or that of an array which none of this kernel's arguments is.
    pub fn room(&mut self, bytes: u64, arguments: &[usize], random: &mut Random) -> usize {
        if random.one_in(3) {
            let is_free = |array: &&Array| !arguments.contains(&array.slot) && self.arena.slots[array.slot].size >= bytes;
            let free: Vec<usize> = self.arrays.iter().filter(is_free).map(|array| array.slot).collect();
            if !free.is_empty() {
                return random.pick(&free);
            }
        }
        self.arena.slot(bytes)
    }

    /// A slot for so many results of a type.
    pub fn room_for(&mut self, dtype: DType, count: usize, arguments: &[usize], random: &mut Random) -> usize {
        self.room(count as u64 * dtype.size(), arguments, random)
    }

    /// A kernel with the slots of its bindings, by name.
    pub fn push(&mut self, planned: Planned, named: &[(&str, usize)]) -> Result<(), Failed> {
        let mut slots = [None; MOST_BUFFERS];
        let mut bound = String::new();
        for (to, need) in slots.iter_mut().zip(&planned.needs).filter(|(_, need)| need.bytes > 0 && !need.is_scratch) {
            let known = named.iter().find(|(name, _)| *name == need.name);
            let &(name, slot) = known.ok_or_else(|| format!("{}: nothing to bind to {}", planned.words, need.name))?;
            let _ = write!(bound, " {name} {slot}");
            *to = Some(slot);
        }
        let _ = writeln!(self.words, "  {}. {}\n    slots:{bound}", self.steps.len() + 1, planned.words);
        self.steps.push(Step { planned, slots });
        Ok(())
    }

    /// What the last kernel has left in a slot.
    pub fn result(&mut self, slot: usize, dtype: DType, live: Values, capacity: usize, count: Option<usize>) -> Result<usize, Failed> {
        if live.element() != element(dtype) || live.len() > capacity {
            return Err(format!("the twin gave {} {:?} for {capacity} {dtype}", live.len(), live.element()).into());
        }
        self.current = self.array(slot, dtype, live, capacity, count, "left");
        Ok(self.current)
    }

    /// A count that the last kernel has left in a slot.
    pub fn counted(&mut self, slot: usize, value: usize) -> usize {
        self.counts.push(Count { slot, value: value as u32 });
        self.counts.len() - 1
    }

    /// An array that is still there and not in one of these slots, of a type and as many elements as another, of which `fits` holds.
    pub fn beside(
        &self,
        dtype: DType,
        (len, capacity): (usize, usize),
        but: &[usize],
        random: &mut Random,
        fits: impl Fn(&Values) -> bool,
    ) -> Option<Array> {
        let is_large = |array: &Array| array.len() >= len && array.capacity >= capacity;
        let is_good = |array: &&Array| {
            let is_there = !array.lost && array.dtype == dtype && !but.contains(&array.slot);
            is_there && is_large(array) && array.has_known_bits() && fits(&array.live.take(0..len))
        };
        let good: Vec<&Array> = self.arrays.iter().filter(is_good).collect();
        (!good.is_empty()).then(|| random.pick(&good).clone())
    }

    /// Such an array, or as often as not a new one with `make` in it.
    pub fn beside_or(
        &mut self,
        dtype: DType,
        (len, capacity): (usize, usize),
        but: &[usize],
        random: &mut Random,
        make: impl FnOnce(&mut Random) -> Values,
    ) -> Array {
        let found = if random.one_in(4) { None } else { self.beside(dtype, (len, capacity), but, random, |_| true) };
        found.unwrap_or_else(|| {
            let values = make(random);
            let at = self.upload(dtype, values);
            self.arrays[at].clone()
        })
    }

    /// The arrays that are still there.
    pub fn kept(&self) -> impl Iterator<Item = (usize, &Array)> {
        self.arrays.iter().enumerate().filter(|(_, array)| !array.lost)
    }
}
