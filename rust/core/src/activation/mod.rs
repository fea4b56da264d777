//! Kernels that let activation run over a snapshot of the graph.

mod batch;
mod best;
mod breadth;
mod pagerank;
mod product;
pub mod proximity;
mod relevance;
mod scratch;
mod seeds;
mod spread;
mod trace;
mod walk;

pub use batch::run_many;
pub use pagerank::{PageRank, PageRankOptions, pagerank};
pub use product::{OnPath, Product, ProductOptions, best_first};
pub use relevance::Relevance;
pub use scratch::Scratch;
pub use spread::{Combine, Fan, Fire, Spread, SpreadOptions, spread};
pub use trace::Way;
pub use walk::{Order, Reached, Walk, WalkOptions, walk};

use std::cmp::Ordering;

use crate::graph::Snapshot;
use crate::graph::csr::Row;
use crate::{Error, Result};

/// Lets a caller stop a kernel: asked now and then, a `true` ends the work with [`Error::Interrupted`].
#[derive(Clone, Copy)]
pub struct Interrupt<'a>(&'a (dyn Fn() -> bool + Sync));

impl std::fmt::Debug for Interrupt<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Interrupt")
    }
}

impl<'a> Interrupt<'a> {
    /// Asks `poll`.
    pub fn new(poll: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(poll)
    }

    /// Never stops.
    pub fn never() -> Interrupt<'static> {
        Interrupt(&|| false)
    }

    fn check(&self) -> Result<()> {
        if (self.0)() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Counts work and asks the interrupt once in a while, so that asking costs nothing.
struct Ticker<'a> {
    interrupt: Interrupt<'a>,
    left: usize,
}

impl<'a> Ticker<'a> {
    const EVERY: usize = 1 << 16;

    fn new(interrupt: Interrupt<'a>) -> Self {
        Self { interrupt, left: Self::EVERY }
    }

    #[inline]
    fn tick(&mut self, work: usize) -> Result<()> {
        if self.left > work {
            self.left -= work;
            return Ok(());
        }
        self.left = Self::EVERY;
        self.interrupt.check()
    }
}

/// Which edges of a node activation runs along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// As stored.
    #[default]
    Out,
    /// Against the stored direction.
    In,
    /// Both; an edge that is stored from both ends (`a causes b`, `b caused_by a`) counts once, at its larger weight.
    Both,
}

impl Direction {
    /// From its name: "out", "in" or "both".
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "out" => Ok(Self::Out),
            "in" => Ok(Self::In),
            "both" => Ok(Self::Both),
            _ => Err(Error::value(format!("unknown direction '{name}'; use 'out', 'in' or 'both'"))),
        }
    }
}

/// A node that a kernel activated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Active {
    /// The node.
    pub node: u32,
    /// How strongly.
    pub activation: f64,
}

/// Orders by activation, best first, then by id.
fn rank(snapshot: &Snapshot, found: &mut [Active]) {
    found.sort_unstable_by(|a, b| b.activation.total_cmp(&a.activation).then_with(|| snapshot.compare(a.node, b.node)));
}

/// The edges of a node in one or both directions, in order of (id of the other end, relation).
struct Neighbours<'a> {
    snapshot: &'a Snapshot,
    direction: Direction,
    relations: Option<Vec<u8>>,
    both: Vec<(u32, f32, u8)>,
}

impl<'a> Neighbours<'a> {
    fn new(snapshot: &'a Snapshot, direction: Direction, relations: Option<&[String]>) -> Result<Self> {
        let number = |name: &String| {
            let known = snapshot.relations.find(name);
            let message = || format!("unknown relation '{name}'; known are {}", snapshot.relations.names());
            known.ok_or_else(|| Error::unknown(message()))
        };
        let relations = relations.map(|names| names.iter().map(number).collect::<Result<_>>()).transpose()?;
        Ok(Self { snapshot, direction, relations, both: Vec::new() })
    }

    /// Whether `visit_plain` sees every edge.
    fn is_plain(&self) -> bool {
        self.direction != Direction::Both && self.relations.is_none()
    }

    #[inline]
    fn row(&self, node: u32) -> Row<'a> {
        match self.direction {
            Direction::In => self.snapshot.edges.incoming(node),
            _ => self.snapshot.edges.outgoing(node),
        }
    }

    /// (other end, weight) of every edge that may be walked.
    fn visit(&mut self, node: u32, mut each: impl FnMut(u32, f32)) {
        if self.is_plain() {
            let row = self.row(node);
            row.nodes.iter().zip(row.weights).for_each(|(&other, &weight)| each(other, weight));
        } else {
            self.visit_all(node, |other, weight, _| each(other, weight));
        }
    }

    /// (other end, weight, relation as read from `node`) of every edge that may be walked.
    fn visit_all(&mut self, node: u32, mut each: impl FnMut(u32, f32, u8)) {
        let relations = self.relations.as_deref();
        let wanted = |relation: u8| relations.is_none_or(|relations| relations.contains(&relation));
        if self.direction != Direction::Both {
            for (other, weight, stored) in self.row(node).iter() {
                let relation = match self.direction {
                    Direction::In => self.snapshot.relations.get(stored).inverse,
                    _ => stored,
                };
                if wanted(relation) {
                    each(other, weight, relation);
                }
            }
            return;
        }
        let mut both = std::mem::take(&mut self.both);
        both.clear();
        both.extend(self.snapshot.edges.outgoing(node).iter().filter(|&(.., relation)| wanted(relation)));
        let from_here = |(other, weight, relation)| (other, weight, self.snapshot.relations.get(relation).inverse);
        both.extend(
            self.snapshot.edges.incoming(node).iter().map(from_here).filter(|&(.., relation)| wanted(relation)),
        );
        both.sort_by(|a, b| {
            let place = match a.0 == b.0 {
                true => Ordering::Equal,
                false => self.snapshot.compare(a.0, b.0),
            };
            place.then(a.2.cmp(&b.2)).then(b.1.total_cmp(&a.1))
        });
        both.dedup_by(|later, kept| later.0 == kept.0 && later.2 == kept.2);
        both.iter().for_each(|&(other, weight, relation)| each(other, weight, relation));
        self.both = both;
    }
}
