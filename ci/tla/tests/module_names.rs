//! Names mean what is defined where they stand, in every form in which TLA+ defines them.

use std::collections::BTreeSet;
use std::fs;

use interlock_tla::module::{Level, Module, Site};
use tempfile::TempDir;

/// Reads module `M` with this text between its first and last line, beside module `Base`.
fn read(text: &str) -> Module {
    let directory = TempDir::new().expect("a temporary directory");
    let base = "---- MODULE Base ----\nCONSTANTS Size, Op(_)\nVARIABLE v\nLOCAL Own == v' = v\nStep == Own /\\ v' = Op(Size)\n\
                Now == v = Size\nEnds == <>Now\n====\n";
    fs::write(directory.path().join("Base.tla"), base).expect("written");
    let text = format!("---- MODULE M ----\n{text}\n====\n");
    fs::write(directory.path().join("M.tla"), text).expect("written");
    Module::read(directory.path(), "M").expect("a module")
}

fn level(module: &Module, operator: &str) -> Level {
    assert!(module.defines(operator), "{operator}");
    module.shape(operator).level()
}

fn used<'a>(module: &'a Module, operator: &'a str) -> Vec<&'a str> {
    let used = module.used_by(operator).into_iter();
    used.filter(|name| *name != operator).collect()
}

#[test]
fn operators_that_are_signs() {
    let module = read(
        "EXTENDS Integers\nVARIABLE x\na \\prec b == x' = a + b\na ^+ == <>a\n-. a == x = a\nBetween == 1 \\prec 2\nBehind == (x = 1)^+\n\
         Before == -x\nPassed(F(_, _)) == F(1, 2)\nPassing == Passed(\\prec)",
    );
    for name in ["\\prec", "^+", "-.", "+", "\\leq", "Int"] {
        assert!(module.defines(name), "{name}");
    }
    assert_eq!(level(&module, "Between"), Level::Action);
    assert_eq!(level(&module, "Behind"), Level::Temporal);
    assert_eq!(level(&module, "Before"), Level::State);
    assert_eq!(level(&module, "Passing"), Level::Action);
    assert_eq!(used(&module, "Between"), ["\\prec"]);
}

#[test]
fn one_sign_of_several_spellings() {
    let module = read(
        "EXTENDS Naturals\nVARIABLE x\na \\circ b == x' = a\nUse == 1 \\o 2\nAlso == 1 =< 2 /\\ 1 <= 2 /\\ 1 \\leq 2",
    );
    assert_eq!(used(&module, "Use"), ["\\o"]);
    assert_eq!(level(&module, "Also"), Level::Constant);
}

#[test]
fn definitions_in_a_let() {
    let module = read(
        "VARIABLE x\nStep == x' = 1\nHides == LET Step == x = 1 IN Step\nUses == LET go == Step IN go\nUnused == LET go == Step IN x = 1\n\
         Applied == LET op(a) == a = x IN op(2)\nFunction == LET f[n \\in {1}] == IF n = 1 THEN x ELSE f[n] IN f[1]\n\
         Inside == LET I == INSTANCE Base WITH v <- x, Size <- 1, Op <- LAMBDA n : n IN I!Step",
    );
    assert_eq!(module.operators().count(), 7);
    assert_eq!(level(&module, "Hides"), Level::State);
    assert!(used(&module, "Hides").is_empty());
    assert_eq!(level(&module, "Uses"), Level::Action);
    assert_eq!(used(&module, "Uses"), ["Step"]);
    assert_eq!(level(&module, "Unused"), Level::State);
    assert_eq!(level(&module, "Applied"), Level::State);
    assert_eq!(level(&module, "Function"), Level::State);
    assert_eq!(level(&module, "Inside"), Level::Action);
}

#[test]
fn a_module_inside_of_a_module() {
    let module = read(
        "VARIABLE x\nAround == x = 1\n---- MODULE Inner ----\nVARIABLE y\nLocal == Around /\\ y' = x\nAfter == y\n====\n\
         I == INSTANCE Inner WITH y <- x\nUse == I!Local",
    );
    assert!(module.defines("I!Local") && !module.defines("Local") && !module.defines("After"));
    assert_eq!(level(&module, "Use"), Level::Action);
    assert_eq!(used(&module, "Use"), ["Around", "I!Local"]);
}

