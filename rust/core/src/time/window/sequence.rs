//! What is said side by side: "Monday and Tuesday", "May, June and July 2024". What adjoins is one window.

use super::calendar::{DAY, Unit};
use super::expression::{Found, Reader};
use super::frame::Frame;
use super::lexicon::Cat;
use super::phrase::Lead;
use super::resolve::{Prefer, Span};
use super::token::Kind;

/// The longest sequence: the days of two weeks.
const MOST: usize = 14;

impl Reader<'_> {
    /// The window from the first to the last of several times of one grain that adjoin, in this order or backwards. Of
    /// months that do not, the first takes its year from the second.
    pub(super) fn side_by_side(&self, at: usize, first: &Frame) -> Option<Found> {
        let mut frames = vec![first.clone()];
        let mut joined = false;
        while frames.len() < MOST
            && let Some((next, last)) = self.next_of(frames.last()?, joined)
        {
            joined |= last;
            frames.push(next);
        }
        // What commas alone part is a list of something else.
        while joined && frames.len() > 1 {
            if let Some(span) = self.adjoining(&frames) {
                return Some(self.found(at, frames.last()?.to, span, 3));
            }
            // "Monday and Tuesday, and on Thursday": those that adjoin, as long as an "and" is among them.
            if frames.len() == 2 {
                break;
            }
            frames.pop();
            joined = (1..frames.len()).any(|number| self.scan.skip(frames[number - 1].to, Cat::And).is_some());
        }
        let [first, last] = frames.get(..2)? else { return None };
        let apart = self.scan.skip(first.to, Cat::And).is_some() && last.year.is_some();
        (apart && first.month.is_some() && last.month.is_some() && first.year.is_none() && first.rel.is_none())
            .then(|| self.context.resolve(&Frame { year: last.year, ..first.clone() }))
            .flatten()
            .map(|span| self.found(at, first.to, span, 3))
    }

    /// The same of times that are only sure beside each other: "May and June", "2023 and 2024".
    pub(super) fn supported(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let first = self.phrase(at, Lead { prep: true, range: true, ..Lead::default() })?;
        let found = self.side_by_side(at, &first).filter(|found| found.to > first.to)?;
        // "may and June": a verb.
        let mut words = (at + 1..found.to).filter(|at| scan.skip(*at, Cat::Month).is_some());
        let alike = scan.tokens[at].capital || !words.any(|at| scan.tokens[at].capital);
        // "rooms 2023 and 2024": numbers, unless they are all there is.
        let numbers = first.year.is_some() && first.slots() == 1 && !self.is_whole(at, found.to);
        let named = at > 0 && matches!(scan.unit(at - 1), Some((Unit::Year, next)) if next == at);
        (alike && (!numbers || named)).then_some(found)
    }

    /// What comes beside a time, and whether an "and" or nothing stands between them rather than a comma.
    fn next_of(&self, before: &Frame, joined: bool) -> Option<(Frame, bool)> {
        let scan = &self.scan;
        if !is_lone(before) || scan.token(before.to)?.new_line {
            return None;
        }
        let comma = [',', '、'].into_iter().any(|sign| scan.sign(before.to, sign));
        let gap = before.to + usize::from(comma);
        let and = scan.skip(gap, Cat::And).filter(|_| !scan.sign(gap, '-'));
        if joined && and.is_none() {
            return None;
        }
        let next = scan.skip_all(and.unwrap_or(gap), &[Cat::Prep, Cat::The]);
        let frame = self.phrase(next, Lead { prep: true, ..Lead::default() }).filter(is_lone)?;
        if and.is_some() || comma {
            return Some((frame, and.is_some()));
        }
        // "May June": two months and no word between them nor after them, which June could then belong to.
        let months = before.month.is_some() && frame.month.is_some() && next == before.to && before.year.is_none();
        let ends = scan.token(frame.to).is_none_or(|token| matches!(token.kind, Kind::Sign(_)));
        (months && ends).then_some((frame, true))
    }

    /// From the first to the last, if they adjoin.
    fn adjoining(&self, frames: &[Frame]) -> Option<Span> {
        [true, false].into_iter().find_map(|wraps| {
            let spans = self.spans(&shared(frames, wraps))?;
            let (first, last) = (spans.first()?, spans.last()?);
            if spans.iter().any(|span| span.grain != first.grain || span.grain < Unit::Day) {
                return None;
            }
            if spans.windows(2).all(|pair| pair[0].end == pair[1].start) {
                let span = Span { end: last.end, ..*first };
                // Said on a Saturday, "Saturday and Sunday" have been.
                let ahead = self.context.prefer == Prefer::Past && last.start > Some(self.context.now);
                let days = frames.iter().all(|frame| frame.weekday.is_some() && frame.slots() == 1 && !frame.to_come);
                let back = if ahead && days { -7 * DAY } else { 0 };
                return Some(Span {
                    start: span.start.map(|time| time + back),
                    end: span.end.map(|time| time + back),
                    ..span
                });
            }
            let backwards = spans.windows(2).all(|pair| pair[0].start == pair[1].end);
            backwards.then_some(Span { end: first.end, ..*last })
        })
    }

    /// Each resolved near the one before it, or by itself.
    fn spans(&self, frames: &[Frame]) -> Option<Vec<Span>> {
        let mut spans: Vec<Span> = Vec::new();
        for frame in frames {
            let alone = self.context.resolve(frame)?;
            let near = match spans.last() {
                Some(before) => self.context.forward_from(before.start?.div_euclid(DAY)).resolve(frame)?,
                None => alone,
            };
            let adjoins = spans.last().is_some_and(|before| before.end == near.start);
            spans.push(if adjoins { near } else { alone });
        }
        Some(spans)
    }
}

