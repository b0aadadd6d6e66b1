//! One row and what it leaves to its check, design, size and module, as a model.

use std::collections::BTreeMap;
use std::ops::Range;

use super::counts::Lock;
use super::file::{Design, Holds, ModuleTable, Row, Size, Typed};
use super::source::Source;
use super::{BUDGET, Engine, Expect, HEAP, Kind, Lane, Model, Symbolic, cfg_text, claims};
use crate::near::did_you_mean;

/// The row's own fields, else its check's, its design's, its module's, else the defaults; constants are merged.
#[expect(clippy::too_many_arguments, reason = "a row stands in all of these")]
pub(super) fn flatten(
    source: &Source,
    span: &Range<usize>,
    area: &str,
    sizes: &BTreeMap<String, Size>,
    module: &ModuleTable,
    design: &Design,
    row: Row,
    lock: &Lock,
) -> anyhow::Result<Model> {
    let error = |message: String| source.error(span, message);
    let (claim, check, listed) = match (row.holds, row.violates, row.typed) {
        (Some(Holds::Check(check)), None, None) => (Claim::Holds, Some(check), None),
        (Some(Holds::Invariants(listed)), None, None) => (Claim::Holds, None, Some(listed)),
        (None, Some(check), None) => (Claim::Violates, Some(check), None),
        (None, None, Some(Typed)) => (Claim::Typed, None, None),
        _ => {
            let message = "a row says one of `holds`, `violates` and `typed` (correct it)";
            return Err(error(message.into()));
        }
    };
    let engine = module.engine.unwrap_or(Engine::Tlc);
    let cinit = row.cinit.or_else(|| design.cinit.clone());
    let size = match engine {
        Engine::Apalache if row.size.is_some() => {
            let message =
                "a row of Apalache's has a `size` (say by `cinit` what the constants may be)";
            return Err(error(message.into()));
        }
        Engine::Apalache => cinit.clone().unwrap_or_default(),
        _ => row.size.unwrap_or_default(),
    };
    let name = match (row.name, &check, claim) {
        (Some(name), ..) => name,
        (None, _, Claim::Typed) => format!("{}-typed", design.module),
        (None, Some(check), _) if !size.is_empty() => format!("{}-{size}-{check}", design.name),
        _ => {
            let message = "a row without a `name`, and with no size and check that name it (add one that no other model has)";
            return Err(error(message.into()));
        }
    };
    source.check_name(span, "a model", &name)?;

    let known = check.as_ref().and_then(|check| {
        let of_design = design.check.get(check);
        of_design.or_else(|| module.check.get(check))
    });
    let defined = known.is_some();
    let known = known.cloned().unwrap_or_default();
    let kind = row.kind.or(known.kind);
    let mut formulas = Formulas {
        invariants: listed.or(row.invariants).or(known.invariants),
        property: row.property.or(known.property),
        deadlock: row.deadlock.or(known.deadlock),
    };
    if let Some(check) = &check {
        // Apalache checks what says something of a step as an invariant too.
        formulas.name(check, kind.filter(|_| engine != Engine::Apalache));
    }
    let expect = match (claim, check) {
        (Claim::Violates, Some(check)) => formulas.violation(check, kind, defined).ok_or_else(|| {
            let message = format!(
                "model `{name}`: its check has several formulas (say which is violated: name it, and list the others as `invariants`)"
            );
            error(message)
        })?,
        (Claim::Typed, _) => Expect::Typed,
        _ => Expect::Holds,
    };

    let (mut spec, mut symbolic) = (String::new(), None);
    let (mut constants, mut silent) = (BTreeMap::new(), Vec::new());
    if engine == Engine::Apalache {
        if expect != Expect::Typed {
            let length = row.length.ok_or_else(|| {
                error(format!(
                    "model `{name}` has no `length` (say how many steps)"
                ))
            })?;
            let first = module.init.clone().unwrap_or_else(|| "Init".into());
            symbolic = Some(Symbolic {
                starts: row.init.as_ref().is_none_or(|init| *init == first),
                init: row.init.unwrap_or(first),
                next: row
                    .next
                    .or_else(|| module.next.clone())
                    .unwrap_or_else(|| "Next".into()),
                cinit,
                length,
                encoding: module.encoding,
            });
        }
    } else {
        let Some(of_size) = sizes.get(&size) else {
            let near = did_you_mean(&size, sizes.keys().map(String::as_str));
            return Err(error(format!(
                "model `{name}`: no size is named `{size}`{near} (add it to [size])"
            )));
        };
        let fair = formulas.property.is_some() && kind != Some(Kind::Action);
        spec = row
            .spec
            .or(known.spec)
            .or_else(|| design.spec.clone())
            .unwrap_or_else(|| if fair { "FairSpec" } else { "Spec" }.into());
        let levels = [
            &module.constants,
            &of_size.constants,
            &design.constants,
            &known.constants,
            &row.constants,
        ];
        constants = levels.into_iter().flatten().map(owned).collect();
        silent = of_size.silent.as_ref().unwrap_or(&module.silent).clone();
        silent.extend(
            row.silent
                .or_else(|| design.silent.clone())
                .unwrap_or_default(),
        );
    }
    let of_check = |probe: String| format!("{}-{size}-{probe}", design.name);
    let probe = known
        .probe
        .filter(|_| expect == Expect::Holds)
        .map(of_check);
    let counts = lock
        .get(&name)
        .map(|(counts, _)| *counts)
        .unwrap_or_default();
    let model = Model {
        area: area.to_owned(),
        module: design.module.clone(),
        design: design.name.clone(),
        stands_for: design.stands_for.clone().unwrap_or_default(),
        engine,
        lane: row.lane.unwrap_or(Lane::Ci),
        constants,
        spec,
        symbolic,
        second_of: row.second_of,
        invariants: formulas.invariants.unwrap_or_default(),
        property: formulas.property,
        deadlock: formulas.deadlock.unwrap_or(false),
        symmetry: row.symmetry.or(known.symmetry),
        view: row.view,
        constraint: row.constraint,
        silent,
        expect,
        probe: row.probe.or(probe),
        follows_from: row.follows_from,
        kept: row.kept.or(known.kept).unwrap_or(false),
        distinct: counts.distinct,
        total: counts.total,
        witness: counts.witness,
        budget: row
            .budget
            .or(design.budget)
            .or(module.budget)
            .unwrap_or(BUDGET),
        heap: row.heap.or(module.heap).unwrap_or(HEAP),
        file: claims(area),
        line: source.line(span),
        size,
        name,
    };
    match cfg_text::fault(&model) {
        Some(fault) => Err(error(format!("model `{}`: {fault}", model.name))),
        None => Ok(model),
    }
}

