//! Best-first activation: the largest product of factors over all paths from the seeds, with a budget.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::walk::NodeMap;
use super::{Active, Direction, Interrupt, Neighbours, Ticker, Way};
use crate::graph::{Filter, Snapshot};
use crate::{Error, Result};

/// Options of [`best_first`].
#[derive(Debug, Clone)]
pub struct ProductOptions {
    /// How many nodes are settled at most, seeds included.
    pub budget: usize,
    /// Factor of each step.
    pub decay: f64,
    /// Activations below this are not followed.
    pub threshold: f64,
    /// Along which edges.
    pub direction: Direction,
    /// Along which relations, as seen from the node that is left; all if `None`.
    pub relations: Option<Vec<String>>,
    /// Stop when these are settled.
    pub targets: Option<Vec<u32>>,
}

impl Default for ProductOptions {
    fn default() -> Self {
        Self { budget: 1000, decay: 0.5, threshold: 0.0, direction: Direction::Out, relations: None, targets: None }
    }
}

/// A node on its best path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnPath {
    /// The node and the product of its path.
    pub active: Active,
    /// How it was reached.
    pub way: Way,
}

/// What [`best_first`] found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Product {
    /// Nodes in the order they were settled: strongest first, ties by id.
    pub found: Vec<OnPath>,
    /// Whether the budget cut something off.
    pub truncated: bool,
}

/// Settles the strongest node first; exact, since a factor (weight × decay) is held to 1, and the same for every order
/// of insertion. Where two paths are equally strong, the one through the node that was settled first counts.
pub fn best_first(
    snapshot: &Snapshot,
    seeds: &[Active],
    options: &ProductOptions,
    filter: &Filter,
    interrupt: Interrupt<'_>,
) -> Result<Product> {
    for (name, value) in [("decay", options.decay), ("threshold", options.threshold)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Error::value(format!("{name} is a number of 0 or more, not {value}")));
        }
    }
    let sieve = filter.compile(snapshot)?;
    let mut neighbours = Neighbours::new(snapshot, options.direction, options.relations.as_deref())?;
    let mut ticker = Ticker::new(interrupt);
    let mut states: NodeMap<(OnPath, bool)> = NodeMap::default();
    let mut heap = BinaryHeap::new();
    for &seed in seeds.iter().filter(|seed| seed.activation > 0.0 && sieve.passes(seed.node)) {
        states.insert(seed.node, (OnPath { active: seed, way: Way::default() }, false));
        heap.push(Waiting { active: seed, snapshot });
    }
    let mut missing = options.targets.as_ref().map(|targets| targets.to_vec());
    let mut product = Product::default();
    while let Some(Waiting { active, .. }) = heap.pop() {
        let Some((on_path, settled)) = states.get_mut(&active.node) else { continue };
        if *settled || active.activation < on_path.active.activation {
            continue;
        }
        if product.found.len() == options.budget {
            product.truncated = true;
            break;
        }
        *settled = true;
        let depth = on_path.way.depth + 1;
        product.found.push(*on_path);
        if let Some(missing) = missing.as_mut() {
            missing.retain(|&target| target != active.node);
            if missing.is_empty() {
                break;
            }
        }
        let mut looked_at = 1;
        neighbours.visit_all(active.node, |other, weight, relation| {
            looked_at += 1;
            let offered = active.activation * (f64::from(weight) * options.decay).min(1.0);
            let better =
                states.get(&other).is_none_or(|(known, settled)| !settled && offered > known.active.activation);
            if better && offered > 0.0 && offered >= options.threshold && sieve.passes(other) {
                let active = Active { node: other, activation: offered };
                let step = Some((product.found[product.found.len() - 1].active.node, weight, relation));
                states.insert(other, (OnPath { active, way: Way { depth, step } }, false));
                heap.push(Waiting { active, snapshot });
            }
        });
        ticker.tick(looked_at)?;
    }
    Ok(product)
}

/// A node in the queue, the strongest on top, ties by id.
struct Waiting<'a> {
    active: Active,
    snapshot: &'a Snapshot,
}

impl Ord for Waiting<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_activation = self.active.activation.total_cmp(&other.active.activation);
        by_activation.then_with(|| self.snapshot.compare(other.active.node, self.active.node))
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
