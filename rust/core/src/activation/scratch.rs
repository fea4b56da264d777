//! Working memory of a query, kept between queries so that nothing the size of the graph is cleared twice.

/// Two columns of numbers over all nodes, zero except where listed.
#[derive(Debug, Default)]
pub struct Scratch {
    /// First column.
    pub(super) first: Vec<f64>,
    /// Second column.
    pub(super) second: Vec<f64>,
    /// Nodes whose entry in the first column may differ from zero.
    pub(super) touched_first: Vec<u32>,
    /// The same for the second column.
    pub(super) touched_second: Vec<u32>,
}

impl Scratch {
    /// Makes room for a number of nodes.
    pub fn resize(&mut self, nodes: usize) {
        if self.first.len() < nodes {
            self.first.resize(nodes, 0.0);
            self.second.resize(nodes, 0.0);
        }
    }

    /// Back to zero everywhere.
    pub fn clear(&mut self) {
        for node in self.touched_first.drain(..) {
            self.first[node as usize] = 0.0;
        }
        for node in self.touched_second.drain(..) {
            self.second[node as usize] = 0.0;
        }
    }
}
