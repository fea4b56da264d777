//! Windows from text: what the rules promise, language files, days of a zone, and calendars against known dates.

use timewalk_core::time::parse_zone;
use timewalk_core::time::window::{
    Lexicon, Options, Prefer, Relation, anchor_window, find_anchor, find_window, find_windows, languages,
};

const DAY: i64 = 86_400_000_000;

/// Microseconds of a civil date and hour, by counting days.
fn at(year: i64, month: i64, day: i64, hour: i64) -> i64 {
    let length = |year: i64, month: i64| match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let mut days = 0;
    for y in 1970..year {
        days += (1..=12).map(|month| length(y, month)).sum::<i64>();
    }
    days += (1..month).map(|month| length(year, month)).sum::<i64>() + day - 1;
    days * DAY + hour * 3_600_000_000
}

fn options(zone: &str, prefer: Prefer, locale: &str) -> Options {
    Options { now: at(2026, 7, 17, 12), zone: parse_zone(zone).unwrap(), prefer, locale: locale.into() }
}

fn reading(text: &str) -> Option<(Option<i64>, Option<i64>)> {
    find_window(text, &options("UTC", Prefer::Past, "en")).unwrap().map(|window| (window.start, window.end))
}

fn day(year: i64, month: i64, day: i64) -> Option<(Option<i64>, Option<i64>)> {
    let start = at(year, month, day, 0);
    Some((Some(start), Some(start + DAY)))
}

#[test]
fn every_line_of_every_language_file_is_understood() {
    let names: Vec<_> = languages().collect();
    assert_eq!(names, ["en", "de", "fr", "es", "it", "pt", "ru", "zh", "ja"]);
    for language in names {
        assert_eq!(Lexicon::faults(language), Vec::<String>::new(), "{language}");
        assert!(Lexicon::phrases(language) > 200, "{language} has words");
    }
}

#[test]
fn the_rule_of_the_governing_expression() {
    let options = options("UTC", Prefer::Past, "en");
    let text = |sentence: &str| {
        let window = find_window(sentence, &options).unwrap().unwrap();
        sentence.chars().skip(window.span.0).take(window.span.1 - window.span.0).collect::<String>()
    };
    assert_eq!(text("In May we said: since 3 May 2024"), "since 3 May 2024");
    assert_eq!(text("at 5pm, on 3 May 2024"), "5pm, on 3 May 2024");
    assert_eq!(text("in 2010, or on 4 June 2011, or on 5 June 2012"), "4 June 2011");
    assert_eq!(find_windows("on 4 June 2011, or on 5 June 2012", &options).unwrap().len(), 2);
}

#[test]
fn impossible_dates_are_no_days() {
    for text in ["2023-02-29", "13/13/2024"] {
        assert_eq!(reading(text), None, "{text}");
    }
    // The month that was named may be read, never a day next to the one that is not there.
    for text in ["on 30 February 2024", "on 31 April 2023", "on 32 May 2024"] {
        let window = find_window(text, &options("UTC", Prefer::Past, "en")).unwrap();
        assert!(window.is_none_or(|window| window.grain == "month"), "{text}");
    }
    assert_eq!(reading("on 29 February 2024"), day(2024, 2, 29));
}

#[test]
fn weeks_belong_to_the_year_of_their_thursday() {
    let week = |year, month, day| Some((Some(at(year, month, day, 0)), Some(at(year, month, day, 0) + 7 * DAY)));
    assert_eq!(reading("the first week of 2015"), week(2014, 12, 29));
    assert_eq!(reading("the last week of 2016"), week(2016, 12, 26));
    assert_eq!(reading("week 31 of 2018"), week(2018, 7, 30));
    assert_eq!(reading("the first week of October 2016"), week(2016, 10, 3));
}

#[test]
fn holidays_fall_on_known_days() {
    // Easter by the tables of the Book of Common Prayer; others from the years' published calendars.
    let known = [
        ("easter 2000", (2000, 4, 23)),
        ("easter 2008", (2008, 3, 23)),
        ("easter 2011", (2011, 4, 24)),
        ("easter 2038", (2038, 4, 25)),
        ("orthodox easter 2024", (2024, 5, 5)),
        ("thanksgiving 2023", (2023, 11, 23)),
        ("labor day 2024", (2024, 9, 2)),
        ("chinese new year 2023", (2023, 1, 22)),
        ("chinese new year 2024", (2024, 2, 10)),
        ("chinese new year 2025", (2025, 1, 29)),
        ("chinese new year 2033", (2033, 1, 31)),
        ("diwali 2023", (2023, 11, 12)),
        ("holi 2024", (2024, 3, 25)),
        ("eid al-fitr 2023", (2023, 4, 21)),
        ("yom kippur 2024", (2024, 10, 11)),
    ];
    for (text, (year, month, of_month)) in known {
        assert_eq!(reading(text), day(year, month, of_month), "{text}");
    }
    let passover = reading("passover 2024").unwrap();
    assert_eq!(passover.0, Some(at(2024, 4, 22, 0)), "on the eve of 23 April");
}

