//! Stacks for searches that recurse once per edge of a trail.

use std::panic::resume_unwind;

use ikeru_core::{Attempt, Search};

use crate::puzzle::Answer;

/// Up to this number of edges the stack of any thread is deep enough.
const ANY_THREAD: usize = 511;
/// Stack for each edge of a trail.
const STACK_PER_EDGE: usize = 2 << 10;

/// Bytes of stack that a search on a board of `edges` may need; `None` where those of any thread are enough.
pub fn stack_bytes(edges: usize) -> Option<usize> {
    (edges > ANY_THREAD).then(|| (edges + 512) * STACK_PER_EDGE)
}

/// Runs a search, on a thread with a deeper stack where the board needs one. `None` if the system gives none.
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

/// Calls `run` on a thread with so much stack, unless the system gives none.
///
/// The type of `run` is hidden: there are 150 searches, and the machinery of a thread for each was a quarter of this
/// crate's code.
fn on_thread(bytes: usize, run: &mut (dyn FnMut() + Send)) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes);
        if let Ok(thread) = thread.spawn_scoped(scope, run) {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// The attempt of a search that found no memory for its stack.
pub fn without_stack(search: &mut Search) -> Attempt<Answer> {
    search.counters.add("memory_full", 1);
    Attempt::nothing()
}
