//! The words of a language: a data file to a trie over tokens.
//!
//! A line reads `category value = phrase | phrase`. Braces expand (`letzt{e,er,en}`). After the value, `?` marks
//! words that need support from their surroundings to be about time, `~` words that are also names of people.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::calendar::Unit;
use super::token::tokenize;

/// What a word does in the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cat {
    Month,
    Weekday,
    Unit,
    Num,
    Mult,
    Ord,
    Ordmark,
    Relday,
    Now,
    Rel,
    Relpost,
    Part,
    Season,
    Ago,
    Agopre,
    Later,
    In,
    Within,
    Since,
    Before,
    After,
    Until,
    Through,
    By,
    From,
    Between,
    To,
    And,
    Of,
    The,
    Prep,
    At,
    Around,
    Orso,
    Edge,
    Meridiem,
    Oclock,
    Past,
    Tothe,
    Halfpast,
    Quarterhour,
    Fixed,
    Holiday,
    Few,
    Halfof,
    Andhalf,
    Quartername,
    Halfname,
    Era,
    Zone,
    Weekof,
    Rest,
    Todate,
    Starting,
    Onward,
    Fordur,
    Old,
    Edgeof,
    Decadeword,
    Noword,
    Dayword,
    More,
    Nextto,
    Noun,
    Yearmark,
    Monthmark,
    Daymark,
    Hourmark,
    Minutemark,
    Secondmark,
    During,
    Question,
    Edgepost,
    Withinpost,
    Relyear,
    Roman,
    Eraname,
    Firstyear,
    Ended,
    Future,
    Happened,
    Every,
    Not,
    Clause,
    Recent,
    Hourand,
    Hourless,
    But,
    Verb,
}

impl Cat {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "month" => Self::Month,
            "weekday" => Self::Weekday,
            "unit" => Self::Unit,
            "num" => Self::Num,
            "mult" => Self::Mult,
            "ord" => Self::Ord,
            "ordmark" => Self::Ordmark,
            "relday" => Self::Relday,
            "now" => Self::Now,
            "rel" => Self::Rel,
            "relpost" => Self::Relpost,
            "part" => Self::Part,
            "season" => Self::Season,
            "ago" => Self::Ago,
            "agopre" => Self::Agopre,
            "later" => Self::Later,
            "in" => Self::In,
            "within" => Self::Within,
            "since" => Self::Since,
            "before" => Self::Before,
            "after" => Self::After,
            "until" => Self::Until,
            "through" => Self::Through,
            "by" => Self::By,
            "from" => Self::From,
            "between" => Self::Between,
            "to" => Self::To,
            "and" => Self::And,
            "of" => Self::Of,
            "the" => Self::The,
            "prep" => Self::Prep,
            "at" => Self::At,
            "around" => Self::Around,
            "orso" => Self::Orso,
            "edge" => Self::Edge,
            "meridiem" => Self::Meridiem,
            "oclock" => Self::Oclock,
            "past" => Self::Past,
            "tothe" => Self::Tothe,
            "halfpast" => Self::Halfpast,
            "quarterhour" => Self::Quarterhour,
            "fixed" => Self::Fixed,
            "holiday" => Self::Holiday,
            "few" => Self::Few,
            "halfof" => Self::Halfof,
            "andhalf" => Self::Andhalf,
            "quartername" => Self::Quartername,
            "halfname" => Self::Halfname,
            "era" => Self::Era,
            "zone" => Self::Zone,
            "weekof" => Self::Weekof,
            "rest" => Self::Rest,
            "todate" => Self::Todate,
            "starting" => Self::Starting,
            "onward" => Self::Onward,
            "fordur" => Self::Fordur,
            "old" => Self::Old,
            "edgeof" => Self::Edgeof,
            "decadeword" => Self::Decadeword,
            "noword" => Self::Noword,
            "dayword" => Self::Dayword,
            "more" => Self::More,
            "nextto" => Self::Nextto,
            "noun" => Self::Noun,
            "yearmark" => Self::Yearmark,
            "monthmark" => Self::Monthmark,
            "daymark" => Self::Daymark,
            "hourmark" => Self::Hourmark,
            "minutemark" => Self::Minutemark,
            "secondmark" => Self::Secondmark,
            "during" => Self::During,
            "question" => Self::Question,
            "edgepost" => Self::Edgepost,
            "withinpost" => Self::Withinpost,
            "relyear" => Self::Relyear,
            "roman" => Self::Roman,
            "eraname" => Self::Eraname,
            "firstyear" => Self::Firstyear,
            "ended" => Self::Ended,
            "future" => Self::Future,
            "happened" => Self::Happened,
            "every" => Self::Every,
            "not" => Self::Not,
            "clause" => Self::Clause,
            "recent" => Self::Recent,
            "hourand" => Self::Hourand,
            "hourless" => Self::Hourless,
            "but" => Self::But,
            "verb" => Self::Verb,
            _ => return None,
        })
    }
}

/// One meaning of a phrase.
#[derive(Debug, Clone, Copy)]
pub struct Sense {
    /// What it does.
    pub cat: Cat,
    /// Number of the month, weekday, unit and so on.
    pub value: i64,
    /// Needs support.
    pub weak: bool,
    /// Also a name of people.
    pub name: bool,
}

