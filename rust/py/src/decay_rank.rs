//! Re-ranking over Arrow columns and lists of dicts.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use timewalk_core::decay::rank::{self, Fusion, Grouper, Groups, Ids, Measure, Missing, Noise, Normalise, Scored};
use timewalk_core::{Error, Result, columns};

use crate::arrow::{column, to_pyarrow};
use crate::decay::{Named, Parameter};
use crate::errors::to_py;

/// The attributes of `timewalk.reranking.fusion.Fusion`.
#[derive(FromPyObject)]
pub struct Wishes<'py> {
    distance: Option<String>,
    semantic_weight: Parameter<'py>,
    temporal_weight: Parameter<'py>,
    normalize: Option<String>,
    normalize_temporal: Option<String>,
    floor: f64,
    missing: Policy,
    noise: f64,
    seed: u64,
}

#[derive(FromPyObject)]
enum Policy {
    #[pyo3(transparent)]
    Weight(f64),
    #[pyo3(transparent)]
    Name(String),
}

impl Wishes<'_> {
    fn fusion(self) -> PyResult<Fusion> {
        let (semantic, temporal) = (self.semantic_weight.import()?, self.temporal_weight.import()?);
        let read = || -> Result<Fusion> {
            let rule = "at least 0";
            Ok(Fusion {
                measure: Measure::parse(self.distance.as_deref())?,
                semantic_weight: semantic.param("semantic_weight")?.require(|w| w >= 0.0, rule)?,
                temporal_weight: temporal.param("temporal_weight")?.require(|w| w >= 0.0, rule)?,
                normalise: Normalise::parse(self.normalize.as_deref())?,
                normalise_temporal: Normalise::parse(self.normalize_temporal.as_deref())?,
                floor: self.floor,
                missing: match &self.missing {
                    Policy::Weight(weight) => Missing::Weight(*weight),
                    Policy::Name(name) => Missing::parse(name)?,
                },
                noise: Noise { scale: self.noise, seed: self.seed },
            })
        };
        read().map_err(to_py)
    }
}

/// Weights of one engine: the column, whether it is an activation, and the column that it was made from.
type Weights<'py> = (Bound<'py, PyAny>, bool, String);

/// Rows in their new order, with what the order was made of.
#[pyclass(frozen, module = "timewalk._core")]
pub struct Ranked {
    order: Vec<u64>,
    scored: Scored,
}

/// Scores hits and puts them in order; see `timewalk.rerank`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the wire between one Python function and one Rust function
pub fn rank_hits(
    py: Python<'_>,
    similarity: Named<'_>,
    temporal: Vec<Weights<'_>>,
    groups: Vec<Named<'_>>,
    ids: Option<Named<'_>>,
    fusion: Wishes<'_>,
    k: Option<usize>,
    threads: Option<usize>,
) -> PyResult<Ranked> {
    let similarity = (similarity.0, column(&similarity.1)?);
    let temporal = temporal
        .into_iter()
        .map(|(weights, additive, name)| Ok((column(&weights)?, additive, name)))
        .collect::<PyResult<Vec<_>>>()?;
    let groups = groups
        .into_iter()
        .map(|(name, keys)| Ok((column(&keys)?, name)))
        .collect::<PyResult<Vec<(ArrayRef, String)>>>()?;
    let ids = ids.map(|(name, ids)| Ok::<_, PyErr>((column(&ids)?, name))).transpose()?;
    let fusion = fusion.fusion()?;
    py.detach(|| {
        let ids = ids.and_then(|(ids, name)| Ids::read(&ids, &name));
        let groups: Option<Groups> = if groups.is_empty() { None } else { Some(Grouper::default().codes(&groups)?) };
        let temporal = temporal
            .into_iter()
            .map(|(weights, additive, column)| {
                Ok(rank::Temporal { weights: columns::float64(weights.as_ref(), &column)?, additive, column })
            })
            .collect::<Result<Vec<_>>>()?;
        let numbers = columns::float64(similarity.1.as_ref(), &similarity.0)?;
        let scored = rank::score((&numbers, &similarity.0), &temporal, groups.as_ref(), ids.as_ref(), &fusion)?;
        let order = rank::ranked(&scored, groups.as_ref(), ids.as_ref(), k, threads);
        Ok::<_, Error>(Ranked { order, scored })
    })
    .map_err(to_py)
}

#[pymethods]
impl Ranked {
    fn __len__(&self) -> usize {
        self.order.len()
    }

    /// Row numbers, best first, and score, temporal weight and similarity in that order.
    fn columns(&self, py: Python<'_>) -> PyResult<[Py<PyAny>; 4]> {
        let arrays: [ArrayRef; 4] = py.detach(|| {
            let order: ArrayRef = Arc::new(UInt64Array::from(self.order.clone()));
            [
                order,
                self.taken(&self.scored.score),
                self.taken(&self.scored.temporal),
                self.taken(&self.scored.similarity),
            ]
        });
        let [order, score, temporal, similarity] = arrays;
        Ok([to_pyarrow(py, order)?, to_pyarrow(py, score)?, to_pyarrow(py, temporal)?, to_pyarrow(py, similarity)?])
    }

