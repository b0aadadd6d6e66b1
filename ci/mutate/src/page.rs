//! The page of the documentation that keeps what was found: a section for each area that was shown whole, and one for a sample.

use interlock_checker::manifest::Engine;

/// How a section begins.
const HEADING: &str = "\n## ";

/// The sample's section, the last one.
pub const SAMPLE: &str = "A sample of all areas";

/// The title of the section of mutants, an area's or the sample's, that are shown to this engine's rows.
pub fn title(of: &str, engine: Engine) -> String {
    match engine {
        Engine::Apalache => format!("{of}, for Apalache"),
        Engine::Tlc | Engine::TlaChecker => of.to_owned(),
    }
}

/// What all sections are about.
const OPENING: &str = "\
# Mutants of the specifications

A mutant is a module with one small fault. Each is shown to the rows of `models.toml` that evaluate the formula with the fault, until
one notices: another verdict, another count of states, an action that fires or does not (coverage), a formula without a value, or no end.
Those that no row notices are listed in `specs/*/mutants.toml`, with the reason. An area's section is written by
`interlock mutate AREA --keep`, that of the modules that Apalache alone reads by `interlock mutate AREA --apalache --keep`, and says of
which day it is; what has none was not run whole.
";

/// `page` with these sections, their titles first, in place of its own of the same title. The `areas` say which come first.
pub fn with(page: &str, areas: &[&str], new: Vec<(String, String)>) -> String {
    let engines = [Engine::Tlc, Engine::Apalache];
    let titles = areas
        .iter()
        .chain([&SAMPLE])
        .flat_map(|of| engines.map(|engine| title(of, engine)));
    let titles: Vec<String> = titles.collect();
    let own = page.split(HEADING).skip(1);
    let own = own.filter_map(|section| section.split_once('\n'));
    let is_kept = |title: &str| {
        let is_new = new.iter().any(|(own, _)| own == title);
        !is_new && titles.iter().any(|known| known == title)
    };
    let mut sections: Vec<(String, String)> = own
        .filter(|(title, _)| is_kept(title))
        .map(|(title, text)| (title.to_owned(), text.trim().to_owned()))
        .collect();
    sections.extend(new);
    sections.sort_by_key(|(title, _)| titles.iter().position(|known| known == title));
    let mut page = OPENING.to_owned();
    for (title, text) in sections {
        page += &format!("{HEADING}{title}\n\n{}\n", text.trim());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(title: &str, text: &str) -> (String, String) {
        (title.to_owned(), text.to_owned())
    }

    #[test]
    fn a_section_takes_the_place_of_its_own_alone() {
        let areas = ["dio", "jbd2"];
        let symbolic = title("dio", Engine::Apalache);
        let page = with("", &areas, vec![section(SAMPLE, "three\n")]);
        let page = with(&page, &areas, vec![section(&symbolic, "four\n")]);
        let page = with(&page, &areas, vec![section("jbd2", "old\n\n| a |\n")]);
        let page = with(
            &page,
            &areas,
            vec![section("dio", "one"), section("jbd2", "two")],
        );
        let expected = format!(
            "{OPENING}\n## dio\n\none\n\n## {symbolic}\n\nfour\n\n## jbd2\n\ntwo\n\n## {SAMPLE}\n\nthree\n"
        );
        assert_eq!(page, expected);
    }

    #[test]
    fn the_sample_for_another_engine_is_beside_the_first() {
        let symbolic = title(SAMPLE, Engine::Apalache);
        let page = with("", &["dio"], vec![section(&symbolic, "one")]);
        let page = with(&page, &["dio"], vec![section(SAMPLE, "two")]);
        let expected = format!("{OPENING}\n## {SAMPLE}\n\ntwo\n\n## {symbolic}\n\none\n");
        assert_eq!(page, expected);
    }

    #[test]
    fn an_area_that_is_no_more_has_no_section() {
        let page = with("", &["dio", "old"], vec![section("old", "one")]);
        assert_eq!(with(&page, &["dio"], Vec::new()), OPENING);
    }
}
