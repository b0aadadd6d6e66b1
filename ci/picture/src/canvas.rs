//! The shapes of a picture. How each looks is said once, by class, in the picture's style sheet.

use std::fmt::{Display, Write as _};

use crate::sheet::sheet;
use crate::text::{Font, escape, lines};

/// The shapes drawn so far. A class is one name, or several with spaces between them.
#[derive(Debug, Default)]
pub struct Canvas {
    body: String,
}

/// What a picture says about itself, and how its shapes look.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its width in pixels.
    pub width: f64,
    /// Its height in pixels.
    pub height: f64,
    /// Its title, which a screen reader reads first.
    pub title: &'a str,
    /// The picture in words, for those who cannot see it.
    pub description: &'a str,
    /// Definitions, such as patterns.
    pub definitions: &'a str,
    /// The style sheet's rules: one a line, in which `$name` is a colour of the palettes.
    pub style: &'a str,
}

impl Canvas {
    /// A line of text; its class says where its anchor is.
    pub fn text(&mut self, class: &str, x: f64, y: f64, content: impl Display) {
        let content = escape(&content.to_string());
        self.add(format_args!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{content}</text>"#
        ));
    }

    /// A text below `y`, in lines of at most `width` that end behind any of `breaks`; returns where it ends.
    pub fn paragraph(
        &mut self,
        font: Font,
        (x, mut y): (f64, f64),
        width: f64,
        text: &str,
        breaks: &[char],
    ) -> f64 {
        for line in lines(font, width, text, breaks) {
            y += font.1 + 4.0;
            self.text(font.0, x, y, line);
        }
        y
    }

    /// A rectangle, whose corners are a little rounded.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let corner = (width.min(height) / 8.0).min(3.0);
        self.add(format_args!(
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{corner:.1}"/>"#
        ));
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.add(format_args!(
            r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
        ));
    }

    /// A circle.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        self.add(format_args!(
            r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"/>"#
        ));
    }

    /// A path, by SVG's commands.
    pub fn path(&mut self, class: &str, data: &str) {
        self.add(format_args!(r#"<path class="{class}" d="{data}"/>"#));
    }

    /// The whole picture. The same shapes give the same bytes.
    ///
    /// # Panics
    ///
    /// When the style names a colour that the palettes do not have.
    pub fn finish(self, document: &Document) -> String {
        let Document { width, height, .. } = document;
        let mut page = Canvas::default();
        page.rect("page", (0.5, 0.5), (width - 1.0, height - 1.0));
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" role="img" aria-labelledby="title desc">
<title id="title">{}</title>
<desc id="desc">{}</desc>
{}<style>
{}</style>
{}{}</svg>
"#,
            escape(document.title),
            escape(document.description),
            document.definitions,
            sheet(document.style),
            page.body,
            self.body
        )
    }

    fn add(&mut self, shape: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{shape}").expect("a String takes all that is written");
    }
}
