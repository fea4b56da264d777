//! The proleptic Gregorian calendar on plain integers: no date overflows, everything saturates.
//!
//! Civil times are microseconds since 1970-01-01T00:00 on the wall clock of the caller's zone.

/// Microseconds of one day.
pub const DAY: i64 = 86_400_000_000;
/// Microseconds of one hour.
pub const HOUR: i64 = 3_600_000_000;
/// Microseconds of one minute.
pub const MINUTE: i64 = 60_000_000;
/// Microseconds of one second.
pub const SECOND: i64 = 1_000_000;
/// Years are held to this distance from 0, so that microseconds fit in 64 bits.
pub const MAX_YEAR: i64 = 280_000;

/// Days since 1970-01-01 of a date (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year.clamp(-MAX_YEAR, MAX_YEAR) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a day number.
pub fn date(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let month = shifted_month + if shifted_month < 10 { 3 } else { -9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * shifted_month + 2) / 5 + 1)
}

/// Number of days in a month.
pub fn month_length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Day number of a date, if there is such a date.
pub fn valid(year: i64, month: i64, day: i64) -> Option<i64> {
    ((1..=12).contains(&month) && day >= 1 && day <= month_length(year, month)).then(|| days(year, month, day))
}

/// Weekday of a day number: Monday is 1, Sunday 7.
pub fn weekday(day: i64) -> i64 {
    (day + 3).rem_euclid(7) + 1
}

/// The Monday on or before a day.
pub fn monday(day: i64) -> i64 {
    day - (weekday(day) - 1)
}

/// The Monday of the first ISO week of a year.
pub fn first_week(year: i64) -> i64 {
    monday(days(year, 1, 4))
}

/// First of a month, `shift` months on.
pub fn month_start(year: i64, month: i64, shift: i64) -> i64 {
    let months = year.clamp(-MAX_YEAR, MAX_YEAR) * 12 + month - 1 + shift.clamp(-12 * MAX_YEAR, 12 * MAX_YEAR);
    days(months.div_euclid(12), months.rem_euclid(12) + 1, 1)
}

/// A day `shift` months on, held to the last day of a shorter month.
pub fn add_months(day: i64, shift: i64) -> i64 {
    let (year, month, of_month) = date(day);
    let first = month_start(year, month, shift);
    let (year, month, _) = date(first);
    first + of_month.min(month_length(year, month)) - 1
}

/// A unit of the calendar or the clock, finest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Second of the clock.
    Second,
    /// Minute of the clock.
    Minute,
    /// Hour of the clock.
    Hour,
    /// Part of a day, such as the morning.
    Part,
    /// Calendar day.
    Day,
    /// Monday to Friday as days to count.
    Workday,
    /// Saturday and Sunday.
    Weekend,
    /// Monday to Sunday.
    Week,
    /// Two weeks.
    Fortnight,
    /// Calendar month.
    Month,
    /// Three calendar months.
    Quarter,
    /// Three months by their weather.
    Season,
    /// Six calendar months.
    Half,
    /// Calendar year.
    Year,
    /// Ten years.
    Decade,
    /// A hundred years.
    Century,
}

impl Unit {
    /// The name that a window's grain carries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Part => "part of day",
            Self::Day | Self::Workday => "day",
            Self::Weekend => "weekend",
            Self::Week => "week",
            Self::Fortnight => "fortnight",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Season => "season",
            Self::Half => "half",
            Self::Year => "year",
            Self::Decade => "decade",
            Self::Century => "century",
        }
    }

    /// The unit that a language file names.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "second" => Self::Second,
            "minute" => Self::Minute,
            "hour" => Self::Hour,
            "part of day" => Self::Part,
            "day" => Self::Day,
            "workday" => Self::Workday,
            "weekend" => Self::Weekend,
            "week" => Self::Week,
            "fortnight" => Self::Fortnight,
            "month" => Self::Month,
            "quarter" => Self::Quarter,
            "season" => Self::Season,
            "half" => Self::Half,
            "year" => Self::Year,
            "decade" => Self::Decade,
            "century" => Self::Century,
            _ => return None,
        })
    }

    /// Whether the unit is of the clock, not of the calendar.
    pub fn is_clock(self) -> bool {
        self <= Self::Hour
    }
}

