//! The memory graph: columnar nodes and edges in immutable snapshots that readers share and writers replace.

pub mod csr;
pub mod edges;
pub mod filter;
mod lookup;
pub mod nodes;
mod order;
pub mod pool;
mod read;
pub mod relations;
pub mod snapshot;
pub mod tables;
mod time_index;
pub mod vectors;
mod write;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use arrow_array::RecordBatch;
use jiff::tz::TimeZone;

pub use edges::Merge;
pub use filter::Filter;
pub use read::table;
pub use relations::RelationKind;
pub use snapshot::Snapshot;
pub use time_index::touches;
pub use write::DEFAULT_NAMESPACE;

use crate::Result;
use crate::activation::Scratch;

/// A graph that many threads read while one writes.
///
/// Writers take turns; each works on a private copy that shares all unchanged parts, and publishes it at the end.
/// Readers take the current snapshot and keep it: the lock is held for as long as it takes to count a reference.
#[derive(Debug, Default)]
pub struct MemoryGraph {
    current: RwLock<Arc<Snapshot>>,
    writer: Mutex<()>,
    scratch: Mutex<Vec<Scratch>>,
}

impl MemoryGraph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state as of now. It stays as it is, whatever is written later.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the graph in one step, or not at all if `change` fails.
    pub fn write<T>(&self, change: impl FnOnce(&mut Snapshot) -> Result<T>) -> Result<T> {
        let _turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = self.snapshot().as_ref().clone();
        let out = change(&mut next)?;
        let next = Arc::new(next);
        let old = std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), next);
        drop(old); // outside the lock: the last reader of a big snapshot frees it
        Ok(out)
    }

    /// Adds memories, or changes known ones in the columns that the table has. Naive times are read in `zone`.
    pub fn add_memories(&self, table: &RecordBatch, zone: &TimeZone) -> Result<()> {
        self.write(|next| next.put_memories(table, zone))
    }

    /// Adds entities, or changes known ones.
    pub fn add_entities(&self, table: &RecordBatch) -> Result<()> {
        self.write(|next| next.put_entities(table))
    }

    /// Adds edges between known nodes of one namespace.
    pub fn add_edges(&self, table: &RecordBatch, merge: Merge) -> Result<()> {
        self.write(|next| next.put_edges(table, merge))
    }

    /// Adds a relation; see [`relations::Relations::register`].
    pub fn register_relation(
        &self,
        name: &str,
        inverse: Option<&str>,
        kind: RelationKind,
        boost: Option<f64>,
    ) -> Result<()> {
        self.write(|next| Arc::make_mut(&mut next.relations).register(name, inverse, kind, boost))
    }

    /// Lends working memory for a query over `nodes` nodes; all of it zero, before and after.
    pub fn with_scratch<T>(&self, nodes: usize, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = kept.unwrap_or_default();
        scratch.resize(nodes);
        let out = work(&mut scratch);
        scratch.clear();
        let mut idle = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < 16 {
            idle.push(scratch);
        }
        out
    }
}
