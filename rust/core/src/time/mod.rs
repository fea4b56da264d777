//! Time: int64 microseconds since the epoch in UTC, and how other forms become that.

mod micros;
pub mod window;

pub use micros::{micros, parse_zone};
