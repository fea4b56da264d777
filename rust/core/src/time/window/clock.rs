//! Times of day.

use super::calendar::{HOUR, MINUTE, SECOND, Unit};
use super::lexicon::Cat;
use super::scan::Scan;
use super::token::Kind;

/// A time of day as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Hour, 0 to 24.
    pub hour: i64,
    /// Minute.
    pub minute: i64,
    /// Second.
    pub second: i64,
    /// Hour, minute or second: how finely it was said.
    pub grain: Unit,
    /// 0 unknown, 1 before noon, 2 after noon.
    pub half: i64,
    /// Only a number: it takes its surroundings to be a time.
    pub bare: bool,
}

impl Clock {
    fn new(hour: i64, minute: i64, grain: Unit) -> Self {
        Self { hour, minute, second: 0, grain, half: 0, bare: false }
    }

    /// Microseconds after midnight, as written.
    pub fn micros(&self) -> i64 {
        let hour = match (self.half, self.hour) {
            (1, 12) => 0,
            (2, hour) if hour < 12 => hour + 12,
            (_, hour) => hour,
        };
        hour * HOUR + self.minute * MINUTE + self.second * SECOND
    }

    /// Whether the hour could be meant on either side of noon.
    pub fn is_open(&self) -> bool {
        self.half == 0 && (1..=12).contains(&self.hour)
    }
}

