//! Classic spreading activation (Collins and Loftus 1975, in the form of rounds with a threshold).

use super::trace::{Trace, Way};
use super::{Active, Direction, Interrupt, Neighbours, Scratch, Ticker, rank};
use crate::graph::filter::Sieve;
use crate::graph::{Filter, Snapshot};
use crate::{Error, Result};

/// How contributions to one node become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Combine {
    /// They add up; unbounded.
    #[default]
    Sum,
    /// The largest counts.
    Max,
    /// 1 − ∏(1 − c), each c held to 1.
    NoisyOr,
}

/// How a node's out-degree weakens what it sends.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Fan {
    /// Not at all.
    #[default]
    None,
    /// Divided by the root of the degree.
    Sqrt,
    /// Divided by the degree.
    Degree,
    /// Times max(0, 1 − ln(degree)/S), ACT-R's associative strength S − ln(fan) scaled to 1 at a fan of 1.
    ActR(f64),
}

/// Which nodes send in a round, and what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fire {
    /// Every active node, all that it has.
    #[default]
    Every,
    /// What became active in the round before, all that it has.
    Once,
    /// Every node that something reached in the round before, just that: what arrives does not hang on whether the nodes
    /// between were active before, and the activations are those of a wave that runs out, x + Ax + A²x + ….
    Wave,
}

/// Rounds after which activations that still change are given up, unless there are more nodes than that.
const MOST_ROUNDS: u32 = 10_000;

/// Options of [`spread`].
#[derive(Debug, Clone)]
pub struct SpreadOptions {
    /// Rounds, fewer if one changes nothing, since then none would.
    pub depth: u32,
    /// Factor of each step.
    pub decay: f64,
    /// What does not exceed this is dropped.
    pub threshold: f64,
    /// Which nodes send in a round.
    pub fire: Fire,
    /// Whether a seed's start is part of its activation; if not, a wave tells what arrived, and only that.
    pub own: bool,
    /// How contributions combine.
    pub combine: Combine,
    /// How the degree weakens a node.
    pub fan: Fan,
    /// Upper bound of an activation.
    pub clamp: Option<f64>,
    /// How many nodes, the strongest, stay active after each round.
    pub max_active: Option<usize>,
    /// Along which edges.
    pub direction: Direction,
    /// Along which relations, as seen from the sending node; all if `None`.
    pub relations: Option<Vec<String>>,
    /// Whether to keep how each node was reached: in the round of its first activation, by the largest contribution.
    pub paths: bool,
}

impl Default for SpreadOptions {
    fn default() -> Self {
        Self {
            depth: 3,
            decay: 0.5,
            threshold: 0.01,
            fire: Fire::Every,
            own: true,
            combine: Combine::Sum,
            fan: Fan::None,
            clamp: None,
            max_active: None,
            direction: Direction::Out,
            relations: None,
            paths: false,
        }
    }
}

/// What [`spread`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// Active nodes, strongest first, ties by id.
    pub found: Vec<Active>,
    /// How each of them was reached, if asked.
    pub ways: Option<Vec<Way>>,
    /// How often a node fired.
    pub expanded: usize,
    /// How many nodes `max_active` dropped.
    pub truncated: usize,
}

