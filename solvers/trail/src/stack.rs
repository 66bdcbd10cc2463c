//! Stacks for searches that recurse once per edge of a trail.

use std::panic::resume_unwind;

use ikeru_core::sync::thread;
use ikeru_core::{Attempt, Search};

use crate::puzzle::Answer;

/// The largest number of edges for which the default stack of a thread is deep enough.
const ANY_THREAD: usize = 511;
/// Bytes of stack for each edge of a trail.
const STACK_PER_EDGE: usize = 2 << 10;

/// Bytes of stack that a search on a board of `edges` may need; `None` if the default stack is deep enough.
pub fn stack_bytes(edges: usize) -> Option<usize> {
    (edges > ANY_THREAD).then(|| (edges + 512) * STACK_PER_EDGE)
}

/// Runs a search, on a new thread with a deeper stack if the board needs one; `None` if that thread cannot be started.
pub fn with_stack<T: Send>(edges: usize, search: impl FnOnce() -> T + Send) -> Option<T> {
    let Some(bytes) = stack_bytes(edges) else {
        return Some(search());
    };
    let (mut search, mut found) = (Some(search), None);
    on_thread(bytes, &mut || {
        found = search.take().map(|search| search());
    });
    found
}

/// Calls `run` on a thread with a stack of `bytes`; does not call it if the thread cannot be started.
///
/// `run` is a trait object: there are 150 searches, and an instance of the thread code for each was a quarter of
/// this crate's code.
fn on_thread(bytes: usize, run: &mut (dyn FnMut() + Send)) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(bytes);
        if let Ok(thread) = thread.spawn_scoped(scope, run) {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// The attempt of a search whose stack could not be allocated.
pub fn without_stack(search: &mut Search) -> Attempt<Answer> {
    search.counters.add("memory_full", 1);
    Attempt::nothing()
}
