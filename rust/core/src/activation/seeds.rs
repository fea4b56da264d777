//! Where a walk begins: memories of the window that pass filter and gate.

use super::proximity;
use super::relevance::Judged;
use super::walk::Ground;
use crate::Result;
use crate::graph::filter::Bits;

/// A memory of the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub node: u32,
    pub judged: Judged,
    pub recency: i64,
    /// The event, or the mention where there is no event.
    pub event: (i64, i64),
}

/// All memories of the window that pass the filter and the gate, each once, in no order that means anything.
pub(super) fn entries(ground: &mut Ground<'_>) -> Result<Vec<Entry>> {
    let snapshot = ground.snapshot;
    let mut touching: Vec<u32> = Vec::new();
    match &ground.options.candidates {
        Some(candidates) => {
            let inside = |number: &u32| {
                let node = snapshot.nodes.get(*number);
                node.is_some_and(|node| crate::graph::touches(node, ground.window.start, ground.window.end))
            };
            touching.extend(candidates.iter().copied().filter(inside));
        }
        None => {
            let (start, end) = (ground.window.start, ground.window.end);
            snapshot.times.touching(&snapshot.nodes, start, end, |number, _| touching.push(number));
        }
    }
    if touching.len() > 4_096 {
        // Many at once are put in order by a set of bits, which is a fraction of the work of sorting.
        let mut all = Bits::new(snapshot.nodes.len());
        touching.drain(..).for_each(|number| all.insert(number));
        touching.extend(all.iter());
    } else {
        touching.sort_unstable();
        touching.dedup();
    }
    let (relevance, threshold) = (ground.relevance, ground.options.threshold);
    let mut found = Vec::new();
    for (at, &number) in touching.iter().enumerate() {
        ground.ticker.tick(64)?;
        // Records and vectors lie anywhere in memory: ask for them a few steps ahead.
        if let Some(&ahead) = touching.get(at + 16) {
            snapshot.nodes.prefetch(ahead);
        }
        if let Some(ahead) = touching.get(at + 8).and_then(|&ahead| snapshot.nodes.get(ahead)) {
            snapshot.vectors.prefetch(ahead.vector);
        }
        let Some(node) = snapshot.nodes.get(number) else { continue };
        let Some(event) = node.interval() else { continue };
        if !ground.sees(number, node) || relevance.surely_fails(snapshot, number, node.vector, threshold) {
            continue;
        }
        let judged = relevance.judge(snapshot, number, node.vector, threshold);
        if judged.passes {
            found.push(Entry { node: number, judged, recency: node.recency(), event });
        }
    }
    Ok(found)
}

/// Seeds of the published rule: the latest, ties by id.
pub(super) fn latest(ground: &Ground<'_>, mut entries: Vec<Entry>, count: usize) -> Vec<Entry> {
    let snapshot = ground.snapshot;
    entries.sort_unstable_by(|a, b| b.recency.cmp(&a.recency).then_with(|| snapshot.compare(a.node, b.node)));
    entries.truncate(count);
    entries
}

/// A seed and the activation it starts with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed {
    pub entry: Entry,
    pub start: f64,
}

/// Seeds of the default order: the best by relevance × proximity, spread over the window.
///
/// The window is cut into as many equal slices as there are seeds to choose. An event belongs to the slice that holds
/// the middle of its part inside. The best of each slice are taken in turn, then the second best of each, and so on;
/// within a turn the better comes first; ties by id. What would start at 0 is no seed.
pub(super) fn spread_out(ground: &Ground<'_>, entries: Vec<Entry>, count: usize) -> Vec<Seed> {
    let (snapshot, window) = (ground.snapshot, ground.window);
    let slice_of = |entry: &Entry| ((proximity::place(entry.event, window) * count as f64) as usize).min(count - 1);
    let mut seeds: Vec<(usize, Seed)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let start = entry.judged.relevance * proximity::proximity(entry.event, window);
        if start > 0.0 && count > 0 {
            seeds.push((slice_of(&entry), Seed { entry, start }));
        }
    }
    let better =
        |a: &Seed, b: &Seed| b.start.total_cmp(&a.start).then_with(|| snapshot.compare(a.entry.node, b.entry.node));
    seeds.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| better(&a.1, &b.1)));
    let mut turns: Vec<(usize, Seed)> = Vec::new();
    for slice in seeds.chunk_by(|a, b| a.0 == b.0) {
        turns.extend(slice.iter().take(count).enumerate().map(|(turn, &(_, seed))| (turn, seed)));
    }
    turns.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| better(&a.1, &b.1)));
    turns.into_iter().take(count).map(|(_, seed)| seed).collect()
}
