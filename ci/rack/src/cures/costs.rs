//! What direct writes cost, as a table: a row for what is written and how, a column for each kernel.

use interlock_checker::markdown;

use super::record::Built;
use crate::cure::NONE;
use crate::figures;
use crate::plan::Fs;
use crate::workload::costs::{By, Cost, Shape};

/// The table of each file system; nothing, where nothing was measured. A kernel is called as `heading` does it.
pub fn text(cures: &[(&str, &Built)], heading: fn(&str) -> &str) -> String {
    let tables = [Fs::Ext4, Fs::Xfs].map(|fs| table(fs, cures, heading));
    match &tables.concat()[..] {
        "" => String::new(),
        tables => format!("{HEAD}{tables}"),
    }
}

fn table(fs: Fs, cures: &[(&str, &Built)], heading: fn(&str) -> &str) -> String {
    let asked: Vec<(&str, &[Cost])> = cures
        .iter()
        .filter_map(|(name, did)| Some((*name, &did.costs.get(&fs)?[..])))
        .collect();
    if asked.is_empty() {
        return String::new();
    }
    let shipped = asked.iter().find(|(name, _)| *name == NONE);
    let shapes = Shape::TOLD.into_iter();
    let rows = shapes.flat_map(|shape| By::ALL.map(|by| (shape, by)));
    let rows = rows.map(|(shape, by)| {
        let before = shipped.and_then(|(_, costs)| Cost::of(costs, shape, by));
        let cells = asked.iter().map(|(name, costs)| {
            let before = before.filter(|_| *name != NONE);
            Cost::of(costs, shape, by).map_or_else(String::new, |cost| cell(cost, before))
        });
        [shape.says().to_owned(), by.says()]
            .into_iter()
            .chain(cells)
            .collect()
    });
    let fs = fs.to_string();
    let mut headings = vec![&fs[..], "by"];
    headings.extend(asked.iter().map(|(name, _)| heading(name)));
    format!("\n{}", markdown::table(&headings, headings.len(), rows))
}

/// The median, the least and the most; and how many times what it is as shipped.
fn cell(cost: &Cost, shipped: Option<&Cost>) -> String {
    let [least, .., most] = figures::sorted(&cost.ratios)[..] else {
        return format!("{:.2}", cost.median());
    };
    let cell = format!("{:.2} ({least:.2} to {most:.2})", cost.median());
    match shipped {
        Some(shipped) => format!("{cell}: {:.2}x", cost.median() / shipped.median()),
        None => cell,
    }
}

impl Shape {
    fn says(self) -> &'static str {
        match self {
            Shape::Block => "a block in the middle",
            Shape::Part => "512 bytes in the middle",
            Shape::PartAtEof => "512 bytes that end at EOF",
            Shape::BlockAtEof => "a block that ends at EOF",
            Shape::Append => "a block behind EOF",
            Shape::Mixed => "of 16 one of 512 bytes at EOF, one in the middle",
            Shape::BesideGrow => "before each 16th the file grows by 512 bytes",
        }
    }
}

impl By {
    fn says(self) -> String {
        match self {
            By::Call => "pwrite".to_owned(),
            By::Ring | By::Many => format!("io_uring, {}", self.depth()),
        }
    }
}

const HEAD: &str = "
What direct writes of one file cost, on a disk that takes half a millisecond for each, and any number at once: the time of one over that of
a block in the middle, which was measured just before in the same way; the median of nine, the least and the most. Behind it: how many
times what it is as shipped. It is told, and not judged.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn built(median: f64) -> Built {
        let cost = Cost {
            shape: Shape::Part,
            by: By::Many,
            ratios: vec![median, 9.0, 0.5],
        };
        Built {
            costs: [(Fs::Ext4, vec![cost])].into(),
            ..Built::default()
        }
    }

    #[test]
    fn a_cost_is_told_beside_what_it_is_as_shipped() {
        let (none, cured) = (built(2.0), built(3.0));
        let told = text(&[(NONE, &none), ("ext4", &cured)], |name| name);
        let row = "| 512 bytes in the middle | io_uring, 32 | 2.00 (0.50 to 9.00) | 3.00 (0.50 to 9.00): 1.50x |";
        assert!(told.contains(row), "{told}");
        assert!(!told.contains("xfs"), "{told}");
        assert_eq!(text(&[(NONE, &Built::default())], |name| name), "");
    }
}