/// Spreads activation from seeds.
///
/// In every round each active node sends activation × weight × decay along each edge; what exceeds the threshold is
/// combined at the target, and joins the activations when the round is over. Contributions are added in the order of
/// the sending nodes' ids, so that the result does not depend on the order of insertion. The plain rule is unbounded:
/// cycles and hubs can drive an activation past any number; it is held to the largest float64.
///
/// Once a round changes nothing, the later ones are left out, since they would not either. What still changes after
/// 10,000 rounds (or as many as there are nodes, if that is more) is an error if `depth` asks for more.
pub fn spread(
    snapshot: &Snapshot,
    seeds: &[Active],
    options: &SpreadOptions,
    filter: &Filter,
    scratch: &mut Scratch,
    interrupt: Interrupt<'_>,
) -> Result<Spread> {
    check(options)?;
    let sieve = filter.compile(snapshot)?;
    let mut neighbours = Neighbours::new(snapshot, options.direction, options.relations.as_deref())?;
    let mut ticker = Ticker::new(interrupt);
    let (mut expanded, mut truncated) = (0, 0);
    let mut trace = Trace::new(options.paths);

    let bound = options.clamp.unwrap_or(f64::MAX);
    let mut active: Vec<u32> = Vec::new();
    for seed in seeds {
        let slot = &mut scratch.first[seed.node as usize];
        if seed.activation > 0.0 && sieve.passes(seed.node) {
            if *slot == 0.0 {
                active.push(seed.node);
                scratch.touched_first.push(seed.node);
                trace.begin(seed.node);
            }
            *slot = join(*slot, seed.activation, options.combine).min(bound);
        }
    }
    // What the next round sends, unless every active node does.
    let mut fresh: Vec<Active> = active.iter().map(|&node| read(scratch, node)).collect();
    if !options.own {
        active.drain(..).for_each(|node| scratch.first[node as usize] = 0.0);
    }
    let most_rounds = MOST_ROUNDS.max(u32::try_from(snapshot.nodes.len()).unwrap_or(u32::MAX));
    let (mut last, mut kept): (Vec<Active>, Vec<Active>) = (Vec::new(), Vec::new());
    let mut settled = false;
    for round in 1..=options.depth {
        let mut firing = std::mem::take(&mut fresh);
        if options.fire == Fire::Every {
            active.sort_unstable_by(|&a, &b| snapshot.compare(a, b));
            firing.clear();
            firing.extend(active.iter().map(|&node| read(scratch, node)));
        } else {
            firing.sort_unstable_by(|a, b| snapshot.compare(a.node, b.node));
        }
        if firing.is_empty() || settled && firing == last {
            break;
        }
        if round > most_rounds {
            return Err(Error::value(format!(
                "depth={}: activations still change after {most_rounds} rounds; the plain rule is unbounded, so give a \
                 smaller depth, fire=\"once\" or a clamp, or use pagerank",
                options.depth
            )));
        }
        for &Active { node, activation } in &firing {
            let sent = activation * fan_share(options.fan, snapshot, node);
            let work = match trace.is_wanted() {
                true => send_traced(node, sent, round, options, &sieve, &mut neighbours, scratch, &mut trace),
                false => send(node, sent, options, &sieve, &mut neighbours, scratch),
            };
            ticker.tick(work)?;
        }
        expanded += firing.len();
        settled = true;
        for node in scratch.touched_second.drain(..) {
            trace.settle(node);
            let arrived = std::mem::take(&mut scratch.second[node as usize]);
            let slot = &mut scratch.first[node as usize];
            let is_new = *slot == 0.0;
            if is_new {
                active.push(node);
                scratch.touched_first.push(node);
            }
            let before = std::mem::replace(slot, join(*slot, arrived, options.combine).min(bound));
            settled &= *slot == before;
            match options.fire {
                Fire::Every => {}
                Fire::Once if !is_new => {}
                Fire::Once => fresh.push(Active { node, activation: *slot }),
                Fire::Wave => fresh.push(Active { node, activation: arrived.min(bound) }),
            }
        }
        if let Some(most) = options.max_active.filter(|&most| active.len() > most) {
            truncated += active.len() - most;
            let mut all: Vec<Active> = active.iter().map(|&node| read(scratch, node)).collect();
            rank(snapshot, &mut all);
            for dropped in all.drain(most..) {
                scratch.first[dropped.node as usize] = 0.0;
            }
            active = all.iter().map(|kept| kept.node).collect();
            fresh.retain(|sender| scratch.first[sender.node as usize] > 0.0);
            // What came and was dropped again has changed nothing.
            settled = all == kept;
            kept = all;
        }
        last = firing;
    }
    let mut found: Vec<Active> = active.iter().map(|&node| read(scratch, node)).collect();
    rank(snapshot, &mut found);
    let ways = trace.ways(found.iter().map(|active| active.node));
    Ok(Spread { found, ways, expanded, truncated })
}

