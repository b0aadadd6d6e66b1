//! The style sheet of a picture, in both palettes.

/// Each colour's name, and what it is by light and in the dark.
const COLOURS: [(&str, &str, &str); 24] = [
    ("paper", "#ffffff", "#14171c"),
    ("ink", "#1f2430", "#e6e9ef"),
    ("quiet", "#5b6472", "#a3adba"),
    ("frame", "#d0d7de", "#3a424e"),
    ("grid", "#dde3ea", "#2c333d"),
    ("rule", "#8792a2", "#6b7686"),
    ("alarm", "#b83227", "#ff8a7a"),
    ("loop", "#e6eef9", "#1d2940"),
    ("idle", "#9aa4b2", "#7d8896"),
    ("busy", "#dde3ea", "#343c48"),
    ("edge", "#aab4c0", "#5d6878"),
    ("plate", "#fdf0cf", "#3d3115"),
    ("stripe", "#efb73e", "#80621a"),
    ("wait", "#c98f12", "#d9a93f"),
    ("held", "#ffffff", "#14171c"),
    ("hold0", "#1f5fa8", "#7db3f0"),
    ("hold1", "#7b3294", "#cf9be0"),
    ("hold2", "#1b7837", "#7cc98a"),
    ("hold3", "#8c510a", "#e0a865"),
    ("blue", "#1f5fa8", "#7db3f0"),
    ("orange", "#a8470f", "#f0a066"),
    ("halo", "#ffffff", "#14171c"),
    ("arrow", "#5b6472", "#a3adba"),
    ("node", "#f3f5f8", "#1e232b"),
];

/// What all pictures have.
const COMMON: &str = "
text { fill: $ink; font-family: system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; font-size: 12px; }
.page { fill: $paper; stroke: $frame; }
";

/// The style sheet: `rules`, one a line, in which `$name` is a colour, by light, and what is of a colour once more for the dark.
///
/// # Panics
///
/// When no colour has the name.
pub(crate) fn sheet(rules: &str) -> String {
    let rules = COMMON.lines().chain(rules.lines());
    let rules: Vec<&str> = rules.filter(|rule| !rule.is_empty()).collect();
    let mut sheet = String::new();
    for rule in &rules {
        sheet += &coloured(rule, |colour| colour.1);
        sheet.push('\n');
    }
    sheet += "@media (prefers-color-scheme: dark) {\n";
    for rule in rules.iter().filter(|rule| rule.contains('$')) {
        sheet += &coloured(&colours_alone(rule), |colour| colour.2);
        sheet.push('\n');
    }
    sheet + "}\n"
}

/// The rule with its declarations of colours, and no others.
fn colours_alone(rule: &str) -> String {
    let (selector, declarations) = rule.split_once('{').unwrap_or((rule, ""));
    let declarations = declarations.trim_end_matches([' ', '}']).split(';');
    let kept: Vec<&str> = declarations
        .filter(|declaration| declaration.contains('$'))
        .map(str::trim)
        .collect();
    format!("{selector}{{ {}; }}", kept.join("; "))
}

fn coloured(
    rule: &str,
    of: impl Fn(&(&str, &'static str, &'static str)) -> &'static str,
) -> String {
    let mut parts = rule.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        let colour = COLOURS.iter().find(|colour| colour.0 == name);
        text += of(colour.unwrap_or_else(|| panic!("no colour is named `{name}`")));
        text += rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dark_palette_says_the_colours_again_and_nothing_else() {
        let sheet = sheet(".a { font-size: 9px; fill: $ink; }\n.b { stroke-width: 2; }");
        let (light, dark) = sheet
            .split_once("@media (prefers-color-scheme: dark) {")
            .unwrap();
        assert!(
            light.ends_with(".a { font-size: 9px; fill: #1f2430; }\n.b { stroke-width: 2; }\n")
        );
        assert!(dark.ends_with(".a { fill: #e6e9ef; }\n}\n"), "{dark}");
    }

    #[test]
    #[should_panic(expected = "no colour is named `inc`")]
    fn a_colour_that_is_not_there_is_a_fault() {
        sheet(".a { fill: $inc; }");
    }
}
