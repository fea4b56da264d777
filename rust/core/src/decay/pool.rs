//! The private thread pool of the kernels, and how work over rows is split.

use std::sync::{Arc, Mutex, OnceLock};

use rayon::ThreadPool;

/// Below this many rows a kernel is over before a second thread has woken up.
const ROWS_PER_THREAD: usize = 32_768;

/// A pool and the process it lives in: threads do not survive a fork, so a child builds its own.
static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

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

/// The pool with `threads` threads; None where one cannot be had, and the caller's thread does the work.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    // A fork may have copied the lock while it was held: never wait for it.
    let mut slot = POOL.try_lock().ok()?;
    if let Some((owner, size, pool)) = slot.as_ref()
        && *owner == process
        && *size == threads
    {
        return Some(pool.clone());
    }
    let built =
        rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|at| format!("timewalk-{at}")).build().ok()?;
    let built = Arc::new(built);
    if let Some((owner, _, old)) = slot.replace((process, threads, built.clone()))
        && owner != process
    {
        // The parent's threads are not here: waiting for them in the destructor would never end.
        std::mem::forget(old);
    }
    Some(built)
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
