//! Arrow columns of many types to the few that the kernels read.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, Float64Array, StringArray};
use arrow_schema::DataType;

use crate::{Error, Result};

/// A string column of any of Arrow's string types as `Utf8`; nulls stay null.
pub fn utf8(array: &dyn Array, column: &str) -> Result<StringArray> {
    match array.data_type() {
        DataType::Null => Ok(StringArray::new_null(array.len())),
        DataType::Utf8 => Ok(array.as_string::<i32>().clone()),
        DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(_, _) => {
            let cast = arrow_cast::cast(array, &DataType::Utf8)
                .map_err(|error| Error::column_type(error.to_string(), column))?;
            cast.as_string_opt::<i32>().cloned().ok_or_else(|| Error::column_type("a string is expected", column))
        }
        other => Err(Error::column_type(format!("a string is expected, not {other}"), column)),
    }
}

/// A numeric column as float64; nulls stay null. NaN and infinities are refused with their row.
pub fn float64(array: &dyn Array, column: &str) -> Result<Float64Array> {
    let kind = array.data_type();
    if !(kind.is_numeric() || matches!(kind, DataType::Null | DataType::Dictionary(_, _))) {
        return Err(Error::column_type(format!("a number is expected, not {kind}"), column));
    }
    let cast =
        arrow_cast::cast(array, &DataType::Float64).map_err(|error| Error::column_type(error.to_string(), column))?;
    let floats = cast.as_primitive::<Float64Type>().clone();
    if let Some(row) = floats.iter().position(|value| value.is_some_and(|value| !value.is_finite())) {
        return Err(Error::cell(format!("{} is not a finite number", floats.value(row)), column, row));
    }
    Ok(floats)
}
