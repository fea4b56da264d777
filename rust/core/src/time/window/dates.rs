//! Phrases with a date to days.

use super::calendar::{DAY, Unit, date, days, first_week, monday, month_start, shift, unit_around, valid, weekday};
use super::frame::{Counted, Frame};
use super::holiday;
use super::resolve::{Context, Prefer, weekend_of};

impl Context {
    /// First day, the day after the last, and the grain of a phrase with a date.
    pub(super) fn dates(&self, frame: &Frame) -> Option<(i64, i64, Unit)> {
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

    pub(super) fn dates_inner(&self, frame: &Frame, year: Option<i64>) -> Option<(i64, i64, Unit)> {
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

    pub(super) fn month(&self, frame: &Frame, year: Option<i64>, month: i64) -> Option<(i64, i64, Unit)> {
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

    pub(super) fn weekday(&self, of_week: i64, point: Option<i64>) -> i64 {
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
    pub(super) fn weekday_and_day(&self, of_week: i64, day: i64) -> Option<i64> {
        let (year, month, _) = date(self.near);
        let found = |shift: i64| {
            let (year, month, _) = date(month_start(year, month, shift));
            valid(year, month, day).filter(|day| weekday(*day) == of_week).map(|day| (day, day + 1))
        };
        // The current month first, whichever way the preference goes.
        found(0).or_else(|| self.choose((-30..=30).map(found))).map(|(day, _)| day)
    }

    /// "third Monday of", "last week of": positions inside a longer time.
    pub(super) fn counted(
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
}
