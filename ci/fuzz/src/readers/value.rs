//! Values as TLC prints them.

use interlock_tla::value::Value;

use crate::Target;

/// The bytes are the text of one.
pub const TARGET: Target = Target {
    name: "value",
    read,
    seeds,
};

fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Value>() {
        Ok(value) => {
            let shown = value.to_string();
            assert_eq!(shown.parse::<Value>(), Ok(value), "{shown}");
        }
        Err(error) => {
            assert!(error.offset <= text.len());
            assert!(error.to_string().starts_with("at byte "));
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "-7",
        "1..4",
        "-2..-1",
        "TRUE",
        "r1",
        r#""a \"b\" \\ \n\t\r\f""#,
        "<<1, <<>>, {2, 3}>>",
        "{r1, r2, w}",
        r#"[pc |-> (r1 :> "idle" @@ w1 :> "hold"), q |-> <<[k |-> 1]>>]"#,
        "(0 :> FALSE @@ 1 :> 4..5)",
    ];
    texts.map(|text| text.as_bytes().to_vec()).into()
}