fn owned((constant, value): (&String, &String)) -> (String, String) {
    (constant.clone(), value.clone())
}

#[derive(Clone, Copy)]
enum Claim {
    Holds,
    Violates,
    Typed,
}

/// What a row checks, as far as it is said.
struct Formulas {
    invariants: Option<Vec<String>>,
    property: Option<String>,
    deadlock: Option<bool>,
}

impl Formulas {
    /// A check that says nothing of its formulas is one, by its name.
    fn name(&mut self, check: &str, kind: Option<Kind>) {
        if self.invariants.is_some() || self.property.is_some() || self.deadlock.is_some() {
            return;
        }
        match kind {
            Some(Kind::Temporal | Kind::Action) => self.property = Some(check.to_owned()),
            Some(Kind::Deadlock) => self.deadlock = Some(true),
            Some(Kind::Assumption) => {}
            Some(Kind::Invariant) | None => self.invariants = Some(vec![check.to_owned()]),
        }
    }

    /// What a violation of the check is one of; `None` if that may be any of several formulas. Of a check that is not `defined`, the
    /// name is the formula's.
    fn violation(&self, check: String, kind: Option<Kind>, defined: bool) -> Option<Expect> {
        let deadlock = self.deadlock.unwrap_or(false).then_some("Deadlock");
        let invariants = self.invariants.iter().flatten().map(String::as_str);
        let all: Vec<&str> = invariants
            .chain(self.property.as_deref())
            .chain(deadlock)
            .collect();
        let property = match all.as_slice() {
            _ if kind == Some(Kind::Deadlock) => "Deadlock".to_owned(),
            all if !defined || all.contains(&check.as_str()) => check,
            [only] => (*only).to_owned(),
            _ => return None,
        };
        let kind = kind.unwrap_or(match property.as_str() {
            "Deadlock" => Kind::Deadlock,
            name if self.property.as_deref() == Some(name) => Kind::Temporal,
            _ => Kind::Invariant,
        });
        Some(Expect::Violates { property, kind })
    }
}
