//! Causal links that texts state: cues, and the memory that a clause speaks of.

use std::collections::BTreeMap;
use std::ops::Range;

use arrow_array::{Array, Int64Array, ListArray, StringArray, cast::AsArray};

use super::antecedents::{Bag, Board, Index, Vocabulary};
use super::cues::{Claim, Direction, claims};
use super::parallel::map_ranges;
use crate::{Error, Result};

/// Columns of the memories, in the order of their arrival.
#[derive(Debug, Clone, Copy)]
pub struct Memories<'a> {
    /// Texts; a null says nothing.
    pub texts: &'a StringArray,
    /// Namespaces; null counts as one of its own.
    pub namespaces: &'a StringArray,
    /// When it began, in microseconds.
    pub starts: &'a Int64Array,
    /// When it ended, in microseconds; the start where null.
    pub ends: &'a Int64Array,
    /// Entities of each (keys), strings; may be null.
    pub entities: &'a ListArray,
}

/// How texts are resolved to memories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CauseOptions {
    /// Links of a memory that repairs something, at most.
    pub repairs: usize,
    /// Lowest score of such a link.
    pub repair_floor: f64,
    /// Lowest score of a link that a clause makes; each clause makes at most one.
    pub clause_floor: f64,
    /// Time after which the score is 1/√2, in microseconds.
    pub memory_span: f64,
    /// Weight of an entity against a word.
    pub entity_weight: f64,
}

/// One link from text.
#[derive(Debug, Clone, PartialEq)]
pub struct CausalLink {
    /// Row of the memory that says so.
    pub source: usize,
    /// Row of the memory that it speaks of.
    pub target: usize,
    /// Whether the target is the cause (else the effect).
    pub caused_by: bool,
    /// Square root of the score, in (0, 1].
    pub weight: f64,
    /// The cue that said so.
    pub cue: &'static str,
}

/// Links that the texts of `memories` state, ordered by source, target and direction; of two with the same ends the
/// heavier stays.
///
/// For each claim (see [`claims`]) the memories of the same namespace that could be meant by time are scored: the
/// share of the claim's information (BM25 with rarity in the namespace) that they have, times 1/√(1 + age/span). A
/// cause begins no later than its effect ends; where one has no date, the order of arrival decides.
pub fn causal_links(memories: &Memories<'_>, options: &CauseOptions) -> Result<Vec<CausalLink>> {
    let rows = memories.texts.len();
    let lengths = [
        ("namespace", memories.namespaces.len()),
        ("occurred_start", memories.starts.len()),
        ("occurred_end", memories.ends.len()),
        ("entities", memories.entities.len()),
    ];
    if let Some((name, length)) = lengths.iter().find(|(_, length)| *length != rows) {
        return Err(Error::column_type(format!("{rows} rows are expected, not {length}"), name));
    }
    let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for row in 0..rows {
        let name = memories.namespaces.is_valid(row).then(|| memories.namespaces.value(row));
        groups.entry(name).or_default().push(row);
    }
    let mut links = Vec::new();
    for rows in groups.values() {
        links.extend(Group::new(memories, rows, options).links());
    }
    links.sort_by(|a: &CausalLink, b| {
        (a.source, a.target, a.caused_by).cmp(&(b.source, b.target, b.caused_by)).then(b.weight.total_cmp(&a.weight))
    });
    links.dedup_by(|next, kept| {
        (next.source, next.target, next.caused_by) == (kept.source, kept.target, kept.caused_by)
    });
    Ok(links)
}

/// A memory in the order of time.
struct Placed {
    row: usize,
    start: i64,
    end: i64,
    dated: bool,
}

struct Group<'a> {
    memories: &'a Memories<'a>,
    options: &'a CauseOptions,
    placed: Vec<Placed>,
    vocabulary: Vocabulary,
    bags: Vec<Bag>,
}

