//! Phrases: slots filled one after the other, in whatever order the words come.

use super::calendar::Unit;
use super::frame::{Counted, Frame};
use super::lexicon::Cat;
use super::scan::Scan;
use super::token::Kind;

/// What stood just before a word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lead {
    /// A preposition of time, "in" or "during".
    pub prep: bool,
    /// "at", "around".
    pub at: bool,
    /// "of".
    pub of: bool,
    /// The definite article.
    pub the: bool,
    /// "from" or "between": a range is to be expected.
    pub range: bool,
    /// A dash or slash without spaces.
    pub dash: bool,
    /// The phrase is all there is.
    pub whole: bool,
}

impl Scan<'_> {
    /// Reads as many parts of a time as belong together from a token on.
    pub fn phrase(&self, at: usize, lead: Lead) -> Option<Frame> {
        let mut frame = Frame { from: at, ..Frame::default() };
        let mut next = self.component(at, &mut frame, lead)?;
        frame.to = next;
        'parts: loop {
            let mut lead = Lead { range: lead.range, ..Lead::default() };
            let mut gap = next;
            for _ in 0..4 {
                if self.token(gap).is_some_and(|token| token.new_line) {
                    break 'parts;
                }
                if let Some(after) = self.component(gap, &mut frame, lead) {
                    next = after;
                    frame.to = next;
                    continue 'parts;
                }
                match self.connector(gap, &frame, &mut lead) {
                    Some(after) => gap = after,
                    None => break 'parts,
                }
            }
            break;
        }
        self.finish(frame)
    }

    /// Words and signs that hold the parts of a phrase together.
    pub(super) fn connector(&self, at: usize, frame: &Frame, lead: &mut Lead) -> Option<usize> {
        let token = self.token(at)?;
        if token.is('\'')
            && let Some(after) = self.skip(at, Cat::Of)
        {
            lead.of = true;
            return Some(after);
        }
        if let Kind::Sign(sign) = token.kind {
            let tight = token.glued && self.glued(at + 1);
            match sign {
                ',' | '、' | '(' | ')' | '[' | ']' => {}
                '@' => lead.at = true,
                // An abbreviation's dot, or a dot inside a date.
                '.' if token.glued
                    && (tight
                        || self.value(at + 1, Cat::Month).is_some()
                        || self.token(at.wrapping_sub(1)).is_some_and(|word| {
                            word.kind == Kind::Word && word.end - word.start <= 5 && at == frame.to
                        })
                        || self.lexicon.has("dotted")) => {}
                '-' | '/' if tight => lead.dash = true,
                '\'' if token.glued => {}
                _ => return None,
            }
            return Some(at + 1);
        }
        if let Some(after) = self.skip(at, Cat::At) {
            lead.at = true;
            return Some(after);
        }
        for (cat, flag) in [(Cat::Of, 0), (Cat::Prep, 1), (Cat::The, 2)] {
            if let Some(after) = self.skip(at, cat) {
                match flag {
                    0 => lead.of = true,
                    1 => lead.prep = true,
                    _ => lead.the = true,
                }
                return Some(after);
            }
        }
        if frame.lasting.is_some()
            && let Some(after) = self.skip(at, Cat::From)
        {
            lead.at = true;
            return Some(after);
        }
        None
    }

    /// One part of a time; fills its slot and gives the token after it.
    pub(super) fn component(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        self.numeric_date(at, frame, lead)
            .or_else(|| self.decade_mark(at, frame))
            .or_else(|| self.marked_date(at, frame))
            .or_else(|| self.clock_range(at, frame, lead))
            .or_else(|| self.time_of_day(at, frame, lead))
            .or_else(|| self.edge(at, frame, lead))
            .or_else(|| self.quarter(at, frame))
            .or_else(|| self.pointed(at, frame))
            .or_else(|| self.counted(at, frame))
            .or_else(|| self.words(at, frame))
            .or_else(|| self.decade(at, frame, lead))
            .or_else(|| self.week(at, frame))
            .or_else(|| self.day_of_month(at, frame, lead))
            .or_else(|| self.year(at, frame, lead))
            .or_else(|| self.tail(at, frame))
    }

    /// Months, weekdays, days such as "yesterday", parts of the day, holidays, seasons.
    pub(super) fn words(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        let first = frame.slots() == 0;
        // "dienstag morgen", "ayer por la mañana": the morning, not tomorrow.
        let morning = (frame.has_day() || frame.clock.is_some() && self.lexicon.has("partclock"))
            && self.value(at, Cat::Part).is_some();
        // 次の日曜日 is a Sunday.
        let split = self.value(at, Cat::Rel).is_some_and(|(_, next)| {
            let relday = self.value(at, Cat::Relday).map_or(0, |(_, to)| to);
            self.value(next, Cat::Weekday).is_some_and(|(_, to)| to > relday)
        });
        if frame.relday.is_none()
            && !split
            && !morning
            && frame.month.is_none()
            && frame.rel.is_none()
            && let Some((value, next)) = self.value(at, Cat::Relday)
        {
            frame.relday = Some(value);
            return Some(next);
        }
        if let Some((holiday, next)) = self.value(at, Cat::Holiday)
            && frame.holiday.is_none()
            && frame.month.is_none()
        {
            frame.holiday = Some(holiday);
            if let Some((Unit::Weekend, after)) = self.unit(next) {
                frame.rel = Some((Unit::Weekend, 0));
                return Some(after);
            }
            return Some(next);
        }
        if frame.month.is_none()
            && !matches!(frame.rel, Some((unit, _)) if unit != Unit::Year && unit != Unit::Week && unit != Unit::Day && unit != Unit::Weekend)
            && let Some((sense, next)) = self.sense(at, Cat::Month)
        {
            frame.month = Some(sense.value);
            frame.weak |= sense.weak && first;
            frame.name |= sense.name && first;
            if let Some((point, after)) = self.relpost(next) {
                frame.point = Some(point);
                return Some(after);
            }
            return Some(next);
        }
        if frame.weekday.is_none()
            && let Some((sense, next)) = self.sense(at, Cat::Weekday)
        {
            frame.weekday = Some(sense.value);
            frame.weak |= sense.weak && first;
            if let Some((point, after)) = self.relpost(next) {
                frame.weekday_point = Some(point);
                return Some(after);
            }
            return Some(next);
        }
        if frame.part.is_none()
            && let Some((part, next)) = self.value(at, Cat::Part)
        {
            if part > 100 {
                if frame.relday.is_some() || frame.weekday.is_some() {
                    return None;
                }
                frame.relday = Some(1 - part / 100);
            }
            frame.part = Some(part % 100);
            return Some(next);
        }
        if frame.season.is_none()
            && let Some((season, next)) = self.value(at, Cat::Season)
            // The Summer Olympics are no summer.
            && !(self.unknown_word(next) && self.tokens[next].capital)
        {
            frame.season = Some(season);
            if let Some((point, after)) = self.relpost(next) {
                frame.point = Some(point);
                return Some(after);
            }
            return Some(next);
        }
        if first && let Some((_, next)) = self.value(at, Cat::Now) {
            frame.now = true;
            return Some(next);
        }
        // la semaine dernière
        if let Some((unit, next)) = self.unit(at)
            && frame.rel.is_none()
        {
            let (sense, _) = self.sense(at, Cat::Unit)?;
            let gap = self.skip_all(next, &[Cat::Of, Cat::The]);
            if !sense.weak
                && let Some((point, after)) = self.relpost(next).or_else(|| self.relpost(gap))
            {
                frame.rel = Some((unit, delta(point)));
                return Some(after);
            }
            if unit == Unit::Weekend
                && let Some(after) = self.skip(next, Cat::Of)
                && let Some((holiday, after)) = self.value(after, Cat::Holiday)
                && frame.holiday.is_none()
            {
                frame.rel = Some((Unit::Weekend, 0));
                frame.holiday = Some(holiday);
                return Some(after);
            }
        }
        None
    }

    /// Puts right what only the whole phrase shows, and drops phrases that say nothing.
    pub(super) fn finish(&self, mut frame: Frame) -> Option<Frame> {
        // "yesterday at three": by day, people are awake. Other languages count to 24.
        let dated = frame.has_day() && !frame.numeric;
        if let Some(clock) = frame.clock.as_mut()
            && self.lexicon.has("clauses")
            && clock.is_open()
            && clock.hour < 7
            && frame.clock_to.is_none()
            && frame.part.is_none()
            && frame.zone.is_none()
            && dated
        {
            clock.half = 2;
        }
        let bigger = frame.month.is_some() || frame.year.is_some() || frame.quarter.is_some() || frame.season.is_some();
        if frame.nth.is_none()
            && let Some((unit, -1)) = frame.rel
            && ((frame.month.is_some() && unit < Unit::Month)
                || (frame.year.is_some() && unit < Unit::Year)
                || (frame.quarter.is_some() && unit < Unit::Quarter))
        {
            frame.rel = None;
            frame.nth = Some((-1, Counted::Unit(unit), 1));
        }
        // 第31週 without a month or year is a week of this year.
        if let Some((position, Counted::Unit(Unit::Week), 1)) = frame.nth
            && position > 0
            && self.lexicon.has("marked")
            && !(Frame { nth: None, ..frame.clone() }).has_date()
        {
            frame.nth = None;
            frame.week = Some(position);
        }
        // The first half of a month is its early half.
        let short = frame.month.is_some() || matches!(frame.rel, Some((unit, _)) if unit != Unit::Year);
        if let (Some(half), true) = (frame.half, short) {
            frame.half = None;
            frame.edge.get_or_insert(if half == 1 { 1 } else { 3 });
        }
        let in_rel = matches!(frame.rel, Some((unit, _)) if unit >= Unit::Month);
        if frame.nth.is_none()
            && frame.day.is_none()
            && frame.weekday_point == Some(-1)
            && (bigger || in_rel)
            && let Some(weekday) = frame.weekday.take()
        {
            frame.weekday_point = None;
            frame.nth = Some((-1, Counted::Weekday(weekday), 1));
        }
        (frame.slots() > 0 && (frame.has_date() || frame.now || frame.clock.is_some() || frame.part.is_some()))
            .then_some(frame)
    }
}

impl Frame {
    /// Whether a bare number after this phrase may be an hour without a word such as "at".
    pub(super) fn clock_lead(&self, lead: Lead) -> bool {
        lead.range && (self.relday.is_some() || self.day.is_some())
    }
}

pub(super) fn frame_zone(frame: &mut Frame, zone: i64) {
    frame.zone.get_or_insert(zone);
}

/// How far a pointing word moves a unit.
pub fn delta(point: i64) -> i64 {
    if point.abs() >= 10 { point % 10 } else { point.signum() }
}

/// The year of two digits.
pub fn century(value: i64) -> i64 {
    if value < 50 { 2000 + value } else { 1900 + value }
}
