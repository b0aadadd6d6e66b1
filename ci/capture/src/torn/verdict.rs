//! What the models say of a meeting, and whether what was seen agrees.

use anyhow::{Result, bail};

use interlock_checker::manifest::{Expect, Manifest};

use super::kinds::{Kind, Pair, Way};
use super::words::{Place, Tally};

/// The module whose designs are choices of locks.
const MODULE: &str = "MCFileAtomicity";

/// A model's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The model's name.
    pub model: String,
    /// Whether it tears nothing.
    pub never: bool,
}

impl Row {
    /// What a design's model of this size says of this property.
    fn of(manifest: &Manifest, design: &str, size: &str, property: &str) -> Result<Row> {
        let models = manifest
            .models
            .iter()
            .filter(|model| model.module == MODULE && model.design == design && model.size == size);
        for model in models {
            let never = match &model.expect {
                Expect::Holds => model.invariants.iter().any(|name| name == property),
                Expect::Violates { property: of, .. } if of == property => false,
                _ => continue,
            };
            if never || model.expect != Expect::Holds {
                return Ok(Row {
                    model: model.name.clone(),
                    never,
                });
            }
        }
        bail!(
            "no model of {design} says {property} at size {size}: what kernels tear is compared with it"
        )
    }

    fn says(&self) -> String {
        let word = if self.never { "never" } else { "may" };
        format!("{word}: {}", self.model)
    }
}

/// What the models say of a kind on a file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Of what is torn inside a folio.
    pub inside: Row,
    /// Of what is torn between folios: none where the range is of one page.
    pub between: Option<Row>,
}

impl Verdict {
    /// The design's verdict on a kind whose operations come to this pair.
    ///
    /// # Errors
    /// If it has no such model.
    pub fn of(manifest: &Manifest, design: &str, kind: &Kind, comes_to: Pair) -> Result<Verdict> {
        use Way::{Buffered, Direct};
        let row = |size, property| Row::of(manifest, design, size, property);
        let reads = |size| row(size, "ReadAtomic");
        let both = match comes_to {
            Pair::Read(Buffered, Buffered) => {
                let between = (!kind.in_one_page()).then(|| reads("across"));
                return Ok(Verdict {
                    inside: reads("within")?,
                    between: between.transpose()?,
                });
            }
            Pair::Read(Buffered, Direct) => reads("mixed")?,
            Pair::Read(Direct, Buffered) => reads("mixed-reads")?,
            Pair::Read(Direct, Direct) => reads("direct")?,
            Pair::Writes(Buffered, Buffered) => row("writes", "WriteAtomic")?,
            Pair::Writes(Direct, Direct) => row("direct-writes", "WriteAtomic")?,
            Pair::Writes(..) => row("mixed-writes", "WriteAtomic")?,
        };
        Ok(Verdict {
            inside: both.clone(),
            between: Some(both),
        })
    }

    /// The models that are read.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        let rows = [Some(&self.inside), self.between.as_ref()];
        rows.into_iter().flatten().map(|row| row.model.as_str())
    }

    /// In words.
    pub fn says(&self) -> String {
        match &self.between {
            Some(between) if *between != self.inside => {
                format!("{}; {}", self.inside.says(), between.says())
            }
            _ => self.inside.says(),
        }
    }

    /// What was seen, beside it.
    pub fn judge(&self, tally: &Tally) -> Judged {
        let inside = tally.torn_in(Place::Page) + tally.torn_in(Place::Folio);
        // Where folios are not known, the pages may be of two.
        let between = tally.torn() - inside;
        let rows = [
            (Some(&self.inside), inside),
            (self.between.as_ref(), between),
        ];
        let refuted = rows.iter().find_map(|(row, torn)| {
            let never = row.is_none_or(|row| row.never);
            (never && *torn > 0).then(|| row.unwrap_or(&self.inside).model.clone())
        });
        match refuted {
            Some(model) => Judged::Refuted(model),
            None if tally.torn() > 0 => Judged::Torn,
            None if rows.iter().all(|(row, _)| row.is_none_or(|row| row.never)) => Judged::Kept,
            None => Judged::NotSeen,
        }
    }
}

