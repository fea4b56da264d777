//! All edges: compressed rows, and over them the rows that changed since those were built.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use crate::Result;
use crate::graph::csr::{self, Csr, Edge, Labels, Row};

/// Many, so that a write copies few of the rows that earlier writes changed.
const SHARDS: usize = 2048;

/// How two edges that agree in both ends and relation become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merge {
    /// The larger weight stays.
    #[default]
    Max,
    /// The new weight takes the place of the old; within one table the larger counts.
    Replace,
}

/// A row that differs from its compressed form.
#[derive(Debug, Clone, Default)]
struct Patch {
    nodes: Vec<u32>,
    weights: Vec<f32>,
    relations: Vec<u8>,
}

impl Patch {
    fn row(&self) -> Row<'_> {
        Row { nodes: &self.nodes, weights: &self.weights, labels: Labels::Each(&self.relations) }
    }

    fn push(&mut self, (node, weight, relation): (u32, f32, u8)) {
        self.nodes.push(node);
        self.weights.push(weight);
        self.relations.push(relation);
    }
}

/// Changed rows of one direction, in shards that copies of the graph share.
#[derive(Debug, Clone)]
struct Patches {
    shards: Vec<Arc<HashMap<u32, Arc<Patch>>>>,
    edges: usize,
}

impl Default for Patches {
    fn default() -> Self {
        Self { shards: vec![Arc::default(); SHARDS], edges: 0 }
    }
}

impl Patches {
    fn get(&self, node: u32) -> Option<&Patch> {
        let shard = &self.shards[node as usize % SHARDS];
        if shard.is_empty() { None } else { shard.get(&node).map(AsRef::as_ref) }
    }

    fn put(&mut self, node: u32, patch: Patch) {
        self.edges += patch.nodes.len();
        if let Some(old) = Arc::make_mut(&mut self.shards[node as usize % SHARDS]).insert(node, Arc::new(patch)) {
            self.edges -= old.nodes.len();
        }
    }
}

/// Edges in both directions.
#[derive(Debug, Clone, Default)]
pub struct Edges {
    forward: Arc<Csr>,
    backward: Arc<Csr>,
    over_forward: Patches,
    over_backward: Patches,
    len: usize,
}

