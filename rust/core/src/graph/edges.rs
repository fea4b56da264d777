//! All edges: compressed rows, and over them the rows that changed since those were built.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use crate::Result;
use crate::graph::csr::{self, Columns, Csr, Edge, Row};
use crate::graph::patches::{Patches, Rows};

/// How two edges that agree in both ends and relation become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merge {
    /// The larger weight stays.
    #[default]
    Max,
    /// The new weight takes the place of the old; within one table the larger counts.
    Replace,
}

/// Edges in both directions.
#[derive(Debug, Clone, Default)]
pub struct Edges {
    forward: Arc<Csr>,
    backward: Arc<Csr>,
    over_forward: Patches,
    over_backward: Patches,
    len: usize,
    /// Edges written or taken away since the rows were compressed.
    changes: usize,
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

    /// Brings both rows of a node near.
    pub fn prefetch(&self, node: u32) {
        self.forward.prefetch(node);
        self.backward.prefetch(node);
    }

    /// How many edges lie in changed rows.
    pub fn patched(&self) -> usize {
        self.over_forward.edges() + self.over_backward.edges()
    }

    /// Whether all edges lie in compressed rows, with a row for each of so many nodes or fewer.
    pub fn is_compact(&self, nodes: usize) -> bool {
        self.over_forward.rows() + self.over_backward.rows() == 0 && self.forward.rows() <= nodes
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

    /// Whether so much has changed that compressed rows pay off. A single edge of a hub changes a long row, so the
    /// length of changed rows counts for less than the changes.
    pub fn wants_compaction(&self) -> bool {
        self.changes > 32_768 + self.len / 32 || self.patched() > 131_072 + self.len
    }

    /// The same state over the compressed rows of `compacted`, which was made of `before`, an earlier state of this;
    /// `None` if other rows were compressed meanwhile.
    pub fn rebased(&self, before: &Self, compacted: Self) -> Option<Self> {
        if !(Arc::ptr_eq(&self.forward, &before.forward) && Arc::ptr_eq(&self.backward, &before.backward)) {
            return None;
        }
        Some(Self {
            over_forward: self.over_forward.since(&before.over_forward),
            over_backward: self.over_backward.since(&before.over_backward),
            len: self.len,
            changes: self.changes - before.changes,
            ..compacted
        })
    }

    /// Compresses all rows together with new edges. `order` lists all nodes by id.
    pub fn rebuilt(&self, order: &[u32], new: Columns) -> Result<Self> {
        let mut all = new;
        if !self.is_empty() {
            for column in [&mut all.sources, &mut all.targets] {
                column.reserve_exact(self.len);
            }
            all.weights.reserve_exact(self.len);
            all.relations.reserve_exact(self.len);
            for source in 0..order.len() as u32 {
                let edges = self.outgoing(source).iter();
                edges.for_each(|(target, weight, relation)| all.push(Edge { source, target, weight, relation }));
            }
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
        let mut changed = Rows::default();
        for group in new.chunk_by(|a, b| a.source == b.source) {
            let old = self.outgoing(group[0].source);
            changed.begin(group[0].source);
            let after = changed.len();
            merge_into(&mut changed, old, group, |edge| edge.target, merge, &compare);
            self.len = self.len + (changed.len() - after) - old.len();
        }
        self.over_forward.put(&changed);
        new.sort_by(|a, b| {
            a.target.cmp(&b.target).then_with(|| compare(a.source, b.source)).then(a.relation.cmp(&b.relation))
        });
        let mut changed = Rows::default();
        for group in new.chunk_by(|a, b| a.target == b.target) {
            changed.begin(group[0].target);
            merge_into(&mut changed, self.incoming(group[0].target), group, |edge| edge.source, merge, &compare);
        }
        self.over_backward.put(&changed);
        self.changes += new.len();
    }

    /// Takes every edge of some nodes away.
    pub fn isolate(&mut self, gone: &HashSet<u32>) {
        let ends = |rows: fn(&Self, u32) -> Row<'_>| -> Vec<u32> {
            let others = gone.iter().flat_map(|&node| rows(self, node).nodes).copied();
            others.chain(gone.iter().copied()).collect()
        };
        let (targets, sources) = (ends(Self::outgoing), ends(Self::incoming));
        self.keep(sources, targets, |source, target, _| !gone.contains(&source) && !gone.contains(&target));
    }

    /// Takes single edges away, as (source, target, relation); returns how many were there.
    pub fn remove(&mut self, gone: &HashSet<(u32, u32, u8)>) -> usize {
        let (sources, targets) = gone.iter().map(|&(source, target, _)| (source, target)).unzip();
        self.keep(sources, targets, |source, target, relation| !gone.contains(&(source, target, relation)))
    }

    /// Keeps of the edges that leave `sources` and arrive at `targets` those that `stays` says; returns how many went.
    fn keep(&mut self, sources: Vec<u32>, targets: Vec<u32>, stays: impl Fn(u32, u32, u8) -> bool) -> usize {
        let distinct = |mut nodes: Vec<u32>| {
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let (mut forward, mut backward, mut before) = (Rows::default(), Rows::default(), 0);
        for source in distinct(sources) {
            let row = self.outgoing(source);
            before += row.len();
            forward.begin(source);
            row.iter().filter(|edge| stays(source, edge.0, edge.2)).for_each(|edge| forward.push(edge));
        }
        for target in distinct(targets) {
            backward.begin(target);
            let row = self.incoming(target).iter();
            row.filter(|edge| stays(edge.0, target, edge.2)).for_each(|edge| backward.push(edge));
        }
        let went = before - forward.len();
        self.over_forward.put(&forward);
        self.over_backward.put(&backward);
        self.len -= went;
        self.changes += went;
        went
    }

    /// Bytes of the compressed rows and of the changed ones.
    pub fn bytes(&self) -> usize {
        self.forward.bytes() + self.backward.bytes() + self.over_forward.bytes() + self.over_backward.bytes()
    }
}

#[inline]
fn row<'a>(base: &'a Csr, over: &'a Patches, node: u32) -> Row<'a> {
    over.get(node).unwrap_or_else(|| base.row(node))
}

/// Merges a row with new edges; both are sorted by (other end, relation).
fn merge_into(
    out: &mut Rows,
    row: Row<'_>,
    new: &[Edge],
    other: impl Fn(&Edge) -> u32,
    merge: Merge,
    compare: impl Fn(u32, u32) -> Ordering,
) {
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
}
