//! `temporal` links: each memory to the nearest in time before it and after it.

use std::collections::{BTreeMap, HashMap};

use super::diff::Links;

/// How far links reach, and how many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeOptions {
    /// Distance at which the weight is one half, in microseconds.
    pub half_life: f64,
    /// Lowest weight.
    pub floor: f64,
    /// Neighbours on each side.
    pub limit: usize,
}

/// A memory at its time.
#[derive(Debug, Clone, Copy)]
pub struct Timed<'a> {
    /// Its position, a small number that the caller gives.
    pub position: u32,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its id, which orders memories of one time; it must stay the same for a position.
    pub id: &'a str,
    /// Its time in microseconds; one without gets no links.
    pub time: Option<i64>,
}

/// The memories of each namespace in the order (time, id), kept in step.
#[derive(Debug)]
pub struct Times {
    options: TimeOptions,
    numbers: HashMap<Box<str>, usize>,
    spaces: Vec<Vec<(i64, u32)>>,
    ids: Vec<Box<str>>,
    /// Namespace and time, by position.
    places: Vec<Option<(usize, i64)>>,
}

/// What happens to one namespace.
#[derive(Default)]
struct Change {
    removed: Vec<(i64, u32)>,
    added: Vec<(i64, u32)>,
}

impl Times {
    /// Nothing yet.
    pub fn new(options: TimeOptions) -> Self {
        Self { options, numbers: HashMap::new(), spaces: Vec::new(), ids: Vec::new(), places: Vec::new() }
    }

    /// Takes memories out, by position, then others in; returns what that changes, each link in both directions.
    pub fn update<'a>(&mut self, removed: &[u32], added: impl Iterator<Item = Timed<'a>>) -> Links<(u32, u32)> {
        let mut changes: BTreeMap<usize, Change> = BTreeMap::new();
        for &position in removed {
            if let Some((space, time)) = self.places.get_mut(position as usize).and_then(Option::take) {
                changes.entry(space).or_default().removed.push((time, position));
            }
        }
        for memory in added {
            let Some(time) = memory.time else { continue };
            let (at, next) = (memory.position as usize, self.spaces.len());
            let space = *self.numbers.entry(memory.namespace.into()).or_insert(next);
            if space == next {
                self.spaces.push(Vec::new());
            }
            if self.ids.len() <= at {
                self.ids.resize(at + 1, "".into());
                self.places.resize(at + 1, None);
            }
            self.ids[at] = memory.id.into();
            self.places[at] = Some((space, time));
            changes.entry(space).or_default().added.push((time, memory.position));
        }
        let mut links = Links::default();
        for (space, change) in changes {
            self.apply(space, change, &mut links);
        }
        links
    }

    fn apply(&mut self, space: usize, mut change: Change, links: &mut Links<(u32, u32)>) {
        let before = std::mem::take(&mut self.spaces[space]);
        change.removed.sort_unstable_by(|a, b| self.key(a).cmp(&self.key(b)));
        change.added.sort_unstable_by(|a, b| self.key(a).cmp(&self.key(b)));
        let mut after = Vec::with_capacity(before.len() + change.added.len());
        // Places in both orders at which something went or came; `own` says whether that is a memory of the order.
        let (mut old_places, mut new_places) = (Vec::new(), Vec::new());
        let (mut from, mut removed, mut added) = (0, change.removed.iter().peekable(), change.added.iter().peekable());
        loop {
            let next = match (removed.peek(), added.peek()) {
                (None, None) => break,
                (Some(out), Some(new)) => {
                    if self.key(out) <= self.key(new) {
                        **out
                    } else {
                        **new
                    }
                }
                (Some(one), None) | (None, Some(one)) => **one,
            };
            let to = from + before[from..].partition_point(|entry| self.key(entry) < self.key(&next));
            after.extend_from_slice(&before[from..to]);
            from = to;
            if removed.next_if(|&&out| out == next).is_some() {
                let found = before.get(from) == Some(&next);
                old_places.push((from, found));
                new_places.push((after.len(), false));
                from += usize::from(found);
            }
            if added.next_if(|&&new| new == next).is_some() {
                old_places.push((from, false));
                new_places.push((after.len(), true));
                after.push(next);
            }
        }
        after.extend_from_slice(&before[from..]);
        // What lies between two changes is the same in both orders, so a pair that stays is met in both.
        let mut old: HashMap<(u32, u32), f64> = HashMap::new();
        self.pairs(&before, &old_places, |ends, weight| {
            old.insert(ends, weight);
        });
        self.pairs(&after, &new_places, |ends, weight| {
            if old.remove(&ends) != Some(weight) {
                links.set.extend([(ends, weight), ((ends.1, ends.0), weight)]);
            }
        });
        links.removed.extend(old.into_keys().flat_map(|(a, b)| [(a, b), (b, a)]));
        links.removed.sort_unstable();
        self.spaces[space] = after;
    }

    fn key(&self, entry: &(i64, u32)) -> (i64, &str) {
        (entry.0, self.ids.get(entry.1 as usize).map_or("", |id| id))
    }

    /// Links that begin at a changed place or shortly before it, each once, the smaller position first.
    fn pairs(&self, order: &[(i64, u32)], places: &[(usize, bool)], mut take: impl FnMut((u32, u32), f64)) {
        let limit = self.options.limit;
        let mut done = 0;
        for &(place, own) in places {
            let first = place.saturating_sub(limit).max(done);
            let end = (place + usize::from(own)).min(order.len());
            for at in first..end {
                let (time, position) = order[at];
                for &(later, other) in order[at + 1..].iter().take(limit) {
                    // Dates thousands of years apart overflow 64 bits, floats only round them.
                    let gap = later as f64 - time as f64;
                    let gap = if gap.abs() < 9e18 { (later - time) as f64 } else { gap };
                    let weight = (-gap / self.options.half_life).exp2();
                    if weight >= self.options.floor {
                        take((position.min(other), position.max(other)), weight);
                    }
                }
            }
            done = done.max(end);
        }
    }
}
