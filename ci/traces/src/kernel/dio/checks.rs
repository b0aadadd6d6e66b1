//! What ext4 looks up before a direct write begins: which look-ups are one check, made under one hold of the lock.

use std::ops::RangeInclusive;

use anyhow::{Context as _, Result, bail, ensure};

use super::begin::Extent;
use super::task::{Ask, Did};
use super::window::Request;

/// Which blocks of a write that does not grow the file are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// From the first one on.
    Every,
    /// The same, but under the shared lock alone: an unaligned write is exclusive without a look, and so is one that has upgraded.
    Aligned,
    /// Those that it covers in part, at its beginning and its end: each by itself, but for an end that the first look has found too.
    Partial,
}

/// A check: what it has found, and its first and its last look-up.
pub struct Check<'a> {
    pub seen: Vec<(u64, &'static str)>,
    pub first: &'a Ask,
    pub last: &'a Ask,
}

impl Looks {
    /// As a table calls it, `dio_looks`.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn named(name: &str) -> Result<Looks> {
        match name {
            "every" => Ok(Looks::Every),
            "aligned" => Ok(Looks::Aligned),
            "partial" => Ok(Looks::Partial),
            _ => bail!("dio_looks = {name}: is `every`, `aligned` or `partial`"),
        }
    }

    /// Whether the lock is held as it is to be without a look.
    pub fn skips(self, request: &Request, block: u64) -> bool {
        let unaligned = request.is_partial(block) != (false, false);
        request.end() > request.size
            || match self {
                Looks::Every => false,
                Looks::Aligned => unaligned,
                Looks::Partial => !unaligned,
            }
    }

    /// Whether behind the last of these checks, by which it is no overwrite, there is another one without a look.
    pub fn upgrades(self, request: &Request, checks: &[Check<'_>], block: u64) -> bool {
        let overwrites = |check: &Check<'_>| {
            check.seen.len() == request.blocks(block).count()
                && check.seen.iter().all(|(_, state)| *state == "written")
        };
        self == Looks::Aligned && checks.last().is_some_and(|check| !overwrites(check))
    }

    /// The checks of a write that these look-ups are.
    ///
    /// # Errors
    /// If one of them is of none of the write's blocks, or is missing.
    pub fn checks<'a>(
        self,
        request: &Request,
        asked: &'a [Ask],
        block: u64,
    ) -> Result<Vec<Check<'a>>> {
        let blocks = request.blocks(block);
        let (head, tail) = request.is_partial(block);
        if self == Looks::Partial && !head && !tail {
            return Ok(Vec::new());
        }
        let begins = if self == Looks::Partial && !head {
            blocks.end()
        } else {
            blocks.start()
        };
        let mut checks = Vec::new();
        let mut asked = asked.iter();
        while let Some(first) = asked.next() {
            let extent @ (state, _, to) = first.extent()?;
            let at = |ask: &Ask| format!("line {}", ask.line);
            let seen = covered(blocks.clone(), *begins, extent);
            let mut seen = seen.with_context(|| at(first))?;
            let mut last = first;
            let both = self == Looks::Partial && head && tail;
            if both && state == "written" && to <= *blocks.end() {
                let next = asked.next();
                last = next.context(
                    "the look-up of its last block, behind that of its first one, is missing",
                )?;
                let more = covered(blocks.clone(), *blocks.end(), last.extent()?);
                seen.extend(more.with_context(|| at(last))?);
            }
            checks.push(Check { seen, first, last });
        }
        Ok(checks)
    }
}

impl Ask {
    /// What a look-up has found.
    fn extent(&self) -> Result<Extent> {
        match self.did {
            Did::LookUp(extent) => Ok(extent),
            Did::Lock(_) | Did::Unlock => bail!("ext4 asks for no lock that is in the trace"),
        }
    }
}

/// Those of a request's blocks that the extent of a look-up of the block `at` has.
///
/// # Errors
/// If it has not got that one.
pub fn covered(
    blocks: RangeInclusive<u64>,
    at: u64,
    (state, from, to): Extent,
) -> Result<Vec<(u64, &'static str)>> {
    ensure!(
        (from..to).contains(&at),
        "a look-up that has found the blocks from {from} to {to}, by a task that writes to block {at}"
    );
    let blocks = blocks.filter(|block| (from..to).contains(block));
    Ok(blocks.map(|block| (block, state)).collect())
}
