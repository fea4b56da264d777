//! Numbers of a group to a common scale.

use crate::{Error, Result};

/// How the numbers of a group are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalise {
    /// As they are.
    No,
    /// (x − min)/(max − min); 1 where all are equal.
    MinMax,
    /// x / max |x|; 0 where all are 0.
    Max,
    /// (x − mean)/standard deviation; 0 where all are equal.
    ZScore,
    /// 1/(1 + e^(−x)), each by itself.
    Sigmoid,
}

impl Normalise {
    /// Whether a number is scaled by itself, without the others of its group.
    pub fn is_local(self) -> bool {
        matches!(self, Self::No | Self::Sigmoid)
    }

    /// A way from its name; None is none.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        Ok(match name {
            None => Self::No,
            Some("minmax") => Self::MinMax,
            Some("max") => Self::Max,
            Some("zscore") => Self::ZScore,
            Some("sigmoid") => Self::Sigmoid,
            Some(other) => {
                return Err(Error::value(format!(
                    "unknown normalisation '{other}'; use 'minmax', 'max', 'zscore', 'sigmoid' or None"
                )));
            }
        })
    }
}

/// Sums of one group.
#[derive(Clone, Copy)]
struct Group {
    least: f64,
    most: f64,
    count: f64,
    mean: f64,
    squares: f64,
}

impl Group {
    const EMPTY: Self = Self { least: f64::INFINITY, most: f64::NEG_INFINITY, count: 0.0, mean: 0.0, squares: 0.0 };

    /// Welford's update.
    fn add(&mut self, value: f64) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.count += 1.0;
        let away = value - self.mean;
        self.mean += away / self.count;
        self.squares += away * (value - self.mean);
    }

    fn scaled(&self, how: Normalise, value: f64) -> f64 {
        match how {
            Normalise::No => value,
            // Halves, so that a difference of two huge numbers stays finite.
            Normalise::MinMax if self.most > self.least => {
                (value / 2.0 - self.least / 2.0) / (self.most / 2.0 - self.least / 2.0)
            }
            Normalise::MinMax => 1.0,
            Normalise::Max => {
                let most = self.most.abs().max(self.least.abs());
                if most > 0.0 { value / most } else { 0.0 }
            }
            Normalise::ZScore => {
                let deviation = (self.squares / self.count).sqrt();
                // A spread of nothing but rounding errors is none.
                if self.most > self.least && deviation.is_finite() && deviation > 0.0 {
                    (value - self.mean) / deviation
                } else {
                    0.0
                }
            }
            Normalise::Sigmoid => 1.0 / (1.0 + (-value).exp()),
        }
    }
}

/// Scales the numbers in place, group by group; NaN stands for a missing number and stays.
pub fn normalise(values: &mut [f64], how: Normalise, group: impl Fn(usize) -> usize, groups: usize) {
    if how == Normalise::No {
        return;
    }
    let mut sums = vec![Group::EMPTY; groups];
    for (row, value) in values.iter().enumerate() {
        if !value.is_nan() {
            sums[group(row)].add(*value);
        }
    }
    for (row, value) in values.iter_mut().enumerate() {
        if !value.is_nan() {
            *value = sums[group(row)].scaled(how, *value);
        }
    }
}
