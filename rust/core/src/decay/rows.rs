//! The loop over rows that all engines but ACT-R share: a distance for each row, a curve over it, a column out.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float32Array, Float64Array};
use arrow_buffer::NullBuffer;
use rayon::prelude::*;

use super::params::Param;
use super::pool::with_threads;
use super::results::{Number, Results};
use super::settings::Settings;
use super::simd::{self, Kernel, Level, prefetch};
use crate::Result;

/// Where the distance of a row comes from.
pub trait Axis: Copy + Send + Sync {
    /// The same for `length` rows from `start` on.
    fn part(self, start: usize, length: usize) -> Self;
    /// The distance of a row, at least 0.
    fn distance(&self, row: usize) -> f64;
    /// Asks for the memory of the rows of a later block.
    fn prefetch(&self, start: usize, length: usize);
}

/// Age in microseconds: now − t, and 0 for the future.
#[derive(Clone, Copy)]
pub struct Age<'a> {
    /// Times in microseconds.
    pub times: &'a [i64],
    /// The present.
    pub now: i64,
}

impl Axis for Age<'_> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        Self { times: &self.times[start..start + length], ..self }
    }

    #[inline(always)]
    fn distance(&self, row: usize) -> f64 {
        age(self.now, self.times[row])
    }

    #[inline(always)]
    fn prefetch(&self, start: usize, length: usize) {
        prefetch(self.times, start, length);
    }
}

/// max(0, now − t) in microseconds: subtracted as integers, exact over the whole range of 64 bits, then rounded once.
#[inline(always)]
pub fn age(now: i64, time: i64) -> f64 {
    let exact = if time < now { now.wrapping_sub(time) as u64 } else { 0 };
    exact as f64
}

/// Distance in microseconds to a moment, before or after.
#[derive(Clone, Copy)]
pub struct Gap<'a> {
    /// Times in microseconds.
    pub times: &'a [i64],
    /// The moment.
    pub origin: i64,
}

impl Axis for Gap<'_> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        Self { times: &self.times[start..start + length], ..self }
    }

    #[inline(always)]
    fn distance(&self, row: usize) -> f64 {
        let time = self.times[row];
        let forward = self.origin.wrapping_sub(time) as u64;
        let exact = if time < self.origin { forward } else { forward.wrapping_neg() };
        exact as f64
    }

    #[inline(always)]
    fn prefetch(&self, start: usize, length: usize) {
        prefetch(self.times, start, length);
    }
}

/// Distance of a number to a number, before or after.
#[derive(Clone, Copy)]
pub struct Difference<'a> {
    /// Values.
    pub values: &'a [f64],
    /// The value at distance 0.
    pub origin: f64,
}

impl Axis for Difference<'_> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        Self { values: &self.values[start..start + length], ..self }
    }

    #[inline(always)]
    fn distance(&self, row: usize) -> f64 {
        (self.values[row] - self.origin).abs()
    }

    #[inline(always)]
    fn prefetch(&self, start: usize, length: usize) {
        prefetch(self.values, start, length);
    }
}

/// A weight as a function of a distance.
pub trait Curve: Copy + Send + Sync {
    /// The same for `length` rows from `start` on.
    #[inline(always)]
    fn part(self, _start: usize, _length: usize) -> Self {
        self
    }
    /// The weight of a row at a distance.
    fn weight<const FMA: bool>(&self, distance: f64, row: usize) -> f64;
    /// Up to which distance [`Curve::weight_near`] is right; below 0 where there is no such way.
    #[inline(always)]
    fn near(&self) -> f64 {
        -1.0
    }
    /// The weight in fewer steps, with the precision of float32 if `SHORT`.
    #[inline(always)]
    fn weight_near<const FMA: bool, const SHORT: bool>(&self, distance: f64, row: usize) -> f64 {
        self.weight::<FMA>(distance, row)
    }
}

/// A result type: f64 or f32.
pub trait Real: Number + Send + Sync {
    /// Whether a relative error of 3e-10 is lost in rounding.
    const SHORT: bool;
    /// Rounds to this type.
    fn round(value: f64) -> Self;
}

impl Real for f64 {
    const SHORT: bool = false;

