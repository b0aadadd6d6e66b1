//! Formulas with each name resolved to what it means where it stands.

use std::ops::Range;

/// A piece of a file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Which of the module's texts.
    pub(super) text: usize,
    /// In bytes.
    pub(super) range: Range<usize>,
}

/// A formula.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    /// Without parentheses around all of it.
    pub(super) place: Place,
    /// The formulas that it is made of, in the order of the text.
    pub(super) parts: Vec<Expr>,
    /// The names that it introduces, e.g. those of a quantifier, and where.
    pub(super) binders: Vec<(Local, Place)>,
}

/// A parameter or a bound name: a number that no other has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Local(pub(super) usize);

/// A definition, by its place among all of them.
pub(super) type Id = usize;

#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A name applied to the parts, which stands at this place itself.
    Name(Target, Place),
    /// Of a list of bullets, or of one sign.
    Conjunction {
        bullets: bool,
    },
    Disjunction {
        bullets: bool,
    },
    /// `\E x \in S : P`, where the bounds' text is at this place. P is the last part.
    Exists(Range<usize>),
    /// `\A x \in S : P`; P is the last part.
    ForAll,
    /// `{a, b}`.
    Set,
    /// A sign that is TLA+'s own, as the grammar calls it: `eq`, `neq`, `in`, `notin`, `lnot`, `implies` or `cup`.
    Sign(&'static str),
    If,
    /// `LET definitions IN P`. P is the only part.
    Let {
        definitions: Vec<Id>,
        /// Whether they are all operators and functions, and none is recursive.
        plain: bool,
    },
    Prime,
    Unchanged,
    Enabled,
    Always,
    Eventually,
    LeadsTo,
    /// `WF_v(A)` or `SF_v(A)`.
    Fairness,
    /// `[A]_v`.
    SquareAction,
    /// `<<A>>_v`.
    AngleAction,
    /// A temporal operator that TLC does not know: `\AA`, `\EE`, `-+->`.
    Unchecked,
    Other,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Constant(String),
    Variable(String),
    Local(Local),
    Definition(Id),
    /// Nothing: the module is not one that TLC accepts.
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) arity: usize,
    pub(super) local: Local,
    /// Its name.
    pub(super) at: Place,
}

/// `name(parameters) == body`.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    /// As the module that is read calls it: `I!Op` of an instance.
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Expr,
    /// All of it.
    pub(super) place: Place,
    /// Its name.
    pub(super) at: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A module of the project.
    Module,
    /// A module that TLC brings along.
    Standard,
    /// A LET.
    Let,
    /// What takes a declaration's place in an instance.
    Substitution,
}
