//! The fast kernel of ACT-R: powers of ages for a block of accesses, sums by row, logarithms for a block of rows.

use arrow_array::OffsetSizeTrait;

use super::exact::{self, MICROS};
use crate::decay::rows::{Real, age};
use crate::decay::simd::math::{Exponent, expm1, ln, ln_1p, max, pow, pow_of_parts, pow_parts, rsqrt};
use crate::decay::simd::{Kernel, prefetch};

/// Accesses worked on at a time: their powers stay in the first-level cache.
const ACCESSES: usize = 4096;
/// Rows worked on at a time.
const ROWS: usize = 512;
/// Accesses of one loop over powers.
const PIECE: usize = 256;
/// Accesses from a piece to the one whose memory is asked for. The processor itself does not look beyond a page.
const AHEAD: usize = 2 * PIECE;
/// A sum this near to 1 goes to the exact path: its logarithm would keep too few digits.
const NEAR_ONE: f64 = 1.0 / 64.0;

/// What is known of the accesses before the recent ones.
#[derive(Debug, Clone, Copy)]
pub struct History {
    /// All accesses, the recent ones included; NaN where unknown.
    pub count: f64,
    /// Recent accesses.
    pub recent: f64,
    /// Age of the memory in microseconds; NaN where unknown.
    pub lifetime: f64,
}

impl History {
    /// Accesses before the recent ones that can be placed in time; 0 where count or creation is unknown.
    #[inline(always)]
    pub fn older(self) -> f64 {
        // NaN, for unknown, fails both comparisons.
        let older = max(self.count - self.recent, 0.0);
        if self.lifetime >= 0.0 { older } else { 0.0 }
    }
}

/// The exponent d: one for all rows, or one for each.
#[derive(Clone, Copy)]
pub enum Decay<'a> {
    /// For all rows.
    One(f64),
    /// For each row.
    Each(&'a [f64]),
}

impl Decay<'_> {
    #[inline(always)]
    fn at(&self, row: usize) -> f64 {
        match self {
            Self::One(decay) => *decay,
            Self::Each(decays) => decays[row],
        }
    }
}

/// Counts and lifetimes of a part of the rows.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    /// Counts of all accesses; NaN where unknown.
    pub counts: &'a [f64],
    /// Creation times; meaningless where `created` says so.
    pub created: &'a [i64],
    /// 1.0 where the creation time is known, NaN elsewhere.
    pub known: &'a [f64],
}

/// A part of the rows; gives whether every row has an activation. Rows without one are NaN in `out`.
pub struct Rows<'a, O, T> {
    /// One more than rows.
    pub offsets: &'a [O],
    /// All times of the column.
    pub times: &'a [i64],
    /// The present.
    pub now: i64,
    /// Microseconds, at least 1.
    pub min_age: f64,
    /// The exponent.
    pub decay: Decay<'a>,
    /// What came before the recent accesses.
    pub past: Option<Past<'a>>,
    /// Results.
    pub out: &'a mut [T],
}

impl<O: OffsetSizeTrait, T: Real> Kernel for Rows<'_, O, T> {
    type Out = bool;

    #[inline(always)]
    fn run<const FMA: bool>(mut self) -> bool {
        let mut powers = [0.0; ACCESSES];
        let (mut sums, mut logs) = ([0.0; ROWS], [0.0; ROWS]);
        let (rows, mut start, mut complete) = (self.out.len(), 0, true);
        while start < rows {
            let end = self.block_end(start);
            let (sums, logs) = (&mut sums[..end - start], &mut logs[..end - start]);
            self.add_recent::<FMA>(start, &mut powers, sums);
            if let Some(past) = self.past {
                self.add_older::<FMA>(past, start, sums);
            }
            self.logarithms::<FMA>(start, sums, logs);
            complete &= self.store(start, sums, logs);
            start = end;
        }
        complete
    }
}

