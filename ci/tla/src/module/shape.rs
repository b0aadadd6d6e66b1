//! What formulas are made of.

use std::collections::BTreeSet;

use super::expression::{Definition, Expr, Id, Kind, Local, Target};

/// What a formula is made of, its own text and that of every definition it uses taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// `P ~> Q`.
    pub leads_to: bool,
    /// `<>P`.
    pub eventually: bool,
    /// `WF_v(A)` or `SF_v(A)`.
    pub fairness: bool,
    /// `[][A]_v`.
    pub action_box: bool,
    /// `[]P`, where P is not `[A]_v`.
    pub always: bool,
    /// `\AA`, `\EE` or `-+->`, which TLC does not check.
    pub unchecked: bool,
    /// A primed variable, `UNCHANGED`, or a step `[A]_v` or `<<A>>_v`.
    pub primed: bool,
    /// A variable of the state, or `ENABLED`.
    pub state: bool,
}

/// What a formula is about, as TLC sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing that changes.
    Constant,
    /// One state.
    State,
    /// A step: two states.
    Action,
    /// Behaviours.
    Temporal,
}

impl Shape {
    /// Whether TLC needs the state graph's cycles to decide it.
    pub fn is_liveness(self) -> bool {
        self.leads_to || self.eventually || self.fairness
    }

    /// Whether it is a formula about behaviours, which is not for `INVARIANT`.
    pub fn is_temporal(self) -> bool {
        self.is_liveness() || self.action_box || self.always || self.unchecked
    }

    /// What it is about.
    pub fn level(self) -> Level {
        match self {
            _ if self.is_temporal() => Level::Temporal,
            Self { primed: true, .. } => Level::Action,
            Self { state: true, .. } => Level::State,
            _ => Level::Constant,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            leads_to: self.leads_to || other.leads_to,
            eventually: self.eventually || other.eventually,
            fairness: self.fairness || other.fairness,
            action_box: self.action_box || other.action_box,
            always: self.always || other.always,
            unchecked: self.unchecked || other.unchecked,
            primed: self.primed || other.primed,
            state: self.state || other.state,
        }
    }
}

/// What each definition is made of.
#[derive(Debug, Clone)]
pub(super) struct Shapes(Vec<Found>);

/// What a formula is made of, and the local names that this depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Found {
    shape: Shape,
    locals: BTreeSet<Local>,
}

impl Found {
    fn take(&mut self, other: Self) {
        self.shape = self.shape.or(other.shape);
        self.locals.extend(other.locals);
    }
}

impl Shapes {
    /// Definitions mostly use earlier ones; where they are recursive, what is known of them grows until nothing is new.
    pub(super) fn new(definitions: &[Definition]) -> Self {
        let mut shapes = Self(vec![Found::default(); definitions.len()]);
        loop {
            let mut grown = false;
            for (id, definition) in definitions.iter().enumerate() {
                let found = shapes.find(definitions, &definition.body);
                grown |= found != shapes.0[id];
                shapes.0[id] = found;
            }
            if !grown {
                return shapes;
            }
        }
    }

    pub(super) fn of_definition(&self, id: Id) -> Shape {
        self.0[id].shape
    }

    pub(super) fn of(&self, definitions: &[Definition], expr: &Expr) -> Shape {
        self.find(definitions, expr).shape
    }

    fn find(&self, definitions: &[Definition], expr: &Expr) -> Found {
        let mut found = Found::default();
        let shape = &mut found.shape;
        let mut parts = &expr.parts;
        match &expr.kind {
            Kind::Name(target, _) => return self.applied(definitions, target, parts),
            Kind::Always => match &parts[..] {
                // the step is the box's own
                [step] if matches!(step.kind, Kind::SquareAction) => {
                    shape.action_box = true;
                    parts = &step.parts;
                }
                _ => shape.always = true,
            },
            Kind::Enabled => {
                // whatever the action is, that it can be taken is about one state
                shape.state = true;
                return found;
            }
            Kind::Prime | Kind::Unchanged | Kind::SquareAction | Kind::AngleAction => {
                shape.primed = true;
            }
            Kind::Eventually => shape.eventually = true,
            Kind::LeadsTo => shape.leads_to = true,
            Kind::Fairness => shape.fairness = true,
            Kind::Unchecked => shape.unchecked = true,
            Kind::Conjunction { .. }
            | Kind::Disjunction { .. }
            | Kind::Exists(_)
            | Kind::ForAll
            | Kind::Set
            | Kind::Sign(_)
            | Kind::If
            | Kind::Let { .. }
            | Kind::Other => {}
        }
        for part in parts {
            found.take(self.find(definitions, part));
        }
        found
    }

    /// A name with its arguments, of which those count that its definition makes something of.
    fn applied(&self, definitions: &[Definition], target: &Target, arguments: &[Expr]) -> Found {
        let mut found = Found::default();
        let mut used = vec![true; arguments.len()];
        match target {
            Target::Variable(_) => found.shape.state = true,
            Target::Local(local) => {
                found.locals.insert(*local);
            }
            Target::Definition(id) => {
                found = self.0[*id].clone();
                let parameters = definitions[*id].parameters.iter();
                for (used, parameter) in used.iter_mut().rev().zip(parameters.rev()) {
                    *used = found.locals.contains(&parameter.local);
                }
            }
            Target::Constant(_) | Target::Unknown => {}
        }
        for (argument, _) in arguments.iter().zip(used).filter(|(_, used)| *used) {
            found.take(self.find(definitions, argument));
        }
        found
    }
}
