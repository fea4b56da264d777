//! Where a walk begins: memories of the window that pass filter and gate.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use super::proximity;
use super::relevance::Bound;
use super::walk::Ground;
use crate::Result;
use crate::graph::Snapshot;
use crate::graph::filter::Bits;

/// A memory of the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub node: u32,
    pub vector: u32,
    pub relevance: Bound,
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
        if ground.sees(number, node)
            && let Some(relevance) = relevance.judge(snapshot, number, node.vector, threshold)
        {
            found.push(Entry { node: number, vector: node.vector, relevance, recency: node.recency(), event });
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
    pub node: u32,
    pub start: f64,
}

/// Seeds of the default order: the best by relevance × proximity, spread over the window.
///
/// The window is cut into as many equal slices as there are seeds to choose. An event belongs to the slice that holds
/// the middle of its part inside. The best of each slice are taken in turn, then the second best of each, and so on;
/// within a turn the better comes first; ties by id. What would start at 0 is no seed.
pub(super) fn spread_out(ground: &Ground<'_>, entries: Vec<Entry>, count: usize) -> Vec<Seed> {
    let (snapshot, window) = (ground.snapshot, ground.window);
    let mut slices: BTreeMap<usize, Vec<Rival<'_>>> = BTreeMap::new();
    for entry in entries {
        let slice = (proximity::place(entry.event, window) * count as f64) as usize;
        let proximity = proximity::proximity(entry.event, window);
        let Bound { most, exact } = entry.relevance;
        let rival = Rival { start: most * proximity, exact, proximity, entry, snapshot };
        slices.entry(slice.min(count.saturating_sub(1))).or_default().push(rival);
    }
    let mut slices: Vec<BinaryHeap<Rival<'_>>> = slices.into_values().map(BinaryHeap::from).collect();
    let mut seeds: Vec<Seed> = Vec::new();
    while seeds.len() < count {
        let mut turn: Vec<Seed> = slices.iter_mut().filter_map(|slice| next_best(ground, slice)).collect();
        if turn.is_empty() {
            break;
        }
        turn.sort_unstable_by(|a, b| b.start.total_cmp(&a.start).then_with(|| snapshot.compare(a.node, b.node)));
        seeds.extend(turn);
    }
    seeds.truncate(count);
    seeds
}

/// Takes the best out of a slice. Exact relevance is worked out only for those that may be the best.
fn next_best(ground: &Ground<'_>, slice: &mut BinaryHeap<Rival<'_>>) -> Option<Seed> {
    loop {
        let mut best = slice.pop()?;
        if best.start <= 0.0 {
            continue;
        }
        if best.exact {
            return Some(Seed { node: best.entry.node, start: best.start });
        }
        let relevance = ground.relevance.relevance(ground.snapshot, best.entry.node, best.entry.vector);
        (best.start, best.exact) = (relevance * best.proximity, true);
        slice.push(best);
    }
}

/// An entry that may become a seed. Among equals those with a mere bound come first, so that an exact one on top is
/// the best of all; then the smaller id.
struct Rival<'a> {
    /// What it would start with, or a bound of that.
    start: f64,
    exact: bool,
    proximity: f64,
    entry: Entry,
    snapshot: &'a Snapshot,
}

impl Ord for Rival<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_start = self.start.total_cmp(&other.start).then(other.exact.cmp(&self.exact));
        by_start.then_with(|| self.snapshot.compare(other.entry.node, self.entry.node))
    }
}

impl PartialOrd for Rival<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rival<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rival<'_> {}
