//! Words of a text for comparison: lower case, with common English endings cut; bigrams where no spaces are written.

/// Scripts that are written without spaces, or with particles that stick to a name.
pub fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF)
}

/// Whether a character is part of a word.
pub fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Calls `take` with each word of at least two characters.
pub fn words(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    let mut last: Option<char> = None;
    for letter in text.chars() {
        if is_unspaced(letter) {
            flush(&mut word, &mut take);
            if let Some(before) = last.replace(letter) {
                word.push(before);
                word.push(letter);
                take(&word);
                word.clear();
            }
            continue;
        }
        last = None;
        if is_word(letter) {
            word.extend(letter.to_lowercase());
        } else {
            flush(&mut word, &mut take);
        }
    }
    flush(&mut word, &mut take);
}

fn flush(word: &mut String, take: &mut impl FnMut(&str)) {
    if word.len() > 1 {
        take(stem(word));
    }
    word.clear();
}

/// Cuts plural and verb endings, so that "fails", "failed" and "failing" meet; crude, but the same on both sides.
fn stem(word: &str) -> &str {
    for (end, keep) in [("ing", 4), ("ies", 3), ("ed", 4), ("es", 4), ("s", 3)] {
        if let Some(cut) = word.strip_suffix(end)
            && cut.len() >= keep
            && cut.is_ascii()
            && !cut.ends_with('s')
        {
            return cut;
        }
    }
    word
}
