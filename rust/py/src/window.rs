//! Time windows from plain language.

use pyo3::prelude::*;
use timewalk_core::time::parse_zone;
use timewalk_core::time::window::{self, Anchored, Options, Prefer, Relation, Unit, Window};

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

/// Relation, units with thousandths of each, stretch, event, span, explicit.
type AnchorRow = (&'static str, Vec<(&'static str, i64)>, bool, (usize, usize), (usize, usize), bool);

/// The expression that hangs on an event; see `timewalk.windows.find_anchor`.
#[pyfunction]
#[pyo3(signature = (text, now, tz, locale))]
pub fn find_anchor(py: Python<'_>, text: &str, now: i64, tz: &str, locale: &str) -> PyResult<Option<AnchorRow>> {
    let row = |found: Anchored| {
        let length = found.length.iter().map(|(unit, count)| (unit.name(), *count)).collect();
        (found.relation.name(), length, found.stretch, found.event, found.span, found.explicit)
    };
    py.detach(|| window::find_anchor(text, &options(now, tz, "past", locale)?))
        .map(|found| found.map(row))
        .map_err(to_py)
}

/// The window of such an expression, given its event's time; see `timewalk.windows.AnchoredExpression.window`.
#[pyfunction]
#[pyo3(signature = (relation, length, stretch, span, start, end, now, tz))]
#[allow(clippy::too_many_arguments)]
pub fn anchor_window(
    relation: &str,
    length: Vec<(String, i64)>,
    stretch: bool,
    span: (usize, usize),
    start: i64,
    end: i64,
    now: i64,
    tz: &str,
) -> PyResult<Row> {
    let unknown = |what: &str| to_py(timewalk_core::Error::value(format!("no {what} of that name")));
    let relation = Relation::parse(relation).ok_or_else(|| unknown("relation"))?;
    let length = length
        .into_iter()
        .map(|(unit, count)| Unit::parse(&unit).map(|unit| (unit, count)).ok_or_else(|| unknown("unit")))
        .collect::<PyResult<Vec<_>>>()?;
    let anchored = Anchored { relation, length, stretch, event: span, span, explicit: true };
    let options = options(now, tz, "past", "en").map_err(to_py)?;
    Ok(row(window::anchor_window(&anchored, start, end, &options)))
}
