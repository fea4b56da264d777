//! The nearest of some vectors by cosine, exactly: bounds from a compact copy first, then what they cannot rule out.

use arrow_buffer::ScalarBuffer;

use crate::graph::similarity;
use crate::graph::vectors::{Vectors, normalised};
use crate::{Error, Result};

/// No vector at this position.
const NONE: u32 = u32::MAX;
/// A vector of zeros, which has cosine 0 with everything.
const ZERO: u32 = u32::MAX - 1;
/// How many rows before its turn one is fetched.
const AHEAD: usize = 8;

/// Vectors by position, a small number that the caller gives.
#[derive(Debug, Clone, Default)]
pub struct Nearest {
    rows: Vectors,
    slots: Vec<u32>,
    count: usize,
}

impl Nearest {
    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Stores a vector at a position, or replaces the one that is there.
    pub fn put(&mut self, position: u32, vector: &[f32]) -> Result<()> {
        if position as usize >= self.slots.len() {
            self.slots.resize(position as usize + 1, NONE);
        }
        let Some(slot) = self.slots.get_mut(position as usize) else { return Ok(()) };
        self.count += usize::from(*slot == NONE);
        let stored = self.rows.store(if *slot == ZERO { NONE } else { *slot }, vector)?;
        *slot = if stored == NONE { ZERO } else { stored };
        Ok(())
    }

    /// Takes the vector at a position away, if there is one.
    pub fn remove(&mut self, position: u32) {
        let Some(slot) = self.slots.get_mut(position as usize).filter(|slot| **slot != NONE) else { return };
        if *slot != ZERO {
            self.rows.release(*slot);
        }
        *slot = NONE;
        self.count -= 1;
    }

    /// The vector at a position at length 1; zeros where there is none.
    pub fn unit(&self, position: u32) -> &[f32] {
        self.slots.get(position as usize).and_then(|&slot| self.rows.row(slot)).unwrap_or_default()
    }

    /// The cosine of a query with the vector at each position, in [-1, 1]; 0 where there is none.
    pub fn cosines(&self, query: &[f32], positions: &[u32]) -> Vec<f64> {
        let Some(query) = normalised(query) else { return vec![0.0; positions.len()] };
        positions.iter().map(|&position| self.cosine(&query, position)).collect()
    }

    /// The `limit` nearest, of all or of the positions in `among`, and all that tie with the last of them: positions
    /// and cosines, best first, ties by position.
    pub fn search(&self, query: &[f32], limit: usize, among: Option<&[u32]>) -> (Vec<u32>, Vec<f64>) {
        let query = normalised(query).unwrap_or_else(|| vec![0.0; query.len()]);
        let bound = |position: u32, slot: u32| {
            (slot != NONE).then(|| (position, self.rows.upper_bound(&query, slot).unwrap_or(0.0)))
        };
        let mut bounds: Vec<(u32, f64)> = match among {
            None => (0..).zip(&self.slots).filter_map(|(position, &slot)| bound(position, slot)).collect(),
            Some(among) => {
                let slot = |position: u32| self.slots.get(position as usize).copied().unwrap_or(NONE);
                // Rows of chosen positions lie far apart: a later one is fetched while one is looked at.
                let ahead = among.iter().skip(AHEAD).map(Some).chain(std::iter::repeat(None));
                let fetched = among.iter().zip(ahead).map(|(&position, later)| {
                    later.into_iter().for_each(|&later| self.rows.prefetch(slot(later)));
                    position
                });
                fetched.filter_map(|position| bound(position, slot(position))).collect()
            }
        };
        if bounds.is_empty() || limit == 0 {
            return Default::default();
        }
        let limit = limit.min(bounds.len());
        bounds.select_nth_unstable_by(limit - 1, |a, b| b.1.total_cmp(&a.1));
        let exact = |&(position, _): &(u32, f64)| (position, self.cosine(&query, position));
        let (first, others) = bounds.split_at(limit);
        let mut found: Vec<(u32, f64)> = first.iter().map(exact).collect();
        let last = found.iter().map(|found| found.1).fold(f64::INFINITY, f64::min);
        found.extend(others.iter().filter(|(_, bound)| *bound >= last).map(exact));
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let last = found.get(limit - 1).map_or(f64::NEG_INFINITY, |found| found.1);
        let kept = found.partition_point(|(_, cosine)| *cosine >= last);
        found.truncate(kept);
        found.into_iter().unzip()
    }

    /// Slots by position and the rows one after the other, for [`Self::from_parts`].
    pub fn parts(&self) -> (&[u32], impl Iterator<Item = &[f32]>) {
        (&self.slots, self.rows.chunks())
    }

    /// From what `parts` gave; the rows are read in place.
    pub fn from_parts(dim: usize, slots: Vec<u32>, rows: ScalarBuffer<f32>) -> Result<Self> {
        let damaged = || Error::Format("these are not the parts of a vector index, or they are damaged".into());
        let len = rows.len().checked_div(dim).unwrap_or(0);
        let mut free = vec![true; len];
        for &slot in slots.iter().filter(|&&slot| slot < ZERO) {
            // Two positions in one row would change both at once.
            match free.get_mut(slot as usize) {
                Some(free) if *free => *free = false,
                _ => return Err(damaged()),
            }
        }
        let mut rows = Vectors::from_rows(dim, len, rows).ok_or_else(damaged)?;
        (0..len as u32).filter(|&slot| free.get(slot as usize) == Some(&true)).for_each(|slot| rows.release(slot));
        let count = slots.iter().filter(|&&slot| slot != NONE).count();
        Ok(Self { rows, slots, count })
    }

    fn cosine(&self, query: &[f32], position: u32) -> f64 {
        similarity::cosine(query, self.unit(position))
    }
}
