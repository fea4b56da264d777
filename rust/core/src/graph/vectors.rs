//! Embeddings of one dimension, normalised to length 1, in chunks that copies of the graph share.

use std::sync::Arc;

use arrow_buffer::ScalarBuffer;

use crate::graph::nodes::NONE;
use crate::graph::similarity::{self, Scale};
use crate::graph::spine::Spine;
use crate::{Error, Result};

/// Few, since a change of one row copies all rows beside it.
const CHUNK: usize = 64;

/// Rows that lie together.
#[derive(Debug, Clone)]
struct Chunk {
    rows: Rows,
    codes: Codes,
}

/// Read in place from a file until the first write, own from then on.
#[derive(Debug, Clone)]
enum Rows {
    Mapped(ScalarBuffer<f32>),
    Own(Vec<f32>),
}

/// The rows again in one byte a number, each with its scale behind it, so that a look at one is one piece of memory.
#[derive(Debug, Clone, Default)]
struct Codes(Vec<i8>);

impl Codes {
    /// Bytes of a scale.
    const SCALE: usize = 8;

    fn of(rows: &[f32], dim: usize) -> Self {
        let mut codes = Self(Vec::with_capacity(rows.len() + rows.len() / dim.max(1) * Self::SCALE));
        rows.chunks_exact(dim).for_each(|row| codes.push(row));
        codes
    }

    fn push(&mut self, row: &[f32]) {
        let Scale { scale, error } = similarity::encode(row, &mut self.0);
        self.0.extend([scale, error].into_iter().flat_map(f32::to_le_bytes).map(|byte| byte as i8));
    }

    /// Puts a row in its place or behind the last.
    fn put(&mut self, at: usize, row: &[f32]) {
        let mut fresh = Self::default();
        fresh.push(row);
        match self.0.get_mut(at * fresh.0.len()..(at + 1) * fresh.0.len()) {
            Some(place) => place.copy_from_slice(&fresh.0),
            None => self.0.extend(fresh.0),
        }
    }

    /// A row with its scale behind it, not yet looked at.
    #[inline]
    fn whole(&self, at: usize, dim: usize) -> Option<&[i8]> {
        let stride = dim + Self::SCALE;
        self.0.get(at * stride..(at + 1) * stride)
    }

    #[inline]
    fn row(&self, at: usize, dim: usize) -> Option<(&[i8], Scale)> {
        let (codes, rest) = self.whole(at, dim)?.split_at(dim);
        let number = |at: usize| {
            let &[a, b, c, d] = rest.get(at..at + 4)? else { return None };
            Some(f32::from_le_bytes([a as u8, b as u8, c as u8, d as u8]))
        };
        Some((codes, Scale { scale: number(0)?, error: number(4)? }))
    }
}

impl Chunk {
    fn rows(&self) -> &[f32] {
        match &self.rows {
            Rows::Mapped(rows) => rows,
            Rows::Own(rows) => rows,
        }
    }

    /// Puts a row in its place or behind the last.
    fn put(&mut self, at: usize, row: &[f32]) {
        if let Rows::Mapped(rows) = &self.rows {
            self.rows = Rows::Own(rows.to_vec());
        }
        let Rows::Own(own) = &mut self.rows else { return };
        match own.get_mut(at * row.len()..(at + 1) * row.len()) {
            Some(place) => place.copy_from_slice(row),
            None => own.extend_from_slice(row),
        }
        self.codes.put(at, row);
    }
}

/// The most numbers that a vector may have.
pub const MOST_DIMENSIONS: usize = 1 << 16;

/// The vector store. Rows are float32 of length 1; a vector of zeros has no direction and is not stored.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    dim: usize,
    len: usize,
    chunks: Spine<Chunk>,
    /// Rows that no node has any more.
    free: Arc<Vec<u32>>,
}

impl Vectors {
    /// Dimension, 0 as long as no vector has come.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of rows given out.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no row was given out.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A row, or `None` for [`NONE`] and numbers never given out.
    pub fn row(&self, number: u32) -> Option<&[f32]> {
        let at = (number as usize % CHUNK) * self.dim;
        self.chunks.get(number as usize / CHUNK)?.rows().get(at..at + self.dim).filter(|row| !row.is_empty())
    }

