//! Phrases to times on the wall clock of the caller's zone.

use jiff::tz::TimeZone;

use super::calendar::{
    DAY, HOUR, MINUTE, SECOND, Unit, add_months, date, days, first_week, hold, monday, month_length, month_start,
    shift, unit_around, valid, weekday,
};
use super::clock::Clock;
use super::frame::{Counted, Frame};
use super::holiday;

/// Which reading to prefer where the text allows several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefer {
    /// The latest that has begun.
    Past,
    /// The next to come.
    Future,
    /// The one closest to now.
    Nearest,
}

/// What a reading hangs on: now, the zone, the preference.
#[derive(Debug, Clone)]
pub struct Context {
    /// Now on the wall clock of the zone, in microseconds.
    pub now: i64,
    /// Day number that ambiguous dates are read around; today, but for the end of a range.
    pub near: i64,
    /// The zone.
    pub zone: TimeZone,
    /// Which reading to prefer.
    pub prefer: Prefer,
}

/// A stretch of wall-clock time; an open end is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First microsecond.
    pub start: Option<i64>,
    /// The microsecond after the last.
    pub end: Option<i64>,
    /// How finely it was said.
    pub grain: Unit,
}

impl Span {
    /// A stretch of whole days.
    pub fn days(first: i64, after: i64, grain: Unit) -> Self {
        Self { start: Some(hold(first.saturating_mul(DAY))), end: Some(hold(after.saturating_mul(DAY))), grain }
    }

    /// An instant, held for one second.
    pub fn instant(at: i64) -> Self {
        Self { start: Some(hold(at)), end: Some(hold(at.saturating_add(SECOND))), grain: Unit::Second }
    }
}

/// Start and end hour of the parts of a day.
pub fn part_hours(part: i64) -> (i64, i64) {
    match part {
        1 => (8, 12),
        2 => (12, 16),
        3 => (16, 20),
        4 => (20, 24),
        5 => (12, 14),
        6 => (0, 6),
        7 => (8, 18),
        8 => (15, 21),
        11 | 15 => (8, 10),
        12 => (12, 20),
        13 => (11, 13),
        14 => (12, 14),
        9 => (5, 7),
        10 => (18, 20),
        _ => (0, 24),
    }
}

impl Context {
    /// Day number of now.
    pub fn today(&self) -> i64 {
        self.now.div_euclid(DAY)
    }

    /// The same, but for ambiguous dates read forward from another day.
    pub fn from_day(&self, near: i64) -> Self {
        Self { near, prefer: Prefer::Future, ..self.clone() }
    }

    /// The better of readings that lie side by side in time, `None` being no reading.
    fn choose(&self, spans: impl Iterator<Item = Option<(i64, i64)>>) -> Option<(i64, i64)> {
        let mut best: Option<(i64, i64)> = None;
        for (start, end) in spans.flatten() {
            let better = match (self.prefer, best) {
                (Prefer::Past, None) => start <= self.near,
                (Prefer::Past, Some((held, _))) => start <= self.near && start > held,
                (Prefer::Future, None) => end > self.near,
                (Prefer::Future, Some((held, _))) => end > self.near && start < held,
                (Prefer::Nearest, None) => true,
                (Prefer::Nearest, Some(held)) => self.distance((start, end)) < self.distance(held),
            };
            if better {
                best = Some((start, end));
            }
        }
        best
    }

    fn distance(&self, (start, end): (i64, i64)) -> i64 {
        if end <= self.near {
            self.near - end + 1
        } else if start > self.near {
            start - self.near
        } else {
            0
        }
    }

