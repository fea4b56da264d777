//! ACT-R base-level activation with Petrov's hybrid approximation (2006).

mod exact;
mod kernel;
mod lists;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float32Array, Float64Array, Int64Array, OffsetSizeTrait};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use rayon::prelude::*;

use self::kernel::{Decay, Past, Rows};
use self::lists::{Lists, Offsets};
use super::params::Param;
use super::pool::with_threads;
use super::results::{Number, Results};
use super::rows::Real;
use super::settings::Settings;
use super::simd;
use crate::{Error, Result, columns};

/// A column and its name in errors.
pub type Named<'a> = (&'a dyn Array, &'a str);

/// The columns that ACT-R reads.
#[derive(Clone, Copy)]
pub struct Accesses<'a> {
    /// List column of access times, in any order.
    pub recent: Named<'a>,
    /// Count of all accesses, the recent ones included.
    pub historical_count: Option<Named<'a>>,
    /// When each memory was created.
    pub created_at: Option<Named<'a>>,
}

/// B = ln Σ t_j^(−d), ages in seconds and at least `min_age`.
///
/// The accesses beyond the recent ones (`historical_count` − k) are spread evenly from `created_at` to the oldest
/// recent one. Where count or creation is missing only the recent ones count. Without recent accesses, count and
/// creation give ln(n/(1 − d)) − d·ln L; without these, the row is null. A null list is a null row; nulls in a list are skipped.
pub fn actr(accesses: Accesses<'_>, decay: Param, min_age: f64, settings: &Settings) -> Result<ArrayRef> {
    let decay = decay.require(|d| (0.0..=1e3).contains(&d), "at least 0 and at most 1000")?;
    if !(min_age.is_finite() && min_age >= 1e-6) {
        return Err(Error::value(format!("min_age must be at least 1e-6 seconds (a microsecond), not {min_age}")));
    }
    let lists = Lists::read(accesses.recent.0, accesses.recent.1, settings)?;
    let rows = accesses.recent.0.len();
    decay.fits(rows)?;
    let decays = match decay.as_scalar() {
        Some(_) => None,
        None => Some(decay.each(rows)),
    };
    let columns = PastColumns::read(&accesses, rows, settings)?;
    let input = Input {
        times: &lists.times,
        min_age: min_age * exact::MICROS,
        decay: match &decays {
            None => Decay::One(decay.as_scalar().unwrap_or_default()),
            Some(decays) => Decay::Each(decays),
        },
        past: columns.as_ref().map(PastColumns::view),
        settings,
    };
    let nulls = NullBuffer::union(lists.nulls.as_ref(), decay.nulls());
    Ok(if settings.float32 {
        let (out, complete) = input.scored::<f32>(&lists.offsets, rows);
        let (out, nulls) = without_nan(out, nulls, complete, |value| value.is_nan());
        Arc::new(Float32Array::new(out.into_buffer(), nulls))
    } else {
        let (out, complete) = input.scored::<f64>(&lists.offsets, rows);
        let (out, nulls) = without_nan(out, nulls, complete, |value| value.is_nan());
        Arc::new(Float64Array::new(out.into_buffer(), nulls))
    })
}

/// Counts and creation times as the kernel reads them.
struct PastColumns {
    counts: Vec<f64>,
    created: Int64Array,
    known: Vec<f64>,
}

impl PastColumns {
    /// None unless both columns are there, since neither says anything alone.
    fn read(accesses: &Accesses<'_>, rows: usize, settings: &Settings) -> Result<Option<Self>> {
        let counts = accesses.historical_count.map(|(counts, name)| read_counts(counts, name, rows)).transpose()?;
        let created = match accesses.created_at {
            None => None,
            Some((created, name)) => {
                same_rows(created, name, rows)?;
                Some(settings.times(created, name)?)
            }
        };
        Ok(counts.zip(created).map(|(counts, created)| Self {
            counts,
            known: (0..rows).map(|row| if created.is_valid(row) { 1.0 } else { f64::NAN }).collect(),
            created,
        }))
    }

    fn view(&self) -> Past<'_> {
        Past { counts: &self.counts, created: self.created.values(), known: &self.known }
    }
}

fn read_counts(counts: &dyn Array, name: &str, rows: usize) -> Result<Vec<f64>> {
    same_rows(counts, name, rows)?;
    let counts = columns::float64(counts, name)?;
    if let Some(row) = counts.iter().position(|count| count.is_some_and(|count| count < 0.0)) {
        return Err(Error::cell(format!("a count must be at least 0, not {}", counts.value(row)), name, row));
    }
    Ok(counts.iter().map(|count| count.unwrap_or(f64::NAN)).collect())
}

fn same_rows(array: &dyn Array, name: &str, rows: usize) -> Result<()> {
    if array.len() == rows {
        return Ok(());
    }
    Err(Error::Value {
        message: format!("{} rows, but the recent accesses have {rows}", array.len()),
        column: Some(name.into()),
        row: None,
    })
}

struct Input<'a> {
    times: &'a [i64],
    min_age: f64,
    decay: Decay<'a>,
    past: Option<Past<'a>>,
    settings: &'a Settings,
}

impl Input<'_> {
    fn scored<T: Real>(&self, offsets: &Offsets, rows: usize) -> (Results<T>, bool) {
        match offsets {
            Offsets::Narrow(offsets) => self.fill(offsets, rows),
            Offsets::Wide(offsets) => self.fill(offsets, rows),
        }
    }

    fn fill<O: OffsetSizeTrait, T: Real>(&self, offsets: &[O], rows: usize) -> (Results<T>, bool) {
        let mut out = Results::<T>::new(rows);
        if rows == 0 {
            return (out, true);
        }
        let work = self.times.len().max(rows);
        let complete = with_threads(work, self.settings.threads, |threads| match threads {
            None => self.part(offsets, 0, &mut out),
            Some(threads) => {
                let size = rows.div_ceil(threads * 8).max(1);
                out.par_chunks_mut(size)
                    .enumerate()
                    .map(|(at, out)| self.part(offsets, at * size, out))
                    .reduce(|| true, |a, b| a & b)
            }
        });
        (out, complete)
    }

    fn part<O: OffsetSizeTrait, T: Real>(&self, offsets: &[O], start: usize, out: &mut [T]) -> bool {
        let rows = start..start + out.len();
        let kernel = Rows {
            offsets: &offsets[start..=rows.end],
            times: self.times,
            now: self.settings.now,
            min_age: self.min_age,
            decay: match self.decay {
                Decay::One(decay) => Decay::One(decay),
                Decay::Each(decays) => Decay::Each(&decays[rows.clone()]),
            },
            past: self.past.map(|past| Past {
                counts: &past.counts[rows.clone()],
                created: &past.created[rows.clone()],
                known: &past.known[rows.clone()],
            }),
            out,
        };
        simd::run(self.settings.level, kernel)
    }
}

/// NaN, which marks rows without an activation, to null; no NaN is left in the values.
fn without_nan<T: Number>(
    mut out: Results<T>,
    nulls: Option<NullBuffer>,
    complete: bool,
    is_nan: impl Fn(&T) -> bool,
) -> (Results<T>, Option<NullBuffer>) {
    if complete {
        return (out, nulls);
    }
    let known: BooleanBuffer = out.iter().map(|value| !is_nan(value)).collect();
    for value in out.iter_mut() {
        if is_nan(value) {
            *value = T::default();
        }
    }
    let nulls = NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::new(known)));
    (out, nulls)
}
