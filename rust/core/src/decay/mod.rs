//! Decay engines: pure functions over columns, from times to weights.
//!
//! `age = max(0, now − t)`, subtracted as integers. A null in gives a null out.

mod actr;
mod curves;
mod half_life;
mod params;
mod pool;
mod power_law;
pub mod rank;
mod results;
mod rows;
mod settings;
pub mod simd;

pub use actr::{Accesses, Named, actr};
pub use curves::{Form, Origin, Shape, curve};
pub use half_life::{ebbinghaus, half_life};
pub use params::Param;
pub use power_law::power_law;
pub use settings::{Settings, parse_unit};
