//! Rows that differ from their compressed form, of one direction, in shards that copies of the graph share.

use crate::graph::csr::{Labels, Row};
use crate::graph::spine::Spine;

/// Many, so that a write copies few of the rows that earlier writes changed; not so many that the list of them weighs.
const SHARDS: usize = 2048;

/// Rows one after the other.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    heads: Vec<Head>,
    nodes: Vec<u32>,
    weights: Vec<f32>,
    relations: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Head {
    node: u32,
    begin: u32,
    end: u32,
}

impl Rows {
    /// Begins the row of another node; what is pushed belongs to it.
    pub fn begin(&mut self, node: u32) {
        let at = self.nodes.len() as u32;
        self.heads.push(Head { node, begin: at, end: at });
    }

    /// Appends an edge to the last row.
    pub fn push(&mut self, (node, weight, relation): (u32, f32, u8)) {
        self.nodes.push(node);
        self.weights.push(weight);
        self.relations.push(relation);
        if let Some(head) = self.heads.last_mut() {
            head.end = self.nodes.len() as u32;
        }
    }

    /// How many edges there are in all rows.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    fn row(&self, head: Head) -> Row<'_> {
        let range = head.begin as usize..head.end as usize;
        match (self.nodes.get(range.clone()), self.weights.get(range.clone()), self.relations.get(range)) {
            (Some(nodes), Some(weights), Some(relations)) => Row { nodes, weights, labels: Labels::Each(relations) },
            _ => Row::EMPTY,
        }
    }

    fn copy(&mut self, from: &Rows, head: Head) {
        let row = from.row(head);
        self.begin(head.node);
        self.nodes.extend_from_slice(row.nodes);
        self.weights.extend_from_slice(row.weights);
        if let Labels::Each(relations) = row.labels {
            self.relations.extend_from_slice(relations);
        }
        if let Some(last) = self.heads.last_mut() {
            last.end = self.nodes.len() as u32;
        }
    }

    fn with_room(heads: usize, edges: usize) -> Self {
        Self {
            heads: Vec::with_capacity(heads),
            nodes: Vec::with_capacity(edges),
            weights: Vec::with_capacity(edges),
            relations: Vec::with_capacity(edges),
        }
    }
}

/// Changed rows by node.
#[derive(Debug, Clone)]
pub struct Patches {
    /// Each sorted by node.
    shards: Spine<Rows>,
    rows: usize,
    edges: usize,
}

impl Default for Patches {
    fn default() -> Self {
        Self { shards: Spine::filled(SHARDS, Rows::default()), rows: 0, edges: 0 }
    }
}

impl Patches {
    /// The changed row of a node, if it has one.
    #[inline]
    pub fn get(&self, node: u32) -> Option<Row<'_>> {
        if self.rows == 0 {
            return None;
        }
        let shard = self.shards.get(node as usize % SHARDS)?;
        let at = shard.heads.binary_search_by_key(&node, |head| head.node).ok()?;
        shard.heads.get(at).map(|&head| shard.row(head))
    }

    /// How many rows are changed.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many edges lie in them.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Takes rows in; each replaces the one that its node had.
    pub fn put(&mut self, changed: &Rows) {
        let mut order: Vec<Head> = changed.heads.clone();
        order.sort_unstable_by_key(|head| (head.node as usize % SHARDS, head.node));
        for fresh in order.chunk_by(|a, b| a.node as usize % SHARDS == b.node as usize % SHARDS) {
            let number = fresh[0].node as usize % SHARDS;
            let Some(old) = self.shards.get(number) else { continue };
            let room: u32 = fresh.iter().map(|head| head.end - head.begin).sum();
            let mut merged = Rows::with_room(old.heads.len() + fresh.len(), old.len() + room as usize);
            let mut kept = old.heads.iter().peekable();
            for &head in fresh {
                while let Some(&before) = kept.next_if(|known| known.node < head.node) {
                    merged.copy(old, before);
                }
                kept.next_if(|known| known.node == head.node);
                merged.copy(changed, head);
            }
            kept.for_each(|&rest| merged.copy(old, rest));
            self.rows = self.rows + merged.heads.len() - old.heads.len();
            self.edges = self.edges + merged.len() - old.len();
            self.shards.set(number, merged);
        }
    }

    /// Only the shards that have changed since `before`: what a compaction of `before` does not hold yet.
    pub fn since(&self, before: &Self) -> Self {
        let mut later = Self::default();
        for number in (0..SHARDS).filter(|&number| !self.shards.shares(&before.shards, number)) {
            if let Some(shard) = self.shards.get(number) {
                later.rows += shard.heads.len();
                later.edges += shard.len();
                later.shards.set(number, shard.clone());
            }
        }
        later
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        9 * self.edges + size_of::<Head>() * self.rows
    }
}
