//! ACT-R's logistic noise, from a seed and an id, so that it is the same in any order of rows.

use super::{Ids, Noise};

/// Noise of a row.
pub fn noise(of: Noise, ids: Option<&Ids>, row: usize) -> f64 {
    use arrow_array::Array;
    let key = match ids {
        Some(Ids::Text(ids)) if ids.is_valid(row) => hash(ids.value(row).as_bytes()),
        Some(Ids::Number(ids)) if ids.is_valid(row) => ids.value(row) as u64,
        _ => of.first_row.wrapping_add(row as u64),
    };
    // 53 bits, moved off 0 and 1 by half a step.
    let p = ((mix(mix(of.seed) ^ key) >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0;
    of.scale * ((1.0 - p) / p).ln()
}

/// SplitMix64's finaliser (Steele, Lea and Flood 2014).
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
