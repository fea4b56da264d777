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

/// Rows in both directions from edges in any order, and the number of rows' edges after merging.
///
/// `order` lists all nodes by id. Edges that agree in both ends and relation become one, with the largest weight.
/// Two counting sorts (by target in id order, then by source) leave every row sorted without comparing ids:
/// O(nodes + edges) time, 32 bytes an edge of scratch.
pub fn build(order: &[u32], edges: Vec<Edge>) -> Result<(Csr, Csr)> {
    if u32::try_from(edges.len()).is_err() {
        return Err(Error::value("more than 4,294,967,295 edges do not fit into one graph"));
    }
    let count = order.len();
    let mut rank = vec![0u32; count];
    for (at, &node) in order.iter().enumerate() {
        rank[node as usize] = at as u32;
    }
    let by_target = counting_sort(&edges, count, |edge| rank[edge.target as usize]);
    drop(edges);
    let mut sorted = counting_sort(&by_target, count, |edge| edge.source);
    drop(by_target);
    merge_parallel(&mut sorted);

    let forward = gather(sorted.iter().copied(), count, |edge| edge.source, |edge| edge.target);
    // Sources in id order, so that the rows of the other direction come out sorted as well.
    let offsets = forward.offsets.clone();
    let in_order = order.iter().flat_map(|&node| {
        let (begin, end) = (offsets[node as usize] as usize, offsets[node as usize + 1] as usize);
        sorted[begin..end].iter().copied()
    });
    let backward = gather(in_order, count, |edge| edge.target, |edge| edge.source);
    Ok((forward, backward))
}

fn counting_sort(edges: &[Edge], count: usize, key: impl Fn(&Edge) -> u32) -> Vec<Edge> {
    let mut next = starts(edges.iter(), count, &key);
    let mut sorted = vec![Edge { source: 0, target: 0, weight: 0.0, relation: 0 }; edges.len()];
    for edge in edges {
        let slot = &mut next[key(edge) as usize];
        sorted[*slot as usize] = *edge;
        *slot += 1;
    }
    sorted
}

/// Where each key's run begins, and the total as the last entry.
fn starts<'a>(edges: impl Iterator<Item = &'a Edge>, count: usize, key: impl Fn(&Edge) -> u32) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    for edge in edges {
        starts[key(edge) as usize + 1] += 1;
    }
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    starts
}

/// Edges with the same ends lie together: orders them by relation and keeps the strongest of each.
fn merge_parallel(sorted: &mut Vec<Edge>) {
    let mut kept = 0;
    let mut begin = 0;
    while begin < sorted.len() {
        let ends = (sorted[begin].source, sorted[begin].target);
        let mut end = begin + 1;
        while end < sorted.len() && (sorted[end].source, sorted[end].target) == ends {
            end += 1;
        }
        if end - begin > 1 {
            sorted[begin..end].sort_unstable_by(|a, b| a.relation.cmp(&b.relation).then(b.weight.total_cmp(&a.weight)));
        }
        for at in begin..end {
            let edge = sorted[at];
            if at == begin || sorted[kept - 1].relation != edge.relation {
                sorted[kept] = edge;
                kept += 1;
            }
        }
        begin = end;
    }
    sorted.truncate(kept);
}

fn gather(
    edges: impl Iterator<Item = Edge> + Clone,
    count: usize,
    row: impl Fn(&Edge) -> u32,
    other: impl Fn(&Edge) -> u32,
) -> Csr {
    let mut offsets = vec![0u32; count + 1];
    let mut single = None;
    let mut mixed = false;
    for edge in edges.clone() {
        offsets[row(&edge) as usize + 1] += 1;
        mixed |= *single.get_or_insert(edge.relation) != edge.relation;
    }
    for at in 0..count {
        offsets[at + 1] += offsets[at];
    }
    let total = offsets[count] as usize;
    let mut next = offsets.clone();
    let (mut nodes, mut weights) = (vec![0u32; total], vec![0f32; total]);
    let mut relations = if mixed { vec![0u8; total] } else { single.into_iter().collect() };
    for edge in edges {
        let slot = &mut next[row(&edge) as usize];
        let at = *slot as usize;
        (nodes[at], weights[at]) = (other(&edge), edge.weight);
        if mixed {
            relations[at] = edge.relation;
        }
        *slot += 1;
    }
    Csr { offsets: offsets.into(), nodes: nodes.into(), weights: weights.into(), relations: relations.into() }
}
