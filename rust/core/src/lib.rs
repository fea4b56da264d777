//! The core of timewalk: memory graph, activation, decay, fusion and time, over Arrow columns.
//!
//! Nothing here knows Python. Every public function is pure or takes `&self`, never reads the wall clock,
//! and answers bad input with an [`Error`] instead of a panic.

pub mod activation;
pub mod columns;
pub mod decay;
pub mod error;
pub mod fusion;
pub mod graph;
pub mod ingest;
pub mod nearest;
mod pool;
pub mod time;

pub use error::{Error, Result};
