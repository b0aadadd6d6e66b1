//! What a reader got, judged: a write fills its range with its own number, so words of two writes in one read are a torn read.

use super::folios::Folios;

/// Bytes of a word.
pub const WORD: usize = 8;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// Fills a buffer with a write's number.
pub fn fill(buffer: &mut [u8], write: u64) {
    let (words, rest) = buffer.as_chunks_mut::<WORD>();
    debug_assert!(rest.is_empty(), "a range is of whole words");
    words.fill(write.to_le_bytes());
}

/// Two words beside each other that two writes have written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// Where the second one begins, in bytes of the file.
    pub at: u64,
    /// The write of the first one.
    pub before: u64,
    /// And of the second one.
    pub after: u64,
}

/// Where a seam lies, the narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Inside a page.
    Page,
    /// Between two pages of one folio.
    Folio,
    /// Between two folios.
    Border,
    /// Between two pages: of which folios, is not known.
    Pages,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 4] = [Place::Page, Place::Folio, Place::Border, Place::Pages];

    /// Where a seam lies in a file of these folios.
    pub fn of(at: u64, folios: &Folios) -> Place {
        if !at.is_multiple_of(PAGE) {
            return Place::Page;
        }
        match folios.begins(at) {
            Some(true) => Place::Border,
            Some(false) => Place::Folio,
            None => Place::Pages,
        }
    }

    /// In words.
    pub fn says(self) -> &'static str {
        match self {
            Place::Page => "in a page",
            Place::Folio => "in a folio",
            Place::Border => "between folios",
            Place::Pages => "between pages",
        }
    }
}

/// All seams of what was read at this offset.
pub fn seams(buffer: &[u8], offset: u64) -> impl Iterator<Item = Seam> {
    let (words, _) = buffer.as_chunks::<WORD>();
    let pairs = words.windows(2).zip(1..);
    pairs
        .filter(|(pair, _)| pair[0] != pair[1])
        .map(move |(pair, word)| Seam {
            at: offset + word * WORD as u64,
            before: u64::from_le_bytes(pair[0]),
            after: u64::from_le_bytes(pair[1]),
        })
}

/// What was read, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// What was read: so often.
    pub reads: u64,
    /// The writes beside it.
    pub writes: u64,
    /// Of the reads those that were torn, by the narrowest place of a seam of theirs, as [`Place::ALL`] has them.
    torn: [u64; Place::ALL.len()],
    /// A seam of each such place.
    examples: [Option<Seam>; Place::ALL.len()],
}

impl Tally {
    /// One read more, at this offset.
    pub fn see(&mut self, buffer: &[u8], offset: u64, folios: &Folios) {
        self.reads += 1;
        let placed = seams(buffer, offset).map(|seam| (Place::of(seam.at, folios), seam));
        if let Some((place, seam)) = placed.min_by_key(|(place, _)| *place) {
            self.torn[place as usize] += 1;
            self.examples[place as usize].get_or_insert(seam);
        }
    }

    /// With what another thread has counted.
    pub fn add(&mut self, other: &Tally) {
        self.reads += other.reads;
        self.writes += other.writes;
        for place in Place::ALL.map(|place| place as usize) {
            self.torn[place] += other.torn[place];
            self.examples[place] = self.examples[place].or(other.examples[place]);
        }
    }

    /// How many of the reads were torn there.
    pub fn torn_in(&self, place: Place) -> u64 {
        self.torn[place as usize]
    }

    /// How many were torn.
    pub fn torn(&self) -> u64 {
        self.torn.iter().sum()
    }

    /// A seam of the narrowest place.
    pub fn example(&self) -> Option<Seam> {
        self.examples.iter().flatten().next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, four pages at offset `PAGE`, where writes begin at these words; two folios of two pages each.
    fn tally(writes: &[(usize, u64)]) -> Tally {
        let mut buffer = vec![0; 4 * PAGE as usize];
        for (word, write) in writes {
            fill(&mut buffer[word * WORD..], *write);
        }
        let mut tally = Tally::default();
        tally.see(&buffer, PAGE, &Folios::at([(1, 2), (3, 2)]));
        tally
    }

    const WORDS: usize = PAGE as usize / WORD;

    #[test]
    fn one_write_is_not_torn() {
        assert_eq!(tally(&[]).torn(), 0);
        assert_eq!(tally(&[(0, 7)]).torn(), 0);
        assert_eq!(
            (tally(&[(0, 7)]).reads, tally(&[(0, 7)]).example()),
            (1, None)
        );
    }

    #[test]
    fn a_seam_is_where_it_lies() {
        for (word, place) in [
            (1, Place::Page),
            (WORDS - 1, Place::Page),
            (WORDS, Place::Folio),
            (WORDS + 1, Place::Page),
            (2 * WORDS, Place::Border),
            (3 * WORDS, Place::Folio),
            (4 * WORDS - 1, Place::Page),
        ] {
            let torn = tally(&[(0, 7), (word, 8)]);
            for other in Place::ALL {
                assert_eq!(torn.torn_in(other), u64::from(other == place), "{word}");
            }
            let seam = Seam {
                at: PAGE + (word * WORD) as u64,
                before: 7,
                after: 8,
            };
            assert_eq!(torn.example(), Some(seam));
        }
    }

    /// The first word and the last one are of one write: who compares these two alone finds nothing.
    #[test]
    fn a_write_in_the_middle_is_found() {
        let torn = tally(&[(0, 7), (2 * WORDS, 8), (2 * WORDS + 1, 7)]);
        assert_eq!((torn.torn(), torn.torn_in(Place::Page)), (1, 1));
        let torn = tally(&[(0, 7), (2 * WORDS, 8), (3 * WORDS, 7)]);
        assert_eq!((torn.torn(), torn.torn_in(Place::Folio)), (1, 1));
    }

    #[test]
    fn of_which_folios_may_be_unknown() {
        let mut buffer = vec![0; 2 * PAGE as usize];
        fill(&mut buffer[PAGE as usize..], 1);
        let mut tally = Tally::default();
        tally.see(&buffer, 0, &Folios::default());
        assert_eq!((tally.torn(), tally.torn_in(Place::Pages)), (1, 1));
    }

    #[test]
    fn what_threads_count_is_added() {
        let (mut torn, whole) = (tally(&[(1, 7)]), tally(&[]));
        torn.add(&whole);
        torn.add(&tally(&[(WORDS, 7)]));
        assert_eq!((torn.reads, torn.torn()), (3, 2));
        assert_eq!(
            (torn.torn_in(Place::Page), torn.torn_in(Place::Folio)),
            (1, 1)
        );
    }
}