    /// Reads what recurs every year: pointed at ("last", "next"), or by preference.
    fn yearly(&self, point: Option<i64>, span: impl Fn(i64) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
        let today = self.today();
        let (year, _, _) = date(if point.is_some() { today } else { self.near });
        let years = year - 9..=year + 9;
        match point {
            Some(0) => span(year).or_else(|| self.choose(years.map(&span))),
            Some(point) if point < 0 => years.rev().filter_map(&span).find(|(_, end)| *end <= today),
            Some(_) => years.into_iter().filter_map(&span).find(|(start, _)| *start > today),
            // The first that fits, from the near side on, since some holidays are costly to compute.
            None => match self.prefer {
                Prefer::Past => years
                    .clone()
                    .rev()
                    .skip(8)
                    .filter_map(&span)
                    .find(|(start, _)| *start <= self.near)
                    .or_else(|| years.filter_map(&span).next()),
                Prefer::Future => years
                    .clone()
                    .skip(8)
                    .filter_map(&span)
                    .find(|(_, end)| *end > self.near)
                    .or_else(|| years.rev().filter_map(&span).next()),
                Prefer::Nearest => self.choose((year - 5..=year + 5).map(&span)),
            },
        }
    }

    /// Resolves a phrase.
    pub fn resolve(&self, frame: &Frame) -> Option<Span> {
        let mut context = self.clone();
        let mut frame = frame.clone();
        if let Some((length, sign)) = frame.offset.take() {
            return self.offset(&frame, &length, sign);
        }
        if frame.now {
            return Some(Span::instant(self.now));
        }
        if let Some((unit, delta)) = frame.rel
            && unit.is_clock()
            && frame.month.is_none()
        {
            let end = shift(self.now, unit, 1000 * delta.max(0));
            let start = shift(end, unit, -1000);
            return Some(match delta {
                0 => self.clock_unit(unit),
                _ => Span { start: Some(start), end: Some(end), grain: unit },
            });
        }
        let timed = frame.clock.is_some() || frame.part.is_some();
        if timed && !frame.has_date() {
            return self.time_alone(&frame);
        }
        if timed && context.prefer == Prefer::Past {
            context.near = self.near;
        }
        let (first, after, grain) = context.dates(&frame)?;
        let mut span = Span::days(first, after, grain);
        if timed {
            span = self.within_day(&frame, first)?;
        } else if let Some(edge) = frame.edge {
            span = self.at_edge(first, after, grain, edge);
        }
        if frame.rest {
            span.start = span.start.map(|start| start.max(self.now));
        }
        if frame.to_date {
            span.end = Some(self.now);
        }
        self.lasting(&frame, span)
    }

    fn lasting(&self, frame: &Frame, mut span: Span) -> Option<Span> {
        if let Some(length) = &frame.lasting {
            let start = span.start?;
            span.end = Some(length.shift(start, 1));
            span.grain = span.grain.min(length.grain());
        }
        Some(span)
    }

    fn clock_unit(&self, unit: Unit) -> Span {
        let size = match unit {
            Unit::Second => SECOND,
            Unit::Minute => MINUTE,
            _ => HOUR,
        };
        let start = self.now.div_euclid(size) * size;
        Span { start: Some(start), end: Some(start + size), grain: unit }
    }

    /// "Monday two weeks from now", "Easter in three years".
    fn offset(&self, frame: &Frame, length: &super::number::Length, sign: i64) -> Option<Span> {
        let moved = length.shift(self.now, sign);
        let day = moved.div_euclid(DAY);
        let mut frame = frame.clone();
        let mut context = self.clone();
        context.near = day;
        context.prefer = Prefer::Nearest;
        if frame.weekday.is_some() && frame.month.is_none() && frame.day.is_none() {
            let weekday = frame.weekday.take()?;
            let day = monday(day) + weekday - 1;
            return if frame.clock.is_some() || frame.part.is_some() {
                self.within_day(&frame, day)
            } else {
                Some(Span::days(day, day + 1, Unit::Day))
            };
        }
        if length.grain() >= Unit::Year {
            frame.year = Some(date(day).0);
        }
        context.resolve(&frame)
    }

    /// First day, the day after the last, and the grain of a phrase with a date.
    fn dates(&self, frame: &Frame) -> Option<(i64, i64, Unit)> {
        let today = self.today();
        let year = frame.year.or(match frame.rel {
            Some((Unit::Year, delta)) => Some(date(today).0 + delta),
            _ => None,
        });
        let (first, after, grain) = self.dates_inner(frame, year)?;
        if frame.week_of {
            return Some((monday(first), monday(first) + 7, Unit::Week));
        }
        Some((first, after, grain))
    }

