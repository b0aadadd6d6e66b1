//! Rounds: each measures all subjects in turn, so that what disturbs the machine disturbs them alike.

/// Measures each of so many subjects `rounds` times, each round beginning with another one: what each got, round by round.
pub fn in_turns<T>(
    rounds: usize,
    subjects: usize,
    mut measure: impl FnMut(usize) -> T,
) -> Vec<Vec<T>> {
    let mut measured: Vec<Vec<T>> = (0..subjects).map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for turn in 0..subjects {
            let subject = (round + turn) % subjects;
            measured[subject].push(measure(subject));
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_subject_has_every_round_and_each_begins_one() {
        let mut order = Vec::new();
        let measured = in_turns(3, 3, |subject| {
            order.push(subject);
            order.len()
        });
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert_eq!(measured, [[1, 6, 8], [2, 4, 9], [3, 5, 7]]);
    }
}
