//! The private thread pool: rayon's global one belongs to the application.

use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool and the process it lives in: threads do not survive a fork, so a child builds its own.
static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool with `threads` threads; None where one cannot be had, and the caller's thread does the work.
pub(crate) fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
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
        ThreadPoolBuilder::new().num_threads(threads).thread_name(|at| format!("timewalk-{at}")).build().ok()?;
    let built = Arc::new(built);
    if let Some((owner, _, old)) = slot.replace((process, threads, built.clone()))
        && owner != process
    {
        // The parent's threads are not here: waiting for them in the destructor would never end.
        std::mem::forget(old);
    }
    Some(built)
}
