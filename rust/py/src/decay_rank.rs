//! Re-ranking over Arrow columns and lists of dicts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{ArrayRef, Float64Array, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use timewalk_core::decay::rank::{
    self, Best, Fusion, Grouper, Groups, Ids, Measure, Missing, Noise, Normalise, Scored,
};
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
    fn fusion(self, first_row: u64) -> PyResult<Fusion> {
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
                noise: Noise { scale: self.noise, seed: self.seed, first_row },
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

/// The columns of one call or one batch, imported.
struct Batch {
    similarity: (String, ArrayRef),
    temporal: Vec<(ArrayRef, bool, String)>,
    groups: Vec<(ArrayRef, String)>,
    ids: Option<(String, ArrayRef)>,
}

impl Batch {
    fn import(
        similarity: Named<'_>,
        temporal: Vec<Weights<'_>>,
        groups: Vec<Named<'_>>,
        ids: Option<Named<'_>>,
    ) -> PyResult<Self> {
        Ok(Self {
            similarity: (similarity.0, column(&similarity.1)?),
            temporal: temporal
                .into_iter()
                .map(|(weights, additive, name)| Ok((column(&weights)?, additive, name)))
                .collect::<PyResult<_>>()?,
            groups: groups.into_iter().map(|(name, keys)| Ok((column(&keys)?, name))).collect::<PyResult<_>>()?,
            ids: ids.map(|(name, ids)| Ok::<_, PyErr>((name, column(&ids)?))).transpose()?,
        })
    }

    fn score(self, grouper: &mut Grouper, fusion: &Fusion) -> Result<(Scored, Option<Groups>, Option<Ids>)> {
        let ids = self.ids.and_then(|(name, ids)| Ids::read(&ids, &name));
        let groups = if self.groups.is_empty() { None } else { Some(grouper.codes(&self.groups)?) };
        let temporal = self
            .temporal
            .into_iter()
            .map(|(weights, additive, column)| {
                Ok(rank::Temporal { weights: columns::float64(weights.as_ref(), &column)?, additive, column })
            })
            .collect::<Result<Vec<_>>>()?;
        let numbers = columns::float64(self.similarity.1.as_ref(), &self.similarity.0)?;
        let scored = rank::score((&numbers, &self.similarity.0), &temporal, groups.as_ref(), ids.as_ref(), fusion)?;
        Ok((scored, groups, ids))
    }
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
    let batch = Batch::import(similarity, temporal, groups, ids)?;
    let fusion = fusion.fusion(0)?;
    py.detach(|| {
        let (scored, groups, ids) = batch.score(&mut Grouper::default(), &fusion)?;
        let order = rank::ranked(&scored, groups.as_ref(), ids.as_ref(), k, threads);
        Ok::<_, Error>(Ranked { order, scored })
    })
    .map_err(to_py)
}

/// The best `k` of each group over batches that come one after another.
#[pyclass(frozen, module = "timewalk._core")]
pub struct BestHits(Mutex<(Grouper, Best)>);

#[pymethods]
impl BestHits {
    #[new]
    fn new(k: usize) -> Self {
        Self(Mutex::new((Grouper::default(), Best::new(k))))
    }

    /// Takes a batch; gives the numbers of its rows that must be kept, in their order.
    fn add(
        &self,
        py: Python<'_>,
        similarity: Named<'_>,
        temporal: Vec<Weights<'_>>,
        groups: Vec<Named<'_>>,
        ids: Option<Named<'_>>,
        fusion: Wishes<'_>,
    ) -> PyResult<Py<PyAny>> {
        let batch = Batch::import(similarity, temporal, groups, ids)?;
        let fusion = fusion.fusion(py.detach(|| lock(&self.0).1.rows()))?;
        let kept = py
            .detach(|| {
                let mut state = lock(&self.0);
                let (grouper, best) = &mut *state;
                let (scored, groups, ids) = batch.score(grouper, &fusion)?;
                Ok::<_, Error>(best.add(&scored, groups.as_ref(), ids.as_ref()))
            })
            .map_err(to_py)?;
        to_pyarrow(py, Arc::new(UInt64Array::from(kept)))
    }

    /// Rows seen, rows that were to be kept, and how many of these still matter.
    fn counts(&self, py: Python<'_>) -> (u64, u64, usize) {
        py.detach(|| {
            let state = lock(&self.0);
            let (kept, alive) = state.1.kept();
            (state.1.rows(), kept, alive)
        })
    }

    /// The kept rows that still matter, by their numbers; the others are to be dropped, and all are numbered anew.
    fn compact(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let alive = py.detach(|| lock(&self.0).1.compact());
        to_pyarrow(py, Arc::new(UInt64Array::from(alive)))
    }

    /// The kept rows in their final order, with score, temporal weight and similarity.
    fn winners(&self, py: Python<'_>) -> PyResult<[Py<PyAny>; 4]> {
        let arrays = py.detach(|| {
            let winners = lock(&self.0).1.winners();
            let scored = winners.scored.unwrap_or_default();
            let column = |values| -> ArrayRef { Arc::new(rank::column(values)) };
            let order: ArrayRef = Arc::new(UInt64Array::from(winners.candidates));
            [order, column(scored.score), column(scored.temporal), column(scored.similarity)]
        });
        let [order, score, temporal, similarity] = arrays;
        Ok([to_pyarrow(py, order)?, to_pyarrow(py, score)?, to_pyarrow(py, temporal)?, to_pyarrow(py, similarity)?])
    }
}

/// A panic while the lock was held has left whole batches at most, never half an entry.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
