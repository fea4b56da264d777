//! Re-ranking: similarity and temporal weights to scores, and the best of each group in a total order.

mod best;
mod groups;
mod noise;
mod normalise;
mod order;
mod score;

use arrow_array::{ArrayRef, Float64Array, StringArray, UInt32Array};

pub use best::{Best, Winners};
pub use groups::Grouper;
pub use normalise::Normalise;
pub use order::ranked;
pub use score::{Scored, column, score};

use super::params::Param;
use crate::{Error, Result};

/// How the similarity column was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A similarity: larger is nearer. Taken as it is.
    Similarity,
    /// Cosine distance: 1 − d.
    Cosine,
    /// Euclidean distance: 1/(1 + d).
    L2,
    /// Squared Euclidean distance: 1/(1 + √d).
    L2Squared,
    /// 1 − inner product: 1 − d.
    InnerProduct,
    /// Minus the inner product: −d.
    NegativeInnerProduct,
}

impl Measure {
    /// A measure from its name; None is a similarity.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        Ok(match name {
            None => Self::Similarity,
            Some("cosine") => Self::Cosine,
            Some("l2") => Self::L2,
            Some("l2_squared") => Self::L2Squared,
            Some("inner_product") => Self::InnerProduct,
            Some("negative_inner_product") => Self::NegativeInnerProduct,
            Some(other) => {
                return Err(Error::value(format!(
                    "unknown distance '{other}'; use 'cosine', 'l2', 'l2_squared', 'inner_product' (1 − product), \
                     'negative_inner_product', or None for a similarity"
                )));
            }
        })
    }
}

/// What becomes of a row without a temporal weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Missing {
    /// It ranks after all scored rows of its group, by similarity.
    Last,
    /// It is left out.
    Drop,
    /// It is an error that names the row.
    Error,
    /// It gets this weight.
    Weight(f64),
}

impl Missing {
    /// A policy from its name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "last" => Ok(Self::Last),
            "drop" => Ok(Self::Drop),
            "error" => Ok(Self::Error),
            other => Err(Error::value(format!(
                "unknown missing='{other}'; use 'last', 'drop', 'error' or a temporal weight as a number"
            ))),
        }
    }
}

/// Noise of ACT-R: logistic with scale `s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Scale; 0 is none.
    pub scale: f64,
    /// Seed.
    pub seed: u64,
    /// Position of the first row, where rows come in batches.
    pub first_row: u64,
}

/// One temporal weight a row, from one engine.
#[derive(Debug, Clone)]
pub struct Temporal {
    /// Weights; null where the engine has no times.
    pub weights: Float64Array,
    /// ACT-R's activation, which is added; other weights are factors.
    pub additive: bool,
    /// The column that a missing weight is put down to.
    pub column: String,
}

/// How similarity and time make a score.
#[derive(Debug, Clone)]
pub struct Fusion {
    /// What the similarity column holds.
    pub measure: Measure,
    /// C, or the exponent of the similarity where all weights are factors.
    pub semantic_weight: Param,
    /// B's weight, or the exponent of the temporal weight where all weights are factors.
    pub temporal_weight: Param,
    /// Of similarities within a group.
    pub normalise: Normalise,
    /// Of temporal weights within a group.
    pub normalise_temporal: Normalise,
    /// What is left of a factor at any age.
    pub floor: f64,
    /// For rows without times.
    pub missing: Missing,
    /// For ACT-R.
    pub noise: Noise,
}

/// Ids for the order of ties (and for noise); without them the position decides.
#[derive(Debug, Clone)]
pub enum Ids {
    /// Strings, in the order of their bytes.
    Text(StringArray),
    /// Numbers.
    Number(arrow_array::Int64Array),
}

impl Ids {
    /// Ids from a column of strings or integers; None for other types, whose order would be a guess.
    pub fn read(array: &ArrayRef, column: &str) -> Option<Self> {
        use arrow_array::cast::AsArray;
        if array.data_type().is_integer() {
            let whole = arrow_cast::cast(array, &arrow_schema::DataType::Int64).ok()?;
            return Some(Self::Number(whole.as_primitive::<arrow_array::types::Int64Type>().clone()));
        }
        crate::columns::utf8(array, column).ok().map(Self::Text)
    }
}

/// Groups of rows: a code for each row, codes counted in the order of first appearance.
#[derive(Debug, Clone)]
pub struct Groups {
    /// Code of each row.
    pub codes: UInt32Array,
    /// How many there are.
    pub count: usize,
}
