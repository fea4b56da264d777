//! Numbers, ordinals, years in words, and lengths of time.

use super::calendar::{Unit, shift};
use super::lexicon::Cat;
use super::scan::Scan;
use super::token::Kind;

/// A length of time in units, each in thousandths.
#[derive(Debug, Clone, PartialEq)]
pub struct Length {
    /// Units and their thousandths, as said.
    pub parts: Vec<(Unit, i64)>,
    /// A word such as "past" or "next" stood inside ("5 past minutes").
    pub rel: Option<i64>,
}

impl Length {
    /// Moves a civil time by this length, `sign` being 1 or -1.
    pub fn shift(&self, time: i64, sign: i64) -> i64 {
        self.parts.iter().fold(time, |time, (unit, count)| shift(time, *unit, count.saturating_mul(sign)))
    }

    /// The finest unit; a fraction of a unit is as fine as the next one.
    pub fn grain(&self) -> Unit {
        self.parts
            .iter()
            .map(|(unit, count)| match unit {
                Unit::Fortnight => Unit::Week,
                Unit::Year | Unit::Half if count % 1000 != 0 => Unit::Month,
                Unit::Decade if count % 1000 != 0 => Unit::Year,
                Unit::Week | Unit::Month | Unit::Quarter if count % 1000 != 0 => Unit::Day,
                Unit::Day if count % 1000 != 0 => Unit::Hour,
                Unit::Hour if count % 1000 != 0 => Unit::Minute,
                unit => *unit,
            })
            .min()
            .unwrap_or(Unit::Day)
    }
}

