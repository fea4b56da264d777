//! Kernels run without the GIL.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use timewalk_core::activation::Interrupt;

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