    fn dates_inner(&self, frame: &Frame, year: Option<i64>) -> Option<(i64, i64, Unit)> {
        let today = self.today();
        if let Some((position, counted, count)) = frame.nth {
            return self.counted(frame, year, position, counted, count);
        }
        if let Some(id) = frame.holiday {
            let (first, after) = match year {
                Some(year) => holiday::span(id, year)?,
                None => self.yearly(frame.point, |year| holiday::span(id, year))?,
            };
            if matches!(frame.rel, Some((Unit::Weekend, _))) {
                let (start, end) = weekend_of(first);
                return Some((start, end, Unit::Day));
            }
            return Some((first, after, Unit::Day));
        }
        if let Some((first, sure)) = frame.decade {
            let mut first = first;
            // 20世纪80年代
            let of_century = frame.century.or(match frame.rel {
                Some((Unit::Century, delta)) => Some(date(unit_around(today, Unit::Century, delta).0).0),
                _ => None,
            });
            if let Some(century) = of_century {
                first = century + first.rem_euclid(100);
                return Some((days(first, 1, 1), days(first + 10, 1, 1), Unit::Decade));
            }
            if !sure {
                let (now, _, _) = date(self.near);
                while self.prefer != Prefer::Future && first > now {
                    first -= 100;
                }
                while first + 100 <= now || (self.prefer == Prefer::Future && first + 10 <= now) {
                    first += 100;
                }
            }
            return Some((days(first, 1, 1), days(first + 10, 1, 1), Unit::Decade));
        }
        if let Some(first) = frame.century {
            return Some((days(first, 1, 1), days(first + 100, 1, 1), Unit::Century));
        }
        if let Some(week) = frame.week {
            let year = year.unwrap_or(date(self.near).0);
            let start = first_week(year) + 7 * (week - 1);
            return Some(match frame.weekday {
                Some(weekday) => (start + weekday - 1, start + weekday, Unit::Day),
                None => (start, start + 7, Unit::Week),
            });
        }
        let months = |first: i64, count: i64| {
            move |year: i64| {
                let start = month_start(year, first, 0);
                Some((start, month_start(year, first, count)))
            }
        };
        let fixed = |year: Option<i64>, first: i64, count: i64| match year {
            Some(year) => months(first, count)(year),
            None => self.yearly(frame.point, months(first, count)),
        };
        if let Some(quarter) = frame.quarter {
            let (start, end) = fixed(year, 3 * quarter - 2, 3)?;
            return Some((start, end, Unit::Quarter));
        }
        if let Some(half) = frame.half {
            let (start, end) = fixed(year, 6 * half - 5, 6)?;
            return Some((start, end, Unit::Half));
        }
        if let Some(season) = frame.season {
            let (start, end) = fixed(year, 3 * season, 3)?;
            return Some((start, end, Unit::Season));
        }
        if let Some(month) = frame.month {
            return self.month(frame, year, month);
        }
        if let Some((unit, delta)) = frame.rel
            && unit != Unit::Year
        {
            let (first, after) = unit_around(today, unit, delta);
            if let (Some(day), true) = (frame.day, unit >= Unit::Month) {
                let (year, month, _) = date(first);
                let first = valid(year, month, day)?;
                let last = match frame.day_to {
                    Some(day) => valid(year, month, day)?,
                    None => first,
                };
                return Some((first, last + 1, Unit::Day));
            }
            if let (Some(weekday), true) = (frame.weekday, matches!(unit, Unit::Week | Unit::Fortnight | Unit::Weekend))
            {
                let day = monday(first) + weekday - 1;
                return Some((day, day + 1, Unit::Day));
            }
            if unit == Unit::Workday && delta == 0 {
                return Some((today, today + 1, Unit::Day));
            }
            return Some((first, after, unit));
        }
        if let Some(shift) = frame.relday {
            return Some((today + shift, today + shift + 1, Unit::Day));
        }
        if let Some(weekday) = frame.weekday {
            let day = match frame.day {
                Some(day) => self.weekday_and_day(weekday, day)?,
                None => self.weekday(weekday, frame.weekday_point),
            };
            return Some((day, day + 1, Unit::Day));
        }
        if let Some(day) = frame.day {
            let (year, month, _) = date(self.near);
            let span = |shift: i64| {
                let (year, month, _) = date(month_start(year, month, shift));
                let first = valid(year, month, day)?;
                let last = frame.day_to.map_or(Some(first), |day| valid(year, month, day))?;
                Some((first, last + 1))
            };
            let (first, after) = self.choose((-4..=4).map(span))?;
            return Some((first, after, Unit::Day));
        }
        let year = year?;
        Some((days(year, 1, 1), days(year + 1, 1, 1), Unit::Year))
    }

