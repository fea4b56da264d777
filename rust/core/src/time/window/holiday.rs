//! Holidays: the days a holiday falls on in a year of the Gregorian calendar.
//!
//! Numbers are those of the category `holiday` in the language files. Civil dates follow the custom of the United
//! States where countries differ. Easter: the anonymous Gregorian algorithm (Nature, 1876) and Meeus' Julian one.

use super::calendar::{days, weekday};
use super::moon;

/// First day and the day after the last of a holiday in a year, if it has one then.
pub fn span(holiday: i64, year: i64) -> Option<(i64, i64)> {
    if !(1..=9999).contains(&year) {
        return None;
    }
    let first = first_day(holiday, year)?;
    let length = match holiday {
        43 => 40,
        73 => 3,
        101 => 7,
        238 => 8,
        120..=199 | 227..=230 => return moon::length(holiday, year).map(|length| (first, first + length)),
        _ => 1,
    };
    Some((first, first + length))
}

fn first_day(holiday: i64, year: i64) -> Option<i64> {
    let fixed = |month, day| Some(days(year, month, day));
    let easter = |shift: i64| Some(easter(year) + shift);
    let orthodox = |shift: i64| Some(orthodox_easter(year) + shift);
    match holiday {
        1 => fixed(12, 25),
        2 => fixed(12, 24),
        3 | 87 => fixed(12, 26),
        4 => fixed(1, 1),
        5 => fixed(12, 31),
        6 => fixed(2, 14),
        7 => fixed(3, 17),
        8 => fixed(4, 1),
        9 => fixed(10, 31),
        10 => fixed(11, 1),
        11 => fixed(11, 2),
        12 => Some(thanksgiving(year)),
        13 => Some(thanksgiving(year) + 1),
        14 => Some(thanksgiving(year) + 4),
        15 => fixed(7, 4),
        16 => Some(nth(year, 9, 1, 1)),
        17 => Some(last(year, 5, 1)),
        18 => fixed(11, 11),
        19 => Some(nth(year, 1, 1, 3)),
        20 => Some(nth(year, 2, 1, 3)),
        21 => Some(nth(year, 10, 1, 2)),
        22 => fixed(2, 2),
        23 => Some(nth(year, 5, 7, 2)),
        24 => Some(nth(year, 6, 7, 3)),
        25 => easter(0),
        26 => easter(1),
        27 => easter(-2),
        28 => easter(-7),
        29 => easter(-46),
        30 => easter(49),
        31 => easter(50),
        32 => easter(39),
        33 => easter(56),
        34 => easter(-47),
        35 => easter(-3),
        36 => easter(-1),
        37 => easter(60),
        38 => easter(-48),
        39 => orthodox(0),
        40 => orthodox(-2),
        41 => orthodox(1),
        42 | 43 => orthodox(-48),
        44 => orthodox(-7),
        45 => orthodox(39),
        46 => orthodox(49),
        50 => fixed(4, 22),
        51 => fixed(5, 1),
        52 => fixed(3, 8),
        53 => fixed(5, 5),
        54 => fixed(6, 19),
        55 => fixed(7, 14),
        56 => fixed(11, 5),
        57 => fixed(6, 14),
        58 => fixed(7, 1),
        59 => fixed(1, 26),
        60 => fixed(4, 25),
        61 => fixed(4, 23),
        62 => fixed(1, 6),
        63 => Some(to_workday(days(year, 10, 16))),
        64 => Some(nth(year, 9, 1, 1) + 6),
        // Wednesday of the last full week of April.
        65 => Some(last_on_or_before(days(year, 4, 30), 6) - 3),
        66 => Some(tax_day(year)),
        67 => Some(nth(year, 11, 1, 1) + 1),
        68 => Some(to_workday(days(year, 4, 16))),
        69 => super_tuesday(year),
        70 => (year == 2004).then(|| days(2004, 2, 3)),
        71 => Some(match weekday(days(year, 4, 27)) {
            7 => days(year, 4, 26),
            _ => days(year, 4, 27),
        }),
        72 => earth_hour(year),
        73 => Some(last_on_or_before(days(year, 4, 30), 5) - if year == 2013 { 0 } else { 7 }),
        74 => fixed(2, 12),
        75 => fixed(3, 15),
        76 => fixed(3, 14),
        77 => fixed(12, 6),
        78 => fixed(12, 10),
        79 => fixed(12, 1),
        80 => fixed(6, 5),
        81 => fixed(9, 11),
        82 => fixed(9, 17),
        83 => fixed(12, 7),
        84 => fixed(5, 9),
        85 => fixed(5, 8),
        86 => fixed(6, 6),
        88 => Some(nth(year, 5, 7, 2) - 2),
        89 => Some(nth(year, 3, 1, 2)),
        90 => Some(last_on_or_before(days(year, 5, 24), 1)),
        91 => easter(-21),
        92 => (year % 4 == 1).then(|| days(year, 1, 20)),
        93 => Some(last(year, 4, 5)),
        94 => fixed(4, 10),
        95 => fixed(11, 1),
        96 => fixed(3, 1),
        97 => fixed(11, 30),
        98 => fixed(3, 31),
        99 => fixed(5, 25),
        100 => fixed(10, 3),
        // The week of Sundays that begins with the third Sunday of May.
        101 => Some(nth(year, 5, 7, 3)),
        102 => Some(nth(year, 3, 7, 2)),
        103 => Some(nth(year, 11, 7, 1)),
        104 => (year == 2008).then(|| days(2008, 2, 5)),
        105 => fixed(2, 2),
        106 => fixed(5, 3),
        107 => fixed(8, 15),
        108 => fixed(12, 8),
        109 => fixed(4, 25),
        110 => fixed(6, 2),
        111 => fixed(10, 12),
        112 => fixed(12, 6),
        113 => fixed(9, 7),
        114 => fixed(6, 24),
        115 => fixed(11, 11),
        116 => fixed(2, 23),
        117 => fixed(6, 12),
        118 => fixed(11, 4),
        119 => fixed(10, 1),
        200 => Some(advent(year, 1) - 14),
        201 => Some(advent(year, 1) - 11),
        202 => Some(advent(year, 1) - 7),
        203..=206 => Some(advent(year, holiday - 202)),
        207 => easter(-52),
        208 => easter(-49),
        209 => Some(nth(year, 10, 7, 1)),
        210 => Some(nth(year, 9, 7, 3)),
        211 => fixed(10, 31),
        212 => fixed(8, 15),
        213 => fixed(8, 8),
        214 => fixed(6, 29),
        215 => fixed(12, 4),
        216 | 224 => fixed(11, 11),
        217 | 223 => fixed(8, 1),
        218 => fixed(3, 19),
        219 => fixed(1, 7),
        220 => fixed(9, 10),
        221 => fixed(6, 1),
        222 => fixed(3, 12),
        225 => fixed(5, 4),
        226 => fixed(4, 4),
        231 => fixed(3, 7),
        232 => fixed(5, 5),
        233 => fixed(11, 3),
        234 => fixed(11, 23),
        235 => fixed(2, 11),
        236 => fixed(4, 29),
        237 => fixed(5, 3),
        238 => easter(-7),
        239 => Some(nth(year, 8, 7, 2)),
        240 => {
            // The last Sunday of May, a week later when that is Whitsun.
            let sunday = last(year, 5, 7);
            Some(if sunday == self::easter(year) + 49 { sunday + 7 } else { sunday })
        }
        _ => moon::first_day(holiday, year),
    }
}

