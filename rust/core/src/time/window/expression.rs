//! Expressions: phrases with what stands around them — ranges, open ends, lengths of time, margins.

use super::calendar::{DAY, Unit, date, days, hold, shift, unit_around, weekday};
use super::frame::Frame;
use super::lexicon::Cat;
use super::number::Length;
use super::phrase::{Lead, delta};
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
}

impl Reader<'_> {
    /// The expression that starts at a token.
    pub fn expression(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        // Most words start nothing.
        if scan.senses(at).next().is_none() && scan.digits(at).is_none() && !scan.tokens[at].glued {
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
            .or_else(|| self.beside(at))
            .or_else(|| self.range_or_phrase(at, Lead::default()))
            .or_else(|| self.this_unit(at))?;
        self.postfix(found)
    }

    fn found(&self, from: usize, to: usize, span: Span, strength: u8) -> Found {
        Found { span, margin: 0, from, to, strength }
    }

    /// What stands before a token.
    fn look_back(&self, at: usize) -> Lead {
        let scan = &self.scan;
        let mut lead = Lead::default();
        let mut end = at;
        for _ in 0..3 {
            let mut moved = false;
            for back in 1..=3 {
                if back > end {
                    break;
                }
                let mut step = false;
                for (sense, next) in scan.senses(end - back) {
                    if next != end {
                        continue;
                    }
                    match sense.cat {
                        Cat::Prep if sense.value == 1 => lead.prep = true,
                        Cat::Since | Cat::Until | Cat::Before | Cat::After | Cat::By | Cat::Through => lead.prep = true,
                        Cat::At => lead.at = true,
                        Cat::Of => lead.of = true,
                        Cat::The => {
                            lead.the = true;
                            step = true;
                        }
                        _ => {}
                    }
                }
                if step {
                    end -= back;
                    moved = true;
                    break;
                }
            }
            if !moved {
                break;
            }
        }
        lead
    }

    /// Whether nothing but signs stands outside the tokens.
    fn is_whole(&self, from: usize, to: usize) -> bool {
        let quiet = |at: usize| {
            matches!(self.scan.tokens[at].kind, Kind::Sign(_))
                || self.scan.skip(at, Cat::Prep).is_some()
                || self.scan.skip(at, Cat::The).is_some()
                || self.scan.skip(at, Cat::At).is_some()
        };
        (0..from).all(quiet) && (to..self.scan.tokens.len()).all(quiet)
    }

    /// Whether the tokens before are only articles and prepositions, so that a phrase may be all there is.
    fn may_be_whole(&self, from: usize) -> bool {
        from <= 4
            && (0..from).all(|at| {
                matches!(self.scan.tokens[at].kind, Kind::Sign(_))
                    || self.scan.skip(at, Cat::Prep).is_some()
                    || self.scan.skip(at, Cat::The).is_some()
                    || self.scan.skip(at, Cat::At).is_some()
            })
    }

    /// A phrase that is fit to be a time where it stands.
    fn phrase(&self, at: usize, mut lead: Lead) -> Option<Frame> {
        let back = self.look_back(at);
        lead.prep |= back.prep;
        lead.at |= back.at;
        lead.of |= back.of;
        lead.the |= back.the;
        lead.whole = self.may_be_whole(at);
        let mut frame = self.scan.phrase(at, lead);
        let unfit = |frame: &Option<Frame>| {
            frame
                .as_ref()
                .is_none_or(|frame| !self.accept(frame, Lead { whole: self.is_whole(frame.from, frame.to), ..lead }))
        };
        if lead.whole && unfit(&frame) {
            lead.whole = false;
            frame = self.scan.phrase(at, lead);
        }
        if unfit(&frame) { None } else { frame }
    }

    /// Whether a phrase has enough about it to be a time and not something else.
    fn accept(&self, frame: &Frame, lead: Lead) -> bool {
        let scan = &self.scan;
        let supported = lead.prep || lead.whole || lead.range;
        if frame.week_of && !frame.has_date() {
            return false;
        }
        if !lead.whole && self.in_title(frame) {
            return false;
        }
        if frame.weak && frame.clock.is_some() && frame.slots() == 1 {
            return supported || lead.at;
        }
        if frame.slots() > 1 {
            // A half or quarter of something else, and hours that hang on nothing.
            return frame.has_date() || frame.clock.is_some() || frame.part.is_some();
        }
        let next_is_name = scan.token(frame.to).is_some_and(|token| token.kind == Kind::Word && token.capital)
            && scan.unknown_word(frame.to);
        let after_name = frame.from > 0 && {
            let before = &scan.tokens[frame.from - 1];
            before.kind == Kind::Word && before.capital && scan.unknown_word(frame.from - 1) && frame.from > 1
        };
        if frame.year.is_some() {
            return supported
                || frame.marked_year
                || lead.the
                || lead.of
                || (frame.from > 0 && scan.sign(frame.from - 1, '(') && scan.sign(frame.to, ')'));
        }
        if frame.month.is_some() {
            if frame.weak && !supported {
                return false;
            }
            return !(frame.name && (next_is_name || after_name) && !lead.whole);
        }
        if frame.weekday.is_some() {
            return !frame.weak || supported || scan.sign(frame.to, '.');
        }
        if frame.season.is_some() {
            return supported && !scan.unknown_word_is_noun(frame.to);
        }
        if frame.part.is_some() {
            return lead.whole;
        }
        if let Some(clock) = frame.clock {
            return clock.half != 0 || lead.at || supported || clock.grain == Unit::Second;
        }
        if frame.day.is_some() {
            if scan.lexicon.has("marked") {
                return true;
            }
            return supported || (lead.the && lead.at);
        }
        if frame.nth.is_some() || frame.half.is_some() {
            return supported;
        }
        if frame.quarter.is_some() {
            let named = scan.value(frame.from, Cat::Quartername).is_some();
            return named || supported;
        }
        if let Some((_, sure)) = frame.decade {
            return sure || supported || lead.the || scan.value(frame.from, Cat::Decadeword).is_some();
        }
        true
    }

    /// Whether the capitals around a phrase say that it is part of a title: "Four Days In November".
    fn in_title(&self, frame: &Frame) -> bool {
        let tokens = &self.scan.tokens;
        let inside = |at: usize| {
            at > 0
                && !matches!(tokens[at - 1].kind, Kind::Sign('.' | '?' | '!' | ':' | '"' | '('))
                && tokens[at].capital
        };
        if (frame.relday.is_some() && frame.part.is_none() || frame.now)
            && frame.slots() == 1
            && !tokens[frame.from].upper
        {
            return inside(frame.from);
        }
        if frame.year.is_some() && frame.month.is_some() || frame.slots() > 2 || frame.from == 0 {
            return false;
        }
        let named = frame.month.is_some() || frame.weekday.is_some() || frame.holiday.is_some();
        let before = frame.from - 1;
        let function = self.scan.senses(before).any(|(sense, _)| {
            matches!(sense.cat, Cat::Prep | Cat::The | Cat::Of | Cat::At | Cat::Num | Cat::And | Cat::In)
        });
        let all = tokens.iter().filter(|token| token.kind == Kind::Word).all(|token| token.capital);
        let followed = frame.holiday.is_some()
            && self.scan.unknown_word(frame.to)
            && tokens.get(frame.to).is_some_and(|token| token.capital);
        !all && (named && function && inside(before) || followed)
    }

    /// How surely a phrase is the time that the text is about.
    fn strength(&self, frame: &Frame) -> u8 {
        if frame.now {
            return 0;
        }
        if !frame.has_date() {
            return 1;
        }
        if frame.part.is_some() && frame.relday.is_some() && frame.slots() == 2 {
            return 2;
        }
        if frame.slots() > 1 || frame.relday.is_some() || frame.rel.is_some() || frame.numeric {
            return 3;
        }
        2
    }

    /// "between A and B", "from A to B".
    fn between(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (next, between) = match scan.skip(at, Cat::Between) {
            Some(next) => (next, true),
            None => (scan.skip(at, Cat::From)?, false),
        };
        let next = scan.skip_all(next, &[Cat::Prep]);
        let lead = Lead { prep: true, range: true, ..Lead::default() };
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

    fn joined(&self, at: usize, between: bool) -> bool {
        self.joint(at, between).is_some_and(|next| self.side(next, Lead { prep: true, ..Lead::default() }).is_some())
    }

    fn joint(&self, at: usize, between: bool) -> Option<usize> {
        let scan = &self.scan;
        let dot = scan.sign(at, '.') && scan.glued(at) && scan.tokens[at - 1].kind == Kind::Word;
        let gap = if scan.sign(at, ',') || dot { at + 1 } else { at };
        let next = scan.skip(gap, Cat::To).or_else(|| scan.skip(gap, Cat::And).filter(|_| between))?;
        // "and to", "until the"
        Some(scan.skip(next, Cat::To).unwrap_or(next))
    }

    /// A phrase, a bare number, or a moment such as "two weeks ago", as one end of a range.
    fn side(&self, at: usize, lead: Lead) -> Option<Side> {
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
    fn join(&self, first: &Side, last: &Side) -> Option<Span> {
        let context = &self.context;
        match (&first.kind, &last.kind) {
            (Kinds::Number(_), Kinds::Number(_)) => None,
            (Kinds::Span(span), other) => {
                let near = span.start?.div_euclid(DAY);
                let end = match other {
                    Kinds::Frame(frame) => context.from_day(near).resolve(frame)?,
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
                    let end = context.from_day(start.end?.div_euclid(DAY)).resolve(&to)?;
                    return self.ends(start, end);
                }
                self.ends(context.resolve(frame)?, context.resolve(&to)?)
            }
            (Kinds::Frame(first), Kinds::Frame(last)) => self.join_frames(first, last),
        }
    }

    fn join_frames(&self, first: &Frame, last: &Frame) -> Option<Span> {
        let context = &self.context;
        let mut from = first.clone();
        let mut to = last.clone();
        let fixed = |frame: &Frame| frame.relday.is_some() || frame.rel.is_some() || frame.now;
        // The year, month or day of one end serves the other.
        if from.year.is_none() && !fixed(&from) && from.point.is_none() && from.has_date() {
            if let Some(year) = to.year {
                let later = match (from.month.or(from.quarter), to.month.or(to.quarter)) {
                    (Some(a), Some(b)) if from.month.is_some() == to.month.is_some() => {
                        a > b || (a == b && from.day.zip(to.day).is_some_and(|(a, b)| a > b))
                    }
                    _ => false,
                };
                from.year = Some(year - i64::from(later));
            }
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
        let mut later = context.from_day(near);
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
    fn ends(&self, first: Span, last: Span) -> Option<Span> {
        let start = first.start?;
        let end = if last.grain.is_clock() { last.start? } else { last.end? };
        (end > start).then_some(Span { start: Some(start), end: Some(end), grain: first.grain.min(last.grain) })
    }

    /// "+15 minutes", "-3y", ">= 2019".
    fn signed(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let sign = match scan.tokens[at].kind {
            Kind::Sign('+') => 1,
            Kind::Sign('-') => -1,
            _ => return None,
        };
        if !scan.glued(at + 1) || at > 0 {
            return None;
        }
        let (length, next) = scan.length(at + 1)?;
        Some(self.found(at, next, self.moved(&length, sign), 3))
    }

    /// A point in time away from now: an instant for hours, the day for days and longer.
    fn moved(&self, length: &Length, sign: i64) -> Span {
        let time = length.shift(self.context.now, sign);
        match length.grain() {
            unit if unit.is_clock() => Span::instant(time),
            _ => {
                let day = time.div_euclid(DAY);
                Span::days(day, day + 1, Unit::Day)
            }
        }
    }

    /// "three weeks ago" is the week it was, "two days ago" the day, "five minutes ago" the instant.
    fn ago(&self, length: &Length) -> Span {
        let time = length.shift(self.context.now, -1);
        let grain = length.grain();
        if grain.is_clock() {
            return Span::instant(time);
        }
        if grain == Unit::Workday {
            return self.moved(length, -1);
        }
        let (first, after) = unit_around(time.div_euclid(DAY), grain, 0);
        Span::days(first, after, grain)
    }

    /// The last or next so many units: up to now, or from tomorrow on.
    fn stretch(&self, length: &Length, point: i64, singular: bool) -> Span {
        let now = self.context.now;
        let today = self.context.today();
        let grain = length.grain();
        let back = delta(point) < 0;
        let count = length.parts.first().map_or(1, |(_, count)| count / 1000).max(1);
        if point == 2 && singular && count > 1 {
            // "upcoming two week", in the singular, is the second week to come.
            let (first, after) = unit_around(today, grain, count);
            return Span::days(first, after, grain);
        }
        match grain {
            unit if unit.is_clock() => {
                let other = length.shift(now, if back { -1 } else { 1 });
                Span { start: Some(now.min(other)), end: Some(now.max(other)), grain }
            }
            Unit::Weekend | Unit::Quarter | Unit::Half | Unit::Season | Unit::Decade | Unit::Century => {
                if back {
                    Span::days(unit_around(today, grain, -count).0, unit_around(today, grain, 0).0, grain)
                } else {
                    Span::days(unit_around(today, grain, 1).0, unit_around(today, grain, count).1, grain)
                }
            }
            Unit::Workday if back => {
                Span::days(shift(today * DAY, Unit::Workday, -1000 * count).div_euclid(DAY), today, Unit::Day)
            }
            Unit::Workday => {
                let last = shift(today * DAY, Unit::Workday, 1000 * count).div_euclid(DAY);
                Span::days(shift(today * DAY, Unit::Workday, 1000).div_euclid(DAY), last + 1, Unit::Day)
            }
            _ if back => {
                let start = length.shift(now, -1).div_euclid(DAY);
                Span { start: Some(hold(start.saturating_mul(DAY))), end: Some(now), grain }
            }
            _ => {
                let first = (today + 1) * DAY;
                Span { start: Some(first), end: Some(length.shift(first, 1)), grain }
            }
        }
    }

    /// Whether the unit before a token is written in the singular.
    fn singular(&self, to: usize) -> bool {
        self.scan.value(to.saturating_sub(1), Cat::Dayword).is_some()
    }

    /// Everything that begins with, or is about, a length of time.
    fn lengths(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let now = self.context.now;
        if scan.relative_clock(at).is_some()
            || scan.value(at, Cat::Halfname).is_some_and(|(value, next)| value > 0 && next > at + 1)
        {
            return None;
        }
        // hace tres días, vor drei Tagen, il y a trois jours
        if let Some(next) = scan.skip(at, Cat::Agopre)
            && let Some((length, to)) = scan.length(scan.skip_all(next, &[Cat::More]))
        {
            return Some(self.found(at, to, self.ago(&length), 4));
        }
        // in the last three days, the past few weeks
        let start = scan.skip_all(at, &[Cat::Within, Cat::In, Cat::The]);
        let within = scan.skip(at, Cat::Within).is_some();
        if let Some((point, next)) = scan.value(start, Cat::Rel)
            && (point != 0 || scan.lexicon.has("thispast"))
            && let Some((length, to)) = scan.length(next)
            && let point = if point == 0 { -2 } else { point }
            && scan.value(next, Cat::Num).is_none_or(|(_, after)| scan.unit(after).is_none() || length.parts[0].1 > 0)
        {
            // "the last four months of 2021" is a position.
            if let Some(frame) = scan.phrase(start, Lead::default())
                && frame.nth.is_some()
                && frame.to > to
            {
                return None;
            }
            if !length.parts.is_empty() {
                if within && delta(point) > 0 {
                    let end = length.shift(if length.grain().is_clock() { now } else { self.context.today() * DAY }, 1);
                    return Some(self.found(
                        at,
                        to,
                        Span { start: Some(now), end: Some(end), grain: length.grain() },
                        4,
                    ));
                }
                if let Some(to) = scan.skip(to, Cat::Withinpost) {
                    let base = if length.grain().is_clock() { now } else { self.context.today() * DAY };
                    let span = Span { start: Some(now), end: Some(length.shift(base, 1)), grain: length.grain() };
                    return Some(self.found(start, to, span, 4));
                }
                let mut span = self.stretch(&length, point, self.singular(to));
                let mut end = to;
                // "the next two weeks after today"
                if let Some(after) = scan.skip(to, Cat::After)
                    && let Some(frame) = self.phrase(after, Lead { prep: true, ..Lead::default() })
                {
                    let from = self.context.resolve(&frame)?.start?;
                    span = Span { start: Some(from), end: Some(length.shift(from, 1)), grain: length.grain() };
                    end = frame.to;
                }
                return Some(self.found(start, end, span, 4));
            }
        }
        // within five days
        if let Some(next) = scan.skip(at, Cat::Within)
            && let Some((length, mut to)) = scan.length(scan.skip_all(next, &[Cat::The]))
        {
            if let Some(point) = length.rel {
                return Some(self.found(at, to, self.stretch(&length, point, self.singular(to)), 4));
            }
            let clock = length.grain().is_clock();
            let mut from = now;
            let hangs = scan.skip(to, Cat::Of).is_some();
            if let Some(after) =
                scan.skip(to, Cat::From).or_else(|| scan.skip(to, Cat::Of)).or_else(|| scan.skip(to, Cat::After))
                && let Some(frame) = self.phrase(after, Lead { prep: true, ..Lead::default() })
                && let Some(span) = self.context.resolve(&frame)
            {
                from = span.start?;
                to = frame.to;
            } else if hangs {
                return None;
            }
            let base = if clock { from } else { from.div_euclid(DAY) * DAY };
            let span = Span { start: Some(from), end: Some(length.shift(base, 1)), grain: length.grain() };
            return Some(self.found(at, to, span, 4));
        }
        // in three hours
        if let Some(next) = scan.skip(at, Cat::In)
            && let Some((length, to)) = scan.length(next)
            && length.rel.is_none()
            && scan.skip(to, Cat::Ago).is_none()
            && scan.skip(to, Cat::Relpost).is_none()
            && scan.skip(to, Cat::Old).is_none()
        {
            if let Some(found) = self.length_and_time(at, &length, to, true) {
                return Some(found);
            }
            let to = scan.skip(to, Cat::Later).unwrap_or(to);
            return Some(self.found(at, to, self.moved(&length, 1), 3));
        }
        // for three days from Monday
        let start = scan.skip_all(at, &[Cat::Fordur]);
        if let Some(found) = self.weekdays_away(start) {
            return Some(found);
        }
        let (length, to) = scan.length(start)?;
        if let Some(point) = length.rel.or_else(|| scan.value(to, Cat::Relpost).map(|(point, _)| point)) {
            let to = if length.rel.is_some() { to } else { scan.skip(to, Cat::Relpost).unwrap_or(to) };
            return Some(self.found(start, to, self.stretch(&length, point, self.singular(to)), 4));
        }
        if let Some(to) = scan.skip(to, Cat::Withinpost) {
            let base = if length.grain().is_clock() { now } else { self.context.today() * DAY };
            let span = Span { start: Some(now), end: Some(length.shift(base, 1)), grain: length.grain() };
            return Some(self.found(start, to, span, 4));
        }
        // "dos días antes de ayer" hangs on yesterday.
        if let (Some(ago), Some(before)) = (scan.skip(to, Cat::Ago), scan.skip(to, Cat::Before))
            && before > ago
            && let Some(found) = self.length_and_time(start, &length, to, false)
        {
            return Some(found);
        }
        if let Some(to) = scan.skip(to, Cat::Ago) {
            return Some(self.found(start, to, self.ago(&length), 4));
        }
        if let Some((_, to)) = scan.value(to, Cat::Later) {
            let stretch = scan.value(to.wrapping_sub(1), Cat::Noword).is_some();
            let span = if stretch { self.stretch(&length, 1, false) } else { self.moved(&length, 1) };
            return Some(self.found(start, to, span, 3));
        }
        self.length_and_time(start, &length, to, false)
    }

    /// "two Mondays from now", "2 Thursdays back".
    fn weekdays_away(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (count, next) = scan.whole(at)?;
        let (of_week, next) = scan.value(next, Cat::Weekday)?;
        let (sign, to) = match (scan.skip(next, Cat::Ago), scan.skip(next, Cat::Later)) {
            (Some(to), _) => (-1, to),
            (_, Some(to)) => (1, to),
            _ => return None,
        };
        let today = self.context.today();
        let first = if sign > 0 {
            today + 1 + (of_week - weekday(today + 1)).rem_euclid(7)
        } else {
            today - 1 - (weekday(today - 1) - of_week).rem_euclid(7)
        };
        let day = first + sign * 7 * (count.clamp(1, 1_000_000) - 1);
        Some(self.found(at, to, Span::days(day, day + 1, Unit::Day), 3))
    }

    /// "two weeks before 3 May", "three days from tomorrow", "two weeks starting 20 May".
    fn length_and_time(&self, at: usize, length: &Length, next: usize, point: bool) -> Option<Found> {
        let scan = &self.scan;
        let gap = if scan.sign(next, ',') { next + 1 } else { next };
        let (sign, lasting, inside) = if let Some(after) = scan.skip(gap, Cat::Starting) {
            (1, !point, after)
        } else if let Some(after) = scan.skip(gap, Cat::Before) {
            (-1, false, after)
        } else if let Some(after) = scan.skip(gap, Cat::After).or_else(|| scan.skip(gap, Cat::Since)) {
            (1, false, after)
        } else if let Some(after) = scan.skip(gap, Cat::From) {
            let lasting = at > 0 && scan.skip(at - 1, Cat::Fordur).is_some() || scan.sign(next, ',');
            (1, lasting, after)
        } else {
            return None;
        };
        let inside = scan.skip_all(inside, &[Cat::Prep]);
        let frame = self.phrase(inside, Lead { prep: true, ..Lead::default() }).or_else(|| {
            let start = scan.skip_all(inside, &[Cat::The]);
            self.phrase(start, Lead { prep: true, the: true, ..Lead::default() })
        })?;
        let mut context = self.context.clone();
        if scan.skip(gap, Cat::From).is_some() {
            // From a day on: one that is to come.
            context.prefer = Prefer::Future;
        }
        let span = context.resolve(&frame)?;
        let from = span.start?;
        if lasting {
            let span = Span { start: Some(from), end: Some(length.shift(from, 1)), grain: length.grain() };
            return Some(self.found(at, frame.to, span, 4));
        }
        let time = length.shift(from, sign);
        let span = if length.grain().is_clock() {
            Span::instant(time)
        } else {
            let day = time.div_euclid(DAY);
            Span::days(day, day + 1, Unit::Day)
        };
        Some(self.found(at, frame.to, span, 4))
    }

    /// "since", "before", "after", "until", "by" and a time.
    fn operator(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let cats = [Cat::Since, Cat::Starting, Cat::Before, Cat::After, Cat::Until, Cat::Through, Cat::By];
        let (cat, next) =
            cats.iter().filter_map(|cat| scan.skip(at, *cat).map(|next| (*cat, next))).max_by_key(|(_, next)| *next)?;
        // "the following Friday" points.
        if cat == Cat::After && scan.value(at, Cat::Rel).is_some() {
            return None;
        }
        let now = self.context.now;
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
        let (span, to) = moment(inside).or_else(|| moment(next))?;
        let span = match cat {
            Cat::Since => {
                Span { start: span.start, end: span.start.filter(|start| *start <= now).map(|_| now), ..span }
            }
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
        Some(self.found(at, to, span, 4))
    }

    /// "around 3 June": a margin on both sides.
    fn around(&self, at: usize) -> Option<Found> {
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

    fn widen(&self, mut found: Found) -> Found {
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

    /// "the week before 3 August", "the Sunday after Easter", "third Tuesday after Christmas".
    fn beside(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        if scan.value(at, Cat::Relday).is_some() {
            return None;
        }
        let start = scan.skip(at, Cat::The).unwrap_or(at);
        let last = scan.value(start, Cat::Rel).filter(|(point, _)| *point == -1).map_or(start, |(_, next)| next);
        let (count, inside) = scan.ordinal(last).unwrap_or((1, last));
        let counted = scan.unit(inside).map(|(unit, next)| (Some(unit), 0, next));
        let (unit, of_week, next) =
            counted.or_else(|| scan.value(inside, Cat::Weekday).map(|(day, next)| (None, day, next)))?;
        let (sign, after) = match (scan.skip(next, Cat::Before), scan.skip(next, Cat::After)) {
            (Some(after), _) => (-1, after),
            (_, Some(after)) => (1, after),
            _ => return None,
        };
        let lead = Lead { prep: true, ..Lead::default() };
        let frame = self.phrase(after, lead).or_else(|| self.phrase(scan.skip(after, Cat::The)?, lead))?;
        let span = self.context.resolve(&frame)?;
        let (first, end) = (span.start?.div_euclid(DAY), (span.end? - 1).div_euclid(DAY));
        let day = if sign < 0 { first } else { end };
        let span = match unit {
            None | Some(Unit::Weekend) => {
                let of_week = if unit.is_some() { 6 } else { of_week };
                let near = if sign < 0 {
                    day - 1 - (weekday(day - 1) - of_week).rem_euclid(7)
                } else {
                    day + 1 + (of_week - weekday(day + 1)).rem_euclid(7)
                };
                let found = near + sign * 7 * (count - 1);
                Span::days(found, found + if unit.is_some() { 2 } else { 1 }, unit.unwrap_or(Unit::Day))
            }
            Some(unit) if unit.is_clock() => return None,
            Some(unit) if sign < 0 => {
                let from = shift(first * DAY, unit, -1000 * count).div_euclid(DAY);
                Span::days(from, shift(from * DAY, unit, 1000).div_euclid(DAY), unit)
            }
            Some(unit) => {
                let to = shift((end + 1) * DAY, unit, 1000 * count).div_euclid(DAY);
                Span::days(shift(to * DAY, unit, -1000).div_euclid(DAY), to, unit)
            }
        };
        Some(self.found(at, frame.to, span, 4))
    }

    /// "for the month", "the weekend", "year to date".
    fn this_unit(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (unit, next) = scan.unit(at)?;
        if unit < Unit::Day {
            return None;
        }
        let back = self.look_back(at);
        let (mut first, mut after) = unit_around(self.context.today(), unit, 0);
        if let Some(to) = scan.skip(next, Cat::Todate) {
            let span = Span { start: Some(first * DAY), end: Some(self.context.now), grain: unit };
            return Some(self.found(at, to, span, 3));
        }
        let ends =
            scan.token(next).is_none_or(|token| matches!(token.kind, Kind::Sign(sign) if sign != '-' && sign != '\''));
        let whole = self.is_whole(at, next);
        if !(ends && back.the && (back.prep || back.at || unit == Unit::Weekend)
            || whole && (back.the || unit == Unit::Weekend))
        {
            return None;
        }
        if unit == Unit::Weekend && self.context.prefer == Prefer::Past && first > self.context.today() {
            (first, after) = (first - 7, after - 7);
        }
        Some(self.found(at, next, Span::days(first, after, unit), 1))
    }

    /// One phrase, or two with a dash or "to" between them.
    fn range_or_phrase(&self, at: usize, lead: Lead) -> Option<Found> {
        let scan = &self.scan;
        let first = self.phrase(at, lead);
        let first = match first {
            Some(frame) => frame,
            // 2014-2018: two bare years support each other, and so do two months.
            None => return self.years(at).or_else(|| self.months(at)),
        };
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
                return Some(self.found(at, last.to, span, 3));
            }
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
        let mut found = self.found(at, first.to, span, strength);
        if first.approximate {
            found = self.widen(found);
        }
        // "today before 4pm", "Friday after 10"
        if first.has_day() && first.clock.is_none() && first.part.is_none() {
            let before = scan.skip(first.to, Cat::Before).or_else(|| scan.skip(first.to, Cat::Until));
            let after = scan.skip(first.to, Cat::After);
            if let Some(inside) = before.or(after)
                && let Some((clock, to)) = scan.clock(inside, true)
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

    /// "2014-2018", "2014 to 2018".
    fn years(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let year = |at: usize| scan.digits(at).filter(|(value, digits)| *digits == 4 && (1000..2200).contains(value));
        let (first, _) = year(at)?;
        let joint = scan.skip(at + 1, Cat::To)?;
        let Some((last, _)) = year(joint) else {
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
    fn months(&self, at: usize) -> Option<Found> {
        let lead = Lead { prep: true, range: true, ..Lead::default() };
        let first = self.phrase(at, lead).filter(|frame| frame.month.is_some())?;
        let joint = self.joint(first.to, false)?;
        let last = self.phrase(joint, lead).filter(|frame| frame.month.is_some())?;
        let to = last.to;
        let start = Side { kind: Kinds::Frame(Box::new(first)), to: joint };
        let span = self.join(&start, &Side { kind: Kinds::Frame(Box::new(last)), to })?;
        Some(self.found(at, to, span, 3))
    }

    /// "2012 or after", "year to date".
    fn postfix(&self, mut found: Found) -> Option<Found> {
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
                found.span.start = None;
            }
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

enum Kinds {
    Frame(Box<Frame>),
    Span(Span),
    Number(i64),
}

struct Side {
    kind: Kinds,
    to: usize,
}

impl Side {
    fn frame(&self) -> Option<&Frame> {
        match &self.kind {
            Kinds::Frame(frame) => Some(frame),
            _ => None,
        }
    }
}

impl Scan<'_> {
    /// A season before a noun is an adjective: "summer dress".
    fn unknown_word_is_noun(&self, at: usize) -> bool {
        self.unknown_word(at) && !self.tokens[at].capital
    }
}
