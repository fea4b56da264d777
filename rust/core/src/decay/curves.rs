//! The decay functions of search engines (gauss, exp, linear) over times or numbers, with origin, scale, offset, decay.
//!
//! As Elasticsearch, Qdrant and Milvus define them: with x = max(0, distance − offset)/scale the weight is decay^(x²),
//! decay^x or max(0, 1 − x·(1 − decay)), so it is 1 up to the offset and exactly `decay` at offset + scale.

use std::marker::PhantomData;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::params::Param;
use super::rows::{Age, Axis, Curve, Difference, Gap, common_nulls, map};
use super::settings::Settings;
use super::simd::math::{max, min, pow_precise};
use crate::{Error, Result, columns};

/// The form of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// decay^(x²)
    Gauss,
    /// decay^x
    Exp,
    /// max(0, 1 − x·(1 − decay))
    Linear,
}

/// Where the distance is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Origin {
    /// Ages: 0 at now and in the future.
    Now,
    /// A moment in microseconds; the distance counts both ways.
    Time(i64),
    /// A number; the distance counts both ways.
    Number(f64),
}

/// Width and depth of a curve.
#[derive(Debug, Clone)]
pub struct Form {
    /// Distance beyond the offset at which the weight is `decay`; in seconds for times, above 0.
    pub scale: Param,
    /// Distance up to which the weight is 1; in seconds for times, at least 0.
    pub offset: Param,
    /// Weight at offset + scale, above 0 and below 1.
    pub decay: Param,
}

/// The weight of each value of a time or number column. Null where the value or a parameter is null.
pub fn curve(
    values: &dyn Array,
    column: &str,
    shape: Shape,
    origin: Origin,
    form: Form,
    settings: &Settings,
) -> Result<ArrayRef> {
    let form = Form {
        scale: form.scale.require(|s| s > 0.0, "above 0")?,
        offset: form.offset.require(|o| o >= 0.0, "at least 0")?,
        decay: form.decay.require(|d| d > 0.0 && d < 1.0, "above 0 and below 1")?,
    };
    match origin {
        Origin::Number(origin) => {
            if !origin.is_finite() {
                return Err(Error::value(format!("origin must be a finite number, not {origin}")));
            }
            if !(values.data_type().is_numeric() || matches!(values.data_type(), DataType::Null)) {
                return Err(Error::column_type(
                    format!("the origin is a number, so a number is expected, not {}", values.data_type()),
                    column,
                ));
            }
            let values = columns::float64(values, column)?;
            shaped(Difference { values: values.values(), origin }, &values, shape, &form, 1.0, settings)
        }
        Origin::Time(origin) => {
            let times = settings.times(values, column)?;
            shaped(Gap { times: times.values(), origin }, &times, shape, &form, 1e6, settings)
        }
        Origin::Now => {
            let times = settings.times(values, column)?;
            shaped(Age { times: times.values(), now: settings.now }, &times, shape, &form, 1e6, settings)
        }
    }
}

fn shaped<A: Axis>(
    axis: A,
    values: &dyn Array,
    shape: Shape,
    form: &Form,
    unit: f64,
    settings: &Settings,
) -> Result<ArrayRef> {
    match shape {
        Shape::Gauss => mapped::<Gauss, A>(axis, values, form, unit, settings),
        Shape::Exp => mapped::<Exp, A>(axis, values, form, unit, settings),
        Shape::Linear => mapped::<Linear, A>(axis, values, form, unit, settings),
    }
}

fn mapped<F: Fall, A: Axis>(
    axis: A,
    values: &dyn Array,
    form: &Form,
    unit: f64,
    settings: &Settings,
) -> Result<ArrayRef> {
    let rows = values.len();
    let nulls = common_nulls(values, &[&form.scale, &form.offset, &form.decay])?;
    let scalars = (form.scale.as_scalar(), form.offset.as_scalar(), form.decay.as_scalar());
    if let (Some(scale), Some(offset), Some(decay)) = scalars {
        let source = Uniform { scale: scale * unit, offset: offset * unit, decay };
        return Ok(map(axis, Shaped::<F, _>(source, PhantomData), rows, nulls, settings));
    }
    let (scale, offset, decay) = (form.scale.each(rows), form.offset.each(rows), form.decay.each(rows));
    let source = Each { scale: &scale, offset: &offset, decay: &decay, unit };
    Ok(map(axis, Shaped::<F, _>(source, PhantomData), rows, nulls, settings))
}

/// Parameters of a row in the unit of the distance: scale, offset, decay.
trait Source: Copy + Send + Sync {
    fn part(self, start: usize, length: usize) -> Self;
    fn at(&self, row: usize) -> (f64, f64, f64);
}

#[derive(Clone, Copy)]
struct Uniform {
    scale: f64,
    offset: f64,
    decay: f64,
}

impl Source for Uniform {
    #[inline(always)]
    fn part(self, _start: usize, _length: usize) -> Self {
        self
    }

    #[inline(always)]
    fn at(&self, _row: usize) -> (f64, f64, f64) {
        (self.scale, self.offset, self.decay)
    }
}

#[derive(Clone, Copy)]
struct Each<'a> {
    scale: &'a [f64],
    offset: &'a [f64],
    decay: &'a [f64],
    unit: f64,
}

impl Source for Each<'_> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        let rows = start..start + length;
        Self {
            scale: &self.scale[rows.clone()],
            offset: &self.offset[rows.clone()],
            decay: &self.decay[rows],
            unit: self.unit,
        }
    }

    #[inline(always)]
    fn at(&self, row: usize) -> (f64, f64, f64) {
        (self.scale[row] * self.unit, self.offset[row] * self.unit, self.decay[row])
    }
}

/// How a weight falls.
trait Fall: Copy + Send + Sync {
    /// The weight at x scales beyond the offset, x from 0 to 1e19.
    fn weight<const FMA: bool>(x: f64, decay: f64) -> f64;
}

#[derive(Clone, Copy)]
struct Gauss;
#[derive(Clone, Copy)]
struct Exp;
#[derive(Clone, Copy)]
struct Linear;

impl Fall for Gauss {
    #[inline(always)]
    fn weight<const FMA: bool>(x: f64, decay: f64) -> f64 {
        pow_precise::<FMA>(decay, x * x)
    }
}

impl Fall for Exp {
    #[inline(always)]
    fn weight<const FMA: bool>(x: f64, decay: f64) -> f64 {
        pow_precise::<FMA>(decay, x)
    }
}

impl Fall for Linear {
    #[inline(always)]
    fn weight<const FMA: bool>(x: f64, decay: f64) -> f64 {
        max(1.0 - x * (1.0 - decay), 0.0)
    }
}

/// A way to fall with parameters from somewhere.
#[derive(Clone, Copy)]
struct Shaped<F, S>(S, PhantomData<F>);

impl<F: Fall, S: Source> Curve for Shaped<F, S> {
    #[inline(always)]
    fn part(self, start: usize, length: usize) -> Self {
        Self(self.0.part(start, length), PhantomData)
    }

    #[inline(always)]
    fn weight<const FMA: bool>(&self, distance: f64, row: usize) -> f64 {
        let (scale, offset, decay) = self.0.at(row);
        // Held where every curve is 0.
        let x = min(max(distance - offset, 0.0) / scale, 1e19);
        let weight = F::weight::<FMA>(x, decay);
        // The polynomial may miss `decay` by its last digit at x = 1; the definition does not.
        if x == 1.0 { decay } else { weight }
    }
}