/// Moves a civil time by `thousandths`/1000 of a unit; fractions of months are taken as 30 days.
pub fn shift(time: i64, unit: Unit, thousandths: i64) -> i64 {
    let scaled = |micros: i64| {
        let moved = i128::from(micros) * i128::from(thousandths) / 1000 + i128::from(time);
        hold(moved.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
    };
    let months = |each: i64| {
        let total = thousandths.saturating_mul(each);
        let whole = total.div_euclid(1000);
        let rest = total.rem_euclid(1000) * 30 / 1000;
        let day = time.div_euclid(DAY);
        hold((add_months(day, whole) + rest).saturating_mul(DAY).saturating_add(time.rem_euclid(DAY)))
    };
    match unit {
        Unit::Second => scaled(SECOND),
        Unit::Minute => scaled(MINUTE),
        Unit::Hour => scaled(HOUR),
        Unit::Part | Unit::Day => scaled(DAY),
        Unit::Weekend | Unit::Week => scaled(7 * DAY),
        Unit::Fortnight => scaled(14 * DAY),
        Unit::Workday => {
            let mut day = time.div_euclid(DAY);
            let count = (thousandths / 1000).clamp(-100_000, 100_000);
            // Whole weeks at once, so that the steps are few.
            day += count / 5 * 7;
            let mut left = count % 5;
            while left != 0 {
                day += left.signum();
                if weekday(day) <= 5 {
                    left -= left.signum();
                }
            }
            hold(day.saturating_mul(DAY).saturating_add(time.rem_euclid(DAY)))
        }
        Unit::Month => months(1),
        Unit::Quarter | Unit::Season => months(3),
        Unit::Half => months(6),
        Unit::Year => months(12),
        Unit::Decade => months(120),
        Unit::Century => months(1200),
    }
}

/// Holds a time to the years that day numbers can have.
pub fn hold(time: i64) -> i64 {
    const LIMIT: i64 = 102_000_000 * DAY;
    time.clamp(-LIMIT, LIMIT)
}

/// The unit of the calendar that holds a day, moved by `delta` units: first day and the day after the last.
pub fn unit_around(day: i64, unit: Unit, delta: i64) -> (i64, i64) {
    let delta = delta.clamp(-12 * MAX_YEAR, 12 * MAX_YEAR);
    let (year, month, _) = date(day);
    let months = |size: i64, first: i64| {
        let start = month_start(year, first, delta.saturating_mul(size));
        let (y, m, _) = date(start);
        (start, month_start(y, m, size))
    };
    match unit {
        Unit::Second | Unit::Minute | Unit::Hour | Unit::Part | Unit::Day => (day + delta, day + delta + 1),
        Unit::Workday => {
            let moved = shift(day * DAY, Unit::Workday, delta * 1000).div_euclid(DAY);
            (moved, moved + 1)
        }
        Unit::Weekend => {
            let saturday = monday(day) + 5 + 7 * delta;
            (saturday, saturday + 2)
        }
        Unit::Week => (monday(day) + 7 * delta, monday(day) + 7 * delta + 7),
        Unit::Fortnight => (monday(day) + 14 * delta, monday(day) + 14 * delta + 14),
        Unit::Month => months(1, month),
        Unit::Quarter => months(3, (month - 1) / 3 * 3 + 1),
        Unit::Half => months(6, (month - 1) / 6 * 6 + 1),
        Unit::Season => {
            let back = month % 3;
            let start = month_start(year, month - back, delta.saturating_mul(3));
            let (y, m, _) = date(start);
            (start, month_start(y, m, 3))
        }
        Unit::Year => (days(year + delta, 1, 1), days(year + delta + 1, 1, 1)),
        Unit::Decade => {
            let first = year.div_euclid(10) * 10 + 10 * delta;
            (days(first, 1, 1), days(first + 10, 1, 1))
        }
        Unit::Century => {
            let first = year.div_euclid(100) * 100 + 100 * delta;
            (days(first, 1, 1), days(first + 100, 1, 1))
        }
    }
}
