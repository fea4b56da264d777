//! The extension module `timewalk._core`: converts arguments, frees the GIL, calls the core, converts results.

mod arrow;
mod decay;
mod decay_dicts;
mod decay_rank;
mod errors;
mod fusion;
mod graph;
mod graph_args;
mod graph_mask;
mod graph_options;
mod graph_out;
mod graph_run;
mod ingest;
mod links;
mod nearest;
mod window;

use pyo3::prelude::*;

/// The compiled core of timewalk; use it through the names of the package `timewalk`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(arrow::micros, module)?)?;
    module.add_function(wrap_pyfunction!(fusion::fuse, module)?)?;
    module.add_function(wrap_pyfunction!(decay::decay_half_life, module)?)?;
    module.add_function(wrap_pyfunction!(decay::decay_ebbinghaus, module)?)?;
    module.add_function(wrap_pyfunction!(decay::decay_power_law, module)?)?;
    module.add_function(wrap_pyfunction!(decay::decay_curve, module)?)?;
    module.add_function(wrap_pyfunction!(decay::decay_actr, module)?)?;
    module.add_function(wrap_pyfunction!(decay::decay_simd, module)?)?;
    module.add_class::<graph::MemoryGraph>()?;
    module.add_class::<graph_mask::GraphMask>()?;
    module.add_function(wrap_pyfunction!(window::find_window, module)?)?;
    module.add_function(wrap_pyfunction!(window::find_windows, module)?)?;
    module.add_function(wrap_pyfunction!(window::window_languages, module)?)?;
    module.add_function(wrap_pyfunction!(decay_rank::rank_hits, module)?)?;
    module.add_function(wrap_pyfunction!(decay_dicts::pick, module)?)?;
    module.add_function(wrap_pyfunction!(decay_dicts::floats, module)?)?;
    module.add_function(wrap_pyfunction!(decay_dicts::strings, module)?)?;
    module.add_function(wrap_pyfunction!(decay_dicts::datetimes, module)?)?;
    module.add_function(wrap_pyfunction!(decay_dicts::datetime_lists, module)?)?;
    module.add_class::<arrow::Column>()?;
    module.add_class::<decay_rank::Ranked>()?;
    module.add_class::<ingest::NameMatcher>()?;
    module.add_class::<decay_rank::BestHits>()?;
    module.add_class::<nearest::Nearest>()?;
    module.add_class::<links::ThreadLinks>()?;
    module.add_class::<links::TimeLinks>()?;
    module.add_class::<links::MentionLinks>()?;
    module.add_class::<links::CausalLinks>()?;
    module.add_function(wrap_pyfunction!(window::find_anchor, module)?)?;
    module.add_function(wrap_pyfunction!(window::anchor_window, module)?)?;
    // PyO3 collects names in `__all__`; the package decides what is public, and the stub has no such list.
    module.delattr("__all__")
}
