//! What of a row goes into TLC's configuration as it stands must be one thing there: a line more would be a check more, or one less,
//! of which no rule knows.

use super::Model;

/// What of the model is not, if anything is, as a sentence.
pub(super) fn fault(model: &Model) -> Option<String> {
    for (name, value) in &model.constants {
        if !is_name(name) {
            return Some(format!("`{}` is no constant's name", shown(name)));
        }
        let operator = value.trim_start().strip_prefix("<-").map(str::trim);
        if !operator.map_or_else(|| is_value(value), is_name) {
            return Some(format!(
                "the constant `{name}` cannot be `{}` (TLC's configuration takes a number, a string, TRUE, FALSE, a model \
                 value's name, a set of these, or `<- Operator`)",
                shown(value)
            ));
        }
    }
    let spec = Some(&model.spec).filter(|spec| !spec.is_empty());
    let single = [
        &model.property,
        &model.symmetry,
        &model.view,
        &model.constraint,
    ];
    let mut names = model
        .invariants
        .iter()
        .chain(spec)
        .chain(single.into_iter().flatten());
    let name = names.find(|name| !is_name(name))?;
    Some(format!("`{}` is no operator's name", shown(name)))
}

/// Without the ends of lines that would tear the sentence.
fn shown(text: &str) -> String {
    text.escape_debug().to_string()
}

/// Of an operator, a constant or a model value.
pub(super) fn is_name(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(part) && text.chars().any(|c| c.is_ascii_alphabetic())
}

/// A number, a string, a name, or a set of values.
fn is_value(text: &str) -> bool {
    value(text.trim()).is_some_and(|rest| rest.trim().is_empty())
}

/// What follows the value that `text` starts with.
fn value(text: &str) -> Option<&str> {
    let space = |c| c == ' ';
    if let Some(set) = text.strip_prefix('{') {
        let mut rest = set.trim_start_matches(space);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some(rest);
        }
        loop {
            rest = value(rest)?.trim_start_matches(space);
            match rest.strip_prefix(',') {
                Some(next) => rest = next.trim_start_matches(space),
                None => return rest.strip_prefix('}'),
            }
        }
    }
    if let Some(string) = text.strip_prefix('"') {
        let (string, rest) = string.split_once('"')?;
        let plain = |c: char| !c.is_control() && c != '\\';
        return string.chars().all(plain).then_some(rest);
    }
    let positive = text.strip_prefix('-').unwrap_or(text);
    let rest = positive.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let word = &positive[..positive.len() - rest.len()];
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = is_number || (positive == text && is_name(word));
    is_one.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_of_tlc_s() {
        for text in [
            "1",
            "-3",
            "TRUE",
            "a1",
            "1st",
            "\"hand-off\"",
            "\"\"",
            "{}",
            "{ }",
            "{a}",
            "{a, b}",
            "{ 1,2 }",
            "{{a}, {}}",
            " 7 ",
        ] {
            assert!(is_value(text), "{text}");
        }
        for text in [
            "",
            " ",
            "-",
            "-a",
            "a b",
            "1 2",
            "{a",
            "a}",
            "{a b}",
            "{a,}",
            "{,a}",
            "{a}}",
            "\"a",
            "\"a\" \"b\"",
            "\"a\nb\"",
            "\"a\\\"",
            "{r1}\nCONSTRAINT X",
            "{r1\n}",
            "a\tb",
            "1 \\* x",
            "1..3",
            "<<1>>",
            "[a |-> 1]",
            "_",
        ] {
            assert!(!is_value(text), "{text}");
        }
    }
}
