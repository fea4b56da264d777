//! The links that ingestion infers, kept in step with a store: `ThreadLinks`, `TimeLinks`, `MentionLinks`, `CausalLinks`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, ListArray, StringArray, UInt32Array};
use pyo3::prelude::*;
use timewalk_core::ingest::{
    CauseOptions, Causes, Links, Memories, Mentions, PairOptions, Threaded, Threads, TimeOptions, Timed, Times,
};
use timewalk_core::{Error, Result, columns};

use crate::arrow::{column, positions, to_pyarrow};
use crate::errors::to_py;
use crate::ingest::{int64, lists};

/// Sources and targets that went; sources, targets and weights that are new or changed. Of causal links: source, target,
/// relation, weight and cue of what is new or changed.
type Changed = (Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>);

/// `follows` links; see the stub.
#[pyclass(frozen, module = "timewalk._core")]
#[derive(Default)]
pub struct ThreadLinks {
    state: Mutex<Threads>,
}

#[pymethods]
impl ThreadLinks {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn update(
        &self,
        py: Python<'_>,
        removed: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
        orders: &Bound<'_, PyAny>,
        namespaces: &Bound<'_, PyAny>,
        threads: &Bound<'_, PyAny>,
    ) -> PyResult<Changed> {
        let (removed, at) = going_and_coming(removed, positions)?;
        let orders = moments(orders, "order", at.len())?;
        let (namespaces, threads) = (text(namespaces, "namespace", at.len())?, text(threads, "thread", at.len())?);
        let links = py.detach(|| {
            let memories = (0..at.len()).map(|row| Threaded {
                position: at.value(row),
                order: orders.value(row),
                namespace: namespaces.value(row),
                thread: threads.is_valid(row).then(|| threads.value(row)),
            });
            held(&self.state).update(removed.values(), memories)
        });
        changed(py, &links)
    }
}

/// `temporal` links; see the stub.
#[pyclass(frozen, module = "timewalk._core")]
pub struct TimeLinks {
    state: Mutex<Times>,
}

#[pymethods]
impl TimeLinks {
    #[new]
    fn new(half_life: f64, floor: f64, limit: usize) -> PyResult<Self> {
        if !(half_life > 0.0 && floor > 0.0 && floor <= 1.0) {
            return Err(to_py(Error::value("half_life is above 0 and floor in (0, 1]")));
        }
        Ok(Self { state: Mutex::new(Times::new(TimeOptions { half_life, floor, limit })) })
    }

    fn update(
        &self,
        py: Python<'_>,
        removed: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
        namespaces: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        times: &Bound<'_, PyAny>,
    ) -> PyResult<Changed> {
        let (removed, at) = going_and_coming(removed, positions)?;
        let (namespaces, ids) = (text(namespaces, "namespace", at.len())?, text(ids, "id", at.len())?);
        let times = moments(times, "time", at.len())?;
        let links = py.detach(|| {
            let memories = (0..at.len()).map(|row| Timed {
                position: at.value(row),
                namespace: namespaces.value(row),
                id: ids.value(row),
                time: times.is_valid(row).then(|| times.value(row)),
            });
            held(&self.state).update(removed.values(), memories)
        });
        changed(py, &links)
    }
}

/// `mentions` and `co_occurs` links; see the stub.
#[pyclass(frozen, module = "timewalk._core")]
pub struct MentionLinks {
    state: Mutex<Mentions>,
}

#[pymethods]
impl MentionLinks {
    #[new]
    fn new(floor: f64, limit: usize, most_entities: usize) -> PyResult<Self> {
        if !(floor > 0.0 && floor <= 1.0) {
            return Err(to_py(Error::value("floor is in (0, 1]")));
        }
        Ok(Self { state: Mutex::new(Mentions::new(PairOptions { floor, limit, most_entities })) })
    }

