//! Which memories touch a time range: static interval trees, each at least four times as big as the next. What is new
//! makes a small tree, and trees of like size become one, so that a write costs in proportion to what it brings and a
//! query looks into few of them.

use std::sync::Arc;

use crate::graph::nodes::{Chunked, Kind, NO_TIME, Node};

/// A closed interval of one node. A node whose mention lies outside its event has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    start: i64,
    end: i64,
    node: u32,
}

/// Entries sorted by start; `latest` holds, for every block of [`BLOCK`] entries, the latest end, and so on upwards.
#[derive(Debug, Clone, Default)]
struct Tree {
    entries: Vec<Entry>,
    latest: Vec<Vec<i64>>,
}

const BLOCK: usize = 16;
const GROWTH: usize = 4;

/// The index. Entries of changed or deleted nodes go stale and are checked against the node itself.
#[derive(Debug, Clone, Default)]
pub struct TimeIndex {
    /// The biggest first.
    trees: Vec<Arc<Tree>>,
}

impl TimeIndex {
    /// The index over `nodes`, where `changed` lists new and altered ones.
    pub fn updated(&self, nodes: &Chunked<Node>, changed: impl Iterator<Item = u32>) -> Self {
        let mut entries: Vec<Entry> = changed.flat_map(|number| current(nodes, number)).flatten().collect();
        if entries.is_empty() {
            return self.clone();
        }
        entries.sort_unstable();
        let mut trees = self.trees.clone();
        while let Some(last) = trees.pop_if(|last| last.entries.len() < GROWTH * entries.len()) {
            let holds = |entry: &&Entry| current(nodes, entry.node).contains(&Some(**entry));
            entries.extend(last.entries.iter().filter(holds));
            entries.sort(); // two runs that are sorted already: one merge
            entries.dedup();
        }
        trees.push(Arc::new(Tree::of(entries)));
        Self { trees }
    }

    /// Calls `found` for every memory that touches [start, end), or the instant if both are equal.
    /// A node may come more than once; the order carries no meaning.
    pub fn touching(&self, nodes: &Chunked<Node>, start: i64, end: i64, mut found: impl FnMut(u32, &Node)) {
        let mut check = |number: u32| {
            if let Some(node) = nodes.get(number)
                && touches(node, start, end)
            {
                found(number, node);
            }
        };
        self.trees.iter().for_each(|tree| tree.overlapping(start, end, &mut check));
    }

    /// The earliest begin and the latest end of all events and mentions.
    pub fn extent(&self, nodes: &Chunked<Node>) -> Option<(i64, i64)> {
        let holds = |entry: &&Entry| current(nodes, entry.node).contains(&Some(**entry));
        let first = self.trees.iter().filter_map(|tree| tree.entries.iter().find(holds)).map(|entry| entry.start);
        let mut last = i64::MIN;
        self.trees.iter().for_each(|tree| tree.latest_end(tree.latest.len(), 0, &holds, &mut last));
        first.min().map(|first| (first, last))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.trees.iter().map(|tree| tree.entries.capacity() * size_of::<Entry>()).sum()
    }
}

/// The entries of a node as it is now.
fn current(nodes: &Chunked<Node>, number: u32) -> [Option<Entry>; 2] {
    let Some(node) = nodes.get(number).filter(|node| node.kind == Kind::Memory) else { return [None; 2] };
    let Some((start, end)) = node.interval() else { return [None; 2] };
    let mention = node.mentioned;
    let apart = mention != NO_TIME && (mention < start || mention > end);
    let second = apart.then_some(Entry { start: mention, end: mention, node: number });
    [Some(Entry { start, end, node: number }), second]
}

/// Whether a memory's event overlaps [start, end), or its mention lies inside. The end of an event that lasts belongs
/// to it no more than the window's end to the window; an event without length lies at its one time.
pub fn touches(node: &Node, start: i64, end: i64) -> bool {
    if node.kind != Kind::Memory {
        return false;
    }
    let before = |time: i64| time < end || (start == end && time == end);
    let inside = |time: i64| time != NO_TIME && time >= start && before(time);
    let overlaps = |(from, to): (i64, i64)| before(from) && (to > start || (from == to && to == start));
    node.interval().is_some_and(overlaps) || inside(node.mentioned)
}

impl Tree {
    fn of(entries: Vec<Entry>) -> Self {
        let mut latest: Vec<Vec<i64>> = Vec::new();
        let mut level: Vec<i64> = entries.chunks(BLOCK).map(|block| latest_of(block.iter().map(|e| e.end))).collect();
        while level.len() > 1 {
            let up = level.chunks(BLOCK).map(|block| latest_of(block.iter().copied())).collect();
            latest.push(std::mem::replace(&mut level, up));
        }
        latest.push(level);
        Self { entries, latest }
    }

    fn overlapping(&self, start: i64, end: i64, found: &mut impl FnMut(u32)) {
        let until = self.entries.partition_point(|entry| entry.start < end || (start == end && entry.start == end));
        self.descend(self.latest.len(), 0, until, start, found);
    }

    /// Visits block `at` of `level` (0: an entry), leaving out blocks that end before `start`.
    fn descend(&self, level: usize, at: usize, until: usize, start: i64, found: &mut impl FnMut(u32)) {
        if level == 0 {
            if let Some(entry) = self.entries[..until].get(at)
                && entry.end >= start
            {
                found(entry.node);
            }
            return;
        }
        if self.latest[level - 1].get(at).is_none_or(|&latest| latest < start) {
            return;
        }
        let span = BLOCK.pow(level as u32 - 1);
        for child in at * BLOCK..(at + 1) * BLOCK {
            if child * span >= until {
                break;
            }
            self.descend(level - 1, child, until, start, found);
        }
    }

    /// Raises `best` to the latest end of an entry under block `at` of `level` that `holds`. Later blocks come first,
    /// so that most of the earlier ones have nothing to offer.
    fn latest_end(&self, level: usize, at: usize, holds: &impl Fn(&&Entry) -> bool, best: &mut i64) {
        if level == 0 {
            if let Some(entry) = self.entries.get(at).filter(|entry| entry.end > *best).filter(holds) {
                *best = entry.end;
            }
            return;
        }
        if self.latest[level - 1].get(at).is_some_and(|latest| latest > best) {
            (at * BLOCK..(at + 1) * BLOCK).rev().for_each(|child| self.latest_end(level - 1, child, holds, best));
        }
    }
}

fn latest_of(ends: impl Iterator<Item = i64>) -> i64 {
    ends.max().unwrap_or(i64::MIN)
}
