//! Mentions of known names and causal links from texts.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, ListArray, StringArray};
use arrow_schema::DataType;
use pyo3::prelude::*;
use timewalk_core::ingest::{self, CauseOptions, Matcher, Memories};
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

/// Texts, namespaces, starts and ends (int64 microseconds), entity keys (lists of strings).
type Columns<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Links by repair at most, floor of repairs, floor of clauses, span in microseconds, weight of an entity.
type Options = (usize, f64, f64, f64, f64);

/// Source rows, target rows, relations, weights, cues.
type Links = (Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>);

/// Causal links that texts state; see `timewalk.ingest.causal.causal_links`.
#[pyfunction]
pub fn causal_links(py: Python<'_>, memories: Columns<'_>, options: Options) -> PyResult<Links> {
    let (texts, namespaces, starts, ends, entities) = memories;
    let texts = column(&texts)?;
    let namespaces = column(&namespaces)?;
    let (starts, ends) = (column(&starts)?, column(&ends)?);
    let entities = column(&entities)?;
    let (repairs, repair_floor, clause_floor, memory_span, entity_weight) = options;
    let links = py
        .detach(|| {
            let memories = Memories {
                texts: &columns::utf8(texts.as_ref(), "text")?,
                namespaces: &columns::utf8(namespaces.as_ref(), "namespace")?,
                starts: &int64(&starts, "occurred_start")?,
                ends: &int64(&ends, "occurred_end")?,
                entities: &lists(&entities, "entities")?,
            };
            let options = CauseOptions { repairs, repair_floor, clause_floor, memory_span, entity_weight };
            ingest::causal_links(&memories, &options)
        })
        .map_err(to_py)?;
    let sources: Int64Array = links.iter().map(|link| link.source as i64).collect();
    let targets: Int64Array = links.iter().map(|link| link.target as i64).collect();
    let relations: StringArray = links.iter().map(|link| Some(link.relation)).collect();
    let weights: Float64Array = links.iter().map(|link| link.weight).collect();
    let cues: StringArray = links.iter().map(|link| Some(link.cue)).collect();
    Ok((
        to_pyarrow(py, Arc::new(sources))?,
        to_pyarrow(py, Arc::new(targets))?,
        to_pyarrow(py, Arc::new(relations))?,
        to_pyarrow(py, Arc::new(weights))?,
        to_pyarrow(py, Arc::new(cues))?,
    ))
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
