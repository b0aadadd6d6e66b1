//! Texts of modules once their syntax trees are gone, and formulas written out again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use super::Module;
use super::expression::{Definition, Expr, Id, Kind, Local, Origin, Place, Target};
use super::source::{Source, line_and_column};

/// What is written for parameters; `None` where that is not about one state.
pub(super) type Names = BTreeMap<Local, Option<String>>;

/// A file's text.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) path: PathBuf,
    text: String,
    /// In their order.
    comments: Vec<Range<usize>>,
}

impl From<Source> for Text {
    fn from(source: Source) -> Self {
        let comments = source.comments();
        Self {
            path: source.path,
            text: source.text,
            comments,
        }
    }
}

impl Text {
    /// The line that the byte is in, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        line_and_column(&self.text, byte).0
    }

    /// Puts it on one line, without comments, and with other text in some places, which are given in their order.
    fn on_one_line(&self, range: Range<usize>, instead: &[(Range<usize>, String)]) -> String {
        let comments = self.comments.iter().map(|range| (range.clone(), " "));
        let instead = instead
            .iter()
            .map(|(range, text)| (range.clone(), &text[..]));
        let mut pieces: Vec<(Range<usize>, &str)> = comments.chain(instead).collect();
        pieces.sort_by_key(|(range, _)| range.start);
        let mut line = String::new();
        let mut at = range.start;
        for (piece, text) in pieces {
            // a comment in what another piece replaces
            if piece.start < at || range.end < piece.end {
                continue;
            }
            line += &self.text[at..piece.start];
            line += text;
            at = piece.end;
        }
        line += &self.text[at..range.end];
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Module {
    /// A place's text, on one line and without comments.
    pub(super) fn shown(&self, text: usize, range: &Range<usize>) -> String {
        self.texts[text].on_one_line(range.clone(), &[])
    }

    /// A formula that means in a module which extends this one what it means at its place: on one line, with `names` for the
    /// parameters, and names of their own for all that is bound. `None` where something in it has no name there.
    pub(super) fn written(&self, expr: &Expr, names: &Names) -> Option<String> {
        match &expr.kind {
            Kind::Conjunction { bullets: true } => self.joined(&expr.parts, "/\\", names),
            Kind::Disjunction { bullets: true } => self.joined(&expr.parts, "\\/", names),
            Kind::Let { definitions, plain } => {
                let body = self.written(expr.parts.first()?, names)?;
                plain.then_some(())?;
                self.inside_let(definitions, &body, names)
            }
            Kind::Name(target, at) => {
                let name = self.name_of(target, at, names)?;
                let mut instead = self.parts_of(expr, names)?;
                // `I(x)!Op` has a part in its name, and is not written otherwise
                let (start, end) = (at.range.start, at.range.end);
                if !instead
                    .iter()
                    .any(|(part, _)| (start..end).contains(&part.start))
                {
                    instead.push((at.range.clone(), name));
                }
                Some(self.filled(&expr.place, instead))
            }
            _ => Some(self.filled(&expr.place, self.parts_of(expr, names)?)),
        }
    }

    /// `\E bounds : P` without `\E` and what follows the bounds.
    pub(super) fn bounds(
        &self,
        expr: &Expr,
        bounds: &Range<usize>,
        names: &Names,
    ) -> Option<String> {
        let (_, sets) = expr.parts.split_last()?;
        let instead = self.pieces(sets, &expr.binders, names)?;
        let place = Place {
            text: expr.place.text,
            range: bounds.clone(),
        };
        Some(self.filled(&place, instead))
    }

    /// `LET definitions IN (body)`.
    pub(super) fn inside_let(&self, ids: &[Id], body: &str, names: &Names) -> Option<String> {
        let mut definitions = String::new();
        for id in ids {
            definitions += &self.definition(*id, names)?;
            definitions += " ";
        }
        Some(format!("LET {definitions}IN ({body})"))
    }

    fn definition(&self, id: Id, names: &Names) -> Option<String> {
        let definition = &self.definitions[id];
        let mut instead = vec![(definition.at.range.clone(), name_in_let(definition, id))];
        for parameter in &definition.parameters {
            let name = bound(&parameter.name, parameter.local);
            instead.push((parameter.at.range.clone(), name));
        }
        // a function's bounds stand between its name and what it is
        if definition.body.place == definition.place {
            instead.extend(self.parts_of(&definition.body, names)?);
        } else {
            let body = format!("({})", self.written(&definition.body, names)?);
            instead.push((definition.body.place.range.clone(), body));
        }
        Some(self.filled(&definition.place, instead))
    }

    fn joined(&self, parts: &[Expr], sign: &str, names: &Names) -> Option<String> {
        let parts = parts.iter().map(|part| self.written(part, names));
        let parts: Vec<String> = parts.collect::<Option<_>>()?;
        Some(format!("(({}))", parts.join(&format!(") {sign} ("))))
    }

    /// What is written in the places of the parts and of the bound names.
    fn parts_of(&self, expr: &Expr, names: &Names) -> Option<Vec<(Range<usize>, String)>> {
        self.pieces(&expr.parts, &expr.binders, names)
    }

    fn pieces(
        &self,
        parts: &[Expr],
        binders: &[(Local, Place)],
        names: &Names,
    ) -> Option<Vec<(Range<usize>, String)>> {
        let mut instead = Vec::new();
        for part in parts {
            instead.push((part.place.range.clone(), self.written(part, names)?));
        }
        for (local, place) in binders {
            let name = bound(self.verbatim(place), *local);
            instead.push((place.range.clone(), name));
        }
        Some(instead)
    }

    fn filled(&self, place: &Place, instead: Vec<(Range<usize>, String)>) -> String {
        self.texts[place.text].on_one_line(place.range.clone(), &instead)
    }

    pub(super) fn verbatim(&self, place: &Place) -> &str {
        &self.texts[place.text].text[place.range.clone()]
    }

    fn name_of(&self, target: &Target, at: &Place, names: &Names) -> Option<String> {
        let verbatim = self.verbatim(at);
        match target {
            Target::Constant(name) | Target::Variable(name) => Some(name.clone()),
            Target::Local(local) => match names.get(local) {
                Some(name) => name.clone(),
                None => Some(bound(verbatim, *local)),
            },
            Target::Unknown => Some(verbatim.to_owned()),
            Target::Definition(id) => {
                let definition = &self.definitions[*id];
                match definition.origin {
                    Origin::Let => Some(name_in_let(definition, *id)),
                    Origin::Standard => Some(verbatim.to_owned()),
                    Origin::Substitution if definition.parameters.is_empty() => {
                        Some(format!("({})", self.written(&definition.body, names)?))
                    }
                    Origin::Substitution => None,
                    // a sign of an instance cannot stand between its operands
                    Origin::Module if definition.name.contains('!') && !verbatim.contains('!') => {
                        let is_name = verbatim.starts_with(|c: char| c.is_alphanumeric());
                        (is_name && self.id(&definition.name) == Some(*id))
                            .then(|| definition.name.clone())
                    }
                    Origin::Module => {
                        (self.id(&definition.name) == Some(*id)).then(|| definition.name.clone())
                    }
                }
            }
        }
    }
}

/// A bound name that no other name equals.
fn bound(name: &str, Local(number): Local) -> String {
    format!("{name}__{number}")
}

fn name_in_let(definition: &Definition, id: Id) -> String {
    format!("{}__d{id}", definition.name)
}
