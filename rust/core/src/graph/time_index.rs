//! Which memories touch a time range: a static interval tree over most of them, and a short list of late changes.

use std::sync::Arc;

use crate::graph::nodes::{Chunked, Kind, NO_TIME, Node};

/// A closed interval of one node. A node whose mention lies outside its event has two.
#[derive(Debug, Clone, Copy)]
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
    /// Nodes the tree was built over.
    nodes: usize,
}

const BLOCK: usize = 16;

/// The index. Entries of changed or deleted nodes go stale and are checked against the node itself.
#[derive(Debug, Clone, Default)]
pub struct TimeIndex {
    tree: Arc<Tree>,
    changed: Arc<Vec<u32>>,
}

impl TimeIndex {
    /// The index over `nodes`, where `changed` lists new and altered ones. Rebuilt when the list grows long.
    pub fn updated(&self, nodes: &Chunked<Node>, changed: &[u32]) -> Self {
        if changed.is_empty() {
            return self.clone();
        }
        let total = self.changed.len() + changed.len();
        if total > 512 + self.tree.nodes / 8 {
            return Self { tree: Arc::new(Tree::build(nodes)), changed: Arc::default() };
        }
        let mut all = Vec::with_capacity(total);
        all.extend_from_slice(&self.changed);
        all.extend_from_slice(changed);
        Self { tree: self.tree.clone(), changed: Arc::new(all) }
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
        self.tree.overlapping(start, end, &mut check);
        self.changed.iter().for_each(|&number| check(number));
    }

    /// The earliest begin and the latest end of all events and mentions.
    pub fn extent(&self, nodes: &Chunked<Node>) -> Option<(i64, i64)> {
        let first = self.tree.entries.first().map(|entry| entry.start);
        let last = self.tree.latest.last().and_then(|top| top.first()).copied().filter(|_| first.is_some());
        let changed =
            self.changed.iter().filter_map(|&number| nodes.get(number)).filter(|node| node.kind == Kind::Memory);
        let times = changed.flat_map(|node| [node.start, node.end, node.mentioned]).filter(|&time| time != NO_TIME);
        let all = || first.into_iter().chain(last).chain(times.clone());
        Some((all().min()?, all().max()?))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.tree.entries.capacity() * size_of::<Entry>() + 4 * self.changed.capacity()
    }
}

/// Whether a memory's event overlaps [start, end), or its start, end or mention lies inside.
pub fn touches(node: &Node, start: i64, end: i64) -> bool {
    if node.kind != Kind::Memory {
        return false;
    }
    let before = |time: i64| time < end || (start == end && time == end);
    let inside = |time: i64| time != NO_TIME && time >= start && before(time);
    let overlaps = node.interval().is_some_and(|(from, to)| before(from) && to >= start);
    overlaps || inside(node.start) || inside(node.end) || inside(node.mentioned)
}

impl Tree {
    fn build(nodes: &Chunked<Node>) -> Self {
        let mut entries = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            if node.kind != Kind::Memory {
                continue;
            }
            let Some((start, end)) = node.interval() else { continue };
            entries.push(Entry { start, end, node: number as u32 });
            let mention = node.mentioned;
            if mention != NO_TIME && (mention < start || mention > end) {
                entries.push(Entry { start: mention, end: mention, node: number as u32 });
            }
        }
        entries.sort_unstable_by_key(|entry| (entry.start, entry.end, entry.node));
        let mut latest: Vec<Vec<i64>> = Vec::new();
        let mut level: Vec<i64> = entries.chunks(BLOCK).map(|block| latest_of(block.iter().map(|e| e.end))).collect();
        while level.len() > 1 {
            let up = level.chunks(BLOCK).map(|block| latest_of(block.iter().copied())).collect();
            latest.push(std::mem::replace(&mut level, up));
        }
        latest.push(level);
        Self { entries, latest, nodes: nodes.len() }
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
}

fn latest_of(ends: impl Iterator<Item = i64>) -> i64 {
    ends.max().unwrap_or(i64::MIN)
}
