//! Scores of rows from similarity and time.

use arrow_array::{Array, Float64Array};
use arrow_buffer::{BooleanBuffer, NullBuffer};

use super::noise::noise;
use super::normalise::{Normalise, normalise};
use super::{Fusion, Groups, Ids, Measure, Missing, Temporal};
use crate::{Error, Result};

/// ln of the smallest positive double: what an added factor of 0 counts as.
const LN_ZERO: f64 = -744.440_071_921_381_3;

/// Scores and what they were made of. NaN stands for missing.
#[derive(Debug, Clone, Default)]
pub struct Scored {
    /// The score; missing where similarity or time is.
    pub score: Vec<f64>,
    /// The temporal weight used.
    pub temporal: Vec<f64>,
    /// The similarity used.
    pub similarity: Vec<f64>,
    /// Rows to leave out.
    pub dropped: Option<Vec<bool>>,
}

/// Scores every row.
///
/// Factors alone: similarity^C · (w₁·w₂·…)^B, the sign of the similarity kept. With an activation among the weights:
/// B·(activation + ln w₁ + …) + C·similarity + noise, since an activation is a logarithm.
pub fn score(
    similarity: (&Float64Array, &str),
    temporal: &[Temporal],
    groups: Option<&Groups>,
    ids: Option<&Ids>,
    fusion: &Fusion,
) -> Result<Scored> {
    let (similarity, column) = similarity;
    let rows = similarity.len();
    check(similarity, column, temporal, fusion, rows)?;
    let additive = temporal.iter().any(|weights| weights.additive);
    let group = |row: usize| groups.map_or(0, |groups| groups.codes.value(row) as usize);
    let count = groups.map_or(1, |groups| groups.count);
    let (mut weights, dropped) = combined(temporal, additive, fusion, rows)?;
    normalise(&mut weights, fusion.normalise_temporal, group, count);
    let mut similarities: Vec<f64> =
        similarity.iter().map(|value| value.map_or(f64::NAN, |value| converted(fusion.measure, value))).collect();
    normalise(&mut similarities, fusion.normalise, group, count);
    let (semantic, power) = (fusion.semantic_weight.each(rows), fusion.temporal_weight.each(rows));
    let plain = fusion.semantic_weight.as_scalar() == Some(1.0) && fusion.temporal_weight.as_scalar() == Some(1.0);
    let mut score = vec![f64::NAN; rows];
    for (row, score) in score.iter_mut().enumerate() {
        let (similarity, weight) = (similarities[row], weights[row]);
        if similarity.is_nan() || weight.is_nan() {
            continue;
        }
        let value = match (additive, plain) {
            (true, _) => {
                let noise = if fusion.noise.scale > 0.0 { noise(fusion.noise, ids, row) } else { 0.0 };
                power[row] * weight + semantic[row] * similarity + noise
            }
            (false, true) => similarity * weight,
            (false, false) => signed_power(similarity, semantic[row]) * weight.powf(power[row]),
        };
        // Products of two finite numbers may still leave the range.
        *score = value.clamp(f64::MIN, f64::MAX);
    }
    Ok(Scored { score, temporal: weights, similarity: similarities, dropped })
}

