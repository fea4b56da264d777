//! Expressions that hang on an event: "two weeks before the outage", "the month after Maria moved".
//!
//! The event is not looked up here. What is read says where the event is named in the text and how to go from the
//! event's time to the window.

use super::calendar::{DAY, Unit, hold, shift, unit_around};
use super::expression::Reader;
use super::lexicon::Cat;
use super::phrase::Lead;
use super::resolve::{Context, Span};
use super::token::Kind;

/// How a window lies to its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Ends where the event begins.
    Before,
    /// Begins where the event ends.
    After,
    /// From the event until now.
    Since,
    /// Up to the end of the event.
    Until,
    /// While the event lasts.
    During,
    /// The event with a margin.
    Around,
    /// The day, week, month … that the event lies in.
    Within,
}

impl Relation {
    /// The name on the Python side.
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
            Self::Since => "since",
            Self::Until => "until",
            Self::During => "during",
            Self::Around => "around",
            Self::Within => "within",
        }
    }

    /// The relation of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Before, Self::After, Self::Since, Self::Until, Self::During, Self::Around, Self::Within]
            .into_iter()
            .find(|relation| relation.name() == name)
    }
}

/// An expression that hangs on an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchored {
    /// How the window lies to the event.
    pub relation: Relation,
    /// Units and thousandths of each, empty where no length was said.
    pub length: Vec<(Unit, i64)>,
    /// The whole length up to the event or from it on ("in the two weeks before"), not the point that far away.
    pub stretch: bool,
    /// The characters that name the event, without quotes.
    pub event: (usize, usize),
    /// The characters of the whole expression.
    pub span: (usize, usize),
    /// A length or unit was said; without one, "before" and "after" may mean no time at all.
    pub explicit: bool,
}

impl Anchored {
    /// The window on the wall clock, given when the event began and ended.
    pub fn resolve(&self, context: &Context, start: i64, end: i64) -> Span {
        let end = end.max(start);
        let moved = |from: i64, sign: i64| {
            self.length.iter().fold(from, |time, (unit, count)| shift(time, *unit, count.saturating_mul(sign)))
        };
        let grain = self.length.iter().map(|(unit, _)| *unit).min().unwrap_or(Unit::Day);
        let around = |time: i64, grain: Unit| {
            let (first, after) = unit_around(time.div_euclid(DAY), grain, 0);
            Span::days(first, after, grain)
        };
        let days = Span::days(start.div_euclid(DAY), end.div_euclid(DAY) + 1, Unit::Day);
        match self.relation {
            Relation::Before | Relation::After if !self.length.is_empty() => {
                let before = self.relation == Relation::Before;
                let (from, sign) = if before { (start, -1) } else { (end, 1) };
                let time = moved(from, sign);
                if self.stretch {
                    Span { start: Some(from.min(time)), end: Some(from.max(time)), grain }
                } else if grain.is_clock() {
                    Span::clock_around(time, grain)
                } else {
                    around(time, if grain == Unit::Fortnight { Unit::Week } else { grain })
                }
            }
            Relation::Before => Span { start: None, end: Some(start), grain },
            Relation::After => Span { start: Some(end), end: None, grain },
            Relation::Since => Span { start: Some(start), end: (context.now > start).then_some(context.now), grain },
            Relation::Until => Span { start: None, end: Some(end), grain },
            Relation::During => days,
            Relation::Around => Span {
                start: days.start.map(|time| hold(time - DAY)),
                end: days.end.map(|time| hold(time + DAY)),
                grain,
            },
            Relation::Within => around(start, grain),
        }
    }
}