#[test]
fn operators_of_the_standard_modules() {
    let module = read("EXTENDS Sequences, TLC, FiniteSets\nA == Len(<<>>)");
    for name in ["Len", "SelectSeq", "Permutations", ":>", "Cardinality"] {
        assert!(module.defines(name), "{name}");
    }
    // what a standard module takes for itself
    assert!(!module.defines("Nat") && !module.defines("+"));
    assert_eq!(module.operators().collect::<Vec<_>>(), ["A"]);
}

#[test]
fn what_an_instance_substitutes() {
    let module = read(
        "VARIABLES x, y\nTwice(n) == n\nNext(n) == x' = n\nMapped == <<x, y>>\n\
         I == INSTANCE Base WITH v <- Mapped, Size <- y, Op <- Twice\nJ == INSTANCE Base WITH v <- 1, Size <- 2, Op <- LAMBDA n : n\n\
         K == INSTANCE Base WITH v <- x, Size <- ENABLED Next(1), Op <- Twice",
    );
    assert_eq!(used(&module, "I!Step"), ["I!Own", "Mapped", "Twice"]);
    assert_eq!(used(&module, "I!Now"), ["Mapped"]);
    assert_eq!(level(&module, "I!Now"), Level::State);
    assert_eq!(level(&module, "J!Now"), Level::Constant);
    assert_eq!(level(&module, "K!Now"), Level::State);
    assert_eq!(used(&module, "K!Now"), ["Next"]);
    assert_eq!(level(&module, "I!Ends"), Level::Temporal);
}

#[test]
fn names_that_no_with_substitutes() {
    // `v` is a definition here
    let module = read("VARIABLE x\nSize == 1\nOp(n) == n\nv == x\nINSTANCE Base");
    assert_eq!(level(&module, "Now"), Level::State);
    assert_eq!(used(&module, "Now"), ["Size", "v"]);
    assert!(module.constants().is_empty());
}

#[test]
fn instances_with_parameters() {
    let module = read(
        "VARIABLE x\nI(a, b) == INSTANCE Base WITH v <- a, Size <- b, Op <- LAMBDA n : n\nOfState == I(x, 1)!Now\nOfNone == I(1, 2)!Now\n\
         Chain == I(x, 1)!Ends",
    );
    assert!(module.defines("I!Now") && !module.defines("I"));
    assert_eq!(level(&module, "OfState"), Level::State);
    assert_eq!(level(&module, "OfNone"), Level::Constant);
    assert_eq!(level(&module, "Chain"), Level::Temporal);
    assert_eq!(used(&module, "OfState"), ["I!Now"]);
}

#[test]
fn local_names_hide_others() {
    let module = read(
        "VARIABLES x, y\nStep == x' = 1\nParameter(Step) == Step\nBound == \\E Step \\in {1} : Step = 1\nChosen == CHOOSE Step \\in {1} : TRUE\n\
         Mapped == [Step \\in {1} |-> Step]\nFiltered == {Step \\in {1} : Step = 1}\nSet == {Step : Step \\in {1}}\n\
         Tuple == \\A <<Step, b>> \\in {<<1, 2>>} : Step = b\nLambda == LET F(G(_)) == G(1) IN F(LAMBDA Step : Step)\n\
         Field == [Step |-> 1].Step\nUpdated == [y EXCEPT !.Step = 1]\nOutside == \\E Step \\in {Step} : TRUE",
    );
    for operator in [
        "Parameter",
        "Bound",
        "Chosen",
        "Mapped",
        "Filtered",
        "Set",
        "Tuple",
        "Lambda",
        "Field",
    ] {
        assert_eq!(level(&module, operator), Level::Constant, "{operator}");
        assert!(used(&module, operator).is_empty(), "{operator}");
    }
    assert_eq!(level(&module, "Updated"), Level::State);
    assert_eq!(level(&module, "Outside"), Level::Action);
}

#[test]
fn an_argument_counts_where_something_is_made_of_it() {
    let module = read(
        "VARIABLE x\nKeeps(a) == a\nDrops(a) == TRUE\nCan(A) == ENABLED A\nKept == Keeps(x' = 1)\nDropped == Drops(x' = 1)\nAble == Can(x' = 1)",
    );
    assert_eq!(level(&module, "Kept"), Level::Action);
    assert_eq!(level(&module, "Dropped"), Level::Constant);
    assert_eq!(level(&module, "Able"), Level::State);
}

