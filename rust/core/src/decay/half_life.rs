//! Exponential decay: by half-life, and Ebbinghaus' forgetting curve with a floor.

use arrow_array::{Array, ArrayRef};

use super::params::Param;
use super::rows::{Age, Curve, common_nulls, map};
use super::settings::Settings;
use super::simd::math::{
    LOG2_E, exp2_parts, exp2_parts_near, exp2_parts_short, max, min, mul_add, product_minus, round,
};
use crate::Result;

const MICROS: f64 = 1e6;
/// Up to 2^−1020 no result is subnormal.
const NEAR_EXPONENT: f64 = 1020.0;
/// Beyond 2^−1100 there is only 0.
const LAST_EXPONENT: f64 = 1100.0;

/// (½)^(age/half_life), age = max(0, now − t).
///
/// `half_life` in seconds, above 0. Null where the time or the half-life is null. Relative error within
/// 3e-16·(1 + age/half_life).
pub fn half_life(times: &dyn Array, column: &str, half_life: Param, settings: &Settings) -> Result<ArrayRef> {
    let half_life = half_life.require(|h| h > 0.0, "above 0")?;
    exponential(times, column, half_life, Param::scalar("floor", 0.0), (1.0, 0.0), settings)
}

/// floor + (1 − floor)·e^(−age/strength), age = max(0, now − t).
///
/// `strength` in seconds, above 0; `floor` in [0, 1). Null where the time or a parameter is null.
pub fn ebbinghaus(
    times: &dyn Array,
    column: &str,
    strength: Param,
    floor: Param,
    settings: &Settings,
) -> Result<ArrayRef> {
    let strength = strength.require(|s| s > 0.0, "above 0")?;
    let floor = floor.require(|f| (0.0..1.0).contains(&f), "at least 0 and below 1")?;
    exponential(times, column, strength, floor, LOG2_E, settings)
}

/// floor + (1 − floor)·2^(−rate·age/span), rate in two parts.
fn exponential(
    times: &dyn Array,
    column: &str,
    span: Param,
    floor: Param,
    rate: (f64, f64),
    settings: &Settings,
) -> Result<ArrayRef> {
    let times = settings.times(times, column)?;
    let nulls = common_nulls(&times, &[&span, &floor])?;
    let (axis, rows) = (Age { times: times.values(), now: settings.now }, times.len());
    Ok(match (span.as_scalar(), floor.as_scalar()) {
        (Some(span), Some(floor)) => map(axis, Uniform::new(span, floor, rate), rows, nulls, settings),
        _ => {
            let (span, floor) = (span.each(rows), floor.each(rows));
            map(axis, Each { span: &span, floor: &floor, rate }, rows, nulls, settings)
        }
    })
}

/// One span for all rows: its reciprocal is kept in two parts, so that the exponent has no error of its own.
#[derive(Clone, Copy)]
struct Uniform {
    per_micro: (f64, f64),
    last: f64,
    near: f64,
    floor: f64,
}

impl Uniform {
    fn new(span: f64, floor: f64, rate: (f64, f64)) -> Self {
        // Scalars, once a call: the multiply-add of the standard library is exact on every processor.
        let micros = span * MICROS;
        let rest = span.mul_add(MICROS, -micros);
        let high = rate.0 / micros;
        let low = (-high).mul_add(micros, rate.0) - high * rest + rate.1;
        let low = low / micros;
        let (high, low) = match (micros.is_finite(), high.is_finite()) {
            (true, true) => (high, low),
            // So long that nothing is forgotten.
            (false, _) => (f64::MIN_POSITIVE, 0.0),
            // So short that nothing is left of any age.
            (true, false) => (f64::MAX, 0.0),
        };
        Self { per_micro: (high, low), last: LAST_EXPONENT / high, near: NEAR_EXPONENT / high, floor }
    }
}

impl Curve for Uniform {
    #[inline(always)]
    fn weight<const FMA: bool>(&self, age: f64, _row: usize) -> f64 {
        let age = min(age, self.last);
        let (n, bits) = round(-(age * self.per_micro.0));
        let weight = exp2_parts::<FMA>(bits, product_minus::<FMA>(-age, self.per_micro, n));
        mul_add::<FMA>(1.0 - self.floor, weight, self.floor)
    }

    #[inline(always)]
    fn near(&self) -> f64 {
        self.near
    }

    #[inline(always)]
    fn weight_near<const FMA: bool, const SHORT: bool>(&self, age: f64, _row: usize) -> f64 {
        let (n, bits) = round(-(age * self.per_micro.0));
        let f = product_minus::<FMA>(-age, self.per_micro, n);
        let weight = if SHORT { exp2_parts_short::<FMA>(bits, f) } else { exp2_parts_near::<FMA>(bits, f) };
        mul_add::<FMA>(1.0 - self.floor, weight, self.floor)
    }
}

/// A span for each row.
#[derive(Clone, Copy)]
struct Each<'a> {
    span: &'a [f64],
    floor: &'a [f64],
    rate: (f64, f64),
}

impl Curve for Each<'_> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        Self { span: &self.span[start..start + length], floor: &self.floor[start..start + length], ..self }
    }

    #[inline(always)]
    fn weight<const FMA: bool>(&self, age: f64, row: usize) -> f64 {
        let spans = max(-(age / (self.span[row] * MICROS)), -LAST_EXPONENT / self.rate.0);
        let (n, bits) = round(spans * self.rate.0);
        let weight = exp2_parts::<FMA>(bits, product_minus::<FMA>(spans, self.rate, n));
        let floor = self.floor[row];
        mul_add::<FMA>(1.0 - floor, weight, floor)
    }
}
