//! Expressions: phrases with what stands around them — ranges, open ends, lengths of time, margins.

use std::cell::Cell;

use super::calendar::{DAY, Unit, hold};
use super::frame::Frame;
use super::lexicon::Cat;
use super::phrase::Lead;
use super::resolve::{Context, Prefer, Span};
use super::scan::Scan;
use super::token::Kind;

/// A time that was found, with the tokens it was read from.
#[derive(Debug, Clone)]
pub struct Found {
    /// The time on the wall clock.
    pub span: Span,
    /// How far "around" reaches on both sides, already part of the span.
    pub margin: i64,
    /// First token.
    pub from: usize,
    /// One past the last token.
    pub to: usize,
    /// How surely this is the time that the text is about: 0 to 4.
    pub strength: u8,
}

/// A scanned text with what readings hang on.
pub struct Reader<'a> {
    /// The text.
    pub scan: Scan<'a>,
    /// Now, zone, preference.
    pub context: Context,
    /// The time that the text spoke of last, for what is "two weeks later".
    pub told: Cell<Option<Span>>,
}

impl Reader<'_> {
    /// The expression that starts at a token.
    pub fn expression(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        // Most words start nothing.
        let starts = |cat: Cat| {
            !matches!(cat, Cat::Clause | Cat::Verb | Cat::Happened | Cat::Future | Cat::Question | Cat::Noun)
        };
        if !scan.senses(at).any(|(sense, _)| starts(sense.cat)) && scan.digits(at).is_none() && !scan.tokens[at].glued {
            let sign = matches!(scan.tokens[at].kind, Kind::Sign('+' | '-' | '<' | '>'));
            if !sign {
                return None;
            }
        }
        let found = self
            .between(at)
            .or_else(|| self.signed(at))
            .or_else(|| self.lengths(at))
            .or_else(|| self.operator(at))
            .or_else(|| self.around(at))
            .or_else(|| self.closest(at))
            .or_else(|| self.beside(at))
            .or_else(|| self.range_or_phrase(at, Lead::default()))
            .or_else(|| self.this_unit(at))?;
        self.postfix(found)
    }

    pub(super) fn found(&self, from: usize, to: usize, span: Span, strength: u8) -> Found {
        Found { span, margin: 0, from, to, strength }
    }

    /// "since", "before", "after", "until", "by" and a time.
    pub(super) fn operator(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let cats = [Cat::Since, Cat::Starting, Cat::Before, Cat::After, Cat::Until, Cat::Through, Cat::By];
        let (cat, next) =
            cats.iter().filter_map(|cat| scan.skip(at, *cat).map(|next| (*cat, next))).max_by_key(|(_, next)| *next)?;
        // "the following Friday" points.
        if cat == Cat::After && scan.value(at, Cat::Rel).is_some() {
            return None;
        }
        let now = self.context.now;
        let as_of = scan.value(at, Cat::Starting).is_some_and(|(value, to)| value == 2 && to == next);
        let inside = scan.skip_all(next, &[Cat::Prep, Cat::Around]);
        let moment = |at: usize| -> Option<(Span, usize)> {
            if let Some(found) = self.lengths(at) {
                return Some((found.span, found.to));
            }
            let lead = Lead { prep: true, ..Lead::default() };
            let frame =
                self.phrase(at, lead).or_else(|| self.phrase(scan.skip(at, Cat::The)?, Lead { the: true, ..lead }))?;
            Some((self.context.resolve(&frame)?, frame.to))
        };
        // seit drei Tagen, since three days
        if matches!(cat, Cat::Since)
            && let Some((length, to)) = scan.length(inside)
            && length.rel.is_none()
            && scan.skip(to, Cat::Ago).is_none()
            && scan.skip(to, Cat::Relpost).is_none()
        {
            return Some(self.found(at, to, self.stretch(&length, -1, false), 4));
        }
        if cat == Cat::After
            && let Some((length, to)) = scan.length(inside)
            && scan.skip(to, Cat::Ago).is_none()
        {
            return Some(self.found(at, to, self.moved(&length, 1), 3));
        }
        let (span, mut to) = moment(inside).or_else(|| moment(next))?;
        let mut span = match cat {
            Cat::Since => {
                Span { start: span.start, end: span.start.filter(|start| *start <= now).map(|_| now), ..span }
            }
            Cat::Starting if as_of && span.start.is_some_and(|start| start <= now) => return None,
            Cat::Starting => Span { end: None, ..span },
            Cat::Before => Span { start: None, end: span.start, ..span },
            Cat::After => Span { start: if span.grain.is_clock() { span.start } else { span.end }, end: None, ..span },
            Cat::By
                if span.end.is_some_and(|end| end > now) && self.context.prefer != Prefer::Past
                    || scan.value(inside, Cat::Edgeof).is_some()
                    || scan.value(scan.skip_all(inside, &[Cat::The]), Cat::Edge).is_some() =>
            {
                if span.end.is_some_and(|end| end > now) {
                    Span { start: Some(now), ..span }
                } else {
                    Span { start: None, ..span }
                }
            }
            _ => Span { start: None, end: if span.grain.is_clock() { span.start } else { span.end }, ..span },
        };
        // "after 2010 and before 2018", "later than 3pm but before 6pm"
        if matches!(cat, Cat::After | Cat::Since | Cat::Starting) {
            let gap = if scan.sign(to, ',') { to + 1 } else { to };
            let joint = scan.skip_all(gap, &[Cat::And, Cat::But]);
            let bounds = [Cat::Before, Cat::Until].iter().any(|cat| scan.skip(joint, *cat).is_some());
            if bounds
                && let Some(bound) = self.operator(joint)
                && bound.span.start.is_none()
                && bound.span.end > span.start
            {
                span.end = bound.span.end;
                span.grain = span.grain.min(bound.span.grain);
                to = bound.to;
            }
        }
        Some(self.found(at, to, span, 4))
    }

    /// "around 3 June": a margin on both sides.
    pub(super) fn around(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (about, next) = scan.value(at, Cat::Around)?;
        if about == 2
            && at > 0
            && (1..=2).any(|back| at >= back && scan.value(at - back, Cat::Noword).is_some_and(|(_, to)| to == at))
        {
            return None;
        }
        let inside = scan.skip_all(next, &[Cat::The]);
        let lead = Lead { prep: true, at: true, the: inside > next, ..Lead::default() };
        let mut found = self.lengths(inside).or_else(|| self.range_or_phrase(inside, lead))?;
        found.from = at;
        found.strength = found.strength.max(3);
        Some(self.widen(found))
    }

    pub(super) fn widen(&self, mut found: Found) -> Found {
        let margin = match found.span.grain {
            Unit::Day | Unit::Workday => DAY,
            Unit::Weekend | Unit::Week | Unit::Fortnight => 3 * DAY,
            Unit::Month => 7 * DAY,
            Unit::Quarter | Unit::Season => 15 * DAY,
            Unit::Half | Unit::Year => 31 * DAY,
            Unit::Decade | Unit::Century => 366 * DAY,
            _ => 0,
        };
        found.margin = margin;
        found.span.start = found.span.start.map(|start| hold(start.saturating_sub(margin)));
        found.span.end = found.span.end.map(|end| hold(end.saturating_add(margin)));
        found
    }

    /// One phrase, or two with a dash or "to" between them.
    pub(super) fn range_or_phrase(&self, at: usize, lead: Lead) -> Option<Found> {
        let scan = &self.scan;
        let first = self.phrase(at, lead);
        let first = match first {
            Some(frame) => frame,
            // 2014-2018: two bare years support each other, and so do two months.
            None => return self.years(at).or_else(|| self.months(at)).or_else(|| self.supported(at)),
        };
        if first.year.is_some()
            && first.slots() == 1
            && scan.sign(first.to, '-')
            && let Some(found) = self.years(at)
        {
            return Some(found);
        }
        // "6 Jan 2017 - 6:37am": the dash parts a day from its time.
        if first.has_day()
            && first.clock.is_none()
            && first.part.is_none()
            && scan.sign(first.to, '-')
            && let Some((clock, to)) = scan.clock(first.to + 1, false)
            && !clock.bare
        {
            let timed = Frame { clock: Some(clock), to, ..first.clone() };
            return Some(self.found(at, to, self.context.resolve(&timed)?, 3));
        }
        let quiet = first.clock_to.is_some() || first.day_to.is_some() && !scan.sign(first.to, '-');
        if !quiet
            && let Some(joint) = self.joint(first.to, false)
            && !(scan.token(joint).is_some_and(|token| token.new_line))
        {
            let range = Lead { prep: true, range: true, ..Lead::default() };
            let start = Side { kind: Kinds::Frame(Box::new(first.clone())), to: first.to };
            let spaced = scan.sign(first.to, '-') || first.slots() > 0;
            if spaced
                && let Some(last) = self.side(joint, range)
                && !matches!(last.kind, Kinds::Number(_) if first.clock.is_none() && first.day.is_none())
                && let Some(span) = self.join(&start, &last)
            {
                // 1月から3月まで
                let closed = scan.value(last.to, Cat::Onward).filter(|(direction, _)| *direction == -2);
                return Some(self.found(at, closed.map_or(last.to, |(_, to)| to), span, 3));
            }
        }
        if let Some(found) = self.side_by_side(at, &first) {
            return Some(found);
        }
        // 昨日の2日前
        if first.relday.is_some()
            && first.slots() == 1
            && let Some(inside) = scan.skip(first.to, Cat::Of)
            && let Some((length, next)) = scan.length(inside)
            && let Some((sign, to)) =
                scan.skip(next, Cat::Ago).map(|to| (-1, to)).or_else(|| scan.skip(next, Cat::Later).map(|to| (1, to)))
        {
            let day = length.shift(self.context.resolve(&first)?.start?, sign).div_euclid(DAY);
            return Some(self.found(at, to, Span::days(day, day + 1, Unit::Day), 4));
        }
        let span = self.context.resolve(&first)?;
        let strength = self.strength(&first);
        // 5時から6時まで: the range has its end already.
        let closed = first.clock_to.is_some() || first.day_to.is_some();
        let to = scan.value(first.to, Cat::Onward).filter(|(direction, _)| closed && *direction == -2);
        let mut found = self.found(at, to.map_or(first.to, |(_, to)| to), span, strength);
        if first.approximate {
            found = self.widen(found);
        }
        // "today before 4pm", "Friday after 10"
        if first.has_day() && first.clock.is_none() && first.part.is_none() {
            let before = scan.skip(first.to, Cat::Before).or_else(|| scan.skip(first.to, Cat::Until));
            let after = scan.skip(first.to, Cat::After);
            if let Some(inside) = before.or(after)
                && let Some((clock, to)) = scan.plain_or_fixed(inside)
            {
                let mut timed = first.clone();
                timed.clock = Some(clock);
                let time = self.context.resolve(&timed)?.start?;
                found.to = to;
                found.strength = 4;
                if before.is_some() {
                    found.span.end = Some(time);
                } else {
                    found.span.start = Some(time);
                }
            }
        }
        Some(found)
    }

    /// "2012 or after", "year to date".
    pub(super) fn postfix(&self, mut found: Found) -> Option<Found> {
        let scan = &self.scan;
        if let Some((direction, to)) = scan.value(found.to, Cat::Onward)
            && found.span.start.is_some()
            && found.span.end.is_some()
            && to > found.to
            && (to - found.to > 1 || !scan.unknown_word(to))
            && scan.value(found.to, Cat::Prep).is_none_or(|(_, prep)| prep < to)
        {
            found.to = to;
            if direction > 0 {
                found.span.end = None;
            } else {
                // 之前 leaves the time itself out, "or before" and まで do not.
                if direction == -3 {
                    found.span.end = found.span.start;
                }
                found.span.start = None;
            }
        }
        // "three days ago at 5pm"
        if found.span.grain == Unit::Day
            && found.strength > 2
            && let Some(start) = found.span.start
            && found.span.end == Some(start.saturating_add(DAY))
            && let Some(inside) = scan.skip(found.to, Cat::At)
            && scan.sense(found.to, Cat::Around).is_none()
            && let Some((clock, to)) = scan.clock(inside, true)
            && !clock.bare
        {
            let timed = Frame { clock: Some(clock), ..Frame::default() };
            found.span = self.context.within_day(&timed, start.div_euclid(DAY))?;
            found.to = to;
        }
        if scan.sign(found.to, '+')
            && let Some((length, to)) = scan.length(found.to + 1)
        {
            let move_on = |time: Option<i64>| time.map(|time| length.shift(time, 1));
            found.span = Span { start: move_on(found.span.start), end: move_on(found.span.end), ..found.span };
            found.to = to;
        }
        if let Some(to) = scan.skip(found.to, Cat::Orso)
            && found.margin == 0
        {
            found.to = to;
            found = self.widen(found);
        }
        if scan.glued(found.from) && found.from > 0 && scan.sign(found.from - 1, '"') {
            found.strength = found.strength.saturating_sub(1);
        }
        Some(found)
    }
}

pub(super) enum Kinds {
    Frame(Box<Frame>),
    Span(Span),
    Number(i64),
}

pub(super) struct Side {
    pub(super) kind: Kinds,
    pub(super) to: usize,
}

impl Side {
    pub(super) fn frame(&self) -> Option<&Frame> {
        match &self.kind {
            Kinds::Frame(frame) => Some(frame),
            _ => None,
        }
    }
}

impl Scan<'_> {
    /// A season before a noun is an adjective: "summer dress".
    pub(super) fn unknown_word_is_noun(&self, at: usize) -> bool {
        self.unknown_word(at) && !self.tokens[at].capital
    }
}
