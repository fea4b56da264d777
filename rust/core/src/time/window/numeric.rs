//! Dates in digits: ISO 8601, day or month first, years first or last.

use super::calendar::valid;
use super::frame::Frame;
use super::lexicon::{Cat, Order};
use super::phrase::{Lead, century};
use super::scan::Scan;
use super::token::Kind;

impl Scan<'_> {
    /// A date in digits, with a time after a "T".
    pub fn numeric_date(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.month.is_some() || frame.day.is_some() || frame.year.is_some() || frame.holiday.is_some() {
            return None;
        }
        let (first, digits) = self.digits(at)?;
        // Part of a longer number, such as a version's.
        if self.glued(at)
            && at > 1
            && self.sign(at - 1, '.')
            && self.glued(at - 1)
            && self.tokens[at - 2].kind == Kind::Number
        {
            return None;
        }
        if digits == 8 {
            let (year, month, day) = (first / 10_000, first / 100 % 100, first % 100);
            if (1800..2200).contains(&year) && valid(year, month, day).is_some() {
                set(frame, Some(year), month, Some(day));
                return Some(at + 1);
            }
            return None;
        }
        let (sign, second_at) = self.separator(at + 1)?;
        let (second, second_digits) = self.digits(second_at)?;
        if second_digits > 4 || digits > 4 {
            return None;
        }
        if let Some((third_sign, third_at)) = self.separator(second_at + 1)
            && (third_sign == sign || third_sign == ',')
            && let Some((third, third_digits)) = self.digits(third_at)
            && third_digits <= 4
            && let Some((year, month, day)) =
                self.three((first, digits), (second, second_digits), (third, third_digits))
            && (sign != ' ' || lead.whole)
            && (sign != '.' || third_digits > 2 || digits > 2 || self.dotted(at, digits + second_digits, frame, lead))
        {
            // 1.2.3.4 is no date.
            if self.sign(third_at + 1, sign)
                && self.glued(third_at + 1)
                && self.glued(third_at + 2)
                && sign == '.'
                && self.token(third_at + 2).is_some_and(|token| token.kind == Kind::Number)
                && !self.sign(third_at + 3, ':')
            {
                return None;
            }
            set(frame, Some(year), month, Some(day));
            let end = third_at + 1;
            return Some(self.time_after_t(end, frame).unwrap_or(end));
        }
        self.two((first, digits), (second, second_digits), sign, at, second_at, frame, lead)
    }

    /// Whether three short numbers with dots are a date and not a version.
    fn dotted(&self, at: usize, digits: usize, frame: &Frame, lead: Lead) -> bool {
        let on = at > 0 && self.senses(at - 1).any(|(sense, next)| sense.cat == Cat::Prep && next == at);
        let english = self.lexicon.has("clauses");
        frame.slots() > 0 || lead.whole || on || !english && (lead.prep || lead.range || digits == 4 || at == 0)
    }

    /// `sign` and where the number after it stands; spaces must be on both sides or on none, or before only.
    fn separator(&self, at: usize) -> Option<(char, usize)> {
        let token = self.token(at)?;
        match token.kind {
            Kind::Sign(sign @ ('/' | '-' | '.')) => {
                let after = self.glued(at + 1);
                if sign == '.' && !(token.glued && after) {
                    return None;
                }
                Some((sign, at + 1))
            }
            Kind::Sign(',') if token.glued => Some((',', at + 1)),
            Kind::Number if !token.glued => Some((' ', at)),
            _ => None,
        }
    }

    fn three(&self, a: (i64, usize), b: (i64, usize), c: (i64, usize)) -> Option<(i64, i64, i64)> {
        if a.1 == 4 {
            if b.1 > 2 || c.1 > 2 {
                return None;
            }
            return [(b.0, c.0), (c.0, b.0)]
                .into_iter()
                .find(|(month, day)| valid(a.0, *month, *day).is_some())
                .map(|(month, day)| (a.0, month, day));
        }
        if a.1 > 2 || b.1 > 2 || (c.1 != 4 && c.1 != 2) {
            return None;
        }
        // 24/12/31
        let year_first = self.lexicon.has("yearfirst") && a.1 == 2 && c.1 == 2;
        if year_first && valid(century(a.0), b.0, c.0).is_some() {
            return Some((century(a.0), b.0, c.0));
        }
        let year = if c.1 == 2 { century(c.0) } else { c.0 };
        let both = match self.order {
            Order::MonthFirst => [(a.0, b.0), (b.0, a.0)],
            Order::DayFirst => [(b.0, a.0), (a.0, b.0)],
        };
        both.into_iter().find(|(month, day)| valid(year, *month, *day).is_some()).map(|(month, day)| (year, month, day))
    }

    #[allow(clippy::too_many_arguments)]
    fn two(
        &self,
        a: (i64, usize),
        b: (i64, usize),
        sign: char,
        at: usize,
        second_at: usize,
        frame: &mut Frame,
        lead: Lead,
    ) -> Option<usize> {
        let next = second_at + 1;
        let supported = lead.prep || lead.whole || lead.range || frame.slots() > 0;
        // Year and month.
        if sign != ' ' && sign != ',' {
            let month = |(value, digits): (i64, usize)| digits <= 2 && (1..=12).contains(&value);
            let year = |(value, digits): (i64, usize)| digits == 4 && (1000..3000).contains(&value);
            let found = if year(a) && month(b) {
                Some((a.0, b.0))
            } else if month(a) && year(b) {
                Some((b.0, a.0))
            } else {
                None
            };
            if let Some((year, month)) = found {
                let tight = self.glued(at + 1) && self.glued(second_at);
                let iso = sign == '-' && tight && a.1 == 4 && b.1 == 2;
                if self.sign(next, ':')
                    || (!supported
                        && !(iso
                            || (sign == '/' && tight)
                            || (a.1 == 2 || b.1 == 2 || tight) && sign != '.' && recent(a.0.max(b.0))
                            || sign == '.' && a.1 == 2 && self.order == Order::DayFirst && recent(b.0)))
                {
                    return None;
                }
                set(frame, Some(year), month, None);
                frame.short_numeric = true;
                return Some(next);
            }
        }
        // Day and month.
        if a.1 > 2 || b.1 > 2 || sign == ' ' || sign == ',' {
            return None;
        }
        let tight = self.glued(at + 1) && self.glued(second_at);
        let clock = self.sign(next, ':')
            || self.meridiem(next).is_some()
            || self.unit(next).is_some()
            || self.skip(next, Cat::Oclock).is_some()
            || self.skip(next, Cat::Hourmark).is_some();
        // Where the year comes first, the month is before the day.
        let order = if self.lexicon.has("yearfirst") { Order::MonthFirst } else { self.order };
        let both = match order {
            Order::MonthFirst => [(a.0, b.0), (b.0, a.0)],
            Order::DayFirst => [(b.0, a.0), (a.0, b.0)],
        };
        let (month, day) = both.into_iter().find(|(month, day)| valid(2000, *month, *day).is_some())?;
        let dotted = self.lexicon.has("dotted");
        let fits = match sign {
            '/' => {
                let fraction = a.1 == 1 && b.1 == 1 && a.0 < b.0;
                let always = a == (24, 2) && b == (7, 1);
                (tight || supported) && !always && (supported || !fraction)
            }
            '-' => (lead.prep || lead.whole) && !lead.at && !self.month_at(next) && !self.rel_month_at(next),
            '.' => {
                let two = a.1 == 2 && b.1 == 2;
                (frame.weekday.is_some() || (dotted && (supported || two || self.sign(next, '.'))))
                    && !(self.sign(next, '.') && self.glued(next + 1) && self.digits(next + 1).is_some())
            }
            _ => false,
        };
        if !fits
            || clock
            || (self.sign(next, sign) && self.glued(next) && sign != '.' && self.digits(next + 1).is_none())
        {
            return None;
        }
        set(frame, None, month, Some(day));
        frame.short_numeric = true;
        let next = if sign == '.' && self.sign(next, '.') && self.glued(next) && dotted { next + 1 } else { next };
        Some(next)
    }

    /// The time of day of an ISO 8601 date-time.
    fn time_after_t(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        let token = self.token(at)?;
        if token.kind != Kind::Word || !token.glued || token.end - token.start != 1 || frame.clock.is_some() {
            return None;
        }
        let (clock, mut next) = self.clock(at + 1, true).filter(|(clock, _)| !clock.bare)?;
        frame.clock = Some(clock);
        if let Some((zone, after)) = self.zone(next)
            && self.glued(next)
        {
            frame.zone = Some(zone);
            next = after;
        }
        Some(next)
    }

    /// 2016年11月7日: numbers with their marks.
    pub fn marked_date(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if !self.lexicon.has("marked") {
            return None;
        }
        if frame.year.is_none()
            && frame.month.is_none()
            && frame.rel.is_none()
            && let Some((value, digits, next)) = self
                .digits(at)
                .map(|(value, digits)| (value, digits, at + 1))
                .or_else(|| self.spelled_year(at).map(|(value, next)| (value, 4, next)))
            && (digits == 4 || digits == 2 || digits == 3)
            && let Some((2, after)) = self.value(next, Cat::Yearmark)
        {
            frame.year = Some(if digits == 2 { century(value) } else { value });
            frame.marked_year = true;
            return Some(after);
        }
        // 平成30年, 昭和元年
        if frame.year.is_none()
            && let Some((base, next)) = self.value(at, Cat::Eraname)
        {
            let first = self.token(next).is_some_and(|_| self.value(next, Cat::Firstyear).is_some());
            let (count, after) =
                if first { (1, next + 1) } else { self.whole(next).filter(|(count, _)| *count < 100)? };
            let (2, after) = self.value(after, Cat::Yearmark)? else { return None };
            frame.year = Some(base + count);
            frame.marked_year = true;
            return Some(after);
        }
        let (value, next) = self.whole(at)?;
        if frame.month.is_none()
            && (1..=12).contains(&value)
            && let Some(after) = self.skip(next, Cat::Monthmark)
        {
            frame.month = Some(value);
            return Some(after);
        }
        if frame.day.is_none()
            && frame.relday.is_none()
            && (1..=31).contains(&value)
            && let Some(after) = self.skip(next, Cat::Daymark)
        {
            frame.day = Some(value);
            frame.the_day = true;
            return Some(after);
        }
        None
    }
}

fn set(frame: &mut Frame, year: Option<i64>, month: i64, day: Option<i64>) {
    frame.year = year;
    frame.month = Some(month);
    frame.day = day;
    frame.numeric = year.is_some() && day.is_some();
}

/// Years that a bare number is likely to mean.
fn recent(year: i64) -> bool {
    (1900..2100).contains(&year)
}
