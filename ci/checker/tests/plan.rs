//! Which runs decide the models.

mod manifests;

use std::collections::BTreeMap;
use std::path::Path;

use interlock_checker::costs::Costs;
use interlock_checker::counts::Counts;
use interlock_checker::jvm::Length;
use interlock_checker::manifest::{Engine, Expect, Kind, Lane, Manifest, Model};
use interlock_checker::plan::{self, Job};
use manifests::Copy;

fn jobs<'a>(manifest: &'a Manifest, models: &[&'a Model]) -> Vec<Job<'a>> {
    plan::jobs(manifest, models, |_| false, &Costs::default())
}

fn project() -> Manifest {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Manifest::load(&root.join("specs")).expect("the project's manifest")
}

fn lane(manifest: &Manifest, lane: Lane) -> Vec<&Model> {
    let models = manifest.models.iter();
    models.filter(|model| model.lane <= lane).collect()
}

fn is_complete(model: &Model) -> bool {
    let lasso = matches!(
        model.expect,
        Expect::Violates {
            kind: Kind::Temporal,
            ..
        }
    );
    model.engine == Engine::Tlc && (model.expect == Expect::Holds || lasso)
}

#[test]
fn every_model_of_the_project_is_in_one_job() {
    let manifest = project();
    let models = lane(&manifest, Lane::Ci);
    let mut places: Vec<usize> = jobs(&manifest, &models)
        .iter()
        .flat_map(|job| job.members.iter().map(|(place, _)| *place))
        .collect();
    places.sort_unstable();
    assert!(places.into_iter().eq(0..models.len()));
}

/// Whatever is chosen: a state graph that is explored to its end is counted by action at least once.
#[test]
fn every_state_graph_of_the_project_is_covered() {
    let manifest = project();
    for lane in [Lane::Smoke, Lane::Ci, Lane::Nightly] {
        let models = self::lane(&manifest, lane);
        let mut covered = BTreeMap::new();
        for job in jobs(&manifest, &models) {
            for (_, model) in job.members.iter().filter(|(_, model)| is_complete(model)) {
                let reductions = (&model.symmetry, &model.view, &model.constraint);
                let graph = (
                    (&model.area, &model.module),
                    &model.constants,
                    reductions,
                    (model.distinct, model.total),
                );
                *covered.entry(graph).or_insert(false) |= job.ask.counts == Counts::Actions;
            }
        }
        assert!(!covered.is_empty());
        for (graph, covered) in covered {
            assert!(covered, "{graph:?}");
        }
    }
}

#[test]
fn a_shared_run_has_one_graph_one_fairness_and_no_violation() {
    let manifest = project();
    let models = lane(&manifest, Lane::Ci);
    let jobs = jobs(&manifest, &models);
    let shared: Vec<&Job> = jobs.iter().filter(|job| job.members.len() > 1).collect();
    assert!(!shared.is_empty());
    for job in shared {
        let (_, first) = job.members[0];
        let mut fairness: Vec<&String> = Vec::new();
        for (_, model) in &job.members {
            assert_eq!(model.engine, Engine::Tlc);
            assert_eq!(model.expect, Expect::Holds);
            assert_eq!(model.module, first.module);
            assert_eq!(model.constants, first.constants);
            assert_eq!(model.symmetry, first.symmetry);
            assert_eq!(model.view, first.view);
            assert_eq!(model.constraint, first.constraint);
            fairness.extend(model.property.as_ref().map(|_| &model.spec));
        }
        fairness.dedup();
        assert!(fairness.len() <= 1, "{}: {fairness:?}", first.name);
    }
}

#[test]
fn who_shares_a_run_with_a_kept_model_has_its_steps_and_no_property() {
    let manifest = project();
    let models = lane(&manifest, Lane::Ci);
    let kept = |model: &Model| model.name.ends_with("-safety");
    let jobs = plan::jobs(&manifest, &models, kept, &Costs::default());
    assert!(
        jobs.iter()
            .any(|job| job.ask.edges && job.members.len() > 1)
    );
    for job in jobs {
        let is_kept = job.members.iter().any(|(_, model)| kept(model));
        let has_property = job
            .members
            .iter()
            .any(|(_, model)| model.property.is_some());
        assert_eq!(job.ask.edges, is_kept, "{}", job.members[0].1.name);
        assert!(!(is_kept && has_property), "{}", job.members[0].1.name);
    }
}

#[test]
fn the_shortest_starts_first_and_then_the_longest_which_has_the_second_compiler() {
    let copy = Copy::clean();
    let manifest = copy.manifest();
    let models: Vec<&Model> = manifest.models.iter().collect();
    let [first, last] =
        [models.first(), models.last()].map(|model| model.expect("models").name.clone());
    let mut costs = Costs::default();
    costs.measured(&first, 0.001);
    costs.measured(&last, 100.0);
    let jobs = plan::jobs(&manifest, &models, |_| true, &costs);
    assert_eq!(jobs[0].members[0].1.name, first);
    assert_eq!(jobs[1].members[0].1.name, last);
    let long = |job: &&plan::Job| job.ask.length == Length::Long;
    assert_eq!(jobs.iter().filter(long).count(), 1);
    assert_eq!(jobs[1].ask.length, Length::Long);
}

#[test]
fn costs_are_kept_and_damage_is_no_fault() {
    let dir = tempfile::TempDir::new().expect("a directory");
    let copy = Copy::clean();
    let manifest = copy.manifest();
    let model = &manifest.models[0];
    let estimated = Costs::read(dir.path()).of(model);
    let mut costs = Costs::read(dir.path());
    costs.measured(&model.name, 7.5);
    costs.write();
    assert_eq!(Costs::read(dir.path()).of(model), 7.5);
    std::fs::write(dir.path().join("costs.json"), "{").expect("a file");
    assert_eq!(Costs::read(dir.path()).of(model), estimated);
}