/// How a language writes numeric dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// 31.12.2024.
    DayFirst,
    /// 12/31/2024.
    MonthFirst,
}

/// The words of one language.
pub struct Lexicon {
    words: HashMap<String, u32>,
    edges: HashMap<(u32, u32), u32>,
    senses: Vec<Vec<Sense>>,
    /// Order of numeric dates.
    pub order: Order,
    /// Options of the grammar that the file switches on.
    pub options: Vec<String>,
}

const FILES: [(&str, &str); 9] = [
    ("en", include_str!("lang/en.txt")),
    ("de", include_str!("lang/de.txt")),
    ("fr", include_str!("lang/fr.txt")),
    ("es", include_str!("lang/es.txt")),
    ("it", include_str!("lang/it.txt")),
    ("pt", include_str!("lang/pt.txt")),
    ("ru", include_str!("lang/ru.txt")),
    ("zh", include_str!("lang/zh.txt")),
    ("ja", include_str!("lang/ja.txt")),
];

/// Names of the languages that are built in.
pub fn languages() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The words of a language, read once.
pub fn lexicon(language: &str) -> Option<&'static Lexicon> {
    static LOADED: [OnceLock<Lexicon>; 9] = [const { OnceLock::new() }; 9];
    let at = FILES.iter().position(|(name, _)| *name == language)?;
    Some(LOADED[at].get_or_init(|| Lexicon::read(FILES[at].1)))
}

impl Lexicon {
    /// Reads a data file; lines that it does not understand are reported by [`Lexicon::faults`].
    fn read(file: &str) -> Self {
        let mut lexicon = Self {
            words: HashMap::new(),
            edges: HashMap::new(),
            senses: vec![Vec::new()],
            order: Order::DayFirst,
            options: Vec::new(),
        };
        for line in file.lines().chain(include_str!("lang/common.txt").lines()) {
            if let Some(Line::Words(sense, phrases)) = parse_line(line) {
                for phrase in phrases {
                    lexicon.insert(&phrase, sense);
                }
            } else if let Some(Line::Option(name, value)) = parse_line(line) {
                if name == "order" {
                    lexicon.order = if value == "mdy" { Order::MonthFirst } else { Order::DayFirst };
                } else {
                    lexicon.options.push(value);
                }
            }
        }
        lexicon
    }

    /// Lines of the language's file that are neither words, options nor comments.
    pub fn faults(language: &str) -> Vec<String> {
        FILES
            .iter()
            .filter(|(name, _)| *name == language)
            .flat_map(|(_, file)| file.lines())
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#') && parse_line(line).is_none())
            .map(str::to_owned)
            .collect()
    }

    /// How many phrases a language knows.
    pub fn phrases(language: &str) -> usize {
        lexicon(language).map_or(0, |lexicon| lexicon.senses.iter().map(Vec::len).sum())
    }

    fn insert(&mut self, phrase: &str, sense: Sense) {
        let words = &mut self.words;
        let tokens = tokenize(phrase, false, |word| {
            let next = words.len() as u32;
            Some(*words.entry(word.to_owned()).or_insert(next))
        });
        let mut node = 0;
        for token in tokens {
            let Some(id) = token.id else { return };
            let fresh = self.senses.len() as u32;
            node = *self.edges.entry((node, id)).or_insert(fresh);
            if node == fresh {
                self.senses.push(Vec::new());
            }
        }
        self.senses[node as usize].push(sense);
    }

    /// Number of a folded word.
    pub fn word(&self, word: &str) -> Option<u32> {
        self.words.get(word).copied()
    }

    /// The node after `node` by a word, 0 being the root.
    pub fn step(&self, node: u32, word: u32) -> Option<u32> {
        self.edges.get(&(node, word)).copied()
    }

    /// Meanings of the phrase that ends at a node.
    pub fn senses(&self, node: u32) -> &[Sense] {
        self.senses.get(node as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether the language's file switches an option on.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|known| known == option)
    }
}

enum Line {
    Words(Sense, Vec<String>),
    Option(String, String),
}

fn parse_line(line: &str) -> Option<Line> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (head, phrases) = line.split_once(" = ")?;
    let (name, value) = head.trim().split_once(' ').unwrap_or((head.trim(), "1"));
    if name == "order" || name == "option" {
        return Some(Line::Option(name.to_owned(), phrases.trim().to_owned()));
    }
    let cat = Cat::parse(name)?;
    let weak = value.contains('?');
    let name_like = value.contains('~');
    let value = value.trim_matches(['?', '~']);
    let value = match Unit::parse(value) {
        Some(unit) => unit as i64,
        None => value.parse().ok()?,
    };
    let phrases = phrases.split(" | ").flat_map(|phrase| expand(phrase.trim())).collect();
    Some(Line::Words(Sense { cat, value, weak, name: name_like }, phrases))
}

/// `a{b,c}d` to `abd`, `acd`; braces do not nest.
fn expand(phrase: &str) -> Vec<String> {
    let Some((before, rest)) = phrase.split_once('{') else {
        return vec![phrase.to_owned()];
    };
    let Some((inside, after)) = rest.split_once('}') else {
        return vec![phrase.to_owned()];
    };
    let tails = expand(after);
    inside.split(',').flat_map(|choice| tails.iter().map(move |tail| format!("{before}{choice}{tail}"))).collect()
}
