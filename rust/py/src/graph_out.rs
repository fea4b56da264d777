//! What the kernels found, as `pyarrow.Table`s; statistics go into the schema metadata as JSON under `timewalk`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use timewalk_core::activation::{Active, Reached, Walk};
use timewalk_core::graph::Snapshot;
use timewalk_core::{Result, graph};

/// Statistics as a JSON object of numbers.
pub fn json(pairs: &[(&str, f64)]) -> String {
    let body: Vec<String> = pairs.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", body.join(", "))
}

/// A batch as a `pyarrow.Table`.
pub fn to_pyarrow(py: Python<'_>, batch: RecordBatch) -> PyResult<Py<PyAny>> {
    let schema = batch.schema();
    Ok(PyTable::try_new(vec![batch], schema)?.into_pyarrow(py)?.unbind())
}

fn with_statistics(batch: RecordBatch, statistics: String) -> Result<RecordBatch> {
    let metadata = HashMap::from([("timewalk".to_string(), statistics)]);
    let schema = batch.schema().as_ref().clone().with_metadata(metadata);
    batch.with_schema(Arc::new(schema)).map_err(|error| timewalk_core::Error::value(error.to_string()))
}

/// id, activation.
pub fn active(snapshot: &Snapshot, found: &[Active], statistics: String) -> Result<RecordBatch> {
    let batch = graph::table(vec![
        ("id", snapshot.id_column(found.iter().map(|active| active.node))),
        ("activation", Arc::new(found.iter().map(|active| active.activation).collect::<Float64Array>())),
    ])?;
    with_statistics(batch, statistics)
}

/// id, similarity, proximity, activation, depth, parent, relation, weight.
pub fn walk(snapshot: &Snapshot, walk: &Walk, budget: usize) -> Result<RecordBatch> {
    let rows = &walk.reached;
    let numbers =
        |of: &dyn Fn(&Reached) -> Option<f64>| -> ArrayRef { Arc::new(rows.iter().map(of).collect::<Float64Array>()) };
    let texts = |of: &dyn Fn(&Reached) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let batch = graph::table(vec![
        ("id", snapshot.id_column(rows.iter().map(|row| row.node))),
        ("similarity", numbers(&|row| row.similarity)),
        ("proximity", numbers(&|row| Some(row.proximity))),
        ("activation", numbers(&|row| Some(row.activation))),
        ("depth", Arc::new(rows.iter().map(|row| Some(row.depth as i32)).collect::<Int32Array>())),
        ("parent", texts(&|row| row.step.map(|step| snapshot.id(step.parent).to_owned()))),
        ("relation", texts(&|row| row.step.map(|step| snapshot.relations.get(step.relation).name.clone()))),
        ("weight", numbers(&|row| row.step.map(|step| f64::from(step.weight)))),
    ])?;
    let statistics = json(&[
        ("visited", walk.visited as f64),
        ("expanded", walk.expanded as f64),
        ("truncated", walk.truncated as f64),
        ("budget", budget as f64),
        ("entries", walk.entries as f64),
    ]);
    with_statistics(batch, statistics)
}
