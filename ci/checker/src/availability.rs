//! Whether a tool is here.

/// Whether the models of an engine can run.
#[derive(Debug, Clone)]
pub enum Availability<T> {
    /// They can, on this.
    Ready(T),
    /// They cannot, and this sentence says why.
    Missing(String),
}

impl<T> Availability<T> {
    /// The tool, if it is here.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(tool) => Some(tool),
            Self::Missing(_) => None,
        }
    }

    /// Why it is not, if it is not.
    pub fn missing(&self) -> Option<&str> {
        match self {
            Self::Ready(_) => None,
            Self::Missing(why) => Some(why),
        }
    }
}
