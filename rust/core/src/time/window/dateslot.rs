//! The slots of day, year, week, quarter and decade.

use super::calendar::Unit;
use super::frame::Frame;
use super::lexicon::Cat;
use super::phrase::{Lead, century};
use super::scan::Scan;
use super::token::Kind;

impl Scan<'_> {
    /// "Q1", "1Q", "H2", "18q4".
    pub(super) fn quarter(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        let read = |at: usize| -> Option<(bool, i64, usize)> {
            for (cat, quarter, most) in [(Cat::Quartername, true, 4), (Cat::Halfname, false, 2)] {
                if let Some((0, next)) = self.value(at, cat)
                    && self.glued(next)
                    && let Some((number, 1)) = self.digits(next)
                    && (1..=most).contains(&number)
                {
                    return Some((quarter, number, next + 1));
                }
                if let Some((number, next)) = self.value(at, cat)
                    && number > 0
                {
                    return Some((quarter, number, next));
                }
            }
            None
        };
        if frame.quarter.is_some() || frame.half.is_some() {
            return None;
        }
        if let Some((year, 2 | 4)) = self.digits(at)
            && frame.year.is_none()
            && self.glued(at + 1)
            && let Some((is_quarter, number, next)) = read(at + 1)
            && next == at + 3
        {
            frame.year = Some(if year < 100 { 2000 + year } else { year });
            if is_quarter {
                frame.quarter = Some(number)
            } else {
                frame.half = Some(number)
            }
            return Some(next);
        }
        let (is_quarter, number, next) = read(at)?;
        if is_quarter {
            frame.quarter = Some(number)
        } else {
            frame.half = Some(number)
        }
        Some(next)
    }

    /// "1990s", "the 90s", "nineties".
    pub(super) fn decade(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.decade.is_some() || frame.year.is_some() || frame.month.is_some() {
            return None;
        }
        if let Some((value, next)) = self.value(at, Cat::Decadeword)
            && value > 2
        {
            frame.decade = Some(if value < 100 { (1900 + value, false) } else { (value, true) });
            return Some(next);
        }
        // les années 90
        let prefix = self.value(at, Cat::Decadeword).filter(|(value, _)| *value == 2);
        let start = prefix.map_or(at, |(_, next)| next);
        // the '80s
        let short = prefix.is_none() && self.sign(at, '\'') && self.glued(at + 1);
        let start = if short { start + 1 } else { start };
        // década dos mil diez, anni settanta
        if prefix.is_some()
            && let Some((value, next)) = self.spelled_year(start).or_else(|| self.spelled(start))
            && self.digits(start).is_none()
            && value % 10 == 0
            && ((20..100).contains(&value) || (1000..3000).contains(&value))
        {
            frame.decade = Some(if value < 100 { (1900 + value, false) } else { (value, true) });
            return Some(next);
        }
        let token = self.token(start)?;
        if token.kind != Kind::Number || token.value % 10 != 0 || !matches!(token.digits, 2 | 4) {
            return None;
        }
        let (value, digits) = (token.value, token.digits);
        let next = match prefix {
            Some(_) => start + 1,
            None => {
                let (mark, next) = self.value(start + 1, Cat::Decadeword)?;
                if mark != 1 || !(self.glued(start + 1) || digits == 4) {
                    return None;
                }
                next
            }
        };
        if digits == 2 {
            if !(lead.the || lead.prep || lead.whole || prefix.is_some() || frame.edge.is_some()) {
                return None;
            }
            frame.decade = Some((1900 + value, false));
        } else {
            frame.decade = Some((value, true));
        }
        Some(next)
    }

    /// 1970年代, 九十年代
    pub(super) fn decade_mark(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if !self.lexicon.has("marked") || frame.decade.is_some() || frame.year.is_some() || frame.month.is_some() {
            return None;
        }
        let (value, next) = self.whole(at)?;
        let (1, after) = self.value(next, Cat::Decadeword)? else { return None };
        if value % 10 != 0 || !(10..3000).contains(&value) {
            return None;
        }
        frame.decade = Some(if value < 100 { (1900 + value, false) } else { (value, true) });
        Some(after)
    }

    /// "week 31", "week of 6 October".
    pub(super) fn week(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if let Some((Unit::Week, next)) = self.unit(at)
            && frame.week.is_none()
            && frame.rel.is_none_or(|(unit, _)| unit == Unit::Year)
            && let Some((number, 1 | 2)) = self.digits(next)
            && (1..=53).contains(&number)
        {
            frame.week = Some(number);
            return Some(next + 1);
        }
        // W23 2025, 2025 W23
        if let Some((sense, next)) = self.sense(at, Cat::Unit)
            && sense.weak
            && sense.value == Unit::Week as i64
            && frame.week.is_none()
            && self.glued(next)
            && let Some((number, 1 | 2)) = self.digits(next)
            && (1..=53).contains(&number)
            && (frame.year.is_some()
                || self.digits(next + 1).is_some_and(|(year, digits)| digits == 4 && (1900..2200).contains(&year)))
        {
            frame.week = Some(number);
            return Some(next + 1);
        }
        if let Some(next) = self.skip(at, Cat::Weekof)
            && !frame.week_of
            && frame.slots() == 0
        {
            let mut inner = Frame { week_of: true, ..frame.clone() };
            let start = self.skip_all(next, &[Cat::The, Cat::Prep]);
            let lead = Lead { prep: true, the: true, ..Lead::default() };
            let after = self.component(start, &mut inner, lead)?;
            if !inner.has_date() {
                return None;
            }
            *frame = inner;
            return Some(after);
        }
        None
    }

    /// Day of a month, or several days of it.
    pub(super) fn day_of_month(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.day.is_some() || frame.relday.is_some() || frame.holiday.is_some() || frame.nth.is_some() {
            return None;
        }
        let at = if frame.month.is_some() {
            self.skip(at, Cat::Between).or_else(|| self.skip(at, Cat::From)).unwrap_or(at)
        } else {
            at
        };
        let (first, ordinal, mut next) = self.day_number(at)?;
        let mut last = None;
        let joint = self
            .skip(next, Cat::To)
            .or_else(|| self.skip(next, Cat::And).filter(|_| lead.range || frame.month.is_some() || ordinal));
        // "the 3rd and 4th of May" lie side by side.
        let beside = ordinal && !lead.range && frame.month.is_none() && self.skip(next, Cat::To).is_none();
        if let Some(joint) = joint {
            let start = self.skip_all(joint, &[Cat::The]);
            if let Some((to, _, after)) = self.day_number(start)
                && to > first
                && !(beside && to != first + 1)
                && !(frame.month.is_some() && self.month_at(after))
                && (frame.month.is_some() || self.month_at(after) || self.rel_month_at(after))
                // 2014-05-01-07 and the like are not ours to read.
                && !(self.sign(after, '/') && self.glued(after))
            {
                last = Some(to);
                next = after;
            }
        }
        let month_set = frame.month.is_some() || matches!(frame.rel, Some((Unit::Month, _)));
        let weekday = frame.weekday.is_some() && frame.month.is_none() && frame.rel.is_none();
        // "Apollo 13 in April": a bare number before "in" is a name's rather than a day's.
        let bare = !ordinal && !lead.prep && !lead.the && matches!(self.value(next, Cat::Of), Some((2, _)));
        // "May the two sides meet": a number in words after an article counts what comes next.
        let counts = lead.the && !ordinal && self.digits(at).is_none() && self.unknown_word(next);
        if counts && !self.month_at(next) {
            return None;
        }
        let accepted = month_set
            || self.month_at(next) && frame.month.is_none() && !bare
            || self.rel_month_at(next) && frame.rel.is_none()
            || (ordinal && (lead.the || weekday || lead.whole))
            || (weekday && self.digits(at).is_some() && !lead.at)
            || ((lead.prep || lead.whole) && self.digits(at).is_some() && self.clock_next(next))
            || (lead.the && (lead.prep || lead.at || weekday || lead.whole) && !self.unknown_word(next));
        if !accepted {
            return None;
        }
        frame.the_day = ordinal || lead.the;
        frame.day = Some(first);
        frame.day_to = last;
        Some(next)
    }

    /// A number that can be a day of the month: value, whether it is an ordinal, what follows.
    pub(super) fn day_number(&self, at: usize) -> Option<(i64, bool, usize)> {
        if let Some((value, next)) = self.ordinal(at) {
            return (1..=31).contains(&value).then_some((value, true, next));
        }
        let (value, next) = match self.digits(at) {
            Some((value, 1 | 2)) => (value, at + 1),
            Some(_) => return None,
            None if self.article(at) => return None,
            None => self.whole(at)?,
        };
        let clock = (self.sign(next, ':') && self.glued(next))
            || (self.meridiem(next).is_some() && self.glued(next))
            || self.skip(next, Cat::Oclock).is_some()
            || (self.skip(next, Cat::Hourmark).is_some() && self.glued(next))
            || self.unit(next).is_some() && !self.rel_month_at(next)
            || self.skip(next, Cat::Mult).is_some();
        // Dots of day numbers, as in "3. Mai".
        let next = if self.lexicon.has("dotted") && self.sign(next, '.') && self.glued(next) { next + 1 } else { next };
        ((1..=31).contains(&value) && !clock).then_some((value, false, next))
    }

    /// "at 8:00", ", 8pm"
    pub(super) fn clock_next(&self, at: usize) -> bool {
        let inside = if self.sign(at, ',') { at + 1 } else { self.skip_all(at, &[Cat::At]) };
        inside > at && self.clock(inside, true).is_some_and(|(clock, _)| !clock.bare)
    }

    pub(super) fn month_at(&self, at: usize) -> bool {
        let next = if ((self.sign(at, '-') || self.sign(at, '/')) && self.glued(at + 1)) || self.sign(at, '.') {
            at + 1
        } else {
            self.skip_all(at, &[Cat::Of, Cat::The])
        };
        self.value(next, Cat::Month).is_some()
    }

    pub(super) fn rel_month_at(&self, at: usize) -> bool {
        let inside = self.skip_all(at, &[Cat::Of]);
        self.value(inside, Cat::Rel).is_some_and(|(_, next)| matches!(self.unit(next), Some((Unit::Month, _))))
            || matches!(self.unit(inside), Some((Unit::Month, next)) if self.skip(next, Cat::Relpost).is_some())
    }

    /// A year, with its era.
    pub(super) fn year(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.year.is_some()
            || frame.decade.is_some()
            || matches!(frame.rel, Some((Unit::Year, _)))
            || frame.relday.is_some()
        {
            return None;
        }
        let (mut year, mut next, marked) = self.year_number(at, frame, lead)?;
        if let Some((era, after)) = self.value(next, Cat::Era) {
            year = match era {
                -1 => 1 - year,
                1 => year,
                lag => year - lag,
            };
            next = after;
        }
        frame.year = Some(year);
        frame.marked_year |= marked || year <= 0;
        Some(next)
    }

    pub(super) fn year_number(&self, at: usize, frame: &Frame, lead: Lead) -> Option<(i64, usize, bool)> {
        if let Some((1, next)) = self.value(at, Cat::Yearmark) {
            let (year, digits, next) = match self.digits(next) {
                Some((value, digits)) => (value, digits, next + 1),
                None => self.spelled(next).map(|(value, next)| (value, 4, next))?,
            };
            let era = self.value(next, Cat::Era).is_some();
            if digits == 2 && !self.glued(next - 1) && !era {
                return None;
            }
            if era {
                return (year > 0).then_some((year, next, true));
            }
            return (year > 0).then_some((if digits == 2 { 2000 + year } else { year }, next, true));
        }
        let era = |next: usize| self.value(next, Cat::Era).is_some();
        if let Some((value, 4)) = self.digits(at)
            && let Some((2, next)) = self.value(at + 1, Cat::Yearmark)
        {
            return Some((value, next, true));
        }
        // A.D. 79
        if let Some((before @ (1 | -1), next)) = self.value(at, Cat::Era)
            && self.tokens[at].upper | self.sign(at + 1, '.')
            && let Some((value, digits)) = self.digits(next)
            && digits <= 4
            && value > 0
            && !era(next + 1)
        {
            return Some((if before < 0 { 1 - value } else { value }, next + 1, true));
        }
        if let Some((value, digits)) = self.digits(at) {
            let clock = self.sign(at + 1, ':') || self.meridiem(at + 1).is_some();
            let unit = self.unit(at + 1).is_some_and(|(unit, _)| unit != Unit::Quarter)
                || self.skip(at + 1, Cat::Mult).is_some();
            let group = (self.sign(at + 1, ',') || self.sign(at + 1, '.'))
                && self.glued(at + 1)
                && self.glued(at + 2)
                && self.digits(at + 2).is_some_and(|(_, digits)| digits == 3);
            if clock || unit || group {
                return None;
            }
            if digits == 4 && ((1000..3100).contains(&value) || era(at + 1)) {
                return Some((value, at + 1, false));
            }
            let named = self.token(at + 1).is_some_and(|word| word.upper || word.capital && self.sign(at + 2, '.'));
            if era(at + 1) && value > 0 && digits <= 5 && (frame.month.is_some() || lead.prep || named) {
                return Some((value, at + 1, false));
            }
            if digits == 2
                && frame.month.is_some()
                && (lead.of
                    || (frame.day.is_some() && !lead.at && !lead.the)
                    // "July 98": no day has such a number, and it counts nothing.
                    || (value > 31
                        && !lead.at
                        && !lead.the
                        && self.token(at + 1).is_none_or(|token| matches!(token.kind, Kind::Sign(_)) && !token.glued)))
                && self.skip(at + 1, Cat::Oclock).is_none()
                && self.skip(at + 1, Cat::Hourmark).is_none()
                && self.ordinal(at).is_none()
                && !((self.sign(at + 1, '/') || self.sign(at + 1, '-')) && self.glued(at + 1) && self.glued(at + 2))
            {
                return Some((century(value), at + 1, false));
            }
            return None;
        }
        if self.sign(at, '\'')
            && self.glued(at + 1)
            && let Some((value, 2)) = self.digits(at + 1)
            && (frame.month.is_some() || frame.season.is_some() || lead.prep || lead.the)
        {
            return Some((century(value), at + 2, false));
        }
        if frame.month.is_some() || frame.nth.is_some() || frame.holiday.is_some() || lead.prep || lead.whole {
            let (year, next) = self.spelled_year(at)?;
            return Some((year, next, false));
        }
        None
    }
}