/// Easter Sunday of the western churches.
pub fn easter(year: i64) -> i64 {
    let a = year % 19;
    let (b, c) = (year / 100, year % 100);
    let (d, e) = (b / 4, b % 4);
    let f = (b + 8) / 25;
    let g = (b - f + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let n = h + l - 7 * m + 114;
    days(year, n / 31, n % 31 + 1)
}

/// Easter Sunday of the eastern churches, as a Gregorian day.
pub fn orthodox_easter(year: i64) -> i64 {
    let (a, b, c) = (year % 4, year % 7, year % 19);
    let d = (19 * c + 15) % 30;
    let e = (2 * a + 4 * b - d + 34) % 7;
    let n = d + e + 114;
    // The Julian calendar lags by this many days.
    let lag = year / 100 - year / 400 - 2;
    days(year, n / 31, n % 31 + 1) + lag
}

/// The `count`-th weekday of a month.
pub fn nth(year: i64, month: i64, of_week: i64, count: i64) -> i64 {
    let first = days(year, month, 1);
    first + (of_week - weekday(first)).rem_euclid(7) + 7 * (count - 1)
}

/// The last weekday of a month.
fn last(year: i64, month: i64, of_week: i64) -> i64 {
    let next = if month == 12 { days(year + 1, 1, 1) } else { days(year, month + 1, 1) };
    last_on_or_before(next - 1, of_week)
}

fn last_on_or_before(day: i64, of_week: i64) -> i64 {
    day - (weekday(day) - of_week).rem_euclid(7)
}

/// The Sundays before Christmas, the first being the fourth before it.
fn advent(year: i64, count: i64) -> i64 {
    last_on_or_before(days(year, 12, 24), 7) - 7 * (4 - count)
}

fn thanksgiving(year: i64) -> i64 {
    nth(year, 11, 4, 4)
}

/// Saturday to Friday, Sunday to Monday.
fn to_workday(day: i64) -> i64 {
    match weekday(day) {
        6 => day - 1,
        7 => day + 1,
        _ => day,
    }
}

/// 15 April, or the next working day that is not Emancipation Day.
fn tax_day(year: i64) -> i64 {
    let emancipation = to_workday(days(year, 4, 16));
    let mut day = days(year, 4, 15);
    while weekday(day) > 5 || day == emancipation {
        day += 1;
    }
    day
}

/// The first Tuesday in March of the election years; earlier in 2008.
fn super_tuesday(year: i64) -> Option<i64> {
    match year {
        2008 => Some(days(2008, 2, 5)),
        _ if year >= 1988 && year % 4 == 0 => Some(nth(year, 3, 2, 1)),
        _ => None,
    }
}

/// The last Saturday of March, a week earlier when that is the eve of Easter.
fn earth_hour(year: i64) -> Option<i64> {
    let saturday = last(year, 3, 6);
    (year >= 2007).then(|| if saturday + 1 == easter(year) { saturday - 7 } else { saturday })
}
