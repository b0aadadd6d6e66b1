//! One page in one view.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::{Chromium, told};

/// Looks at a page from within.
const LOOK: &str = include_str!("page.js");

/// So many of what Tab comes to are asked for; a list of chapters is longer than what is before the text.
const STOPS: u64 = 60;

/// What a reader's system prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scheme {
    Light,
    Dark,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        }
    }
}

/// How a page is shown.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The window's width, in pixels.
    pub width: u32,
    /// The system's colours.
    pub scheme: Scheme,
    /// A script that runs before the page's own, as for what a reader has set before.
    pub before: &'a str,
}

impl View<'_> {
    /// A phone's, a tablet's and a desk's width, by day and by night; what stands beside the text on a desk has both.
    pub const EACH: [Self; 4] = [
        Self::of(360, Scheme::Dark),
        Self::of(768, Scheme::Light),
        Self::of(1440, Scheme::Light),
        Self::of(1440, Scheme::Dark),
    ];

    /// Of a reader who has set nothing.
    pub const fn of(width: u32, scheme: Scheme) -> Self {
        Self {
            width,
            scheme,
            before: "",
        }
    }
}

impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pixels, {}", self.width, self.scheme.name())?;
        match self.before {
            "" => Ok(()),
            before => write!(f, ", after {before}"),
        }
    }
}

/// A page that is open.
struct Visit<'a> {
    chromium: &'a mut Chromium,
    session: String,
    context: String,
}

impl Chromium {
    /// What is wrong with the page of a file in this view, a line each: `has a contrast of 2.1, ...`.
    ///
    /// # Errors
    ///
    /// When there is no such file, or Chromium does not answer.
    pub fn faults(&mut self, page: &Path, view: &View) -> Result<Vec<String>> {
        let mut visit = Visit::open(self, page, view)?;
        let mut faults = visit.ask("width()")?;
        faults.extend(visit.ask("contrast()")?);
        faults.extend(visit.ask("keyboard()")?);
        faults.extend(visit.tab()?);
        let mut told = visit.close()?;
        told.extend(faults);
        Ok(told)
    }

    /// What an expression is in the page, or what the promise that it is comes to.
    ///
    /// # Errors
    ///
    /// When there is no such page, the expression throws, or Chromium does not answer.
    pub fn evaluate(&mut self, page: &Path, view: &View, expression: &str) -> Result<Value> {
        let mut visit = Visit::open(self, page, view)?;
        let value = visit.evaluate(expression)?;
        visit.close()?;
        Ok(value)
    }

    /// Writes a picture of the page's beginning into a file, a PNG.
    ///
    /// # Errors
    ///
    /// When there is no such page, Chromium does not answer, or the file cannot be written.
    pub fn picture(&mut self, page: &Path, view: &View, into: &Path) -> Result<()> {
        let mut visit = Visit::open(self, page, view)?;
        let shot = visit.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        visit.close()?;
        let data = shot["data"].as_str().context("a picture")?;
        fs::write(into, BASE64_STANDARD.decode(data)?)
            .with_context(|| format!("{}: it cannot be written", into.display()))
    }
}

impl<'a> Visit<'a> {
    fn open(chromium: &'a mut Chromium, page: &Path, view: &View) -> Result<Self> {
        let page = page
            .canonicalize()
            .with_context(|| format!("{}: there is no such page", page.display()))?;
        // Nothing is kept of an earlier visit.
        let context = chromium.call(None, "Target.createBrowserContext", json!({}))?;
        let context = text(&context["browserContextId"])?;
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = chromium.call(None, "Target.createTarget", target)?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = chromium.call(None, "Target.attachToTarget", attach)?;
        let session = text(&attached["sessionId"])?;
        chromium.told.clear();
        let mut visit = Visit {
            chromium,
            session,
            context,
        };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            visit.call(&format!("{domain}.enable"), json!({}))?;
        }
        let features = json!([
            { "name": "prefers-color-scheme", "value": view.scheme.name() },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        let size =
            json!({ "width": view.width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        let calls = [
            (
                "Emulation.setEmulatedMedia",
                json!({ "features": features }),
            ),
            ("Emulation.setDeviceMetricsOverride", size),
            (
                "Emulation.setFocusEmulationEnabled",
                json!({ "enabled": true }),
            ),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": view.before }),
            ),
        ];
        for (method, parameters) in calls {
            visit.call(method, parameters)?;
        }
        let url = format!("file://{}", page.display());
        let opened = visit.call("Page.navigate", json!({ "url": url }))?;
        ensure!(opened["errorText"].is_null(), "{url}: {opened}");
        visit.chromium.wait(told::is_loaded)?;
        visit.evaluate(LOOK)?;
        Ok(visit)
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.chromium.call(Some(&self.session), method, parameters)
    }

    /// What an expression is in the page.
    fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let expression =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", expression)?;
        let thrown = &answer["exceptionDetails"];
        ensure!(thrown.is_null(), "{thrown}");
        Ok(answer["result"]["value"].take())
    }

    /// The faults that a question of `page.js` finds.
    fn ask(&mut self, question: &str) -> Result<Vec<String>> {
        let faults = self.evaluate(&format!("interlock.{question}"))?;
        Ok(serde_json::from_value(faults)?)
    }

    /// What is wrong for who goes through the page by Tab.
    fn tab(&mut self) -> Result<Vec<String>> {
        let stops = self.evaluate(&format!("interlock.start({STOPS})"))?;
        // Boxes that scroll are stops too.
        for _ in 0..3 * stops.as_u64().context("a number")? {
            for kind in ["rawKeyDown", "keyUp"] {
                let key = json!({ "type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 });
                self.call("Input.dispatchKeyEvent", key)?;
            }
            if self.evaluate("interlock.step()")? == true {
                break;
            }
        }
        self.ask("end()")
    }

    /// What the browser has told of the page.
    fn close(self) -> Result<Vec<String>> {
        self.chromium.wait(told::is_loaded)?;
        let faults = told::faults(&self.chromium.told);
        let context = json!({ "browserContextId": self.context });
        self.chromium
            .call(None, "Target.disposeBrowserContext", context)?;
        Ok(faults)
    }
}

fn text(value: &Value) -> Result<String> {
    Ok(value.as_str().context("a text")?.to_owned())
}