#[test]
fn clocks_change_and_days_stay_whole() {
    let berlin = options("Europe/Berlin", Prefer::Past, "en");
    let length = |text: &str| {
        let window = find_window(text, &berlin).unwrap().unwrap();
        (window.end.unwrap() - window.start.unwrap()) / 3_600_000_000
    };
    assert_eq!(length("29 March 2026"), 23);
    assert_eq!(length("26 October 2025"), 25);
    assert_eq!(length("March 2026"), 31 * 24 - 1);
    // 02:30 does not exist on that morning: the time after the gap is meant.
    let gap = find_window("29 March 2026 at 2:30am", &berlin).unwrap().unwrap();
    assert_eq!(gap.start, Some(at(2026, 3, 29, 1) + DAY / 48));
}

#[test]
fn years_that_no_calendar_holds() {
    let far = reading("100,000 years ago").unwrap();
    assert!(far.0 < far.1 && far.0 < Some(-3_000_000_000_000_000_000));
    for text in
        ["999999999999 years ago", "in 99999999 centuries", "in the last 99999999999999999999 weeks", "year 99999"]
    {
        if let Some((Some(start), Some(end))) = reading(text) {
            assert!(start <= end, "{text}");
        }
    }
}

#[test]
fn the_three_preferences() {
    let in_march = |prefer| find_window("in March", &options("UTC", prefer, "en")).unwrap().unwrap().start;
    assert_eq!(in_march(Prefer::Past), Some(at(2026, 3, 1, 0)));
    assert_eq!(in_march(Prefer::Future), Some(at(2027, 3, 1, 0)));
    let in_october = |prefer| find_window("in October", &options("UTC", prefer, "en")).unwrap().unwrap().start;
    assert_eq!(in_october(Prefer::Past), Some(at(2025, 10, 1, 0)));
    assert_eq!(in_october(Prefer::Nearest), Some(at(2026, 10, 1, 0)));
}

#[test]
fn events_give_windows() {
    let options = options("UTC", Prefer::Past, "en");
    let event = (at(2026, 5, 20, 9), at(2026, 5, 20, 11));
    let cases = [
        ("in the two weeks before the outage", Relation::Before, Some(at(2026, 5, 6, 9)), Some(event.0)),
        ("three days before the outage", Relation::Before, Some(at(2026, 5, 17, 0)), Some(at(2026, 5, 18, 0))),
        ("two weeks before the outage", Relation::Before, Some(at(2026, 5, 4, 0)), Some(at(2026, 5, 11, 0))),
        ("in the month after the outage", Relation::After, Some(event.1), Some(at(2026, 6, 20, 11))),
        ("since the outage", Relation::Since, Some(event.0), Some(options.now)),
        ("during the outage", Relation::During, Some(at(2026, 5, 20, 0)), Some(at(2026, 5, 21, 0))),
        ("in the week of the outage", Relation::Within, Some(at(2026, 5, 18, 0)), Some(at(2026, 5, 25, 0))),
        ("before the outage", Relation::Before, None, Some(event.0)),
        ("after the outage", Relation::After, Some(event.1), None),
    ];
    for (text, relation, start, end) in cases {
        let sentence = format!("What happened {text}?");
        let found = find_anchor(&sentence, &options).unwrap().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(found.relation, relation, "{text}");
        let named: String = sentence.chars().skip(found.event.0).take(found.event.1 - found.event.0).collect();
        assert_eq!(named, "the outage", "{text}");
        let window = anchor_window(&found, event.0, event.1, &options);
        assert_eq!((window.start, window.end), (start, end), "{text}");
    }
    for text in ["two weeks before 3 May 2024", "since last Monday", "before yesterday", "the week after Easter"] {
        assert_eq!(find_anchor(text, &options).unwrap(), None, "{text} is a time by itself");
    }
}
