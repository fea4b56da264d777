//! The decay engines over Arrow columns.

use arrow_array::ArrayRef;
use pyo3::prelude::*;
use timewalk_core::decay::{self, Accesses, Form, Origin, Param, Settings, Shape, parse_unit, simd::Level};
use timewalk_core::{Result, time};

use crate::arrow::{Column, column};
use crate::errors::to_py;

/// A column by its name in errors.
pub type Named<'py> = (String, Bound<'py, PyAny>);

/// What all engines are told: now, time zone of naive times, unit of integer epochs, float32 results, threads.
#[derive(FromPyObject)]
pub struct Options(i64, String, Option<String>, bool, Option<usize>);

impl Options {
    fn settings(self) -> Result<Settings> {
        let Self(now, zone, unit, float32, threads) = self;
        Ok(Settings {
            now,
            zone: time::parse_zone(&zone)?,
            unit: unit.as_deref().map(parse_unit).transpose()?,
            float32,
            threads,
            level: Level::chosen()?,
        })
    }
}

/// A parameter: a number for all rows, or a named column.
#[derive(FromPyObject)]
pub enum Parameter<'py> {
    /// For all rows.
    #[pyo3(transparent)]
    Scalar(f64),
    /// For each row.
    #[pyo3(transparent)]
    Column(Named<'py>),
}

/// A parameter with its Arrow column imported, ready to leave Python.
pub enum Imported {
    /// For all rows.
    Scalar(f64),
    /// For each row.
    Column(String, ArrayRef),
}

impl Parameter<'_> {
    /// Reads the column, if it is one.
    pub fn import(self) -> PyResult<Imported> {
        Ok(match self {
            Self::Scalar(value) => Imported::Scalar(value),
            Self::Column((name, array)) => Imported::Column(name, column(&array)?),
        })
    }
}

impl Imported {
    /// The parameter, by its name in errors unless it is a column.
    pub fn param(&self, name: &str) -> Result<Param> {
        match self {
            Self::Scalar(value) => Ok(Param::scalar(name, *value)),
            Self::Column(name, array) => Param::column(name, array.as_ref()),
        }
    }
}

/// (1/2)^(age / half-life).
#[pyfunction]
pub fn decay_half_life(
    py: Python<'_>,
    times: Named<'_>,
    half_life: Parameter<'_>,
    options: Options,
) -> PyResult<Column> {
    let (times, half_life) = ((times.0, column(&times.1)?), half_life.import()?);
    let out = py
        .detach(|| decay::half_life(times.1.as_ref(), &times.0, half_life.param("half_life")?, &options.settings()?))
        .map_err(to_py)?;
    Ok(Column(out))
}

/// floor + (1 − floor)·e^(−age / strength).
#[pyfunction]
pub fn decay_ebbinghaus(
    py: Python<'_>,
    times: Named<'_>,
    strength: Parameter<'_>,
    floor: Parameter<'_>,
    options: Options,
) -> PyResult<Column> {
    let (times, strength, floor) = ((times.0, column(&times.1)?), strength.import()?, floor.import()?);
    let out = py
        .detach(|| {
            let (strength, floor) = (strength.param("strength")?, floor.param("floor")?);
            decay::ebbinghaus(times.1.as_ref(), &times.0, strength, floor, &options.settings()?)
        })
        .map_err(to_py)?;
    Ok(Column(out))
}

/// (1 + factor·age / stability)^(−decay).
#[pyfunction]
pub fn decay_power_law(
    py: Python<'_>,
    times: Named<'_>,
    stability: Parameter<'_>,
    decay: Parameter<'_>,
    factor: Option<Parameter<'_>>,
    options: Options,
) -> PyResult<Column> {
    let times = (times.0, column(&times.1)?);
    let (stability, decay) = (stability.import()?, decay.import()?);
    let factor = factor.map(Parameter::import).transpose()?;
    let out = py
        .detach(|| {
            let factor = factor.as_ref().map(|factor| factor.param("factor")).transpose()?;
            decay::power_law(
                times.1.as_ref(),
                &times.0,
                stability.param("stability")?,
                decay.param("decay")?,
                factor,
                &options.settings()?,
            )
        })
        .map_err(to_py)?;
    Ok(Column(out))
}

/// gauss, exp or linear over times or numbers.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the wire between one Python function and one Rust function
pub fn decay_curve(
    py: Python<'_>,
    shape: &str,
    values: Named<'_>,
    origin: (String, f64, i64),
    scale: Parameter<'_>,
    offset: Parameter<'_>,
    decay: Parameter<'_>,
    options: Options,
) -> PyResult<Column> {
    let shape = match shape {
        "gauss" => Shape::Gauss,
        "exp" => Shape::Exp,
        _ => Shape::Linear,
    };
    let origin = match origin.0.as_str() {
        "number" => Origin::Number(origin.1),
        "time" => Origin::Time(origin.2),
        _ => Origin::Now,
    };
    let values = (values.0, column(&values.1)?);
    let (scale, offset, decay) = (scale.import()?, offset.import()?, decay.import()?);
    let out = py
        .detach(|| {
            let form =
                Form { scale: scale.param("scale")?, offset: offset.param("offset")?, decay: decay.param("decay")? };
            decay::curve(values.1.as_ref(), &values.0, shape, origin, form, &options.settings()?)
        })
        .map_err(to_py)?;
    Ok(Column(out))
}

/// ACT-R base-level activation.
#[pyfunction]
pub fn decay_actr(
    py: Python<'_>,
    recent: Named<'_>,
    historical_count: Option<Named<'_>>,
    created_at: Option<Named<'_>>,
    decay: Parameter<'_>,
    min_age: f64,
    options: Options,
) -> PyResult<Column> {
    let import = |named: Named<'_>| -> PyResult<(String, ArrayRef)> { Ok((named.0, column(&named.1)?)) };
    let recent = import(recent)?;
    let historical_count = historical_count.map(import).transpose()?;
    let created_at = created_at.map(import).transpose()?;
    let decay = decay.import()?;
    let out = py
        .detach(|| {
            fn named(column: &(String, ArrayRef)) -> (&dyn arrow_array::Array, &str) {
                (column.1.as_ref(), column.0.as_str())
            }
            let accesses = Accesses {
                recent: named(&recent),
                historical_count: historical_count.as_ref().map(named),
                created_at: created_at.as_ref().map(named),
            };
            decay::actr(accesses, decay.param("decay")?, min_age, &options.settings()?)
        })
        .map_err(to_py)?;
    Ok(Column(out))
}

/// The instruction set that the engines run on: "scalar", "neon", "avx2" or "avx512".
#[pyfunction]
pub fn decay_simd() -> PyResult<&'static str> {
    Ok(Level::chosen().map_err(to_py)?.name())
}
