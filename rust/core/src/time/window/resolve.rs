//! Phrases to times on the wall clock of the caller's zone.

use jiff::tz::TimeZone;

use super::calendar::{DAY, HOUR, MINUTE, SECOND, Unit, date, days, hold, monday, month_start, shift, weekday};
use super::frame::Frame;

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

impl Span {
    /// The second, minute or hour of the clock that holds a time.
    pub fn clock_around(time: i64, grain: Unit) -> Self {
        let size = size(grain);
        let start = hold(time).div_euclid(size) * size;
        Self { start: Some(start), end: Some(start + size), grain }
    }
}

/// Start and end hour of the parts of a day; a night ends with the next morning.
pub fn part_hours(part: i64) -> (i64, i64) {
    match part {
        1 => (8, 12),
        2 => (12, 16),
        3 => (16, 20),
        4 => (20, 30),
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
    pub fn forward_from(&self, near: i64) -> Self {
        Self { near, prefer: Prefer::Future, ..self.clone() }
    }

    /// The better of readings that lie side by side in time, `None` being no reading.
    pub(super) fn choose(&self, spans: impl Iterator<Item = Option<(i64, i64)>>) -> Option<(i64, i64)> {
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

    pub(super) fn distance(&self, (start, end): (i64, i64)) -> i64 {
        if end <= self.near {
            self.near - end + 1
        } else if start > self.near {
            start - self.near
        } else {
            0
        }
    }

    /// Reads what recurs every year: pointed at ("last", "next"), or by preference.
    pub(super) fn yearly(&self, point: Option<i64>, span: impl Fn(i64) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
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
        // A day that the sentence puts ahead leaves nothing open.
        let single = (frame.weekday.is_some() || frame.day.is_some()) && frame.weekday_point.is_none();
        if frame.to_come && single && self.prefer == Prefer::Past {
            context.prefer = Prefer::Future;
            context.near = self.near;
        }
        let timed = frame.clock.is_some() || frame.part.is_some();
        if timed && !frame.has_date() {
            return self.time_alone(&frame);
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

    pub(super) fn lasting(&self, frame: &Frame, mut span: Span) -> Option<Span> {
        if let Some(length) = &frame.lasting {
            let start = span.start?;
            span.end = Some(length.shift(start, 1));
            span.grain = span.grain.min(length.grain());
        }
        Some(span)
    }

    pub(super) fn clock_unit(&self, unit: Unit) -> Span {
        Span::clock_around(self.now, unit)
    }

    /// "Monday two weeks from now", "Easter in three years".
    pub(super) fn offset(&self, frame: &Frame, length: &super::number::Length, sign: i64) -> Option<Span> {
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

    /// Early, middle or late in a stretch of days.
    pub(super) fn at_edge(&self, first: i64, after: i64, grain: Unit, edge: i64) -> Span {
        let whole = Span::days(first, after, grain);
        // Some languages end and begin with halves.
        let single = grain <= Unit::Workday;
        let edge = match edge {
            8 => {
                if single {
                    6
                } else {
                    3
                }
            }
            9 => {
                if single {
                    4
                } else {
                    1
                }
            }
            edge => edge,
        };
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
                4 => months(0, 3),
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

    /// UTC to the wall clock.
    pub fn to_wall(&self, utc: i64) -> i64 {
        utc + self.lag(utc)
    }

    /// Offset of the zone at an instant, in microseconds.
    pub(super) fn lag(&self, utc: i64) -> i64 {
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
pub(super) fn size(grain: Unit) -> i64 {
    match grain {
        Unit::Second => SECOND,
        Unit::Minute => MINUTE,
        _ => HOUR,
    }
}

/// The weekend that a holiday makes long.
pub(super) fn weekend_of(day: i64) -> (i64, i64) {
    match weekday(day) {
        1 => (day - 2, day + 1),
        of_week @ 4..=6 => (day, day + 8 - of_week),
        7 => (day - 1, day + 1),
        of_week => (day + 6 - of_week, day + 8 - of_week),
    }
}
