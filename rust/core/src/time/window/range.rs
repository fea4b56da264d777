//! Ranges: what lies between two times, each end taking what it lacks from the other.

use super::calendar::{DAY, Unit, date, days};
use super::expression::{Found, Kinds, Reader, Side};
use super::frame::Frame;
use super::lexicon::Cat;
use super::phrase::Lead;
use super::resolve::Span;
use super::token::Kind;

impl Reader<'_> {
    /// "between A and B", "from A to B".
    pub(super) fn between(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (next, between) = match scan.skip(at, Cat::Between) {
            Some(next) => (next, true),
            None => (scan.skip(at, Cat::From)?, false),
        };
        let opened = next;
        let next = scan.skip_all(next, &[Cat::Prep, Cat::The]);
        let lead = Lead { prep: true, range: true, the: next > opened, ..Lead::default() };
        // An hour range with the day after it: from 5 to 6pm of April 22.
        if let Some(frame) = self.phrase(next, lead)
            && frame.clock_to.is_some()
        {
            let span = self.context.resolve(&frame)?;
            return Some(self.found(at, frame.to, span, self.strength(&frame).max(2)));
        }
        if let Some(frame) = self.phrase(next, lead)
            && frame.day_to.is_some()
            && !self.joined(frame.to, between)
        {
            let span = self.context.resolve(&frame)?;
            return Some(self.found(at, frame.to, span, 3));
        }
        let first = self.side(next, lead)?;
        let Some(joint) = self.joint(first.to, between) else {
            if between || matches!(first.kind, Kinds::Number(_)) {
                return None;
            }
            // "from mid 1989"
            if let Some(after) = scan.skip(first.to, Cat::Onward) {
                let span = self.context.resolve(first.frame()?)?;
                return Some(self.found(at, after, Span { end: None, ..span }, 3));
            }
            return None;
        };
        let last = self.side(joint, lead)?;
        let span = self.join(&first, &last)?;
        Some(self.found(at, last.to, span, 3))
    }

    pub(super) fn joined(&self, at: usize, between: bool) -> bool {
        self.joint(at, between).is_some_and(|next| self.side(next, Lead { prep: true, ..Lead::default() }).is_some())
    }

    pub(super) fn joint(&self, at: usize, between: bool) -> Option<usize> {
        let scan = &self.scan;
        let dot = scan.sign(at, '.') && scan.glued(at) && scan.tokens[at - 1].kind == Kind::Word;
        let gap = if scan.sign(at, ',') || dot { at + 1 } else { at };
        let next = scan.skip(gap, Cat::To).or_else(|| scan.skip(gap, Cat::And).filter(|_| between))?;
        // "and to", "until the"
        Some(scan.skip(next, Cat::To).unwrap_or(next))
    }

    /// A phrase, a bare number, or a moment such as "two weeks ago", as one end of a range.
    pub(super) fn side(&self, at: usize, lead: Lead) -> Option<Side> {
        let scan = &self.scan;
        let start = scan.skip_all(at, &[Cat::The, Cat::Prep]);
        for at in [at, start] {
            if let Some(found) = self.lengths(at) {
                return Some(Side { kind: Kinds::Span(found.span), to: found.to });
            }
            let lead = Lead { the: at > start || at == start && start > at, ..lead };
            if let Some(frame) = self.phrase(at, lead) {
                let to = frame.to;
                return Some(Side { kind: Kinds::Frame(Box::new(frame)), to });
            }
        }
        let (value, next) = scan.ordinal(start).or_else(|| scan.whole(start))?;
        (0..=31).contains(&value).then_some(Side { kind: Kinds::Number(value), to: next })
    }

    /// Both ends of a range, each taking what it lacks from the other.
    pub(super) fn join(&self, first: &Side, last: &Side) -> Option<Span> {
        let context = &self.context;
        match (&first.kind, &last.kind) {
            (Kinds::Number(_), Kinds::Number(_)) => None,
            (Kinds::Span(span), other) => {
                let near = span.start?.div_euclid(DAY);
                let end = match other {
                    Kinds::Frame(frame) => context.forward_from(near).resolve(frame)?,
                    Kinds::Span(span) => *span,
                    Kinds::Number(_) => return None,
                };
                self.ends(*span, end)
            }
            (Kinds::Frame(frame), Kinds::Span(span)) => self.ends(context.resolve(frame)?, *span),
            (Kinds::Number(number), Kinds::Span(_)) => {
                let _ = number;
                None
            }
            (Kinds::Number(number), Kinds::Frame(frame)) => {
                let mut from = (**frame).clone();
                if frame.day.is_some() {
                    from.day = Some(*number);
                    from.weekday = None;
                    from.clock = None;
                } else if let Some(clock) = from.clock.as_mut() {
                    clock.hour = *number;
                    clock.minute = 0;
                } else {
                    return None;
                }
                self.ends(context.resolve(&from)?, context.resolve(frame)?)
            }
            (Kinds::Frame(frame), Kinds::Number(number)) => {
                let mut to = (**frame).clone();
                if frame.clock.is_some() {
                    let from = frame.clone();
                    let mut both = *from;
                    both.clock_to = both.clock.map(|clock| super::clock::Clock {
                        hour: *number,
                        minute: 0,
                        half: 0,
                        grain: Unit::Hour,
                        ..clock
                    });
                    return context.resolve(&both);
                }
                frame.day?;
                to.day = Some(*number);
                to.weekday = None;
                if frame.month.is_none() || number < &frame.day? {
                    let start = context.resolve(frame)?;
                    let (year, month, _) = date(start.start?.div_euclid(DAY));
                    to = Frame::default();
                    to.day = Some(*number);
                    let _ = (year, month);
                    let end = context.forward_from(start.end?.div_euclid(DAY)).resolve(&to)?;
                    return self.ends(start, end);
                }
                self.ends(context.resolve(frame)?, context.resolve(&to)?)
            }
            (Kinds::Frame(first), Kinds::Frame(last)) => self.join_frames(first, last),
        }
    }

    pub(super) fn join_frames(&self, first: &Frame, last: &Frame) -> Option<Span> {
        let context = &self.context;
        let mut from = first.clone();
        let mut to = last.clone();
        let fixed = |frame: &Frame| frame.relday.is_some() || frame.rel.is_some() || frame.now;
        // The year, month or day of one end serves the other.
        if from.year.is_none()
            && !fixed(&from)
            && from.point.is_none()
            && from.has_date()
            && let Some(year) = to.year
        {
            let later = match (from.month.or(from.quarter), to.month.or(to.quarter)) {
                (Some(a), Some(b)) if from.month.is_some() == to.month.is_some() => {
                    a > b || (a == b && from.day.zip(to.day).is_some_and(|(a, b)| a > b))
                }
                _ => false,
            };
            from.year = Some(year - i64::from(later));
        }
        if from.day.is_some() && from.month.is_none() && from.rel.is_none() && from.weekday.is_none() {
            if let Some(month) = to.month {
                // "from the 27th to the 3rd of April" begins in March.
                let wraps = to.day.is_some_and(|day| from.day.is_some_and(|from| from > day));
                if !wraps {
                    from.month = Some(month);
                }
            } else if to.rel.is_some() {
                from.rel = to.rel;
            }
        }
        // 午前8時から午後3時: each end has its own half of the day.
        if let (Some(clock), Some(part @ (1 | 2))) = (to.clock.as_mut(), to.part)
            && clock.is_open()
        {
            clock.half = part;
        }
        if from.clock.is_some() && !from.has_date() && to.has_date() {
            let clock = from.clock;
            let mut both = to.clone();
            if to.clock.is_some() && (to.has_day() || to.rel.is_some()) {
                both.clock_to = to.clock;
                both.clock = clock;
                return context.resolve(&both);
            }
        }
        if !to.has_date() && to.clock.is_some() && from.has_date() && from.clock.is_some() {
            if let (Some(clock), Some(part @ (1 | 2))) = (from.clock.as_mut(), from.part)
                && clock.is_open()
            {
                clock.half = part;
            }
            from.clock_to = to.clock;
            return context.resolve(&from);
        }
        if !from.has_date() && from.clock.is_some() && to.clock.is_some() && !to.has_date() {
            from.clock_to = to.clock;
            from.part = from.part.or(to.part);
            return context.resolve(&from);
        }
        if to.day.is_some() && to.month.is_none() && to.rel.is_none() && from.month.is_some() && to.year.is_none() {
            let wraps = from.day.is_some_and(|day| to.day.is_some_and(|to| to < day));
            if !wraps {
                to.month = from.month;
            }
        }
        if to.rel.is_none() && to.weekday.is_some() && to.day.is_none() && from.rel.is_some() && from.weekday.is_some()
        {
            to.rel = from.rel;
        }
        let start = context.resolve(&from)?;
        if from.now && to.clock.is_some() && !to.has_date() {
            let end = context.resolve(&to)?;
            return self.ends(start, end);
        }
        let near = start.start?.div_euclid(DAY);
        let mut later = context.forward_from(near);
        if to.weekday.is_some() || (to.day.is_some() && to.month.is_none()) {
            // Strictly after the start.
            later.near = near;
        }
        if to.year.is_none()
            && !fixed(&to)
            && let Some(year) = from.year
            && (to.month.is_some() || to.quarter.is_some() || to.half.is_some())
        {
            let mut end_frame = to.clone();
            end_frame.year = Some(year);
            if let Some(end) = context.resolve(&end_frame)
                && end.end > start.start
            {
                return self.ends(start, end);
            }
        }
        let end = later.resolve(&to)?;
        self.ends(start, end)
    }

    /// A range from the start of one time to the end of another; of clock times, to the time itself.
    pub(super) fn ends(&self, first: Span, last: Span) -> Option<Span> {
        let start = first.start?;
        let end = if last.grain.is_clock() { last.start? } else { last.end? };
        (end > start).then_some(Span { start: Some(start), end: Some(end), grain: first.grain.min(last.grain) })
    }

    /// "2014-2018", "2014 to 2018".
    pub(super) fn years(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let year = |at: usize| scan.digits(at).filter(|(value, digits)| *digits == 4 && (1000..2200).contains(value));
        let (first, _) = year(at)?;
        // "2012 or after"; the end is opened by what reads on.
        if scan.value(at + 1, Cat::Onward).is_some_and(|(direction, next)| direction == 4 || next > at + 2) {
            return Some(self.found(at, at + 1, Span::days(days(first, 1, 1), days(first + 1, 1, 1), Unit::Year), 3));
        }
        let joint = scan.skip(at + 1, Cat::To)?;
        // 1980-86
        let short = scan.digits(joint).filter(|(value, digits)| {
            *digits == 2
                && *value > first % 100
                && (1800..2100).contains(&first)
                && scan.sign(at + 1, '-')
                && scan.glued(joint)
        });
        let Some((last, _)) = year(joint).or(short.map(|(value, digits)| (first / 100 * 100 + value, digits))) else {
            // "2014 through May 2018"
            let last = self.phrase(joint, Lead { prep: true, range: true, ..Lead::default() })?;
            let span = self.context.resolve(&last).filter(|_| last.year.is_some_and(|year| year > first))?;
            let span = Span { start: Some(days(first, 1, 1) * DAY), ..span };
            return Some(self.found(at, last.to, span, 3));
        };
        // Dates of life: (1899–1977).
        if at > 0 && scan.sign(at - 1, '(') && scan.sign(joint + 1, ')') {
            return None;
        }
        let chained = scan.sign(joint + 1, '-') && scan.glued(joint + 1);
        (last > first && !chained)
            .then(|| self.found(at, joint + 1, Span::days(days(first, 1, 1), days(last + 1, 1, 1), Unit::Year), 3))
    }

    /// "May to March".
    pub(super) fn months(&self, at: usize) -> Option<Found> {
        let lead = Lead { prep: true, range: true, ..Lead::default() };
        // The second month supports the first.
        let named = || self.scan.phrase(at, lead).filter(|frame| !frame.weak);
        let first = self.phrase(at, lead).or_else(named).filter(|frame| frame.month.is_some())?;
        let joint = self.joint(first.to, false)?;
        let last = self.phrase(joint, lead).filter(|frame| frame.month.is_some())?;
        let to = last.to;
        let start = Side { kind: Kinds::Frame(Box::new(first)), to: joint };
        let span = self.join(&start, &Side { kind: Kinds::Frame(Box::new(last)), to })?;
        Some(self.found(at, to, span, 3))
    }
}
