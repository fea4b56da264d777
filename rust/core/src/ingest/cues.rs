//! Words by which a text says that one thing brought another about, and the clause that names the other thing.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::words::is_word;

/// What the memory says about the thing it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// The clause names a cause of the memory.
    CausedBy,
    /// The clause names an effect of the memory.
    Causes,
    /// The memory as a whole repairs or undoes something earlier, which caused it.
    Repairs,
    /// As `Repairs`, if the two have an entity in common.
    MayRepair,
    /// The memory says nothing of the kind, but may build on something earlier if the two have an entity in common.
    MayBuild,
}

/// One statement of cause in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Direction of the statement.
    pub direction: Direction,
    /// The cue, in lower case.
    pub cue: &'static str,
    /// Bytes of the clause; the whole text for repairs.
    pub clause: Range<usize>,
}

const LONGEST_CLAUSE: usize = 240;

const CAUSED_BY: [&str; 22] = [
    "because",
    "because of",
    "due to",
    "owing to",
    "caused by",
    "as a result of",
    "as a consequence of",
    "in response to",
    "triggered by",
    "prompted by",
    "provoked by",
    "brought about by",
    "thanks to",
    "resulted from",
    "results from",
    "resulting from",
    "stems from",
    "stemming from",
    "on account of",
    "in the wake of",
    "introduced by",
    "broken by",
];
const CAUSES: [&str; 21] = [
    "led to",
    "leads to",
    "leading to",
    "resulted in",
    "results in",
    "resulting in",
    "caused",
    "causes",
    "causing",
    "triggered",
    "triggers",
    "triggering",
    "brought about",
    "gave rise to",
    "provoked",
    "prompted",
    "as a result",
    "as a consequence",
    "consequently",
    "therefore",
    "which is why",
];
const REPAIRS: [&str; 14] = [
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "fixup",
    "hotfix",
    "bugfix",
    "repair",
    "repairs",
    "repaired",
    "revert",
    "reverts",
    "reverted",
    "reverting",
];
/// In the first line these hint at a repair; it counts where the memories share an entity.
const DEFECTS: [&str; 38] = [
    "avoid",
    "avoids",
    "break",
    "breaks",
    "broken",
    "bug",
    "bugs",
    "correct",
    "corrects",
    "crash",
    "crashes",
    "deadlock",
    "do not",
    "don't",
    "error",
    "errors",
    "handle",
    "incorrect",
    "invalid",
    "leak",
    "leaks",
    "missing",
    "overflow",
    "prevent",
    "prevents",
    "properly",
    "race",
    "regression",
    "restore",
    "segfault",
    "silence",
    "typo",
    "typos",
    "unbreak",
    "warning",
    "warnings",
    "workaround",
    "wrong",
];
/// After these, a clause names a cause only if something goes wrong in it.
const AFTER: [&str; 2] = ["after", "following"];
const FAILURES: [&str; 40] = [
    "failed",
    "fails",
    "failure",
    "broke",
    "breaks",
    "broken",
    "crashed",
    "crashes",
    "crash",
    "exploded",
    "explosion",
    "collapsed",
    "collapse",
    "died",
    "dies",
    "death",
    "resigned",
    "dropped",
    "leaked",
    "leaks",
    "leak",
    "lost",
    "burned",
    "burnt",
    "fire",
    "accident",
    "damaged",
    "missed",
    "aborted",
    "cancelled",
    "canceled",
    "rejected",
    "delayed",
    "hit",
    "ruptured",
    "overheated",
    "attacked",
    "killed",
    "outage",
    "bug",
];