impl Scan<'_> {
    /// A whole number in words or digits.
    pub fn whole(&self, at: usize) -> Option<(i64, usize)> {
        if let Some((value, _)) = self.digits(at) {
            // 100,000: groups of three.
            let mut total = value;
            let mut next = at + 1;
            while total < 1_000_000_000_000
                && (self.sign(next, ',') || self.sign(next, '.'))
                && self.glued(next)
                && self.glued(next + 1)
                && let Some((group, 3)) = self.digits(next + 1)
            {
                total = total * 1000 + group;
                next += 2;
            }
            if let Some((scale, after)) = self.value(next, Cat::Mult) {
                return Some((total.saturating_mul(scale), after));
            }
            return Some((total, next));
        }
        self.spelled(at)
    }

    /// Whether a number word is the indefinite article.
    pub fn article(&self, at: usize) -> bool {
        self.sense(at, Cat::Num).is_some_and(|(sense, _)| sense.weak)
    }

    /// A number in words: "twenty one", "two thousand and eighteen", 二十一.
    pub fn spelled(&self, at: usize) -> Option<(i64, usize)> {
        // 一昨日 begins with no number.
        let longer = |cat: Cat| self.skip(at, cat).is_some_and(|to| Some(to) > self.skip(at, Cat::Num));
        if [Cat::Relday, Cat::Relyear, Cat::Part].into_iter().any(longer) {
            return None;
        }
        let (mut total, mut group, mut small) = (0_i64, 0_i64, 0_i64);
        let mut next = at;
        let mut seen = false;
        let mut fresh = true;
        for _ in 0..12 {
            if let Some((value, after)) = self.value(next, Cat::Num) {
                // "$9 million a year earlier": an article begins a number, it does not go on with one.
                if next > at && self.article(next) {
                    break;
                }
                let fits = fresh
                    || (small >= 20 && small % 10 == 0 && value < 10 && value > 0)
                    || (small >= 100 && small % 100 == 0 && value < 100);
                if !fits {
                    break;
                }
                small += value;
                next = after;
            } else if let Some((scale, after)) = self.value(next, Cat::Mult) {
                if scale >= 1000 {
                    total = total.saturating_add((group + small).max(i64::from(!seen)).saturating_mul(scale));
                    group = 0;
                } else {
                    group += if small == 0 { scale } else { small.saturating_mul(scale) };
                }
                small = 0;
                next = after;
                fresh = true;
                seen = true;
                // "two thousand and eighteen"
                if let Some(after) = self.skip(next, Cat::And)
                    && self.value(after, Cat::Num).is_some()
                    && !self.sign(next, '-')
                {
                    next = after;
                }
                continue;
            } else if small >= 20
                && small % 10 == 0
                && self.lexicon.has("andnumbers")
                && let Some(after) = self.skip(next, Cat::And)
                && !self.sign(next, '-')
                && self.value(after, Cat::Num).is_some_and(|(value, _)| value < small.min(100) && value > 0)
            {
                next = after;
                continue;
            } else if seen && self.sign(next, '-') && self.value(next + 1, Cat::Num).is_some_and(|(v, _)| v < 10) {
                if small < 20 || small % 10 != 0 {
                    break;
                }
                next += 1;
                continue;
            } else {
                break;
            }
            seen = true;
            fresh = false;
        }
        seen.then(|| (total.saturating_add(group + small), next))
    }

    /// A number in thousandths, with decimals and halves.
    pub fn thousandths(&self, at: usize) -> Option<(i64, usize)> {
        if let Some((value, 1 | 2)) = self.digits(at)
            && self.sign(at + 1, '/')
            && self.glued(at + 1)
            && let Some((below, 1)) = self.digits(at + 2)
            && below > 0
        {
            return Some((value * 1000 / below, at + 3));
        }
        if let Some((value, digits)) = self.digits(at)
            && digits <= 6
            && (self.sign(at + 1, '.') || self.sign(at + 1, ','))
            && self.glued(at + 1)
            && self.glued(at + 2)
            && let Some(token) = self.token(at + 2)
            && token.kind == Kind::Number
            && token.digits <= 2
        {
            let part = if token.digits == 1 { token.value * 100 } else { token.value * 10 };
            return Some((value * 1000 + part, at + 3));
        }
        if let Some((value, next)) = self.value(at, Cat::Halfof) {
            return Some((value, next));
        }
        let few = self.value(at, Cat::Few).map(|(value, next)| (value.saturating_mul(1000), next));
        let whole = self.whole(at).map(|(value, next)| (value.saturating_mul(1000), next));
        let (mut value, mut next) = match (few, whole) {
            (Some(few), Some(whole)) => {
                if few.1 >= whole.1 {
                    few
                } else {
                    whole
                }
            }
            (few, whole) => few.or(whole)?,
        };
        if let Some((half, after)) = self.value(next, Cat::Andhalf) {
            value = value.saturating_add(half);
            next = after;
        }
        Some((value, next))
    }

    /// "4th", "twenty second", "the first".
    pub fn ordinal(&self, at: usize) -> Option<(i64, usize)> {
        if let Some((value, digits)) = self.digits(at) {
            let next = self.skip(at + 1, Cat::Ordmark)?;
            return (digits <= 2 && self.glued(at + 1)).then_some((value, next));
        }
        if let Some((tens, next)) = self.value(at, Cat::Num)
            && tens >= 20
        {
            let next = if self.sign(next, '-') { next + 1 } else { next };
            if let Some((ones, after)) = self.value(next, Cat::Ord)
                && ones < 10
            {
                return Some((tens + ones, after));
            }
        }
        // 第三: the mark comes first.
        if let Some((0, next)) = self.value(at, Cat::Ordmark) {
            return self.whole(next);
        }
        if self.article(at) {
            return None;
        }
        self.value(at, Cat::Ord)
    }

    /// A year in words: "nineteen eighty six", "two thousand and eighteen", 二〇一六.
    pub fn spelled_year(&self, at: usize) -> Option<(i64, usize)> {
        if let Some((value, next)) = self.digit_words(at) {
            return Some((value, next));
        }
        if let Some((first, next)) = self.value(at, Cat::Num)
            && (13..=20).contains(&first)
            && let Some((second, after)) = self.spelled(next)
            && (10..100).contains(&second)
        {
            return Some((first * 100 + second, after));
        }
        let (value, after) = self.spelled(at)?;
        (1000..3000).contains(&value).then_some((value, after))
    }

    /// Four digits written as words, one after the other.
    fn digit_words(&self, at: usize) -> Option<(i64, usize)> {
        if !self.lexicon.has("digitwords") {
            return None;
        }
        let mut value = 0;
        let mut next = at;
        for _ in 0..4 {
            let (digit, after) = self.value(next, Cat::Num)?;
            if digit > 9 {
                return None;
            }
            value = value * 10 + digit;
            next = after;
        }
        Some((value, next))
    }

    /// A length of time: "two weeks", "1 month and 21 days", "half an hour".
    pub fn length(&self, at: usize) -> Option<(Length, usize)> {
        let mut parts: Vec<(Unit, i64)> = Vec::new();
        let mut rel = None;
        let mut next = at;
        for _ in 0..8 {
            let mut start = self.skip_all(next, &[Cat::More]);
            if !parts.is_empty() {
                start = if self.sign(next, ',') || self.sign(next, '、') { next + 1 } else { next };
                start = match self.skip(start, Cat::And) {
                    Some(after) if !self.sign(start, '-') => after,
                    _ => start,
                };
            }
            let few = || self.thousandths(next).filter(|_| parts.is_empty());
            let Some((mut count, mut after)) = self.thousandths(start).or_else(few) else { break };
            if self.sign(after, '-') && self.glued(after) {
                after += 1;
            }
            after = self.skip(after, Cat::More).unwrap_or(after);
            // A measure word between the number and the unit, as in 3个月.
            // "we hired 5 last year": what is pointed at in the singular is not what was counted.
            if parts.is_empty()
                && rel.is_none()
                && let Some((value, inside)) = self.value(after, Cat::Rel).or_else(|| self.value(after, Cat::Relpost))
                && let Some((_, end)) = self.unit(inside)
                && !(self.lexicon.has("clauses") && value != 2 && self.value(end - 1, Cat::Dayword).is_some())
            {
                rel = Some(value);
                after = inside;
            }
            let Some((unit, mut end)) = self.unit(after) else { break };
            // 2009年 and "2020 года" are years, not lengths; 五月之前 is before May, 五个月之前 five months ago.
            let year = self.value(after, Cat::Yearmark).is_some_and(|(mark, _)| mark == 2) && count < 3_000_000;
            let month = self.skip(after, Cat::Monthmark) == Some(end) && count <= 12_000;
            if unit == Unit::Year && count >= 1_000_000 && (year || self.lexicon.has("marked"))
                || month && parts.is_empty() && self.skip(end, Cat::Ago).is_some()
            {
                break;
            }
            if let Some((half, past)) = self.value(end, Cat::Andhalf) {
                count = count.saturating_add(half);
                end = past;
            }
            if parts.iter().any(|(known, _)| *known == unit) {
                break;
            }
            parts.push((unit, count));
            next = end;
        }
        (!parts.is_empty()).then_some((Length { parts, rel }, next))
    }
}
