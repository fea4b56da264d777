//! Holidays of the Chinese, Jewish, Islamic and Indian calendars.
//!
//! Chinese and Indian months are computed from the sky, for China at UTC+8 and for India at UTC+5:30; Jewish ones by
//! the fixed calendar, and a holiday begins on the eve; Islamic ones by the moon over Mecca, which a sighting
//! elsewhere can move by a day.

use super::calendar::{days, weekday};
use super::sky::{ayanamsa, elongation, moon, moon_is_up, new_moon, sun, sun_at, sunset_at_mecca};

/// First day of such a holiday in a Gregorian year.
pub fn first_day(holiday: i64, year: i64) -> Option<i64> {
    match holiday {
        120 => chinese(year, 1, 1),
        227 => chinese(year, 8, 15),
        228 => chinese(year, 5, 5),
        229 => chinese(year, 1, 15),
        230 => chinese(year, 9, 9),
        121..=135 => jewish(holiday, year),
        140..=149 => islamic(holiday, year),
        150..=183 => indian(holiday, year),
        184 => Some(local_day(sun_at(0.0, days(year, 3, 20) as f64), 3.5)),
        _ => None,
    }
}

/// Number of days of such a holiday.
pub fn length(holiday: i64, year: i64) -> Option<i64> {
    Some(match holiday {
        121 => 3,
        123 | 130 => 9,
        126 => 8,
        134 => 3,
        140 => islamic(141, year)
            .and_then(|eid| islamic(140, year).map(|first| eid - first))
            .filter(|n| *n > 0)
            .unwrap_or(30),
        157 => 10,
        _ => 1,
    })
}

fn local_day(moment: f64, hours: f64) -> i64 {
    (moment + hours / 24.0).floor() as i64
}

/// A day of the Chinese calendar in the year that begins in a Gregorian year; months 1 to 10.
fn chinese(year: i64, month: usize, of_month: i64) -> Option<i64> {
    const ZONE: f64 = 8.0;
    let solstice = |year: i64| local_day(sun_at(270.0, days(year, 12, 21) as f64), ZONE);
    // The month that holds the solstice is the eleventh.
    let eleventh = |year: i64| {
        let solstice = solstice(year);
        let near = local_day(new_moon(solstice as f64), ZONE);
        if near > solstice { new_moon(near as f64 - 29.5) } else { new_moon(near as f64) }
    };
    let first = eleventh(year - 1);
    let last = eleventh(year);
    let starts: Vec<i64> = (0..14).map(|at| local_day(new_moon(first + 29.5306 * f64::from(at)), ZONE)).collect();
    let count = ((last - first) / 29.5306).round() as usize;
    // With thirteen months, the first in which the sun enters no new sign is the leap month.
    let sign = |day: i64| (sun(day as f64 - ZONE / 24.0) / 30.0).floor() as i64;
    let leap = (count == 13).then(|| (1..13).find(|at| sign(starts[*at]) == sign(starts[*at + 1]))).flatten();
    let mut at = month + 1;
    if leap.is_some_and(|leap| leap <= at) {
        at += 1;
    }
    starts.get(at).map(|start| start + of_month - 1)
}

/// Days before the first of Tishri of a Hebrew year, from the calendar's own epoch.
fn hebrew_elapsed(year: i64) -> i64 {
    let months = (235 * year - 234).div_euclid(19);
    let parts = 12_084 + 13_753 * months;
    let day = 29 * months + parts.div_euclid(25_920);
    if (3 * (day + 1)).rem_euclid(7) < 3 { day + 1 } else { day }
}

/// New year of a Hebrew year as a day number (Reingold and Dershowitz, "Calendrical Calculations").
fn hebrew_new_year(year: i64) -> i64 {
    let (before, this, after) = (hebrew_elapsed(year - 1), hebrew_elapsed(year), hebrew_elapsed(year + 1));
    let delay = if after - this == 356 {
        2
    } else if this - before == 382 {
        1
    } else {
        0
    };
    // Day 0 of that count, seen from 1970-01-01.
    const EPOCH: i64 = 2_092_590;
    this + delay - EPOCH
}

