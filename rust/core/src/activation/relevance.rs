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

    /// Whether a memory cannot pass the gate, as far as the compact copy of its vector tells.
    pub fn surely_fails(&self, snapshot: &Snapshot, number: u32, vector: u32, threshold: f64) -> bool {
        let Some(query) = &self.vector else { return false };
        let keyword = self.keywords.as_ref().and_then(|scores| scores.get(&number));
        keyword.is_none_or(|&score| score < threshold)
            && snapshot.vectors.upper_bound(query, vector).is_some_and(|bound| bound < threshold)
    }

    /// What the query says of a memory. Where it says nothing at all, everything is relevant and passes the gate.
    ///
    /// The relevance is the larger of the cosine and the keywords' score, at least 0. The gate passes if either is there
    /// and reaches the threshold. A memory without vector has no cosine, nor has any under a query of zeros.
    pub fn judge(&self, snapshot: &Snapshot, number: u32, vector: u32, threshold: f64) -> Judged {
        if self.is_open() {
            return Judged { similarity: None, relevance: 1.0, passes: true };
        }
        let similarity = match (&self.vector, snapshot.vectors.row(vector)) {
            (Some(query), Some(row)) if query.len() == row.len() => Some(cosine(query, row)),
            _ => None,
        };
        let keyword = self.keywords.as_ref().and_then(|scores| scores.get(&number)).copied();
        let reaches = |value: Option<f64>| value.is_some_and(|value| value >= threshold);
        Judged {
            similarity,
            relevance: similarity.unwrap_or(0.0).max(keyword.unwrap_or(0.0)).max(0.0),
            passes: reaches(similarity) || reaches(keyword),
        }
    }
}

/// A memory as the query sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Cosine in [−1, 1], if both sides have a vector.
    pub similarity: Option<f64>,
    /// Relevance in [0, 1].
    pub relevance: f64,
    /// Whether the semantic gate is open to it.
    pub passes: bool,
}