impl Scan<'_> {
    /// a.m. or p.m.; a lone letter only when glued to the number.
    pub fn meridiem(&self, at: usize) -> Option<(i64, usize)> {
        let (sense, mut next) = self.sense(at, Cat::Meridiem)?;
        if sense.weak && !self.glued(at) {
            return None;
        }
        // "p.m." keeps its last dot.
        if self.sign(next, '.') && self.glued(next) && next > at + 2 {
            next += 1;
        }
        Some((sense.value, next))
    }

    /// A time of day. `lead`: a word such as "at" stands before, so that a bare number will do.
    pub fn clock(&self, at: usize, lead: bool) -> Option<(Clock, usize)> {
        if let Some(found) = self.relative_clock(at) {
            return Some(found);
        }
        if let Some((hour, next)) = self.value(at, Cat::Fixed) {
            let mut clock = Clock::new(if hour == 0 { 24 } else { hour }, 0, Unit::Hour);
            clock.half = if hour == 12 { 2 } else { 0 };
            return Some((clock, next));
        }
        let (clock, next) = self.plain_clock(at, lead)?;
        if clock.bare && !lead {
            return None;
        }
        Some((clock, next))
    }

    /// "half past seven", "quarter to noon", "20 minutes past eight".
    pub fn relative_clock(&self, at: usize) -> Option<(Clock, usize)> {
        if let Some((minutes, next)) = self.value(at, Cat::Halfpast) {
            let (mut clock, next) = self.base_clock(next)?;
            // halb acht is half before eight.
            let total = (clock.hour * 60 + clock.minute + minutes).rem_euclid(24 * 60);
            clock.hour = total / 60;
            clock.minute = total % 60;
            clock.grain = Unit::Minute;
            return Some((clock, next));
        }
        let (minutes, mut next) = self.value(at, Cat::Quarterhour).or_else(|| self.whole(at))?;
        let quarter = self.value(at, Cat::Quarterhour).is_some();
        if !(1..60).contains(&minutes) {
            return None;
        }
        let mut said = quarter;
        if let Some((Unit::Minute, after)) = self.unit(next) {
            next = after;
            said = true;
        }
        let sign = if let Some(after) = self.skip(next, Cat::Past) {
            next = after;
            1
        } else if (said || self.lexicon.has("minutesto"))
            && let Some(after) = self.skip(next, Cat::Tothe)
        {
            next = after;
            -1
        } else if said && let Some(after) = self.skip(next, Cat::From) {
            next = after;
            1
        } else {
            return None;
        };
        let (mut clock, next) = self.base_clock(next)?;
        if clock.minute != 0 || clock.second != 0 || (!said && minutes % 5 != 0) {
            return None;
        }
        let hour = clock.micros() / HOUR;
        let total = (hour * 60 + sign * minutes).rem_euclid(24 * 60);
        if clock.half != 0 {
            clock.half = if total < 12 * 60 { 1 } else { 2 };
        }
        clock.hour = total / 60;
        clock.minute = total % 60;
        clock.grain = Unit::Minute;
        clock.bare = false;
        Some((clock, next))
    }

    fn base_clock(&self, at: usize) -> Option<(Clock, usize)> {
        if let Some((hour, next)) = self.value(at, Cat::Fixed) {
            let mut clock = Clock::new(hour, 0, Unit::Hour);
            clock.half = if hour == 12 { 2 } else { 0 };
            return Some((clock, next));
        }
        let (mut clock, next) = self.plain_clock(at, true)?;
        clock.bare = false;
        Some((clock, next))
    }

    fn plain_clock(&self, at: usize, lead: bool) -> Option<(Clock, usize)> {
        let (mut clock, mut next) = self.written_clock(at, lead)?;
        if let Some(after) = self.skip(next, Cat::Oclock) {
            next = after;
            clock.bare = false;
        }
        if clock.grain == Unit::Hour
            && let Some((minutes, after)) = self.minutes_after(next)
        {
            let total = (clock.hour * 60 + minutes).rem_euclid(24 * 60);
            (clock.hour, clock.minute, clock.grain) = (total / 60, total % 60, Unit::Minute);
            next = after;
        }
        let gap = if self.sign(next, ',') { next + 1 } else { next };
        if let Some((half, after)) = self.meridiem(gap)
            && clock.hour <= 12
        {
            clock.half = half;
            clock.bare = false;
            next = after;
        }
        if clock.hour == 24 && (clock.minute != 0 || clock.second != 0) {
            return None;
        }
        Some((clock, next))
    }

    /// "siete y media", "otto e venti", "sept heures moins le quart": minutes said after the hour.
    fn minutes_after(&self, at: usize) -> Option<(i64, usize)> {
        if let Some((half, to)) = self.value(at, Cat::Halfpast)
            && self.lexicon.has("halfafter")
            && self.unit(to).is_none()
        {
            return Some((half, to));
        }
        let and = self.skip(at, Cat::Hourand);
        let (sign, inside) = and.map(|inside| (1, inside)).or_else(|| Some((-1, self.skip(at, Cat::Hourless)?)))?;
        if let Some((quarter, to)) = self.value(inside, Cat::Quarterhour) {
            return Some((sign * quarter, to));
        }
        let (minutes, to) = self.whole(inside).filter(|(minutes, _)| (1..60).contains(minutes))?;
        if let Some((Unit::Minute, after)) = self.unit(to) {
            return Some((sign * minutes, after));
        }
        let round = minutes >= 10 && minutes % 5 == 0 && self.unit(to).is_none() && !self.month_at(to);
        (round && self.meridiem(to).is_none()).then_some((sign * minutes, to))
    }

    /// "a las 9.30": a dot between hour and minutes after a word that only hours follow.
    fn after_at(&self, at: usize) -> bool {
        !self.lexicon.has("clauses")
            && (1..=2).any(|back| {
                at >= back
                    && self.senses(at - back).any(|(sense, next)| sense.cat == Cat::At && next == at && back == 2)
            })
    }

    fn written_clock(&self, at: usize, lead: bool) -> Option<(Clock, usize)> {
        let Some((value, digits)) = self.digits(at) else {
            return self.spelled_clock(at);
        };
        if digits > 4 {
            return None;
        }
        // 25時: the small hours of the next day.
        if digits == 2
            && (25..=30).contains(&value)
            && self.lexicon.has("marked")
            && let Some(mark) = self.skip(at + 1, Cat::Hourmark)
        {
            return Some(self.after_hour(value, mark));
        }
        if digits <= 2 && value <= 24 {
            // 15:30, 15h30, 15時30分, 8.30pm
            let colon = self.sign(at + 1, ':');
            if colon
                && let Some((minute, 2)) = self.digits(at + 2)
                && minute < 60
            {
                let mut clock = Clock::new(value, minute, Unit::Minute);
                // 03:30 is of a clock with 24 hours.
                clock.half = i64::from(digits == 2 && (1..10).contains(&value));
                let mut next = at + 3;
                if self.sign(next, ':')
                    && let Some((second, 2)) = self.digits(next + 1)
                    && second < 61
                {
                    clock.second = second.min(59);
                    clock.grain = Unit::Second;
                    next += 2;
                    if (self.sign(next, '.') || self.sign(next, ','))
                        && self.glued(next)
                        && self.glued(next + 1)
                        && self.token(next + 1).is_some_and(|token| token.kind == Kind::Number)
                    {
                        next += 2;
                    }
                }
                next = self.skip(next, Cat::Hourmark).unwrap_or(next);
                return Some((clock, next));
            }
            if let Some((sense, mark)) = self.sense(at + 1, Cat::Hourmark)
                && (!sense.weak || self.glued(at + 1) || !self.lexicon.has("clauses"))
            {
                return Some(self.after_hour(value, mark));
            }
            if self.sign(at + 1, '.')
                && self.glued(at + 1)
                && self.glued(at + 2)
                && let Some((minute, 2)) = self.digits(at + 2)
                && minute < 60
                && (self.after_at(at)
                    || self.meridiem(at + 3).is_some()
                    || self.skip(at + 3, Cat::Oclock).is_some()
                    || self.skip(at + 3, Cat::Hourmark).is_some()
                    || self.value(at + 3, Cat::Part).is_some())
            {
                return Some((Clock::new(value, minute, Unit::Minute), at + 3));
            }
            // "at 3 15"
            if lead
                && digits <= 2
                && value <= 12
                && let Some((minute, 2)) = self.digits(at + 1)
                && minute < 60
                && self.unit(at + 2).is_none()
                && !self.sign(at + 2, ':')
                && !self.glued(at + 1)
            {
                return Some((Clock::new(value, minute, Unit::Minute), at + 2));
            }
            // Part of a longer number: 10.0.3.15, 01/02.
            let chained = (self.sign(at + 1, '.') || self.sign(at + 1, ',') || self.sign(at + 1, '/'))
                && self.glued(at + 1)
                && self.token(at + 2).is_some_and(|token| token.kind == Kind::Number && token.glued);
            if chained {
                return None;
            }
            let mut clock = Clock::new(value, 0, Unit::Hour);
            clock.bare = true;
            return Some((clock, at + 1));
        }
        // 330 p.m., "at 1030"
        if digits >= 3 && value / 100 <= 24 && value % 100 < 60 {
            let mut clock = Clock::new(value / 100, value % 100, Unit::Minute);
            clock.bare = true;
            return Some((clock, at + 1));
        }
        None
    }

    fn after_hour(&self, hour: i64, next: usize) -> (Clock, usize) {
        let mut clock = Clock::new(hour, 0, if self.lexicon.has("hourgrain") { Unit::Hour } else { Unit::Minute });
        if let Some((half, after)) = self.value(next, Cat::Halfpast)
            && self.lexicon.has("halfafter")
        {
            clock.minute = half;
            clock.grain = Unit::Minute;
            return (clock, after);
        }
        if let Some((minute, after)) = self.whole(next)
            && minute < 60
            && self.glued(next)
        {
            clock.minute = minute;
            clock.grain = Unit::Minute;
            if let Some(after) = self.skip(after, Cat::Secondmark) {
                clock.second = minute;
                clock.minute = 0;
                clock.grain = Unit::Second;
                return (clock, after);
            }
            if let Some(after) = self.skip(after, Cat::Minutemark) {
                if let Some((second, last)) = self.whole(after)
                    && second < 60
                    && let Some(last) = self.skip(last, Cat::Secondmark)
                {
                    clock.second = second;
                    clock.grain = Unit::Second;
                    return (clock, last);
                }
                return (clock, after);
            }
            return (clock, after);
        }
        (clock, next)
    }

    /// "seven", "five-thirty", "six forty three".
    fn spelled_clock(&self, at: usize) -> Option<(Clock, usize)> {
        let (hour, next) = self.whole(at)?;
        if self.article(at) || !(0..=24).contains(&hour) {
            return None;
        }
        if let Some((sense, mark)) = self.sense(next, Cat::Hourmark)
            && !sense.weak
        {
            return Some(self.after_hour(hour, mark));
        }
        let mut clock = Clock::new(hour, 0, Unit::Hour);
        clock.bare = true;
        let after = if self.sign(next, '-') { next + 1 } else { next };
        if (1..=12).contains(&hour)
            && let Some((minute, mut end)) = self.whole(after)
            && self.digits(after).is_none()
            && (10..60).contains(&minute)
        {
            if let Some((Unit::Minute, last)) = self.unit(end) {
                end = last;
            }
            clock.minute = minute;
            clock.grain = Unit::Minute;
            return Some((clock, end));
        }
        Some((clock, next))
    }
}
