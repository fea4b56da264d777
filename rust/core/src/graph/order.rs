//! Nodes in the order of their ids, which makes results independent of the order of insertion.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::graph::pool::StringPool;

/// Ranks of all nodes that were there when it was last built; later ones are compared by id.
#[derive(Debug, Clone, Default)]
pub struct IdOrder {
    rank: Arc<Vec<u32>>,
    order: Arc<Vec<u32>>,
}

impl IdOrder {
    /// Compares two nodes by id.
    #[inline]
    pub fn compare(&self, ids: &StringPool, a: u32, b: u32) -> Ordering {
        match (self.rank.get(a as usize), self.rank.get(b as usize)) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => ids.get(a).cmp(ids.get(b)),
        }
    }

    /// All ranked nodes in order of id.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Whether so many nodes came later that ranks pay off.
    pub fn is_stale(&self, ids: &StringPool) -> bool {
        ids.len() > self.rank.len() + self.rank.len() / 4 + 256
    }

    /// Ranks for all nodes. O(n log n), mostly on the first eight bytes of an id.
    pub fn rebuilt(&self, ids: &StringPool) -> Self {
        if ids.len() == self.rank.len() {
            return self.clone();
        }
        let mut keyed: Vec<(u64, u32)> = (0..ids.len() as u32).map(|node| (prefix(ids.get(node)), node)).collect();
        keyed.sort_unstable();
        for run in keyed.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            run.sort_unstable_by(|a, b| ids.get(a.1).cmp(ids.get(b.1)));
        }
        let order: Vec<u32> = keyed.into_iter().map(|(_, node)| node).collect();
        let mut rank = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            rank[node as usize] = at as u32;
        }
        Self { rank: Arc::new(rank), order: Arc::new(order) }
    }

    /// From nodes in order of id; `None` if they are not all of them in that order.
    pub fn from_order(order: &[u32], ids: &StringPool) -> Option<Self> {
        let sorted = order.windows(2).all(|pair| ids.get(pair[0]) < ids.get(pair[1]));
        if !sorted || order.len() != ids.len() || order.iter().any(|&node| node as usize >= ids.len()) {
            return None;
        }
        let mut rank = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            rank[node as usize] = at as u32;
        }
        Some(Self { rank: Arc::new(rank), order: Arc::new(order.to_vec()) })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.rank.len()
    }
}

fn prefix(id: &str) -> u64 {
    let mut bytes = [0; 8];
    let taken = id.len().min(8);
    bytes[..taken].copy_from_slice(&id.as_bytes()[..taken]);
    u64::from_be_bytes(bytes)
}
