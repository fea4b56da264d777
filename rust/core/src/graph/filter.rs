//! What a query may see. A filter holds on seeds, on every hop and on results.

use std::sync::Arc;

use crate::Result;
use crate::graph::nodes::{Kind, Node};
use crate::graph::snapshot::Snapshot;

/// A caller's restrictions, by name.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only these namespaces.
    pub namespaces: Option<Vec<String>>,
    /// Only memories of these fact types; entities pass.
    pub fact_types: Option<Vec<String>>,
    /// Only memories with one of these tags (all of them with `all_tags`); entities pass.
    pub tags: Option<Vec<String>>,
    /// Whether a memory needs all of the tags.
    pub all_tags: bool,
    /// Only these memories; entities pass.
    pub only: Option<Arc<Bits>>,
    /// The state at a time: memories stored by then and not yet invalid. `None`: memories that are valid now.
    pub as_of: Option<i64>,
}

/// A filter looked up in a snapshot.
#[derive(Debug, Clone)]
pub struct Sieve<'a> {
    snapshot: &'a Snapshot,
    namespaces: Option<Vec<u32>>,
    fact_types: Option<Vec<u32>>,
    tag_sets: Option<Bits>,
    only: Option<Arc<Bits>>,
    as_of: Option<i64>,
    open: bool,
}

/// A set of small numbers.
#[derive(Debug, Clone, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// An empty set for numbers below `size`.
    pub fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    /// Puts a number in; one out of range is ignored.
    pub fn insert(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// All numbers in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let rest = std::iter::successors((word != 0).then_some(word), |word| {
                Some(word & (word - 1)).filter(|&rest| rest != 0)
            });
            rest.map(move |word| at as u32 * 64 + word.trailing_zeros())
        })
    }

    /// Whether a number is in.
    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

impl Filter {
    /// Looks the names up. Names that the graph has never seen match nothing.
    pub fn compile<'a>(&self, snapshot: &'a Snapshot) -> Result<Sieve<'a>> {
        let known = |names: &Vec<String>| names.iter().filter_map(|name| snapshot.names.find(name)).collect::<Vec<_>>();
        let tag_sets = self.tags.as_ref().map(|wanted| {
            let (numbers, mut sets) = (known(wanted), Bits::new(snapshot.tag_sets.len()));
            let unknown = numbers.len() < wanted.len();
            for set in 0..snapshot.tag_sets.len() as u32 {
                let tags: Vec<u32> = snapshot.tag_sets.get(set).split(',').filter_map(|tag| tag.parse().ok()).collect();
                let passes = match self.all_tags {
                    true => !unknown && numbers.iter().all(|tag| tags.contains(tag)),
                    false => numbers.iter().any(|tag| tags.contains(tag)),
                };
                if passes {
                    sets.insert(set);
                }
            }
            sets
        });
        let sieve = Sieve {
            snapshot,
            namespaces: self.namespaces.as_ref().map(known),
            fact_types: self.fact_types.as_ref().map(known),
            tag_sets,
            only: self.only.clone(),
            as_of: self.as_of,
            open: false,
        };
        let restricts = sieve.namespaces.is_some()
            || sieve.fact_types.is_some()
            || sieve.tag_sets.is_some()
            || sieve.only.is_some()
            || sieve.as_of.is_some()
            || snapshot.invalidated > 0;
        Ok(Sieve { open: !restricts, ..sieve })
    }
}

impl Sieve<'_> {
    /// Whether everything passes, so that a kernel need not look at nodes. (Deleted nodes have no edges.)
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether a node passes.
    #[inline]
    pub fn passes(&self, number: u32) -> bool {
        self.open || self.snapshot.nodes.get(number).is_some_and(|node| self.admits(number, node))
    }

    /// The same for a node that is at hand.
    pub fn admits(&self, number: u32, node: &Node) -> bool {
        let among = |set: &Option<Vec<u32>>, number: u32| set.as_ref().is_none_or(|set| set.contains(&number));
        if node.kind == Kind::Gone || !among(&self.namespaces, node.namespace) {
            return false;
        }
        let holds = match self.as_of {
            None => node.invalid == i64::MAX,
            Some(time) => time < node.invalid && node.created <= time,
        };
        if node.kind == Kind::Entity {
            return holds;
        }
        holds
            && among(&self.fact_types, node.fact_type)
            && self.tag_sets.as_ref().is_none_or(|sets| sets.contains(node.tags))
            && self.only.as_ref().is_none_or(|only| only.contains(number))
    }
}
