//! How near an event lies to a window, by the default rule and by the published one.

/// A window as the kernels use it: half-open [start, end) in microseconds, or an instant if both are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First microsecond.
    pub start: i64,
    /// First microsecond after it.
    pub end: i64,
}

/// Half the least width of a window for the default rule: 12 hours.
const LEAST_HALF: i128 = 43_200_000_000;

/// The window's middle and half its width (at least 12 hours), both doubled so that they stay whole numbers.
fn doubled(window: Span) -> (i128, i128) {
    let (start, end) = (i128::from(window.start), i128::from(window.end));
    (start + end, (end - start).max(2 * LEAST_HALF))
}

/// Proximity of a closed interval to a window, in [0, 1].
///
/// With m the middle and h half the width, at least 12 hours: the part O of the interval inside [m − h, m + h] gives
/// 1 − 0.5·|middle(O) − m|/h, so 1 at the middle and 0.5 at the edge; without one it is 0.5·2^(−gap/h). Times are
/// subtracted as integers.
pub fn proximity(event: (i64, i64), window: Span) -> f64 {
    let (middle, half) = doubled(window); // 2m, 2h
    let (from, to) = (2 * i128::from(event.0), 2 * i128::from(event.1));
    let (low, high) = (middle - half, middle + half);
    let gap = (low - to).max(from - high);
    if gap > 0 {
        return 0.5 * (-(gap as f64) / half as f64).exp2();
    }
    let twice_middle = from.max(low) + to.min(high); // 4·middle(O)
    let distance = (twice_middle - 2 * middle).abs();
    (1.0 - 0.5 * (distance as f64 / (2 * half) as f64)).clamp(0.5, 1.0)
}

/// Where in the window a closed interval lies, from 0 to 1: the middle of its part inside.
pub fn place(event: (i64, i64), window: Span) -> f64 {
    let (middle, half) = doubled(window);
    let (low, high) = (middle - half, middle + half);
    let inside = |time: i64| (2 * i128::from(time)).clamp(low, high);
    let twice_middle = inside(event.0) + inside(event.1);
    ((twice_middle - 2 * low) as f64 / (4 * half) as f64).clamp(0.0, 1.0)
}

/// Proximity by the published rule: 1 − |d − m| / half the width, at least 0, for the middle d of the interval.
///
/// The rule divides by zero for an instant; here an instant gives 1 to events at it and 0 to all others.
pub fn linear(event: (i64, i64), window: Span) -> f64 {
    let (start, end) = (i128::from(window.start), i128::from(window.end));
    let distance = (i128::from(event.0) + i128::from(event.1) - (start + end)).abs(); // doubled
    let width = end - start; // half the width, doubled
    if width == 0 {
        return if distance == 0 { 1.0 } else { 0.0 };
    }
    1.0 - (distance as f64 / width as f64).min(1.0)
}
