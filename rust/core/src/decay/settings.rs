//! What every engine is told besides its own parameters, and how a time column becomes microseconds.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use arrow_schema::{DataType, TimeUnit};
use jiff::tz::TimeZone;

use super::simd::Level;
use crate::{Error, Result, time};

/// Settings shared by the engines.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The present, in microseconds since the epoch, UTC.
    pub now: i64,
    /// Zone of naive times.
    pub zone: TimeZone,
    /// Unit of integer epochs; None refuses them.
    pub unit: Option<TimeUnit>,
    /// Results as float32 instead of float64.
    pub float32: bool,
    /// Threads to use; None means one for each processor.
    pub threads: Option<usize>,
    /// Instruction set.
    pub level: Level,
}

impl Settings {
    /// Settings for `now` with everything else as by default.
    pub fn at(now: i64) -> Result<Self> {
        Ok(Self { now, zone: TimeZone::UTC, unit: None, float32: false, threads: None, level: Level::chosen()? })
    }

    /// A time column as microseconds; nulls stay null. Integers are taken only if their unit was declared.
    pub fn times(&self, array: &dyn Array, column: &str) -> Result<Int64Array> {
        match (array.data_type(), self.unit) {
            (DataType::Dictionary(_, values), Some(_)) if values.is_integer() => {
                let plain = arrow_cast::cast(array, values).map_err(|e| Error::column_type(e.to_string(), column))?;
                self.times(plain.as_ref(), column)
            }
            (kind, Some(unit)) if kind.is_integer() => {
                let whole =
                    arrow_cast::cast(array, &DataType::Int64).map_err(|e| Error::column_type(e.to_string(), column))?;
                if whole.null_count() > array.null_count() {
                    return Err(Error::column_type("the integers exceed 64 bits", column));
                }
                let stamped =
                    arrow_cast::cast(whole.as_primitive::<Int64Type>(), &DataType::Timestamp(unit, Some("UTC".into())))
                        .map_err(|e| Error::column_type(e.to_string(), column))?;
                time::micros(stamped.as_ref(), column, &TimeZone::UTC)
            }
            (kind, None) if kind.is_integer() => Err(Error::column_type(
                "a bare integer is not a time, its unit would be a guess; declare it with unit='s', 'ms', 'us' or 'ns'",
                column,
            )),
            _ => time::micros(array, column, &self.zone),
        }
    }
}

/// A unit from its name: "s", "ms", "us" or "ns".
pub fn parse_unit(name: &str) -> Result<TimeUnit> {
    match name {
        "s" => Ok(TimeUnit::Second),
        "ms" => Ok(TimeUnit::Millisecond),
        "us" => Ok(TimeUnit::Microsecond),
        "ns" => Ok(TimeUnit::Nanosecond),
        _ => Err(Error::value(format!("unknown unit '{name}' of an integer epoch; use 's', 'ms', 'us' or 'ns'"))),
    }
}
