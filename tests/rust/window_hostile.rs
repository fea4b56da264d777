//! Any text gives a window or none: random and hostile strings, and very long ones.
//!
//! A run of the test suite tries 20,000 strings; `TIMEWALK_HOSTILE=1000000 cargo test --release` tries a million.

use timewalk_core::time::parse_zone;
use timewalk_core::time::window::{Options, Prefer, anchor_window, find_anchor, find_windows, languages};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Words that start and join expressions, signs, long numbers, and characters that texts are hard with.
const PIECES: &[&str] = &[
    "last",
    "next",
    "this",
    "the",
    "of",
    "in",
    "on",
    "at",
    "to",
    "-",
    "–",
    "from",
    "between",
    "and",
    "until",
    "since",
    "before",
    "after",
    "ago",
    "from now",
    "week",
    "weeks",
    "month",
    "year",
    "years",
    "day",
    "days",
    "hours",
    "minute",
    "century",
    "decade",
    "quarter",
    "may",
    "March",
    "Sept.",
    "Monday",
    "fri",
    "3",
    "03",
    "31",
    "32",
    "0",
    "00",
    "29",
    "1999",
    "2024",
    "99999",
    "999999999999999999999999",
    "1/2/3",
    "2024-02-30",
    "29/2",
    ":",
    "12:30",
    "25:61",
    "pm",
    "a.m.",
    ".",
    ",",
    "/",
    "'",
    "\"",
    "(",
    ")",
    "+",
    "~",
    "%",
    "$",
    "#",
    "T",
    "Z",
    "GMT",
    "+99:99",
    "first",
    "second",
    "last",
    "twenty",
    "hundred",
    "million",
    "half",
    "q",
    "q1",
    "H2",
    "s",
    "90s",
    "1990",
    "early",
    "mid",
    "late",
    "end of",
    "week of",
    "easter",
    "diwali",
    "ramadan",
    "passover",
    "chinese new year",
    "around",
    "or so",
    "every",
    "not",
    "except",
    "so far",
    "recent",
    "closest",
    "was",
    "will",
    "later",
    "earlier",
    "night",
    "bc",
    "AD",
    "W23",
    "'80s",
    "2.5.10",
    "1980-86",
    "noon",
    "midnight",
    "tonight",
    "within",
    "past",
    "few",
    "couple",
    "old",
    "letzte",
    "Woche",
    "vor",
    "Tagen",
    "montagabend",
    "il y a",
    "dernière",
    "hace",
    "semana",
    "pasada",
    "fa",
    "scorsa",
    "há",
    "atrás",
    "назад",
    "недели",
    "上",
    "周",
    "个",
    "月",
    "年",
    "日",
    "三",
    "十",
    "前",
    "から",
    "まで",
    "先",
    "午後",
    "時",
    "平成",
    "元",
    "\u{202e}",
    "\u{200f}",
    "e\u{301}\u{301}\u{301}",
    "\u{0}",
    "\n",
    "\t",
    "𝟛",
    "٣",
    "３",
    "½",
    "👩‍👩‍👧",
    "İ",
    "ß",
    "ﬁ",
    "ǅ",
    "\u{feff}",
    "ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ",
];

const NOWS: &[i64] =
    &[0, 1_752_750_000_000_000, -62_135_596_800_000_000, 253_402_300_799_999_999, i64::MIN, i64::MAX, -1];

fn sentence(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(12) {
        if random.below(8) == 0 {
            // Any character at all.
            text.extend(char::from_u32(random.next() as u32 % 0x11_0000));
        } else {
            text.push_str(PIECES[random.below(PIECES.len())]);
        }
        if random.below(4) > 0 {
            text.push(' ');
        }
    }
    text
}

#[test]
fn any_text_gives_a_window_or_none() {
    let count = std::env::var("TIMEWALK_HOSTILE").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let languages: Vec<_> = languages().collect();
    let zones: Vec<_> = ["UTC", "America/New_York", "Asia/Kolkata", "+14:00", "Pacific/Apia"]
        .iter()
        .map(|name| parse_zone(name).unwrap())
        .collect();
    let mut random = Random(0x5EED);
    let mut found = 0_usize;
    for _ in 0..count {
        let text = sentence(&mut random);
        let options = Options {
            now: NOWS[random.below(NOWS.len())],
            zone: zones[random.below(zones.len())].clone(),
            prefer: [Prefer::Past, Prefer::Future, Prefer::Nearest][random.below(3)],
            locale: languages[random.below(languages.len())].into(),
        };
        let length = text.chars().count();
        for window in find_windows(&text, &options).unwrap() {
            found += 1;
            assert!(window.span.0 < window.span.1 && window.span.1 <= length, "{text:?}: {window:?}");
            if let (Some(start), Some(end)) = (window.start, window.end) {
                assert!(start <= end, "{text:?}: {window:?}");
            }
        }
        if let Some(anchored) = find_anchor(&text, &options).unwrap() {
            assert!(anchored.event.0 < anchored.event.1 && anchored.event.1 <= length, "{text:?}");
            let window = anchor_window(&anchored, options.now, i64::MAX, &options);
            assert!(window.span.1 <= length, "{text:?}");
        }
    }
    assert!(found > count / 10, "the strings are made to hold times: {found} of {count}");
}

#[test]
fn a_hundred_thousand_words_are_read() {
    // What took time that grew with the square of the length would not come back; `bench_windows.py` measures it.
    let options = Options {
        now: 1_752_750_000_000_000,
        zone: parse_zone("UTC").unwrap(),
        prefer: Prefer::Past,
        locale: "en".into(),
    };
    for word in [
        "monday ",
        "1 ",
        "1 day ",
        "the ",
        "last ",
        "between ",
        "2024-",
        "twenty ",
        "before ",
        "a ",
        "\" ",
        "may to ",
        "'",
        "((",
        "第",
        "not ",
        "every ",
        "not every ",
        "after 2010 and ",
        "2 weeks later ",
        "29 February 2025 ",
    ] {
        let text = word.repeat(100_000);
        let length = text.chars().count();
        for window in find_windows(&text, &options).unwrap() {
            assert!(window.span.1 <= length, "{word:?}");
        }
        find_anchor(&text, &options).unwrap();
    }
}
