//! What is taken out of the graph again, or put together: delete, invalidate, merge of entities.

use std::collections::HashSet;
use std::sync::Arc;

use crate::graph::csr::{Columns, Edge};
use crate::graph::edges::Merge;
use crate::graph::nodes::{Kind, Node};
use crate::graph::snapshot::Snapshot;
use crate::{Error, Result};

impl Snapshot {
    /// Deletes nodes with all their edges, and entities that only deleted memories were linked to. An id may come back
    /// later as something new. Returns all nodes that went.
    pub fn delete(&mut self, nodes: &[u32]) -> Result<Vec<u32>> {
        let mut named: HashSet<u32> = HashSet::new();
        let mut gone: Vec<u32> =
            nodes.iter().copied().filter(|&node| self.kind(node) != Kind::Gone && named.insert(node)).collect();
        let mut orphans: Vec<u32> = Vec::new();
        for &node in gone.iter().filter(|&&node| self.kind(node) == Kind::Memory) {
            let ends = self.edges.outgoing(node).nodes.iter().chain(self.edges.incoming(node).nodes);
            orphans.extend(ends.copied().filter(|&end| self.kind(end) == Kind::Entity));
        }
        self.remove(&gone);
        orphans.sort_unstable();
        orphans.dedup();
        orphans.retain(|&entity| {
            let mut ends = self.edges.outgoing(entity).nodes.iter().chain(self.edges.incoming(entity).nodes);
            self.kind(entity) == Kind::Entity && !ends.any(|&end| self.kind(end) == Kind::Memory)
        });
        self.remove(&orphans);
        gone.extend(orphans);
        Ok(gone)
    }

    /// Removes nodes, each named once, with their edges.
    fn remove(&mut self, numbers: &[u32]) {
        let gone: HashSet<u32> = numbers.iter().copied().collect();
        self.edges.isolate(&gone);
        let mut entities = false;
        for &number in numbers {
            let Some(node) = self.nodes.get_mut(number) else { continue };
            entities |= node.kind == Kind::Entity;
            self.invalidated -= usize::from(node.invalid != i64::MAX);
            self.alive -= 1;
            self.vectors.release(node.vector);
            *node = Node::default();
            if let Some(extra) = self.extras.get_mut(number) {
                *extra = Default::default();
            }
        }
        if entities && self.aliases.values().any(|entity| gone.contains(entity)) {
            Arc::make_mut(&mut self.aliases).retain(|_, entity| !gone.contains(entity));
        }
    }

    /// Marks memories as no longer true from `at` on (`None`: as true after all). They stay for `as_of` to see.
    pub fn invalidate(&mut self, nodes: &[u32], at: Option<i64>) -> Result<()> {
        for &number in nodes {
            if self.kind(number) != Kind::Memory {
                return Err(Error::value(format!("'{}' is an entity; only memories are invalidated", self.id(number))));
            }
            let Some(node) = self.nodes.get_mut(number) else { continue };
            let invalid = at.unwrap_or(i64::MAX);
            self.invalidated += usize::from(invalid != i64::MAX);
            self.invalidated -= usize::from(node.invalid != i64::MAX);
            node.invalid = invalid;
        }
        Ok(())
    }

    /// Makes several entities one: `others` become aliases of `keep`, and their edges its edges, the larger weight where
    /// both had one. Edges between them go.
    pub fn merge_entities(&mut self, keep: u32, others: &[u32]) -> Result<()> {
        let entity = |number: u32| match self.nodes.get(number) {
            Some(node) if node.kind == Kind::Entity => Ok(node.namespace),
            _ => Err(Error::value(format!("'{}' is a memory; only entities are merged", self.id(number)))),
        };
        let namespace = entity(keep)?;
        for &other in others {
            if entity(other)? != namespace {
                let message = format!("'{}' and '{}' are in different namespaces", self.id(keep), self.id(other));
                return Err(Error::value(message));
            }
        }
        let becomes = |node: u32| if others.contains(&node) { keep } else { node };
        let mut moved = Columns::default();
        for &other in others.iter().filter(|&&other| other != keep) {
            let out = self.edges.outgoing(other).iter().map(|edge| (keep, becomes(edge.0), edge));
            let back = self.edges.incoming(other).iter().map(|edge| (becomes(edge.0), keep, edge));
            for (source, target, (_, weight, relation)) in out.chain(back).filter(|edge| edge.0 != edge.1) {
                moved.push(Edge { source, target, weight, relation });
            }
        }
        let mut others: Vec<u32> = others.iter().copied().filter(|&other| other != keep).collect();
        others.sort_unstable();
        others.dedup();
        let leads_away = |&(_, entity): &(&u32, &u32)| others.binary_search(entity).is_ok();
        let aliases: Vec<u32> = self.aliases.iter().filter(leads_away).map(|(&alias, _)| alias).collect();
        self.remove(&others);
        Arc::make_mut(&mut self.aliases).extend(others.into_iter().chain(aliases).map(|alias| (alias, keep)));
        self.insert(moved, Merge::Max)
    }
}