fn jewish(holiday: i64, year: i64) -> Option<i64> {
    let new_year = hebrew_new_year(year + 3761);
    let passover = new_year - 163;
    // Cheshvan and Kislev vary with the length of the year.
    let lengths = |start: i64, next: i64| match (next - start) % 10 {
        5 => (30, 30),
        4 => (29, 30),
        _ => (29, 29),
    };
    let day = match holiday {
        121 => new_year,
        122 => new_year + 9,
        123 => new_year + 14,
        124 => new_year + 21,
        125 => new_year + 22,
        126 => new_year + 30 + lengths(new_year, hebrew_new_year(year + 3762)).0 + 24,
        127 => {
            let before = hebrew_new_year(year + 3760);
            let (cheshvan, kislev) = lengths(before, new_year);
            before + 30 + cheshvan + kislev + 29 + 14
        }
        128 => passover - 30,
        129 => passover - 29,
        130 => passover,
        131 => match weekday(passover + 12) {
            5 => passover + 11,
            7 => passover + 13,
            _ => passover + 12,
        },
        132 => match weekday(passover + 20) {
            5 => passover + 19,
            6 => passover + 18,
            1 => passover + 21,
            _ => passover + 20,
        },
        133 => passover + 32,
        134 => passover + 50,
        135 => passover + 112 + i64::from(weekday(passover + 112) == 6),
        _ => return None,
    };
    // From the evening before.
    Some(day - 1)
}

/// A day of the Islamic calendar: the month begins the day after the evening on which, at Mecca, the moon sets after
/// the sun and the new moon is past. The tabular calendar says where to look.
fn islamic_day(year: i64, month: i64, day: i64) -> i64 {
    let tabular = (year - 1) * 354 + (3 + 11 * year).div_euclid(30) + (59 * (month - 1) + 1) / 2 + 1 - 492_149;
    let conjunction = new_moon(tabular as f64 - 1.0);
    let mut evening = conjunction.floor() as i64;
    for _ in 0..3 {
        let sunset = sunset_at_mecca(evening);
        if sunset > conjunction && moon_is_up(sunset) {
            break;
        }
        evening += 1;
    }
    evening + day
}

fn islamic(holiday: i64, year: i64) -> Option<i64> {
    let (month, day) = match holiday {
        140 => (9, 1),
        141 => (10, 1),
        142 => (12, 10),
        143 => (1, 1),
        144 => (1, 10),
        145 => (3, 12),
        146 => (9, 27),
        147 => (7, 27),
        148 => (9, 1),
        149 => (12, 9),
        _ => return None,
    };
    let around = (year - 622) * 33 / 32;
    let range = days(year, 1, 1)..days(year + 1, 1, 1);
    let found = (around - 1..=around + 2)
        .map(|year| (year, islamic_day(year, month, day)))
        .find(|(_, day)| range.contains(day))?;
    if holiday == 148 {
        // The last Friday of the month.
        let last = islamic_day(found.0, 10, 1) - 1;
        return Some(last - (weekday(last) - 5).rem_euclid(7));
    }
    Some(found.1)
}

/// Hours after midnight in India at which a lunar day must be running.
const SUNRISE: f64 = 6.2;
const NOON: f64 = 12.5;
const AFTERNOON: f64 = 14.5;
const DUSK: f64 = 18.6;
const MIDNIGHT: f64 = 24.0;

