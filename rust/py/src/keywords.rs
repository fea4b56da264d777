//! `timewalk._core.Keywords`.

use std::sync::{Arc, PoisonError, RwLock};

use arrow_array::{Array, Float64Array, Int64Array, StringArray, UInt8Array, UInt32Array, cast::AsArray};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use timewalk_core::{Error, Result, columns, keywords};

use crate::arrow::{column, to_pyarrow};
use crate::errors::to_py;

/// BM25 over texts, by position; see the stub.
#[pyclass(frozen, module = "timewalk._core")]
#[derive(Default)]
pub struct Keywords {
    index: RwLock<keywords::Keywords>,
}

#[pymethods]
impl Keywords {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __len__(&self) -> usize {
        self.index.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn add(&self, py: Python<'_>, positions: &Bound<'_, PyAny>, texts: &Bound<'_, PyAny>) -> PyResult<()> {
        let (positions, texts) = rows(positions, texts)?;
        py.detach(|| self.index.write().unwrap_or_else(PoisonError::into_inner).add(pairs(&positions, &texts)))
            .map_err(to_py)
    }

    fn remove(&self, py: Python<'_>, positions: &Bound<'_, PyAny>, texts: &Bound<'_, PyAny>) -> PyResult<()> {
        let (positions, texts) = rows(positions, texts)?;
        py.detach(|| self.index.write().unwrap_or_else(PoisonError::into_inner).remove(pairs(&positions, &texts)))
            .map_err(to_py)
    }

    fn names_something(&self, text: &str) -> bool {
        self.index.read().unwrap_or_else(PoisonError::into_inner).names_something(text)
    }

    #[pyo3(signature = (text, limit, mask = None))]
    fn search(
        &self,
        py: Python<'_>,
        text: &str,
        limit: usize,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Py<PyAny>, Py<PyAny>, f64)> {
        let mask: Option<UInt8Array> = mask.map(bytes).transpose()?;
        let hits = py.detach(|| {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            index.search(text, limit, mask.as_ref().map(|mask| &**mask.values()))
        });
        let positions: Int64Array = hits.positions.into_iter().map(i64::from).collect();
        Ok((
            to_pyarrow(py, Arc::new(positions))?,
            to_pyarrow(py, Arc::new(Float64Array::from(hits.scores)))?,
            hits.whole,
        ))
    }

    fn to_bytes(&self, py: Python<'_>) -> Py<PyBytes> {
        let bytes = py.detach(|| self.index.read().unwrap_or_else(PoisonError::into_inner).to_bytes());
        PyBytes::new(py, &bytes).unbind()
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let index = py.detach(|| keywords::Keywords::from_bytes(data)).map_err(to_py)?;
        Ok(Self { index: RwLock::new(index) })
    }
}

/// Bytes from a uint8 column.
pub fn bytes(object: &Bound<'_, PyAny>) -> PyResult<UInt8Array> {
    let array = column(object)?;
    match array.data_type() {
        DataType::UInt8 => Ok(array.as_primitive::<arrow_array::types::UInt8Type>().clone()),
        other => Err(to_py(Error::column_type(format!("bytes are expected, not {other}"), "mask"))),
    }
}

/// Positions from a uint32 column.
pub fn positions(object: &Bound<'_, PyAny>, name: &str) -> PyResult<UInt32Array> {
    let array = column(object)?;
    match array.data_type() {
        DataType::UInt32 if array.null_count() == 0 => {
            Ok(array.as_primitive::<arrow_array::types::UInt32Type>().clone())
        }
        other => Err(to_py(Error::column_type(format!("uint32 without nulls is expected, not {other}"), name))),
    }
}

fn rows(positions: &Bound<'_, PyAny>, texts: &Bound<'_, PyAny>) -> PyResult<(UInt32Array, StringArray)> {
    let positions = self::positions(positions, "position")?;
    let texts: Result<StringArray> = columns::utf8(column(texts)?.as_ref(), "text");
    let texts = texts.map_err(to_py)?;
    if texts.len() != positions.len() {
        let message = format!("{} positions, but {} texts", positions.len(), texts.len());
        return Err(to_py(Error::value(message)));
    }
    Ok((positions, texts))
}

fn pairs<'a>(positions: &'a UInt32Array, texts: &'a StringArray) -> impl Iterator<Item = (u32, &'a str)> {
    positions.values().iter().zip(texts.iter()).map(|(&position, text)| (position, text.unwrap_or("")))
}
