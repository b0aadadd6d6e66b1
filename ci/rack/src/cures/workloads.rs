//! Workloads that a guest is asked to run, and what they come to.

use anyhow::{Result, bail};
use interlock_checker::note;

use super::record::{self, Built, Herd};
use crate::cure::Cure;
use crate::guest::Guest;
use crate::plan::Fs;
use crate::rack;
use crate::workload::costs::Cost;
use crate::workload::cuts::Cuts;
use crate::workload::herd::Shape;
use crate::workload::spoken::Told;
use crate::workload::{Measured, Workload};

/// How often power is lost at one asking.
const TOGETHER: u32 = 5;

/// How often threads are run in each shape.
const REPEATS: usize = 3;

/// What those do who reserve credits.
pub fn spoken(guest: &mut Guest) -> Result<Told> {
    match rack::work(guest, Workload::Spoken)? {
        Measured::Spoken(told) => Ok(told),
        other => bail!("the guest says {other:?}"),
    }
}

/// What direct writes of this file system cost.
pub fn costs(guest: &mut Guest, fs: Fs) -> Result<Vec<Cost>> {
    match rack::work(guest, Workload::Costs(fs))? {
        Measured::Costs(costs) => Ok(costs),
        other => bail!("the guest says {other:?}"),
    }
}

/// Losses of power beside threads that write, as many as the cure has and no more than `most`, a few at a time; and the control.
pub fn cuts(guest: &mut Guest, cure: &Cure, most: u32, seed: u64, did: &mut Built) -> Result<()> {
    let cuts = cure.cuts.min(most);
    let mut ask = |count, seed, late| {
        let cuts = Cuts { count, seed, late };
        match rack::work(guest, Workload::Cuts(cuts))? {
            Measured::Cuts(measured) => Ok(measured),
            other => bail!("the guest says {other:?}"),
        }
    };
    let mut found = record::Cuts::default();
    while found.all.cuts < cuts {
        let count = TOGETHER.min(cuts - found.all.cuts);
        found
            .all
            .add(&ask(count, seed + u64::from(found.all.cuts), false)?);
        note!("{}: {:?}", cure.name, found.all);
        if found.late.cuts == 0 {
            found.late = ask(TOGETHER, seed, true)?;
        }
    }
    did.cuts = (cuts > 0).then_some(found);
    Ok(())
}

/// Barriers beside most threads, and then threads in each shape.
pub fn herds(guest: &mut Guest, did: &mut Built) -> Result<()> {
    match rack::work(guest, Workload::Barriers(Shape::MOST))? {
        Measured::Barriers(barriers) => did.barriers = Some(barriers),
        other => bail!("the guest says {other:?}"),
    }
    did.herds = Shape::ALL
        .map(|shape| Herd {
            shape,
            runs: Vec::new(),
        })
        .into();
    for _ in 0..REPEATS {
        for herd in &mut did.herds {
            match rack::work(guest, Workload::Herd(herd.shape))? {
                Measured::Herd(measured) => {
                    note!("{:?}: {measured:?}", herd.shape);
                    herd.runs.push(measured);
                }
                other => bail!("the guest says {other:?}"),
            }
        }
    }
    Ok(())
}