impl<'a> Group<'a> {
    fn new(memories: &'a Memories<'a>, rows: &[usize], options: &'a CauseOptions) -> Self {
        let mut placed = Vec::with_capacity(rows.len());
        let mut last = i64::MIN;
        for &row in rows {
            let at = |column: &Int64Array| column.is_valid(row).then(|| column.value(row));
            let start = at(memories.starts).or(at(memories.ends));
            // A memory without date stands where it arrived.
            last = start.unwrap_or(last);
            let end = at(memories.ends).unwrap_or(last).max(last);
            placed.push(Placed { row, start: last, end, dated: start.is_some() });
        }
        placed.sort_by_key(|memory| memory.start);
        let mut vocabulary = Vocabulary::default();
        let bags = placed
            .iter()
            .map(|memory| {
                let text = if memories.texts.is_valid(memory.row) { memories.texts.value(memory.row) } else { "" };
                let entities = memories.entities.is_valid(memory.row).then(|| memories.entities.value(memory.row));
                let entities = entities.as_ref().and_then(|list| list.as_string_opt::<i32>());
                vocabulary.bag(text, entities.into_iter().flat_map(|list| list.iter().flatten()), options.entity_weight)
            })
            .collect();
        Self { memories, options, placed, vocabulary, bags }
    }

    fn links(mut self) -> Vec<CausalLink> {
        let stated = map_ranges(self.placed.len(), |range| {
            range.map(|position| claims(self.text(position))).collect::<Vec<_>>()
        })
        .concat();
        // Clauses are words of texts that are already known, so no number is new and the index stands.
        let queries: Vec<(usize, Claim, Option<Bag>)> = stated
            .into_iter()
            .enumerate()
            .flat_map(|(position, stated)| stated.into_iter().map(move |claim| (position, claim)))
            .map(|(position, claim)| {
                let clause =
                    matches!(claim.direction, Direction::CausedBy | Direction::Causes).then(|| claim.clause.clone());
                let text = if self.memories.texts.is_valid(self.placed[position].row) {
                    self.memories.texts.value(self.placed[position].row)
                } else {
                    ""
                };
                let bag = clause
                    .and_then(|clause| text.get(clause))
                    .map(|text| self.vocabulary.bag(text, std::iter::empty(), 1.0));
                (position, claim, bag)
            })
            .collect();
        let index = Index::new(&self.bags.iter().collect::<Vec<_>>(), &self.vocabulary);
        map_ranges(queries.len(), |range| {
            let (mut links, mut board) = (Vec::new(), Board::default());
            for (position, claim, bag) in &queries[range] {
                self.resolve(&index, *position, claim, bag.as_ref(), &mut board, &mut links);
            }
            links
        })
        .concat()
    }

    fn text(&self, position: usize) -> &str {
        let row = self.placed[position].row;
        if self.memories.texts.is_valid(row) { self.memories.texts.value(row) } else { "" }
    }

    fn resolve(
        &self,
        index: &Index,
        position: usize,
        claim: &Claim,
        bag: Option<&Bag>,
        board: &mut Board,
        links: &mut Vec<CausalLink>,
    ) {
        let own = &self.placed[position];
        let back = claim.direction != Direction::Causes;
        let (query, floor, most) = match bag {
            Some(bag) => (bag, self.options.clause_floor, 1),
            None => (&self.bags[position], self.options.repair_floor, self.options.repairs),
        };
        let tied = claim.direction == Direction::MayRepair;
        let range = self.candidates(position, back);
        let mut best: Vec<(f64, usize)> = Vec::with_capacity(most + 1);
        if most == 0 {
            return;
        }
        index.score(query, range, back, tied, board, |other, score| {
            let memory = &self.placed[other];
            if other == position || !self.is_in_order(own, memory, back) {
                return;
            }
            let age = (own.start as f64 - memory.start as f64).abs();
            let score = score / (1.0 + age / self.options.memory_span).sqrt();
            if score < floor || score <= 0.0 {
                return;
            }
            // Few are kept of thousands, so a sorted handful is all there is to keep.
            let ahead = |kept: &(f64, usize)| kept.0 > score || (kept.0 == score && kept.1 < memory.row);
            let place = best.partition_point(ahead);
            if place < most {
                best.truncate(most - 1);
                best.insert(place, (score, memory.row));
            }
        });
        links.extend(best.into_iter().map(|(weight, target)| CausalLink {
            source: own.row,
            target,
            caused_by: back,
            weight: weight.sqrt(),
            cue: claim.cue,
        }));
    }

    /// Positions that time allows: causes begin no later than this ends, effects no earlier than this begins.
    fn candidates(&self, position: usize, back: bool) -> Range<usize> {
        let own = &self.placed[position];
        if back {
            0..self.placed.partition_point(|memory| memory.start <= own.end)
        } else {
            self.placed.partition_point(|memory| memory.start < own.start)..self.placed.len()
        }
    }

    fn is_in_order(&self, own: &Placed, other: &Placed, back: bool) -> bool {
        (own.dated && other.dated) || (other.row < own.row) == back
    }
}
