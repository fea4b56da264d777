//! Whether a phrase is a time where it stands: support, names, titles; and how surely.

use super::calendar::Unit;
use super::expression::Reader;
use super::frame::Frame;
use super::lexicon::Cat;
use super::phrase::Lead;
use super::token::Kind;

impl Reader<'_> {
    /// What stands before a token.
    pub(super) fn look_back(&self, at: usize) -> Lead {
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
    pub(super) fn is_whole(&self, from: usize, to: usize) -> bool {
        let quiet = |at: usize| {
            matches!(self.scan.tokens[at].kind, Kind::Sign(_))
                || self.scan.skip(at, Cat::Prep).is_some()
                || self.scan.skip(at, Cat::The).is_some()
                || self.scan.skip(at, Cat::At).is_some()
        };
        (0..from).all(quiet) && (to..self.scan.tokens.len()).all(quiet)
    }

    /// Whether the tokens before are only articles and prepositions, so that a phrase may be all there is.
    pub(super) fn may_be_whole(&self, from: usize) -> bool {
        from <= 4
            && (0..from).all(|at| {
                matches!(self.scan.tokens[at].kind, Kind::Sign(_))
                    || self.scan.skip(at, Cat::Prep).is_some()
                    || self.scan.skip(at, Cat::The).is_some()
                    || self.scan.skip(at, Cat::At).is_some()
            })
    }

    /// A phrase that is fit to be a time where it stands.
    pub(super) fn phrase(&self, at: usize, mut lead: Lead) -> Option<Frame> {
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
        let outside = frame.as_ref().is_some_and(|frame| !self.is_whole(frame.from, frame.to));
        if lead.whole && (outside || unfit(&frame)) {
            lead.whole = false;
            frame = self.scan.phrase(at, lead);
        }
        if unfit(&frame) {
            return None;
        }
        if let Some(frame) = frame.as_mut() {
            frame.to_come = self.scan.to_come(at);
        }
        frame
    }

    /// Whether a phrase has enough about it to be a time and not something else.
    pub(super) fn accept(&self, frame: &Frame, lead: Lead) -> bool {
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
            // "over 2000 people"
            let more = frame.from > 0
                && scan.senses(frame.from - 1).any(|(sense, next)| sense.cat == Cat::More && next == frame.from);
            if more && !frame.marked_year && scan.describes(frame.to) && !scan.tokens[frame.to].capital {
                return false;
            }
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
            // "April is a friend": a name at the start of a sentence.
            let verb = scan.unknown_word(frame.to)
                || scan.skip(frame.to, Cat::Question).is_some()
                || scan.skip(frame.to, Cat::Verb).is_some();
            let subject = frame.from == 0 && verb;
            return !(frame.name && (next_is_name || after_name || subject) && !lead.whole);
        }
        if frame.weekday.is_some() {
            // "see you Mon.", but not "she sat."
            let named = scan.tokens[frame.from].capital && frame.from > 0 && !lead.the && !scan.describes(frame.to);
            return !frame.weak || (supported && !scan.describes(frame.to)) || named;
        }
        if frame.season.is_some() {
            return supported && !scan.unknown_word_is_noun(frame.to);
        }
        if frame.part.is_some() {
            return lead.whole;
        }
        // "noon-like"
        let prefix = scan.sign(frame.to, '-') && scan.glued(frame.to) && scan.unknown_word(frame.to + 1);
        if let Some(clock) = frame.clock {
            if prefix && scan.glued(frame.to + 1) {
                return false;
            }
            return clock.half != 0 || lead.at || supported || clock.grain == Unit::Second;
        }
        if frame.day.is_some() {
            if scan.lexicon.has("marked") {
                return true;
            }
            // "on the second attempt" counts attempts.
            let counts = scan.ordinal(frame.from).is_some() && scan.describes(frame.to);
            // "at the second" is no day either.
            let word = lead.at && scan.value(frame.from, Cat::Ord).is_some_and(|(_, to)| to == frame.to);
            return !counts && (lead.prep || !word) && (supported || (lead.the && lead.at));
        }
        // "a last minute change"
        if matches!(frame.rel, Some((unit, -1)) if unit.is_clock()) {
            return !scan.describes(frame.to);
        }
        if frame.nth.is_some() || frame.half.is_some() {
            return supported || (frame.half.is_some() && !scan.lexicon.has("halvesofgames"));
        }
        if frame.quarter.is_some() {
            let named = scan.value(frame.from, Cat::Quartername).is_some();
            let hyphenated = scan.sign(frame.from + 1, '-');
            let told = lead.the && (lead.at || !scan.describes(frame.to));
            return named || hyphenated || supported || told || !scan.lexicon.has("halvesofgames");
        }
        if let Some((_, sure)) = frame.decade {
            return sure || supported || lead.the || scan.value(frame.from, Cat::Decadeword).is_some();
        }
        true
    }

    /// Whether the capitals around a phrase say that it is part of a title: "Four Days In November".
    pub(super) fn in_title(&self, frame: &Frame) -> bool {
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
        let all = self.scan.shouted;
        let followed = frame.holiday.is_some()
            && self.scan.unknown_word(frame.to)
            && tokens.get(frame.to).is_some_and(|token| token.capital);
        !all && (named && function && inside(before) || followed)
    }

    /// How surely a phrase is the time that the text is about.
    pub(super) fn strength(&self, frame: &Frame) -> u8 {
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
}
