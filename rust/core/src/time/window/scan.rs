//! The text as the grammar sees it: tokens, their meanings, and which numbers cannot be about time.

use super::calendar::Unit;
use super::lexicon::{Cat, Lexicon, Order, Sense};
use super::token::{Kind, Token, tokenize};

/// Longest phrase of a language file, in tokens.
const LONGEST: usize = 8;

/// A tokenized text with every phrase of the language that starts at each token.
pub struct Scan<'a> {
    /// Words and options of the language.
    pub lexicon: &'a Lexicon,
    /// Order of numeric dates.
    pub order: Order,
    /// The tokens.
    pub tokens: Vec<Token>,
    future: Vec<bool>,
    happened: Vec<bool>,
    /// Every word starts with a capital letter.
    pub shouted: bool,
    hits: Vec<(Sense, u8)>,
    starts: Vec<u32>,
    dirty: Vec<bool>,
}

impl<'a> Scan<'a> {
    /// Tokenizes a text and looks its phrases up.
    pub fn new(text: &str, lexicon: &'a Lexicon, order: Order) -> Self {
        let compounds = lexicon.has("compounds");
        let tokens = tokenize(text, compounds, |word| lexicon.word(word));
        let mut hits = Vec::new();
        let mut starts = Vec::with_capacity(tokens.len() + 1);
        for first in 0..tokens.len() {
            starts.push(hits.len() as u32);
            let mut node = 0;
            for (at, token) in tokens.iter().enumerate().skip(first).take(LONGEST) {
                let Some(next) = token.id.and_then(|id| lexicon.step(node, id)) else { break };
                node = next;
                hits.extend(lexicon.senses(node).iter().map(|sense| (*sense, (at + 1 - first) as u8)));
            }
        }
        starts.push(hits.len() as u32);
        let shouted = tokens.iter().filter(|token| token.kind == Kind::Word).all(|token| token.capital);
        let mut scan = Self {
            shouted,
            future: Vec::new(),
            happened: Vec::new(),
            lexicon,
            order,
            tokens,
            hits,
            starts,
            dirty: Vec::new(),
        };
        scan.future = scan.told(Cat::Future);
        scan.happened = scan.told(Cat::Happened);
        scan.dirty = (0..scan.tokens.len()).map(|at| scan.is_dirty(at)).collect();
        scan
    }

    /// For each token, whether a word of the category stands before it in its sentence.
    fn told(&self, cat: Cat) -> Vec<bool> {
        let mut said = false;
        (0..self.tokens.len())
            .map(|at| {
                let ends = matches!(self.tokens[at].kind, Kind::Sign('.' | '?' | '!' | ';')) && !self.glued(at + 1);
                said = (said || self.skip(at, cat).is_some()) && !ends;
                said
            })
            .collect()
    }

    /// Whether a word before the token says that the sentence is about what is to come.
    pub fn to_come(&self, at: usize) -> bool {
        self.future.get(at).copied().unwrap_or_default()
    }

    /// Whether a word before the token says that the sentence is about what has been, and none that it is to come.
    pub fn has_been(&self, at: usize) -> bool {
        self.happened.get(at).copied().unwrap_or_default() && !self.to_come(at)
    }

