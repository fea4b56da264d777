//! `timewalk._core.Nearest`.

use std::sync::{Arc, PoisonError, RwLock};

use arrow_array::types::Float32Type;
use arrow_array::{Array, Float32Array, Float64Array, Int64Array, UInt32Array, cast::AsArray};
use arrow_schema::DataType;
use pyo3::prelude::*;
use timewalk_core::{Error, nearest};

use crate::arrow::{column, positions, to_pyarrow};
use crate::errors::to_py;

/// Vectors by position and their exact nearest; see the stub.
#[pyclass(frozen, module = "timewalk._core")]
pub struct Nearest {
    dimension: usize,
    index: RwLock<nearest::Nearest>,
}

#[pymethods]
impl Nearest {
    #[new]
    fn new(dimension: usize) -> PyResult<Self> {
        if dimension == 0 {
            return Err(to_py(Error::value("vectors have 1 dimension or more")));
        }
        Ok(Self { dimension, index: RwLock::default() })
    }

    fn __len__(&self) -> usize {
        self.index.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    #[getter]
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn put(&self, py: Python<'_>, positions: &Bound<'_, PyAny>, vectors: &Bound<'_, PyAny>) -> PyResult<()> {
        let (positions, vectors) = (self::positions(positions, "position")?, floats(vectors)?);
        let wanted = positions.len() * self.dimension;
        if vectors.len() != wanted {
            let message = format!("{} vectors of {} numbers are expected", positions.len(), self.dimension);
            return Err(to_py(Error::value(message)));
        }
        py.detach(|| {
            let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
            let rows = vectors.values().chunks_exact(self.dimension);
            positions.values().iter().zip(rows).try_for_each(|(&position, row)| index.put(position, row))
        })
        .map_err(to_py)
    }

    fn remove(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let positions = self::positions(positions, "position")?;
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        positions.values().iter().for_each(|&position| index.remove(position));
        Ok(())
    }

    fn units(&self, py: Python<'_>, positions: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let positions = self::positions(positions, "position")?;
        let mut out = vec![0f32; positions.len() * self.dimension];
        py.detach(|| {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            for (&position, row) in positions.values().iter().zip(out.chunks_exact_mut(self.dimension)) {
                let unit = index.unit(position);
                if unit.len() == row.len() {
                    row.copy_from_slice(unit);
                }
            }
        });
        to_pyarrow(py, Arc::new(Float32Array::from(out)))
    }

    fn cosines(&self, py: Python<'_>, query: &Bound<'_, PyAny>, positions: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (query, positions) = (self.query(query)?, self::positions(positions, "position")?);
        let cosines = py.detach(|| {
            self.index.read().unwrap_or_else(PoisonError::into_inner).cosines(query.values(), positions.values())
        });
        to_pyarrow(py, Arc::new(Float64Array::from(cosines)))
    }

    #[pyo3(signature = (query, limit, among = None))]
    fn search(
        &self,
        py: Python<'_>,
        query: &Bound<'_, PyAny>,
        limit: usize,
        among: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let query = self.query(query)?;
        let among = among.map(|among| self::positions(among, "among")).transpose()?;
        let (positions, cosines) = py.detach(|| {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            index.search(query.values(), limit, among.as_ref().map(|among| &**among.values()))
        });
        let positions: Int64Array = positions.into_iter().map(i64::from).collect();
        Ok((to_pyarrow(py, Arc::new(positions))?, to_pyarrow(py, Arc::new(Float64Array::from(cosines)))?))
    }

    fn parts(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let (slots, rows) = py.detach(|| {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            let (slots, chunks) = index.parts();
            (slots.to_vec(), chunks.flatten().copied().collect::<Vec<f32>>())
        });
        let slots = to_pyarrow(py, Arc::new(UInt32Array::from(slots)))?;
        Ok((slots, to_pyarrow(py, Arc::new(Float32Array::from(rows)))?))
    }

    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        dimension: usize,
        slots: &Bound<'_, PyAny>,
        rows: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (slots, rows) = (positions(slots, "slots")?, floats(rows)?);
        let index = py
            .detach(|| nearest::Nearest::from_parts(dimension, slots.values().to_vec(), rows.values().clone()))
            .map_err(to_py)?;
        Ok(Self { dimension, index: RwLock::new(index) })
    }
}

impl Nearest {
    fn query(&self, query: &Bound<'_, PyAny>) -> PyResult<Float32Array> {
        let query = floats(query)?;
        if query.len() != self.dimension {
            let message = format!("a query of {} numbers is expected, not {}", self.dimension, query.len());
            return Err(to_py(Error::value(message)));
        }
        Ok(query)
    }
}

fn floats(object: &Bound<'_, PyAny>) -> PyResult<Float32Array> {
    let array = column(object)?;
    match array.data_type() {
        DataType::Float32 => Ok(array.as_primitive::<Float32Type>().clone()),
        other => Err(to_py(Error::column_type(format!("float32 is expected, not {other}"), "embedding"))),
    }
}
