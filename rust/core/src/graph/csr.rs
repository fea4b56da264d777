//! Compressed sparse rows: the immutable bulk of the edges, in both directions.

use arrow_buffer::ScalarBuffer;

use crate::graph::similarity;
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

    /// Brings a row near, ahead of [`Self::row`]; what says where it lies has to be near already.
    pub fn prefetch(&self, node: u32) {
        let row = self.row(node);
        similarity::prefetch(row.nodes);
        similarity::prefetch(row.weights);
        if let Labels::Each(relations) = row.labels {
            similarity::prefetch(relations);
        }
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

/// Edges as columns, in any order.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// From.
    pub sources: Vec<u32>,
    /// To.
    pub targets: Vec<u32>,
    /// Strengths.
    pub weights: Vec<f32>,
    /// Relations, by number.
    pub relations: Vec<u8>,
}

impl Columns {
    /// Number of edges.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Appends an edge.
    pub fn push(&mut self, edge: Edge) {
        self.sources.push(edge.source);
        self.targets.push(edge.target);
        self.weights.push(edge.weight);
        self.relations.push(edge.relation);
    }

    /// All edges.
    pub fn iter(&self) -> impl Iterator<Item = Edge> {
        let ends = self.sources.iter().zip(&self.targets);
        let rest = self.weights.iter().zip(&self.relations);
        ends.zip(rest).map(|((&source, &target), (&weight, &relation))| Edge { source, target, weight, relation })
    }
}

/// Rows in both directions from edges in any order.
///
/// `order` lists all nodes by id. Edges that agree in both ends and relation become one, with the largest weight.
/// A counting sort by source and small sorts within rows make one direction; walked in the order of ids, it gives the
/// other one sorted as it is. O(nodes + edges · log degree) time.
pub fn build(order: &[u32], edges: Columns) -> Result<(Csr, Csr)> {
    if u32::try_from(edges.len()).is_err() {
        return Err(Error::value("more than 4,294,967,295 edges do not fit into one graph"));
    }
    let first = edges.relations.first().copied().unwrap_or(0);
    let mixed = edges.relations.iter().any(|&relation| relation != first);
    let forward = match order.len() <= 1 << 24 {
        true => forward_rows::<u64>(order, edges, mixed),
        false => forward_rows::<u128>(order, edges, mixed),
    };
    let backward = backward_rows(order, &forward, mixed);
    Ok((forward.finish(first), backward.finish(first)))
}

/// An edge of a row as one number that sorts by the rank of its end, then the relation, then the larger weight.
trait Key: Copy + Ord + Default {
    fn new(rank: u32, relation: u8, weight: f32) -> Self;
    /// Rank and relation together; equal for edges that become one.
    fn place(self) -> u64;
    fn weight(self) -> f32;
}

/// For up to 2²⁴ nodes.
impl Key for u64 {
    #[inline]
    fn new(rank: u32, relation: u8, weight: f32) -> Self {
        // The bits of floats that are not negative sort as the floats do.
        u64::from(rank) << 40 | u64::from(relation) << 32 | u64::from(!weight.to_bits())
    }

    #[inline]
    fn place(self) -> u64 {
        self >> 32
    }

    #[inline]
    fn weight(self) -> f32 {
        f32::from_bits(!(self as u32))
    }
}

impl Key for u128 {
    #[inline]
    fn new(rank: u32, relation: u8, weight: f32) -> Self {
        u128::from(rank) << 40 | u128::from(relation) << 32 | u128::from(!weight.to_bits())
    }

    #[inline]
    fn place(self) -> u64 {
        (self >> 32) as u64
    }

    #[inline]
    fn weight(self) -> f32 {
        f32::from_bits(!(self as u32))
    }
}

/// Where each key's run begins, and the total as the last entry.
fn starts(keys: &[u32], count: usize) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    keys.iter().for_each(|&key| starts[key as usize + 1] += 1);
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    starts
}

fn forward_rows<K: Key>(order: &[u32], edges: Columns, mixed: bool) -> Rows {
    let mut rank = vec![0u32; order.len()];
    for (at, &node) in order.iter().enumerate() {
        rank[node as usize] = at as u32;
    }
    let mut offsets = starts(&edges.sources, order.len());
    let mut next = offsets.clone();
    let mut keys = vec![K::default(); edges.len()];
    for edge in edges.iter() {
        let slot = &mut next[edge.source as usize];
        keys[*slot as usize] = K::new(rank[edge.target as usize], edge.relation, edge.weight);
        *slot += 1;
    }
    drop((edges, next, rank));
    let mut rows = Rows::with_capacity(keys.len(), mixed);
    let mut begin = 0;
    for at in 0..order.len() {
        let end = offsets[at + 1];
        let row = &mut keys[begin as usize..end as usize];
        row.sort_unstable();
        offsets[at] = rows.nodes.len() as u32;
        let mut last = u64::MAX;
        for &key in row.iter().filter(|key| std::mem::replace(&mut last, key.place()) != key.place()) {
            rows.nodes.push(order[(key.place() >> 8) as usize]);
            rows.weights.push(key.weight());
            if mixed {
                rows.relations.push(key.place() as u8);
            }
        }
        begin = end;
    }
    if let Some(last) = offsets.last_mut() {
        *last = rows.nodes.len() as u32;
    }
    rows.offsets = offsets;
    rows
}

/// The other direction of rows that are sorted and hold no edge twice.
fn backward_rows(order: &[u32], forward: &Rows, mixed: bool) -> Rows {
    let offsets = starts(&forward.nodes, order.len());
    let mut next = offsets.clone();
    let total = forward.nodes.len();
    // End and weight lie together, so that each edge costs one distant write.
    let mut pairs = vec![0u64; total];
    let mut relations = vec![0u8; if mixed { total } else { 0 }];
    for &source in order {
        let range = forward.offsets[source as usize] as usize..forward.offsets[source as usize + 1] as usize;
        for at in range {
            let slot = &mut next[forward.nodes[at] as usize];
            pairs[*slot as usize] = u64::from(source) << 32 | u64::from(forward.weights[at].to_bits());
            if mixed {
                relations[*slot as usize] = forward.relations[at];
            }
            *slot += 1;
        }
    }
    let nodes = pairs.iter().map(|&pair| (pair >> 32) as u32).collect();
    let weights = pairs.iter().map(|&pair| f32::from_bits(pair as u32)).collect();
    Rows { offsets, nodes, weights, relations }
}

/// Rows that are being made.
struct Rows {
    offsets: Vec<u32>,
    nodes: Vec<u32>,
    weights: Vec<f32>,
    /// Empty if all edges have the same relation.
    relations: Vec<u8>,
}

impl Rows {
    fn with_capacity(edges: usize, mixed: bool) -> Self {
        Self {
            offsets: Vec::new(),
            nodes: Vec::with_capacity(edges),
            weights: Vec::with_capacity(edges),
            relations: Vec::with_capacity(if mixed { edges } else { 0 }),
        }
    }

    fn finish(mut self, relation: u8) -> Csr {
        if self.relations.is_empty() && !self.nodes.is_empty() {
            self.relations = vec![relation];
        }
        self.nodes.shrink_to_fit();
        self.weights.shrink_to_fit();
        let (offsets, nodes) = (self.offsets.into(), self.nodes.into());
        Csr { offsets, nodes, weights: self.weights.into(), relations: self.relations.into() }
    }
}