fn check(similarity: &Float64Array, column: &str, temporal: &[Temporal], fusion: &Fusion, rows: usize) -> Result<()> {
    if temporal.is_empty() {
        return Err(Error::value("at least one engine is needed"));
    }
    fusion.semantic_weight.fits(rows)?;
    fusion.temporal_weight.fits(rows)?;
    let additive = temporal.iter().any(|weights| weights.additive);
    if !(0.0..1.0).contains(&fusion.floor) {
        return Err(Error::value(format!("floor must be at least 0 and below 1, not {}", fusion.floor)));
    }
    if !(fusion.noise.scale.is_finite() && fusion.noise.scale >= 0.0) {
        return Err(Error::value(format!("noise must be at least 0, not {}", fusion.noise.scale)));
    }
    if additive && fusion.floor > 0.0 {
        return Err(Error::value("floor holds for weights between 0 and 1; an activation of ACT-R has none"));
    }
    if !additive && fusion.noise.scale > 0.0 {
        return Err(Error::value("noise belongs to ACT-R; these engines have none"));
    }
    if !additive && (fusion.normalise == Normalise::ZScore || fusion.normalise_temporal == Normalise::ZScore) {
        return Err(Error::value("'zscore' gives negative numbers, which cannot be factors; use 'minmax'"));
    }
    if let Missing::Weight(weight) = fusion.missing {
        let right = weight.is_finite() && (additive || (0.0..=1.0).contains(&weight));
        if !right {
            return Err(Error::value(format!("missing={weight} is not a temporal weight of these engines")));
        }
    }
    if !matches!(fusion.measure, Measure::L2 | Measure::L2Squared) {
        return Ok(());
    }
    match similarity.iter().position(|value| value.is_some_and(|value| value < 0.0)) {
        Some(row) => {
            Err(Error::cell(format!("a Euclidean distance is at least 0, not {}", similarity.value(row)), column, row))
        }
        None => Ok(()),
    }
}

fn converted(measure: Measure, value: f64) -> f64 {
    match measure {
        Measure::Similarity => value,
        Measure::Cosine | Measure::InnerProduct => 1.0 - value,
        Measure::L2 => 1.0 / (1.0 + value),
        Measure::L2Squared => 1.0 / (1.0 + value.sqrt()),
        Measure::NegativeInnerProduct => -value,
    }
}

fn signed_power(value: f64, power: f64) -> f64 {
    if power == 1.0 { value } else { value.abs().powf(power).copysign(value) }
}

/// One temporal weight for each row, and the rows to leave out.
fn combined(
    temporal: &[Temporal],
    additive: bool,
    fusion: &Fusion,
    rows: usize,
) -> Result<(Vec<f64>, Option<Vec<bool>>)> {
    let mut out = vec![if additive { 0.0 } else { 1.0 }; rows];
    for engine in temporal {
        if engine.weights.len() != rows {
            return Err(Error::value(format!("{} weights for {rows} rows", engine.weights.len())));
        }
        for (row, out) in out.iter_mut().enumerate() {
            let weight = if engine.weights.is_null(row) { f64::NAN } else { engine.weights.value(row) };
            match (additive, engine.additive) {
                (true, true) => *out += weight,
                (true, false) => *out += if weight == 0.0 { LN_ZERO } else { weight.ln() },
                (false, _) => *out *= weight,
            }
        }
    }
    if fusion.floor > 0.0 {
        out.iter_mut().for_each(|weight| *weight = fusion.floor + (1.0 - fusion.floor) * *weight);
    }
    let Some(first) = out.iter().position(|weight| weight.is_nan()) else {
        return Ok((out, None));
    };
    match fusion.missing {
        Missing::Last => Ok((out, None)),
        Missing::Drop => {
            let dropped = out.iter().map(|weight| weight.is_nan()).collect();
            Ok((out, Some(dropped)))
        }
        Missing::Error => {
            let engine = temporal.iter().find(|engine| engine.weights.is_null(first));
            let column = engine.map_or("", |engine| engine.column.as_str());
            Err(Error::cell("no time to weigh this row by, and missing='error'", column, first))
        }
        Missing::Weight(weight) => {
            out.iter_mut().filter(|out| out.is_nan()).for_each(|out| *out = weight);
            Ok((out, None))
        }
    }
}

/// Numbers with NaN for missing as a column with nulls.
pub fn column(values: Vec<f64>) -> Float64Array {
    if !values.iter().any(|value| value.is_nan()) {
        return Float64Array::new(values.into(), None);
    }
    let known: BooleanBuffer = values.iter().map(|value| !value.is_nan()).collect();
    let values: Vec<f64> = values.into_iter().map(|value| if value.is_nan() { 0.0 } else { value }).collect();
    Float64Array::new(values.into(), Some(NullBuffer::new(known)))
}
