//! The power law of forgetting, with the constants of FSRS.

use arrow_array::{Array, ArrayRef};

use super::params::Param;
use super::rows::{Age, Curve, common_nulls, map};
use super::settings::Settings;
use super::simd::math::{Exponent, min, mul_add, pow};
use crate::Result;

const MICROS: f64 = 1e6;

/// (1 + factor·age/stability)^(−decay), age = max(0, now − t).
///
/// `stability` in seconds, above 0; `decay` above 0; `factor` above 0, or None for the one of FSRS, 0.9^(−1/decay) − 1,
/// which makes the weight 0.9 at age = stability. Null where the time or a parameter is null.
pub fn power_law(
    times: &dyn Array,
    column: &str,
    stability: Param,
    decay: Param,
    factor: Option<Param>,
    settings: &Settings,
) -> Result<ArrayRef> {
    let stability = stability.require(|s| s > 0.0, "above 0")?;
    let decay =
        decay.require(|d| d > 0.0 && fsrs_factor(d).is_finite(), "above 0.00015 (the exponent without its sign)")?;
    let factor = factor.map(|factor| factor.require(|f| f > 0.0, "above 0")).transpose()?;
    let times = settings.times(times, column)?;
    let rows = times.len();
    let mut params = vec![&stability, &decay];
    params.extend(factor.as_ref());
    let nulls = common_nulls(&times, &params)?;
    let axis = Age { times: times.values(), now: settings.now };
    if let (Some(stability), Some(decay)) = (stability.as_scalar(), decay.as_scalar())
        && let Some(factor) = factor.as_ref().map_or(Some(fsrs_factor(decay)), Param::as_scalar)
    {
        let curve = Uniform { stability: stability * MICROS, factor, exponent: Exponent::new(-decay) };
        return Ok(map(axis, curve, rows, nulls, settings));
    }
    let (stability, decay) = (stability.each(rows), decay.each(rows));
    let factor = match &factor {
        Some(factor) => factor.each(rows).into_owned(),
        None => decay.iter().map(|decay| fsrs_factor(*decay)).collect(),
    };
    let curve = Each { stability: &stability, factor: &factor, decay: &decay };
    Ok(map(axis, curve, rows, nulls, settings))
}

/// 0.9^(−1/decay) − 1.
fn fsrs_factor(decay: f64) -> f64 {
    (-(0.9_f64.ln()) / decay).exp_m1()
}

#[derive(Clone, Copy)]
struct Uniform {
    stability: f64,
    factor: f64,
    exponent: Exponent,
}

impl Curve for Uniform {
    #[inline(always)]
    fn weight<const FMA: bool>(&self, age: f64, _row: usize) -> f64 {
        weight::<FMA>(age / self.stability, self.factor, self.exponent)
    }
}

#[derive(Clone, Copy)]
struct Each<'a> {
    stability: &'a [f64],
    factor: &'a [f64],
    decay: &'a [f64],
}

impl Curve for Each<'_> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        let rows = start..start + length;
        Self { stability: &self.stability[rows.clone()], factor: &self.factor[rows.clone()], decay: &self.decay[rows] }
    }

    #[inline(always)]
    fn weight<const FMA: bool>(&self, age: f64, row: usize) -> f64 {
        weight::<FMA>(age / (self.stability[row] * MICROS), self.factor[row], Exponent::new(-self.decay[row]))
    }
}

#[inline(always)]
fn weight<const FMA: bool>(stabilities: f64, factor: f64, exponent: Exponent) -> f64 {
    pow::<FMA>(min(mul_add::<FMA>(factor, stabilities, 1.0), f64::MAX), exponent)
}
