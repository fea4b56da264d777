//! Compressed sparse rows: the immutable bulk of the edges, in both directions.

use arrow_buffer::ScalarBuffer;

use crate::{Error, Result};

/// One edge on its way into the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// From.
    pub source: u32,
    /// To.
    pub target: u32,
    /// Strength, finite and not negative.
    pub weight: f32,
    /// Relation, by number.
    pub relation: u8,
}

/// Relations of a row: most graphs have whole runs of one relation, a graph of a single one stores it once.
#[derive(Debug, Clone, Copy)]
pub enum Labels<'a> {
    /// All edges have this one.
    One(u8),
    /// One an edge.
    Each(&'a [u8]),
}

/// The edges of one node in one direction, in order of the other end's id, then of the relation.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The other ends.
    pub nodes: &'a [u32],
    /// Weights, in the same order.
    pub weights: &'a [f32],
    /// Relations, in the same order.
    pub labels: Labels<'a>,
}

impl<'a> Row<'a> {
    /// No edges.
    pub const EMPTY: Row<'static> = Row { nodes: &[], weights: &[], labels: Labels::One(0) };

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The relation of an edge.
    pub fn relation(&self, at: usize) -> u8 {
        match self.labels {
            Labels::One(relation) => relation,
            Labels::Each(relations) => relations.get(at).copied().unwrap_or(0),
        }
    }

    /// (other end, weight, relation) of every edge.
    pub fn iter(self) -> impl Iterator<Item = (u32, f32, u8)> + 'a {
        self.nodes
            .iter()
            .zip(self.weights)
            .enumerate()
            .map(move |(at, (&node, &weight))| (node, weight, self.relation(at)))
    }
}

/// Rows of one direction.
#[derive(Debug, Clone)]
pub struct Csr {
    offsets: ScalarBuffer<u32>,
    nodes: ScalarBuffer<u32>,
    weights: ScalarBuffer<f32>,
    /// Of length 1 if all edges have the same relation.
    relations: ScalarBuffer<u8>,
}

impl Default for Csr {
    fn default() -> Self {
        Self {
            offsets: vec![0].into(),
            nodes: Vec::new().into(),
            weights: Vec::new().into(),
            relations: Vec::new().into(),
        }
    }
}

impl Csr {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The row of a node; empty for nodes that came later.
    #[inline]
    pub fn row(&self, node: u32) -> Row<'_> {
        let at = node as usize;
        let (Some(&begin), Some(&end)) = (self.offsets.get(at), self.offsets.get(at + 1)) else { return Row::EMPTY };
        let range = begin as usize..end as usize;
        let (Some(nodes), Some(weights)) = (self.nodes.get(range.clone()), self.weights.get(range.clone())) else {
            return Row::EMPTY;
        };
        let labels = match self.relations.get(range) {
            Some(each) if self.relations.len() == self.nodes.len() => Labels::Each(each),
            _ => Labels::One(self.relations.first().copied().unwrap_or(0)),
        };
        Row { nodes, weights, labels }
    }

    /// The four arrays as bytes: offsets, nodes, weights, relations.
    pub fn parts(&self) -> [&[u8]; 4] {
        let (offsets, nodes) = (self.offsets.inner().as_slice(), self.nodes.inner().as_slice());
        [offsets, nodes, self.weights.inner().as_slice(), self.relations.inner().as_slice()]
    }

    /// Rows from their arrays; `None` if they cannot be the rows of `count` nodes and `relations` relations.
    pub fn from_parts(
        offsets: ScalarBuffer<u32>,
        nodes: ScalarBuffer<u32>,
        weights: ScalarBuffer<f32>,
        relations: ScalarBuffer<u8>,
        count: usize,
        total: usize,
    ) -> Option<Self> {
        let labelled = relations.len() == nodes.len() || relations.len() == 1;
        let sound = offsets.len() <= count + 1
            && offsets.first() == Some(&0)
            && offsets.last().is_some_and(|&last| last as usize == nodes.len())
            && offsets.windows(2).all(|pair| pair[0] <= pair[1])
            && nodes.len() == weights.len()
            && labelled
            && nodes.iter().all(|&node| (node as usize) < count)
            && weights.iter().all(|&weight| weight.is_finite() && weight >= 0.0)
            && relations.iter().all(|&relation| usize::from(relation) < total);
        sound.then_some(Self { offsets, nodes, weights, relations })
    }

    /// Bytes of the four arrays.
    pub fn bytes(&self) -> usize {
        4 * (self.offsets.len() + self.nodes.len() + self.weights.len()) + self.relations.len()
    }
}