    fn month(&self, frame: &Frame, year: Option<i64>, month: i64) -> Option<(i64, i64, Unit)> {
        let Some(day) = frame.day else {
            let span = |year: i64| Some((month_start(year, month, 0), month_start(year, month, 1)));
            let (first, after) = match year {
                Some(year) => span(year)?,
                None => self.yearly(frame.point, span)?,
            };
            return Some((first, after, Unit::Month));
        };
        let span = |year: i64| {
            let first = valid(year, month, day)?;
            let last = frame.day_to.map_or(Some(first), |day| valid(year, month, day))?;
            Some((first, last + 1))
        };
        let point = frame.point.or(frame.weekday_point.filter(|point| *point == 0));
        let (mut first, mut after) = match year {
            Some(year) => span(year)?,
            None => self.yearly(point, span)?,
        };
        // Where the weekday fits another near year only, that year is meant.
        if let (Some(of_week), None) = (frame.weekday, year)
            && point.is_none()
            && weekday(first) != of_week
        {
            let (held, _, _) = date(first);
            for year in [held - 1, held + 1] {
                if let Some((other, end)) = span(year)
                    && weekday(other) == of_week
                {
                    (first, after) = (other, end);
                    break;
                }
            }
        }
        Some((first, after, Unit::Day))
    }

    fn weekday(&self, of_week: i64, point: Option<i64>) -> i64 {
        let today = self.today();
        let last = today - 1 - (weekday(today - 1) - of_week).rem_euclid(7);
        let next = today + 1 + (of_week - weekday(today + 1)).rem_euclid(7);
        match point {
            Some(0) => {
                let this = monday(today) + of_week - 1;
                if self.prefer == Prefer::Future && this < today { this + 7 } else { this }
            }
            Some(-3) => monday(today) - 7 + of_week - 1,
            // 下下周一, vorletzten Montag: that week's.
            Some(point) if point.abs() >= 10 => monday(today) + 7 * super::phrase::delta(point) + of_week - 1,
            Some(point) if point < 0 => last,
            Some(2) => next,
            Some(_) => monday(today) + 7 + of_week - 1,
            None => {
                let near = self.near;
                let back = near - (weekday(near) - of_week).rem_euclid(7);
                let forward = near + 1 + (of_week - weekday(near + 1)).rem_euclid(7);
                match self.prefer {
                    Prefer::Past => back,
                    Prefer::Future => forward,
                    Prefer::Nearest => {
                        if near - back <= forward - near {
                            back
                        } else {
                            forward
                        }
                    }
                }
            }
        }
    }

    /// "Friday the 13th": the nearest month in which that day is that weekday.
    fn weekday_and_day(&self, of_week: i64, day: i64) -> Option<i64> {
        let (year, month, _) = date(self.near);
        let found = |shift: i64| {
            let (year, month, _) = date(month_start(year, month, shift));
            valid(year, month, day).filter(|day| weekday(*day) == of_week).map(|day| (day, day + 1))
        };
        // The current month first, whichever way the preference goes.
        found(0).or_else(|| self.choose((-30..=30).map(found))).map(|(day, _)| day)
    }