    /// Brings the compact copy of a row near, ahead of [`Self::bounds`]. It looks at no byte of it, which would wait.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        let chunk = self.chunks.get(number as usize / CHUNK);
        let row = chunk.and_then(|chunk| chunk.codes.whole(number as usize % CHUNK, self.dim));
        row.into_iter().for_each(similarity::prefetch);
    }

    /// Brings a row near, ahead of [`Self::row`].
    pub fn prefetch_row(&self, number: u32) {
        self.row(number).into_iter().for_each(similarity::prefetch);
    }

    /// Two numbers between which the cosine of `query` and a row lies, read from the compact copy.
    #[inline]
    pub fn bounds(&self, query: &[f32], number: u32) -> Option<(f64, f64)> {
        let (codes, scale) = self.coded(number).filter(|(codes, _)| codes.len() == query.len() && !codes.is_empty())?;
        Some(similarity::bounds(query, codes, scale))
    }

    /// The larger of the two.
    pub fn upper_bound(&self, query: &[f32], number: u32) -> Option<f64> {
        self.bounds(query, number).map(|(_, high)| high)
    }

    #[inline]
    fn coded(&self, number: u32) -> Option<(&[i8], Scale)> {
        self.chunks.get(number as usize / CHUNK)?.codes.row(number as usize % CHUNK, self.dim)
    }

    /// Stores a normalised copy in `slot` (or a new row for [`NONE`]) and returns the row's number.
    ///
    /// The dimension of the first vector holds for all. A vector of zeros gives [`NONE`].
    pub fn store(&mut self, slot: u32, vector: &[f32]) -> Result<u32> {
        if vector.len() > MOST_DIMENSIONS {
            return Err(Error::value(format!("a vector of {} numbers; {MOST_DIMENSIONS} are the most", vector.len())));
        }
        if self.dim == 0 {
            self.dim = vector.len();
        }
        if vector.len() != self.dim || vector.is_empty() {
            return Err(Error::value(format!(
                "a vector of {} numbers, but the graph holds {}",
                vector.len(),
                self.dim
            )));
        }
        let Some(unit) = normalised(vector) else {
            self.release(slot);
            return Ok(NONE);
        };
        let number = match slot {
            NONE if self.free.is_empty() => self.len,
            NONE => Arc::make_mut(&mut self.free).pop().map_or(self.len, |free| free as usize),
            slot => slot as usize,
        };
        if number == self.chunks.len() * CHUNK {
            self.chunks.push(Chunk { rows: Rows::Own(Vec::new()), codes: Codes::default() });
        }
        if let Some(chunk) = self.chunks.get_mut(number / CHUNK) {
            chunk.put(number % CHUNK, &unit);
        }
        self.len = self.len.max(number + 1);
        Ok(number as u32)
    }

    /// Gives a row back for the next vector; [`NONE`] is none.
    pub fn release(&mut self, slot: u32) {
        if slot != NONE {
            Arc::make_mut(&mut self.free).push(slot);
        }
    }

    /// The rows, a chunk at a time.
    pub fn chunks(&self) -> impl Iterator<Item = &[f32]> {
        self.chunks.iter().map(Chunk::rows)
    }

    /// A store over rows that lie one after the other; `None` if their number or a value cannot be right.
    pub fn from_rows(dim: usize, len: usize, rows: ScalarBuffer<f32>) -> Option<Self> {
        // Numbers that agree with no rows at all must not lead to tables of any size later.
        let counted = dim <= MOST_DIMENSIONS && (dim > 0 || len == 0) && dim.checked_mul(len) == Some(rows.len());
        if !counted || !rows.iter().all(|value| value.abs() <= 1.0 + 1e-5) {
            return None;
        }
        let chunk = CHUNK * dim;
        let part = |begin: usize| {
            let rows = rows.slice(begin, chunk.min(rows.len() - begin));
            Chunk { codes: Codes::of(&rows, dim), rows: Rows::Mapped(rows) }
        };
        let begins = if chunk == 0 { 0..0 } else { 0..rows.len() };
        let mut chunks = Spine::default();
        begins.step_by(chunk.max(1)).for_each(|begin| chunks.push(part(begin)));
        Some(Self { dim, len, chunks, ..Self::default() })
    }

    /// Bytes held by the rows and their compact copy.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| size_of_val(chunk.rows()) + chunk.codes.0.len()).sum()
    }
}

/// The vector at length 1, or `None` if it has no direction. Scaled first, so that no square over- or underflows.
pub fn normalised(vector: &[f32]) -> Option<Vec<f32>> {
    let largest = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let scaled = || vector.iter().map(|&value| f64::from(value) / f64::from(largest));
    let length = scaled().map(|value| value * value).sum::<f64>().sqrt();
    Some(scaled().map(|value| (value / length) as f32).collect())
}
