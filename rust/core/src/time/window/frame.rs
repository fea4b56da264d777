//! What a phrase says about a time, slot by slot, before anything is resolved.

use super::calendar::Unit;
use super::clock::Clock;
use super::number::Length;

/// What an ordinal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Units of the calendar.
    Unit(Unit),
    /// A day of the week.
    Weekday(i64),
}

/// The slots of a phrase. Each is filled at most once.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// Year of the Gregorian calendar.
    pub year: Option<i64>,
    /// A unit around now, moved: ("week", -1) is last week.
    pub rel: Option<(Unit, i64)>,
    /// How the unit, month, weekday, season or holiday was pointed at, by the values of the category `rel`.
    pub point: Option<i64>,
    /// Month, 1 to 12.
    pub month: Option<i64>,
    /// Day of the month.
    pub day: Option<i64>,
    /// Last day of a range of days within a month.
    pub day_to: Option<i64>,
    /// Weekday, Monday being 1.
    pub weekday: Option<i64>,
    /// How the weekday was pointed at.
    pub weekday_point: Option<i64>,
    /// "third Monday", "last week", "first two weeks": position (negative from the end), what, how many.
    pub nth: Option<(i64, Counted, i64)>,
    /// Days from today.
    pub relday: Option<i64>,
    /// This instant.
    pub now: bool,
    /// Number of a holiday.
    pub holiday: Option<i64>,
    /// Season, spring being 1.
    pub season: Option<i64>,
    /// Quarter of a year.
    pub quarter: Option<i64>,
    /// Half of a year.
    pub half: Option<i64>,
    /// First year of a decade, and whether its century was said.
    pub decade: Option<(i64, bool)>,
    /// First year of a century.
    pub century: Option<i64>,
    /// Number of a week of the year.
    pub week: Option<i64>,
    /// The week that holds the day.
    pub week_of: bool,
    /// Early, middle, late and so on, by the values of the category `edge`.
    pub edge: Option<i64>,
    /// What is left of the time from now on.
    pub rest: bool,
    /// From the beginning of the time to now.
    pub to_date: bool,
    /// Part of the day.
    pub part: Option<i64>,
    /// Early or late in that part.
    pub part_edge: Option<i64>,
    /// Time of day.
    pub clock: Option<Clock>,
    /// End of a range of times of day.
    pub clock_to: Option<Clock>,
    /// Minutes east of UTC, if the phrase names a zone.
    pub zone: Option<i64>,
    /// "two weeks from now", said after something else: the length and its sign.
    pub offset: Option<(Length, i64)>,
    /// A length that starts at the phrase.
    pub lasting: Option<Length>,
    /// Words were seen that need support.
    pub weak: bool,
    /// A word that is also a name of people is all there is.
    pub name: bool,
    /// The date was written in digits, all of it.
    pub numeric: bool,
    /// Only month and day, or month and year, in digits.
    pub short_numeric: bool,
    /// The word "the" stood before an ordinal day.
    pub the_day: bool,
    /// "the year 2008".
    pub marked_year: bool,
    /// "approximately", "or so": said after the time.
    pub approximate: bool,
    /// The sentence speaks of what is to come ("will", "scheduled").
    pub to_come: bool,
    /// First token.
    pub from: usize,
    /// One past the last token.
    pub to: usize,
}

impl Frame {
    /// How many slots are filled.
    pub fn slots(&self) -> usize {
        [
            self.year.is_some(),
            self.rel.is_some(),
            self.point.is_some(),
            self.month.is_some(),
            self.day.is_some(),
            self.weekday.is_some(),
            self.weekday_point.is_some(),
            self.nth.is_some(),
            self.relday.is_some(),
            self.now,
            self.holiday.is_some(),
            self.season.is_some(),
            self.quarter.is_some(),
            self.half.is_some(),
            self.decade.is_some(),
            self.century.is_some(),
            self.week.is_some(),
            self.week_of,
            self.edge.is_some(),
            self.rest,
            self.to_date,
            self.part.is_some(),
            self.clock.is_some(),
            self.offset.is_some(),
        ]
        .into_iter()
        .filter(|filled| *filled)
        .count()
    }

    /// Whether the phrase says which day, or which longer time.
    pub fn has_date(&self) -> bool {
        self.year.is_some()
            || self.rel.is_some()
            || self.month.is_some()
            || self.day.is_some()
            || self.weekday.is_some()
            || self.nth.is_some()
            || self.relday.is_some()
            || self.holiday.is_some()
            || self.season.is_some()
            || self.quarter.is_some()
            || self.half.is_some()
            || self.decade.is_some()
            || self.century.is_some()
            || self.week.is_some()
    }

    /// Whether the phrase names one day.
    pub fn has_day(&self) -> bool {
        self.day.is_some()
            || self.weekday.is_some()
            || self.relday.is_some()
            || self.holiday.is_some()
            || matches!(self.rel, Some((Unit::Day, _)))
            || matches!(self.nth, Some((_, Counted::Weekday(_) | Counted::Unit(Unit::Day), _)))
    }
}
