//! Text to tokens: words folded to lower case without accents, numbers, single signs; CJK character by character.

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters.
    Word,
    /// Digits.
    Number,
    /// One sign.
    Sign(char),
}

/// One token with its place in the text, counted in characters.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is made of.
    pub kind: Kind,
    /// First character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
    /// Number in the vocabulary, if the language knows the word.
    pub id: Option<u32>,
    /// Value of a number, held to 18 digits.
    pub value: i64,
    /// How many digits a number has.
    pub digits: usize,
    /// Nothing lies between this token and the one before.
    pub glued: bool,
    /// The word starts with a capital letter.
    pub capital: bool,
    /// The word has several letters, all capital.
    pub upper: bool,
    /// A line break lies before this token.
    pub new_line: bool,
}

impl Token {
    /// Whether this is the given sign.
    pub fn is(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Splits a text; `lookup` gives a folded word's or sign's number in the vocabulary.
pub fn tokenize(text: &str, compounds: bool, mut lookup: impl FnMut(&str) -> Option<u32>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 5 + 4);
    let mut word = String::new();
    let mut open: Option<Token> = None;
    let mut glued = false;
    let mut new_line = false;
    let mut close = |open: &mut Option<Token>, word: &mut String, tokens: &mut Vec<Token>| {
        if let Some(mut token) = open.take() {
            if token.kind != Kind::Number {
                token.id = lookup(word);
            }
            // dienstagabend: two known words written as one.
            if compounds && token.kind == Kind::Word && token.id.is_none() && word.len() < 40 {
                let split = word.char_indices().skip(4).find_map(|(at, _)| {
                    let (head, tail) = word.split_at(at);
                    (tail.len() > 3)
                        .then(|| lookup(head).zip(lookup(tail)))
                        .flatten()
                        .map(|ids| (head.chars().count(), ids))
                });
                if let Some((length, (head, tail))) = split {
                    let middle = (token.start + length).min(token.end);
                    tokens.push(Token { id: Some(head), end: middle, ..token.clone() });
                    token = Token { id: Some(tail), start: middle, glued: true, capital: false, ..token };
                }
            }
            word.clear();
            tokens.push(token);
        }
    };
    for (at, raw) in text.chars().enumerate() {
        // Full-width forms are the ASCII ones, moved.
        let c = match raw {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(raw as u32 - 0xfee0).unwrap_or(raw),
            '’' | '‘' | 'ʼ' | '´' => '\'',
            '–' | '—' | '‒' | '−' | '‑' | '‐' => '-',
            '〜' | '∼' => '~',
            '“' | '”' | '„' | '«' | '»' => '"',
            _ => raw,
        };
        if matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
        {
            if let Some(token) = open.as_mut() {
                token.end = at + 1;
            }
            continue;
        }
        if c.is_ascii_digit() {
            let digit = i64::from(c as u32 - '0' as u32);
            match open.as_mut() {
                Some(token) if token.kind == Kind::Number => {
                    token.digits += 1;
                    if token.digits <= 18 {
                        token.value = token.value * 10 + digit;
                    }
                    token.end = at + 1;
                }
                _ => {
                    close(&mut open, &mut word, &mut tokens);
                    open = Some(Token {
                        kind: Kind::Number,
                        start: at,
                        end: at + 1,
                        id: None,
                        value: digit,
                        digits: 1,
                        glued,
                        capital: false,
                        upper: false,
                        new_line,
                    });
                }
            }
        } else if c.is_alphabetic() || c == 'º' || c == 'ª' {
            let single = is_cjk(c);
            let running = matches!(open.as_ref(), Some(token) if token.kind == Kind::Word);
            if single || !running {
                close(&mut open, &mut word, &mut tokens);
                open = Some(Token {
                    kind: Kind::Word,
                    start: at,
                    end: at + 1,
                    id: None,
                    value: 0,
                    digits: 0,
                    glued,
                    capital: c.is_uppercase(),
                    upper: false,
                    new_line,
                });
            }
            if let Some(token) = open.as_mut() {
                let second = token.end == at && token.end > token.start;
                token.upper = token.capital && c.is_uppercase() && (token.upper || (second && at == token.start + 1));
                token.end = at + 1;
            }
            // A word of this length is no word of time.
            if word.len() < 64 {
                fold(c, &mut word);
            }
            if single {
                close(&mut open, &mut word, &mut tokens);
            }
        } else {
            close(&mut open, &mut word, &mut tokens);
            if c.is_whitespace() {
                glued = false;
                new_line |= c == '\n';
                continue;
            }
            word.push(c);
            open = Some(Token {
                kind: Kind::Sign(c),
                start: at,
                end: at + 1,
                id: None,
                value: 0,
                digits: 0,
                glued,
                capital: false,
                upper: false,
                new_line,
            });
            close(&mut open, &mut word, &mut tokens);
        }
        glued = true;
        new_line = false;
    }
    close(&mut open, &mut word, &mut tokens);
    tokens
}

/// Scripts that are written without spaces.
fn is_cjk(c: char) -> bool {
    matches!(c as u32, 0x3005..=0x3007 | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Lower case without accents, so that a word is found however it was typed.
fn fold(c: char, into: &mut String) {
    for low in c.to_lowercase() {
        let plain = match low {
            'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
            'ç' | 'ć' | 'č' => 'c',
            'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
            'ì'..='ï' | 'ī' | 'į' => 'i',
            'ñ' | 'ń' | 'ň' => 'n',
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
            'ý' | 'ÿ' => 'y',
            'š' | 'ś' => 's',
            'ž' | 'ź' | 'ż' => 'z',
            'ё' => 'е',
            'й' => 'и',
            '\u{300}'..='\u{36f}' => continue,
            'ß' => {
                into.push_str("ss");
                continue;
            }
            'œ' => {
                into.push_str("oe");
                continue;
            }
            other => other,
        };
        into.push(plain);
    }
}
