//! Markdown tables.

/// A table whose columns but the first `left` are numbers, and stand right.
pub fn table(
    headings: &[&str],
    left: usize,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let rule = |column| if column < left { "---" } else { "--:" };
    let head = line(headings.iter().map(|heading| cell(heading)));
    let rule = line((0..headings.len()).map(|column| rule(column).to_owned()));
    let rows = rows.into_iter();
    let body = rows.map(|cells| line(cells.into_iter().map(|text| cell(&text))));
    [head, rule].into_iter().chain(body).collect()
}

/// A heading's anchor, as a forge and mdBook make it: in small letters, a dash for a space, and of all else letters, digits, `_` and
/// `-` alone.
pub fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || ['_', '-', ' '].contains(c);
    let letters = heading.trim().chars().filter(kept);
    let letters = letters.flat_map(|c| if c == ' ' { '-' } else { c }.to_lowercase());
    letters.collect()
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A bar would end the cell, and a line's end the table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_stays_one_cell() {
        let rows = [vec!["a|b".to_owned(), "1\n2".to_owned()]];
        assert_eq!(
            table(&["x|y", "n"], 1, rows),
            "| x\\|y | n |\n| --- | --: |\n| a\\|b | 1 2 |\n"
        );
    }
}