struct Cues {
    automaton: AhoCorasick,
    phrases: Vec<(&'static str, Option<Direction>)>,
}

fn cues() -> Option<&'static Cues> {
    static CUES: OnceLock<Option<Cues>> = OnceLock::new();
    CUES.get_or_init(|| {
        let mut phrases: Vec<(&'static str, Option<Direction>)> = Vec::new();
        for (list, direction) in [
            (&CAUSED_BY[..], Some(Direction::CausedBy)),
            (&CAUSES[..], Some(Direction::Causes)),
            (&REPAIRS[..], Some(Direction::Repairs)),
            (&DEFECTS[..], Some(Direction::MayRepair)),
            (&AFTER[..], None),
        ] {
            phrases.extend(list.iter().map(|phrase| (*phrase, direction)));
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(phrases.iter().map(|(phrase, _)| phrase))
            .ok()?;
        Some(Cues { automaton, phrases })
    })
    .as_ref()
}

/// What a text says about causes: clauses in the order of the text, then whether it repairs something.
///
/// "Because", "due to", "caused by" … make the clause behind them a cause; "led to", "resulted in", "causing" … an
/// effect; "after" and the like a cause if something fails in the clause. "Fix" and "revert" in the first line say
/// that the memory repairs something earlier, "crash", "avoid" and the like hint at it. A cue behind "not" does not
/// count.
pub fn claims(text: &str) -> Vec<Claim> {
    let Some(cues) = cues() else { return Vec::new() };
    let first_line = text.find('\n').unwrap_or(text.len());
    let mut found = Vec::new();
    let mut repair: Option<Claim> = None;
    for hit in cues.automaton.find_iter(text) {
        if !is_alone(text, hit.start(), hit.end()) || is_denied(&text[..hit.start()]) {
            continue;
        }
        let (cue, direction) = cues.phrases[hit.pattern().as_usize()];
        let clause = clause(text, hit.end());
        let claim = match direction {
            Some(direction @ (Direction::Repairs | Direction::MayRepair)) => {
                // One claim of repair a memory: the first sure one, else the first hint.
                if hit.start() < first_line && repair.as_ref().is_none_or(|known| direction < known.direction) {
                    repair = Some(Claim { direction, cue, clause: 0..text.len() });
                }
                None
            }
            Some(direction) => Some(Claim { direction, cue, clause }),
            None => {
                says_failure(&text[clause.clone()]).then_some(Claim { direction: Direction::CausedBy, cue, clause })
            }
        };
        found.extend(claim.filter(|claim| !claim.clause.is_empty()));
    }
    found.extend(repair);
    found
}

fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let left = text[..start].chars().next_back();
    let right = text[end..].chars().next();
    // "quick-fix", "fix_all" and "fix()" are names rather than statements.
    let joined = |letter: char| is_word(letter) || matches!(letter, '-' | '(' | '/' | '.');
    !left.is_some_and(|letter| is_word(letter) || matches!(letter, '-' | '/' | '.'))
        && !right.is_some_and(|letter| joined(letter) && letter != '.')
}

fn is_denied(before: &str) -> bool {
    let words = before.trim_end();
    let last = words.rsplit(|letter: char| !is_word(letter) && letter != '\'').next().unwrap_or_default();
    matches!(last.to_ascii_lowercase().as_str(), "not" | "never" | "isn't" | "wasn't" | "didn't" | "doesn't" | "don't")
}

/// From `start` to the end of the clause: a full stop, a comma, a line break, or the longest that is read.
fn clause(text: &str, start: usize) -> Range<usize> {
    let rest = &text[start..];
    let skipped = rest.len() - rest.trim_start_matches([',', ':', ' ']).len();
    let begin = start + skipped;
    let mut end = begin;
    let mut letters = text[begin..].char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let stop = match letter {
            '\n' | ';' | '!' | '?' | '(' | ')' | '\u{3002}' => true,
            // A dot within a number or a name does not end anything.
            '.' | ',' | ':' => letters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => at > LONGEST_CLAUSE,
        };
        if stop {
            break;
        }
        end = begin + at + letter.len_utf8();
    }
    begin..end
}

fn says_failure(clause: &str) -> bool {
    clause
        .split(|letter: char| !is_word(letter))
        .any(|word| FAILURES.iter().any(|failure| word.eq_ignore_ascii_case(failure)))
}
