//! Texts as terms: words by their stem, pairs of characters where no spaces are written, each emoji by itself.

use rust_stemmers::Stemmer;

/// Words of this many bytes or more are no words.
const LONGEST: usize = 80;
/// Begins the key of a term of [`Field::Unspaced`]; no word has it.
const MARK: char = '\u{1f}';

/// The two kinds of terms; each has its own lengths, since a pair of characters is not a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Stems of words, and emoji.
    Words = 0,
    /// Characters and pairs of characters of scripts without spaces.
    Unspaced = 1,
}

/// Which terms of a text are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// All: a memory is to be found by any of them.
    Store,
    /// Those of a question: pairs tell words apart, a single character counts only where it stands alone.
    Ask,
}

/// Calls `take` with field, whether it is a function word, and key of each term of a text that is folded already.
pub fn terms(text: &str, stemmer: &Stemmer, wanted: Use, mut take: impl FnMut(Field, bool, &str)) {
    let mut letters = text.char_indices().peekable();
    let mut key = String::new();
    while let Some((start, letter)) = letters.next() {
        if is_emoji(letter) {
            key.clear();
            key.push(letter);
            // A flag is two letters.
            if is_regional(letter)
                && let Some((_, second)) = letters.next_if(|(_, next)| is_regional(*next))
            {
                key.push(second);
            }
            take(Field::Words, false, &key);
        } else if is_unspaced(letter) {
            let mut run = vec![letter];
            while let Some((_, next)) = letters.next_if(|(_, next)| is_unspaced(*next)) {
                run.push(next);
            }
            for (at, &letter) in run.iter().enumerate() {
                key.clear();
                key.extend([MARK, letter]);
                if wanted == Use::Store || run.len() == 1 {
                    take(Field::Unspaced, false, &key);
                }
                if let Some(&next) = run.get(at + 1) {
                    key.push(next);
                    take(Field::Unspaced, false, &key);
                }
            }
        } else if is_word(letter) {
            let mut end = start + letter.len_utf8();
            while let Some((at, next)) = letters.next_if(|(_, next)| is_word(*next)) {
                end = at + next.len_utf8();
            }
            let word = &text[start..end];
            if word.len() < LONGEST {
                take(Field::Words, FUNCTION_WORDS.binary_search(&word).is_ok(), &stemmer.stem(word));
            }
        }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() && !is_unspaced(letter) && !is_emoji(letter)
}

fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Pictures that people write. Tones of skin and joiners belong to the picture before them and say nothing.
fn is_emoji(letter: char) -> bool {
    matches!(u32::from(letter),
        0x2300..=0x23FF | 0x2600..=0x27BF | 0x2B05..=0x2B55 | 0x1F000..=0x1F3FA | 0x1F400..=0x1FAFF)
}

fn is_regional(letter: char) -> bool {
    matches!(u32::from(letter), 0x1F1E6..=0x1F1FF)
}

/// Words that hold a question together and name nothing, sorted. Only questions are freed of them: in texts they do no
/// harm.
const FUNCTION_WORDS: [&str; 127] = [
    "a",
    "about",
    "after",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "around",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "describe",
    "did",
    "do",
    "does",
    "doing",
    "during",
    "each",
    "explain",
    "for",
    "from",
    "further",
    "had",
    "happen",
    "happened",
    "happening",
    "has",
    "have",
    "having",
    "he",
    "her",
    "hers",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "me",
    "more",
    "most",
    "my",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "recall",
    "remember",
    "remind",
    "s",
    "same",
    "she",
    "should",
    "so",
    "some",
    "such",
    "t",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "upon",
    "us",
    "very",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

#[cfg(test)]
mod tests {
    use super::FUNCTION_WORDS;

    #[test]
    fn function_words_are_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
    }
}
