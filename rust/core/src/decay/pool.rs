//! How work over rows is split among the threads of the private pool.

use std::sync::OnceLock;

use crate::pool::pool;

/// Below this many rows a kernel is over before a second thread has woken up.
const ROWS_PER_THREAD: usize = 32_768;

/// How many threads to use for `work` items, given the caller's wish (None: one for each processor).
fn threads_for(work: usize, wish: Option<usize>) -> usize {
    let useful = work / ROWS_PER_THREAD + 1;
    if useful == 1 {
        return 1;
    }
    // Asking for the processors reads files, which takes longer than a small column.
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = || *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    wish.unwrap_or_else(cores).min(useful).max(1)
}

/// Runs `task` with `Some(threads)` inside the pool, or with None on this thread where the work is small.
pub fn with_threads<R: Send>(work: usize, wish: Option<usize>, task: impl FnOnce(Option<usize>) -> R + Send) -> R {
    match threads_for(work, wish) {
        1 => task(None),
        threads => match pool(threads) {
            Some(pool) => pool.install(|| task(Some(threads))),
            None => task(None),
        },
    }
}
