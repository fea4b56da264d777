//! Many queries at once on a pool of threads that belongs to this library alone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Interrupt;
use crate::{Error, Result};

/// A pool does not survive a fork, so pools are kept by process.
type Pools = Mutex<HashMap<(u32, usize), Arc<ThreadPool>>>;

fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    static POOLS: OnceLock<Pools> = OnceLock::new();
    let mut pools = POOLS.get_or_init(Pools::default).lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).thread_name(|at| format!("timewalk-{at}")).build();
    let pool = Arc::new(built.map_err(|error| Error::value(format!("no threads to be had: {error}")))?);
    pools.insert(key, pool.clone());
    Ok(pool)
}

/// Runs a query for each item, on all cores or on as many threads as told; results come in the order of the items, and
/// are the same bits at any number of threads. The calling thread waits and looks after the interrupt.
pub fn run_many<T: Sync, U: Send>(
    items: &[T],
    threads: Option<usize>,
    interrupt: Interrupt<'_>,
    query: impl Fn(&T, Interrupt<'_>) -> Result<U> + Sync,
) -> Result<Vec<U>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or(cores);
    if threads == 0 {
        return Err(Error::value("at least one thread is needed"));
    }
    if threads == 1 {
        return items.iter().map(|item| query(item, interrupt)).collect();
    }
    let pool = pool(threads.min(cores.max(64)))?;
    let stop = AtomicBool::new(false);
    let (done, finished) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let stopped = || stop.load(Ordering::Relaxed);
            let work = || items.par_iter().with_min_len(4).map(|item| query(item, Interrupt::new(&stopped))).collect();
            let results: Result<Vec<U>> = pool.install(work);
            // The receiver waits in the same scope, so there is one.
            let _ = done.send(results);
        });
        loop {
            match finished.recv_timeout(Duration::from_millis(20)) {
                Ok(results) => return results,
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Interrupted),
                Err(RecvTimeoutError::Timeout) if interrupt.check().is_err() => stop.store(true, Ordering::Relaxed),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}
