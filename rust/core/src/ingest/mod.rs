//! From texts to mentions of known entities and to causal links.

mod antecedents;
mod causes;
mod cues;
mod known;
mod parallel;
mod words;

pub use causes::{CausalChange, CausalLink, CauseOptions, Causes, Memories, causal_links};
pub use cues::{Claim, Direction, claims};
pub use known::{Found, Matcher};
