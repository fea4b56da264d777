//! Which memory a text speaks of: an inverted index with BM25 weights, read from a point in time outwards.
//!
//! The weights take counts in steps only, and a fixed length as the usual one. So a new memory changes few of them, and
//! the links of few others; the index is the same however it came to hold what it holds.

use std::collections::HashMap;

use super::words::words;

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Length of a text, in words and entities, that neither helps nor hinders it.
const USUAL_LENGTH: f64 = 32.0;
/// Words of a query that are looked up: the rarest carry nearly all of the weight.
const MOST_TERMS: usize = 24;
/// Entities of a query that are looked up, the rarest.
const MOST_ENTITIES: usize = 48;
/// Entries of a list that are read, nearest in time first, so that a query never costs more.
pub const REACH: usize = 1_000;
/// Counts shared entities beside shared words in one number.
const ENTITY: u32 = 1 << 16;

/// Begins the key of an entity; no word has it.
const MARK: char = '\u{1f}';

/// One memory or clause as a bag of words and entities.
#[derive(Debug, Clone, Default)]
pub struct Bag {
    /// Number of each word and how often it is there, by number.
    pub words: Vec<(u32, f32)>,
    length: f64,
}

/// A place in time: begin and order of arrival.
pub type Key = (i64, i64);

/// Sums of scores, kept from query to query so that none allocates.
#[derive(Default)]
pub struct Board {
    sums: Vec<Sum>,
    touched: Vec<u32>,
}

/// What one memory shares with a query: information in words and in entities, and how many of both.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    words: f64,
    entities: f64,
    shared: u32,
}

/// The inverted index of one namespace over bags in the order of time.
#[derive(Debug, Default)]
pub struct Index {
    numbers: HashMap<Box<str>, u32>,
    words: Vec<Word>,
    count: usize,
}

#[derive(Debug, Default)]
struct Word {
    text: Box<str>,
    /// Position of each memory that has it, with the word's share in it, in the order of time.
    list: Vec<(u32, f32)>,
    /// Memories that ask for it.
    askers: Vec<u32>,
}

/// A direction in time to read in, and the end it begins at: the last begin, or the first.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    /// What begins at this time or before, latest first.
    UpTo(i64),
    /// What begins at this time or later, earliest first.
    From(i64),
}

