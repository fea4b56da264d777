//! Temporal spreading activation: from the memories in a window along temporal and causal edges.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::proximity::Span;
use super::{Interrupt, Relevance, Ticker, best, breadth};
use crate::graph::filter::Sieve;
use crate::graph::nodes::{Kind, NONE, Node};
use crate::graph::{Filter, Snapshot};
use crate::{Error, Result};

/// In which order the walk takes its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Highest activation first.
    #[default]
    Best,
    /// The published rule: breadth first, in batches.
    Breadth,
}

impl Order {
    /// From its name: "best" or "breadth".
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "best" => Ok(Self::Best),
            "breadth" => Ok(Self::Breadth),
            _ => Err(Error::value(format!("unknown order '{name}'; use 'best' or 'breadth'"))),
        }
    }
}

/// Options of [`walk`].
#[derive(Debug, Clone)]
pub struct WalkOptions {
    /// In which order.
    pub order: Order,
    /// How many nodes are settled (best) or visited (breadth), seeds included.
    pub budget: usize,
    /// What similarity or keyword relevance must reach to pass the semantic gate.
    pub threshold: f64,
    /// How many seeds at most.
    pub seeds: usize,
    /// Proximity of memories without any date; `None` leaves them out of the walk.
    pub no_date: Option<f64>,
    /// Factor of each step.
    pub decay: f64,
    /// Weakest edge that is followed.
    pub min_weight: f64,
    /// How many edges of a node are followed at most, the strongest (best only; breadth has 200 a batch).
    pub fan_out: usize,
    /// How many nodes are returned at most.
    pub limit: Option<usize>,
    /// Only these memories may be seeds (proposals of an index, for windows that hold most of the store).
    pub candidates: Option<Vec<u32>>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            order: Order::Best,
            budget: 100,
            threshold: 0.3,
            seeds: 10,
            no_date: Some(0.0),
            decay: 0.7,
            min_weight: 0.1,
            fan_out: 64,
            limit: None,
            candidates: None,
        }
    }
}

/// A memory that the walk reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// The memory.
    pub node: u32,
    /// Cosine to the query, if both have a vector.
    pub similarity: Option<f64>,
    /// Nearness of its own date to the window.
    pub proximity: f64,
    /// What it was reached with.
    pub activation: f64,
    /// Steps from its seed; 0 for seeds.
    pub depth: u32,
    /// The step that brought it in; `None` for seeds.
    pub step: Option<Step>,
}

/// One step of a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Where it came from.
    pub parent: u32,
    /// The relation as read from the parent (the inverse where an edge was walked against its direction).
    pub relation: u8,
    /// Weight of the edge.
    pub weight: f32,
}

/// What [`walk`] found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Walk {
    /// Memories, highest activation first, ties by id.
    pub reached: Vec<Reached>,
    /// Nodes settled or visited, seeds included.
    pub visited: usize,
    /// Nodes whose edges were looked at.
    pub expanded: usize,
    /// Edges that a fan-out or batch limit cut off.
    pub truncated: usize,
    /// Memories of the window that passed filter and gate.
    pub entries: usize,
}

/// Walks from the memories in a window.
///
/// `window` is half-open; both ends equal mean that instant. Ends beyond ±2^62 are open and stand for the first and
/// the last time in the graph. Only memories are walked, by relations that are temporal, causal or enabling.
pub fn walk(
    snapshot: &Snapshot,
    window: Span,
    relevance: &Relevance,
    options: &WalkOptions,
    filter: &Filter,
    interrupt: Interrupt<'_>,
) -> Result<Walk> {
    check(window, options)?;
    let sieve = filter.compile(snapshot)?;
    let mut ground = Ground {
        snapshot,
        window: closed(snapshot, window),
        relevance,
        options,
        sieve,
        seen: NodeMap::default(),
        ticker: Ticker::new(interrupt),
    };
    let mut walk = match options.order {
        Order::Best => best::run(&mut ground)?,
        Order::Breadth => breadth::run(&mut ground)?,
    };
    walk.reached
        .sort_unstable_by(|a, b| b.activation.total_cmp(&a.activation).then_with(|| snapshot.compare(a.node, b.node)));
    walk.reached.truncate(options.limit.unwrap_or(usize::MAX));
    ground.add_similarities(&mut walk.reached);
    Ok(walk)
}

/// What both orders walk on.
pub(super) struct Ground<'a> {
    pub snapshot: &'a Snapshot,
    pub window: Span,
    pub relevance: &'a Relevance,
    pub options: &'a WalkOptions,
    pub sieve: Sieve<'a>,
    pub ticker: Ticker<'a>,
    seen: NodeMap<Gate>,
}

/// What is known of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    /// The walk may not see it at all.
    Hidden,
    /// Not worked out yet, since no step needed it.
    Unknown,
    Shut,
    Open,
}

