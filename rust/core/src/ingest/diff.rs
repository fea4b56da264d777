//! What a change has done to a set of links.

use std::collections::HashMap;
use std::hash::Hash;

/// Links that went, and links that came or got another weight; both in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Links<K> {
    /// Ends of links that are no more.
    pub removed: Vec<K>,
    /// Ends and weights of links that are new or changed.
    pub set: Vec<(K, f64)>,
}

impl<K> Default for Links<K> {
    fn default() -> Self {
        Self { removed: Vec::new(), set: Vec::new() }
    }
}

/// Gathers single steps, of which only first and last state count.
#[derive(Debug)]
pub(super) struct Diff<K> {
    states: HashMap<K, (Option<f64>, Option<f64>)>,
}

impl<K> Default for Diff<K> {
    fn default() -> Self {
        Self { states: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash + Ord> Diff<K> {
    /// A link that was there is no more.
    pub fn gone(&mut self, ends: K, weight: f64) {
        self.states.entry(ends).or_insert((Some(weight), None)).1 = None;
    }

    /// A link that was not there is now.
    pub fn came(&mut self, ends: K, weight: f64) {
        self.states.entry(ends).or_insert((None, None)).1 = Some(weight);
    }

    /// The difference.
    pub fn finish(self) -> Links<K> {
        let mut links = Links::default();
        for (ends, state) in self.states {
            match state {
                (Some(_), None) => links.removed.push(ends),
                (before, Some(after)) if before != Some(after) => links.set.push((ends, after)),
                _ => {}
            }
        }
        links.removed.sort_unstable();
        links.set.sort_unstable_by_key(|(ends, _)| *ends);
        links
    }
}
