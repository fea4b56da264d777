//! One record a node, one cache line each, in chunks that copies of the graph share.

use crate::graph::similarity;
use crate::graph::spine::Spine;

/// 64 KB of nodes: what a change of one node copies.
const CHUNK: usize = 1024;

/// "No value" for times.
pub const NO_TIME: i64 = i64::MIN;
/// "No value" for numbers of strings, tag sets and vectors.
pub const NONE: u32 = u32::MAX;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A remembered unit of text.
    #[default]
    Memory,
    /// A person, place, thing or concept that memories mention.
    Entity,
    /// Deleted: the number stays taken, nothing reads it.
    Gone,
}

/// What the kernels need to know of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// When it began, microseconds in UTC, or [`NO_TIME`].
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// When it was talked about.
    pub mentioned: i64,
    /// When it was stored.
    pub created: i64,
    /// From when on it no longer holds; `i64::MAX` while it holds.
    pub invalid: i64,
    /// Namespace, by number of the name pool.
    pub namespace: u32,
    /// Fact type of a memory or type of an entity, or [`NONE`].
    pub fact_type: u32,
    /// Tag set, or [`NONE`] for no tags.
    pub tags: u32,
    /// Row of the vector store, or [`NONE`].
    pub vector: u32,
    /// Thread, or [`NONE`].
    pub thread: u32,
    /// What it is.
    pub kind: Kind,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            start: NO_TIME,
            end: NO_TIME,
            mentioned: NO_TIME,
            created: NO_TIME,
            invalid: i64::MAX,
            namespace: 0,
            fact_type: NONE,
            tags: NONE,
            vector: NONE,
            thread: NONE,
            kind: Kind::Gone,
        }
    }
}

impl Node {
    /// The event as a closed interval: start and end, one of them alone, else the mention; `None` without a date.
    pub fn interval(&self) -> Option<(i64, i64)> {
        match (self.start, self.end) {
            (NO_TIME, NO_TIME) if self.mentioned == NO_TIME => None,
            (NO_TIME, NO_TIME) => Some((self.mentioned, self.mentioned)),
            (start, NO_TIME) => Some((start, start)),
            (NO_TIME, end) => Some((end, end)),
            both => Some(both),
        }
    }

    /// The date by which the published rule orders its seeds: start, else mention, else end.
    pub fn recency(&self) -> i64 {
        [self.start, self.mentioned, self.end].into_iter().find(|&time| time != NO_TIME).unwrap_or(NO_TIME)
    }
}

/// A growable column of records, in chunks that copies share.
#[derive(Debug, Clone)]
pub struct Chunked<T> {
    chunks: Spine<Vec<T>>,
    len: usize,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Spine::default(), len: 0 }
    }
}

impl<T: Clone> Chunked<T> {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A record by number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        self.chunks.get(number as usize / CHUNK)?.get(number as usize % CHUNK)
    }

    /// Brings a record near, ahead of [`Self::get`].
    pub fn prefetch(&self, number: u32) {
        if let Some(record) = self.get(number) {
            similarity::prefetch(std::slice::from_ref(record));
        }
    }

    /// A record to write to; its chunk is copied if another copy of the column shares it.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.chunks.get_mut(number as usize / CHUNK)?.get_mut(number as usize % CHUNK)
    }

    /// Appends a record.
    pub fn push(&mut self, record: T) {
        self.extend(&[record]);
    }

    /// Appends many records, chunk by chunk.
    pub fn extend(&mut self, records: &[T]) {
        let mut rest = records;
        while !rest.is_empty() {
            let (at, room) = (self.len / CHUNK, CHUNK - self.len % CHUNK);
            let (now, later) = rest.split_at(room.min(rest.len()));
            if at == self.chunks.len() {
                self.chunks.push(Vec::new());
            }
            if let Some(last) = self.chunks.get_mut(at) {
                last.extend_from_slice(now);
            }
            self.len += now.len();
            rest = later;
        }
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Bytes held by the records themselves.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum()
    }
}
