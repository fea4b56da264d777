//! The memory graph: columnar nodes and edges in immutable snapshots that readers share and writers replace.

mod change;
mod check;
pub mod csr;
pub mod edges;
pub mod file;
pub mod filter;
mod lookup;
pub mod nodes;
mod order;
mod patches;
pub mod pool;
mod read;
pub mod relations;
mod sections;
pub mod similarity;
pub mod snapshot;
mod spine;
pub mod tables;
mod time_index;
pub mod vectors;
mod write;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use arrow_array::RecordBatch;
use jiff::tz::TimeZone;

pub use check::Stats;
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
    tidying: AtomicBool,
}

impl MemoryGraph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// A graph in this state; everything is shared until one side writes.
    pub fn from_snapshot(snapshot: Arc<Snapshot>) -> Self {
        Self { current: RwLock::new(snapshot), ..Self::default() }
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

    /// Folds changed rows into compressed ones on a thread of its own once they have grown. Readers and writers go on
    /// meanwhile; what they wrote stays in changed rows over the new compressed ones.
    pub fn tidy(self: &Arc<Self>) {
        if !self.snapshot().edges.wants_compaction() || self.tidying.swap(true, Ordering::AcqRel) {
            return;
        }
        let graph = self.clone();
        let work = move || {
            // What cannot be compacted (more edges than 32 bits count) stays as it is, and answers as before.
            let _ = graph.compact();
            graph.tidying.store(false, Ordering::Release);
        };
        if std::thread::Builder::new().name("timewalk-tidy".into()).spawn(work).is_err() {
            self.tidying.store(false, Ordering::Release);
        }
    }

    /// Folds all rows that have changed so far into compressed ones; others write meanwhile.
    pub fn compact(&self) -> Result<()> {
        for _ in 0..4 {
            let before = self.snapshot();
            let mut compacted = before.as_ref().clone();
            compacted.compact()?;
            let done = self.write(|next| {
                let Some(edges) = next.edges.rebased(&before.edges, compacted.edges) else { return Ok(false) };
                next.edges = edges;
                if next.order.order().len() < compacted.order.order().len() {
                    next.order = compacted.order;
                }
                Ok(true)
            })?;
            if done {
                return Ok(());
            }
        }
        // Others build new rows all the time: hold them off this once.
        self.write(Snapshot::compact)
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

    /// Takes edges away; returns how many there were.
    pub fn remove_edges(&self, table: &RecordBatch) -> Result<usize> {
        self.write(|next| next.remove_edges(table))
    }

    /// Deletes nodes by id, with their edges and with entities that only they were linked to; returns the ids that went.
    pub fn delete(&self, ids: &[String]) -> Result<Vec<String>> {
        self.write(|next| {
            let nodes = require_all(next, ids)?;
            let gone = next.delete(&nodes)?;
            Ok(gone.into_iter().map(|node| next.id(node).to_owned()).collect())
        })
    }

    /// Marks memories as no longer true from `at` on, or as true after all.
    pub fn invalidate(&self, ids: &[String], at: Option<i64>) -> Result<()> {
        self.write(|next| {
            let nodes = require_all(next, ids)?;
            next.invalidate(&nodes, at)
        })
    }

    /// Makes several entities one.
    pub fn merge_entities(&self, keep: &str, others: &[String]) -> Result<()> {
        self.write(|next| {
            let (keep, others) = (next.require(keep)?, require_all(next, others)?);
            next.merge_entities(keep, &others)
        })
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

fn require_all(snapshot: &Snapshot, ids: &[String]) -> Result<Vec<u32>> {
    ids.iter().map(|id| snapshot.require(id)).collect()
}
