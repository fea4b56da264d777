//! The best `k` of each group over batches that come one after another, in memory bounded by groups × k.

use std::cmp::Ordering;

use arrow_array::Array;

use super::{Groups, Ids, Scored};

/// What is kept of the rows seen so far.
#[derive(Debug)]
pub struct Best {
    k: usize,
    groups: Vec<Vec<Entry>>,
    rows: u64,
    candidates: u64,
}

/// A row that is among the best of its group so far.
#[derive(Debug, Clone)]
struct Entry {
    score: f64,
    similarity: f64,
    temporal: f64,
    id: Id,
    row: u64,
    /// Its number among the rows that the caller was told to keep.
    candidate: u64,
}

/// An id of its own; the missing one comes last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Id {
    Number(i64),
    Text(Box<str>),
    Missing,
}

/// The final order: candidates, best first, with what the order was made of.
#[derive(Debug, Default)]
pub struct Winners {
    /// Numbers of the rows that the caller kept.
    pub candidates: Vec<u64>,
    /// What the order was made of, in the same order.
    pub scored: Option<Scored>,
}

impl Best {
    /// Nothing seen yet.
    pub fn new(k: usize) -> Self {
        Self { k: k.max(1), groups: Vec::new(), rows: 0, candidates: 0 }
    }

    /// Rows seen so far; the position of the next batch's first row.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes a batch and tells which of its rows the caller must keep, in their order. They are numbered on, counting
    /// from the rows kept before.
    pub fn add(&mut self, scored: &Scored, groups: Option<&Groups>, ids: Option<&Ids>) -> Vec<u64> {
        let rows = scored.score.len();
        self.groups.resize_with(groups.map_or(1, |groups| groups.count).max(self.groups.len()), Vec::new);
        let mut entered: Vec<(u64, u32)> = Vec::new();
        for row in 0..rows {
            if scored.dropped.as_ref().is_some_and(|dropped| dropped[row]) {
                continue;
            }
            let code = groups.map_or(0, |groups| groups.codes.value(row));
            let group = &mut self.groups[code as usize];
            let full = group.len() == self.k;
            // Most rows are worse than the worst that is kept: a comparison of scores settles it.
            if full && group.last().is_some_and(|last| scored.score[row] < last.score) {
                continue;
            }
            let entry = Entry {
                score: scored.score[row],
                similarity: scored.similarity[row],
                temporal: scored.temporal[row],
                id: id(ids, row),
                row: self.rows + row as u64,
                candidate: u64::MAX,
            };
            let at = group.partition_point(|other| other.compare(&entry) == Ordering::Less);
            if at == self.k {
                continue;
            }
            if full {
                group.pop();
            }
            group.insert(at, entry);
            entered.push((self.rows + row as u64, code));
        }
        // Some have been pushed out again by later rows of the same batch.
        let mut kept = Vec::new();
        for (row, code) in entered {
            if let Some(entry) = self.groups[code as usize].iter_mut().find(|entry| entry.row == row) {
                entry.candidate = self.candidates;
                self.candidates += 1;
                kept.push(row - self.rows);
            }
        }
        self.rows += rows as u64;
        kept
    }

    /// Rows that the caller keeps, and how many of them still matter.
    pub fn kept(&self) -> (u64, usize) {
        (self.candidates, self.groups.iter().map(Vec::len).sum())
    }

    /// The numbers of the kept rows that still matter, ascending; the caller drops the others, and they are numbered anew.
    pub fn compact(&mut self) -> Vec<u64> {
        let mut alive: Vec<&mut Entry> = self.groups.iter_mut().flatten().collect();
        alive.sort_unstable_by_key(|entry| entry.candidate);
        let mut numbers = Vec::with_capacity(alive.len());
        for (at, entry) in alive.into_iter().enumerate() {
            numbers.push(entry.candidate);
            entry.candidate = at as u64;
        }
        self.candidates = numbers.len() as u64;
        numbers
    }

    /// The best of each group, groups in the order of their first appearance.
    pub fn winners(&self) -> Winners {
        let all = || self.groups.iter().flatten();
        Winners {
            candidates: all().map(|entry| entry.candidate).collect(),
            scored: Some(Scored {
                score: all().map(|entry| entry.score).collect(),
                temporal: all().map(|entry| entry.temporal).collect(),
                similarity: all().map(|entry| entry.similarity).collect(),
                dropped: None,
            }),
        }
    }
}

impl Entry {
    fn compare(&self, other: &Self) -> Ordering {
        super::order::descending(self.score, other.score)
            .then_with(|| {
                if self.score.is_nan() {
                    super::order::descending(self.similarity, other.similarity)
                } else {
                    Ordering::Equal
                }
            })
            .then_with(|| self.id.cmp(&other.id))
            .then(self.row.cmp(&other.row))
    }
}

fn id(ids: Option<&Ids>, row: usize) -> Id {
    match ids {
        Some(Ids::Text(ids)) if ids.is_valid(row) => Id::Text(ids.value(row).into()),
        Some(Ids::Number(ids)) if ids.is_valid(row) => Id::Number(ids.value(row)),
        _ => Id::Missing,
    }
}
