//! Known names in texts, all at once (Aho and Corasick 1975).

use aho_corasick::{AhoCorasick, MatchKind};
use arrow_array::{Array, StringArray};

use super::parallel::map_ranges;
use super::words::{is_unspaced, is_word};
use crate::{Error, Result};

/// One name found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Row of the text.
    pub row: usize,
    /// Number of the name.
    pub name: usize,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// Finds many names in many texts in one pass over each text.
#[derive(Debug)]
pub struct Matcher {
    automaton: AhoCorasick,
}

impl Matcher {
    /// Takes the names as they are to be found: the caller folds names and texts alike.
    ///
    /// A null or empty name is an error that names its row.
    pub fn new(names: &StringArray) -> Result<Self> {
        if let Some(row) = names.iter().position(|name| name.is_none_or(str::is_empty)) {
            return Err(Error::cell("a name to look for must not be empty", "name", row));
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(names.iter().flatten())
            .map_err(|error| Error::value(format!("too many names to look for: {error}")))?;
        Ok(Self { automaton })
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.automaton.patterns_len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names in each text, by row and place. Null texts hold none.
    ///
    /// A name counts only as whole words ("Iran" is not in "Tigran", "Room 10" not in "Room 101", "Brien" not in
    /// "O'Brien"), except in scripts without spaces. Of names that overlap, the one that begins first counts, and of
    /// those the longest. O(text + matches).
    pub fn find(&self, texts: &StringArray) -> Vec<Found> {
        map_ranges(texts.len(), |range| {
            let mut found = Vec::new();
            for row in range {
                if texts.is_valid(row) {
                    self.find_one(row, texts.value(row), &mut found);
                }
            }
            found
        })
        .concat()
    }

    fn find_one(&self, row: usize, text: &str, found: &mut Vec<Found>) {
        let from = found.len();
        for hit in self.automaton.find_overlapping_iter(text) {
            if is_whole(text, hit.start(), hit.end()) {
                found.push(Found { row, name: hit.pattern().as_usize(), start: hit.start(), end: hit.end() });
            }
        }
        found[from..].sort_unstable_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end), hit.name));
        let mut end = 0;
        let mut kept = from;
        for at in from..found.len() {
            if found[at].start >= end {
                end = found[at].end;
                found[kept] = found[at];
                kept += 1;
            }
        }
        found.truncate(kept);
    }
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}')
}

/// Whether `letter` makes one word with its neighbour.
fn joins(letter: char) -> bool {
    is_word(letter) && !is_unspaced(letter)
}

fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(inside), Some(after)) = (text.get(..start), text.get(start..end), text.get(end..)) else {
        return false;
    };
    let left = before.chars().next_back();
    let right = after.chars().next();
    let opens = match (left, inside.chars().next()) {
        (Some(left), Some(first)) if is_apostrophe(left) && joins(first) => {
            !before.chars().rev().nth(1).is_some_and(joins)
        }
        (Some(left), Some(first)) => !(joins(left) && joins(first)),
        _ => true,
    };
    let closes = match (right, inside.chars().next_back()) {
        (Some(right), Some(last)) if is_apostrophe(right) && joins(last) => {
            // "Maria's" is Maria, "O'Brien" is not O.
            let mut rest = after.chars().skip(1);
            match rest.next() {
                Some('s' | 'S') => !rest.next().is_some_and(joins),
                Some(letter) => !joins(letter),
                None => true,
            }
        }
        (Some(right), Some(last)) => !(joins(right) && joins(last)),
        _ => true,
    };
    opens && closes
}
