//! `timewalk._core.GraphMask`: memories that queries may see.

use std::sync::{Arc, Weak};

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use timewalk_core::Error;
use timewalk_core::graph::filter::Bits;
use timewalk_core::graph::nodes::Kind;
use timewalk_core::graph::{self, Snapshot};

use crate::arrow;
use crate::errors::to_py;
use crate::graph_args as args;

/// A set of memories of one graph, made ready for the `mask` of many queries by `MemoryGraph.mask`.
#[pyclass(frozen, module = "timewalk._core")]
pub struct GraphMask {
    graph: Weak<graph::MemoryGraph>,
    members: Arc<Bits>,
}

impl GraphMask {
    pub fn new(graph: &Arc<graph::MemoryGraph>, mask: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { graph: Arc::downgrade(graph), members: members(graph, &graph.snapshot(), mask)? })
    }
}

#[pymethods]
impl GraphMask {
    /// How many memories it lets through.
    fn __len__(&self) -> usize {
        self.members.iter().count()
    }
}

/// The memories that a mask lets through: a `GraphMask`, ids, or booleans in the order of `memories()`.
pub fn members(graph: &Arc<graph::MemoryGraph>, snapshot: &Snapshot, mask: &Bound<'_, PyAny>) -> PyResult<Arc<Bits>> {
    if let Ok(ready) = mask.cast::<GraphMask>() {
        let ready = ready.get();
        return match std::ptr::eq(ready.graph.as_ptr(), Arc::as_ptr(graph)) {
            true => Ok(ready.members.clone()),
            false => Err(to_py(Error::value("this mask was made by another graph; make it with this one's `mask`"))),
        };
    }
    let mut bits = Bits::new(snapshot.nodes.len());
    let booleans: Option<Vec<bool>> = if args::is_arrow(mask)? {
        let array = arrow::column(mask)?;
        let is_boolean = *array.data_type() == DataType::Boolean;
        is_boolean.then(|| array.as_boolean().iter().map(|value| value.unwrap_or(false)).collect())
    } else if mask.hasattr("dtype")? {
        mask.call_method0("tolist")?.extract().ok()
    } else {
        mask.extract::<Vec<Bound<'_, PyBool>>>().ok().map(|items| items.iter().map(|item| item.is_true()).collect())
    };
    let Some(booleans) = booleans.filter(|booleans| !booleans.is_empty()) else {
        args::nodes(snapshot, &args::ids(mask, "mask")?)?.into_iter().for_each(|member| bits.insert(member));
        return Ok(Arc::new(bits));
    };
    let members = snapshot.members(Kind::Memory);
    if members.len() != booleans.len() {
        let message = format!("a mask of {} booleans for {} memories", booleans.len(), members.len());
        return Err(to_py(Error::value(message)));
    }
    members.into_iter().zip(booleans).filter(|(_, allowed)| *allowed).for_each(|(member, _)| bits.insert(member));
    Ok(Arc::new(bits))
}
