//! The best memories for a question's words.

use std::cell::RefCell;

use super::tokens::{self, Field, Use};
use super::{Keywords, List};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Terms of a question that count, the rarest; a question has fewer, a pasted document more.
pub const MOST: usize = 256;
/// Lists up to here are read as they are: finding out what may be left out would cost more.
const SHORT: usize = 1_024;

thread_local! {
    // One sum a memory, all zero between searches: fresh ones would cost a search more than reading its lists.
    static SUMS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// What a search found: positions with their scores, best first, ties by position, and the question's whole weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// Positions.
    pub positions: Vec<u32>,
    /// BM25 of each.
    pub scores: Vec<f64>,
    /// What a text of average length scores that holds every term once. Terms that no memory holds weigh nothing.
    pub whole: f64,
}

struct Term<'a> {
    key: Box<str>,
    list: &'a List,
    field: Field,
    weight: f64,
}

impl Keywords {
    /// The `limit` best memories of those in `mask` (one byte a position, 0 keeps out; shorter masks keep the rest
    /// out), and all that tie with the last of them.
    pub fn search(&self, text: &str, limit: usize, mask: Option<&[u8]>) -> Hits {
        let mut terms = self.asked(text);
        let whole = terms.iter().map(|term| term.weight).sum();
        if terms.is_empty() || limit == 0 {
            return Hits { whole, ..Hits::default() };
        }
        // Rarest first; the order of sums hangs on nothing but the terms and how often they occur.
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.key.cmp(&b.key)));
        terms.truncate(MOST);
        SUMS.with_borrow_mut(|sums| {
            sums.resize(self.alive.len().max(sums.len()), 0.0);
            let found = self.add_up(&terms, limit, mask, sums);
            let (mut best, cut) = cut(&found, sums, limit);
            for position in found {
                sums[position as usize] = 0.0;
            }
            best.retain(|(_, score)| *score >= cut);
            best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let (positions, scores) = best.into_iter().unzip();
            Hits { positions, scores, whole }
        })
    }

    /// A question's terms that any memory holds, each once; function words only where there is nothing else.
    fn asked(&self, text: &str) -> Vec<Term<'_>> {
        let mut found: Vec<(Field, bool, Box<str>)> = Vec::new();
        tokens::terms(text, &self.stemmer, Use::Ask, |field, function, key| found.push((field, function, key.into())));
        let only_function = found.iter().all(|(_, function, _)| *function);
        found.retain(|(_, function, _)| only_function || !function);
        found.sort_by(|a, b| a.2.cmp(&b.2));
        found.dedup_by(|a, b| a.2 == b.2);
        let all = self.count as f64;
        let known = found.into_iter().filter_map(|(field, _, key)| {
            let list = self.lists.get(*self.numbers.get(&key)? as usize).filter(|list| !list.positions.is_empty())?;
            let holding = list.positions.len() as f64;
            let weight = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            Some(Term { key, list, field, weight })
        });
        known.collect()
    }

    /// Adds the terms up into `sums`; returns every position with a sum, among them all that can be among the best.
    fn add_up(&self, terms: &[Term<'_>], limit: usize, mask: Option<&[u8]>, sums: &mut [f64]) -> Vec<u32> {
        let passes = |position: u32| mask.is_none_or(|mask| mask.get(position as usize).is_some_and(|&keep| keep != 0));
        let mut touched: Vec<u32> = Vec::new();
        let mut rest: f64 = terms.iter().map(|term| term.weight * (1.0 + K1)).sum();
        for (place, term) in terms.iter().enumerate() {
            let list = term.list;
            if list.positions.len() > SHORT && touched.len() >= limit {
                // What holds none of the terms so far cannot pass the present last (Turtle and Flood 1995).
                let (_, last) = cut(&touched, sums, limit);
                if last > rest * (1.0 + 1e-9) {
                    self.complete(&terms[place..], &mut touched, rest, last, sums);
                    return touched;
                }
            }
            rest -= term.weight * (1.0 + K1);
            let gain = self.gain(term);
            for (&position, &count) in list.positions.iter().zip(&list.counts) {
                if passes(position) {
                    let sum = &mut sums[position as usize];
                    if *sum == 0.0 {
                        touched.push(position);
                    }
                    *sum += gain(position, count);
                }
            }
        }
        touched
    }

    /// Adds the remaining terms to those positions that can still be among the best.
    fn complete(&self, terms: &[Term<'_>], touched: &mut Vec<u32>, rest: f64, last: f64, sums: &mut [f64]) {
        touched.retain(|&position| {
            let keep = sums[position as usize] + rest * (1.0 + 1e-9) >= last;
            if !keep {
                sums[position as usize] = 0.0;
            }
            keep
        });
        touched.sort_unstable();
        for term in terms {
            let (gain, positions) = (self.gain(term), &term.list.positions);
            let mut from = 0;
            for &position in touched.iter() {
                from += gallop(&positions[from..], position);
                match positions.get(from) {
                    Some(&found) if found == position => {
                        sums[position as usize] += gain(position, term.list.counts[from]);
                    }
                    Some(_) => {}
                    None => break,
                }
            }
        }
    }

    /// What a term adds to a memory that holds it some number of times.
    fn gain(&self, term: &Term<'_>) -> impl Fn(u32, u8) -> f64 {
        let lengths = &self.fields[term.field as usize];
        let mean = (lengths.sum as f64 / self.count.max(1) as f64).max(f64::MIN_POSITIVE);
        let (base, slope, weight) = (K1 * (1.0 - B), K1 * B / mean, term.weight * (1.0 + K1));
        move |position, count| {
            let count = f64::from(count);
            weight * (count / (count + base + slope * f64::from(lengths.each[position as usize])))
        }
    }
}

/// Positions with their sums, and the sum of the `limit`-th best (0 if there are fewer).
fn cut(found: &[u32], sums: &[f64], limit: usize) -> (Vec<(u32, f64)>, f64) {
    let mut scored: Vec<(u32, f64)> = found.iter().map(|&position| (position, sums[position as usize])).collect();
    if scored.len() <= limit {
        return (scored, 0.0);
    }
    let last = scored.select_nth_unstable_by(limit - 1, |a, b| b.1.total_cmp(&a.1)).1.1;
    (scored, last)
}

/// Index of the first number of a sorted slice that is not below `wanted`, found in steps that double.
fn gallop(sorted: &[u32], wanted: u32) -> usize {
    let mut step = 1;
    while sorted.get(step - 1).is_some_and(|&number| number < wanted) {
        step *= 2;
    }
    let (from, to) = (step / 2, (step - 1).min(sorted.len()));
    from + sorted[from..to].partition_point(|&number| number < wanted)
}
