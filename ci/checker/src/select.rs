//! Which models a command is about.

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;

use crate::manifest::{Engine, Lane, Manifest, Model};
use crate::near::did_you_mean;

/// What is asked for; each part narrows the others, and one that is empty asks for nothing less than all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// This lane and those before it.
    pub lane: Option<Lane>,
    /// This engine.
    pub engine: Option<Engine>,
    /// Any of these areas.
    pub areas: Vec<String>,
    /// Any of these: areas, designs, models, or patterns of their names with `*`, `?` and `[..]`.
    pub names: Vec<String>,
}

impl Selection {
    /// The models, in the manifest's order.
    ///
    /// # Errors
    ///
    /// When an area is unknown, a name is nobody's (the message suggests the nearest one), a pattern is malformed, or no model is all
    /// that is asked for.
    pub fn of<'a>(&self, manifest: &'a Manifest) -> Result<Vec<&'a Model>> {
        for name in &self.areas {
            area(manifest, name)?;
        }
        let patterns = self.names.iter().map(|name| pattern(manifest, name));
        let patterns = patterns.collect::<Result<Vec<_>>>()?;
        let is_named = |model: &Model| {
            patterns.is_empty() || patterns.iter().any(|pattern| is_called(model, pattern))
        };
        let models = manifest.models.iter().filter(|model| {
            self.lane.is_none_or(|lane| model.lane <= lane)
                && self.engine.is_none_or(|engine| model.engine == engine)
                && (self.areas.is_empty() || self.areas.contains(&model.area))
                && is_named(model)
        });
        let models: Vec<&Model> = models.collect();
        ensure!(
            !models.is_empty(),
            "{} has no model{} (`interlock list` shows them all)",
            manifest.specs.display(),
            self.narrowed()
        );
        Ok(models)
    }

    fn narrowed(&self) -> String {
        let lane = self
            .lane
            .map(|lane| format!(" in lane {} or before", lane.name()));
        let engine = self.engine.map(|engine| format!(" for {}", engine.name()));
        let areas = (!self.areas.is_empty()).then(|| format!(" of {}", self.areas.join(", ")));
        let names = (!self.names.is_empty()).then(|| format!(" named {}", self.names.join(", ")));
        [names, areas, engine, lane].into_iter().flatten().collect()
    }
}

/// The one model with this name.
///
/// # Errors
///
/// When there is none; the message suggests the nearest one, or says that the name is that of several.
pub fn one<'a>(manifest: &'a Manifest, name: &str) -> Result<&'a Model> {
    if let Some(model) = manifest.model(name) {
        return Ok(model);
    }
    pattern(manifest, name)?;
    bail!("{name} is not one model: give one of its models' names (`interlock list '{name}'`)")
}

/// Checks that there is an area with this name.
///
/// # Errors
///
/// When there is none; the message has them all.
pub fn area(manifest: &Manifest, name: &str) -> Result<()> {
    ensure!(
        manifest.area(name).is_some(),
        "no area of {} is named `{name}` (its areas: {})",
        manifest.specs.display(),
        manifest.area_names()
    );
    Ok(())
}

/// A name that is somebody's, as a pattern.
fn pattern(manifest: &Manifest, name: &str) -> Result<Pattern> {
    let pattern = Pattern::new(name)
        .with_context(|| format!("`{name}` is no pattern (quote a bracket as `[[]`)"))?;
    let mut models = manifest.models.iter();
    if !models.any(|model| is_called(model, &pattern)) {
        let candidates = manifest.models.iter().flat_map(names);
        bail!(
            "no area, design or model of {} is named `{name}`{} (its areas: {}; `interlock list` shows all)",
            manifest.specs.display(),
            did_you_mean(name, candidates),
            manifest.area_names()
        );
    }
    Ok(pattern)
}

/// What a model can be asked for by.
fn names(model: &Model) -> [&str; 3] {
    [&model.area, &model.design, &model.name]
}

fn is_called(model: &Model, pattern: &Pattern) -> bool {
    names(model).iter().any(|name| pattern.matches(name))
}
