//! What a kernel's traces are written in: the events of each release, their fields, and what differs between releases in the
//! protocols themselves. The tables are in `families/`.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// The tables, by release.
const TABLES: [(&str, &str); 8] = [
    ("4.19", include_str!("families/4.19.toml")),
    ("5.10", include_str!("families/5.10.toml")),
    ("6.1", include_str!("families/6.1.toml")),
    ("6.12", include_str!("families/6.12.toml")),
    ("6.17", include_str!("families/6.17.toml")),
    ("6.18", include_str!("families/6.18.toml")),
    ("7.2", include_str!("families/7.2.toml")),
    ("7.3", include_str!("families/7.3.toml")),
];

/// One release's table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The release: `6.18`.
    pub kernel: String,
    /// The release whose table this one is, but for what it says.
    like: Option<String>,
    /// In what the protocols of the releases differ.
    #[serde(default)]
    pub constants: BTreeMap<String, String>,
    /// What of these changed within the release's stable updates: from which one on.
    #[serde(default)]
    since: BTreeMap<u32, BTreeMap<String, String>>,
    /// The events that are read, by the names that they have here.
    #[serde(default)]
    pub events: BTreeMap<String, Kind>,
    /// Events that other releases have, and what can be done without them.
    #[serde(default)]
    pub absent: BTreeMap<String, String>,
    /// Events that may be in a trace and say nothing that is read.
    #[serde(default)]
    ignored: Vec<String>,
    /// The areas of which this release's events make no trace, and why.
    #[serde(default)]
    pub untraced: BTreeMap<String, String>,
}

/// An event.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Its name in the kernel.
    pub event: String,
    /// Where its fields are: `word` is behind that word, or behind `word=`; `#2` is the third word; `#-1` is the last one;
    /// `first..last` is all that is between these words, which may be nothing.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Where there is no tracepoint: the kprobes that write the event, as `kprobe_events` has them but for their names.
    #[serde(default)]
    pub probes: Vec<String>,
}

/// Whether a table knows an event.
#[derive(Debug, Clone, Copy)]
pub enum Known<'a> {
    /// It is read; with its name here.
    Read(&'a str, &'a Kind),
    /// It says nothing that is read.
    Ignored,
    /// It does not.
    Not,
}

impl Family {
    /// The tables of all releases.
    ///
    /// # Errors
    /// As [`Family::of`].
    pub fn all() -> Result<Vec<Family>> {
        TABLES.iter().map(|(name, _)| Family::of(name)).collect()
    }

    /// The table of a release: `6.18`, which is its last stable update, or `6.18.44-generic`.
    ///
    /// # Errors
    /// If there is none.
    ///
    /// # Panics
    /// If a table of the project cannot be read.
    pub fn of(kernel: &str) -> Result<Family> {
        let mut parts = kernel.split(['.', '-', '+']);
        let release = [parts.next(), parts.next()].map(Option::unwrap_or_default);
        let update = parts.next().and_then(|part| part.parse().ok());
        let release = release.join(".");
        let Some((_, text)) = TABLES.iter().find(|(name, _)| *name == release) else {
            let releases = TABLES.iter().map(|(name, _)| *name);
            bail!(
                "there is no table of the events of kernel {kernel} (there are: {}): \
                 to read the trace as one of those, name it with --kernel",
                releases.collect::<Vec<_>>().join(", ")
            );
        };
        let mut table: Family = toml::from_str(text).expect("the tables are read by a test");
        for (since, constants) in std::mem::take(&mut table.since) {
            if update.is_none_or(|update| since <= update) {
                table.constants.extend(constants);
            }
        }
        match table.like.clone() {
            Some(like) => Ok(Family::of(&like)?.but(table)),
            None => Ok(table),
        }
    }

    /// This table with what another one says instead.
    fn but(mut self, other: Family) -> Family {
        self.events
            .retain(|name, _| !other.absent.contains_key(name));
        self.absent
            .retain(|name, _| !other.events.contains_key(name));
        self.events.extend(other.events);
        self.absent.extend(other.absent);
        self.constants.extend(other.constants);
        self.ignored.extend(other.ignored);
        self.untraced.extend(other.untraced);
        Family {
            kernel: other.kernel,
            like: other.like,
            ..self
        }
    }

    /// The event that has this name here; none if the release has not got it.
    ///
    /// # Errors
    /// If the table has never heard of it.
    pub fn named(&self, name: &str) -> Result<Option<&Kind>> {
        match self.events.get(name) {
            None if self.absent.contains_key(name) => Ok(None),
            kind => Ok(Some(kind.with_context(|| {
                format!("the table of kernel {} has no {name}", self.kernel)
            })?)),
        }
    }

    /// What the table says of the event that the kernel calls `name`.
    pub fn event(&self, name: &str) -> Known<'_> {
        let mut events = self.events.iter();
        if let Some((here, kind)) = events.find(|(_, kind)| kind.event == name) {
            return Known::Read(here, kind);
        }
        if self.ignored.iter().any(|ignored| ignored == name) {
            return Known::Ignored;
        }
        Known::Not
    }

    /// What this release has for a name in which releases differ.
    ///
    /// # Errors
    /// If the table does not say.
    pub fn constant(&self, name: &str) -> Result<&str> {
        let value = self.constants.get(name);
        value
            .map(String::as_str)
            .with_context(|| format!("the table of kernel {} has no {name}", self.kernel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_read() {
        for (name, _) in TABLES {
            assert_eq!(Family::of(name).expect("a table").kernel, name);
        }
    }

    #[test]
    fn a_table_says_what_differs_from_the_one_that_it_is_like() {
        let constant = |kernel: &str, name: &str| {
            let family = Family::of(kernel).expect("a table");
            family.constant(name).expect("a constant").to_owned()
        };
        let dio = TABLES.map(|(kernel, _)| constant(kernel, "dio"));
        let says = " Pre61 Pre61 Drained72 Final612 Final612 Drained72 Zeroing73";
        assert_eq!(dio.join(" "), says);
        let rwsem = TABLES.map(|(kernel, _)| constant(kernel, "rwsem"));
        assert_eq!(rwsem[..3], ["Xadd420", "ReaderSpin53", "Handoff511"]);
        let old = Family::of("6.1").expect("a table");
        assert!(old.named("journal_start_sb").expect("known").is_none());
        let kind = old.named("journal_start").expect("known");
        assert_eq!(kind.expect("it has it").event, "ext4_journal_start");
        assert!(old.named("journal_begin").is_err());
    }

    #[test]
    fn a_stable_update_has_what_came_before_it() {
        let dio = |kernel: &str| {
            Family::of(kernel)
                .unwrap()
                .constant("dio")
                .unwrap()
                .to_owned()
        };
        assert_eq!(dio("6.12.109+deb13-cloud-amd64"), "Final612");
        assert_eq!(dio("6.12.110+deb13-cloud-amd64"), "Drained72");
        assert_eq!(dio("6.12"), "Drained72");
    }
}
