//! TLC's `-tool` output as a list of messages.
//!
//! TLC frames what it says; SANY's errors and what `PrintT` writes are not framed. A frame may open inside another, and in
//! the middle of a line.

const START: &str = "@!@!@STARTMSG ";
const END: &str = "@!@!@ENDMSG ";
const CLOSE: &str = " @!@!@";

/// The code of the message that a table begins with of what was evaluated how often.
const COVERAGE_START: u32 = 2201;

/// One `@!@!@STARTMSG code:severity @!@!@ ... @!@!@ENDMSG code @!@!@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// TLC's message code, e.g. 2110 for a violated invariant.
    pub code: u32,
    /// 0 info, 1 error, 2 bug, 3 warning, 4 state.
    pub severity: u8,
    /// The text between the frames, without the newline before the end frame. A nested message is its own entry.
    pub body: String,
}

/// What TLC wrote to its standard output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The framed messages, in the order in which their frames open.
    pub messages: Vec<Message>,
    /// The unframed text: SANY's errors, `PrintT`, a dying JVM's last words.
    pub loose: String,
    /// Why the output cannot be trusted to be whole: a frame that never closes, or one that is not well formed.
    pub damage: Option<String>,
}

impl Output {
    /// The messages from the last table on of what was evaluated how often: TLC repeats it while it runs. All, where there is none.
    pub fn coverage(&self) -> &[Message] {
        let is_start = |message: &Message| message.code == COVERAGE_START;
        let last = self.messages.iter().rposition(is_start);
        &self.messages[last.unwrap_or(0)..]
    }

    /// Splits `text` into messages. Never fails: what is wrong with `text` is told in [`Output::damage`], and the messages
    /// before the fault are kept.
    pub fn parse(text: &str) -> Output {
        let mut out = Output::default();
        let mut open: Vec<usize> = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find("@!@!@") {
            out.append(&open, &rest[..at]);
            rest = &rest[at..];
            let Some((frame, after)) = Frame::read(rest) else {
                let line = rest.lines().next().unwrap_or_default();
                out.damage = Some(format!("`{line}` is not a frame of TLC's"));
                return out;
            };
            match frame {
                Frame::Start { code, severity } => {
                    open.push(out.messages.len());
                    out.messages.push(Message {
                        code,
                        severity,
                        body: String::new(),
                    });
                }
                Frame::End { code } => match open.pop() {
                    Some(index) if out.messages[index].code == code => {
                        let body = &mut out.messages[index].body;
                        if body.ends_with('\n') {
                            body.pop();
                        }
                    }
                    _ => {
                        out.damage = Some(format!("message {code} ends but did not start"));
                        return out;
                    }
                },
            }
            rest = after;
        }
        out.append(&open, rest);
        if let Some(&index) = open.last() {
            out.damage = Some(format!(
                "message {} starts but does not end",
                out.messages[index].code
            ));
        }
        out
    }

    /// The messages of this code.
    pub fn of(&self, code: u32) -> impl Iterator<Item = &Message> {
        self.messages
            .iter()
            .filter(move |message| message.code == code)
    }

    /// Whether there is a message of this code.
    pub fn has(&self, code: u32) -> bool {
        self.of(code).next().is_some()
    }

    fn append(&mut self, open: &[usize], text: &str) {
        match open.last() {
            Some(&index) => self.messages[index].body.push_str(text),
            None => self.loose.push_str(text),
        }
    }
}

enum Frame {
    Start { code: u32, severity: u8 },
    End { code: u32 },
}

impl Frame {
    /// Reads the frame that `text` begins with, and the newline that ends it.
    fn read(text: &str) -> Option<(Frame, &str)> {
        let (frame, after) = if let Some(head) = text.strip_prefix(START) {
            let (head, after) = head.split_once(CLOSE)?;
            let (code, severity) = head.split_once(':')?;
            (
                Frame::Start {
                    code: code.parse().ok()?,
                    severity: severity.parse().ok()?,
                },
                after,
            )
        } else {
            let (code, after) = text.strip_prefix(END)?.split_once(CLOSE)?;
            (
                Frame::End {
                    code: code.parse().ok()?,
                },
                after,
            )
        };
        Some((frame, after.strip_prefix('\n').unwrap_or(after)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(code: u32, severity: u8, body: &str) -> Message {
        Message {
            code,
            severity,
            body: body.into(),
        }
    }

    #[test]
    fn frames_nest_and_start_in_the_middle_of_a_line() {
        let out = Output::parse(
            "@!@!@STARTMSG 1000:1 @!@!@\nThe exception was X\n: @!@!@STARTMSG 5006:0 @!@!@\nat line 4\n\
             @!@!@ENDMSG 5006 @!@!@\n@!@!@ENDMSG 1000 @!@!@\nParsing file A.tla\n@!@!@STARTMSG 2221:0 @!@!@\n@!@!@ENDMSG 2221 @!@!@\n",
        );
        assert_eq!(
            out.messages,
            [
                message(1000, 1, "The exception was X\n: "),
                message(5006, 0, "at line 4"),
                message(2221, 0, "")
            ]
        );
        assert_eq!(out.loose, "Parsing file A.tla\n");
        assert_eq!(out.damage, None);
    }

    #[test]
    fn every_cut_inside_a_frame_is_damage() {
        let whole = "@!@!@STARTMSG 2193:0 @!@!@\nNo error.\n@!@!@ENDMSG 2193 @!@!@\n";
        for cut in 5..whole.len() - 1 {
            assert!(
                Output::parse(&whole[..cut]).damage.is_some(),
                "cut at {cut}"
            );
        }
        assert_eq!(Output::parse(whole).damage, None);
    }

    #[test]
    fn an_end_without_its_start_is_damage() {
        assert!(Output::parse("@!@!@ENDMSG 2193 @!@!@\n").damage.is_some());
        assert!(
            Output::parse("@!@!@STARTMSG 1:0 @!@!@\n@!@!@ENDMSG 2 @!@!@\n")
                .damage
                .is_some()
        );
        assert!(Output::parse("@!@!@STARTMSG x:0 @!@!@\n").damage.is_some());
    }
}
