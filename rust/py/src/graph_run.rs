//! Options of the kernels from keyword arguments, and kernels run without the GIL.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use timewalk_core::Error;
use timewalk_core::activation::{Combine, Direction, Fan, Interrupt, SpreadOptions};

use crate::errors::to_py;

/// Runs work without the GIL; looks for signals (Ctrl-C) about twenty times a second.
pub fn detached<T: Send>(
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

fn choice(argument: &str, given: &str, known: &str) -> PyErr {
    to_py(Error::value(format!("unknown {argument} '{given}'; use {known}")))
}

/// The options of classic spreading that are told by name.
pub fn spread_options(
    fire: &str,
    combine: &str,
    fan: Option<&str>,
    fan_strength: f64,
    direction: &str,
) -> PyResult<SpreadOptions> {
    Ok(SpreadOptions {
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
        direction: Direction::parse(direction).map_err(to_py)?,
        ..SpreadOptions::default()
    })
}
