//! Work over rows on a few threads of its own.

use std::ops::Range;

const ROWS_PER_THREAD: usize = 2_000;

/// Results of `task` over consecutive ranges of `0..rows`, in order.
///
/// The ranges depend on the machine, so a task must give the same for a row whatever its range.
pub fn map_ranges<R: Send>(rows: usize, task: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(rows / ROWS_PER_THREAD).max(1);
    if threads == 1 {
        return vec![task(0..rows)];
    }
    let size = rows.div_ceil(threads);
    let ranges: Vec<Range<usize>> = (0..threads).map(|at| (at * size).min(rows)..((at + 1) * size).min(rows)).collect();
    std::thread::scope(|scope| {
        let handles: Vec<_> = ranges.iter().map(|range| scope.spawn(|| task(range.clone()))).collect();
        // A task that panics does so here too, with its own message.
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)))
            .collect()
    })
}