    /// "third Monday of", "last week of": positions inside a longer time.
    fn counted(
        &self,
        frame: &Frame,
        year: Option<i64>,
        position: i64,
        counted: Counted,
        count: i64,
    ) -> Option<(i64, i64, Unit)> {
        let container = Frame { nth: None, weekday: None, weekday_point: None, edge: None, ..frame.clone() };
        let held = container.has_date();
        if !held && !matches!(counted, Counted::Weekday(_)) {
            return None;
        }
        let locate = |from: i64, to: i64| -> Option<(i64, i64, Unit)> {
            match counted {
                Counted::Weekday(of_week) => {
                    let day = if position > 0 {
                        from + (of_week - weekday(from)).rem_euclid(7) + 7 * (position - 1)
                    } else {
                        let last = to - 1;
                        last - (weekday(last) - of_week).rem_euclid(7) + 7 * (position + 1)
                    };
                    (day >= from && day < to).then_some((day, day + 1, Unit::Day))
                }
                // A week belongs to the month or year that holds its Thursday (ISO 8601).
                Counted::Unit(Unit::Week | Unit::Fortnight) => {
                    let start = if position > 0 {
                        from + (4 - weekday(from)).rem_euclid(7) - 3 + 7 * (position - 1)
                    } else {
                        let last = to - 1;
                        last - (weekday(last) - 4).rem_euclid(7) - 3 + 7 * (position + 1) - 7 * (count - 1)
                    };
                    Some((start, start + 7 * count, Unit::Week))
                }
                Counted::Unit(Unit::Weekend) => {
                    let saturday = if position > 0 {
                        from + (6 - weekday(from)).rem_euclid(7) + 7 * (position - 1)
                    } else {
                        to - 1 - (weekday(to - 1) - 6).rem_euclid(7) + 7 * (position + 1)
                    };
                    Some((saturday, saturday + 2, Unit::Weekend))
                }
                Counted::Unit(unit) => {
                    let moved = |day: i64, by: i64| shift(day * DAY, unit, 1000 * by).div_euclid(DAY);
                    let (start, end) = if position > 0 {
                        (moved(from, position - 1), moved(from, position - 1 + count))
                    } else {
                        (moved(to, position + 1 - count), moved(to, position + 1))
                    };
                    (start >= from && start < to).then_some((start, end, unit))
                }
            }
        };
        let (first, after, grain) = if !held {
            let (year, month, _) = date(self.near);
            let at = |shift: i64| {
                let start = month_start(year, month, shift);
                locate(start, month_start(year, month, shift + 1)).map(|(first, after, _)| (first, after))
            };
            let (first, after) = at(0)?;
            (first, after, Unit::Day)
        } else if frame.month.is_some() && year.is_none() && frame.point.is_none() && frame.rel.is_none() {
            let month = frame.month?;
            let span = |year: i64| {
                locate(month_start(year, month, 0), month_start(year, month, 1)).map(|(first, after, _)| (first, after))
            };
            let (first, after) = self.yearly(None, span)?;
            (first, after, locate(first, after).map_or(Unit::Day, |(_, _, grain)| grain))
        } else {
            let (from, to, _) = self.dates(&container)?;
            locate(from, to)?
        };
        if let (Some(of_week), Counted::Unit(Unit::Week)) = (frame.weekday, counted) {
            return Some((first + of_week - 1, first + of_week, Unit::Day));
        }
        Some((first, after, grain))
    }

