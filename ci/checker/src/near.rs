//! The name that was probably meant.

/// `; did you mean ...?` with the candidate nearest to `name`, or nothing when none is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let nearness =
        |candidate: &str| strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (nearness(candidate), candidate))
        .filter(|(nearness, _)| *nearness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, candidate)| {
            format!("; did you mean `{candidate}`?")
        })
}
