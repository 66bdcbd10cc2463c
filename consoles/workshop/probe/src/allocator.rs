//! Contains `unsafe`: the trait of allocators. Counts the live bytes of the heap and their maximum.
#![expect(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator with a count. The program has one thread, so loads and stores are enough. They cost two
/// instructions; on the oldest processors a read-modify-write operation would call the kernel.
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// Resets the maximum to the live bytes of the heap and returns them.
pub fn start() -> usize {
    let live = LIVE.load(Ordering::Relaxed);
    HIGHEST.store(live, Ordering::Relaxed);
    live
}

/// The maximum number of live bytes since [`start`].
pub fn highest() -> usize {
    HIGHEST.load(Ordering::Relaxed)
}

fn grow(bytes: usize) {
    let live = LIVE.load(Ordering::Relaxed).wrapping_add(bytes);
    LIVE.store(live, Ordering::Relaxed);
    if live > HIGHEST.load(Ordering::Relaxed) {
        HIGHEST.store(live, Ordering::Relaxed);
    }
}

fn shrink(bytes: usize) {
    let live = LIVE.load(Ordering::Relaxed).wrapping_sub(bytes);
    LIVE.store(live, Ordering::Relaxed);
}

// SAFETY: every call is the system allocator's; the counts touch no memory that is handed out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        shrink(layout.size());
        grow(bytes);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(memory, layout, bytes) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }
}
