//! Core errors to the exception classes of `timewalk.errors`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use timewalk_core::Error;

/// Maps a core error to its Python exception. Use as `.map_err(to_py)`.
pub fn to_py(error: Error) -> PyErr {
    Python::attach(|py| {
        let (class, column, row) = match &error {
            Error::Value { column, row, .. } => ("InvalidValueError", column.clone(), *row),
            Error::Type { column, .. } => ("InvalidTypeError", column.clone(), None),
            Error::Unknown { column, row, .. } => ("UnknownIdError", column.clone(), *row),
            Error::Format(_) => ("FileFormatError", None, None),
            Error::Io(_) => ("FileAccessError", None, None),
            Error::Interrupted => {
                return match py.check_signals() {
                    Err(pending) => pending,
                    Ok(()) => pyo3::exceptions::PyKeyboardInterrupt::new_err("interrupted"),
                };
            }
        };
        build(py, class, &error.to_string(), column, row).unwrap_or_else(|failure| failure)
    })
}

fn build(py: Python<'_>, class: &str, message: &str, column: Option<String>, row: Option<usize>) -> PyResult<PyErr> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("timewalk.errors").map(Bound::unbind))?.bind(py);
    let class = module.getattr(class)?.cast_into::<PyType>()?;
    let options = PyDict::new(py);
    options.set_item("column", column)?;
    options.set_item("row", row)?;
    Ok(PyErr::from_value(class.call((message,), Some(&options))?))
}