    /// Copies of the hits in the new order, with three more keys.
    fn dicts<'py>(
        &self,
        py: Python<'py>,
        hits: &Bound<'py, PyList>,
        names: [Bound<'py, PyString>; 3],
    ) -> PyResult<Bound<'py, PyList>> {
        let out = PyList::empty(py);
        let [score, temporal, similarity] = &names;
        let number = |values: &[f64], row: usize| Some(values[row]).filter(|value| !value.is_nan());
        for row in &self.order {
            let row = *row as usize;
            let hit = hits.get_item(row)?.cast_into::<PyDict>()?.copy()?;
            hit.set_item(score, number(&self.scored.score, row))?;
            hit.set_item(temporal, number(&self.scored.temporal, row))?;
            hit.set_item(similarity, number(&self.scored.similarity, row))?;
            out.append(hit)?;
        }
        Ok(out)
    }
}

impl Ranked {
    fn taken(&self, values: &[f64]) -> ArrayRef {
        let values = self.order.iter().map(|row| values[*row as usize]).collect();
        let column: Float64Array = rank::column(values);
        Arc::new(column)
    }
}

/// The values under a key of every hit (None where it is absent), what they are, and how many hits have the key.
///
/// A key that no hit has as such is looked up as a path with dots, in nested dicts. The kind is "none", "datetime",
/// "str", "int", "float" or "other", of the values or of the leaves of lists; "mixed" where they differ.
#[pyfunction]
pub fn pick<'py>(
    py: Python<'py>,
    hits: &Bound<'py, PyList>,
    key: &Bound<'py, PyString>,
) -> PyResult<(Bound<'py, PyList>, &'static str, usize)> {
    let text = key.to_str()?;
    let path: Vec<&str> = if text.contains('.') { text.split('.').collect() } else { Vec::new() };
    let out = PyList::empty(py);
    let kinds = Kinds::new(py)?;
    let (mut kind, mut found) = ("none", 0);
    for (row, hit) in hits.iter().enumerate() {
        let dict = hit.cast::<PyDict>().map_err(|_| {
            to_py(Error::Type { message: format!("hit {row} is {}, not a dict", hit.get_type()), column: None })
        })?;
        let value = match dict.get_item(key)? {
            None if !path.is_empty() => nested(dict, &path)?,
            value => value,
        };
        match value {
            Some(value) => {
                found += 1;
                kind = joined(kind, kinds.of(&value)?);
                out.append(value)?;
            }
            None => out.append(py.None())?,
        }
    }
    Ok((out, kind, found))
}

fn nested<'py>(dict: &Bound<'py, PyDict>, path: &[&str]) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut at = dict.clone().into_any();
    for part in path {
        let Ok(dict) = at.cast::<PyDict>() else { return Ok(None) };
        match dict.get_item(part)? {
            Some(value) => at = value,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn joined(a: &'static str, b: &'static str) -> &'static str {
    match (a, b) {
        ("none", kind) | (kind, "none") => kind,
        (a, b) if a == b => a,
        ("int", "float") | ("float", "int") => "float",
        _ => "mixed",
    }
}

/// Type objects to compare with; subclasses (pandas' timestamps, numpy's floats) count as "other" and go the long way.
struct Kinds<'py> {
    datetime: Bound<'py, PyAny>,
    types: [(Bound<'py, PyAny>, &'static str); 4],
}

impl<'py> Kinds<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        let datetime = py.import("datetime")?.getattr("datetime")?;
        Ok(Self {
            types: [
                (datetime.clone(), "datetime"),
                (py.get_type::<PyString>().into_any(), "str"),
                (py.get_type::<pyo3::types::PyFloat>().into_any(), "float"),
                (py.get_type::<pyo3::types::PyInt>().into_any(), "int"),
            ],
            datetime,
        })
    }

    fn of(&self, value: &Bound<'py, PyAny>) -> PyResult<&'static str> {
        if value.is_none() {
            return Ok("none");
        }
        let kind = value.get_type();
        if let Some((_, name)) = self.types.iter().find(|(known, _)| known.is(&kind)) {
            return Ok(name);
        }
        let mut of_leaves = "none";
        if let Ok(list) = value.cast_exact::<PyList>() {
            for leaf in list.iter() {
                of_leaves = joined(of_leaves, self.leaf(&leaf));
            }
            return Ok(of_leaves);
        }
        if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            for leaf in tuple.iter() {
                of_leaves = joined(of_leaves, self.leaf(&leaf));
            }
            return Ok(of_leaves);
        }
        Ok("other")
    }

    fn leaf(&self, leaf: &Bound<'py, PyAny>) -> &'static str {
        let kind = leaf.get_type();
        if self.datetime.is(&kind) {
            return "datetime";
        }
        if leaf.is_none() {
            return "none";
        }
        self.types.iter().find(|(known, _)| known.is(&kind)).map_or("other", |(_, name)| name)
    }
}