/// Whether a phrase names a whole day or longer and nothing inside it.
fn is_lone(frame: &Frame) -> bool {
    let inside = frame.clock.is_some() || frame.part.is_some() || frame.edge.is_some() || frame.now;
    let open = frame.rest || frame.to_date || frame.lasting.is_some() || frame.offset.is_some();
    !inside && !open && frame.nth.is_none() && frame.day_to.is_none() && frame.has_date()
}

/// Where a phrase that can lack its year lies in one, from 1.
fn place(frame: &Frame) -> Option<i64> {
    let months = |number: Option<i64>, length: i64| number.map(|number| number * length);
    frame.month.or(months(frame.quarter, 3)).or(months(frame.season, 3)).or(months(frame.half, 6))
}

/// The phrases with the year or week that one of them names for all. `wraps`: one that lies later in the year than the
/// next is of the year before.
fn shared(frames: &[Frame], wraps: bool) -> Vec<Frame> {
    let mut frames = frames.to_vec();
    let lacks = |frame: &Frame| frame.year.is_none() && frame.rel.is_none() && frame.point.is_none();
    for at in (1..frames.len()).rev() {
        let (before, after) = frames.split_at_mut(at);
        let (Some(before), Some(after)) = (before.last_mut(), after.first()) else { continue };
        if let (Some(first), Some(last)) = (place(before), place(after))
            && lacks(before)
        {
            before.year = after.year.map(|year| year - i64::from(wraps && first > last));
            before.rel = after.rel.filter(|(unit, _)| *unit == Unit::Year);
        }
    }
    for at in 1..frames.len() {
        let (before, after) = frames.split_at_mut(at);
        let (Some(before), Some(after)) = (before.last(), after.first_mut()) else { continue };
        if let (Some(first), Some(last)) = (place(before), place(after))
            && lacks(after)
        {
            after.year = before.year.map(|year| year + i64::from(wraps && first > last));
            after.rel = before.rel.filter(|(unit, _)| *unit == Unit::Year);
        }
        if before.weekday.is_some() && after.weekday.is_some() && after.day.is_none() {
            after.weekday_point = after.weekday_point.or(before.weekday_point);
            after.rel = after.rel.or(before.rel);
        }
    }
    frames
}