impl<O: OffsetSizeTrait, T: Real> Rows<'_, O, T> {
    /// As many rows as fit into a block, but at least one.
    #[inline(always)]
    fn block_end(&self, start: usize) -> usize {
        let (rows, first) = (self.out.len(), self.offsets[start].as_usize());
        let ends = &self.offsets[start + 1..=rows.min(start + ROWS)];
        start + ends.partition_point(|end| end.as_usize() - first <= ACCESSES).max(1)
    }

    #[inline(always)]
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row].as_usize()..self.offsets[row + 1].as_usize()
    }

    /// Σ t^(−d) over the recent accesses of each row, t in microseconds, added in the order of the list.
    #[inline(always)]
    fn add_recent<const FMA: bool>(&self, start: usize, powers: &mut [f64; ACCESSES], sums: &mut [f64]) {
        let first = self.offsets[start].as_usize();
        let last = self.offsets[start + sums.len()].as_usize();
        if last - first > ACCESSES {
            // One long row: in pieces, with the same order of additions.
            let mut lanes = [0.0; 4];
            for from in (first..last).step_by(ACCESSES) {
                let to = last.min(from + ACCESSES);
                self.powers::<FMA>(from, Decay::One(self.decay.at(start)), &mut powers[..to - from]);
                add_to(&mut lanes, &powers[..to - from]);
            }
            sums[0] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
            return;
        }
        let powers = &mut powers[..last - first];
        match self.decay {
            Decay::One(_) => self.powers::<FMA>(first, self.decay, powers),
            Decay::Each(decays) => {
                let mut by_access = [0.0; ACCESSES];
                for (row, decay) in decays[start..start + sums.len()].iter().enumerate() {
                    let range = self.range(start + row);
                    by_access[range.start - first..range.end - first].fill(*decay);
                }
                self.powers::<FMA>(first, Decay::Each(&by_access[..powers.len()]), powers);
            }
        }
        let offsets = &self.offsets[start..=start + sums.len()];
        let length = powers.len() / sums.len();
        let uniform =
            offsets.iter().enumerate().fold(true, |all, (row, at)| all & (at.as_usize() == first + row * length));
        match (uniform, length) {
            (true, 5) => add_uniform::<5>(powers, sums),
            (true, 10) => add_uniform::<10>(powers, sums),
            (true, 20) => add_uniform::<20>(powers, sums),
            _ => add_ragged(powers, offsets, sums),
        }
    }

    /// t^(−d) of the accesses from `first` on, with one decay or one for each access.
    #[inline(always)]
    fn powers<const FMA: bool>(&self, first: usize, decay: Decay<'_>, out: &mut [f64]) {
        let (now, min_age) = (self.now, self.min_age);
        let held = |time: i64| max(age(now, time), min_age);
        let mut parts = [0.0; PIECE];
        for (at, out) in out.chunks_mut(PIECE).enumerate() {
            let start = first + at * PIECE;
            prefetch(self.times, start + AHEAD, PIECE);
            let times = &self.times[start..start + out.len()];
            match decay {
                Decay::One(0.5) => {
                    for (out, time) in out.iter_mut().zip(times) {
                        *out = rsqrt::<FMA>(held(*time));
                    }
                }
                // An age has at most 63 bits of microseconds, so that no such power leaves the range.
                Decay::One(decay) if decay < 15.0 && min_age < 1e18 => {
                    let (parts, exponent) = (&mut parts[..out.len()], Exponent::new(-decay));
                    for ((out, part), time) in out.iter_mut().zip(parts.iter_mut()).zip(times) {
                        (*out, *part) = pow_parts::<FMA>(held(*time), exponent);
                    }
                    for (out, part) in out.iter_mut().zip(parts) {
                        *out = pow_of_parts::<FMA>(*out, *part);
                    }
                }
                Decay::One(decay) => {
                    for (out, time) in out.iter_mut().zip(times) {
                        *out = pow::<FMA>(held(*time), Exponent::new(-decay));
                    }
                }
                Decay::Each(decays) => {
                    let decays = &decays[at * PIECE..at * PIECE + out.len()];
                    for ((out, decay), time) in out.iter_mut().zip(decays).zip(times) {
                        *out = pow::<FMA>(held(*time), Exponent::new(-decay));
                    }
                }
            }
        }
    }

    /// Petrov's part for the accesses before the recent ones, spread evenly from creation to the oldest recent one:
    /// (n − k)·t_k^(−d) · mean of (1 + x)^(−d) over x from 0 to u = (t_n − t_k)/t_k.
    ///
    /// The textbook quotient (t_n^(1−d) − t_k^(1−d))/((1 − d)(t_n − t_k)) cancels at t_n = t_k and has no value at
    /// d = 1; through ln(1 + u) and e^x − 1 neither happens.
    #[inline(always)]
    fn add_older<const FMA: bool>(&self, past: Past<'_>, start: usize, sums: &mut [f64]) {
        let rows = sums.len();
        let (mut oldest, mut older) = ([0.0; ROWS], [0.0; ROWS]);
        let mut any = false;
        for row in 0..rows {
            let range = self.range(start + row);
            let recent = range.len();
            let earliest = self.times[range].iter().copied().min().unwrap_or(self.now);
            let history = past.of(start + row, recent, self.now);
            oldest[row] = max(age(self.now, earliest), self.min_age);
            // Without a recent access the exact path has a form of its own.
            older[row] = if recent == 0 { 0.0 } else { history.older() };
            any |= older[row] > 0.0;
        }
        if !any {
            return;
        }
        let created = &past.created[start..start + rows];
        for row in 0..rows {
            let decay = self.decay.at(start + row);
            let (oldest, older) = (oldest[row], older[row]);
            let excess = max(age(self.now, created[row]) - oldest, 0.0) / oldest;
            let log = ln_1p::<FMA>(excess);
            let power = max((1.0 - decay) * log, -700.0);
            let quotient = if power == 0.0 { 1.0 } else { expm1::<FMA>(power) / power };
            let slope = if excess == 0.0 { 1.0 } else { log / excess };
            let part = older * pow::<FMA>(oldest, Exponent::new(-decay)) * (quotient * slope);
            sums[row] += if older > 0.0 { part } else { 0.0 };
        }
    }

    /// Sums to seconds, and their logarithms.
    #[inline(always)]
    fn logarithms<const FMA: bool>(&self, start: usize, sums: &mut [f64], logs: &mut [f64]) {
        match self.decay {
            Decay::One(decay) => {
                let per_second = if decay == 0.5 { 1e3 } else { MICROS.powf(decay) };
                for (sum, log) in sums.iter_mut().zip(logs) {
                    *sum *= per_second;
                    *log = ln::<FMA>(*sum);
                }
            }
            Decay::Each(decays) => {
                let decays = &decays[start..start + sums.len()];
                for ((sum, log), decay) in sums.iter_mut().zip(logs).zip(decays) {
                    *sum *= pow::<FMA>(MICROS, Exponent::new(*decay));
                    *log = ln::<FMA>(*sum);
                }
            }
        }
    }

    /// Writes a block, the delicate rows by the exact path; false if a row has no activation.
    #[inline(always)]
    fn store(&mut self, start: usize, sums: &[f64], logs: &[f64]) -> bool {
        // Written so that NaN is delicate too; `&`, so that it is one comparison after another without a branch.
        let plain = |sum: f64| (sum > 1e-200) & (sum < 1e200) & ((sum - 1.0).abs() >= NEAR_ONE);
        let out = &mut self.out[start..start + sums.len()];
        for (out, log) in out.iter_mut().zip(logs) {
            *out = T::round(*log);
        }
        if sums.iter().fold(true, |all, sum| all & plain(*sum)) {
            return true;
        }
        let mut complete = true;
        for (row, sum) in sums.iter().enumerate() {
            if !plain(*sum) {
                let value = self.exact(start + row);
                complete &= value.is_some();
                self.out[start + row] = T::round(value.unwrap_or(f64::NAN));
            }
        }
        complete
    }

    #[cold]
    #[inline(never)]
    fn exact(&self, row: usize) -> Option<f64> {
        let range = self.range(row);
        let unknown = History { count: f64::NAN, recent: range.len() as f64, lifetime: f64::NAN };
        let mut history = self.past.map_or(unknown, |past| past.of(row, range.len(), self.now));
        history.lifetime = if history.lifetime >= 0.0 { max(history.lifetime, self.min_age) } else { f64::NAN };
        let ages = self.times[range].iter().map(|time| max(age(self.now, *time), self.min_age));
        exact::activation(ages, history, self.decay.at(row), self.min_age)
    }
}

