//! Cosines of rows of length 1: exact ones, and bounds from a copy of one byte a number.
//!
//! Each routine is one plain loop, compiled for several processors and chosen at run time. The exact one multiplies
//! float32 in float64, where products are exact, and keeps eight running sums on every processor, so that all give the
//! same bits.

/// Cosine of two rows of length 1, in [−1, 1].
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    dispatch::cosine(a, b).clamp(-1.0, 1.0)
}

/// A row in one byte a number: value ≈ scale · code, and how far off that is as a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// What a code of 1 stands for.
    pub scale: f32,
    /// Length of the difference between the row and its copy, rounded up.
    pub error: f32,
}

/// Writes the codes of a row behind `codes` and returns their scale.
pub fn encode(row: &[f32], codes: &mut Vec<i8>) -> Scale {
    let largest = row.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let mut squares = 0.0f64;
    for &value in row {
        let code = (value / scale).round().clamp(-127.0, 127.0);
        codes.push(code as i8);
        let off = f64::from(value) - f64::from(scale) * f64::from(code);
        squares += off * off;
    }
    Scale { scale, error: (squares.sqrt() * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE }
}

/// Two numbers between which the cosine of a query of length 1 and an encoded row lies.
///
/// By Cauchy and Schwarz the copy's error moves the cosine by no more than its length; the float32 sums, in 16 running
/// parts, lose no more than d · 2⁻²³ on top.
pub fn bounds(query: &[f32], codes: &[i8], scale: Scale) -> (f64, f64) {
    let slack = f64::from(scale.error) + query.len() as f64 * 1.2e-7 + 1e-6;
    let middle = f64::from(dispatch::coded(query, codes)) * f64::from(scale.scale);
    (middle - slack, middle + slack)
}

/// Asks the processor to bring a slice's first bytes near, ahead of their use; changes no result.
pub fn prefetch<T>(slice: &[T]) {
    dispatch::prefetch(slice.as_ptr().cast(), size_of_val(slice).min(2048));
}

#[inline(always)]
fn cosine_loop(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0f64; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = left.remainder().iter().zip(right.remainder()).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..8 {
            sums[lane] += f64::from(x[lane]) * f64::from(y[lane]);
        }
    }
    let pairs = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
    (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]) + tail
}

#[inline(always)]
fn coded_loop(query: &[f32], codes: &[i8]) -> f32 {
    let mut sums = [0.0f32; 16];
    let (left, right) = (query.chunks_exact(16), codes.chunks_exact(16));
    let tail: f32 = left.remainder().iter().zip(right.remainder()).map(|(&x, &code)| x * f32::from(code)).sum();
    for (x, code) in left.zip(right) {
        for lane in 0..16 {
            sums[lane] += x[lane] * f32::from(code[lane]);
        }
    }
    sums.iter().sum::<f32>() + tail
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod dispatch {
    use super::{coded_loop, cosine_loop};

    #[target_feature(enable = "avx2")]
    fn cosine_avx2(a: &[f32], b: &[f32]) -> f64 {
        cosine_loop(a, b)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn cosine_avx512(a: &[f32], b: &[f32]) -> f64 {
        cosine_loop(a, b)
    }

    #[target_feature(enable = "avx2")]
    fn coded_avx2(query: &[f32], codes: &[i8]) -> f32 {
        coded_loop(query, codes)
    }

    pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor has what the function was compiled for (avx512bw includes avx512f).
            unsafe { cosine_avx512(a, b) }
        } else if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function was compiled for.
            unsafe { cosine_avx2(a, b) }
        } else {
            cosine_loop(a, b)
        }
    }

    pub fn prefetch(start: *const i8, length: usize) {
        for at in (0..length).step_by(64) {
            // SAFETY: a prefetch is a hint that reads and writes nothing, at any address; this one is inside a slice.
            unsafe { std::arch::x86_64::_mm_prefetch(start.wrapping_add(at), std::arch::x86_64::_MM_HINT_T0) };
        }
    }

    pub fn coded(query: &[f32], codes: &[i8]) -> f32 {
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function was compiled for.
            unsafe { coded_avx2(query, codes) }
        } else {
            coded_loop(query, codes)
        }
    }
}

/// NEON belongs to every 64-bit ARM, and other processors take what the compiler makes of the loop.
#[cfg(not(target_arch = "x86_64"))]
mod dispatch {
    pub(super) use super::{coded_loop as coded, cosine_loop as cosine};

    pub fn prefetch(_start: *const i8, _length: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dim: usize, seed: u32) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let raw: Vec<f32> = (0..dim).map(|_| next()).collect();
        crate::graph::vectors::normalised(&raw).unwrap_or(raw)
    }

    #[test]
    fn every_processor_gives_the_same_bits() {
        for dim in [1, 7, 8, 9, 31, 64, 100, 384] {
            for seed in 0..50 {
                let (a, b) = (row(dim, seed), row(dim, seed + 1000));
                assert_eq!(dispatch::cosine(&a, &b).to_bits(), cosine_loop(&a, &b).to_bits());
            }
        }
    }

    #[test]
    fn the_bounds_hold_and_are_close() {
        for dim in [1, 3, 16, 17, 100, 384, 1536] {
            for seed in 0..100 {
                let (a, b) = (row(dim, seed), row(dim, seed + 500));
                let mut codes = Vec::new();
                let scale = encode(&b, &mut codes);
                let (exact, (low, high)) = (cosine(&a, &b), bounds(&a, &codes, scale));
                assert!(low <= exact && exact <= high, "{exact} outside {low} to {high}");
                assert!(high - low < 0.1, "{low} far from {high}");
            }
        }
    }
}