fn read(scratch: &Scratch, node: u32) -> Active {
    Active { node, activation: scratch.first[node as usize] }
}

/// Sends from one node; returns how many edges it looked at.
fn send(
    node: u32,
    sent: f64,
    options: &SpreadOptions,
    sieve: &Sieve<'_>,
    neighbours: &mut Neighbours<'_>,
    scratch: &mut Scratch,
) -> usize {
    let (second, touched) = (&mut scratch.second, &mut scratch.touched_second);
    let (decay, threshold, combine) = (options.decay, options.threshold, options.combine);
    let mut add = |target: u32, contribution: f64| {
        let slot = &mut second[target as usize];
        // Next to 1 a tiny contribution can come to nothing, and what is 0 counts as not reached.
        let joined = join(*slot, contribution, combine);
        if *slot == 0.0 && joined > 0.0 {
            touched.push(target);
        }
        *slot = joined;
    };
    if neighbours.is_plain() && sieve.is_open() {
        let row = neighbours.row(node);
        for (&target, &weight) in row.nodes.iter().zip(row.weights) {
            let contribution = sent * f64::from(weight) * decay;
            if contribution > threshold {
                add(target, contribution);
            }
        }
        return row.len() + 1;
    }
    let mut seen = 1;
    neighbours.visit(node, |target, weight| {
        seen += 1;
        let contribution = sent * f64::from(weight) * decay;
        if contribution > threshold && sieve.passes(target) {
            add(target, contribution);
        }
    });
    seen
}

/// The same, keeping how the targets were reached.
#[allow(clippy::too_many_arguments)]
fn send_traced(
    node: u32,
    sent: f64,
    round: u32,
    options: &SpreadOptions,
    sieve: &Sieve<'_>,
    neighbours: &mut Neighbours<'_>,
    scratch: &mut Scratch,
    trace: &mut Trace,
) -> usize {
    let mut seen = 1;
    neighbours.visit_all(node, |target, weight, relation| {
        seen += 1;
        let contribution = sent * f64::from(weight) * options.decay;
        if contribution > options.threshold && sieve.passes(target) {
            let slot = &mut scratch.second[target as usize];
            let joined = join(*slot, contribution, options.combine);
            if joined == 0.0 {
                return;
            }
            if *slot == 0.0 {
                scratch.touched_second.push(target);
            }
            *slot = joined;
            trace.offer(target, contribution, round, (node, weight, relation));
        }
    });
    seen
}

#[inline]
fn join(before: f64, new: f64, combine: Combine) -> f64 {
    match combine {
        Combine::Sum => (before + new).min(f64::MAX),
        Combine::Max => before.max(new),
        Combine::NoisyOr => 1.0 - (1.0 - before.min(1.0)) * (1.0 - new.min(1.0)),
    }
}

fn fan_share(fan: Fan, snapshot: &Snapshot, node: u32) -> f64 {
    if fan == Fan::None {
        return 1.0;
    }
    let degree = snapshot.edges.outgoing(node).len().max(1) as f64;
    match fan {
        Fan::None => 1.0,
        Fan::Sqrt => 1.0 / degree.sqrt(),
        Fan::Degree => 1.0 / degree,
        Fan::ActR(strength) => (1.0 - degree.ln() / strength).max(0.0),
    }
}

fn check(options: &SpreadOptions) -> Result<()> {
    let not_negative = |name: &str, value: f64| match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(Error::value(format!("{name} is a number of 0 or more, not {value}"))),
    };
    not_negative("decay", options.decay)?;
    not_negative("threshold", options.threshold)?;
    if !options.own && options.fire != Fire::Wave {
        return Err(Error::value("own=False goes with fire='wave': else a seed sends what it has"));
    }
    if let Some(clamp) = options.clamp {
        not_negative("clamp", clamp)?;
    }
    if let Fan::ActR(strength) = options.fan
        && !(strength.is_finite() && strength > 0.0)
    {
        return Err(Error::value(format!("the associative strength is a number above 0, not {strength}")));
    }
    Ok(())
}