/// Whether what was seen agrees with the models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// Torn, which it may be.
    Torn,
    /// It may be torn, and was not in this time.
    NotSeen,
    /// It is never torn, and was not.
    Kept,
    /// It was torn, which this model says it never is.
    Refuted(String),
}

impl Judged {
    /// In words.
    pub fn says(&self) -> String {
        match self {
            Judged::Torn => "as it may be".to_owned(),
            Judged::NotSeen => "not seen".to_owned(),
            Judged::Kept => "kept".to_owned(),
            Judged::Refuted(model) => format!("**refutes {model}**"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::folios::Folios;
    use super::super::kinds::{FILE_SYSTEMS, FileSystem, KINDS};
    use super::super::words::{PAGE, WORD, fill};
    use super::*;

    fn manifest() -> Manifest {
        Manifest::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs")).unwrap()
    }

    fn verdict(design: &str, kind: usize) -> Verdict {
        Verdict::of(&manifest(), design, &KINDS[kind], KINDS[kind].pair).unwrap()
    }

    /// One read in so many words of two writes, in two folios of a page each.
    fn tally(second_from: Option<usize>) -> Tally {
        let mut buffer = vec![0; 2 * PAGE as usize];
        if let Some(word) = second_from {
            fill(&mut buffer[word * WORD..], 1);
        }
        let mut tally = Tally::default();
        tally.see(&buffer, 0, &Folios::at([(0, 1), (1, 1)]));
        tally
    }

    #[test]
    fn every_file_system_has_its_verdicts() {
        let manifest = manifest();
        for FileSystem { name, design, .. } in FILE_SYSTEMS {
            let of = |kind: &Kind| Verdict::of(&manifest, design, kind, kind.pair);
            for kind in &KINDS {
                assert!(of(kind).is_ok(), "{name}: {:?}", of(kind));
            }
        }
        let none = Verdict::of(&manifest, "Ext5", &KINDS[0], KINDS[0].pair).unwrap_err();
        assert!(
            none.to_string()
                .starts_with("no model of Ext5 says ReadAtomic at size within")
        );
    }

    #[test]
    fn the_models_say_what_may_be_torn() {
        let says = |design, kind| verdict(design, kind).says();
        assert_eq!(says("Ext4", 0), "may: Ext4-within-ReadAtomic");
        assert_eq!(says("Xfs", 0), "never: Xfs-within-atomic");
        let both = "never: FolioLocks-within-atomic; may: FolioLocks-across-ReadAtomic";
        assert_eq!(says("FolioLocks", 1), both);
        assert_eq!(says("Xfs", 3), "may: Xfs-mixed-ReadAtomic");
        assert_eq!(says("Xfs", 4), "never: Xfs-mixed-reads-atomic");
        assert_eq!(says("Btrfs", 4), "may: Btrfs-mixed-reads-ReadAtomic");
    }

    #[test]
    fn what_is_torn_is_judged_by_where() {
        let (whole, in_page, border) = (tally(None), tally(Some(1)), tally(Some(512)));
        let refuted = |model: &str| Judged::Refuted(model.to_owned());
        let ext4 = verdict("Ext4", 1);
        assert_eq!(ext4.judge(&whole), Judged::NotSeen);
        assert_eq!(ext4.judge(&in_page), Judged::Torn);
        assert_eq!(ext4.judge(&border), Judged::Torn);
        let xfs = verdict("Xfs", 1);
        assert_eq!(xfs.judge(&whole), Judged::Kept);
        assert_eq!(xfs.judge(&in_page), refuted("Xfs-within-atomic"));
        assert_eq!(xfs.judge(&border), refuted("Xfs-across-atomic"));
        let locks = verdict("FolioLocks", 1);
        assert_eq!(locks.judge(&whole), Judged::NotSeen);
        assert_eq!(locks.judge(&in_page), refuted("FolioLocks-within-atomic"));
        assert_eq!(locks.judge(&border), Judged::Torn);
        let writes = verdict("Ext4", 6);
        assert_eq!(writes.judge(&border), refuted("Ext4-writes-atomic"));
    }
}