/// Sums of rows of any length.
#[inline(always)]
fn add_ragged<O: OffsetSizeTrait>(powers: &[f64], offsets: &[O], sums: &mut [f64]) {
    let mut rest = powers;
    for (sum, ends) in sums.iter_mut().zip(offsets.windows(2)) {
        let (row, after) = rest.split_at((ends[1] - ends[0]).as_usize());
        rest = after;
        *sum = total(row);
    }
}

/// Sums of rows of one length, as histories that are cut to the last few often are: no loop within a row.
#[inline(always)]
fn add_uniform<const LENGTH: usize>(powers: &[f64], sums: &mut [f64]) {
    for (sum, row) in sums.iter_mut().zip(powers.as_chunks::<LENGTH>().0) {
        *sum = total(row);
    }
}

#[inline(always)]
fn total(row: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    add_to(&mut lanes, row);
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// Adds a row's powers in four lanes: the same order on every instruction set, and no long chain of additions.
#[inline(always)]
fn add_to(lanes: &mut [f64; 4], powers: &[f64]) {
    let (fours, rest) = powers.as_chunks::<4>();
    for four in fours {
        for (lane, power) in lanes.iter_mut().zip(four) {
            *lane += power;
        }
    }
    // Named one by one, so that the lanes stay in registers: a loop over them would go through memory.
    match *rest {
        [a] => lanes[0] += a,
        [a, b] => {
            lanes[0] += a;
            lanes[1] += b;
        }
        [a, b, c] => {
            lanes[0] += a;
            lanes[1] += b;
            lanes[2] += c;
        }
        _ => {}
    }
}

impl Past<'_> {
    #[inline(always)]
    fn of(&self, row: usize, recent: usize, now: i64) -> History {
        History {
            count: self.counts[row],
            recent: recent as f64,
            lifetime: age(now, self.created[row]) * self.known[row],
        }
    }
}
