//! The best rows of each group, in a total order.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{Groups, Ids, Scored};
use crate::decay::pool::with_threads;

/// Row numbers, group by group in the order of the groups' codes, best first, at most `k` of a group.
///
/// Order: score descending; then the rows without a score, by similarity; then those without similarity. Equal rows
/// go by id, then by position.
pub fn ranked(
    scored: &Scored,
    groups: Option<&Groups>,
    ids: Option<&Ids>,
    k: Option<usize>,
    threads: Option<usize>,
) -> Vec<u64> {
    let rows = scored.score.len();
    let kept = |row: usize| scored.dropped.as_ref().is_none_or(|dropped| !dropped[row]);
    let Some(groups) = groups else {
        let mut all: Vec<u64> = (0..rows).filter(|row| kept(*row)).map(|row| row as u64).collect();
        let length = best(&mut all, scored, ids, k);
        all.truncate(length);
        return all;
    };
    // Counting sort by group: rows of a group side by side, in their order.
    let mut ends = vec![0_usize; groups.count + 1];
    let codes = groups.codes.values();
    (0..rows).filter(|row| kept(*row)).for_each(|row| ends[codes[row] as usize + 1] += 1);
    for group in 0..groups.count {
        ends[group + 1] += ends[group];
    }
    let mut next = ends.clone();
    let mut all = vec![0_u64; ends[groups.count]];
    for row in (0..rows).filter(|row| kept(*row)) {
        let at = &mut next[codes[row] as usize];
        all[*at] = row as u64;
        *at += 1;
    }
    let mut parts = Vec::with_capacity(groups.count);
    let mut rest = all.as_mut_slice();
    for group in 0..groups.count {
        let (part, after) = rest.split_at_mut(ends[group + 1] - ends[group]);
        parts.push(part);
        rest = after;
    }
    let lengths: Vec<usize> = with_threads(rows, threads, |threads| match threads {
        None => parts.iter_mut().map(|part| best(part, scored, ids, k)).collect(),
        Some(_) => parts.par_iter_mut().with_min_len(64).map(|part| best(part, scored, ids, k)).collect(),
    });
    let mut out = Vec::with_capacity(lengths.iter().sum());
    for (group, length) in lengths.into_iter().enumerate() {
        out.extend_from_slice(&all[ends[group]..ends[group] + length]);
    }
    out
}

/// Brings the best `k` to the front in order, and tells how many there are.
fn best(rows: &mut [u64], scored: &Scored, ids: Option<&Ids>, k: Option<usize>) -> usize {
    let length = k.unwrap_or(rows.len()).min(rows.len());
    let compare = |a: &u64, b: &u64| compare(scored, ids, *a as usize, *b as usize);
    if length > 0 && length < rows.len() / 2 {
        rows.select_nth_unstable_by(length - 1, compare);
        rows[..length].sort_unstable_by(compare);
    } else {
        rows.sort_unstable_by(compare);
    }
    length
}

fn compare(scored: &Scored, ids: Option<&Ids>, a: usize, b: usize) -> Ordering {
    descending(scored.score[a], scored.score[b])
        .then_with(|| {
            if scored.score[a].is_nan() {
                descending(scored.similarity[a], scored.similarity[b])
            } else {
                Ordering::Equal
            }
        })
        .then_with(|| match ids {
            Some(ids) => by_id(ids, a, b),
            None => Ordering::Equal,
        })
        .then(a.cmp(&b))
}

/// Larger first, missing last; 0 and −0 are equal.
pub(super) fn descending(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => b.partial_cmp(&a).unwrap_or(Ordering::Equal),
        (a, b) => a.cmp(&b),
    }
}

/// Smaller ids first, missing ones last.
fn by_id(ids: &Ids, a: usize, b: usize) -> Ordering {
    use arrow_array::Array;
    fn compare<T: Ord>(valid: [bool; 2], a: T, b: T) -> Ordering {
        match valid {
            [true, true] => a.cmp(&b),
            [a, b] => b.cmp(&a),
        }
    }
    match ids {
        Ids::Text(ids) => compare([ids.is_valid(a), ids.is_valid(b)], ids.value(a), ids.value(b)),
        Ids::Number(ids) => compare([ids.is_valid(a), ids.is_valid(b)], ids.value(a), ids.value(b)),
    }
}