    /// Early, middle or late in a stretch of days.
    fn at_edge(&self, first: i64, after: i64, grain: Unit, edge: i64) -> Span {
        let whole = Span::days(first, after, grain);
        let hours = |from: i64, to: i64| Span {
            start: Some(first * DAY + from * HOUR),
            end: Some(first * DAY + to * HOUR),
            grain: Unit::Part,
        };
        let (year, month, _) = date(first);
        let months =
            |from: i64, to: i64| Span::days(month_start(year, month, from), month_start(year, month, to), grain);
        let of_days = |from: i64, to: i64| Span::days(first + from, (first + to).min(after), grain);
        let years = |from: i64, to: i64| Span::days(days(year + from, 1, 1), days(year + to, 1, 1), grain);
        let length = after - first;
        let cut = match grain {
            Unit::Day | Unit::Workday if length == 1 => match edge {
                1 | 4 => hours(0, 12),
                2 | 5 => hours(10, 14),
                3 | 7 => hours(12, 24),
                _ => Span { start: Some(after * DAY - SECOND), end: Some(after * DAY), grain: Unit::Second },
            },
            Unit::Week => match edge {
                1 | 4 => of_days(0, 3),
                2 | 5 => of_days(1, 5),
                3 | 7 => of_days(3, 7),
                _ => of_days(4, 7),
            },
            Unit::Month => match edge {
                1 => of_days(0, 15),
                2 | 5 => of_days(10, 20),
                3 | 7 => of_days(15, length),
                4 => of_days(0, 10),
                _ => of_days(20, length),
            },
            Unit::Quarter | Unit::Season => match edge {
                1 | 4 => months(0, 1),
                2 | 5 => months(1, 2),
                _ => months(2, 3),
            },
            Unit::Half => match edge {
                1 | 4 => months(0, 2),
                2 | 5 => months(2, 4),
                _ => months(4, 6),
            },
            Unit::Year => match edge {
                1 => months(0, 6),
                2 | 5 => months(4, 8),
                3 | 7 => months(6, 12),
                4 => months(0, 4),
                _ => months(8, 12),
            },
            Unit::Decade => match edge {
                1 | 4 => years(0, 4),
                2 | 5 => years(3, 7),
                _ => years(6, 10),
            },
            Unit::Century => match edge {
                1 | 4 => years(0, 34),
                2 | 5 => years(33, 67),
                _ => years(66, 100),
            },
            _ => whole,
        };
        // "later this week", said on Friday, is from Friday on.
        let today = self.today() * DAY;
        if edge == 7 && grain >= Unit::Week && first * DAY <= today && today < after * DAY {
            return Span { start: cut.start.map(|start| start.max(today)), ..cut };
        }
        cut
    }

    /// Part of the day and time of day on a day.
    fn within_day(&self, frame: &Frame, day: i64) -> Option<Span> {
        let midnight = day.saturating_mul(DAY);
        let Some(clock) = frame.clock else {
            let part = frame.part?;
            let (mut from, mut to) = part_hours(part);
            let middle = (from + to) / 2;
            match frame.part_edge.or(frame.edge) {
                Some(1 | 4) => to = middle,
                Some(3 | 6 | 7) => from = middle,
                Some(_) => (from, to) = (middle - 1, middle + 1),
                None => {}
            }
            let span = Span { start: Some(midnight + from * HOUR), end: Some(midnight + to * HOUR), grain: Unit::Part };
            return Some(self.in_zone(frame, span));
        };
        let (first, last) = self.sides(frame, clock);
        let start = midnight + first;
        let span = match last {
            Some(last) => {
                let end = midnight + last + if last <= first { DAY } else { 0 };
                let grain = frame.clock_to.map_or(clock.grain, |to| to.grain.min(clock.grain));
                Span { start: Some(start), end: Some(end), grain }
            }
            None => Span { start: Some(start), end: Some(start + size(clock.grain)), grain: clock.grain },
        };
        Some(self.in_zone(frame, span))
    }

    /// Microseconds after midnight of both ends, each taking its half of the day from the other or from the part.
    fn sides(&self, frame: &Frame, clock: Clock) -> (i64, Option<i64>) {
        let by_part = |mut clock: Clock| {
            if clock.is_open() {
                match frame.part {
                    Some(1 | 6 | 9 | 11 | 15) => clock.half = 1,
                    Some(13) if clock.hour < 11 => clock.half = 2,
                    Some(2 | 5 | 7 | 8 | 12 | 14) if clock.hour < 12 => {
                        clock.half = if frame.part == Some(7) && clock.hour > 7 { 1 } else { 2 };
                    }
                    Some(2 | 12) => clock.half = 2,
                    Some(3 | 4 | 10) if clock.hour >= 5 && clock.hour < 12 => clock.half = 2,
                    _ => {}
                }
            }
            clock
        };
        let Some(mut to) = frame.clock_to else {
            return (by_part(clock).micros(), None);
        };
        let mut from = by_part(clock);
        to = by_part(to);
        if from.is_open() && to.half != 0 {
            let same = Clock { half: to.half, ..from };
            let other = Clock { half: 3 - to.half, ..from };
            from = if same.micros() < to.micros() { same } else { other };
        } else if to.is_open() && from.half != 0 {
            let same = Clock { half: from.half, ..to };
            let other = Clock { half: 3 - from.half, ..to };
            to = if same.micros() > from.micros() { same } else { other };
        } else if to.is_open() && to.micros() <= from.micros() {
            to.half = 2;
        }
        (from.micros(), Some(to.micros()))
    }

