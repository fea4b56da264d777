//! Slots that point or count: "last week", "the third Monday", "the end of".

use super::calendar::Unit;
use super::frame::{Counted, Frame};
use super::lexicon::Cat;
use super::phrase::{Lead, delta};
use super::scan::Scan;

impl Scan<'_> {
    /// A pointing word that follows what it points at, unless it points at the next word.
    pub(super) fn relpost(&self, at: usize) -> Option<(i64, usize)> {
        if !self.lexicon.has("postpointing") {
            return None;
        }
        self.value(at, Cat::Relpost).filter(|(_, next)| {
            let ahead = self.value(at, Cat::Rel).is_some();
            !(ahead && (self.unit(*next).is_some() || self.value(*next, Cat::Month).is_some()))
        })
    }

    /// "last week", "this March", "next Friday", "last night".
    pub(super) fn pointed(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if let Some((shift, next)) = self.value(at, Cat::Relyear)
            && frame.rel.is_none()
            && frame.year.is_none()
        {
            frame.rel = Some((Unit::Year, shift));
            return Some(next);
        }
        let (point, next) = self.value(at, Cat::Rel)?;
        // "pasado mañana" is a day.
        let day = self.value(next, Cat::Weekday).map_or(0, |(_, after)| after);
        if self.value(at, Cat::Relday).is_some_and(|(_, after)| after > next && after > day) {
            return None;
        }
        let next = self.skip(next, Cat::Nextto).unwrap_or(next);
        let named_day = self.value(next, Cat::Weekday).map_or(0, |(_, after)| after);
        if let Some((unit, after)) = self.unit(next)
            && after >= named_day
        {
            // A later unit, said with "of", makes the first one a position: the last week of last month.
            match frame.rel {
                None => {}
                Some((held, -1)) if held < unit && frame.nth.is_none() => {
                    frame.nth = Some((-1, Counted::Unit(held), 1));
                }
                _ => return None,
            }
            if frame.month.is_some() && unit < Unit::Month && point == -1 && frame.nth.is_none() && frame.day.is_none()
            {
                frame.nth = Some((-1, Counted::Unit(unit), 1));
                return Some(after);
            }
            if frame.relday.is_some() || (frame.month.is_some() && unit < Unit::Year) {
                return None;
            }
            frame.rel = Some((unit, delta(point)));
            return Some(after);
        }
        if let Some((part, after)) = self.value(next, Cat::Part)
            && part < 100
            && frame.part.is_none()
            && frame.relday.is_none()
        {
            frame.part = Some(part);
            if !frame.has_date() {
                frame.relday = Some(delta(point));
            }
            return Some(after);
        }
        if frame.point.is_some() || frame.weekday_point.is_some() {
            return None;
        }
        if let Some((weekday, after)) = self.value(next, Cat::Weekday)
            && frame.weekday.is_none()
        {
            frame.weekday = Some(weekday);
            frame.weekday_point = Some(point);
            return Some(after);
        }
        if frame.month.is_some() || frame.holiday.is_some() || frame.season.is_some() {
            return None;
        }
        let mut inner = frame.clone();
        let named = |after: usize| self.unknown_word(after) && self.tokens[after].capital;
        let after = if let Some((month, after)) = self.value(next, Cat::Month) {
            inner.month = Some(month);
            after
        } else if let Some((season, after)) = self.value(next, Cat::Season).filter(|(_, after)| !named(*after)) {
            inner.season = Some(season);
            after
        } else if let Some((holiday, after)) = self.value(next, Cat::Holiday) {
            inner.holiday = Some(holiday);
            after
        } else if self.digits(next).is_some() {
            let lead = Lead { prep: true, ..Lead::default() };
            self.numeric_date(next, &mut inner, lead).or_else(|| self.day_of_month(next, &mut inner, lead))?
        } else {
            return None;
        };
        inner.point = Some(point);
        *frame = inner;
        Some(after)
    }

    /// "first Monday", "third week", "21st century", "15th day", "first two weeks", "third last day".
    pub(super) fn counted(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if frame.nth.is_some() {
            return None;
        }
        // 15世紀, siglo XV
        if frame.century.is_none() {
            let before = self.whole(at).filter(|_| self.lexicon.has("marked")).or_else(|| self.value(at, Cat::Roman));
            if let Some((number, next)) = before
                && (1..=40).contains(&number)
                && let Some((Unit::Century, after)) = self.unit(next)
            {
                frame.century = Some((number - 1) * 100);
                return Some(after);
            }
            if let Some((Unit::Century, next)) = self.unit(at)
                && let Some((number, after)) = self.value(next, Cat::Roman)
            {
                frame.century = Some((number - 1) * 100);
                return Some(after);
            }
        }
        let (mut position, mut next) = match self.ordinal(at) {
            Some(found) => found,
            None => {
                // "the last four months of 2021", 2021年的前2周
                let (-1, next) = self.value(at, Cat::Rel)? else { return None };
                let (count, after) = self.whole(next)?;
                let (unit, after) = self.unit(after)?;
                if self.lexicon.has("marked") && (frame.year.is_some() || frame.month.is_some()) && !unit.is_clock() {
                    let first = self.skip(at, Cat::Ago) == Some(next);
                    frame.nth = Some((if first { 1 } else { -1 }, Counted::Unit(unit), count.clamp(1, 10_000)));
                    return Some(after);
                }
                let inside = self.skip(after, Cat::Of)?;
                let named = self.digits(inside).is_some_and(|(_, digits)| digits == 4)
                    || self.value(inside, Cat::Month).is_some()
                    || self.value(inside, Cat::Rel).is_some_and(|(_, next)| self.unit(next).is_some());
                if !named || unit.is_clock() {
                    return None;
                }
                frame.nth = Some((-1, Counted::Unit(unit), count.clamp(1, 10_000)));
                return Some(after);
            }
        };
        if !(1..=400).contains(&position) {
            return None;
        }
        if let Some((-1, after)) = self.value(next, Cat::Rel) {
            position = -position;
            next = after;
        }
        // "third-quarter profit"
        if self.sign(next, '-') && self.glued(next) && self.unit(next + 1).is_some() {
            next += 1;
        }
        let mut count = 1;
        if self.unit(next).is_none()
            && let Some((many, after)) = self.whole(next)
            && self.unit(after).is_some()
            && position > 0
        {
            count = many.clamp(1, 10_000);
            next = after;
        }
        if self.lexicon.has("marked") {
            next = self.skip(next, Cat::Of).unwrap_or(next);
        }
        if let Some((weekday, after)) = self.value(next, Cat::Weekday) {
            if frame.weekday.is_some() {
                return None;
            }
            frame.nth = Some((position, Counted::Weekday(weekday), 1));
            return Some(after);
        }
        let (unit, after) = self.unit(next)?;
        match unit {
            Unit::Second | Unit::Minute | Unit::Hour | Unit::Part => return None,
            // 90-е годы
            Unit::Year if position > 31 => return None,
            Unit::Quarter if (1..=4).contains(&position) && count == 1 => {
                if frame.quarter.is_some() {
                    return None;
                }
                frame.quarter = Some(position);
            }
            Unit::Half if (1..=2).contains(&position) && count == 1 => {
                if frame.half.is_some() {
                    return None;
                }
                frame.half = Some(position);
            }
            Unit::Century if position > 0 && count == 1 => {
                if frame.century.is_some() {
                    return None;
                }
                frame.century = Some((position - 1) * 100);
            }
            Unit::Day if (1..=31).contains(&position) && count == 1 && frame.day.is_none() => {
                // The 15th day of next month is a date; of anything else it is a position.
                let inside = self.skip_all(after, &[Cat::Of, Cat::The]);
                let of_month = self.value(inside, Cat::Month).is_some()
                    || matches!(self.unit(inside), Some((Unit::Month, _)))
                    || self
                        .value(inside, Cat::Rel)
                        .is_some_and(|(_, next)| matches!(self.unit(next), Some((Unit::Month, _))));
                if !of_month {
                    frame.nth = Some((position, Counted::Unit(unit), count));
                } else {
                    frame.day = Some(position);
                    if let Some((Unit::Month, end)) = self.unit(inside) {
                        frame.rel = Some((Unit::Month, 0));
                        return Some(end);
                    }
                }
            }
            _ => frame.nth = Some((position, Counted::Unit(unit), count)),
        }
        // "the first six months of the year": the unit that holds it is the current one.
        if frame.rel.is_none()
            && frame.year.is_none()
            && let Some(inside) = self.skip(after, Cat::Of)
            && let Some(inside) = self.skip(inside, Cat::The)
            && let Some((holder, end)) = self.unit(inside)
            && holder > unit
            && matches!(holder, Unit::Week | Unit::Month | Unit::Quarter | Unit::Year)
            && self.digits(end).is_none()
        {
            frame.rel = Some((holder, 0));
            return Some(end);
        }
        Some(after)
    }

    /// "early", "the end of"; the rest of a time; a time up to now.
    pub(super) fn edge(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if let Some((sense, next)) = self.sense(at, Cat::Edgeof)
            && (!sense.weak || self.tokens[at].upper)
            && let value = sense.value
            && frame.edge.is_none()
            && frame.rel.is_none()
        {
            frame.edge = Some(value / 100);
            frame.rel = Some((super::scan::unit_of(value % 100)?, 0));
            return Some(next);
        }
        if let Some(next) = self.skip(at, Cat::Rest)
            && !frame.rest
            && frame.slots() == 0
        {
            let inside = self.skip_all(next, &[Cat::The, Cat::Of]);
            let mut inner = Frame { rest: true, ..frame.clone() };
            if let Some((unit, after)) = self.unit(inside) {
                inner.rel = Some((unit, 0));
                *frame = inner;
                return Some(after);
            }
            let after = self.component(inside, &mut inner, Lead::default())?;
            *frame = inner;
            return Some(after);
        }
        // "so far this year"
        if let Some((2, next)) = self.value(at, Cat::Todate)
            && frame.slots() == 0
        {
            let mut inner = Frame { to_date: true, ..frame.clone() };
            let inside = self.skip_all(next, &[Cat::Prep, Cat::The]);
            let after = self.component(inside, &mut inner, Lead { prep: true, ..Lead::default() })?;
            *frame = inner;
            return frame.has_date().then_some(after);
        }
        // "il primo venerdì di luglio" counts.
        let counts = |at: usize| self.value(at, Cat::Weekday).is_some() || self.unit(at).is_some();
        if self.ordinal(at).is_some_and(|(_, next)| counts(next)) {
            return None;
        }
        let (edge, mut next) = self.value(at, Cat::Edge)?;
        // "fin de semana" is a unit.
        if (at..next).any(|at| self.unit(at).is_some_and(|(_, after)| after > next)) {
            return None;
        }
        if self.sign(next, '-') {
            next += 1;
        }
        let inside = self.skip_all(next, &[Cat::Of, Cat::The, Cat::Around, Cat::Prep]);
        if frame.part.is_none()
            && let Some((part, after)) = self.value(inside, Cat::Part)
        {
            frame.part = Some(part % 100);
            frame.part_edge = Some(edge);
            if part > 100 {
                frame.relday = Some(0);
            }
            return Some(after);
        }
        if frame.edge.is_some() || frame.has_date() {
            return None;
        }
        let mut inner = Frame { edge: Some(edge), ..frame.clone() };
        let of = inside > next || matches!(edge, 4..=6 | 8 | 9);
        if of
            && let Some((unit, after)) = self.unit(inside)
            && unit >= Unit::Day
            && self.skip(after, Cat::Of).is_none()
            && self.relpost(after).is_none()
        {
            inner.rel = Some((unit, 0));
            *frame = inner;
            return Some(after);
        }
        let lead = Lead { prep: true, the: inside > next, whole: lead.whole, ..Lead::default() };
        let after = self.component(inside, &mut inner, lead)?;
        if inner.part.is_some() && inner.relday.is_some() {
            // "late last night"
            inner.part_edge = inner.edge.take();
        } else if !inner.has_date() {
            return None;
        }
        inner.weak = false;
        *frame = inner;
        Some(after)
    }
}
