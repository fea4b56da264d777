//! Mentions of known names, and the columns that inferred links are made of.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray};
use arrow_schema::DataType;
use pyo3::prelude::*;
use timewalk_core::ingest::Matcher;
use timewalk_core::{Error, Result, columns};

use crate::arrow::{column, to_pyarrow};
use crate::errors::to_py;

/// Finds many names in many texts in one pass; see `timewalk.ingest.known`.
#[pyclass(frozen, module = "timewalk._core")]
pub struct NameMatcher {
    matcher: Matcher,
}

#[pymethods]
impl NameMatcher {
    #[new]
    fn new(py: Python<'_>, names: &Bound<'_, PyAny>) -> PyResult<Self> {
        let names = column(names)?;
        let matcher = py.detach(|| Matcher::new(&columns::utf8(names.as_ref(), "name")?)).map_err(to_py)?;
        Ok(Self { matcher })
    }

    fn __len__(&self) -> usize {
        self.matcher.len()
    }

    /// Rows of texts and numbers of names, one of each a mention, by row and place.
    fn find(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let texts = column(texts)?;
        let found = py.detach(|| Ok(self.matcher.find(&columns::utf8(texts.as_ref(), "text")?))).map_err(to_py)?;
        let rows: Int64Array = found.iter().map(|hit| hit.row as i64).collect();
        let names: Int64Array = found.iter().map(|hit| hit.name as i64).collect();
        Ok((to_pyarrow(py, Arc::new(rows))?, to_pyarrow(py, Arc::new(names))?))
    }
}

/// Microseconds from an int64 column; a column of nulls will do.
pub fn int64(array: &ArrayRef, name: &str) -> Result<Int64Array> {
    match array.data_type() {
        DataType::Int64 => Ok(array.as_primitive::<arrow_array::types::Int64Type>().clone()),
        DataType::Null => Ok(Int64Array::new_null(array.len())),
        other => Err(Error::column_type(format!("microseconds as int64 are expected, not {other}"), name)),
    }
}

/// Lists of strings.
pub fn lists(array: &ArrayRef, name: &str) -> Result<ListArray> {
    match array.as_list_opt::<i32>() {
        Some(lists) if lists.value_type() == DataType::Utf8 => Ok(lists.clone()),
        _ => Err(Error::column_type(format!("lists of strings are expected, not {}", array.data_type()), name)),
    }
}
