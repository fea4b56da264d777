//! Time windows from plain language.
//!
//! A text is cut into tokens; phrases fill slots (year, month, weekday, …); expressions put ranges, open ends and
//! lengths of time around phrases; what is left is resolved on plain integers in the caller's zone. The words of a
//! language are data (`lang/*.txt`), the rules are shared.
//!
//! Which of several expressions governs: the one that says most about a date — a length of time or an open end over
//! a date of several parts, that over a lone month or year, that over a time of day, that over "now" — and of equals
//! the first.

mod accept;
mod anchor;
mod calendar;
mod clock;
mod closest;
mod dates;
mod dateslot;
mod daytime;
mod expression;
mod frame;
mod holiday;
mod lengths;
mod lexicon;
mod moon;
mod number;
mod numeric;
mod phrase;
mod pointed;
mod range;
mod refuse;
mod resolve;
mod scan;
mod sequence;
mod sky;
mod timeslot;
mod token;

use std::cell::Cell;

use jiff::tz::TimeZone;

use crate::{Error, Result};
pub use anchor::{Anchored, Relation};
pub use calendar::Unit;
use expression::{Found, Reader};
use lexicon::Order;
pub use lexicon::{Lexicon, languages};
use resolve::Context;
pub use resolve::Prefer;
use scan::Scan;

/// What a reading hangs on.
#[derive(Debug, Clone)]
pub struct Options {
    /// Now, in microseconds since the epoch, UTC.
    pub now: i64,
    /// The zone whose days are meant.
    pub zone: TimeZone,
    /// Which reading to prefer where the text allows several.
    pub prefer: Prefer,
    /// Language, with a region where it matters: "en", "en-GB", "de".
    pub locale: String,
}

/// A time window and where in the text it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// First microsecond, UTC; `None` where the text leaves it open.
    pub start: Option<i64>,
    /// The microsecond after the last, UTC; `None` where the text leaves it open.
    pub end: Option<i64>,
    /// How finely it was said: "day", "month" and so on.
    pub grain: &'static str,
    /// How far "around" widened both ends, in microseconds.
    pub margin: i64,
    /// First character and one past the last.
    pub span: (usize, usize),
    /// How surely the text is about it; of several windows the surest governs.
    pub strength: u8,
}

/// Every window in a text, in order.
pub fn find_windows(text: &str, options: &Options) -> Result<Vec<Window>> {
    let Some(reader) = reader(text, options)? else { return Ok(Vec::new()) };
    Ok(found(&reader).into_iter().map(|found| window(&reader, &found)).collect())
}

/// The window that governs a text, if it has one.
pub fn find_window(text: &str, options: &Options) -> Result<Option<Window>> {
    let mut best: Option<Window> = None;
    for window in find_windows(text, options)? {
        if best.as_ref().is_none_or(|held| window.strength > held.strength) {
            best = Some(window);
        }
    }
    Ok(best)
}

/// The expression that hangs on an event, if the text has one; see [`Anchored`].
pub fn find_anchor(text: &str, options: &Options) -> Result<Option<Anchored>> {
    Ok(reader(text, options)?.and_then(|reader| reader.anchored()))
}

/// The window of an expression whose event began and ended at these times (microseconds, UTC).
pub fn anchor_window(anchored: &Anchored, start: i64, end: i64, options: &Options) -> Window {
    let context = context(options);
    let span = anchored.resolve(&context, context.to_wall(calendar::hold(start)), context.to_wall(calendar::hold(end)));
    Window {
        start: span.start.map(|time| context.to_utc(time)),
        end: span.end.map(|time| context.to_utc(time)),
        grain: span.grain.name(),
        margin: 0,
        span: anchored.span,
        strength: if anchored.explicit { 4 } else { 2 },
    }
}

fn context(options: &Options) -> Context {
    let mut context = Context { now: 0, near: 0, zone: options.zone.clone(), prefer: options.prefer };
    context.now = context.to_wall(calendar::hold(options.now));
    context.near = context.today();
    context
}

fn reader<'a>(text: &str, options: &Options) -> Result<Option<Reader<'a>>> {
    let language = options.locale.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let Some(lexicon) = lexicon::lexicon(&language) else {
        let known: Vec<_> = languages().collect();
        return Err(Error::value(format!("no language '{}'; there are {}", options.locale, known.join(", "))));
    };
    // English outside the United States writes the day first.
    let region = options.locale.split(['-', '_']).nth(1).unwrap_or_default();
    let order = match lexicon.order {
        Order::MonthFirst if language == "en" && !region.is_empty() && !region.eq_ignore_ascii_case("us") => {
            Order::DayFirst
        }
        order => order,
    };
    let scan = Scan::new(text, lexicon, order);
    if scan.is_empty() {
        return Ok(None);
    }
    Ok(Some(Reader { scan, context: context(options), told: Cell::new(None) }))
}

fn found(reader: &Reader) -> Vec<Found> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < reader.scan.tokens.len() {
        if let Some(to) = reader.repetition(at) {
            at = to;
            continue;
        }
        match reader.expression(at) {
            Some(found) if found.to > at => {
                at = found.to;
                if found.strength > 0 {
                    reader.told.set(Some(found.span));
                }
                if !reader.is_denied(&found) {
                    all.push(found);
                }
            }
            _ => at = reader.no_such_day(at).unwrap_or(at + 1),
        }
    }
    all
}

fn window(reader: &Reader, found: &Found) -> Window {
    let tokens = &reader.scan.tokens;
    let start = found.span.start.map(|time| reader.context.to_utc(time));
    // At the last years that there are, ends meet.
    let end = found.span.end.map(|time| reader.context.to_utc(time).max(start.unwrap_or(i64::MIN)));
    Window {
        start,
        end,
        grain: found.span.grain.name(),
        margin: found.margin,
        span: (tokens[found.from].start, tokens[found.to - 1].end),
        strength: found.strength,
    }
}
