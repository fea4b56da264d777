//! Fusion of rankings.

use pyo3::prelude::*;
use timewalk_core::fusion::{self, Method, Ranking};

use crate::errors::to_py;

type FusedRow = (String, f64, Vec<Option<u32>>, Vec<Option<f64>>);

/// Fuses rankings of (ids, scores); `method` is "rrf" or "zscore".
#[pyfunction]
pub fn fuse(
    py: Python<'_>,
    rankings: Vec<(Vec<String>, Vec<f64>)>,
    method: &str,
    k: f64,
    weights: Vec<f64>,
) -> PyResult<Vec<FusedRow>> {
    let method = match method {
        "rrf" => Method::ReciprocalRank { k },
        "zscore" => Method::Standardised,
        other => {
            return Err(to_py(timewalk_core::Error::value(format!(
                "unknown fusion method '{other}'; use 'rrf' or 'zscore'"
            ))));
        }
    };
    py.detach(|| {
        let views: Vec<Ranking<'_>> = rankings
            .iter()
            .map(|(ids, scores)| Ranking { ids: ids.iter().map(String::as_str).collect(), scores: scores.clone() })
            .collect();
        fusion::fuse(&views, method, &weights).map(|fused| {
            fused.into_iter().map(|entry| (entry.id.to_owned(), entry.score, entry.ranks, entry.scores)).collect()
        })
    })
    .map_err(to_py)
}
