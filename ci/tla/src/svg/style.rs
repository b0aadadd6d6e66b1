//! How the shapes of a counterexample's picture look.

use interlock_picture::Font;

pub(super) const TITLE: Font = Font::bold("title", 15.0);
pub(super) const SUBTITLE: Font = Font::plain("subtitle", 12.0);
pub(super) const STORY: Font = Font::plain("story", 13.0);
pub(super) const TASK: Font = Font::bold("task", 13.0);
pub(super) const LABEL: Font = Font::plain("label", 12.0);
pub(super) const VALUE: Font = Font::plain("value", 11.0);
pub(super) const NUMBER: Font = Font::plain("number", 11.0);
pub(super) const ALARM: Font = Font::bold("alarm", 12.0);
pub(super) const LEGEND: Font = Font::plain("legend", 12.0);

/// How many classes `hold0`, `hold1`... the style sheet has.
pub(super) const COLOURS: usize = 4;

/// The pattern of what waits.
pub(crate) const DEFINITIONS: &str = r#"<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="plate" width="7" height="7"/><rect class="stripe" width="3" height="7"/></pattern></defs>
"#;

/// What is busy, waits and holds, in every picture of a model.
pub(crate) const MARKS: &str = "
.busy { fill: $busy; stroke: $edge; }
.wait { fill: url(#hatch); stroke: $wait; }
.plate { fill: $plate; }
.stripe { fill: $stripe; }
.hold0 { fill: $hold0; }
.held { fill: $held; }
";

pub(super) const STYLE: &str = "
.title { font-size: 15px; font-weight: bold; }
.subtitle, .legend { font-size: 12px; fill: $quiet; }
.story { font-size: 13px; }
.task { font-size: 13px; font-weight: bold; text-anchor: middle; }
.label { font-size: 12px; }
.value { font-size: 11px; text-anchor: middle; }
.number { font-size: 11px; fill: $quiet; }
.alarm { font-size: 12px; font-weight: bold; text-anchor: middle; fill: $alarm; }
.loop { fill: $loop; }
.idle { stroke: $idle; stroke-width: 1.5; }
.hold1 { fill: $hold1; }
.hold2 { fill: $hold2; }
.hold3 { fill: $hold3; }
.step { stroke: $rule; stroke-width: 0.8; stroke-dasharray: 2 3; }
.dot { fill: $ink; stroke: $paper; }
.stuck, .back { fill: none; stroke: $alarm; stroke-width: 2; }
.end { stroke: $alarm; stroke-width: 3; }
.arrow { fill: $alarm; }
";
