//! Proof that a snapshot holds together, and figures about it.

use std::cmp::Ordering;

use crate::graph::csr::Row;
use crate::graph::nodes::{Kind, NONE};
use crate::graph::snapshot::Snapshot;

/// Figures about a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Memories.
    pub memories: usize,
    /// Entities.
    pub entities: usize,
    /// Edges.
    pub edges: usize,
    /// Vectors.
    pub vectors: usize,
    /// Dimension of the vectors.
    pub dim: usize,
    /// Memories that are invalid from some time on.
    pub invalidated: usize,
    /// Edges in rows that changed since the last compaction, both directions.
    pub patched: usize,
    /// Bytes of the edges in both directions.
    pub bytes_edges: usize,
    /// Bytes of the vectors.
    pub bytes_vectors: usize,
    /// Bytes of everything.
    pub bytes: usize,
}

impl Snapshot {
    /// Figures about the snapshot; O(nodes).
    pub fn stats(&self) -> Stats {
        let (bytes_edges, bytes_vectors) = (self.edges.bytes(), self.vectors.bytes());
        let strings = self.ids.bytes() + self.names.bytes() + self.tag_sets.bytes();
        let nodes = self.nodes.bytes() + self.extras.bytes() + self.order.bytes() + self.times.bytes();
        let of_kind = |kind: Kind| self.nodes.iter().filter(|node| node.kind == kind).count();
        Stats {
            memories: of_kind(Kind::Memory),
            entities: of_kind(Kind::Entity),
            edges: self.edges.len(),
            vectors: self.nodes.iter().filter(|node| node.kind == Kind::Memory && node.vector != NONE).count(),
            dim: self.vectors.dim(),
            invalidated: self.invalidated,
            patched: self.edges.patched(),
            bytes_edges,
            bytes_vectors,
            bytes: bytes_edges + bytes_vectors + strings + nodes,
        }
    }

    /// What does not hold of what must hold, at most 20 findings; empty for a sound graph. O(nodes + edges · log degree).
    pub fn check(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let (mut alive, mut invalidated, mut out, mut back) = (0, 0, 0, 0);
        if self.nodes.len() != self.extras.len() || self.nodes.len() > self.ids.len() {
            faults.push(format!("{} nodes, {} extras, {} ids", self.nodes.len(), self.extras.len(), self.ids.len()));
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let number = number as u32;
            if faults.len() >= 20 {
                return faults;
            }
            alive += usize::from(node.kind != Kind::Gone);
            invalidated += usize::from(node.invalid != i64::MAX);
            if self.ids.find(self.id(number)) != Some(number) {
                faults.push(format!("the id '{}' does not lead to its node", self.id(number)));
            }
            if node.kind == Kind::Memory {
                self.check_entry(number, &mut faults);
            }
            out += self.check_row(number, self.edges.outgoing(number), false, &mut faults);
            back += self.check_row(number, self.edges.incoming(number), true, &mut faults);
        }
        for (what, counted, kept) in [
            ("nodes", alive, self.alive),
            ("invalidated memories", invalidated, self.invalidated),
            ("outgoing edges", out, self.edges.len()),
            ("incoming edges", back, self.edges.len()),
        ] {
            if counted != kept {
                faults.push(format!("{counted} {what} counted, {kept} kept as their number"));
            }
        }
        for (&alias, &entity) in self.aliases.iter() {
            if self.kind(alias) != Kind::Gone || self.kind(entity) != Kind::Entity {
                faults.push(format!("'{}' is no alias of an entity", self.id(alias)));
            }
        }
        if self.order.order().windows(2).any(|pair| self.ids.get(pair[0]) >= self.ids.get(pair[1])) {
            faults.push("the order of ids is not sorted".into());
        }
        faults
    }

    /// A dated memory must be found at each of its times.
    fn check_entry(&self, number: u32, faults: &mut Vec<String>) {
        let Some(node) = self.nodes.get(number) else { return };
        if node.vector != NONE && self.vectors.row(node.vector).is_none() {
            faults.push(format!("the vector of '{}' is missing", self.id(number)));
        }
        if node.interval().is_some_and(|(start, end)| start > end) {
            faults.push(format!("'{}' ends before it starts", self.id(number)));
        }
        // Looking every memory up costs what a query costs; a thousand of them, spread evenly, are proof enough.
        if (number as usize).is_multiple_of(self.nodes.len() / 1_000 + 1)
            && let Some((start, _)) = node.interval()
        {
            let mut seen = false;
            self.times.touching(&self.nodes, start, start, |found, _| seen |= found == number);
            if !seen {
                faults.push(format!("'{}' is not found at its time", self.id(number)));
            }
        }
    }

    fn check_row(&self, number: u32, row: Row<'_>, incoming: bool, faults: &mut Vec<String>) -> usize {
        let namespace = |node: u32| self.nodes.get(node).map(|node| node.namespace);
        let mut last: Option<(u32, u8)> = None;
        for (other, weight, relation) in row.iter() {
            let mut fault = |what: &str| {
                faults.push(format!("the edge between '{}' and '{}' {what}", self.id(number), self.id(other)));
            };
            if other == number {
                fault("leads to where it came from");
            }
            if self.kind(number) == Kind::Gone || self.kind(other) == Kind::Gone {
                fault("has a deleted end");
            } else if namespace(number) != namespace(other) {
                fault("crosses namespaces");
            }
            if !(weight.is_finite() && weight >= 0.0) || usize::from(relation) >= self.relations.len() {
                fault("has no valid weight or relation");
            }
            let key = |(node, relation): (u32, u8)| (node, relation);
            if let Some(last) = last.map(key)
                && self.compare(last.0, other).then(last.1.cmp(&relation)) != Ordering::Less
            {
                fault("is out of order");
            }
            last = Some((other, relation));
            let there = if incoming { self.edges.outgoing(other) } else { self.edges.incoming(other) };
            let from = there.nodes.partition_point(|&node| self.compare(node, number) == Ordering::Less);
            let same = (from..there.len()).take_while(|&at| there.nodes[at] == number);
            if !same.into_iter().any(|at| there.relation(at) == relation && there.weights[at] == weight) {
                fault("is missing from the other direction");
            }
        }
        row.len()
    }
}
