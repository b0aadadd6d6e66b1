//! TLA+ text as tokens.

/// The tokens of `text` without its comments. A string becomes `""`, since nothing here depends on what is in one; `X!Op` and
/// `\in` are one token each, and so is a line of four or more dashes or equals signs.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace())
                .unwrap_or(rest.len())
        } else if rest.starts_with("\\*") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("(*") {
            comment(rest)
        } else if first == '"' {
            tokens.push("\"\"".to_owned());
            string(rest)
        } else {
            let length = token(rest);
            tokens.push(rest[..length].to_owned());
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// Whether `token` can be a name: of an operator, a constant, a variable; keywords included.
pub(super) fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Bytes of the comment that `text` starts with; comments nest.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("(*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// Bytes of the string that `text` starts with, both quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Bytes of the token that `text` starts with, which is neither white space, comment nor string.
fn token(text: &str) -> usize {
    const SYMBOLS: [&str; 20] = [
        "<=>", "|->", "==", "=>", "=<", "<=", ">=", "<<", ">>", "<>", "[]", "~>", "->", "<-",
        "\\/", "/\\", ":>", "@@", "..", "||",
    ];
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let run = |of: fn(char) -> bool| text.find(|c| !of(c)).unwrap_or(text.len());
    let dashes = run(|c| c == '-').max(run(|c| c == '='));
    if dashes >= 4 {
        return dashes;
    }
    if text.starts_with(in_name) {
        let mut end = text.find(|c| !in_name(c)).unwrap_or(text.len());
        // `Instance!Operator`, but not the `!` of an EXCEPT, which follows no name
        while let Some(member) = text[end..].strip_prefix('!')
            && member.starts_with(in_name)
        {
            end += 1 + member.find(|c| !in_name(c)).unwrap_or(member.len());
        }
        return end;
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol)) {
        return symbol.len();
    }
    if let Some(name) = text.strip_prefix('\\') {
        let letters = name
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(name.len());
        return 1 + letters;
    }
    text.chars().next().map_or(1, char::len_utf8)
}
