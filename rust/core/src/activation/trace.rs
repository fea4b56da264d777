//! How activation came to a node: kept by the kernels on request, so that a result can say why it is there.

use super::walk::NodeMap;

/// The way to a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Way {
    /// Steps from a seed; 0 for seeds.
    pub depth: u32,
    /// (node before, weight, relation read from there); `None` for seeds.
    pub step: Option<(u32, f32, u8)>,
}

/// Ways by node, or nothing where nobody asked.
///
/// A way leads through nodes that had theirs settled before, so that it always ends at a seed.
#[derive(Debug, Default)]
pub(super) struct Trace {
    ways: Option<NodeMap<Known>>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    way: Way,
    amount: f64,
    settled: bool,
}

impl Trace {
    pub fn new(wanted: bool) -> Self {
        Self { ways: wanted.then(NodeMap::default) }
    }

    pub fn is_wanted(&self) -> bool {
        self.ways.is_some()
    }

    /// A seed.
    pub fn begin(&mut self, node: u32) {
        if let Some(ways) = &mut self.ways {
            ways.insert(node, Known { way: Way::default(), amount: f64::INFINITY, settled: true });
        }
    }

    /// An amount that came to a node; the largest counts until the node is settled, the first among equals.
    pub fn offer(&mut self, node: u32, amount: f64, depth: u32, step: (u32, f32, u8)) {
        let Some(ways) = &mut self.ways else { return };
        let known = Known { way: Way { depth, step: Some(step) }, amount, settled: false };
        let slot = ways.entry(node).or_insert(known);
        if !slot.settled && amount > slot.amount {
            *slot = known;
        }
    }

    /// From now on the way to the node stands.
    pub fn settle(&mut self, node: u32) {
        if let Some(known) = self.ways.as_mut().and_then(|ways| ways.get_mut(&node)) {
            known.settled = true;
        }
    }

    pub fn depth(&self, node: u32) -> u32 {
        self.ways.as_ref().and_then(|ways| ways.get(&node)).map_or(0, |known| known.way.depth)
    }

    /// The ways of these nodes, if anybody asked.
    pub fn ways(&self, nodes: impl Iterator<Item = u32>) -> Option<Vec<Way>> {
        let ways = self.ways.as_ref()?;
        Some(nodes.map(|node| ways.get(&node).map(|known| known.way).unwrap_or_default()).collect())
    }
}
