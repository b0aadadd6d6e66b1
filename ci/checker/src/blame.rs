//! From the output of a run without a verdict: what went wrong, in one sentence.

use interlock_tla::messages::Output;

/// What the operating system's or the runner's kill of a JVM usually means.
pub fn signal(signal: i32) -> &'static str {
    match signal {
        9 => " (by hand, or by the kernel when memory is short)",
        6 | 7 | 11 => " (the JVM crashed)",
        _ => "",
    }
}

/// The first line of a text that says something.
pub fn first_line(text: &str) -> &str {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// `: ` and the first useful line of what TLC or the JVM says, with a cure where the cause is known; empty if neither says
/// anything.
pub fn sentence(output: &Output, stderr: &str) -> String {
    let said: String = output
        .messages
        .iter()
        .map(|m| m.body.as_str())
        .chain([output.loose.as_str(), stderr])
        .collect();
    let known = CAUSES
        .iter()
        .find(|(sign, _)| said.contains(sign))
        .map(|(_, cause)| (*cause).to_owned());
    let cause = known
        .or_else(|| nested(output))
        .or_else(|| loose(output))
        .or_else(|| framed(output));
    let cause =
        cause.or_else(|| Some(first_line(stderr).to_owned()).filter(|line| !line.is_empty()));
    cause
        .map(|cause| format!(": {}", cause.trim_end_matches('.')))
        .unwrap_or_default()
}

/// What cannot be a spec's fault, by what Java says.
const CAUSES: [(&str, &str); 4] = [
    ("No space left on device", "the disk is full"),
    (
        "OutOfMemoryError",
        "the JVM ran out of memory: raise the row's `heap`",
    ),
    (
        "Java ran out of memory",
        "the JVM ran out of memory: raise the row's `heap`",
    ),
    (
        "StackOverflowError",
        "the JVM's stack overflowed: some recursive operator does not end",
    ),
];

/// The cause inside of a general failure: a fault in the cfg.
fn nested(output: &Output) -> Option<String> {
    let message = output
        .messages
        .iter()
        .find(|message| (5001..=5006).contains(&message.code))?;
    Some(
        message
            .body
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// SANY's error: where, then what.
fn loose(output: &Output) -> Option<String> {
    const PARSE: u32 = 3002;
    if !output.messages.iter().any(|message| message.code == PARSE) {
        return None;
    }
    let frame = |line: &&str| {
        let heads = [
            "Parsing file",
            "Semantic processing",
            "Semantic errors",
            "***",
            "Linting of",
            "Fatal errors",
        ];
        !line.is_empty() && !heads.iter().any(|head| line.starts_with(head))
    };
    let lines: Vec<&str> = output
        .loose
        .lines()
        .map(str::trim)
        .filter(frame)
        .take(2)
        .collect();
    match lines.as_slice() {
        [place, what] if place.starts_with("line ") => Some(format!("{place}: {what}")),
        [line, ..] => Some((*line).to_owned()),
        [] => None,
    }
}

/// A short error message, or of a long one the first line that says more than that there is an error.
fn framed(output: &Output) -> Option<String> {
    let heads = [
        "TLC threw an unexpected exception",
        "This was probably caused by",
        "See the User Output",
    ];
    let useful = |line: &&str| !line.is_empty() && !heads.iter().any(|head| line.starts_with(head));
    let errors = output
        .messages
        .iter()
        .filter(|message| matches!(message.severity, 1 | 2));
    let said = errors.filter_map(|message| {
        let lines: Vec<&str> = message.body.lines().map(str::trim).filter(useful).collect();
        let shown = if lines.len() > 3 {
            &lines[..1]
        } else {
            &lines[..]
        };
        (!shown.is_empty()).then(|| shown.join(" "))
    });
    said.chain(Some(first_line(&output.loose).to_owned()))
        .find(|line| !line.is_empty())
}
