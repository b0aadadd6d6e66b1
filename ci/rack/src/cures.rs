//! `interlock cures`: kernels as they are and with patches of `docs/findings/patches`, built, booted, and played the plans that they lose.

pub mod build;
mod costs;
pub mod herds;
mod judge;
pub mod page;
mod programs;
pub mod record;
mod spoken;
mod workloads;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use interlock_checker::manifest::Manifest;
use interlock_checker::record::Cell;
use interlock_checker::{interrupt, note};

use crate::cure::{self, Cure, NONE, Source};
use crate::guest::Guest;
use crate::history;
use crate::kernels::Kernel;
use crate::plan::Fs;
use crate::plans::{self, Named};
use crate::play::Aim;
use crate::program;
use crate::rack::{self, loses};
use crate::replay;
use crate::verdict::Verdict;
use build::Kept;
use record::{Asked, Built, COSTS, HERD, Record, SPOKEN, Unaimed};

/// How often a plan is played that loses nothing: on a busy machine a call may be made later than the plan has it.
const TRIES: usize = 3;

/// What to build and run.
#[derive(Debug)]
pub struct Request {
    /// The sources' versions; none: all.
    pub sources: Vec<String>,
    /// The cures; none: all. The kernel as it is shipped is always run too.
    pub cures: Vec<String>,
    /// How often a plan is played without an aim, and power is lost at most.
    pub runs: u32,
    /// The first of them has this seed.
    pub seed: u64,
    /// Runs none, and writes the page anew from the record.
    pub page: bool,
    /// Where things are kept.
    pub kept: Kept,
    /// Where consoles go.
    pub out: PathBuf,
}

/// Builds and runs them, and writes the record and its page. The exit status: 1 if a kernel and its model disagree or a kernel complains,
/// 2 if none was run.
///
/// # Errors
/// If a table cannot be read or a file written.
pub fn run(root: &Path, request: &Request) -> Result<u8> {
    let mut record = Record::load(root)?;
    if request.page {
        page::write(root, &record)?;
        return Ok(0);
    }
    let table = cure::all()?;
    let cures = table.chosen(&request.cures)?;
    let names: BTreeSet<&str> = cures
        .iter()
        .flat_map(|cure| &cure.programs)
        .filter_map(|program| program.split(' ').next())
        .collect();
    for name in names {
        program::compile(root, name, &request.kept.rack)?;
    }
    let asks = Asks {
        root,
        manifest: Manifest::load(&root.join("specs"))?,
        plans: plans::all()?,
        cures: cures.clone(),
        request,
    };
    let (mut ran, mut disagrees) = (false, false);
    for source in table.sources(&request.sources)? {
        for cure in &cures {
            if cure.checked && !source.checked {
                if request.cures.contains(&cure.name) {
                    println!(
                        "{}+{}: NOT RUN: it is of kernels that check themselves: --source {}-checked",
                        source.version, cure.name, source.version
                    );
                }
                continue;
            }
            let did = build::build(&table, &source, cure, root, &request.kept)
                .and_then(|kernel| asks.of(&source, &kernel, cure));
            match did {
                Ok(did) => {
                    println!("{}+{}: {}", source.version, cure.name, summary(&did));
                    for (name, why) in &did.not_run {
                        println!("  {name}: NOT RUN: {why}");
                    }
                    for complaint in &did.complaints {
                        println!("  the kernel complains: {complaint}");
                    }
                    let of_source = record.sources.entry(source.version.clone()).or_default();
                    let mut differ = judge::differences(&did, cure);
                    if source.paced && cure.herd == Some(false) {
                        differ.extend(herds::slower(&did, of_source.get(NONE)));
                    }
                    for what in differ {
                        println!("  NOT AS EXPECTED: {what}");
                        disagrees = true;
                    }
                    ran = true;
                    of_source.entry(cure.name.clone()).or_default().add(did);
                    record.store(root)?;
                    page::write(root, &record)?;
                }
                Err(_) if interrupt::requested() => return Ok(interrupt::EXIT),
                Err(error) => println!("{}+{}: NOT RUN: {error:#}", source.version, cure.name),
            }
        }
    }
    if !ran {
        println!("no kernel was run");
        return Ok(2);
    }
    println!("docs/cures.md and docs/cures.json have what they did");
    Ok(u8::from(disagrees))
}

fn summary(did: &Built) -> String {
    let lost = did
        .plans
        .values()
        .filter(|asked| asked.aimed.lost())
        .count();
    let unaimed = did.plans.values().filter_map(|asked| asked.unaimed);
    let all = unaimed.fold(Unaimed::default(), |all, one| Unaimed {
        runs: all.runs + one.runs,
        lost: all.lost + one.lost,
    });
    format!(
        "{}: {lost} of {} plans lost something, and {} of {} runs without an aim",
        did.release,
        did.plans.len(),
        all.lost,
        all.runs
    )
}

