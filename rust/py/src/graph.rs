//! `timewalk._core.MemoryGraph`.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use timewalk_core::activation::{
    self, Combine, Direction, Fan, Interrupt, Order, PageRankOptions, Relevance, SpreadOptions, WalkOptions,
};
use timewalk_core::graph::{self, Merge, RelationKind};
use timewalk_core::{Error, time};

use crate::arrow;
use crate::errors::to_py;
use crate::graph_args::{self as args, FilterArgs};
use crate::graph_out as out;

/// A graph of memories and entities; see the stub for what its methods do.
#[pyclass(frozen, module = "timewalk._core")]
pub struct MemoryGraph {
    graph: graph::MemoryGraph,
}

/// Runs work without the GIL; looks for signals (Ctrl-C) about twenty times a second.
fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Interrupt<'_>) -> timewalk_core::Result<T> + Send,
) -> PyResult<T> {
    const EVERY: Duration = Duration::from_millis(50);
    let (last, raised) = (Mutex::new(Instant::now()), Mutex::new(None));
    let poll = || {
        let Ok(mut last) = last.try_lock() else { return false };
        if last.elapsed() < EVERY {
            return false;
        }
        *last = Instant::now();
        let Err(error) = Python::attach(|py| py.check_signals()) else { return false };
        if let Ok(mut raised) = raised.lock() {
            *raised = Some(error);
        }
        true
    };
    let result = py.detach(|| work(Interrupt::new(&poll)));
    match raised.into_inner().ok().flatten() {
        Some(error) => Err(error),
        None => result.map_err(to_py),
    }
}

#[pymethods]
impl MemoryGraph {
    #[new]
    fn new() -> Self {
        Self { graph: graph::MemoryGraph::new() }
    }

    fn __len__(&self) -> usize {
        self.graph.snapshot().alive
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(args::id(id).is_ok_and(|id| self.graph.snapshot().find(&id).is_some()))
    }

    fn __repr__(&self) -> String {
        let snapshot = self.graph.snapshot();
        format!("MemoryGraph({} nodes, {} edges)", snapshot.alive, snapshot.edges.len())
    }

    #[getter]
    fn num_edges(&self) -> usize {
        self.graph.snapshot().edges.len()
    }

    #[pyo3(signature = (table, *, tz = "UTC"))]
    fn add_memories(&self, py: Python<'_>, table: &Bound<'_, PyAny>, tz: &str) -> PyResult<()> {
        let table = arrow::table(table)?;
        py.detach(|| self.graph.add_memories(&table, &time::parse_zone(tz)?)).map_err(to_py)
    }

    fn add_entities(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let table = arrow::table(table)?;
        py.detach(|| self.graph.add_entities(&table)).map_err(to_py)
    }

    #[pyo3(signature = (table, *, merge = "max"))]
    fn add_edges(&self, py: Python<'_>, table: &Bound<'_, PyAny>, merge: &str) -> PyResult<()> {
        let merge = match merge {
            "max" => Merge::Max,
            "replace" => Merge::Replace,
            other => return Err(to_py(Error::value(format!("unknown merge '{other}'; use 'max' or 'replace'")))),
        };
        let table = arrow::table(table)?;
        py.detach(|| self.graph.add_edges(&table, merge)).map_err(to_py)
    }

    #[pyo3(signature = (name, *, inverse = None, kind = "causal", boost = None))]
    fn register_relation(
        &self,
        py: Python<'_>,
        name: &str,
        inverse: Option<&str>,
        kind: &str,
        boost: Option<f64>,
    ) -> PyResult<()> {
        let kind = RelationKind::parse(kind).map_err(to_py)?;
        py.detach(|| self.graph.register_relation(name, inverse, kind, boost)).map_err(to_py)
    }

