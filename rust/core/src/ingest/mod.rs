//! From texts to mentions of known entities and to causal links.

mod antecedents;
mod causes;
mod co_occurrence;
mod cues;
mod diff;
mod known;
mod parallel;
mod threads;
mod times;
mod words;

pub use causes::{CausalChange, CausalLink, CauseOptions, Causes, Memories, causal_links};
pub use co_occurrence::{MentionChange, Mentions, PairOptions};
pub use cues::{Claim, Direction, claims};
pub use diff::Links;
pub use known::{Found, Matcher};
pub use threads::{Threaded, Threads};
pub use times::{TimeOptions, Timed, Times};
