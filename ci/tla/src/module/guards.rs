//! What an action demands of the state that it is taken in, one condition at a time.

use super::Module;
use super::expression::{Definition, Expr, Id, Kind, Origin, Target};
use super::text::Names;

/// How many operators one within the other are looked into.
const DEEPEST: usize = 20;

/// A condition on a state without which an action cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// As a formula on one line, which means the same in any module that extends the action's.
    pub formula: String,
    /// As the module has it, on one line, and the operator that it stands in if that is not the action.
    pub shown: String,
    /// Whether it only says that those before it can be met together: the name that a quantifier binds is the same in all.
    pub joint: bool,
}

impl Module {
    /// The guards of an action with these arguments, each as TLA+ writes it: the conjuncts of its definition which are about one
    /// state, however it is laid out, also those inside of `LET`, `\E`, `IF` and of the actions that it calls. `None` when
    /// it is not defined.
    pub fn guards(&self, action: &str, arguments: &[String]) -> Option<Vec<Guard>> {
        let definition = &self.definitions[self.id(action)?];
        let of_modules = self.definitions.iter();
        let of_modules = of_modules.filter(|definition| definition.origin != Origin::Let);
        let unknown = of_modules.flat_map(|definition| &definition.parameters);
        let mut names: Names = unknown.map(|parameter| (parameter.local, None)).collect();
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            names.insert(parameter.local, Some(format!("({argument})")));
        }
        let search = Search { module: self };
        Some(search.of(&definition.body, &names, None, 0))
    }
}

struct Search<'m> {
    module: &'m Module,
}

impl Search<'_> {
    fn of(&self, expr: &Expr, names: &Names, inside: Option<&str>, depth: usize) -> Vec<Guard> {
        let all_of = |expr: &Expr| self.of(expr, names, inside, depth);
        match (&expr.kind, &expr.parts[..]) {
            (Kind::Conjunction { .. }, parts) => parts.iter().flat_map(all_of).collect(),
            _ if self.is_of_one_state(expr) => {
                self.itself(expr, names, inside).into_iter().collect()
            }
            (Kind::Let { definitions, plain }, [body]) => {
                let about_one = |id: &Id| !self.module.shapes.of_definition(*id).primed;
                let ids: Vec<Id> = definitions.iter().copied().filter(about_one).collect();
                let wrapped = |guard: Guard| {
                    plain.then_some(())?;
                    let formula = self.module.inside_let(&ids, &guard.formula, names)?;
                    Some(Guard { formula, ..guard })
                };
                all_of(body).into_iter().filter_map(wrapped).collect()
            }
            (Kind::Exists(bounds), [sets @ .., body]) => {
                if !sets.iter().all(|set| self.is_of_one_state(set)) {
                    return Vec::new();
                }
                let Some(written) = self.module.bounds(expr, bounds, names) else {
                    return Vec::new();
                };
                let shown = self.module.shown(expr.place.text, bounds);
                let mut guards = all_of(body);
                if guards.len() > 1 && !guards.iter().any(|guard| guard.joint) {
                    guards.push(together(&guards));
                }
                for guard in &mut guards {
                    guard.formula = format!("\\E {written} : ({})", guard.formula);
                    guard.shown = format!("\\E {shown} : {}", guard.shown);
                }
                guards
            }
            (Kind::If, [condition, then, otherwise]) if self.is_of_one_state(condition) => {
                let Some(written) = self.module.written(condition, names) else {
                    return Vec::new();
                };
                let place = &condition.place;
                let shown = self.module.shown(place.text, &place.range);
                let under = |branch, not: &str| {
                    let mut guards: Vec<Guard> = all_of(branch);
                    for guard in &mut guards {
                        guard.formula = format!("{not}({written}) => ({})", guard.formula);
                        guard.shown = format!("{not}({shown}) => {}", guard.shown);
                    }
                    guards
                };
                [under(then, ""), under(otherwise, "~")].concat()
            }
            (Kind::Disjunction { .. }, parts) => {
                let ways: Vec<Vec<Guard>> = parts.iter().map(all_of).collect();
                // one way that demands nothing is enough
                if ways.iter().any(Vec::is_empty) {
                    return Vec::new();
                }
                let ways: Vec<Guard> = ways.iter().map(|guards| together(guards)).collect();
                let join = |text: fn(&Guard) -> &String| {
                    let texts: Vec<_> = ways.iter().map(|way| format!("({})", text(way))).collect();
                    texts.join(" \\/ ")
                };
                vec![Guard {
                    formula: join(|way| &way.formula),
                    shown: join(|way| &way.shown),
                    joint: false,
                }]
            }
            (Kind::Name(Target::Definition(id), _), arguments) if depth < DEEPEST => {
                let definition = &self.module.definitions[*id];
                let names = self.arguments(definition, arguments, names);
                let inside = Some(&definition.name[..]);
                self.of(&definition.body, &names, inside, depth + 1)
            }
            _ => Vec::new(),
        }
    }

    /// It is a condition as it stands.
    fn itself(&self, expr: &Expr, names: &Names, inside: Option<&str>) -> Option<Guard> {
        let formula = self.module.written(expr, names)?;
        let shown = self.module.shown(expr.place.text, &expr.place.range);
        let shown = match inside {
            Some(operator) => format!("{shown} (in {operator})"),
            None => shown,
        };
        Some(Guard {
            formula,
            shown,
            joint: false,
        })
    }

    fn is_of_one_state(&self, expr: &Expr) -> bool {
        let shape = self.module.shapes.of(&self.module.definitions, expr);
        !shape.primed && !shape.is_temporal()
    }

    /// What is written for the parameters of an operator that is called with these arguments.
    fn arguments(&self, called: &Definition, arguments: &[Expr], names: &Names) -> Names {
        let mut inner = names.clone();
        for (parameter, argument) in called.parameters.iter().rev().zip(arguments.iter().rev()) {
            let written = Some(argument).filter(|argument| self.is_of_one_state(argument));
            let written = written.and_then(|argument| self.module.written(argument, names));
            let written = match (&argument.kind, parameter.arity) {
                (_, 0) => written.map(|text| format!("({text})")),
                (Kind::Name(..), _) if argument.parts.is_empty() => written,
                // a LAMBDA cannot stand before arguments
                _ => None,
            };
            inner.insert(parameter.local, written);
        }
        inner
    }
}

/// All of them in one.
fn together(guards: &[Guard]) -> Guard {
    let formulas = guards.iter().map(|guard| format!("({})", guard.formula));
    let shown = guards.iter().filter(|guard| !guard.joint);
    Guard {
        formula: formulas.collect::<Vec<_>>().join(" /\\ "),
        shown: shown
            .map(|guard| &guard.shown[..])
            .collect::<Vec<_>>()
            .join(" /\\ "),
        joint: true,
    }
}
