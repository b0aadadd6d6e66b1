//! Formulas as the pages have them: `2E + (E mod b) + 4`, `k (W+1)`, `the larger of b + 3 and N/b`. A quotient is rounded up, and `2E/b` is
//! twice E/b.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// The value of a formula where its letters have these values; nothing for a text that is none, or is less than 0 on its way.
pub fn value(formula: &str, letters: &[(char, u32)]) -> Option<u32> {
    if let Some(both) = formula.strip_prefix("the larger of ") {
        let (one, other) = both.split_once(" and ")?;
        return Some(value(one, letters)?.max(value(other, letters)?));
    }
    let mut reader = Reader {
        rest: formula.chars().peekable(),
        letters: letters.iter().copied().collect(),
    };
    let sum = reader.sum()?;
    reader.next().is_none().then_some(sum)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    letters: BTreeMap<char, u32>,
}

impl Reader<'_> {
    /// The next character that is no space.
    fn next(&mut self) -> Option<char> {
        while self.rest.next_if(|c| *c == ' ').is_some() {}
        self.rest.peek().copied()
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.next() == Some(wanted) && self.rest.next().is_some()
    }

    /// `2N + 3`, `E mod b`.
    fn sum(&mut self) -> Option<u32> {
        let mut sum = self.product()?;
        loop {
            if self.takes('+') {
                sum += self.product()?;
            } else if self.takes('-') {
                sum = sum.checked_sub(self.product()?)?;
            } else if self.takes('m') {
                self.rest.by_ref().take(2).eq("od".chars()).then_some(())?;
                sum = sum.checked_rem(self.product()?)?;
            } else {
                return Some(sum);
            }
        }
    }

    /// `2N`, `2N/b`, `(N/E - 1)(2E + 4)`.
    fn product(&mut self) -> Option<u32> {
        let mut product = self.quotient()?;
        while let Some(factor) = self.quotient() {
            product *= factor;
        }
        Some(product)
    }

    fn quotient(&mut self) -> Option<u32> {
        let factor = self.factor()?;
        if !self.takes('/') {
            return Some(factor);
        }
        let by = self.factor()?;
        (by > 0).then(|| factor.div_ceil(by))
    }

    fn factor(&mut self) -> Option<u32> {
        if self.takes('(') {
            let sum = self.sum()?;
            return self.takes(')').then_some(sum);
        }
        let next = self.next()?;
        if let Some(value) = self.letters.get(&next).copied() {
            self.rest.next();
            return Some(value);
        }
        let mut number = None;
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(10)) {
            self.rest.next();
            number = Some(number.unwrap_or(0) * 10 + digit);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_has_the_value_that_a_reader_gives_it() {
        let letters = [('N', 6), ('E', 3), ('b', 2), ('k', 1), ('W', 2), ('R', 2)];
        for (formula, expected) in [
            ("0", Some(0)),
            ("2N + 3", Some(15)),
            ("E/b", Some(2)),
            ("2E/b", Some(4)),
            ("E + (E mod b) + b + 4", Some(10)),
            ("(N/E - 1)(2E + 4) + E + 1", Some(14)),
            ("the larger of b + 3 and (E mod b) + b + 1", Some(5)),
            ("R-1 + k (W+1)", Some(4)),
            ("k W", Some(2)),
            ("b - E", None),
            ("2N + x", None),
            ("2N + ", None),
            ("(N", None),
            ("grows with N", None),
        ] {
            assert_eq!(value(formula, &letters), expected, "{formula}");
        }
    }
}
