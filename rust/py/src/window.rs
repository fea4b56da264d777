//! Time windows from plain language.

use pyo3::prelude::*;
use timewalk_core::time::parse_zone;
use timewalk_core::time::window::{self, Options, Prefer, Window};

use crate::errors::to_py;

/// Start, end, grain, first and last character, margin, strength.
type Row = (Option<i64>, Option<i64>, &'static str, usize, usize, i64, u8);

fn row(window: Window) -> Row {
    (window.start, window.end, window.grain, window.span.0, window.span.1, window.margin, window.strength)
}

fn options(now: i64, tz: &str, prefer: &str, locale: &str) -> timewalk_core::Result<Options> {
    let prefer = match prefer {
        "past" => Prefer::Past,
        "future" => Prefer::Future,
        "nearest" => Prefer::Nearest,
        other => {
            let message = format!("prefer is 'past', 'future' or 'nearest', not '{other}'");
            return Err(timewalk_core::Error::value(message));
        }
    };
    Ok(Options { now, zone: parse_zone(tz)?, prefer, locale: locale.to_owned() })
}

/// The window that governs a text; see `timewalk.find_window`.
#[pyfunction]
#[pyo3(signature = (text, now, tz, prefer, locale))]
pub fn find_window(
    py: Python<'_>,
    text: &str,
    now: i64,
    tz: &str,
    prefer: &str,
    locale: &str,
) -> PyResult<Option<Row>> {
    py.detach(|| window::find_window(text, &options(now, tz, prefer, locale)?))
        .map(|found| found.map(row))
        .map_err(to_py)
}

/// Every window in a text; see `timewalk.find_windows`.
#[pyfunction]
#[pyo3(signature = (text, now, tz, prefer, locale))]
pub fn find_windows(py: Python<'_>, text: &str, now: i64, tz: &str, prefer: &str, locale: &str) -> PyResult<Vec<Row>> {
    py.detach(|| window::find_windows(text, &options(now, tz, prefer, locale)?))
        .map(|found| found.into_iter().map(row).collect())
        .map_err(to_py)
}

/// Names of the languages that are built in.
#[pyfunction]
pub fn window_languages() -> Vec<&'static str> {
    window::languages().collect()
}
