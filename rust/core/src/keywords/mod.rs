//! Keyword search: BM25 (Robertson and Zaragoza 2009) over an inverted index that grows and shrinks memory by memory.
//!
//! The index always is what it would be if it had been filled at once with what it holds: counts and lengths are exact
//! after removals too, and sums run in an order that hangs on the terms alone.

mod file;
mod search;
mod tokens;

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

pub use search::{Hits, MOST};
use tokens::Use;

use crate::{Error, Result};

/// The inverted index. Memories go by their position, a small number that the caller gives.
pub struct Keywords {
    numbers: HashMap<Box<str>, u32>,
    lists: Vec<List>,
    fields: [Lengths; 2],
    alive: Vec<bool>,
    count: usize,
    stemmer: Stemmer,
}

/// Where a term occurs, by position, and how often (255 stands for more).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct List {
    positions: Vec<u32>,
    counts: Vec<u8>,
}

/// Number of terms of one field in each memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Lengths {
    each: Vec<u32>,
    sum: u64,
}

impl Default for Keywords {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            lists: Vec::new(),
            fields: Default::default(),
            alive: Vec::new(),
            count: 0,
            stemmer: Stemmer::create(Algorithm::English),
        }
    }
}

impl std::fmt::Debug for Keywords {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Keywords").field("memories", &self.count).field("terms", &self.lists.len()).finish()
    }
}

impl Keywords {
    /// How many memories it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes memories in; `texts` are folded. A position that is taken already is an error.
    pub fn add<'a>(&mut self, memories: impl Iterator<Item = (u32, &'a str)>) -> Result<()> {
        let mut bag = Vec::new();
        for (position, text) in memories {
            if self.alive.get(position as usize).is_some_and(|&alive| alive) {
                return Err(Error::value(format!("the position {position} is taken; remove it first")));
            }
            self.make_room(position as usize + 1);
            let lengths = self.bag(text, &mut bag);
            for &(term, count) in &bag {
                if let Some(list) = self.lists.get_mut(term as usize) {
                    list.insert(position, count);
                }
            }
            for (field, length) in self.fields.iter_mut().zip(lengths) {
                field.each[position as usize] = length;
                field.sum += u64::from(length);
            }
            self.alive[position as usize] = true;
            self.count += 1;
        }
        Ok(())
    }

    /// Takes memories out again; `texts` are those they came with. A position that is not there is an error.
    pub fn remove<'a>(&mut self, memories: impl Iterator<Item = (u32, &'a str)>) -> Result<()> {
        let mut bag = Vec::new();
        for (position, text) in memories {
            if !self.alive.get(position as usize).is_some_and(|&alive| alive) {
                return Err(Error::value(format!("there is nothing at position {position}")));
            }
            self.bag(text, &mut bag);
            for &(term, _) in &bag {
                if let Some(list) = self.lists.get_mut(term as usize) {
                    list.remove(position);
                }
            }
            for field in &mut self.fields {
                field.sum -= u64::from(std::mem::take(&mut field.each[position as usize]));
            }
            self.alive[position as usize] = false;
            self.count -= 1;
        }
        Ok(())
    }

    /// Whether a text says more than function words.
    pub fn names_something(&self, text: &str) -> bool {
        let mut found = false;
        tokens::terms(text, &self.stemmer, Use::Ask, |_, function, _| found |= !function);
        found
    }

    fn make_room(&mut self, size: usize) {
        if size > self.alive.len() {
            self.alive.resize(size, false);
            self.fields.iter_mut().for_each(|field| field.each.resize(size, 0));
        }
    }

    /// The terms of a text with their counts, each once, by number, and the number of terms of each field.
    fn bag(&mut self, text: &str, bag: &mut Vec<(u32, u8)>) -> [u32; 2] {
        bag.clear();
        let mut lengths = [0u32; 2];
        let (numbers, lists) = (&mut self.numbers, &mut self.lists);
        tokens::terms(text, &self.stemmer, Use::Store, |field, _, key| {
            let number = numbers.get(key).copied().unwrap_or_else(|| {
                let number = lists.len() as u32;
                numbers.insert(key.into(), number);
                lists.push(List::default());
                number
            });
            lengths[field as usize] += 1;
            bag.push((number, 1));
        });
        bag.sort_unstable_by_key(|(number, _)| *number);
        bag.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(1);
            }
            same
        });
        lengths
    }
}

impl List {
    fn insert(&mut self, position: u32, count: u8) {
        let at = match self.positions.last() {
            Some(&last) if last >= position => self.positions.partition_point(|&other| other < position),
            _ => self.positions.len(),
        };
        self.positions.insert(at, position);
        self.counts.insert(at, count);
    }

    fn remove(&mut self, position: u32) {
        if let Ok(at) = self.positions.binary_search(&position) {
            self.positions.remove(at);
            self.counts.remove(at);
        }
    }
}