struct Asks<'a> {
    root: &'a Path,
    manifest: Manifest,
    plans: Vec<Named>,
    cures: Vec<Cure>,
    request: &'a Request,
}

impl Asks<'_> {
    /// What one kernel did.
    fn of(&self, source: &Source, kernel: &Kernel, cure: &Cure) -> Result<Built> {
        let mut guest = self.boot(kernel)?;
        note!("{}: up", kernel.version);
        let mut did = Built {
            release: guest.release.clone(),
            ..Built::default()
        };
        for named in &self.plans {
            let role = match named.plan.fs {
                Fs::Ext4 => "dio",
                Fs::Xfs if named.plan.cloned => continue,
                Fs::Xfs => "dio_xfs",
            };
            let shipped = kernel.family(&guest.release)?.constant(role)?.to_owned();
            if !self.is_asked(cure, &shipped, &named.size) {
                continue;
            }
            let design = kernel.design(&guest.release, role)?;
            // How often one loses that is played without an aim is asked where there is something to lose.
            let runs = match loses(&self.manifest, &shipped, &named.size) {
                Some(true) => self.request.runs,
                _ => 0,
            };
            match self.ask(&mut guest, named, design, runs) {
                Ok(asked) => {
                    note!("{}: {}: {}", kernel.version, named.name, page::cell(&asked));
                    did.plans.insert(named.name.clone(), asked);
                }
                Err(error) => guest = self.another(kernel, &guest, &named.name, error, &mut did)?,
            }
        }
        for name in self.compared(cure).flat_map(|cure| &cure.programs) {
            match programs::ask(&mut guest, name) {
                Ok(found) => {
                    note!("{}: {name}: {found}", kernel.version);
                    did.programs.insert(name.clone(), found);
                }
                Err(error) => guest = self.another(kernel, &guest, name, error, &mut did)?,
            }
        }
        let costs = self.compared(cure).filter_map(|cure| cure.costs);
        let costs = costs.filter(|_| source.is_timed());
        for fs in costs.collect::<BTreeSet<_>>() {
            match workloads::costs(&mut guest, fs) {
                Ok(costs) => {
                    note!("{}: what writes of {fs} cost is measured", kernel.version);
                    did.costs.insert(fs, costs);
                }
                Err(error) => guest = self.another(kernel, &guest, COSTS, error, &mut did)?,
            }
        }
        if cure.wakes.is_some() {
            let out = self.request.out.join("spoken");
            let told = workloads::spoken(&mut guest);
            match told.and_then(|told| spoken::judge(self.root, &out, &kernel.version, &told)) {
                Ok(spoken) => did.spoken = Some(spoken),
                Err(error) => guest = self.another(kernel, &guest, SPOKEN, error, &mut did)?,
            }
        }
        if self.compared(cure).any(|cure| cure.herd.is_some())
            && let Err(error) = self.crowd(&mut guest, cure, &mut did)
        {
            if interrupt::requested() {
                return Err(error);
            }
            let why = rack::why(&error, &self.request.out);
            did.not_run.insert(HERD.to_owned(), why);
        }
        did.complaints.extend(guest.complaints());
        Ok(did)
    }

    /// What threads do that write and fsync, and what is left of it when power is lost.
    fn crowd(&self, guest: &mut Guest, cure: &Cure, did: &mut Built) -> Result<()> {
        let Request { runs, seed, .. } = *self.request;
        workloads::cuts(guest, cure, runs, seed, did)?;
        workloads::herds(guest, did)
    }

    /// The cures whose questions a kernel with this one is asked: its own; as it is shipped, those of all that are asked for.
    fn compared<'a>(&'a self, cure: &'a Cure) -> impl Iterator<Item = &'a Cure> {
        let cures = self.cures.iter();
        cures.filter(|other| cure.name == NONE || cure.name == other.name)
    }

    fn boot(&self, kernel: &Kernel) -> Result<Guest> {
        let Request { kept, out, .. } = self.request;
        Guest::boot(kernel, &kept.rack, &out.join("rack"))
    }

    /// Another guest, where this could not be run to its end.
    fn another(
        &self,
        kernel: &Kernel,
        guest: &Guest,
        name: &str,
        error: anyhow::Error,
        did: &mut Built,
    ) -> Result<Guest> {
        if interrupt::requested() {
            return Err(error);
        }
        let why = rack::why(&error, &self.request.out);
        did.not_run.insert(name.to_owned(), why);
        did.complaints.extend(guest.complaints());
        self.boot(kernel)
    }

    /// Whether a design of the cure, or of any to be compared with the kernel as it is shipped, says something of this size.
    fn is_asked(&self, cure: &Cure, shipped: &str, size: &str) -> bool {
        let designs = self
            .compared(cure)
            .filter_map(|cure| cure.designs.get(shipped));
        let mut known = designs.map(|design| loses(&self.manifest, design, size));
        known.any(|loses| loses.is_some())
    }

    fn ask(&self, guest: &mut Guest, named: &Named, design: String, runs: u32) -> Result<Asked> {
        let mut verdict = Verdict::Differs;
        for _ in 0..TRIES {
            let now = Verdict::of(&named.plan, &replay::play(guest, &named.plan, Aim::Plan)?);
            let loses = now.lost();
            // That the kernel has waited once says more than that a call came too late for it.
            if loses || verdict == Verdict::Differs {
                verdict = now;
            }
            if loses {
                break;
            }
        }
        let aimed = Cell {
            loses: loses(&self.manifest, &design, &named.size),
            design,
            did: verdict.word().to_owned(),
            says: verdict.to_string(),
        };
        let mut unaimed = Unaimed { runs, lost: 0 };
        for run in 0..runs {
            let aim = Aim::Chance(self.request.seed + u64::from(run));
            let played = replay::play(guest, &named.plan, aim)?;
            unaimed.lost += u32::from(!history::wrong(&named.plan, &played).is_empty());
        }
        Ok(Asked {
            aimed,
            unaimed: (runs > 0).then_some(unaimed),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::kernels;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn each_patch_is_in_the_table_and_says_what_it_is_for() {
        let table = cure::all().expect("a table");
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(root().join(cure::FINDINGS)).expect("a folder") {
            let path = entry.expect("a file").path();
            let name = path.file_stem().expect("a name").to_string_lossy();
            let text = fs::read_to_string(&path).expect("a text");
            let subject = text.lines().next().unwrap_or_default();
            let subject = subject.strip_prefix("// ").expect("a message");
            assert!(subject.contains(": ") && subject.len() <= 75, "{subject}");
            assert!(text.contains("\n// Fixes: "), "{name}");
            // That is a person's to give.
            assert!(!text.contains("Signed-off-by"), "{name}");
            files.insert(name.into_owned());
        }
        let cures = table.patches.iter().filter(|patch| !patch.test);
        assert_eq!(files, cures.map(|patch| patch.name.clone()).collect());
        for patch in &table.patches {
            assert!(patch.path(&root()).is_file(), "{}", patch.name);
        }
    }

    /// What the designs of a kernel lose: plans' names.
    fn lost(manifest: &Manifest, design: &str, plans: &[Named]) -> BTreeSet<String> {
        let lost = plans
            .iter()
            .filter(|named| loses(manifest, design, &named.size) == Some(true));
        lost.map(|named| named.name.clone()).collect()
    }

    /// By the models: a kernel loses less with a cure than without it, and more with a patch of it left out.
    #[test]
    fn no_patch_is_there_in_vain() {
        let table = cure::all().expect("a table");
        let manifest = Manifest::load(&root().join("specs")).expect("rows");
        let plans = plans::all().expect("plans");
        for cure in &table.cures {
            for (shipped, cured) in &cure.designs {
                let kept = lost(&manifest, cured, &plans);
                for left_out in &cure.patches {
                    let others: Vec<&String> = cure
                        .patches
                        .iter()
                        .filter(|name| *name != left_out)
                        .collect();
                    let without = table
                        .cures
                        .iter()
                        .find(|cure| cure.patches.iter().collect::<Vec<_>>() == others);
                    let without = without.expect("a cure without it");
                    let design = without.designs.get(shipped).unwrap_or(shipped);
                    let lost = lost(&manifest, design, &plans);
                    assert!(
                        lost.difference(&kept).next().is_some(),
                        "{cured} keeps nothing that {design} loses: {left_out} is in vain"
                    );
                }
            }
        }
    }

    #[test]
    fn a_kernel_that_is_built_has_the_design_of_its_cure() {
        let named = |version: &str| kernels::chosen(&[version.to_owned()]);
        let kernel = named("6.12+ext4").expect("a cure").remove(0);
        let design = |role| kernel.design("6.12.117", role).expect("a design");
        assert_eq!(design("dio"), "Drained72Cured");
        assert_eq!(design("dio_xfs"), "XfsOptimistic");
        for (version, told) in [
            ("6.12+no", "there is no cure no"),
            ("1.0+ext4", "there is no source 1.0"),
        ] {
            let error = named(version).expect_err("it is not known").to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
