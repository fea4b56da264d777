//! `follows` links: each memory of a thread to the one that arrived right before it.

use std::collections::{BTreeMap, HashMap};

use super::diff::{Diff, Links};

/// The threads, kept in step with the memories.
#[derive(Debug, Default)]
pub struct Threads {
    numbers: HashMap<Box<str>, usize>,
    threads: Vec<BTreeMap<i64, u32>>,
    /// Thread and place in the order of arrival, by position.
    places: Vec<Option<(usize, i64)>>,
}

/// A memory in its thread.
#[derive(Debug, Clone, Copy)]
pub struct Threaded<'a> {
    /// Its position, a small number that the caller gives.
    pub position: u32,
    /// Its place in the order of arrival.
    pub order: i64,
    /// Its namespace; a thread lives within one.
    pub namespace: &'a str,
    /// Its thread, if it has one.
    pub thread: Option<&'a str>,
}

impl Threads {
    /// Takes memories out, by position, then others in; returns what that changes, (later, earlier) with weight 1.
    pub fn update<'a>(&mut self, removed: &[u32], added: impl Iterator<Item = Threaded<'a>>) -> Links<(u32, u32)> {
        let mut diff = Diff::default();
        for &position in removed {
            let Some((thread, order)) = self.places.get_mut(position as usize).and_then(Option::take) else { continue };
            let Some(members) = self.threads.get_mut(thread) else { continue };
            members.remove(&order);
            relink(
                members,
                order,
                position,
                |diff: &mut Diff<_>, ends| diff.gone(ends, 1.0),
                &mut diff,
                |diff, ends| {
                    diff.came(ends, 1.0);
                },
            );
        }
        for memory in added {
            let Some(thread) = memory.thread else { continue };
            let (space, position) = (memory.namespace, memory.position);
            let key = format!("{}\u{1f}{space}{thread}", space.len());
            let next = self.threads.len();
            let number = *self.numbers.entry(key.into()).or_insert(next);
            if number == next {
                self.threads.push(BTreeMap::new());
            }
            if self.places.len() <= position as usize {
                self.places.resize(position as usize + 1, None);
            }
            self.places[position as usize] = Some((number, memory.order));
            let members = &mut self.threads[number];
            relink(
                members,
                memory.order,
                position,
                |diff, ends| diff.came(ends, 1.0),
                &mut diff,
                |diff, ends| {
                    diff.gone(ends, 1.0);
                },
            );
            members.insert(memory.order, position);
        }
        diff.finish()
    }
}

/// Calls `own` for the links between a memory and its neighbours, and `skipping` for the one that runs past it.
fn relink(
    members: &BTreeMap<i64, u32>,
    order: i64,
    position: u32,
    own: impl Fn(&mut Diff<(u32, u32)>, (u32, u32)),
    diff: &mut Diff<(u32, u32)>,
    skipping: impl Fn(&mut Diff<(u32, u32)>, (u32, u32)),
) {
    let before = members.range(..order).next_back().map(|(_, &other)| other);
    let after = members.range(order..).next().map(|(_, &other)| other);
    if let Some(before) = before {
        own(diff, (position, before));
    }
    if let Some(after) = after {
        own(diff, (after, position));
    }
    if let (Some(before), Some(after)) = (before, after) {
        skipping(diff, (after, before));
    }
}