    /// A time of day without a day.
    fn time_alone(&self, frame: &Frame) -> Option<Span> {
        let today = self.today();
        let mut frame = frame.clone();
        if frame.zone.is_none()
            && frame.part.is_none()
            && let Some(clock) = frame.clock.as_mut()
            && clock.is_open()
            && frame.clock_to.is_none()
        {
            clock.half = match self.prefer {
                // The next time that the clock shows this.
                Prefer::Future => {
                    let morning = Clock { half: 1, ..*clock };
                    let evening = Clock { half: 2, ..*clock };
                    let ahead = |clock: &Clock| (clock.micros() - self.now.rem_euclid(DAY)).rem_euclid(DAY);
                    if ahead(&morning) <= ahead(&evening) { 1 } else { 2 }
                }
                // By day, people are awake.
                _ => i64::from(clock.hour < 7 || clock.hour == 12) + 1,
            };
        }
        let span = self.within_day(&frame, today)?;
        let (start, end) = (span.start?, span.end?);
        let moved = match self.prefer {
            Prefer::Past if start > self.now => -DAY,
            Prefer::Future if end <= self.now => DAY,
            _ => 0,
        };
        let span = Span { start: Some(start + moved), end: Some(end + moved), grain: span.grain };
        self.lasting(&frame, span)
    }

    /// From the zone that the text names to the caller's.
    fn in_zone(&self, frame: &Frame, span: Span) -> Span {
        let Some(minutes) = frame.zone else { return span };
        let moved = |time: i64| self.to_wall(time - minutes * MINUTE);
        Span { start: span.start.map(moved), end: span.end.map(moved), grain: span.grain }
    }

    /// UTC to the wall clock.
    pub fn to_wall(&self, utc: i64) -> i64 {
        utc + self.lag(utc)
    }

    /// Offset of the zone at an instant, in microseconds.
    fn lag(&self, utc: i64) -> i64 {
        let limit = 300_000_000_000_000_000;
        jiff::Timestamp::from_microsecond(utc.clamp(-limit, limit.min(253_000_000_000_000_000)))
            .map_or(0, |time| i64::from(self.zone.to_offset(time).seconds()) * SECOND)
    }

    /// The wall clock to UTC: in a gap the time after it, in a fold the first of the two.
    pub fn to_utc(&self, wall: i64) -> i64 {
        // The two offsets around a change of the zone; the earlier instant that shows this time is meant.
        let before = self.lag(wall - DAY);
        let early = wall - before;
        if self.lag(early) == before {
            return early;
        }
        let late = wall - self.lag(wall + DAY);
        if self.lag(late) == self.lag(wall + DAY) { late } else { early }
    }
}

/// How long a time of day lasts that was said to a grain.
fn size(grain: Unit) -> i64 {
    match grain {
        Unit::Second => SECOND,
        Unit::Minute => MINUTE,
        _ => HOUR,
    }
}

/// The weekend that a holiday makes long.
fn weekend_of(day: i64) -> (i64, i64) {
    match weekday(day) {
        1 => (day - 2, day + 1),
        of_week @ 4..=6 => (day, day + 8 - of_week),
        7 => (day - 1, day + 1),
        of_week => (day + 6 - of_week, day + 8 - of_week),
    }
}

/// Last day of the month a day lies in.
pub fn month_end(day: i64) -> i64 {
    let (year, month, _) = date(day);
    days(year, month, month_length(year, month))
}

/// The same day of the month, months on.
pub fn months_on(day: i64, months: i64) -> i64 {
    add_months(day, months)
}
