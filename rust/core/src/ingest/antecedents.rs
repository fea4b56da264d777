//! Which memory a text speaks of: an inverted index with BM25 weights, read from a point in time outwards.

use std::collections::HashMap;

use super::words::words;

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Words of a query that are looked up: the rarest carry nearly all of the weight.
const MOST_TERMS: usize = 24;
/// Entries of a list that are read, nearest in time first, so that a query never costs more.
const REACH: usize = 1_000;
/// Counts shared entities beside shared words in one number.
const ENTITY: u32 = 1 << 16;

/// Begins the key of an entity; no word has it.
const MARK: char = '\u{1f}';

/// One memory as a bag of words.
pub struct Bag {
    /// Number of each word and how often it is there, by number.
    words: Vec<(u32, f64)>,
    length: f64,
}

/// The words of one namespace, with memories in the order of time.
#[derive(Default)]
pub struct Vocabulary {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Vocabulary {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(word.into(), number);
        self.texts.push(word.into());
        number
    }

    /// The bag of a text and its entities; an entity counts `entity_weight` times.
    pub fn bag<'a>(&mut self, text: &str, entities: impl Iterator<Item = &'a str>, entity_weight: f64) -> Bag {
        let mut counts: Vec<(u32, f64)> = Vec::new();
        words(text, |word| counts.push((self.number(word), 1.0)));
        for entity in entities {
            // A key that no word can have, so that the entity "May" is not the word.
            counts.push((self.number(&format!("{MARK}{entity}")), entity_weight));
        }
        counts.sort_unstable_by_key(|(number, _)| *number);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let length = counts.iter().map(|(_, count)| count).sum();
        Bag { words: counts, length }
    }
}

/// Sums of scores, kept from query to query so that none allocates.
#[derive(Default)]
pub struct Board {
    sums: Vec<(f64, u32)>,
    touched: Vec<u32>,
}

/// The inverted index over bags in the order of time.
pub struct Index {
    lists: Vec<Vec<(u32, f32)>>,
    rarity: Vec<f64>,
    rank: Vec<u32>,
    /// Entities that few enough memories have to tie two of them together.
    ties: Vec<bool>,
}

impl Index {
    /// Builds the index; `bags` are in the order of time.
    pub fn new(bags: &[&Bag], vocabulary: &Vocabulary) -> Self {
        let mut lists: Vec<Vec<(u32, f32)>> = vec![Vec::new(); vocabulary.texts.len()];
        let mean = bags.iter().map(|bag| bag.length).sum::<f64>() / bags.len().max(1) as f64;
        for (position, bag) in bags.iter().enumerate() {
            let norm = K1 * (1.0 - B + B * bag.length / mean.max(1.0));
            for &(word, count) in &bag.words {
                lists[word as usize].push((position as u32, (count / (count + norm)) as f32));
            }
        }
        let all = bags.len() as f64;
        let rarity = lists.iter().map(|list| (1.0 + (all - list.len() as f64 + 0.5) / (list.len() as f64 + 0.5)).ln());
        let rarity: Vec<f64> = rarity.collect();
        // Sums run over words in an order that does not depend on the order of memories.
        let mut order: Vec<u32> = (0..vocabulary.texts.len() as u32).collect();
        order.sort_unstable_by(|a, b| vocabulary.texts[*a as usize].cmp(&vocabulary.texts[*b as usize]));
        let mut rank = vec![0; order.len()];
        for (place, word) in order.iter().enumerate() {
            rank[*word as usize] = place as u32;
        }
        let most = (bags.len() / 50).max(5);
        let ties = lists.iter().zip(&vocabulary.texts).map(|(list, text)| text.starts_with(MARK) && list.len() <= most);
        let ties = ties.collect();
        Self { lists, rarity, rank, ties }
    }

    /// Scores of memories in `positions` for a query: the share of the query's information that each has, in [0, 1).
    ///
    /// Reads backwards from the end of the range (`backwards`) or forwards from its begin. A memory must share two
    /// words or entities, and with `tied` an entity that few have. Calls `take` with position and score, in no order that means anything.
    pub fn score(
        &self,
        query: &Bag,
        positions: std::ops::Range<usize>,
        backwards: bool,
        tied: bool,
        scratch: &mut Board,
        mut take: impl FnMut(usize, f64),
    ) {
        let mut terms: Vec<(u32, f64)> = query
            .words
            .iter()
            .filter(|(word, _)| self.lists[*word as usize].len() > 1)
            .map(|&(word, count)| (word, count * self.rarity[word as usize] / (count + K1) * (1.0 + K1)))
            .collect();
        terms.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(self.rank[a.0 as usize].cmp(&self.rank[b.0 as usize])));
        terms.truncate(MOST_TERMS);
        let whole: f64 = terms.iter().map(|(_, weight)| weight).sum();
        if whole <= 0.0 {
            return;
        }
        let board = &mut *scratch;
        board.sums.resize(positions.end.max(board.sums.len()), (0.0, 0));
        for (word, weight) in &terms {
            let list = &self.lists[*word as usize];
            let from = list.partition_point(|(position, _)| (*position as usize) < positions.start);
            let to = list.partition_point(|(position, _)| (*position as usize) < positions.end);
            let read = if backwards { to.saturating_sub(REACH).max(from)..to } else { from..to.min(from + REACH) };
            let step = if self.ties[*word as usize] { 1 + ENTITY } else { 1 };
            for &(position, share) in list.get(read).unwrap_or_default() {
                let sum = &mut board.sums[position as usize];
                if sum.1 == 0 {
                    board.touched.push(position);
                }
                sum.0 += weight * f64::from(share);
                sum.1 += step;
            }
        }
        for position in board.touched.drain(..) {
            let (sum, count) = std::mem::take(&mut board.sums[position as usize]);
            if count % ENTITY > 1 && (!tied || count >= ENTITY) {
                take(position as usize, sum / whole);
            }
        }
    }
}