/// Rows in both directions from edges in any order.
///
/// `order` lists all nodes by id. Edges that agree in both ends and relation become one, with the largest weight. A
/// counting sort by source and small sorts within rows make one direction; walked in the order of ids, it gives the
/// other one sorted as it is. O(nodes + edges · log degree) time.
pub fn build(order: &[u32], edges: Vec<Edge>) -> Result<(Csr, Csr)> {
    if u32::try_from(edges.len()).is_err() {
        return Err(Error::value("more than 4,294,967,295 edges do not fit into one graph"));
    }
    let count = order.len();
    let mut rank = vec![0u32; count];
    for (at, &node) in order.iter().enumerate() {
        rank[node as usize] = at as u32;
    }
    let mixed = edges.first().is_some_and(|first| edges.iter().any(|edge| edge.relation != first.relation));
    let single = edges.first().map(|edge| edge.relation).filter(|_| !mixed);
    let mut rows = Rows::new(starts(edges.iter().map(|edge| edge.source), count), mixed);
    for edge in &edges {
        rows.put(edge.source, edge.target, edge.weight, edge.relation);
    }
    drop(edges);
    rows.sort_and_merge(&rank);
    let mut back = Rows::new(starts(rows.nodes.iter().copied(), count), mixed);
    for &source in order {
        let range = rows.offsets[source as usize] as usize..rows.offsets[source as usize + 1] as usize;
        for at in range {
            back.put(rows.nodes[at], source, rows.weights[at], rows.relations.get(at).copied().unwrap_or(0));
        }
    }
    Ok((rows.finish(single), back.finish(single)))
}

/// Where each key's run begins, and the total as the last entry.
fn starts(keys: impl Iterator<Item = u32>, count: usize) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    keys.for_each(|key| starts[key as usize + 1] += 1);
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    starts
}

/// Rows that are being filled.
struct Rows {
    offsets: Vec<u32>,
    next: Vec<u32>,
    nodes: Vec<u32>,
    weights: Vec<f32>,
    /// Empty if all edges have the same relation.
    relations: Vec<u8>,
}

impl Rows {
    fn new(offsets: Vec<u32>, mixed: bool) -> Self {
        let total = offsets.last().map_or(0, |&total| total as usize);
        let relations = if mixed { vec![0; total] } else { Vec::new() };
        Self { next: offsets.clone(), offsets, nodes: vec![0; total], weights: vec![0.0; total], relations }
    }

    #[inline]
    fn put(&mut self, row: u32, node: u32, weight: f32, relation: u8) {
        let slot = &mut self.next[row as usize];
        let at = *slot as usize;
        *slot += 1;
        self.nodes[at] = node;
        self.weights[at] = weight;
        if let Some(label) = self.relations.get_mut(at) {
            *label = relation;
        }
    }

    /// Orders each row by (rank of the node, relation), makes equal edges one, and closes the gaps.
    fn sort_and_merge(&mut self, rank: &[u32]) {
        let mut kept = 0usize;
        let mut begin = 0usize;
        let mut row: Vec<(u64, f32, u32)> = Vec::new();
        for at in 0..self.offsets.len() - 1 {
            let end = self.offsets[at + 1] as usize;
            row.clear();
            row.extend((begin..end).map(|at| {
                let relation = self.relations.get(at).copied().unwrap_or(0);
                let key = u64::from(rank[self.nodes[at] as usize]) << 8 | u64::from(relation);
                (key, self.weights[at], self.nodes[at])
            }));
            if !row.windows(2).all(|pair| pair[0].0 < pair[1].0) {
                row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
                row.dedup_by_key(|edge| edge.0);
            }
            self.offsets[at] = kept as u32;
            for &(key, weight, node) in &row {
                self.nodes[kept] = node;
                self.weights[kept] = weight;
                if let Some(label) = self.relations.get_mut(kept) {
                    *label = key as u8;
                }
                kept += 1;
            }
            begin = end;
        }
        if let Some(last) = self.offsets.last_mut() {
            *last = kept as u32;
        }
        self.nodes.truncate(kept);
        self.weights.truncate(kept);
        self.relations.truncate(kept);
    }

    fn finish(self, single: Option<u8>) -> Csr {
        let relations = single.map_or(self.relations, |relation| vec![relation]);
        let (offsets, nodes) = (self.offsets.into(), self.nodes.into());
        Csr { offsets, nodes, weights: self.weights.into(), relations: relations.into() }
    }
}
