//! Which runs decide the models of a check: models that hold on one state graph share a run, each state graph is counted once by
//! action, and what costs most goes first.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::costs::Costs;
use crate::counts::Counts;
use crate::jvm::Length;
use crate::manifest::{Engine, Expect, Kind, Manifest, Model};
use crate::tlc::Ask;
use interlock_tla::module::Module;

/// One run, and the models that are judged by what it finds.
#[derive(Debug)]
pub struct Job<'a> {
    /// The models, and the place of each in the check.
    pub members: Vec<(usize, &'a Model)>,
    /// How TLC is asked, should it be TLC's.
    pub ask: Ask,
    cost: f64,
    graph: Option<Graph>,
}

/// What decides a state graph. Fairness does not: what is `Spec` and fairness has the graph of `Spec`, if it has its steps and its
/// counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Graph {
    module: (String, String),
    constants: BTreeMap<String, String>,
    reductions: [Option<String>; 3],
    counts: (Option<u64>, Option<u64>),
    base: String,
    steps: BTreeSet<String>,
    /// Not the graph's: but what its count by action is compared with.
    silent: Vec<String>,
}

/// The specification without fairness, on which modules base those with it.
const BASE: &str = "Spec";

/// The jobs, in the order in which they are to start. `is_kept` says whether a file of the model's run is compared with one of the
/// repository, which takes the steps with their arguments.
pub fn jobs<'a>(
    manifest: &Manifest,
    models: &[&'a Model],
    is_kept: impl Fn(&Model) -> bool,
    costs: &Costs,
) -> Vec<Job<'a>> {
    let mut modules = BTreeMap::new();
    for model in models.iter().filter(|model| model.engine == Engine::Tlc) {
        if let Entry::Vacant(entry) = modules.entry((&model.area, &model.module)) {
            let folder = manifest.specs.join(&model.area);
            // What cannot be read is run by itself: TLC says what is wrong.
            entry.insert(Module::read(&folder, &model.module).ok());
        }
    }
    let mut jobs: Vec<Job> = Vec::new();
    for (place, &model) in models.iter().enumerate() {
        let module = modules.get(&(&model.area, &model.module));
        let graph = module.and_then(|module| graph(model, module.as_ref()?));
        let is_kept = is_kept(model);
        if model.expect == Expect::Holds
            && let Some(job) = jobs
                .iter_mut()
                .find(|job| job.takes(model, is_kept, graph.as_ref()))
        {
            job.members.push((place, model));
            job.ask.edges |= is_kept;
            job.cost += costs.of(model);
            continue;
        }
        jobs.push(Job {
            members: vec![(place, model)],
            // Steps and counts cost as much again as all else.
            ask: Ask {
                edges: is_kept,
                counts: Counts::Nothing,
                length: Length::Short,
            },
            cost: costs.of(model),
            graph,
        });
    }
    cover(&mut jobs);
    for job in &mut jobs {
        job.ask.length = Length::of(job.cost);
    }
    // The longest first, so that the last one to end is a short one; those of tla-checker last, which may still be built.
    let is_late = |job: &Job| job.members[0].1.engine == Engine::TlaChecker;
    jobs.sort_by(|a, b| {
        let by_cost = b.cost.total_cmp(&a.cost);
        is_late(a).cmp(&is_late(b)).then(by_cost)
    });
    // But the shortest of all before them: who waits sees a verdict soon.
    if let Some(shortest) = jobs.iter().rposition(|job| !is_late(job)) {
        jobs[..=shortest].rotate_right(1);
    }
    jobs
}

/// Which steps fire is a fact of the state graph: the cheapest run of each says it.
fn cover(jobs: &mut [Job]) {
    let mut jobs: Vec<&mut Job> = jobs.iter_mut().collect();
    jobs.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut covered = BTreeSet::new();
    for job in jobs {
        if let Some(graph) = &job.graph {
            job.ask.counts = match covered.insert(graph.clone()) {
                true => Counts::Actions,
                false => Counts::Nothing,
            };
        }
    }
}

impl Job<'_> {
    /// Whether `model`, which should hold, can be decided by the same run.
    fn takes(&self, model: &Model, is_kept: bool, graph: Option<&Graph>) -> bool {
        let (_, first) = self.members[0];
        let fairness = |model: &Model| model.property.is_some().then(|| model.spec.clone());
        let own = self.members.iter().find_map(|(_, member)| fairness(member));
        // For a property TLC explores steps once more, and would write them down twice.
        let edges = self.ask.edges || is_kept;
        let property = own.is_some() || model.property.is_some();
        first.expect == Expect::Holds
            && !(edges && property)
            && graph.is_some()
            && self.graph.as_ref() == graph
            && match (own, fairness(model)) {
                (Some(own), Some(its)) => own == its,
                _ => true,
            }
    }
}

/// Whether the model is to be violated by a behavior without an end.
pub fn is_lasso(model: &Model) -> bool {
    matches!(
        model.expect,
        Expect::Violates {
            kind: Kind::Temporal,
            ..
        }
    )
}

/// The graph that TLC explores to its end if the model is as expected; `None` if it need not come to its end, or if the model's
/// engine is another.
fn graph(model: &Model, module: &Module) -> Option<Graph> {
    let whole = model.expect == Expect::Holds || is_lasso(model);
    let is_based = module.used_by(&model.spec).contains(BASE) && model.total.is_some();
    let base = if is_based { BASE } else { &model.spec };
    let steps = module.steps(&model.spec);
    (whole && model.engine == Engine::Tlc).then(|| Graph {
        module: (model.area.clone(), model.module.clone()),
        constants: model.constants.clone(),
        reductions: [
            model.symmetry.clone(),
            model.view.clone(),
            model.constraint.clone(),
        ],
        counts: (model.distinct, model.total),
        base: base.to_owned(),
        silent: model.silent.clone(),
        steps: steps.into_iter().map(str::to_owned).collect(),
    })
}
