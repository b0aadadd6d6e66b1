//! Values: what TLC prints is read, what is written is read back, and nothing that is fed to the parser breaks it.

use std::collections::{BTreeMap, BTreeSet};

use interlock_tla::value::{MAX_DEPTH, Value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<bool>().prop_map(Value::Bool),
        any::<String>().prop_map(Value::Str),
        "[a-z][A-Za-z0-9_]{0,5}".prop_map(Value::Model),
    ];
    leaf.prop_recursive(5, 48, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Seq),
            proptest::collection::btree_set(inner.clone(), 0..4).prop_map(Value::Set),
            proptest::collection::btree_map("[a-z_]{0,3}[a-z][A-Z0-9]?", inner.clone(), 1..4)
                .prop_map(Value::Record),
            proptest::collection::btree_map(inner.clone(), inner.clone(), 0..4)
                .prop_map(Value::function),
            proptest::collection::vec(inner, 1..4)
                .prop_map(|items| Value::function((1..).map(Value::Int).zip(items).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(0), ..ProptestConfig::default() })]

    #[test]
    fn every_value_is_read_back(value in value()) {
        prop_assert_eq!(value.to_string().parse::<Value>().unwrap(), value);
    }

    #[test]
    fn white_space_between_tokens_is_free(value in value().prop_filter("no strings", |value| !value.to_string().contains('"'))) {
        let spread = value.to_string().replace(", ", "\n ,\t").replace(" :> ", ":>").replace("@@", "\n@@\r\n");
        prop_assert_eq!(spread.parse::<Value>().unwrap(), value);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in r#"[<>{}\[\]()|:@"\\.,0-9a-zTRUE -]{0,60}"#) {
        let _ = text.parse::<Value>();
    }

    #[test]
    fn a_cut_or_changed_text_is_an_error_inside_it(value in value(), at in any::<prop::sample::Index>(), new in any::<char>()) {
        let mut text: Vec<char> = value.to_string().chars().collect();
        let at = at.index(text.len());
        text[at] = new;
        let text = String::from_iter(text);
        if let Err(error) = text.parse::<Value>() {
            prop_assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{}", error);
        }
    }
}

fn read(text: &str) -> Value {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Printed by the pinned TLC for a state with one of everything.
#[test]
fn what_tlc_prints_is_read() {
    let text = r#"[t |-> TRUE, name |-> "a\"b\\c", s |-> <<1, 2, -3>>, big |-> {"aaa", "bbb"}, f |-> [k |-> "k", l |-> "l"],
        i |-> 3..7, tb |-> "tab\tnl\nx", fs |-> {{}, {1}, {2}, {1, 2}}, ff |-> (2 :> 2 @@ 3 :> 3), none |-> <<>>, m |-> r1]"#;
    let Value::Record(fields) = read(text) else {
        panic!("a record")
    };
    assert_eq!(fields["name"], Value::Str("a\"b\\c".to_owned()));
    assert_eq!(fields["tb"], Value::Str("tab\tnl\nx".to_owned()));
    assert_eq!(
        fields["s"],
        Value::Seq(vec![Value::Int(1), Value::Int(2), Value::Int(-3)])
    );
    assert_eq!(fields["i"], Value::Set((3..=7).map(Value::Int).collect()));
    assert_eq!(
        fields["ff"],
        Value::Fn(BTreeMap::from([
            (Value::Int(2), Value::Int(2)),
            (Value::Int(3), Value::Int(3))
        ]))
    );
    assert_eq!(fields["none"], Value::Seq(Vec::new()));
    assert_eq!(fields["m"], Value::Model("r1".to_owned()));
    assert_eq!(fields["t"], Value::Bool(true));
}

#[test]
fn equal_functions_are_equal_values() {
    assert_eq!(read("(1 :> a @@ 2 :> b)"), read("<<a, b>>"));
    assert_eq!(
        read(r#"("x" :> 1 @@ "y" :> 2)"#),
        read("[y |-> 2, x |-> 1]")
    );
    assert_eq!(
        read(r#"("two words" :> 1)"#).to_string(),
        r#"("two words" :> 1)"#
    );
    assert_eq!(read("-2..1"), read("{1, 0, -1, -2}"));
    assert_eq!(read("1..0"), Value::Set(BTreeSet::new()));
    assert_eq!(read("-9223372036854775808"), Value::Int(i64::MIN));
}

#[test]
fn a_malformed_text_is_an_error_that_says_where() {
    for (text, offset, expected) in [
        ("", 0, "a value"),
        ("<<1, 2", 6, ">>"),
        ("<<1 2>>", 4, ">>"),
        ("{1,}", 3, "a value"),
        ("[a |-> 1, |-> 2]", 10, "the name of a field"),
        ("[a = 1]", 3, "|->"),
        ("[a |-> 1, a |-> 2]", 17, "each field once"),
        ("(a :> 1 @@ a :> 2)", 17, "each argument of a function once"),
        ("(a -> 1)", 3, ":>"),
        ("()", 1, "a value"),
        ("1 2", 2, "the end"),
        (r#""open"#, 5, "the closing quote of a string"),
        (r#""\q""#, 2, "one of \" \\ n t r f after a backslash"),
        ("99999999999999999999", 0, "an integer of 64 bits"),
        ("-x", 1, "an integer of 64 bits"),
        ("1..x", 3, "an integer of 64 bits"),
        (
            "0..99999999999",
            14,
            "intervals of at most 2^20 elements in all",
        ),
    ] {
        let error = text.parse::<Value>().expect_err(text);
        assert_eq!(
            (error.offset, error.expected),
            (offset, expected),
            "{text}: {error}"
        );
    }
    let error = "<<1, ?>>".parse::<Value>().expect_err("no value");
    assert_eq!(
        error.to_string(),
        "at byte 5: expected a value, found `?>>`"
    );
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| "<<".repeat(depth - 1) + "1" + &">>".repeat(depth - 1);
    assert!(nested(MAX_DEPTH).parse::<Value>().is_ok());
    for open in ["<<", "{", "[a |-> ", "(", "(1 :> "] {
        assert!(open.repeat(1_000_000).parse::<Value>().is_err(), "{open}");
    }
    assert!(nested(MAX_DEPTH + 1).parse::<Value>().is_err());
}

#[test]
fn many_intervals_cannot_exhaust_the_memory() {
    assert!(
        format!("<<{}1>>", "1..100000, ".repeat(100))
            .parse::<Value>()
            .is_err()
    );
}
