//! Arguments of the graph's methods: ids, windows, vectors, filters.

use std::collections::HashMap;
use std::path::PathBuf;

use arrow_array::{Array, ArrayRef, RecordBatch};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyString, PyTuple};
use timewalk_core::activation::Active;
use timewalk_core::activation::proximity::Span;
use timewalk_core::graph::Snapshot;
use timewalk_core::graph::tables::Ids;
use timewalk_core::{Error, columns};

use crate::arrow;
use crate::errors::to_py;

/// A wrong type, as the package's own error.
pub fn wrong_type(message: String) -> PyErr {
    to_py(Error::Type { message, column: None })
}

/// What a caller gave, for messages.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string())
}

pub fn is_arrow(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")?)
}

/// One string or a list of strings; `None` stays `None`.
pub fn names(object: Option<&Bound<'_, PyAny>>, argument: &str) -> PyResult<Option<Vec<String>>> {
    let Some(object) = object else { return Ok(None) };
    if let Ok(one) = object.cast::<PyString>() {
        return Ok(Some(vec![one.to_string()]));
    }
    let many = object.try_iter().and_then(|items| items.map(|item| item?.extract::<String>()).collect());
    many.map(Some)
        .map_err(|_| wrong_type(format!("{argument} is a string or a list of strings, not {}", type_name(object))))
}

/// One id: a string, or an integer that stands for its decimal string.
pub fn id(object: &Bound<'_, PyAny>) -> PyResult<String> {
    if object.is_instance_of::<PyString>() || (object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>()) {
        return Ok(object.str()?.to_string());
    }
    // Integers of numpy and others that stand in for one.
    if object.hasattr("__index__")? && !object.is_instance_of::<PyBool>() {
        return Ok(object.call_method0("__index__")?.str()?.to_string());
    }
    Err(wrong_type(format!("an id is a string or an integer, not {}", type_name(object))))
}

/// Ids from an Arrow array or any iterable.
pub fn ids(object: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<String>> {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(wrong_type(format!("{argument} is a list of ids, not one string")));
    }
    if is_arrow(object)? {
        return texts(arrow::column(object)?.as_ref(), argument);
    }
    let items = object
        .try_iter()
        .map_err(|_| wrong_type(format!("{argument} is a list of ids or an Arrow array, not {}", type_name(object))))?;
    items.map(|item| id(&item?)).collect()
}

fn texts(array: &dyn Array, argument: &str) -> PyResult<Vec<String>> {
    let read = Ids::read(array, argument).map_err(to_py)?;
    let mut buffer = String::new();
    Ok((0..read.len()).map(|row| read.get(row, &mut buffer).to_owned()).collect())
}

/// The nodes of ids; an unknown one is an error that names it.
pub fn nodes(snapshot: &Snapshot, ids: &[String]) -> PyResult<Vec<u32>> {
    ids.iter().map(|id| snapshot.require(id)).collect::<Result<_, _>>().map_err(to_py)
}

/// (id, number) pairs from a dict or an Arrow table with a column of ids and one of numbers.
pub fn scores(object: &Bound<'_, PyAny>, argument: &str, column: &str) -> PyResult<Vec<(String, f64)>> {
    if let Ok(dict) = object.cast::<PyDict>() {
        let number = |value: Bound<'_, PyAny>| {
            value.extract::<f64>().map_err(|_| wrong_type(format!("{argument} maps ids to numbers")))
        };
        return dict.iter().map(|(key, value)| Ok((id(&key)?, number(value)?))).collect();
    }
    if !is_arrow(object)? {
        let message = format!("{argument} is a dict from id to number or an Arrow table, not {}", type_name(object));
        return Err(wrong_type(message));
    }
    let table = arrow::table(object)?;
    let part = |name: &str| -> PyResult<ArrayRef> {
        timewalk_core::graph::tables::required(&table, name).cloned().map_err(to_py)
    };
    let ids = texts(part("id")?.as_ref(), "id")?;
    let numbers = columns::float64(part(column)?.as_ref(), column).map_err(to_py)?;
    let number = |row: usize| if numbers.is_valid(row) { numbers.value(row) } else { 0.0 };
    Ok(ids.into_iter().enumerate().map(|(row, id)| (id, number(row))).collect())
}

