//! Arrow objects in and out by the PyCapsule interface.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array, new_empty_array};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3_arrow::{PyArray, PyChunkedArray, PyTable};
use timewalk_core::{Error, time};

use crate::errors::to_py;

/// A column that has not left Rust: the engines' results and the columns of dicts, on their way to the next step.
#[pyclass(frozen, module = "timewalk._core")]
pub struct Column(pub ArrayRef);

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The same as a `pyarrow.Array`, without a copy.
    fn to_pyarrow(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_pyarrow(py, self.0.clone())
    }
}

/// One column from any object with `__arrow_c_array__` or `__arrow_c_stream__`; chunks are joined.
pub fn column(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    if let Ok(own) = object.cast::<Column>() {
        return Ok(own.get().0.clone());
    }
    if object.hasattr("__arrow_c_array__")? {
        let (array, _field) = object.extract::<PyArray>()?.into_inner();
        return Ok(array);
    }
    let (chunks, field) = object.extract::<PyChunkedArray>()?.into_inner();
    match chunks.as_slice() {
        [] => Ok(new_empty_array(field.data_type())),
        [one] => Ok(one.clone()),
        many => {
            let parts: Vec<&dyn Array> = many.iter().map(AsRef::as_ref).collect();
            arrow_select::concat::concat(&parts)
                .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
        }
    }
}

/// A whole table from any object with the Arrow stream or array interface, as one batch.
pub fn table(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let (batches, schema) = object.extract::<PyTable>()?.into_inner();
    arrow_select::concat::concat_batches(&schema, &batches)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}

/// One array back to Python, as a `pyarrow.Array`.
pub fn to_pyarrow(py: Python<'_>, array: ArrayRef) -> PyResult<Py<PyAny>> {
    Ok(PyArray::from_array_ref(array).to_pyarrow(py)?.unbind())
}

/// A time column (timestamps of any unit and zone, dates, ISO strings) as int64 microseconds in UTC.
#[pyfunction]
#[pyo3(signature = (array, *, column = "time", tz = "UTC"))]
pub fn micros(py: Python<'_>, array: &Bound<'_, PyAny>, column: &str, tz: &str) -> PyResult<Py<PyAny>> {
    let array = self::column(array)?;
    let out = py.detach(|| time::micros(array.as_ref(), column, &time::parse_zone(tz)?)).map_err(to_py)?;
    to_pyarrow(py, Arc::new(out))
}

/// Positions from a uint32 column.
pub fn positions(object: &Bound<'_, PyAny>, name: &str) -> PyResult<UInt32Array> {
    let array = column(object)?;
    match array.data_type() {
        DataType::UInt32 if array.null_count() == 0 => Ok(array.as_primitive::<UInt32Type>().clone()),
        other => Err(to_py(Error::column_type(format!("uint32 without nulls is expected, not {other}"), name))),
    }
}
