//! TLC's `-tool` output as a list of messages.

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
