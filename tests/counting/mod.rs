//! The system's allocator, counting what each thread allocates. It sees Rust's allocations; a driver's own `malloc` goes past it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// To be made the test's `#[global_allocator]`.
pub struct Counting;

thread_local! {
    /// Without a destructor, so that counting allocates nothing itself.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is done by the system's allocator; counting has no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}
