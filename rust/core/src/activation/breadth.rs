//! The published temporal walk, to the letter: TEMPR's spreading over links (Hindsight, 2025).
//!
//! Where the text leaves a choice: seeds are the latest by start, else mention, else end; equal weights in a batch go
//! by the id of the neighbour, then of its source, then by relation; a neighbour at 0.2 or below has been visited and
//! has cost its share of the budget.

use std::collections::VecDeque;

use super::proximity::linear;
use super::seeds;
use super::walk::{Ground, NodeMap, Reached, Step, Walk};
use crate::Result;
use crate::graph::relations::RelationKind;

const BATCH: usize = 20;
const NEIGHBOURS: usize = 200;
const LEAST: f64 = 0.2;

pub(super) fn run(ground: &mut Ground<'_>) -> Result<Walk> {
    let (snapshot, options) = (ground.snapshot, ground.options);
    let entries = seeds::entries(ground)?;
    let mut walk = Walk { entries: entries.len(), ..Walk::default() };
    let mut activation: NodeMap<Option<f64>> = NodeMap::default(); // of visited nodes; none for those not kept
    let mut depths: NodeMap<u32> = NodeMap::default();
    let mut queue: VecDeque<u32> = VecDeque::new();
    for seed in seeds::latest(ground, entries, options.seeds.min(options.budget)) {
        activation.insert(seed.node, Some(1.0));
        depths.insert(seed.node, 0);
        queue.push_back(seed.node);
        walk.reached.push(Reached {
            node: seed.node,
            similarity: None,
            proximity: linear(seed.event, ground.window),
            activation: 1.0,
            depth: 0,
            step: None,
        });
    }
    let mut left = options.budget - walk.reached.len();
    while left > 0 && !queue.is_empty() {
        let batch: Vec<u32> = queue.drain(..queue.len().min(BATCH)).collect();
        walk.expanded += batch.len();
        let mut found: Vec<(u32, Step)> = Vec::new();
        for &source in &batch {
            let row = snapshot.edges.outgoing(source);
            ground.ticker.tick(row.len() + 1)?;
            ground.prefetch(row.nodes.iter().map(|&target| (target, true)));
            for (target, weight, relation) in row.iter() {
                let walked = snapshot.relations.get(relation).kind != RelationKind::Other;
                if walked && f64::from(weight) >= options.min_weight && ground.admits(target, true) {
                    found.push((target, Step { parent: source, relation, weight }));
                }
            }
        }
        found.sort_unstable_by(|a, b| {
            let by_id = |a: u32, b: u32| snapshot.compare(a, b);
            b.1.weight
                .total_cmp(&a.1.weight)
                .then_with(|| by_id(a.0, b.0))
                .then_with(|| by_id(a.1.parent, b.1.parent))
                .then(a.1.relation.cmp(&b.1.relation))
        });
        walk.truncated += found.len().saturating_sub(NEIGHBOURS);
        found.truncate(NEIGHBOURS);
        for (node, step) in found {
            if left == 0 {
                break;
            }
            if activation.contains_key(&node) {
                continue;
            }
            left -= 1;
            let parent = activation.get(&step.parent).copied().flatten().unwrap_or(0.0);
            let factor = f64::from(step.weight) * snapshot.relations.get(step.relation).boost * options.decay;
            let proximity = ground.proximity(node, linear);
            let reached = (parent * factor).min(f64::MAX).max(proximity);
            let kept = reached > LEAST;
            activation.insert(node, kept.then_some(reached));
            if kept {
                let depth = depths.get(&step.parent).copied().unwrap_or(0) + 1;
                depths.insert(node, depth);
                queue.push_back(node);
                walk.reached.push(Reached {
                    node,
                    similarity: None,
                    proximity,
                    activation: reached,
                    depth,
                    step: Some(step),
                });
            }
        }
    }
    walk.visited = activation.len();
    Ok(walk)
}