impl Edges {
    /// Number of edges.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Edges that leave a node.
    #[inline]
    pub fn outgoing(&self, node: u32) -> Row<'_> {
        row(&self.forward, &self.over_forward, node)
    }

    /// Edges that arrive at a node.
    #[inline]
    pub fn incoming(&self, node: u32) -> Row<'_> {
        row(&self.backward, &self.over_backward, node)
    }

    /// How many edges lie in changed rows.
    pub fn patched(&self) -> usize {
        self.over_forward.edges + self.over_backward.edges
    }

    /// Whether all edges lie in compressed rows, with a row for each of so many nodes or fewer.
    pub fn is_compact(&self, nodes: usize) -> bool {
        let untouched = |over: &Patches| over.shards.iter().all(|shard| shard.is_empty());
        untouched(&self.over_forward) && untouched(&self.over_backward) && self.forward.rows() <= nodes
    }

    /// The compressed rows, forward and backward.
    pub fn compressed(&self) -> [&Csr; 2] {
        [&self.forward, &self.backward]
    }

    /// From compressed rows that belong together.
    pub fn from_compressed(forward: Csr, backward: Csr) -> Self {
        let len = forward.len();
        Self { forward: Arc::new(forward), backward: Arc::new(backward), len, ..Self::default() }
    }

    /// Whether so much has changed that compressed rows pay off.
    pub fn wants_compaction(&self) -> bool {
        self.patched() > 65_536 + self.len / 16
    }

    /// Compresses all rows together with new edges. `order` lists all nodes by id.
    pub fn rebuilt(&self, order: &[u32], new: Vec<Edge>) -> Result<Self> {
        let mut all = new;
        all.reserve_exact(self.len);
        for source in 0..order.len() as u32 {
            let edges = self.outgoing(source).iter();
            all.extend(edges.map(|(target, weight, relation)| Edge { source, target, weight, relation }));
        }
        let (forward, backward) = csr::build(order, all)?;
        let len = forward.len();
        Ok(Self { forward: Arc::new(forward), backward: Arc::new(backward), len, ..Self::default() })
    }

    /// Writes new edges into changed rows. `compare` orders nodes by id.
    pub fn patch(&mut self, mut new: Vec<Edge>, merge: Merge, compare: impl Fn(u32, u32) -> Ordering) {
        new.sort_by(|a, b| {
            a.source.cmp(&b.source).then_with(|| compare(a.target, b.target)).then(a.relation.cmp(&b.relation))
        });
        for group in new.chunk_by(|a, b| a.source == b.source) {
            let (source, old) = (group[0].source, self.outgoing(group[0].source));
            let before = old.len();
            let changed = merged(old, group, |edge| edge.target, merge, &compare);
            self.len += changed.nodes.len() - before;
            self.over_forward.put(source, changed);
        }
        new.sort_by(|a, b| {
            a.target.cmp(&b.target).then_with(|| compare(a.source, b.source)).then(a.relation.cmp(&b.relation))
        });
        for group in new.chunk_by(|a, b| a.target == b.target) {
            let changed = merged(self.incoming(group[0].target), group, |edge| edge.source, merge, &compare);
            self.over_backward.put(group[0].target, changed);
        }
    }

    /// Takes every edge of a node away.
    pub fn isolate(&mut self, node: u32) {
        let (targets, sources) = (self.outgoing(node).nodes.to_vec(), self.incoming(node).nodes.to_vec());
        self.len = self.len.saturating_sub(targets.len() + sources.len());
        self.over_forward.put(node, Patch::default());
        self.over_backward.put(node, Patch::default());
        for target in targets {
            let kept = without(self.incoming(target), node);
            self.over_backward.put(target, kept);
        }
        for source in sources {
            let kept = without(self.outgoing(source), node);
            self.over_forward.put(source, kept);
        }
    }

    /// Bytes of the compressed rows and of the changed ones.
    pub fn bytes(&self) -> usize {
        self.forward.bytes() + self.backward.bytes() + 9 * self.patched()
    }
}

#[inline]
fn row<'a>(base: &'a Csr, over: &'a Patches, node: u32) -> Row<'a> {
    match over.get(node) {
        Some(patch) => patch.row(),
        None => base.row(node),
    }
}

fn without(row: Row<'_>, node: u32) -> Patch {
    let mut kept = Patch::default();
    row.iter().filter(|&(other, ..)| other != node).for_each(|edge| kept.push(edge));
    kept
}

/// Merges a row with new edges; both are sorted by (other end, relation).
fn merged(
    row: Row<'_>,
    new: &[Edge],
    other: impl Fn(&Edge) -> u32,
    merge: Merge,
    compare: impl Fn(u32, u32) -> Ordering,
) -> Patch {
    let mut out = Patch::default();
    let mut old = row.iter().peekable();
    let place = |a: (u32, u8), b: (u32, u8)| compare(a.0, b.0).then(a.1.cmp(&b.1));
    for run in new.chunk_by(|a, b| other(a) == other(b) && a.relation == b.relation) {
        let key = (other(&run[0]), run[0].relation);
        let strongest = run.iter().map(|edge| edge.weight).fold(0.0, f32::max);
        while let Some(edge) = old.next_if(|&(node, _, relation)| place((node, relation), key) == Ordering::Less) {
            out.push(edge);
        }
        let known = old.next_if(|&(node, _, relation)| (node, relation) == key);
        let weight = match (known, merge) {
            (Some((_, weight, _)), Merge::Max) => weight.max(strongest),
            _ => strongest,
        };
        out.push((key.0, weight, key.1));
    }
    old.for_each(|edge| out.push(edge));
    out
}
