//! Parameters of engines: one number for all rows, or a column with one for each.

use std::borrow::Cow;

use arrow_array::{Array, Float64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};

use crate::{Error, Result, columns};

/// A parameter by its name in errors.
#[derive(Debug, Clone)]
pub struct Param {
    name: String,
    value: Value,
}

/// Where a parameter's number comes from.
#[derive(Debug, Clone)]
enum Value {
    Scalar(f64),
    Column(Float64Array),
}

impl Param {
    /// The same number for every row.
    pub fn scalar(name: &str, value: f64) -> Self {
        Self { name: name.into(), value: Value::Scalar(value) }
    }

    /// A column of numbers; durations become seconds. NaN and infinities are refused with their row.
    pub fn column(name: &str, array: &dyn Array) -> Result<Self> {
        let numbers = match array.data_type() {
            DataType::Duration(unit) => {
                let whole = arrow_cast::cast(array, &DataType::Int64)
                    .map_err(|error| Error::column_type(error.to_string(), name))?;
                let per_second = match unit {
                    TimeUnit::Second => 1.0,
                    TimeUnit::Millisecond => 1e3,
                    TimeUnit::Microsecond => 1e6,
                    TimeUnit::Nanosecond => 1e9,
                };
                let counts = columns::float64(whole.as_ref(), name)?;
                counts.unary(|count| count / per_second)
            }
            _ => columns::float64(array, name)?,
        };
        Ok(Self { name: name.into(), value: Value::Column(numbers) })
    }

    /// Refuses values for which `right` is false, naming the row; `rule` says what would be right.
    pub fn require(self, right: impl Fn(f64) -> bool, rule: &str) -> Result<Self> {
        let complain = |value: f64| format!("{} must be {rule}, not {value}", self.name);
        match &self.value {
            Value::Scalar(value) if !(value.is_finite() && right(*value)) => Err(Error::value(complain(*value))),
            Value::Column(values) => match values.iter().position(|value| value.is_some_and(|value| !right(value))) {
                Some(row) => Err(Error::cell(complain(values.value(row)), &self.name, row)),
                None => Ok(self),
            },
            Value::Scalar(_) => Ok(self),
        }
    }

    /// Refuses a column of another length than the times.
    pub fn fits(&self, rows: usize) -> Result<()> {
        match &self.value {
            Value::Column(values) if values.len() != rows => Err(Error::Value {
                message: format!("{} has {} rows, the times have {rows}", self.name, values.len()),
                column: Some(self.name.clone()),
                row: None,
            }),
            _ => Ok(()),
        }
    }

    /// One number for each row.
    pub fn each(&self, rows: usize) -> Cow<'_, [f64]> {
        match &self.value {
            Value::Scalar(value) => Cow::Owned(vec![*value; rows]),
            Value::Column(values) => Cow::Borrowed(values.values()),
        }
    }

    /// The rows that have a value; None if all have.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        match &self.value {
            Value::Scalar(_) => None,
            Value::Column(values) => values.nulls(),
        }
    }

    /// The number, where there is one for all rows.
    pub fn as_scalar(&self) -> Option<f64> {
        match &self.value {
            Value::Scalar(value) => Some(*value),
            Value::Column(_) => None,
        }
    }
}
