//! Columns out of lists of dicts.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::DurationMicrosecondType;
use arrow_array::{Float64Array, ListArray, TimestampMicrosecondArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use timewalk_core::Error;

use crate::arrow::{Column, column};
use crate::errors::to_py;

/// The values under a key of every hit (None where it is absent), what they are, and how many hits have the key.
///
/// A key that no hit has as such is looked up as a path with dots, in nested dicts. The kind is "none", "datetime",
/// "str", "int", "float" or "other", of the values or of the first leaf of lists; "mixed" where they differ.
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
        // Looking up a module takes as long as reading several values.
        static DATETIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let datetime = DATETIME.import(py, "datetime", "datetime")?.clone().into_any();
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
        // The first leaf stands for its list: what converts the lists finds out if it does not.
        let known = |leaves: &mut dyn Iterator<Item = Bound<'py, PyAny>>| {
            leaves.map(|leaf| self.leaf(&leaf)).find(|kind| *kind != "none").unwrap_or("none")
        };
        if let Ok(list) = value.cast_exact::<PyList>() {
            return Ok(known(&mut list.iter()));
        }
        if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            return Ok(known(&mut tuple.iter()));
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

/// A list of floats and integers (None is null) as a column of float64.
#[pyfunction]
pub fn floats(values: &Bound<'_, PyList>) -> PyResult<Column> {
    let numbers = values.iter().map(|value| value.extract::<Option<f64>>()).collect::<PyResult<Vec<_>>>()?;
    Ok(Column(Arc::new(Float64Array::from(numbers))))
}

/// A list of strings (None is null) as a column.
#[pyfunction]
pub fn strings(values: &Bound<'_, PyList>) -> PyResult<Column> {
    let mut out = StringBuilder::with_capacity(values.len(), values.len() * 16);
    for value in values.iter() {
        if value.is_none() {
            out.append_null();
        } else {
            out.append_value(value.cast::<PyString>()?.to_str()?);
        }
    }
    Ok(Column(Arc::new(out.finish())))
}

/// A list of datetimes (None is null; a naive one is in UTC) as a column of microseconds.
#[pyfunction]
pub fn datetimes(py: Python<'_>, values: &Bound<'_, PyList>) -> PyResult<Column> {
    let mut clock = Clock::new(py)?;
    let since = values.iter().map(|value| clock.since(value)).collect::<PyResult<Vec<_>>>()?;
    Ok(Column(Arc::new(micros(py, since)?)))
}

/// A list of lists or tuples of datetimes (None is null, at either depth) as a list column of microseconds.
#[pyfunction]
pub fn datetime_lists(py: Python<'_>, values: &Bound<'_, PyList>) -> PyResult<Column> {
    let mut clock = Clock::new(py)?;
    let (mut since, mut lengths, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for value in values.iter() {
        let before = since.len();
        known.push(!value.is_none());
        if let Ok(list) = value.cast::<PyList>() {
            for leaf in list.iter() {
                since.push(clock.since(leaf)?);
            }
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            for leaf in tuple.iter() {
                since.push(clock.since(leaf)?);
            }
        } else if !value.is_none() {
            let kind = value.get_type();
            return Err(to_py(Error::Type {
                message: format!("a list of times is expected, not {kind}"),
                column: None,
            }));
        }
        lengths.push(since.len() - before);
    }
    let item = Field::new("item", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true);
    let list = ListArray::try_new(
        Arc::new(item),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(micros(py, since)?),
        Some(NullBuffer::from(known)).filter(|nulls| nulls.null_count() > 0),
    );
    let list = list.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    Ok(Column(Arc::new(list)))
}

/// Takes datetimes as the difference to the epoch, aware or naive, whichever the last one was.
struct Clock<'py> {
    epoch: Bound<'py, PyAny>,
    other: Bound<'py, PyAny>,
}

impl<'py> Clock<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        static EPOCHS: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
        let (epoch, other) = EPOCHS.get_or_try_init(py, || -> PyResult<_> {
            let epoch = py.import("timewalk.times")?.getattr("EPOCH")?;
            let replace = PyDict::new(py);
            replace.set_item("tzinfo", py.None())?;
            let other = epoch.call_method("replace", (), Some(&replace))?;
            Ok((epoch.unbind(), other.unbind()))
        })?;
        Ok(Self { epoch: epoch.bind(py).clone(), other: other.bind(py).clone() })
    }

    /// The timedelta since the epoch; None stays None.
    fn since(&mut self, time: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if time.is_none() {
            return Ok(time);
        }
        time.sub(&self.epoch).or_else(|_| {
            std::mem::swap(&mut self.epoch, &mut self.other);
            time.sub(&self.epoch)
        })
    }
}

/// From so many timedeltas on Arrow's own reader makes up for the way to it and back.
const MANY: usize = 128;

/// Timedeltas (None is null) as a column of microseconds since the epoch.
fn micros<'py>(py: Python<'py>, since: Vec<Bound<'py, PyAny>>) -> PyResult<TimestampMicrosecondArray> {
    static TIMEDELTA: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let kind = TIMEDELTA.import(py, "datetime", "timedelta")?;
    // Subclasses, such as pandas' with its nanoseconds, are read by the attributes that they show.
    let plain = |one: &Bound<'py, PyAny>| one.is_none() || one.get_type().is(kind);
    let out = if since.len() >= MANY && since.iter().all(plain) {
        // Attributes of Python objects are numbers made for the asking; Arrow, linked to Python's own headers, reads
        // the fields in place.
        static ARROW: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
        let (array, duration) = ARROW.get_or_try_init(py, || -> PyResult<_> {
            let arrow = py.import("pyarrow")?;
            Ok((arrow.getattr("array")?.unbind(), arrow.call_method1("duration", ("us",))?.unbind()))
        })?;
        let durations = column(&array.bind(py).call1((PyList::new(py, since)?, duration))?)?;
        durations.as_primitive::<DurationMicrosecondType>().reinterpret_cast()
    } else {
        since.iter().map(by_attributes).collect::<PyResult<Vec<_>>>()?.into()
    };
    Ok(out.with_timezone("UTC"))
}

fn by_attributes(since: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if since.is_none() {
        return Ok(None);
    }
    let py = since.py();
    let days: i64 = since.getattr(intern!(py, "days"))?.extract()?;
    let seconds: i64 = since.getattr(intern!(py, "seconds"))?.extract()?;
    let micros: i64 = since.getattr(intern!(py, "microseconds"))?.extract()?;
    // A timedelta holds at most 10^9 days.
    Ok(Some((days * 86_400 + seconds) * 1_000_000 + micros))
}