impl Reader<'_> {
    /// The first expression that hangs on an event, those with a length or unit before the others.
    pub fn anchored(&self) -> Option<Anchored> {
        let count = self.scan.tokens.len();
        // A quoted title hangs on nothing that stands inside it.
        let mut inside = false;
        let mut bare = None;
        for at in 0..count {
            if self.scan.sign(at, '"') {
                inside = !inside;
            }
            if inside {
                continue;
            }
            if let Some(found) = self.anchor_length(at).or_else(|| self.anchor_unit(at)) {
                return Some(found);
            }
            if bare.is_none() {
                bare = self.anchor_bare(at);
            }
        }
        bare
    }

    /// "in the two weeks before", "three days after".
    fn anchor_length(&self, at: usize) -> Option<Anchored> {
        let scan = &self.scan;
        scan.digits(at).or_else(|| scan.senses(at).next().map(|(_, next)| (0, next)))?;
        let (length, next) = scan.length(at)?;
        let (relation, next) = self.side_of_event(next)?;
        // "the two weeks before", "over two weeks before"
        let stretch = at > 0 && (self.ends_with(Cat::The, at) || self.ends_with(Cat::Rel, at));
        self.anchor(at, next, relation, length.parts, stretch, true)
    }

    /// "the month after", "in the week of".
    fn anchor_unit(&self, at: usize) -> Option<Anchored> {
        let scan = &self.scan;
        let (unit, next) = scan.unit(at)?;
        if unit < Unit::Day || at == 0 {
            return None;
        }
        let pointed = self.ends_with(Cat::The, at) || self.ends_with(Cat::Rel, at);
        if !pointed {
            return None;
        }
        if let Some((relation, next)) = self.side_of_event(next) {
            return self.anchor(at, next, relation, vec![(unit, 1000)], true, true);
        }
        let inside = scan.skip(next, Cat::Of)?;
        self.anchor(at, inside, Relation::Within, vec![(unit, 1000)], false, true)
    }

    /// "since", "during", "before" and so on alone.
    fn anchor_bare(&self, at: usize) -> Option<Anchored> {
        let scan = &self.scan;
        let pairs = [
            (Cat::Since, Relation::Since),
            (Cat::Before, Relation::Before),
            (Cat::After, Relation::After),
            (Cat::Until, Relation::Until),
            (Cat::During, Relation::During),
        ];
        let (relation, next) = pairs
            .iter()
            .filter_map(|(cat, relation)| scan.skip(at, *cat).map(|next| (*relation, next)))
            .max_by_key(|(_, next)| *next)?;
        let explicit = matches!(relation, Relation::Since | Relation::During);
        self.anchor(at, next, relation, Vec::new(), false, explicit)
    }

    /// "before", "after", "following".
    fn side_of_event(&self, at: usize) -> Option<(Relation, usize)> {
        let scan = &self.scan;
        if let Some(next) = scan.skip(at, Cat::Before) {
            return Some((Relation::Before, next));
        }
        scan.skip(at, Cat::After).map(|next| (Relation::After, next))
    }

    pub(super) fn ends_with(&self, cat: Cat, end: usize) -> bool {
        (1..=3).any(|back| {
            end >= back && self.scan.senses(end - back).any(|(sense, next)| sense.cat == cat && next == end)
        })
    }

    /// The event's name from a token on, unless that is a time itself.
    fn anchor(
        &self,
        from: usize,
        next: usize,
        relation: Relation,
        length: Vec<(Unit, i64)>,
        stretch: bool,
        explicit: bool,
    ) -> Option<Anchored> {
        let scan = &self.scan;
        let first = scan.token(next)?;
        let tokens = &scan.tokens;
        let (start, end) = if first.is('"') {
            // To the last quote: titles quote, too.
            let close = (next + 1..tokens.len()).rev().find(|at| scan.sign(*at, '"'))?;
            if close <= next + 1 {
                return None;
            }
            (next + 1, close)
        } else {
            let lead = Lead { prep: true, ..Lead::default() };
            let article = scan.skip(next, Cat::The).unwrap_or(next);
            // "vor zwei Wochen", "since two weeks": the length belongs to the word before it.
            if self.expression(from).is_some_and(|found| found.to > next)
                || self.expression(next).is_some()
                || scan.phrase(next, lead).is_some()
                || scan.phrase(article, lead).is_some()
            {
                return None;
            }
            // "during two weeks": a length is no event either.
            let end = self.event_end(next);
            if scan.length(next).is_some_and(|(_, to)| to >= end) {
                return None;
            }
            (next, end)
        };
        let last = end.checked_sub(1).filter(|last| *last >= start)?;
        // A lone "it" or "that" names no event; neither does a sign.
        if !(start..end).any(|at| matches!(tokens[at].kind, Kind::Word | Kind::Number)) {
            return None;
        }
        let close = if first.is('"') { end } else { last };
        Some(Anchored {
            relation,
            length,
            stretch,
            event: (tokens[start].start, tokens[last].end),
            span: (tokens[from].start, tokens[close].end),
            explicit,
        })
    }

    /// Where the event's name ends: at the end of the sentence, or where another question begins.
    fn event_end(&self, from: usize) -> usize {
        let tokens = &self.scan.tokens;
        for at in from..tokens.len() {
            let spaced = tokens.get(at + 1).is_none_or(|next| !next.glued);
            match tokens[at].kind {
                Kind::Sign('?' | '!' | '。' | '？' | '！') if spaced => return at,
                Kind::Sign('.') if spaced && at > from && !self.scan.sign(at - 1, ')') => return at,
                // ", and who fixed it"
                Kind::Sign(',') if spaced => {
                    let next = self.scan.skip(at + 1, Cat::And).unwrap_or(at + 1);
                    if self.scan.skip(next, Cat::Question).is_some() {
                        return at;
                    }
                }
                _ => {}
            }
            if at > from && tokens[at].new_line {
                return at;
            }
        }
        tokens.len()
    }
}
