//! What the browser tells of a page unasked: what it loads, and what its console says.

use serde_json::Value;

/// Whether the page is there, and whatever it has asked for has come or failed. A page that may be read next need not come.
pub(crate) fn is_loaded(told: &[Value]) -> bool {
    let has_ended = |request: &Value| {
        let ends = of(told, "Network.loadingFinished").chain(of(told, "Network.loadingFailed"));
        ends.into_iter()
            .any(|end| end["requestId"] == request["requestId"])
    };
    of(told, "Page.loadEventFired").next().is_some()
        && of(told, "Network.requestWillBeSent")
            .filter(|request| request["type"] != "Prefetch")
            .all(has_ended)
}

/// What is wrong in it, a line each.
pub(crate) fn faults(told: &[Value]) -> Vec<String> {
    let is_bad = |level: &Value| {
        ["error", "warning", "assert"]
            .iter()
            .any(|bad| level == bad)
    };
    let said = of(told, "Runtime.consoleAPICalled")
        .filter(|call| is_bad(&call["type"]))
        .map(|call| {
            let parts = call["args"].as_array().into_iter().flatten().map(value);
            parts.collect::<Vec<_>>().join(" ")
        });
    // What could not be loaded is told by the request.
    let logged = of(told, "Log.entryAdded")
        .map(|log| &log["entry"])
        .filter(|entry| is_bad(&entry["level"]) && entry["source"] != "network")
        .map(|entry| value(&entry["text"]));
    let said = said
        .chain(logged)
        .map(|text| format!("says on the console: {text}"));
    let thrown = of(told, "Runtime.exceptionThrown").map(|thrown| {
        let details = &thrown["exceptionDetails"];
        let what = match &details["exception"] {
            Value::Null => &details["text"],
            exception => exception,
        };
        format!("throws: {}", value(what))
    });
    let loads = of(told, "Network.requestWillBeSent").filter_map(|request| {
        let url = request["request"]["url"].as_str()?;
        let is_local = ["file:", "data:", "blob:"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        let has_failed = of(told, "Network.loadingFailed").find(|failed| {
            failed["requestId"] == request["requestId"] && failed["canceled"] != true
        });
        match has_failed {
            _ if !is_local => Some(format!("asks the network for {url}")),
            Some(failed) => Some(format!(
                "cannot load {url}: {}",
                value(&failed["errorText"])
            )),
            None => None,
        }
    });
    said.chain(thrown).chain(loads).collect()
}

/// The parameters of each message of this kind.
fn of<'a>(told: &'a [Value], method: &'static str) -> impl Iterator<Item = &'a Value> {
    let its = told.iter().filter(move |told| told["method"] == method);
    its.map(|told| &told["params"])
}

/// A value of the page's, or a text of the browser's, as it is read.
fn value(value: &Value) -> String {
    [value, &value["value"], &value["description"]]
        .iter()
        .find_map(|text| text.as_str())
        .map_or_else(|| value["value"].to_string(), str::to_owned)
}