fn indian(holiday: i64, year: i64) -> Option<i64> {
    let (month, lunar_day, hour, shift) = match holiday {
        150 => (6, 30, DUSK, 0),
        151 => (6, 28, DUSK, 0),
        153 => (7, 1, NOON, 0),
        154 => (7, 2, AFTERNOON, 0),
        155 => (7, 6, DUSK, 0),
        156 => (6, 10, AFTERNOON + 1.5, 0),
        157 => (6, 1, SUNRISE, -1),
        158 => (6, 19, DUSK + 1.5, 0),
        159 => (3, 2, SUNRISE, 0),
        160 => (4, 15, SUNRISE, 0),
        161 => (4, 23, MIDNIGHT, 0),
        162 => (5, 4, NOON, 0),
        163 => (11, 15, DUSK, 1),
        164 => (11, 15, DUSK, 0),
        165 => (10, 29, MIDNIGHT, 0),
        166 => (0, 9, NOON, 0),
        167 => (0, 1, SUNRISE, 0),
        168 => (0, 13, SUNRISE, 0),
        169 => (0, 15, SUNRISE, 0),
        170 => (1, 15, SUNRISE, 0),
        171 => (3, 15, SUNRISE, 0),
        172 => (10, 5, 9.0, 0),
        173 => (7, 15, SUNRISE, 0),
        174 => (10, 15, SUNRISE, 0),
        175 => (6, 15, SUNRISE, 0),
        182 => (9, 7, SUNRISE, 0),
        // The sun enters Capricorn, and what hangs on it.
        176 => return Some(enters(270.0, days(year, 1, 14))),
        177 => return Some(enters(270.0, days(year, 1, 14)) - 1),
        178 => return Some(enters(270.0, days(year, 1, 14)) + 2),
        179 => return Some(enters(0.0, days(year, 4, 14))),
        183 => return Some(enters(0.0, days(year, 4, 14)) + 25),
        152 => return indian(150, year).map(|diwali| diwali - 1),
        180 => return onam(year),
        181 => return Some(days(2018, 8, 17) + 365 * (year - 2018)),
        _ => return None,
    };
    let range = days(year, 1, 1)..days(year + 1, 1, 1);
    // The sun stands at about this longitude when the month begins.
    let longitude = (330.0 + 30.0 * f64::from(month) + 24.0 + 15.0) % 360.0;
    for guess in [year - 1, year] {
        let middle = days(guess, 3, 20) as f64 + longitude / 0.985_647 - 15.0;
        for at in -2..=2 {
            let start = new_moon(middle + 29.5306 * f64::from(at));
            if lunar_month(start) != Some(month) {
                continue;
            }
            let day = lunar_date(start, lunar_day, hour) + shift;
            if range.contains(&day) {
                return Some(day);
            }
        }
    }
    None
}

/// The month that begins with a new moon, Chaitra being 0; none for a leap month.
fn lunar_month(start: f64) -> Option<i32> {
    let sign = |moment: f64| ((sun(moment) - ayanamsa(moment)).rem_euclid(360.0) / 30.0).floor() as i32;
    let (this, next) = (sign(start), sign(new_moon(start + 29.53)));
    (this != next).then_some((this + 1) % 12)
}

/// The day in India on which a lunar day (1 to 30) runs at an hour.
fn lunar_date(start: f64, lunar_day: i64, hour: f64) -> i64 {
    let first = local_day(start, 5.5);
    let at = |day: i64| {
        let moment = day as f64 + (hour - 5.5) / 24.0;
        let days_old = elongation(moment) / 12.0;
        // Just before the new moon the last lunar day still counts down.
        if moment < start {
            days_old - 30.0
        } else if moment > start + 28.0 && days_old < 5.0 {
            days_old + 30.0
        } else {
            days_old
        }
    };
    let wanted = lunar_day as f64;
    let mut day = first + lunar_day - 3;
    while at(day) < wanted - 1.0 && day < first + 32 {
        day += 1;
    }
    // A lunar day that no such hour sees belongs to the day before.
    if at(day) >= wanted { day - 1 } else { day }
}

/// The day in India on which the sun enters a sign of the sidereal zodiac.
fn enters(longitude: f64, near: i64) -> i64 {
    let tropical = (longitude + ayanamsa(near as f64)).rem_euclid(360.0);
    let moment = sun_at(tropical, near as f64);
    let day = local_day(moment, 5.5);
    // After sunset the next day is kept.
    let hour = (moment + 5.5 / 24.0 - day as f64) * 24.0;
    if hour > 18.0 { day + 1 } else { day }
}

/// The day in the month of Leo on which the moon stands in Shravana at sunrise.
fn onam(year: i64) -> Option<i64> {
    let start = enters(120.0, days(year, 8, 17));
    (start..start + 32).find(|day| {
        let moment = *day as f64 + (SUNRISE - 5.5) / 24.0;
        let place = (moon(moment) - ayanamsa(moment)).rem_euclid(360.0);
        (280.0..293.334).contains(&place)
    })
}
