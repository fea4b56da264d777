//! Personalised PageRank by forward push (Andersen, Chung and Lang 2006, "Local graph partitioning using PageRank
//! vectors"), for directed, weighted graphs.

use std::collections::VecDeque;

use super::trace::{Trace, Way};
use super::{Active, Direction, Interrupt, Neighbours, Scratch, Ticker, rank};
use crate::graph::{Filter, Snapshot};
use crate::{Error, Result};

/// Options of [`pagerank`].
#[derive(Debug, Clone)]
pub struct PageRankOptions {
    /// Chance to go back to the seeds at each step, in (0, 1].
    pub restart: f64,
    /// Residuals up to epsilon × degree are left unpushed.
    pub epsilon: f64,
    /// Along which edges.
    pub direction: Direction,
    /// Along which relations, as seen from the node that is left; all if `None`.
    pub relations: Option<Vec<String>>,
    /// Whether to keep how each node was reached: by the largest push that came before its own first.
    pub paths: bool,
}

impl Default for PageRankOptions {
    fn default() -> Self {
        Self { restart: 0.5, epsilon: 1e-4, direction: Direction::Out, relations: None, paths: false }
    }
}

/// What [`pagerank`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRank {
    /// Nodes with mass, most first, ties by id. With the residual they sum to 1.
    pub found: Vec<Active>,
    /// How each of them was reached, if asked.
    pub ways: Option<Vec<Way>>,
    /// Mass that was not pushed.
    pub residual: f64,
    /// How often a node was pushed.
    pub pushes: usize,
}

/// Approximates the chance of being at a node for a walker who starts at a seed, follows edges by weight and goes back
/// to a seed with chance `restart` at every step; from a node without usable edges he goes back to a seed.
///
/// The work is at most 1/(restart × epsilon) edges, whatever the size of the graph. Seeds may carry weights of any
/// scale. Edges of weight 0 are not followed.
pub fn pagerank(
    snapshot: &Snapshot,
    seeds: &[Active],
    options: &PageRankOptions,
    filter: &Filter,
    scratch: &mut Scratch,
    interrupt: Interrupt<'_>,
) -> Result<PageRank> {
    let (restart, epsilon) = (options.restart, options.epsilon);
    if !(restart > 0.0 && restart <= 1.0) {
        return Err(Error::value(format!("restart is a number above 0 and up to 1, not {restart}")));
    }
    if !(epsilon > 0.0 && epsilon.is_finite()) {
        return Err(Error::value(format!("epsilon is a number above 0, not {epsilon}")));
    }
    let sieve = filter.compile(snapshot)?;
    let mut neighbours = Neighbours::new(snapshot, options.direction, options.relations.as_deref())?;
    let mut ticker = Ticker::new(interrupt);
    let mut seeds: Vec<Active> =
        seeds.iter().copied().filter(|seed| seed.activation > 0.0 && sieve.passes(seed.node)).collect();
    seeds.sort_unstable_by(|a, b| snapshot.compare(a.node, b.node).then(b.activation.total_cmp(&a.activation)));
    // Scaled by the largest first, so that the sum of huge weights stays finite.
    let largest = seeds.iter().map(|seed| seed.activation).fold(0.0, f64::max);
    let total: f64 = seeds.iter().map(|seed| seed.activation / largest).sum();
    seeds.iter_mut().for_each(|seed| seed.activation = seed.activation / largest / total);

    let (mass, residual) = (&mut scratch.first, &mut scratch.second);
    let (has_mass, has_residual) = (&mut scratch.touched_first, &mut scratch.touched_second);
    let mut trace = Trace::new(options.paths);
    let mut queue: VecDeque<u32> = VecDeque::new();
    let mut queued: Vec<u32> = Vec::new(); // nodes in the queue whose residual may have been pushed by then
    for seed in &seeds {
        add(residual, has_residual, seed.node, seed.activation);
        queue.push_back(seed.node);
        trace.begin(seed.node);
    }
    let degree_of = |node: u32| match options.direction {
        Direction::Out => snapshot.edges.outgoing(node).len(),
        Direction::In => snapshot.edges.incoming(node).len(),
        Direction::Both => snapshot.edges.outgoing(node).len() + snapshot.edges.incoming(node).len(),
    };
    let bar = |node: u32| epsilon * degree_of(node).max(1) as f64;
    let mut pushes = 0;
    let mut edges: Vec<(u32, f32, u8)> = Vec::new();
    while let Some(node) = queue.pop_front() {
        let pushed = residual[node as usize];
        if pushed <= bar(node) {
            continue;
        }
        pushes += 1;
        trace.settle(node);
        residual[node as usize] = 0.0;
        add(mass, has_mass, node, restart * pushed);
        let onward = (1.0 - restart) * pushed;
        if onward <= 0.0 {
            continue;
        }
        edges.clear();
        if trace.is_wanted() {
            neighbours.visit_all(node, |other, weight, relation| {
                if weight > 0.0 && sieve.passes(other) {
                    edges.push((other, weight, relation));
                }
            });
        } else {
            neighbours.visit(node, |other, weight| {
                if weight > 0.0 && sieve.passes(other) {
                    edges.push((other, weight, 0));
                }
            });
        }
        ticker.tick(edges.len() + 1)?;
        let strength: f64 = edges.iter().map(|&(_, weight, _)| f64::from(weight)).sum();
        queued.clear();
        if edges.is_empty() {
            for seed in &seeds {
                add(residual, has_residual, seed.node, onward * seed.activation);
                queued.push(seed.node);
            }
        }
        for &(other, weight, relation) in &edges {
            let share = onward * (f64::from(weight) / strength);
            add(residual, has_residual, other, share);
            trace.offer(other, share, trace.depth(node) + 1, (node, weight, relation));
            queued.push(other);
        }
        // A node may stand in the queue more than once; all but its first turn find too little to push.
        queue.extend(queued.iter().copied().filter(|&other| residual[other as usize] > bar(other)));
    }
    // A node whose residual went to 0 and came back is listed twice.
    has_residual.sort_unstable_by(|&a, &b| snapshot.compare(a, b));
    has_residual.dedup();
    let left: f64 = has_residual.iter().map(|&node| residual[node as usize]).sum();
    let mut found: Vec<Active> =
        has_mass.iter().map(|&node| Active { node, activation: mass[node as usize] }).collect();
    rank(snapshot, &mut found);
    let ways = trace.ways(found.iter().map(|active| active.node));
    Ok(PageRank { found, ways, residual: left.clamp(0.0, 1.0), pushes })
}

fn add(column: &mut [f64], touched: &mut Vec<u32>, node: u32, value: f64) {
    let slot = &mut column[node as usize];
    if *slot == 0.0 {
        touched.push(node);
    }
    *slot += value;
}
