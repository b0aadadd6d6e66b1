//! What a chapter's state diagram is of, as an area's claims say it.

use serde::Deserialize;
use toml::Spanned;

use super::source::Source;
use super::{Engine, Expect, Manifest};
use crate::near::did_you_mean;

/// What the state diagram of a chapter is of.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct States {
    /// The model whose state graph the corpus keeps.
    pub model: String,
    /// The task whose states are drawn.
    pub task: String,
}

/// The state diagram of the area's chapter, `docs/img/states-AREA.svg`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatesTable {
    /// The model whose state graph it is drawn from: one that holds, and is `kept`.
    model: String,
    /// The task whose states are drawn.
    task: String,
}

/// The area's diagram; its model is in the manifest, and the corpus has its graph.
pub(super) fn read(
    source: &Source,
    manifest: &Manifest,
    area: &str,
    table: Spanned<StatesTable>,
) -> anyhow::Result<States> {
    let span = table.span();
    let StatesTable { model, task } = table.into_inner();
    let graphs = || {
        manifest.models.iter().filter(|model| {
            let is_graph = model.kept && model.expect == Expect::Holds;
            is_graph && model.engine == Engine::Tlc && model.area == area
        })
    };
    if !graphs().any(|other| other.name == model) {
        let near = did_you_mean(&model, graphs().map(|other| other.name.as_str()));
        let message = format!(
            "the corpus keeps no state graph of a model `{model}` of this area{near} (name one that is `kept` and holds)"
        );
        return Err(source.error(&span, message));
    }
    Ok(States { model, task })
}
