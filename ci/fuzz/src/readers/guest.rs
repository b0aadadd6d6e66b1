//! Lines between the rack and its guests: what a guest is asked, and what it says.

use interlock_rack::content::Content;
use interlock_rack::order::{Order, Report, hear, say};
use interlock_rack::plans;
use interlock_rack::play::Aim;
use interlock_rack::played::{Made, Played, Went};
use interlock_rack::workload::Workload;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Target;

use super::names;

/// The bytes are lines.
pub const TARGET: Target = Target {
    name: "guest",
    read,
    seeds,
};

fn read(bytes: &[u8]) {
    heard::<Report>(bytes);
    heard::<Order>(bytes);
}

/// What is understood is said again as it was heard; of what is not, the line is named.
fn heard<T: Serialize + DeserializeOwned>(mut bytes: &[u8]) {
    loop {
        match hear::<T>(&mut bytes) {
            Ok(None) => return,
            Ok(Some(what)) => {
                let said = line(&what);
                let again = hear::<T>(&mut said.as_slice());
                let again = again.expect("what is said is understood").expect("a line");
                assert_eq!(line(&again), said);
            }
            Err(error) => {
                names(&error, "a line");
                return;
            }
        }
    }
}

fn line(what: &impl Serialize) -> Vec<u8> {
    let mut said = Vec::new();
    say(&mut said, what).expect("there is room");
    said
}

fn seeds() -> Vec<Vec<u8>> {
    let plans = plans::all().expect("the project's own");
    let orders = plans.iter().take(2).enumerate().flat_map(|(at, named)| {
        let chance = Aim::Chance(at as u64);
        [Aim::Plan, chance].map(|aim| Order::Play(named.plan.clone(), aim))
    });
    let works = Workload::ALL.map(Order::Work);
    let others = [Order::Capture("dio".to_owned())];
    let orders = orders.chain(works).chain(others);
    let played = Played {
        steps: vec![Went::Done, Went::Said("EIO".to_owned())],
        calls: vec![Made {
            started: Some(3),
            ended: Some(40),
            error: None,
            read: vec![Content::Zero, Content::Of("a".to_owned())],
        }],
        disk: vec!["write 0 arrived".to_owned()],
        size: 4096,
        content: vec![Content::Old, Content::Garbage],
        sync: Some("EIO".to_owned()),
    };
    let reports = [
        Report::Up("6.12.107".to_owned()),
        Report::Played(played),
        Report::Trace("one".to_owned(), "dio".to_owned(), "# tracer\n".to_owned()),
        Report::Done,
        Report::Failed("no nbd".to_owned()),
    ];
    let reports: Vec<u8> = reports.iter().flat_map(line).collect();
    orders.map(|order| line(&order)).chain([reports]).collect()
}