impl Ground<'_> {
    /// Whether a step to a memory may be taken: the walk may see it, and it passes the semantic gate unless the step
    /// needs none. Worked out once.
    pub fn admits(&mut self, number: u32, gated: bool) -> bool {
        let known = self.seen.get(&number).copied();
        let Some(node) = self.snapshot.nodes.get(number) else { return false };
        let mut gate = known.unwrap_or(if self.sees(number, node) { Gate::Unknown } else { Gate::Hidden });
        if gate == Gate::Unknown && gated {
            let judged = self.relevance.judge(self.snapshot, number, node.vector, self.options.threshold);
            gate = if judged.is_some() { Gate::Open } else { Gate::Shut };
        }
        if known != Some(gate) {
            self.seen.insert(number, gate);
        }
        gate == Gate::Open || (!gated && gate != Gate::Hidden)
    }

    /// Brings near what `admits` will look at for these (node, gated).
    pub fn prefetch(&self, steps: impl Iterator<Item = (u32, bool)> + Clone) {
        let fresh = steps.filter(|(number, _)| !self.seen.contains_key(number));
        fresh.clone().for_each(|(number, _)| self.snapshot.nodes.prefetch(number));
        if self.relevance.has_vector() {
            let vectors = fresh.filter(|&(_, gated)| gated).filter_map(|(number, _)| self.snapshot.nodes.get(number));
            vectors.for_each(|node| self.snapshot.vectors.prefetch(node.vector));
        }
    }

    /// Brings the vector of a node near whose exact cosine is wanted when the walk is done.
    pub fn prefetch_row(&self, number: u32) {
        if self.relevance.has_vector()
            && let Some(node) = self.snapshot.nodes.get(number)
        {
            self.snapshot.vectors.prefetch_row(node.vector);
        }
    }

    /// Whether the walk may see a node.
    pub fn sees(&self, number: u32, node: &Node) -> bool {
        let dated = self.options.no_date.is_some() || node.interval().is_some();
        node.kind == Kind::Memory && dated && self.sieve.admits(number, node)
    }

    /// Puts in the exact cosines, which the walk itself seldom needs. The vectors lie anywhere in memory and are asked for
    /// a few steps ahead.
    fn add_similarities(&self, reached: &mut [Reached]) {
        if !self.relevance.has_vector() {
            return;
        }
        let vectors: Vec<u32> =
            reached.iter().map(|row| self.snapshot.nodes.get(row.node).map_or(NONE, |node| node.vector)).collect();
        for (at, row) in reached.iter_mut().enumerate() {
            if let Some(&ahead) = vectors.get(at + 3) {
                self.snapshot.vectors.prefetch_row(ahead);
            }
            row.similarity = self.relevance.similarity(self.snapshot, vectors[at]);
        }
    }

    /// Nearness of a node's date to the window by one of the two rules.
    pub fn proximity(&self, number: u32, rule: fn((i64, i64), Span) -> f64) -> f64 {
        let interval = self.snapshot.nodes.get(number).and_then(Node::interval);
        interval.map_or(self.options.no_date.unwrap_or(0.0), |event| rule(event, self.window))
    }
}

fn check(window: Span, options: &WalkOptions) -> Result<()> {
    if window.start > window.end {
        return Err(Error::value("a window cannot end before it starts"));
    }
    let not_negative = |name: &str, value: f64| match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(Error::value(format!("{name} is a number of 0 or more, not {value}"))),
    };
    not_negative("decay", options.decay)?;
    not_negative("min_weight", options.min_weight)?;
    if !options.threshold.is_finite() {
        return Err(Error::value(format!("threshold is a finite number, not {}", options.threshold)));
    }
    match options.no_date {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(Error::value(format!("no_date is a number from 0 to 1, or None, not {value}")))
        }
        _ => Ok(()),
    }
}

/// Puts the first and last time of the graph in the place of open ends.
fn closed(snapshot: &Snapshot, window: Span) -> Span {
    const OPEN: i64 = 1 << 62;
    if window.start > -OPEN && window.end < OPEN {
        return window;
    }
    let Some((first, last)) = snapshot.times.extent(&snapshot.nodes) else {
        return Span { start: 0, end: 0 };
    };
    let start = if window.start > -OPEN { window.start } else { first.min(window.end) };
    let end = if window.end < OPEN { window.end } else { last.saturating_add(1).max(start) };
    Span { start, end }
}

/// Small maps by node number: the numbers are spread already, one multiplication is hash enough.
pub(super) type NodeMap<T> = HashMap<u32, T, BuildHasherDefault<NodeHasher>>;

/// Hashes a node number.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct NodeHasher(u64);

impl Hasher for NodeHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (self.0 ^ u64::from(number)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}
