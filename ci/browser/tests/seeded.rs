//! Small pages, each with one fault, which is found, and a sound one.

use std::fs;

use interlock_browser::{Chromium, Scheme, View, find};
use interlock_judges::CHROMIUM;
use tempfile::TempDir;

const PHONE: View = View::of(360, Scheme::Light);

/// The page of this style and text.
fn page(style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><link rel=\"icon\" href=\"data:,\"><title>t</title>\
         <style>{style}</style><main>{body}</main></html>"
    )
}

/// What is found in each of the pages, which have a style and a text and are looked at in a view.
fn found<const N: usize>(pages: [(&str, &str, View); N]) -> Option<[Vec<String>; N]> {
    let program = find();
    if !CHROMIUM.is_here(program.as_ref()) {
        return None;
    }
    let folder = TempDir::new().expect("a folder");
    let mut chromium = Chromium::start(&program.ok()?).expect("a browser");
    Some(pages.map(|(style, body, view)| {
        let path = folder.path().join("page.html");
        fs::write(&path, page(style, body)).expect("a page");
        chromium.faults(&path, &view).expect("an answer")
    }))
}

/// Each of the pages has the one fault that begins so.
fn each_is_found<const N: usize>(seeded: [(&str, &str, &str); N]) {
    let pages = seeded.map(|(style, body, _)| (style, body, PHONE));
    let Some(all) = found(pages) else {
        return;
    };
    for ((style, body, begins), faults) in seeded.iter().zip(all) {
        assert!(
            faults.len() == 1 && faults[0].starts_with(begins),
            "{style} {body}: {begins}: {faults:#?}"
        );
    }
}

/// What is wide scrolls in a box of its own; text that is large, hidden, or on its own ground; each kind of control.
#[test]
fn a_sound_page_has_no_fault() {
    let style = "@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } a { color: #9cf } }
        .box { overflow-x: auto } .wide { width: 900px } .large { font-size: 24px; color: #888; background: white }
        .none { display: none; color: #eee } .own { background: #000; color: #ccc }";
    let body = "<h1>A page</h1><a href=\"#x\">a link</a><div class=\"box\"><p class=\"wide\">x</p></div><p class=\"large\">x</p>
        <p class=\"none\">x</p><p class=\"own\">x</p><button>b</button><input aria-label=\"i\"><details><summary>s</summary>d</details>
        <label style=\"cursor: pointer\">l <input type=\"checkbox\"></label><script>console.log('fine')</script>";
    for faults in found(View::EACH.map(|view| (style, body, view)))
        .into_iter()
        .flatten()
    {
        assert_eq!(faults, Vec::<String>::new());
    }
}

#[test]
fn what_a_page_says_and_loads_is_found() {
    each_is_found([
        (
            "",
            "<script>console.error('a fault', 1)</script>",
            "says on the console: a fault 1",
        ),
        (
            "",
            "<script>console.warn('a fault')</script>",
            "says on the console: a fault",
        ),
        (
            "",
            "<script>throw new Error('a fault')</script>",
            "throws: Error: a fault",
        ),
        (
            "",
            "<script>Promise.reject(new Error('a fault'))</script>",
            "throws: Error: a fault",
        ),
        ("", "<img src=\"none.png\" alt=\"\">", "cannot load file://"),
        (
            "",
            "<script>new Image().src = 'https://example.org/a.png'</script>",
            "asks the network for https://example.org/a.png",
        ),
        (
            "p { background: url('http://127.0.0.1:9/a.png') }",
            "<p>x</p>",
            "asks the network for http://127.0.0.1:9/a.png",
        ),
    ]);
}

#[test]
fn what_is_too_wide_is_found() {
    each_is_found([
        (
            ".wide { width: 400px }",
            "<p class=\"wide\">x</p>",
            "is 408 pixels wide: <p.wide> \"x\"",
        ),
        (
            "pre { overflow: hidden }",
            "<pre><code>a line that is longer than a phone's width, and ends in it</code></pre>",
            "cuts off <code>",
        ),
        (
            "main { overflow-x: clip } p { width: 400px }",
            "<p>x</p>",
            "cuts off <p>",
        ),
    ]);
}

#[test]
fn pale_text_is_found() {
    each_is_found([
        (
            "p { color: #777 }",
            "<p>x</p>",
            "has a contrast of 4.48, #777777 on #ffffff: <p> \"x\"",
        ),
        (
            "a { color: #888 }",
            "<a href=\"#x\">x</a>",
            "has a contrast of 3.5",
        ),
        ("p { opacity: 0.5 }", "<p>x</p>", "has a contrast of 3.9"),
        (
            "body { background: #000; color: #fff } p { background: #fffc }",
            "<p>x</p>",
            "has a contrast of 1.6",
        ),
        (
            "p::before { content: 'x'; color: #999 }",
            "<p>x</p>",
            "has a contrast of 2.8",
        ),
        (
            "p { font-size: 24px; color: #999 }",
            "<p>x</p>",
            "has a contrast of 2.8",
        ),
    ]);
}

#[test]
fn what_needs_a_mouse_is_found() {
    each_is_found([
        (
            "",
            "<a href=\"#x\" tabindex=\"-1\">x</a>",
            "has no way by keyboard to <a> \"x\"",
        ),
        (
            "",
            "<div onclick=\"f()\">x</div>",
            "has no way by keyboard to <div> \"x\"",
        ),
        (
            "div { cursor: pointer }",
            "<div><b>x</b></div>",
            "has a mouse's way alone to <div> \"x\"",
        ),
        (
            "",
            "<button onkeydown=\"event.preventDefault()\">a</button><button>b</button>",
            "does not come to <button> \"b\" by Tab",
        ),
        (
            "a:focus { outline: none }",
            "<a href=\"#x\">x</a>",
            "does not show the focus on <a> \"x\"",
        ),
        (
            "a { position: absolute; left: -999px }",
            "<a href=\"#x\">x</a>",
            "has focus out of sight on <a> \"x\"",
        ),
        ("", "</main><main>x", "has 2 elements <main>"),
        (
            "",
            "<script>
                const link = () => Object.assign(document.createElement('a'), { href: '#x', textContent: 'x' });
                document.body.prepend(...Array.from({ length: 11 }, link));
            </script>",
            "has 11 stops before its text, and no link past them",
        ),
    ]);
}