    fn update(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        entities: &Bound<'_, PyAny>,
        confidences: &Bound<'_, PyAny>,
    ) -> PyResult<(Changed, Changed, Py<PyAny>)> {
        let at = self::positions(positions, "position")?;
        let entities = lists(&column(entities)?, "entity").map_err(to_py)?;
        let sure = numbers(&column(confidences)?).map_err(to_py)?;
        if entities.len() != at.len() || sure.len() != at.len() {
            return Err(to_py(Error::value(format!("{} rows are expected", at.len()))));
        }
        let (mentions, pairs, gone) = py.detach(|| {
            let mut state = held(&self.state);
            let rows: Vec<(StringArray, Float64Array)> = (0..at.len())
                .map(|row| {
                    let ids = entities.value(row).as_string::<i32>().clone();
                    (ids, sure.value(row).as_primitive::<Float64Type>().clone())
                })
                .collect();
            let named = rows.iter().zip(at.values()).map(|((ids, sure), &position)| {
                (position, ids.iter().flatten().zip(sure.values().iter().copied()).collect::<Vec<_>>())
            });
            let change = state.update(named);
            let id = |number: u32| state.id(number);
            let names = |numbers: Vec<u32>| numbers.into_iter().map(|number| Some(id(number))).collect::<StringArray>();
            let ends = |pairs: &[((u32, u32), f64)]| {
                let sources: Vec<u32> = pairs.iter().map(|(ends, _)| ends.0).collect();
                let targets: Vec<u32> = pairs.iter().map(|(ends, _)| ends.1).collect();
                (sources, targets, Float64Array::from_iter_values(pairs.iter().map(|(_, weight)| *weight)))
            };
            let bare = |pairs: &[(u32, u32)]| pairs.iter().copied().unzip::<u32, u32, Vec<u32>, Vec<u32>>();
            let (out, out_entities) = bare(&change.mentions.removed);
            let (memories, set, confidence) = ends(&change.mentions.set);
            let mentions: [ArrayRef; 5] = [
                Arc::new(UInt32Array::from(out)),
                Arc::new(names(out_entities)),
                Arc::new(UInt32Array::from(memories)),
                Arc::new(names(set)),
                Arc::new(confidence),
            ];
            let (a, b) = bare(&change.pairs.removed);
            let (sources, targets, weights) = ends(&change.pairs.set);
            let pairs: [ArrayRef; 5] = [
                Arc::new(names(a)),
                Arc::new(names(b)),
                Arc::new(names(sources)),
                Arc::new(names(targets)),
                Arc::new(weights),
            ];
            (mentions, pairs, names(change.gone))
        });
        Ok((five(py, mentions)?, five(py, pairs)?, to_pyarrow(py, Arc::new(gone))?))
    }
}

/// `causes` and `caused_by` links; see the stub.
#[pyclass(frozen, module = "timewalk._core")]
pub struct CausalLinks {
    state: Mutex<Causes>,
}

/// Texts, namespaces, starts, ends, entities.
type Columns<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Source, target and relation of what went.
type Gone = (Py<PyAny>, Py<PyAny>, Py<PyAny>);

#[pymethods]
impl CausalLinks {
    #[new]
    fn new(repairs: usize, repair_floor: f64, clause_floor: f64, span: f64, entity_weight: f64) -> Self {
        let options = CauseOptions { repairs, repair_floor, clause_floor, memory_span: span, entity_weight };
        Self { state: Mutex::new(Causes::new(options)) }
    }

