//! The default temporal walk: the largest product over all paths from the seeds, highest activation first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::proximity::proximity;
use super::seeds;
use super::walk::{Ground, NodeMap, Reached, Step, Walk};
use crate::Result;
use crate::graph::Snapshot;
use crate::graph::relations::RelationKind;

/// No step keeps everything, so that every step is felt and the highest activation first is exact.
const LARGEST_FACTOR: f64 = 0.95;

/// What is known of a node so far.
struct State {
    activation: f64,
    depth: u32,
    step: Option<Step>,
    settled: bool,
}

pub(super) fn run(ground: &mut Ground<'_>) -> Result<Walk> {
    let (snapshot, options) = (ground.snapshot, ground.options);
    let entries = seeds::entries(ground)?;
    let mut walk = Walk { entries: entries.len(), ..Walk::default() };
    let mut states: NodeMap<State> = NodeMap::default();
    let mut heap: BinaryHeap<Waiting<'_>> = BinaryHeap::new();
    for seed in seeds::spread_out(ground, entries, options.seeds) {
        let (node, activation) = (seed.node, seed.start);
        states.insert(node, State { activation, depth: 0, step: None, settled: false });
        heap.push(Waiting { activation, node, snapshot });
    }
    let (mut bar, mut steps) = (Bar::default(), Vec::new());
    while walk.visited < options.budget {
        let Some(Waiting { activation, node, .. }) = heap.pop() else { break };
        let Some(state) = states.get_mut(&node) else { continue };
        if state.settled || activation < state.activation {
            continue; // a better path came after this entry was made
        }
        state.settled = true;
        let (depth, step) = (state.depth, state.step);
        walk.visited += 1;
        let proximity = ground.proximity(node, proximity);
        walk.reached.push(Reached { node, similarity: None, proximity, activation, depth, step });
        ground.prefetch_row(node);
        if walk.visited == options.budget {
            break; // what this node leads to could not be settled any more
        }
        walk.expanded += 1;
        if let Some(next) = heap.peek() {
            snapshot.edges.prefetch(next.node);
        }
        bar.raise(&states, options.budget);
        let open = |other: u32, factor: f64| {
            activation * factor >= bar.height && states.get(&other).is_none_or(|state| !state.settled)
        };
        steps_from(ground, node, open, &mut steps)?;
        walk.truncated += steps.len().saturating_sub(options.fan_out);
        steps.truncate(options.fan_out);
        for (factor, other, step) in steps.drain(..) {
            let offered = activation * factor;
            let better = states.get(&other).is_none_or(|state| offered > state.activation);
            if better && offered > 0.0 {
                states.insert(other, State { activation: offered, depth: depth + 1, step: Some(step), settled: false });
                heap.push(Waiting { activation: offered, node: other, snapshot });
            }
        }
    }
    Ok(walk)
}

/// What an offer must reach to be settled within the budget: as many nodes as the budget allows are known to end up
/// with this much or more, since activations only grow. Offers below it need no look at the node they lead to.
#[derive(Default)]
struct Bar {
    height: f64,
    known: usize,
}

impl Bar {
    fn raise(&mut self, states: &NodeMap<State>, budget: usize) {
        // An old bar is too low at worst, so it is worked out anew only after some growth.
        if budget == 0 || states.len() < budget.max(self.known + self.known / 8) {
            return;
        }
        self.known = states.len();
        let mut all: Vec<f64> = states.values().map(|state| state.activation).collect();
        let (_, height, _) = all.select_nth_unstable_by(budget - 1, |a, b| b.total_cmp(a));
        self.height = *height;
    }
}

/// Steps from a node to others that may be walked, one for each other node, by factor, ties by id; `steps` is empty.
fn steps_from(
    ground: &mut Ground<'_>,
    node: u32,
    open: impl Fn(u32, f64) -> bool,
    steps: &mut Vec<(f64, u32, Step)>,
) -> Result<()> {
    let (snapshot, options) = (ground.snapshot, ground.options);
    let (outgoing, incoming) = (snapshot.edges.outgoing(node), snapshot.edges.incoming(node));
    ground.ticker.tick(outgoing.len() + incoming.len() + 1)?;
    let against = incoming.iter().filter_map(|(other, weight, relation)| {
        let stored = snapshot.relations.get(relation);
        stored.kind.is_causal().then_some((other, weight, stored.inverse))
    });
    for (other, weight, number) in outgoing.iter().chain(against) {
        let relation = snapshot.relations.get(number);
        if relation.kind == RelationKind::Other || f64::from(weight) < options.min_weight {
            continue;
        }
        let factor = (f64::from(weight) * relation.boost * options.decay).min(LARGEST_FACTOR);
        if !open(other, factor) {
            continue;
        }
        steps.push((factor, other, Step { parent: node, relation: number, weight }));
    }
    let gated = |step: &Step| !snapshot.relations.get(step.relation).kind.is_causal();
    ground.prefetch(steps.iter().map(|(_, other, step)| (*other, gated(step))));
    steps.retain(|(_, other, step)| ground.admits(*other, gated(step)));
    let by_factor = |a: &(f64, u32, Step), b: &(f64, u32, Step)| b.0.total_cmp(&a.0);
    let by_edge = |a: &(f64, u32, Step), b: &(f64, u32, Step)| {
        a.2.relation.cmp(&b.2.relation).then(b.2.weight.total_cmp(&a.2.weight))
    };
    steps.sort_unstable_by(|a, b| a.1.cmp(&b.1).then_with(|| by_factor(a, b)).then_with(|| by_edge(a, b)));
    steps.dedup_by(|later, kept| later.1 == kept.1);
    steps.sort_unstable_by(|a, b| by_factor(a, b).then_with(|| snapshot.compare(a.1, b.1)));
    Ok(())
}

/// A node in the queue, the highest activation on top, ties by id.
struct Waiting<'a> {
    activation: f64,
    node: u32,
    snapshot: &'a Snapshot,
}

impl Ord for Waiting<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_activation = self.activation.total_cmp(&other.activation);
        by_activation.then_with(|| self.snapshot.compare(other.node, self.node))
    }
}

impl PartialOrd for Waiting<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting<'_> {}