impl Index {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(word.into(), number);
        self.words.push(Word { text: word.into(), ..Word::default() });
        number
    }

    /// The bag of a text and its entities.
    pub fn bag<'a>(&mut self, text: &str, entities: impl Iterator<Item = &'a str>) -> Bag {
        let mut counts: Vec<(u32, f32)> = Vec::new();
        words(text, |word| counts.push((self.number(word), 1.0)));
        let length = counts.len() as f64;
        for entity in entities {
            // A key that no word can have, so that the entity "May" is not the word.
            counts.push((self.number(&format!("{MARK}{entity}")), 1.0));
        }
        counts.sort_unstable_by_key(|(number, _)| *number);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Bag { words: counts, length }
    }

    /// Takes a memory in; `key` gives the place in time of this and every other position.
    pub fn insert(&mut self, position: u32, bag: &Bag, key: impl Fn(u32) -> Key) {
        let norm = K1 * (1.0 - B + B * bag.length / USUAL_LENGTH);
        for &(word, count) in &bag.words {
            let Some(word) = self.words.get_mut(word as usize) else { continue };
            // Having much else beside it makes a word say less of a memory, an entity not.
            let entity = word.text.starts_with(MARK);
            let share = if entity { 1.0 } else { (f64::from(count) / (f64::from(count) + norm)) as f32 };
            let own = key(position);
            let at = match word.list.last() {
                Some(&(last, _)) if key(last) > own => word.list.partition_point(|&(other, _)| key(other) < own),
                _ => word.list.len(),
            };
            word.list.insert(at, (position, share));
        }
        self.count += 1;
    }

    /// Takes a memory out.
    pub fn remove(&mut self, position: u32, bag: &Bag, key: impl Fn(u32) -> Key) {
        for &(word, _) in &bag.words {
            let Some(word) = self.words.get_mut(word as usize) else { continue };
            let at = word.list.partition_point(|&(other, _)| key(other) < key(position));
            if word.list.get(at).is_some_and(|&(found, _)| found == position) {
                word.list.remove(at);
            }
        }
        self.count -= 1;
    }

    /// Notes that a memory asks for the words of a bag, or no longer does.
    pub fn ask(&mut self, position: u32, bag: &Bag, asks: bool) {
        for &(word, _) in &bag.words {
            let Some(word) = self.words.get_mut(word as usize) else { continue };
            match word.askers.binary_search(&position) {
                Err(at) if asks => word.askers.insert(at, position),
                Ok(at) if !asks => {
                    word.askers.remove(at);
                }
                _ => {}
            }
        }
    }

    /// Memories that ask for a word.
    pub fn askers(&self, word: u32) -> &[u32] {
        self.words.get(word as usize).map_or(&[], |word| &word.askers)
    }

    /// The number of memories as the weights take it.
    pub fn scale(&self) -> usize {
        self.count.next_power_of_two()
    }

    /// All that the weight of a word hangs on besides [`Self::scale`]: how many have it in steps, and whether it ties.
    pub fn standing(&self, word: u32) -> (usize, bool) {
        let Some(word) = self.words.get(word as usize) else { return (0, false) };
        (stepped(word.list.len()), word.text.starts_with(MARK) && word.list.len() <= (self.scale() / 8).max(5))
    }

    /// Whether a change at one of `keys` (sorted) is within what a query for a word reads on a side.
    pub fn reads(&self, word: u32, side: Side, keys: &[Key], key: impl Fn(u32) -> Key) -> bool {
        let Some(word) = self.words.get(word as usize) else { return false };
        let before = |wanted: Key| word.list.partition_point(|&(position, _)| key(position) < wanted);
        let between = match side {
            Side::UpTo(last) => {
                let Some(&nearest) = keys.get(keys.partition_point(|key| key.0 <= last).wrapping_sub(1)) else {
                    return false;
                };
                word.list.partition_point(|&(position, _)| key(position).0 <= last) - before(nearest)
            }
            Side::From(first) => {
                let Some(&nearest) = keys.get(keys.partition_point(|key| key.0 < first)) else { return false };
                before(nearest) - word.list.partition_point(|&(position, _)| key(position).0 < first)
            }
        };
        between <= REACH + keys.len()
    }

    /// What memories on a side in time share with a query, in [0, 1): of the information of its words, and of that of
    /// its entities (1 if it has none).
    ///
    /// A memory must share two words or entities, and with `tied` an entity that few have. Calls `take` with position
    /// and both shares, in no order that means anything.
    pub fn shares(
        &self,
        query: &Bag,
        side: Side,
        tied: bool,
        key: impl Fn(u32) -> Key,
        board: &mut Board,
        mut take: impl FnMut(u32, f64, f64),
    ) {
        let (words, in_words) = self.terms(query, false, MOST_TERMS);
        let (entities, in_entities) = self.terms(query, true, MOST_ENTITIES);
        if in_words <= 0.0 {
            return;
        }
        for (entity, term) in words.iter().map(|term| (false, term)).chain(entities.iter().map(|term| (true, term))) {
            let list = &term.word.list;
            let read = match side {
                Side::UpTo(last) => {
                    let to = list.partition_point(|&(position, _)| key(position).0 <= last);
                    to.saturating_sub(REACH)..to
                }
                Side::From(first) => {
                    let from = list.partition_point(|&(position, _)| key(position).0 < first);
                    from..list.len().min(from + REACH)
                }
            };
            for &(position, share) in list.get(read).unwrap_or_default() {
                if board.sums.len() <= position as usize {
                    board.sums.resize(position as usize + 1, Sum::default());
                }
                let sum = &mut board.sums[position as usize];
                if sum.shared == 0 {
                    board.touched.push(position);
                }
                let gain = term.weight * f64::from(share);
                if entity {
                    sum.entities += gain
                } else {
                    sum.words += gain
                }
                sum.shared += if term.ties { 1 + ENTITY } else { 1 };
            }
        }
        for position in board.touched.drain(..) {
            let sum = std::mem::take(&mut board.sums[position as usize]);
            if sum.shared % ENTITY > 1 && (!tied || sum.shared >= ENTITY) {
                let known = if in_entities > 0.0 { sum.entities / in_entities } else { 1.0 };
                take(position, sum.words / in_words, known);
            }
        }
    }

    /// The words or the entities of a query that weigh most, and the weight of all that are taken.
    fn terms(&self, query: &Bag, entities: bool, most: usize) -> (Vec<Term<'_>>, f64) {
        let mut terms: Vec<Term<'_>> = Vec::new();
        let all = self.scale() as f64;
        for &(number, count) in &query.words {
            let Some(word) = self.words.get(number as usize).filter(|word| word.list.len() > 1) else { continue };
            if word.text.starts_with(MARK) != entities {
                continue;
            }
            let (having, ties) = self.standing(number);
            let rarity = (1.0 + (all - having as f64 + 0.5) / (having as f64 + 0.5)).ln();
            let count = f64::from(count);
            terms.push(Term { word, weight: count * rarity / (count + K1) * (1.0 + K1), ties });
        }
        // Sums run over words in an order that does not depend on the order of memories.
        terms.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.word.text.cmp(&b.word.text)));
        terms.truncate(most);
        let whole = terms.iter().map(|term| term.weight).sum();
        (terms, whole)
    }
}

/// A word or entity of a query.
struct Term<'a> {
    word: &'a Word,
    weight: f64,
    ties: bool,
}

/// A number by its first three binary digits: steps of an eighth to a quarter, none below eight.
fn stepped(number: usize) -> usize {
    let shift = (usize::BITS - number.leading_zeros()).saturating_sub(3);
    number >> shift << shift
}
