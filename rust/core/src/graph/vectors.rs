//! Embeddings of one dimension, normalised to length 1, in chunks that copies of the graph share.

use std::sync::Arc;

use crate::graph::nodes::NONE;
use crate::{Error, Result};

const CHUNK: usize = 256;

/// The vector store. Rows are float32 of length 1; a vector of zeros has no direction and is not stored.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    dim: usize,
    len: usize,
    chunks: Vec<Arc<Vec<f32>>>,
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
        self.chunks.get(number as usize / CHUNK)?.get(at..at + self.dim).filter(|row| !row.is_empty())
    }

    /// Stores a normalised copy in `slot` (or a new row for [`NONE`]) and returns the row's number.
    ///
    /// The dimension of the first vector holds for all. A vector of zeros gives [`NONE`].
    pub fn store(&mut self, slot: u32, vector: &[f32]) -> Result<u32> {
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
        let Some(unit) = normalised(vector) else { return Ok(NONE) };
        let number = if slot == NONE { self.len } else { slot as usize };
        if number == self.len {
            if self.len.is_multiple_of(CHUNK) {
                self.chunks.push(Arc::default());
            }
            if let Some(last) = self.chunks.last_mut() {
                Arc::make_mut(last).extend_from_slice(&unit);
            }
            self.len += 1;
        } else if let Some(chunk) = self.chunks.get_mut(number / CHUNK) {
            let at = (number % CHUNK) * self.dim;
            if let Some(row) = Arc::make_mut(chunk).get_mut(at..at + self.dim) {
                row.copy_from_slice(&unit);
            }
        }
        Ok(number as u32)
    }

    /// Bytes held by the rows.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * 4).sum()
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

/// Cosine of two rows of length 1: products exact in float64, eight running sums, so the same on every machine.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0f64; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = left.remainder().iter().zip(right.remainder()).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..8 {
            sums[lane] += f64::from(x[lane]) * f64::from(y[lane]);
        }
    }
    let pairs = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
    ((pairs[0] + pairs[2]) + (pairs[1] + pairs[3]) + tail).clamp(-1.0, 1.0)
}
