//! What the kernels found, as `pyarrow.Table`s; statistics go into the schema metadata as JSON under `timewalk`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3_arrow::PyRecordBatch;
use timewalk_core::activation::{Active, Product, Reached, Walk, Way};
use timewalk_core::graph::Snapshot;
use timewalk_core::{Result, graph};

/// Statistics as a JSON object of numbers.
fn json(pairs: &[(&str, f64)]) -> String {
    let body: Vec<String> = pairs.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", body.join(", "))
}

/// A batch as a `pyarrow.Table`. As a batch it costs pyarrow a third of what a stream does.
pub fn to_pyarrow(py: Python<'_>, batch: RecordBatch) -> PyResult<Py<PyAny>> {
    let batch = PyRecordBatch::new(batch).into_pyarrow(py)?;
    let table = py.import(intern!(py, "pyarrow"))?.getattr(intern!(py, "Table"))?;
    Ok(table.call_method1(intern!(py, "from_batches"), (PyList::new(py, [batch])?,))?.unbind())
}

fn with_statistics(batch: RecordBatch, statistics: String) -> Result<RecordBatch> {
    let metadata = HashMap::from([("timewalk".to_string(), statistics)]);
    let schema = batch.schema().as_ref().clone().with_metadata(metadata);
    batch.with_schema(Arc::new(schema)).map_err(|error| timewalk_core::Error::value(error.to_string()))
}

/// What a limit leaves.
pub fn first(limit: usize, mut found: Vec<Active>, mut ways: Option<Vec<Way>>) -> (Vec<Active>, Option<Vec<Way>>) {
    found.truncate(limit);
    ways.iter_mut().for_each(|ways| ways.truncate(limit));
    (found, ways)
}

/// id, activation; with ways also depth, parent, relation, weight.
pub fn active(
    snapshot: &Snapshot,
    found: &[Active],
    ways: Option<&[Way]>,
    statistics: Vec<(&str, f64)>,
) -> Result<RecordBatch> {
    let mut columns = active_columns(snapshot, found.iter());
    columns.extend(ways.map(|ways| way_columns(snapshot, ways)).into_iter().flatten());
    with_statistics(graph::table(columns)?, json(&statistics))
}

/// The same with the position of the query in the batch in front.
pub fn active_many(snapshot: &Snapshot, found: &[(Vec<Active>, Option<Vec<Way>>)], paths: bool) -> Result<RecordBatch> {
    let mut columns = vec![("query", positions(found.iter().map(|(found, _)| found.len())))];
    columns.extend(active_columns(snapshot, found.iter().flat_map(|(found, _)| found)));
    if paths {
        let ways: Vec<Way> = found.iter().filter_map(|(_, ways)| ways.as_ref()).flatten().copied().collect();
        columns.extend(way_columns(snapshot, &ways));
    }
    graph::table(columns)
}

/// id, activation, depth, parent, relation, weight.
pub fn product(snapshot: &Snapshot, product: &Product, budget: usize) -> Result<RecordBatch> {
    let (found, ways): (Vec<Active>, Vec<Way>) = product.found.iter().map(|row| (row.active, row.way)).unzip();
    let statistics = vec![
        ("visited", found.len() as f64),
        ("expanded", found.len() as f64),
        ("truncated", f64::from(u8::from(product.truncated))),
        ("budget", budget as f64),
    ];
    active(snapshot, &found, Some(&ways), statistics)
}

fn active_columns<'a>(
    snapshot: &Snapshot,
    found: impl Iterator<Item = &'a Active> + Clone,
) -> Vec<(&'static str, ArrayRef)> {
    vec![
        ("id", snapshot.id_column(found.clone().map(|active| active.node))),
        ("activation", Arc::new(found.map(|active| active.activation).collect::<Float64Array>())),
    ]
}

fn way_columns(snapshot: &Snapshot, ways: &[Way]) -> Vec<(&'static str, ArrayRef)> {
    let parents = ways.iter().map(|way| way.step.map(|(parent, ..)| snapshot.id(parent)));
    let relations =
        ways.iter().map(|way| way.step.map(|(_, _, relation)| snapshot.relations.get(relation).name.as_str()));
    let weights = ways.iter().map(|way| way.step.map(|(_, weight, _)| f64::from(weight)));
    vec![
        ("depth", Arc::new(ways.iter().map(|way| way.depth as i32).collect::<Int32Array>())),
        ("parent", Arc::new(parents.collect::<StringArray>())),
        ("relation", Arc::new(relations.collect::<StringArray>())),
        ("weight", Arc::new(weights.collect::<Float64Array>())),
    ]
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
    // As one list their number is known, so that each column is made in one piece.
    let rows: Vec<&Reached> = walks.iter().flat_map(|walk| &walk.reached).collect();
    let rows = || rows.iter().copied();
    let numbers = |of: fn(&Reached) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(rows().map(of))) };
    let some = |of: fn(&Reached) -> Option<f64>| -> ArrayRef { Arc::new(rows().map(of).collect::<Float64Array>()) };
    let parents = rows().map(|row| row.step.map(|step| snapshot.id(step.parent)));
    let relations = rows().map(|row| row.step.map(|step| snapshot.relations.get(step.relation).name.as_str()));
    vec![
        ("id", snapshot.id_column(rows().map(|row| row.node))),
        ("similarity", some(|row| row.similarity)),
        ("proximity", numbers(|row| row.proximity)),
        ("activation", numbers(|row| row.activation)),
        ("depth", Arc::new(Int32Array::from_iter_values(rows().map(|row| row.depth as i32)))),
        ("parent", Arc::new(parents.collect::<StringArray>())),
        ("relation", Arc::new(relations.collect::<StringArray>())),
        ("weight", some(|row| row.step.map(|step| f64::from(step.weight)))),
    ]
}
