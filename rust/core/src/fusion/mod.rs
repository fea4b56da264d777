//! Fusion of several rankings of one set of ids into one.
//!
//! Reciprocal rank fusion: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
//! individual Rank Learning Methods", SIGIR 2009. Standardised scores: Montague and Aslam, "Relevance Score
//! Normalization for Metasearch", CIKM 2001 (zero mean, unit variance), with CombSUM.

use std::collections::HashMap;

use crate::{Error, Result};

/// How ranks or scores become one score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Sum of `weight / (k + rank)`, ranks from 1.
    ReciprocalRank {
        /// The constant that flattens the top; at least 0.
        k: f64,
    },
    /// Sum of `weight · z`, z being the score standardised within its ranking and shifted so that the ranking's
    /// last is 0: an id that a ranking lacks gets 0 from it, and no more than one that it holds.
    Standardised,
}

/// One ranking, best first. Scores are needed by [`Method::Standardised`] only.
#[derive(Debug, Clone, Default)]
pub struct Ranking<'a> {
    /// Ids, best first; a repeated id counts once, at its best place.
    pub ids: Vec<&'a str>,
    /// Scores beside the ids; empty if there are none.
    pub scores: Vec<f64>,
}

/// One id of the fused ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused<'a> {
    /// The id.
    pub id: &'a str,
    /// The fused score.
    pub score: f64,
    /// Rank from 1 in each ranking that holds the id.
    pub ranks: Vec<Option<u32>>,
    /// Raw score in each ranking that holds the id and has scores.
    pub scores: Vec<Option<f64>>,
}

/// Fuses rankings; the result is ordered by score descending, then id.
pub fn fuse<'a>(rankings: &[Ranking<'a>], method: Method, weights: &[f64]) -> Result<Vec<Fused<'a>>> {
    check(rankings, method, weights)?;
    let mut place: HashMap<&str, usize> = HashMap::new();
    let mut fused: Vec<Fused<'a>> = Vec::new();
    for (arm, ranking) in rankings.iter().enumerate() {
        let scale = match method {
            Method::ReciprocalRank { .. } => Scale { least: 0.0, deviation: 1.0 },
            Method::Standardised => Scale::of(&ranking.scores),
        };
        let mut rank = 0;
        for (row, &id) in ranking.ids.iter().enumerate() {
            let at = *place.entry(id).or_insert_with(|| {
                fused.push(Fused {
                    id,
                    score: 0.0,
                    ranks: vec![None; rankings.len()],
                    scores: vec![None; rankings.len()],
                });
                fused.len() - 1
            });
            let entry = &mut fused[at];
            if entry.ranks[arm].is_some() {
                continue;
            }
            rank += 1;
            entry.ranks[arm] = Some(rank);
            entry.scores[arm] = ranking.scores.get(row).copied();
            entry.score += weights[arm]
                * match method {
                    Method::ReciprocalRank { k } => 1.0 / (k + f64::from(rank)),
                    Method::Standardised => scale.apply(ranking.scores[row]),
                };
        }
    }
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(b.id)));
    Ok(fused)
}

/// What differs by no more than this share of the largest is the same.
const SAME: f64 = 1e-12;

struct Scale {
    least: f64,
    deviation: f64,
}

impl Scale {
    fn of(scores: &[f64]) -> Self {
        let n = scores.len().max(1) as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let variance = scores.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n;
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        // A ranking of equal scores says nothing about order; its members still count more than absent ids. Sums that
        // were added up in another order differ in their last digits, and are equal all the same.
        let largest = scores.iter().fold(0.0f64, |most, score| most.max(score.abs()));
        let deviation = variance.sqrt();
        Self { least, deviation: if deviation > SAME * largest { deviation } else { 0.0 } }
    }

    fn apply(&self, score: f64) -> f64 {
        if self.deviation > 0.0 { (score - self.least) / self.deviation } else { 1.0 }
    }
}

fn check(rankings: &[Ranking<'_>], method: Method, weights: &[f64]) -> Result<()> {
    if weights.len() != rankings.len() {
        return Err(Error::value(format!(
            "{} weights for {} rankings; give one weight a ranking",
            weights.len(),
            rankings.len()
        )));
    }
    if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
        return Err(Error::value(format!("a weight is a finite number of 0 or more, not {weight}")));
    }
    if let Method::ReciprocalRank { k } = method
        && !(k.is_finite() && k >= 0.0)
    {
        return Err(Error::value(format!("k is a finite number of 0 or more, not {k}")));
    }
    for (arm, ranking) in rankings.iter().enumerate() {
        let scored = !ranking.scores.is_empty();
        if (scored || method == Method::Standardised) && ranking.scores.len() != ranking.ids.len() {
            return Err(Error::value(format!(
                "ranking {arm} has {} scores for {} ids; this method needs a score for each id",
                ranking.scores.len(),
                ranking.ids.len()
            )));
        }
        if let Some(row) = ranking.scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::cell(
                format!("{} is not a finite score (ranking {arm})", ranking.scores[row]),
                "score",
                row,
            ));
        }
    }
    Ok(())
}
