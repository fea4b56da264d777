//! How relevant a memory is to the query: by its vector, by the caller's keyword scores, or both.

use std::collections::HashMap;

use crate::graph::Snapshot;
use crate::graph::similarity::cosine;
use crate::graph::vectors::normalised;
use crate::{Error, Result};

/// What the query says about memories.
#[derive(Debug, Clone, Default)]
pub struct Relevance {
    /// The query's vector at length 1.
    vector: Option<Vec<f32>>,
    /// Keyword relevance in [0, 1] by node; memories that are not in it have 0.
    keywords: Option<HashMap<u32, f64>>,
}

impl Relevance {
    /// From a query vector and keyword scores, either of which may be missing. Without both, everything is relevant.
    pub fn new(snapshot: &Snapshot, query: Option<&[f32]>, keywords: Option<HashMap<u32, f64>>) -> Result<Self> {
        let dim = snapshot.vectors.dim();
        let vector = match query {
            None => None,
            Some(query) if query.iter().any(|value| !value.is_finite()) => {
                return Err(Error::value("the query vector may hold finite numbers only"));
            }
            // An empty graph has no dimension yet.
            Some(query) if dim != 0 && query.len() != dim => {
                return Err(Error::value(format!("the query vector has {} numbers, the graph's {dim}", query.len())));
            }
            Some(query) => Some(normalised(query).unwrap_or_default()),
        };
        if let Some((_, value)) = keywords.iter().flatten().find(|(_, value)| !(0.0..=1.0).contains(*value)) {
            return Err(Error::value(format!("a relevance is a number from 0 to 1, not {value}")));
        }
        Ok(Self { vector, keywords })
    }

    /// Whether there is neither a vector nor keywords, so that everything counts as relevant.
    pub fn is_open(&self) -> bool {
        self.vector.is_none() && self.keywords.is_none()
    }

    /// Whether there is a query vector.
    pub fn has_vector(&self) -> bool {
        self.vector.is_some()
    }

    /// Whether a memory passes the semantic gate: its cosine or its keywords' score is there and reaches the threshold,
    /// or the query says nothing at all. If it does: what its relevance is, or does not exceed.
    ///
    /// The compact copy of the vector settles most cases, at a quarter of the memory.
    pub fn judge(&self, snapshot: &Snapshot, number: u32, vector: u32, threshold: f64) -> Option<Bound> {
        if self.is_open() {
            return Some(Bound { most: 1.0, exact: true });
        }
        let keyword = self.keyword(number);
        let by_keyword = keyword.is_some_and(|score| score >= threshold);
        let bound = |cosine: f64, exact| Bound { most: cosine.max(keyword.unwrap_or(0.0)).max(0.0), exact };
        let Some((low, high)) = self.vector.as_ref().and_then(|query| snapshot.vectors.bounds(query, vector)) else {
            return by_keyword.then(|| bound(0.0, true));
        };
        if by_keyword || low >= threshold {
            return Some(bound(high.min(1.0), false));
        }
        if high < threshold {
            return None;
        }
        let cosine = self.similarity(snapshot, vector).filter(|&cosine| cosine >= threshold)?;
        Some(bound(cosine, true))
    }

    /// Cosine in [−1, 1]. A memory without vector has none, nor has any under a query of zeros.
    pub fn similarity(&self, snapshot: &Snapshot, vector: u32) -> Option<f64> {
        match (&self.vector, snapshot.vectors.row(vector)) {
            (Some(query), Some(row)) if query.len() == row.len() => Some(cosine(query, row)),
            _ => None,
        }
    }

    /// The larger of the cosine and the keywords' score, at least 0; 1 where the query says nothing at all.
    pub fn relevance(&self, snapshot: &Snapshot, number: u32, vector: u32) -> f64 {
        if self.is_open() {
            return 1.0;
        }
        let similarity = self.similarity(snapshot, vector).unwrap_or(0.0);
        similarity.max(self.keyword(number).unwrap_or(0.0)).max(0.0)
    }

    fn keyword(&self, number: u32) -> Option<f64> {
        self.keywords.as_ref().and_then(|scores| scores.get(&number)).copied()
    }
}

/// What is known of a relevance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// It is no more than this.
    pub most: f64,
    /// It is just this.
    pub exact: bool,
}
