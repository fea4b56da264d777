//! What the kernels found, as `pyarrow.Table`s; statistics go into the schema metadata as JSON under `timewalk`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use timewalk_core::activation::{Active, Product, Reached, Walk};
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

/// query (position in the batch), id, activation.
pub fn active_many(snapshot: &Snapshot, found: &[Vec<Active>]) -> Result<RecordBatch> {
    let all = || found.iter().flatten();
    graph::table(vec![
        ("query", positions(found.iter().map(Vec::len))),
        ("id", snapshot.id_column(all().map(|active| active.node))),
        ("activation", Arc::new(all().map(|active| active.activation).collect::<Float64Array>())),
    ])
}

/// id, activation, depth, parent, relation, weight.
pub fn product(snapshot: &Snapshot, product: &Product, budget: usize) -> Result<RecordBatch> {
    let rows = &product.found;
    let parents = rows.iter().map(|row| row.step.map(|(parent, ..)| snapshot.id(parent)));
    let relations =
        rows.iter().map(|row| row.step.map(|(_, _, relation)| snapshot.relations.get(relation).name.as_str()));
    let batch = graph::table(vec![
        ("id", snapshot.id_column(rows.iter().map(|row| row.active.node))),
        ("activation", Arc::new(rows.iter().map(|row| row.active.activation).collect::<Float64Array>())),
        ("depth", Arc::new(rows.iter().map(|row| row.depth as i32).collect::<Int32Array>())),
        ("parent", Arc::new(parents.collect::<StringArray>())),
        ("relation", Arc::new(relations.collect::<StringArray>())),
        (
            "weight",
            Arc::new(rows.iter().map(|row| row.step.map(|(_, weight, _)| f64::from(weight))).collect::<Float64Array>()),
        ),
    ])?;
    let statistics = json(&[
        ("visited", rows.len() as f64),
        ("expanded", rows.len() as f64),
        ("truncated", f64::from(u8::from(product.truncated))),
        ("budget", budget as f64),
    ]);
    with_statistics(batch, statistics)
}

fn positions(lengths: impl Iterator<Item = usize>) -> ArrayRef {
    let repeated = lengths.enumerate().flat_map(|(at, length)| std::iter::repeat_n(at as i32, length));
    Arc::new(repeated.collect::<Int32Array>())
}

/// id, similarity, proximity, activation, depth, parent, relation, weight.
pub fn walk(snapshot: &Snapshot, walk: &Walk, budget: usize) -> Result<RecordBatch> {
    let batch = graph::table(columns(snapshot, std::slice::from_ref(walk)))?;
    let statistics = json(&[
        ("visited", walk.visited as f64),
        ("expanded", walk.expanded as f64),
        ("truncated", walk.truncated as f64),
        ("budget", budget as f64),
        ("entries", walk.entries as f64),
    ]);
    with_statistics(batch, statistics)
}

/// The same with the position of the query in the batch in front.
pub fn walks(snapshot: &Snapshot, walks: &[Walk]) -> Result<RecordBatch> {
    let mut all = vec![("query", positions(walks.iter().map(|walk| walk.reached.len())))];
    all.extend(columns(snapshot, walks));
    graph::table(all)
}

fn columns(snapshot: &Snapshot, walks: &[Walk]) -> Vec<(&'static str, ArrayRef)> {
    let rows = || walks.iter().flat_map(|walk| &walk.reached);
    let numbers =
        |of: &dyn Fn(&Reached) -> Option<f64>| -> ArrayRef { Arc::new(rows().map(of).collect::<Float64Array>()) };
    let parents = rows().map(|row| row.step.map(|step| snapshot.id(step.parent)));
    let relations = rows().map(|row| row.step.map(|step| snapshot.relations.get(step.relation).name.as_str()));
    vec![
        ("id", snapshot.id_column(rows().map(|row| row.node))),
        ("similarity", numbers(&|row| row.similarity)),
        ("proximity", numbers(&|row| Some(row.proximity))),
        ("activation", numbers(&|row| Some(row.activation))),
        ("depth", Arc::new(rows().map(|row| row.depth as i32).collect::<Int32Array>())),
        ("parent", Arc::new(parents.collect::<StringArray>())),
        ("relation", Arc::new(relations.collect::<StringArray>())),
        ("weight", numbers(&|row| row.step.map(|step| f64::from(step.weight)))),
    ]
}