#[test]
fn recursive_operators() {
    let module = read(
        "VARIABLE x\nRECURSIVE Even(_), Odd(_)\nEven(n) == IF n = 0 THEN x' = 1 ELSE Odd(n)\nOdd(n) == n # 0 /\\ Even(n)\nUse == Odd(3)",
    );
    assert_eq!(level(&module, "Use"), Level::Action);
    assert_eq!(used(&module, "Odd"), ["Even"]);
}

#[test]
fn proofs_define_and_name_nothing() {
    let module = read(
        "VARIABLE x\nA == x = 1\nTHEOREM T == A => []A\n<1>1. A\n  OBVIOUS\n<1> DEFINE D == x' = 1\n<1>2. QED\n  BY <1>1 DEF A\nB == x = 2",
    );
    assert_eq!(module.operators().collect::<Vec<_>>(), ["A", "B"]);
}

#[test]
fn what_is_local_is_not_given_to_others() {
    let module = read("EXTENDS Base\nUse == Step");
    assert!(module.defines("Step") && !module.defines("Own"));
    assert_eq!(level(&module, "Use"), Level::Action);
    assert_eq!(used(&module, "Use"), ["Own", "Step"]);
}

#[test]
fn of_two_modules_with_the_same_name_the_first_counts() {
    let module = read("EXTENDS Base, Sequences\nTail(s) == v = s\nUse == Tail(1)");
    assert_eq!(level(&module, "Use"), Level::State);
}

#[test]
fn parts_of_definitions_are_named_by_their_place() {
    let module =
        read("VARIABLE x\nA(n) == /\\ x = n\n        /\\ x' = n\nB == A(1)!2\nC == A(1)!<<");
    assert_eq!(level(&module, "B"), Level::Action);
    assert_eq!(used(&module, "C"), ["A"]);
}

#[test]
fn faults_have_their_place() {
    let directory = TempDir::new().expect("a temporary directory");
    let fault = |text: &str| {
        fs::write(directory.path().join("N.tla"), text).expect("written");
        let error = Module::read(directory.path(), "N").expect_err("an error");
        let message = format!("{error:#}");
        let end = message.find("N.tla").expect("its file");
        message[end..].to_owned()
    };
    let faults = [
        (
            "---- MODULE N ----\nA == 1\nB == ) 2\n====\n",
            "N.tla:3:6: this is not TLA+",
        ),
        (
            "---- MODULE N ----\nA == [x EXCEPT !.a = ]\n====\n",
            "N.tla:2:21: a part is missing: identifier ref (add it)",
        ),
        (
            "---- MODULE N ----\nÄ == 1\n====\n",
            "N.tla:2:1: this is not TLA+",
        ),
        (
            "---- MODULE N ----\nA == 1\nB == IF x THEN 2\nC == 3\n====\n",
            "N.tla:3:16: this is not TLA+",
        ),
        (
            "---- MODULE N ----\nA == 1\n",
            "N.tla:2:7: the file ends within the module",
        ),
        (
            "---- MODULE O ----\nA == 1\n====\n",
            "N.tla:1:13: the module is called O",
        ),
        (
            "---- MODULE N ----\nEXTENDS Naturals, Nowhere\n====\n",
            "N.tla:2:19: there is no module Nowhere",
        ),
        (
            "---- MODULE N ----\nI == INSTANCE Nowhere\n====\n",
            "N.tla:2:15: there is no module Nowhere",
        ),
    ];
    for (text, expected) in faults {
        let found = fault(text);
        assert!(found.starts_with(expected), "{found} for {text}");
    }
    let deep = format!(
        "---- MODULE N ----\nA == {}1{}\n====\n",
        "(".repeat(3000),
        ")".repeat(3000)
    );
    assert!(
        fault(&deep).contains("nested too deeply"),
        "{}",
        fault(&deep)
    );
}

#[test]
fn what_apalache_reads_in_place_of_another() {
    let module = read(
        "CONSTANT Most\nVARIABLE x\nSome == 1\nOther == 2\nOVERRIDE_Some == Other\nOVERRIDE_Most == 3\n\
         Next == x < Most /\\ x' = Some\nUnread == 4",
    );
    assert_eq!(
        used(&module, "Next"),
        ["OVERRIDE_Most", "OVERRIDE_Some", "Other"]
    );
    let names = |sites: BTreeSet<Site>| -> Vec<String> {
        sites.into_iter().map(|site| site.name).collect()
    };
    assert_eq!(
        names(module.sites_read(["Next"])),
        ["Other", "OVERRIDE_Some", "OVERRIDE_Most", "Next"]
    );
    assert!(names(module.sites()).contains(&"Unread".to_owned()));
}