    #[inline(always)]
    fn round(value: f64) -> Self {
        value
    }
}

impl Real for f32 {
    const SHORT: bool = true;

    #[inline(always)]
    fn round(value: f64) -> Self {
        value as f32
    }
}

struct Block<'a, A, C, T> {
    axis: A,
    curve: C,
    out: &'a mut [T],
}

impl<A: Axis, C: Curve, T: Real> Kernel for Block<'_, A, C, T> {
    type Out = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let rows = self.out.len();
        for start in (0..rows).step_by(BLOCK) {
            self.axis.prefetch(start + AHEAD, BLOCK);
            let length = BLOCK.min(rows - start);
            let out = &mut self.out[start..start + length];
            let (axis, curve) = (self.axis.part(start, length), self.curve.part(start, length));
            // Few weights are so small that they need the long way: find out block by block, and go back if so.
            if curve.near() < 0.0 || weigh_near::<FMA, A, C, T>(axis, curve, out) > curve.near() {
                weigh::<FMA, A, C, T>(axis, curve, out);
            }
        }
    }
}

/// Rows between two looks at how far away the farthest was, and at what memory is needed next.
const BLOCK: usize = 256;
/// Rows from a block to the one whose memory is asked for. The processor itself does not look beyond a page.
const AHEAD: usize = 2 * BLOCK;

// The two loops count rows, instead of taking results from an iterator: only so does the compiler see that all columns
// are of one length, and leaves the checks of bounds out of the vector code.

#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn weigh<const FMA: bool, A: Axis, C: Curve, T: Real>(axis: A, curve: C, out: &mut [T]) {
    for row in 0..out.len() {
        out[row] = T::round(curve.weight::<FMA>(axis.distance(row), row));
    }
}

/// Weighs by the short way, and gives the farthest distance.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn weigh_near<const FMA: bool, A: Axis, C: Curve, T: Real>(axis: A, curve: C, out: &mut [T]) -> f64 {
    // Distances are not negative, so their bits are in the same order, and a maximum of integers is one instruction.
    let mut farthest = 0_i64;
    for row in 0..out.len() {
        let distance = axis.distance(row);
        farthest = farthest.max(distance.to_bits() as i64);
        out[row] = if T::SHORT {
            T::round(curve.weight_near::<FMA, true>(distance, row))
        } else {
            T::round(curve.weight_near::<FMA, false>(distance, row))
        };
    }
    f64::from_bits(farthest as u64)
}

/// Applies a curve to every row, on as many threads as pay.
pub fn map<A: Axis, C: Curve>(
    axis: A,
    curve: C,
    rows: usize,
    nulls: Option<NullBuffer>,
    settings: &Settings,
) -> ArrayRef {
    if settings.float32 {
        let out = fill::<A, C, f32>(axis, curve, rows, settings);
        Arc::new(Float32Array::new(out.into_buffer(), nulls))
    } else {
        let out = fill::<A, C, f64>(axis, curve, rows, settings);
        Arc::new(Float64Array::new(out.into_buffer(), nulls))
    }
}

fn fill<A: Axis, C: Curve, T: Real>(axis: A, curve: C, rows: usize, settings: &Settings) -> Results<T> {
    let mut out = Results::<T>::new(rows);
    let level: Level = settings.level;
    with_threads(rows, settings.threads, |threads| match threads {
        None => simd::run(level, Block { axis, curve, out: &mut out }),
        Some(threads) => {
            let size = rows.div_ceil(threads * 4).max(1);
            out.par_chunks_mut(size).enumerate().for_each(|(at, out)| {
                let (start, length) = (at * size, out.len());
                let (axis, curve) = (axis.part(start, length), curve.part(start, length));
                simd::run(level, Block { axis, curve, out });
            });
        }
    });
    out
}

/// The rows where the times and every parameter have a value; also checks that the lengths agree.
pub fn common_nulls(times: &dyn Array, params: &[&Param]) -> Result<Option<NullBuffer>> {
    let mut nulls = times.nulls().cloned();
    for param in params {
        param.fits(times.len())?;
        nulls = NullBuffer::union(nulls.as_ref(), param.nulls());
    }
    Ok(nulls.filter(|nulls| nulls.null_count() > 0))
}
