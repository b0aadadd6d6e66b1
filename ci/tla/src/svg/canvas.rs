//! The shapes of a picture. How each looks is said once, by class, in the picture's style sheet.

use std::fmt::Write as _;

/// The picture's width in pixels: that of a README on GitHub.
pub(super) const WIDTH: f64 = 900.0;
/// What is left free at the picture's sides.
pub(super) const MARGIN: f64 = 20.0;
/// Labels of steps rise at this angle, so that neighbours cannot overlap.
pub(super) const LABEL_DEGREES: f64 = 50.0;
/// An upper bound on the mean width of a character, in parts of the font's size.
const CHARACTER: f64 = 0.64;

/// A pair of a class and its font's size, which the style sheet repeats.
#[derive(Clone, Copy)]
pub(super) struct Font(pub(super) &'static str, pub(super) f64);

pub(super) const TITLE: Font = Font("title", 17.0);
pub(super) const SUBTITLE: Font = Font("subtitle", 12.0);
pub(super) const STORY: Font = Font("story", 13.0);
pub(super) const TASK: Font = Font("task", 14.0);
pub(super) const LABEL: Font = Font("label", 12.0);
pub(super) const VALUE: Font = Font("value", 11.0);
pub(super) const NUMBER: Font = Font("number", 11.0);
pub(super) const ALARM: Font = Font("alarm", 12.0);
pub(super) const LEGEND: Font = Font("legend", 12.0);

const STYLE: &str = r##"<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" fill="#fdf0cf"/><rect width="3" height="7" fill="#efb73e"/></pattern></defs>
<style>
text { fill: #1f2430; font-family: system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; }
.title { font-size: 17px; font-weight: bold; }
.subtitle, .legend { font-size: 12px; fill: #667080; }
.story { font-size: 13px; }
.task { font-size: 14px; font-weight: bold; text-anchor: end; }
.label { font-size: 12px; }
.value { font-size: 11px; text-anchor: middle; }
.number { font-size: 11px; text-anchor: middle; fill: #667080; }
.alarm { font-size: 12px; font-weight: bold; text-anchor: middle; fill: #c0392b; }
.held { fill: #ffffff; }
.page { fill: #ffffff; stroke: #d0d7de; }
.loop { fill: #e6eef9; }
.idle { stroke: #9aa4b2; stroke-width: 1.5; }
.busy { fill: #dde3ea; stroke: #aab4c0; }
.wait { fill: url(#hatch); stroke: #c98f12; }
.plate { fill: #fdf0cf; }
.hold0 { fill: #1f5fa8; } .hold1 { fill: #7b3294; } .hold2 { fill: #1b7837; } .hold3 { fill: #8c510a; }
.step { stroke: #8792a2; stroke-width: 0.8; stroke-dasharray: 2 3; }
.dot { fill: #1f2430; stroke: #ffffff; }
.stuck, .back { fill: none; stroke: #c0392b; stroke-width: 2; }
.end { stroke: #c0392b; stroke-width: 3; }
.arrow { fill: #c0392b; }
</style>
"##;

/// The shapes drawn so far.
#[derive(Default)]
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    pub(super) fn text(&mut self, font: Font, x: f64, y: f64, content: &str) {
        self.text_with(font, "", x, y, content);
    }

    /// A text with one more class than its font's.
    pub(super) fn text_with(&mut self, font: Font, class: &str, x: f64, y: f64, content: &str) {
        let class = format!("{} {class}", font.0);
        self.add(format_args!(
            r#"<text class="{}" x="{x:.1}" y="{y:.1}">{}</text>"#,
            class.trim_end(),
            escape(content)
        ));
    }

    pub(super) fn slanted(&mut self, x: f64, y: f64, content: &str) {
        self.add(format_args!(
            r#"<text class="{}" x="{x:.1}" y="{y:.1}" transform="rotate(-{LABEL_DEGREES} {x:.1} {y:.1})">{}</text>"#,
            LABEL.0,
            escape(content)
        ));
    }

    pub(super) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        self.add(format_args!(
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="3"/>"#
        ));
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.add(format_args!(
            r#"<line class="{class}" x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    pub(super) fn dot(&mut self, x: f64, y: f64) {
        self.add(format_args!(
            r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="3.2"/>"#
        ));
    }

    pub(super) fn path(&mut self, class: &str, data: &str) {
        self.add(format_args!(r#"<path class="{class}" d="{data}"/>"#));
    }

    /// The whole document.
    pub(super) fn finish(self, height: f64, title: &str, description: &str) -> String {
        let mut page = Canvas::default();
        page.rect("page", 0.5, 0.5, WIDTH - 1.0, height - 1.0);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-labelledby="title desc">
<title id="title">{}</title>
<desc id="desc">{}</desc>
{STYLE}{}{}</svg>
"#,
            escape(title),
            escape(description),
            page.body,
            self.body
        )
    }

    fn add(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{shape}");
    }
}

/// An upper bound on the width of a text.
pub(super) fn measure(font: Font, text: &str) -> f64 {
    text.chars().count() as f64 * font.1 * CHARACTER
}

/// Breaks a text at spaces so that each line fits the picture.
pub(super) fn wrap(font: Font, text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if measure(font, line) + measure(font, word) < WIDTH - 2.0 * MARGIN - font.1 =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Escapes markup; control characters, which XML cannot have, become replacement characters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