/// Seeds: ids (each starts at 1.0), a dict from id to activation, or an Arrow table (id, activation).
pub fn seeds(snapshot: &Snapshot, object: &Bound<'_, PyAny>) -> PyResult<Vec<Active>> {
    let is_table = is_arrow(object)? && (object.hasattr("column_names")? || object.hasattr("columns")?);
    let pairs = if object.is_instance_of::<PyDict>() || is_table {
        scores(object, "seeds", "activation")?
    } else {
        ids(object, "seeds")?.into_iter().map(|id| (id, 1.0)).collect()
    };
    let mut out = Vec::with_capacity(pairs.len());
    let mut seen = std::collections::HashSet::new();
    for (row, (id, activation)) in pairs.iter().enumerate() {
        let node = snapshot.require(id).map_err(to_py)?;
        if !(activation.is_finite() && *activation >= 0.0) {
            let message = format!("the activation of seed '{id}' is a number of 0 or more, not {activation}");
            return Err(to_py(Error::cell(message, "activation", row)));
        }
        if !seen.insert(node) {
            return Err(to_py(Error::cell(format!("the seed '{id}' comes twice"), "id", row)));
        }
        out.push(Active { node, activation: *activation });
    }
    Ok(out)
}

/// One thing for each item of a list.
pub fn each<'py, T>(
    object: &Bound<'py, PyAny>,
    argument: &str,
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let list = || wrong_type(format!("{argument} is a list with an item for each query, not {}", type_name(object)));
    if object.is_instance_of::<PyDict>() || object.is_instance_of::<PyString>() {
        return Err(list());
    }
    object.try_iter().map_err(|_| list())?.map(|item| read(&item?)).collect()
}

/// Keyword relevance by node.
pub fn relevance(snapshot: &Snapshot, object: &Bound<'_, PyAny>) -> PyResult<HashMap<u32, f64>> {
    let pairs = scores(object, "relevance", "relevance")?;
    pairs.into_iter().map(|(id, value)| Ok((snapshot.require(&id).map_err(to_py)?, value))).collect()
}

/// A time: microseconds since the epoch as an integer, or anything that `timewalk.times.to_micros` reads.
pub fn moment(object: &Bound<'_, PyAny>, tz: &str) -> PyResult<i64> {
    if object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>() {
        let huge = |_| to_py(Error::value("a time is outside the range of 64-bit microseconds"));
        return object.extract::<i64>().map_err(huge);
    }
    let options = PyDict::new(object.py());
    options.set_item("tz", tz)?;
    object.py().import("timewalk.times")?.getattr("to_micros")?.call((object,), Some(&options))?.extract()
}

/// A window: an object with `start_micros` and `end_micros`, or a pair of times, where `None` is an open end.
pub fn window(object: &Bound<'_, PyAny>, tz: &str) -> PyResult<Span> {
    // Most windows are tuples; only other objects are asked for their ends.
    if !object.is_instance_of::<PyTuple>() && object.hasattr("start_micros")? {
        let end = |name: &str| moment(&object.getattr(name)?, "UTC");
        return Ok(Span { start: end("start_micros")?, end: end("end_micros")? });
    }
    let pair = || wrong_type(format!("a window is a pair of times (start, end), not {}", type_name(object)));
    if object.is_instance_of::<PyString>() {
        return Err(pair());
    }
    let ends: Vec<Bound<'_, PyAny>> = object.try_iter().and_then(Iterator::collect).map_err(|_| pair())?;
    let [start, end] = ends.as_slice() else { return Err(pair()) };
    let side = |side: &Bound<'_, PyAny>, open: i64| if side.is_none() { Ok(open) } else { moment(side, tz) };
    Ok(Span { start: side(start, i64::MIN)?, end: side(end, i64::MAX)? })
}

/// A vector from a numpy array, a list of numbers or an Arrow array.
pub fn vector(object: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
    let wrong = || wrong_type(format!("a vector is a list or array of numbers, not {}", type_name(object)));
    if let Ok(buffer) = PyBuffer::<f32>::get(object) {
        return if buffer.dimensions() == 1 { buffer.to_vec(object.py()) } else { Err(wrong()) };
    }
    if is_arrow(object)? {
        let numbers = columns::float64(arrow::column(object)?.as_ref(), "query").map_err(to_py)?;
        if numbers.null_count() > 0 {
            return Err(to_py(Error::value("a vector may hold finite numbers only, not nulls")));
        }
        return Ok(numbers.values().iter().map(|&value| value as f32).collect());
    }
    let numbers: Vec<f64> = object.extract().map_err(|_| wrong())?;
    Ok(numbers.into_iter().map(|value| value as f32).collect())
}

/// A table from any Arrow object.
pub fn table(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    if !is_arrow(object)? {
        let message = format!("a table is an Arrow object (pyarrow, polars, pandas, ...), not {}", type_name(object));
        return Err(wrong_type(message));
    }
    arrow::table(object).map_err(|error| wrong_type(format!("this is no Arrow table: {}", error.value(object.py()))))
}

/// A path of the file system: a string or a path object.
pub fn path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    object.extract().map_err(|_| wrong_type(format!("a path is a string or a path object, not {}", type_name(object))))
}
