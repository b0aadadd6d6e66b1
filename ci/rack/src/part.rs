//! The parts of what a kernel of the rack is asked, of which one may be asked alone.

use anyhow::{Result, bail};

use crate::record;
use crate::workload::Workload;

/// A part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The plans.
    Plans,
    /// The workloads.
    Workloads,
    /// The traces.
    Traces,
}

impl Part {
    /// What the record has of this release but for the part.
    ///
    /// # Errors
    /// If it has nothing of it.
    pub fn left_out(
        self,
        release: &str,
        before: Option<&record::Kernel>,
    ) -> Result<record::Kernel> {
        let Some(before) = before.filter(|before| before.release == release) else {
            bail!("docs/kernels.json has nothing of {release} to keep: run it without --only");
        };
        let mut did = before.clone();
        match self {
            Part::Plans => did.plans.clear(),
            Part::Workloads => did.workloads.clear(),
            Part::Traces => did.traces.clear(),
        }
        did.not_run = before
            .not_run
            .iter()
            .filter_map(|line| self.without(line))
            .collect();
        // They are found anew of all parts.
        did.measured.clear();
        did.disagrees.clear();
        Ok(did)
    }

    /// A line of what was not run, `NAME, NAME: reason`, without the names of the part; None, if no other is left.
    fn without(self, line: &str) -> Option<String> {
        let Some((names, reason)) = line.split_once(": ") else {
            return Some(line.to_owned());
        };
        let others = names.split(", ").filter(|name| Part::of(name) != self);
        let others: Vec<&str> = others.collect();
        (!others.is_empty()).then(|| format!("{}: {reason}", others.join(", ")))
    }

    /// The part to which something belongs that was not run.
    fn of(name: &str) -> Part {
        let mut workloads = Workload::ALL.iter();
        if name.starts_with("traces of ") {
            Part::Traces
        } else if workloads.any(|workload| format!("{workload:?}") == name) {
            Part::Workloads
        } else {
            Part::Plans
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_parts_stay() -> Result<()> {
        let before = record::Kernel {
            release: "7.3.4".to_owned(),
            not_run: [
                "NOT RUN without mkfs.xfs",
                "traces of dio: no events",
                "A-plan, Journal, B-plan: the guest hangs",
            ]
            .map(str::to_owned)
            .into(),
            measured: [("dio/Final612".to_owned(), 3)].into(),
            disagrees: vec!["A-plan: it keeps".to_owned()],
            ..record::Kernel::default()
        };
        for (part, expected) in [
            (
                Part::Plans,
                &[
                    "NOT RUN without mkfs.xfs",
                    "traces of dio: no events",
                    "Journal: the guest hangs",
                ][..],
            ),
            (
                Part::Workloads,
                &[
                    "NOT RUN without mkfs.xfs",
                    "traces of dio: no events",
                    "A-plan, B-plan: the guest hangs",
                ],
            ),
            (
                Part::Traces,
                &[
                    "NOT RUN without mkfs.xfs",
                    "A-plan, Journal, B-plan: the guest hangs",
                ],
            ),
        ] {
            let did = part.left_out("7.3.4", Some(&before))?;
            assert_eq!(did.not_run, expected, "{part:?}");
            assert!(did.measured.is_empty() && did.disagrees.is_empty());
            let error = part.left_out("7.3.5", Some(&before));
            let error = error.expect_err("another release").to_string();
            assert!(error.contains("nothing of 7.3.5"), "{error}");
        }
        Ok(())
    }
}
