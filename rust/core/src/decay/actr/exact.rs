//! One row of ACT-R at a time, for the rows that the fast kernel leaves: sums near 1 or beyond the range of doubles,
//! and rows without recent accesses.

use super::kernel::History;

/// Microseconds of a second.
pub const MICROS: f64 = 1e6;

/// B of one row from its ages in microseconds (each at least `min_age`), or None where nothing is known.
///
/// The youngest access is factored out, so that no power leaves the range and a sum near 1 keeps its digits:
/// B = −d·ln t₁ + ln(1 + Σ (t_j/t₁)^(−d) + older part).
pub fn activation(ages: impl Iterator<Item = f64> + Clone, history: History, decay: f64, min_age: f64) -> Option<f64> {
    let Some(youngest) = ages.clone().reduce(f64::min) else {
        return optimised(history, decay, min_age);
    };
    let (mut oldest, mut rest) = (youngest, -1.0);
    for age in ages {
        oldest = oldest.max(age);
        // The youngest itself gives exactly the 1 that `rest` starts without.
        rest += (age / youngest).powf(-decay);
    }
    let older = history.older();
    if older > 0.0 {
        let excess = ((history.lifetime - oldest) / oldest).max(0.0);
        rest += older * (oldest / youngest).powf(-decay) * mean_power(excess, 1.0 - decay);
    }
    Some(rest.ln_1p() - decay * (youngest / MICROS).ln())
}

/// Mean of (1 + x)^(a − 1) for x from 0 to u: ((1 + u)^a − 1)/(a·u), with its limits at a = 0 and u = 0.
fn mean_power(u: f64, a: f64) -> f64 {
    if u <= 0.0 {
        return 1.0;
    }
    let log = u.ln_1p();
    let power = a * log;
    let quotient = if power == 0.0 { 1.0 } else { power.exp_m1() / power };
    quotient * (log / u)
}

/// Only a count and a creation time: B = ln(n/(1 − d)) − d·ln L, the accesses spread evenly over the lifetime.
///
/// At d ≥ 1 that integral has no value; there it starts at the minimum age instead of 0.
fn optimised(history: History, decay: f64, min_age: f64) -> Option<f64> {
    let older = history.older();
    if older <= 0.0 {
        return None;
    }
    if decay < 1.0 {
        return Some(older.ln() - (-decay).ln_1p() - decay * (history.lifetime / MICROS).ln());
    }
    let excess = ((history.lifetime - min_age) / min_age).max(0.0);
    Some(older.ln() - decay * (min_age / MICROS).ln() + mean_power(excess, 1.0 - decay).ln())
}
