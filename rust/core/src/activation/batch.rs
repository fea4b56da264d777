//! Many queries at once on a pool of threads that belongs to this library alone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use rayon::prelude::*;

use super::Interrupt;
use crate::pool::pool;
use crate::{Error, Result};

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
    // Where no pool is to be had, the calling thread does the work.
    let pool = if threads == 1 { None } else { pool(threads.min(cores.max(64))) };
    let Some(pool) = pool else {
        return items.iter().map(|item| query(item, interrupt)).collect();
    };
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
