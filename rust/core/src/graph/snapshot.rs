//! One state of the graph, never changed after it is published.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::edges::Edges;
use crate::graph::nodes::{Chunked, Kind, NONE, Node};
use crate::graph::order::IdOrder;
use crate::graph::pool::StringPool;
use crate::graph::relations::Relations;
use crate::graph::time_index::TimeIndex;
use crate::graph::vectors::Vectors;
use crate::{Error, Result};

/// What is kept of a node for the caller and read by no kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extra {
    /// Who said or wrote it, or [`NONE`].
    pub author: u32,
}

impl Default for Extra {
    fn default() -> Self {
        Self { author: NONE }
    }
}

/// How many namespaces the nodes lie in: with one, edges need no look at their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Namespaces {
    /// No node yet.
    #[default]
    None,
    /// All nodes so far were in this one.
    One(u32),
    /// More than one.
    Many,
}

/// A state of the graph. Cheap to clone: everything big is shared.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Ids; the number of an id is the number of its node.
    pub ids: StringPool,
    /// Namespaces, fact types, tags, threads, authors.
    pub names: StringPool,
    /// Distinct sets of tags, each sorted by number and written as text, `"3,17"`, in a pool of its own.
    pub tag_sets: StringPool,
    /// Nodes.
    pub nodes: Chunked<Node>,
    /// What no kernel reads.
    pub extras: Chunked<Extra>,
    /// Embeddings.
    pub vectors: Vectors,
    /// Edges.
    pub edges: Edges,
    /// Relations.
    pub relations: Arc<Relations>,
    /// Nodes by id.
    pub order: IdOrder,
    /// Entities that were merged into another.
    pub aliases: Arc<HashMap<u32, u32>>,
    /// Memories by time.
    pub times: TimeIndex,
    /// Number of nodes that are not deleted.
    pub alive: usize,
    /// Namespaces in use.
    pub namespaces: Namespaces,
    /// Number of memories that are invalid from some time on.
    pub invalidated: usize,
}

impl Snapshot {
    /// The node of an id or alias, unless it was deleted or never there.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.ids.find(id).map(|node| self.resolved(node)).filter(|&node| self.kind(node) != Kind::Gone)
    }

    /// The entity that a node was merged into, or the node itself.
    pub fn resolved(&self, node: u32) -> u32 {
        if self.aliases.is_empty() { node } else { self.aliases.get(&node).copied().unwrap_or(node) }
    }

    /// The node of an id, or an error that names the id.
    pub fn require(&self, id: &str) -> Result<u32> {
        self.find(id).ok_or_else(|| Error::unknown(format!("no memory or entity has the id '{id}'")))
    }

    /// The id of a node.
    pub fn id(&self, node: u32) -> &str {
        self.ids.get(node)
    }

    /// What a node is; gone for a number never given out.
    pub fn kind(&self, node: u32) -> Kind {
        self.nodes.get(node).map_or(Kind::Gone, |node| node.kind)
    }

    /// Compares two nodes by id.
    #[inline]
    pub fn compare(&self, a: u32, b: u32) -> Ordering {
        self.order.compare(&self.ids, a, b)
    }

    /// A name by number; `None` for [`NONE`].
    pub fn name(&self, number: u32) -> Option<&str> {
        (number != NONE).then(|| self.names.get(number))
    }

    /// The tags of a node, by number, sorted.
    pub fn tags(&self, node: &Node) -> impl Iterator<Item = u32> + '_ {
        let text = if node.tags == NONE { "" } else { self.tag_sets.get(node.tags) };
        text.split(',').filter_map(|tag| tag.parse().ok())
    }
}