    fn memories(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().memories()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    fn entities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().entities()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().edge_table()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    fn relations(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().relation_table()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, depth = 3, decay = 0.5, threshold = 0.01, fire = "every", combine = "sum", fan = None,
        fan_strength = 2.0, clamp = None, max_active = None, direction = "out", relations = None, limit = None,
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn spread(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        depth: u32,
        decay: f64,
        threshold: f64,
        fire: &str,
        combine: &str,
        fan: Option<&str>,
        fan_strength: f64,
        clamp: Option<f64>,
        max_active: Option<usize>,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        limit: Option<usize>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let choice = |argument: &str, given: &str, known: &str| {
            to_py(Error::value(format!("unknown {argument} '{given}'; use {known}")))
        };
        let options = SpreadOptions {
            depth,
            decay,
            threshold,
            fire_once: match fire {
                "every" => false,
                "once" => true,
                other => return Err(choice("fire", other, "'every' or 'once'")),
            },
            combine: match combine {
                "sum" => Combine::Sum,
                "max" => Combine::Max,
                "noisy_or" => Combine::NoisyOr,
                other => return Err(choice("combine", other, "'sum', 'max' or 'noisy_or'")),
            },
            fan: match fan {
                None => Fan::None,
                Some("sqrt") => Fan::Sqrt,
                Some("degree") => Fan::Degree,
                Some("actr") => Fan::ActR(fan_strength),
                Some(other) => return Err(choice("fan", other, "None, 'sqrt', 'degree' or 'actr'")),
            },
            clamp,
            max_active,
            direction: Direction::parse(direction).map_err(to_py)?,
            relations: args::names(relations, "relations")?,
        };
        let batch = detached(py, |interrupt| {
            self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                let mut spread = activation::spread(&snapshot, &seeds, &options, &filter, scratch, interrupt)?;
                let statistics = out::json(&[
                    ("visited", spread.found.len() as f64),
                    ("expanded", spread.expanded as f64),
                    ("truncated", spread.truncated as f64),
                ]);
                spread.found.truncate(limit.unwrap_or(usize::MAX));
                out::active(&snapshot, &spread.found, statistics)
            })
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, restart = 0.5, epsilon = 1e-4, direction = "out", relations = None, limit = None,
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn pagerank(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        restart: f64,
        epsilon: f64,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        limit: Option<usize>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let direction = Direction::parse(direction).map_err(to_py)?;
        let options = PageRankOptions { restart, epsilon, direction, relations: args::names(relations, "relations")? };
        let batch = detached(py, |interrupt| {
            self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                let mut ranks = activation::pagerank(&snapshot, &seeds, &options, &filter, scratch, interrupt)?;
                let statistics = out::json(&[
                    ("visited", ranks.found.len() as f64),
                    ("expanded", ranks.pushes as f64),
                    ("residual", ranks.residual),
                ]);
                ranks.found.truncate(limit.unwrap_or(usize::MAX));
                out::active(&snapshot, &ranks.found, statistics)
            })
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        window, *, query = None, relevance = None, order = "best", budget = 100, threshold = 0.3, seeds = 10,
        no_date = Some(0.0), decay = 0.7, min_weight = 0.1, fan_out = 64, limit = None, candidates = None, tz = "UTC",
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ), text_signature = "($self, window, *, query=None, relevance=None, order='best', budget=100, threshold=0.3, \
        seeds=10, no_date=0.0, decay=0.7, min_weight=0.1, fan_out=64, limit=None, candidates=None, tz='UTC', \
        namespace=None, fact_type=None, tags=None, tags_match='any', mask=None, as_of=None)")]
    fn walk(
        &self,
        py: Python<'_>,
        window: &Bound<'_, PyAny>,
        query: Option<&Bound<'_, PyAny>>,
        relevance: Option<&Bound<'_, PyAny>>,
        order: &str,
        budget: usize,
        threshold: f64,
        seeds: usize,
        no_date: Option<f64>,
        decay: f64,
        min_weight: f64,
        fan_out: usize,
        limit: Option<usize>,
        candidates: Option<&Bound<'_, PyAny>>,
        tz: &str,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let window = args::window(window, tz)?;
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let query = query.map(args::vector).transpose()?;
        let keywords = relevance.map(|object| args::relevance(&snapshot, object)).transpose()?;
        let candidates =
            candidates.map(|object| args::nodes(&snapshot, &args::ids(object, "candidates")?)).transpose()?;
        let order = Order::parse(order).map_err(to_py)?;
        let options =
            WalkOptions { order, budget, threshold, seeds, no_date, decay, min_weight, fan_out, limit, candidates };
        let batch = detached(py, |interrupt| {
            let relevance = Relevance::new(&snapshot, query.as_deref(), keywords)?;
            let walk = activation::walk(&snapshot, window, &relevance, &options, &filter, interrupt)?;
            out::walk(&snapshot, &walk, budget)
        })?;
        out::to_pyarrow(py, batch)
    }
}