    /// Whether nothing in the text could be about time.
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.tokens.iter().all(|token| token.kind != Kind::Number)
    }

    /// The token, if there is one.
    pub fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    /// Every meaning at a token, with the token after it.
    pub fn senses(&self, at: usize) -> impl Iterator<Item = (Sense, usize)> + '_ {
        let (from, to) = match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&from), Some(&to)) => (from as usize, to as usize),
            _ => (0, 0),
        };
        self.hits[from..to].iter().map(move |(sense, length)| (*sense, at + usize::from(*length)))
    }

    /// The longest phrase of a category at a token.
    pub fn sense(&self, at: usize, cat: Cat) -> Option<(Sense, usize)> {
        self.senses(at).filter(|(sense, _)| sense.cat == cat).max_by_key(|(_, next)| *next)
    }

    /// Value of the longest phrase of a category, and the token after it.
    pub fn value(&self, at: usize, cat: Cat) -> Option<(i64, usize)> {
        self.sense(at, cat).map(|(sense, next)| (sense.value, next))
    }

    /// The token after the longest phrase of a category.
    pub fn skip(&self, at: usize, cat: Cat) -> Option<usize> {
        self.sense(at, cat).map(|(_, next)| next)
    }

    /// The token after any of the phrases, or the token itself.
    pub fn skip_all(&self, mut at: usize, cats: &[Cat]) -> usize {
        for _ in 0..4 {
            match cats.iter().filter_map(|cat| self.skip(at, *cat)).max() {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// Whether the token is the sign.
    pub fn sign(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(sign))
    }

    /// Whether the token follows the one before without a space.
    pub fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.glued)
    }

    /// Whether a token is a word that no phrase of the language starts with.
    pub fn unknown_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word) && self.starts[at] == self.starts[at + 1]
    }

    /// Whether a word says nothing about time when it is glued to a number: v3, i7.
    fn is_letters(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word)
            && self.senses(at).filter(|(_, next)| *next == at + 1).all(|(sense, _)| {
                matches!(
                    sense.cat,
                    Cat::Roman | Cat::Clause | Cat::Verb | Cat::Question | Cat::Num | Cat::Noword | Cat::Noun
                )
            })
    }

    /// Whether the next word may be a noun that the words before describe: "the second *attempt*". Languages that do
    /// not list the words that begin a clause leave it open.
    pub fn describes(&self, at: usize) -> bool {
        let at = if self.sign(at, '-') && self.glued(at) { at + 1 } else { at };
        let noun = self.unknown_word(at) || self.skip(at, Cat::Noun).is_some();
        self.lexicon.has("clauses") && noun && !self.token(at).is_some_and(|token| token.new_line)
    }

    /// Digits of a token that can be about time, with their number of digits.
    pub fn digits(&self, at: usize) -> Option<(i64, usize)> {
        let token = self.tokens.get(at)?;
        (token.kind == Kind::Number && !self.dirty[at]).then_some((token.value, token.digits))
    }

    /// A unit of time; letters such as "h" only when glued to a number.
    pub fn unit(&self, at: usize) -> Option<(Unit, usize)> {
        let (sense, next) = self.sense(at, Cat::Unit)?;
        // 70's is a decade.
        // "5 h", but not the H2 of a year.
        let hours =
            sense.value == Unit::Hour as i64 && at > 0 && self.tokens[at - 1].kind == Kind::Number && !self.glued(next);
        if sense.weak && (!(self.glued(at) || hours) || (self.sign(at, '\'') && self.glued(next))) {
            return None;
        }
        Some((unit_of(sense.value)?, next))
    }

    /// Numbers that are part of something else: an amount of money, a version, a name, a share.
    fn is_dirty(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        if token.kind != Kind::Number {
            return false;
        }
        if token.digits > 8 {
            return true;
        }
        if at > 0 {
            let before = &self.tokens[at - 1];
            if token.glued && !self.lexicon.has("marked") {
                match before.kind {
                    Kind::Word
                        if self.is_letters(at - 1)
                            && !(self.is_t(at - 1) && at > 1 && self.tokens[at - 2].kind == Kind::Number) =>
                    {
                        return true;
                    }
                    Kind::Sign('$' | '€' | '£' | '¥' | '#' | '_' | '%' | '=' | '\\') => return true,
                    // Version numbers and decimals: a dot between digits, twice over, is for dates to claim.
                    Kind::Sign('.') if before.glued && at > 1 && self.unknown_word(at - 2) => return true,
                    Kind::Sign('-' | '/') if before.glued && at > 1 && self.unknown_word(at - 2) => {
                        return token.digits < 4;
                    }
                    _ => {}
                }
            }
            // "room 101", "ticket 2024": the noun may begin before the token just before.
            for back in 1..=2 {
                if at >= back && self.senses(at - back).any(|(sense, next)| sense.cat == Cat::Noun && next == at) {
                    return true;
                }
            }
        }
        if let Some(after) = self.tokens.get(at + 1) {
            if after.glued && !self.lexicon.has("marked") {
                match after.kind {
                    Kind::Word if self.is_letters(at + 1) => {
                        return !self.is_t(at + 1) && !self.is_t(at.wrapping_sub(1));
                    }
                    Kind::Sign('%' | '_' | '€' | '£' | '$') => return true,
                    _ => {}
                }
            }
            if self.sense_after_is_old(at + 1) {
                return true;
            }
        }
        false
    }

    /// "25 years old", "18-year-old".
    fn sense_after_is_old(&self, at: usize) -> bool {
        let at = if self.sign(at, '-') { at + 1 } else { at };
        self.sense(at, Cat::Unit).is_some_and(|(_, next)| {
            let next = if self.sign(next, '-') { next + 1 } else { next };
            self.skip(next, Cat::Old).is_some()
        })
    }

    fn is_t(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word && token.end - token.start == 1)
    }
}

/// The unit with a number that a language file gave.
pub fn unit_of(value: i64) -> Option<Unit> {
    const ALL: [Unit; 16] = [
        Unit::Second,
        Unit::Minute,
        Unit::Hour,
        Unit::Part,
        Unit::Day,
        Unit::Workday,
        Unit::Weekend,
        Unit::Week,
        Unit::Fortnight,
        Unit::Month,
        Unit::Quarter,
        Unit::Season,
        Unit::Half,
        Unit::Year,
        Unit::Decade,
        Unit::Century,
    ];
    usize::try_from(value).ok().and_then(|at| ALL.get(at).copied())
}