    fn update(
        &self,
        py: Python<'_>,
        removed: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
        orders: &Bound<'_, PyAny>,
        memories: Columns<'_>,
    ) -> PyResult<(Gone, Changed)> {
        let (removed, at) = going_and_coming(removed, positions)?;
        let orders = moments(orders, "order", at.len())?;
        let (texts, namespaces, starts, ends, entities) = memories;
        let (texts, namespaces) = (column(&texts)?, column(&namespaces)?);
        let (starts, ends, entities) = (column(&starts)?, column(&ends)?, column(&entities)?);
        let change = py
            .detach(|| {
                let memories = Memories {
                    texts: &columns::utf8(texts.as_ref(), "text")?,
                    namespaces: &columns::utf8(namespaces.as_ref(), "namespace")?,
                    starts: &int64(&starts, "occurred_start")?,
                    ends: &int64(&ends, "occurred_end")?,
                    entities: &lists(&entities, "entities")?,
                };
                let mut state = held(&self.state);
                state.update(removed.values(), at.values(), orders.values(), &memories)
            })
            .map_err(to_py)?;
        let gone = (
            to_pyarrow(py, Arc::new(change.removed.iter().map(|ends| Some(ends.0 as u32)).collect::<UInt32Array>()))?,
            to_pyarrow(py, Arc::new(change.removed.iter().map(|ends| Some(ends.1 as u32)).collect::<UInt32Array>()))?,
            to_pyarrow(py, Arc::new(change.removed.iter().map(|ends| Some(ends.2)).collect::<StringArray>()))?,
        );
        let set = &change.set;
        let set: [ArrayRef; 5] = [
            Arc::new(set.iter().map(|link| Some(link.source as u32)).collect::<UInt32Array>()),
            Arc::new(set.iter().map(|link| Some(link.target as u32)).collect::<UInt32Array>()),
            Arc::new(set.iter().map(|link| Some(link.relation)).collect::<StringArray>()),
            Arc::new(set.iter().map(|link| Some(link.weight)).collect::<Float64Array>()),
            Arc::new(set.iter().map(|link| Some(link.cue)).collect::<StringArray>()),
        ];
        Ok((gone, five(py, set)?))
    }
}

fn changed(py: Python<'_>, links: &Links<(u32, u32)>) -> PyResult<Changed> {
    let removed = |of: fn(&(u32, u32)) -> u32| UInt32Array::from_iter_values(links.removed.iter().map(of));
    let set = |of: fn(&(u32, u32)) -> u32| UInt32Array::from_iter_values(links.set.iter().map(|(ends, _)| of(ends)));
    let arrays: [ArrayRef; 5] = [
        Arc::new(removed(|ends| ends.0)),
        Arc::new(removed(|ends| ends.1)),
        Arc::new(set(|ends| ends.0)),
        Arc::new(set(|ends| ends.1)),
        Arc::new(Float64Array::from_iter_values(links.set.iter().map(|(_, weight)| *weight))),
    ];
    five(py, arrays)
}

fn five(py: Python<'_>, arrays: [ArrayRef; 5]) -> PyResult<Changed> {
    let [a, b, c, d, e] = arrays.map(|array| to_pyarrow(py, array));
    Ok((a?, b?, c?, d?, e?))
}

/// The state; a panic on another thread does not make every later call fail.
fn held<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Positions that go, and those that come.
fn going_and_coming(removed: &Bound<'_, PyAny>, positions: &Bound<'_, PyAny>) -> PyResult<(UInt32Array, UInt32Array)> {
    Ok((self::positions(removed, "removed")?, self::positions(positions, "position")?))
}

fn text(object: &Bound<'_, PyAny>, name: &str, rows: usize) -> PyResult<StringArray> {
    let array = columns::utf8(column(object)?.as_ref(), name).map_err(to_py)?;
    sized(array.len(), name, rows)?;
    Ok(array)
}

fn moments(object: &Bound<'_, PyAny>, name: &str, rows: usize) -> PyResult<Int64Array> {
    let array = int64(&column(object)?, name).map_err(to_py)?;
    sized(array.len(), name, rows)?;
    Ok(array)
}

fn sized(length: usize, name: &str, rows: usize) -> PyResult<()> {
    if length == rows {
        return Ok(());
    }
    Err(to_py(Error::column_type(format!("{rows} rows are expected, not {length}"), name)))
}

fn numbers(array: &ArrayRef) -> Result<ListArray> {
    match array.as_list_opt::<i32>() {
        Some(lists) if lists.value_type() == arrow_schema::DataType::Float64 => Ok(lists.clone()),
        _ => Err(Error::column_type("lists of float64 are expected", "confidence")),
    }
}
