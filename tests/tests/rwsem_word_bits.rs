//! The word's functions, bit for bit, beside plain numbers: of every word at reduced widths of its fields, and of random ones at the
//! published widths.

use std::collections::HashSet;

use conformance::random::runner;
use interlock_rwlock::Kind;
use interlock_rwlock::layout::{Budget, Layout, NoBudget};
use interlock_rwlock::rules::{Arrival, BatchQueue, Rules};
use interlock_rwlock::word::{Action, Counts, Grant, WordOf};
use proptest::prelude::*;

/// Few bits a field: every word can be had.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Tiny<const BUDGET: u32>;

impl<const BUDGET: u32> Layout for Tiny<BUDGET> {
    const ACTIVE: u32 = 3;
    const COUNT: u32 = 2;
    const TICKET: u32 = 3;
    const BATCH: u32 = 2;
    const PASSED: u32 = if BUDGET == 0 { 0 } else { 2 };
    const BUDGET: u32 = BUDGET;
}

/// How many bits each field has, the lowest field first.
fn widths<L: Layout>() -> [u32; 9] {
    let called = u32::from(L::PASSED > 0);
    let [count, passed] = [L::COUNT, L::PASSED];
    [
        L::ACTIVE,
        1,
        count,
        count,
        count,
        L::TICKET,
        L::BATCH,
        called,
        passed,
    ]
}

/// The fields of a word as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Fields {
    active: u64,
    writer: u64,
    ahead: u64,
    readers: u64,
    behind: u64,
    ticket: u64,
    batch: u64,
    called: u64,
    passed: u64,
}

/// The lowest first, as [`widths`] has them.
impl From<[u64; 9]> for Fields {
    fn from(fields: [u64; 9]) -> Fields {
        let [
            active,
            writer,
            ahead,
            readers,
            behind,
            ticket,
            batch,
            called,
            passed,
        ] = fields;
        Fields {
            active,
            writer,
            ahead,
            readers,
            behind,
            ticket,
            batch,
            called,
            passed,
        }
    }
}

impl Fields {
    fn of<L: Layout>(mut bits: u64) -> Fields {
        let fields = widths::<L>().map(|width| {
            let field = bits & ((1_u128 << width) - 1) as u64;
            bits = bits.checked_shr(width).unwrap_or(0);
            field
        });
        assert_eq!(bits, 0, "bits that are no field's");
        Fields::from(fields)
    }

    fn all(self) -> [u64; 9] {
        let Fields {
            active,
            writer,
            ahead,
            readers,
            behind,
            ticket,
            batch,
            called,
            passed,
        } = self;
        [
            active, writer, ahead, readers, behind, ticket, batch, called, passed,
        ]
    }

    /// Packed; each field is below its limit.
    fn pack<L: Layout>(self) -> u64 {
        let (mut bits, mut shift) = (0, 0);
        for (field, width) in self.all().into_iter().zip(widths::<L>()) {
            assert!(u128::from(field) < 1 << width, "{self:?}: a field spills");
            bits |= u64::try_from(u128::from(field) << shift).expect("64 bits");
            shift += width;
        }
        bits
    }

    /// What every word of a lock satisfies. Of the readers inside it is less than is true.
    fn is_possible<L: Layout>(self) -> bool {
        let waits = self.ahead + self.readers + self.behind > 0;
        let budget = u64::from(L::BUDGET);
        (self.writer == 0 || self.active == 0)
            && (self.readers > 0 || self.behind == 0)
            && self.ahead + self.behind < 1 << L::COUNT
            && self.passed <= budget
            && (waits || (self.called, self.passed) == (0, 0))
            && (self.called == 0 || budget > 0)
    }

    fn held(self) -> bool {
        self.active + self.writer > 0
    }

    fn waits(self) -> bool {
        self.ahead + self.readers + self.behind > 0
    }

    fn compatible<L: Layout>(self, kind: Kind) -> bool {
        match kind {
            Kind::Reader => self.writer == 0 && self.active < 1 << (L::ACTIVE - 1),
            Kind::Writer => !self.held(),
        }
    }

    fn may_pass<L: Layout>(self) -> bool {
        self.passed < L::BUDGET.into() && (self.held() || self.called == 1)
    }

    fn inside(self, kind: Kind) -> Fields {
        match kind {
            Kind::Reader => Fields {
                active: self.active + 1,
                ..self
            },
            Kind::Writer => Fields {
                writer: self.writer + 1,
                ..self
            },
        }
    }

    fn enter<L: Layout>(self, kind: Kind) -> Option<Fields> {
        let passes = u64::from(self.waits());
        let admits = self.compatible::<L>(kind) && (passes == 0 || self.may_pass::<L>());
        admits.then(|| Fields {
            passed: self.passed + passes,
            ..self.inside(kind)
        })
    }

    fn queue<L: Layout>(self, kind: Kind) -> Option<(Fields, Grant)> {
        let limit = (1 << L::COUNT) - 1;
        let batch = Grant::Readers(self.batch as u32);
        let place = Grant::Writer(self.ticket as u32);
        match kind {
            Kind::Reader if self.readers == limit => None,
            Kind::Reader => Some((
                Fields {
                    readers: self.readers + 1,
                    ..self
                },
                batch,
            )),
            Kind::Writer if self.ahead + self.behind == limit => None,
            Kind::Writer => {
                let ticket = (self.ticket + 1) % (1 << L::TICKET);
                let last = self.readers == 0;
                let ahead = self.ahead + u64::from(last);
                let behind = self.behind + u64::from(!last);
                Some((
                    Fields {
                        ticket,
                        ahead,
                        behind,
                        ..self
                    },
                    place,
                ))
            }
        }
    }

    fn release(self, kind: Kind) -> Fields {
        match kind {
            Kind::Reader => Fields {
                active: self.active - 1,
                ..self
            },
            Kind::Writer => Fields {
                writer: self.writer - 1,
                ..self
            },
        }
    }

    /// The tickets of the writers that wait, first to be served first.
    fn tickets<L: Layout>(self) -> Vec<u64> {
        let all = 1 << L::TICKET;
        let waiting = self.ahead + self.behind;
        (0..waiting)
            .map(|nth| (self.ticket + all - waiting + nth) % all)
            .collect()
    }

    /// Whom the lock goes to next.
    fn head<L: Layout>(self) -> Option<Grant> {
        if self.ahead > 0 {
            self.tickets::<L>()
                .first()
                .map(|&ticket| Grant::Writer(ticket as u32))
        } else {
            (self.readers > 0).then_some(Grant::Readers(self.batch as u32))
        }
    }

    /// The head is inside.
    fn granted<L: Layout>(self) -> Fields {
        let settled = Fields {
            called: 0,
            passed: 0,
            ..self
        };
        match self.head::<L>() {
            None => self,
            Some(Grant::Writer(_)) => Fields {
                ahead: self.ahead - 1,
                ..settled.inside(Kind::Writer)
            },
            Some(Grant::Readers(_)) => Fields {
                active: self.active + self.readers,
                ahead: self.behind,
                readers: 0,
                behind: 0,
                batch: (self.batch + 1) % (1 << L::BATCH),
                ..settled
            },
        }
    }

    fn downgrade<L: Layout>(self) -> (Fields, Option<Grant>) {
        let reads = Fields {
            active: 1,
            writer: 0,
            ..self
        };
        match self.head::<L>() {
            Some(Grant::Readers(batch)) => (reads.granted::<L>(), Some(Grant::Readers(batch))),
            _ => (reads, None),
        }
    }

    fn rouse<L: Layout>(self) -> Option<(Fields, Grant)> {
        let head = self.head::<L>()?;
        let left = self.passed < L::BUDGET.into();
        left.then_some((Fields { called: 1, ..self }, head))
    }

    fn must_wake(self) -> bool {
        !self.held() && self.waits() && self.called == 0
    }

    fn look<L: Layout>(self, grant: Grant) -> Option<(Fields, Action)> {
        if self.called == 0 || self.head::<L>() != Some(grant) {
            return None;
        }
        let kind = match grant {
            Grant::Readers(_) => Kind::Reader,
            Grant::Writer(_) => Kind::Writer,
        };
        Some(if self.compatible::<L>(kind) {
            (self.granted::<L>(), Action::Take)
        } else {
            (Fields { called: 0, ..self }, Action::Miss)
        })
    }
}

const KINDS: [Kind; 2] = [Kind::Reader, Kind::Writer];

/// Every function of the word says of this one what the fields say; returns the words after each step that a lock may take.
fn agrees<L: Layout>(bits: u64, grants: &[Grant]) -> Vec<u64> {
    agrees_but::<L>(bits, grants, |after| after)
}

/// The same, with a change to each word that a step makes.
fn agrees_but<L: Layout>(bits: u64, grants: &[Grant], change: impl Fn(u64) -> u64) -> Vec<u64> {
    type Rules = BatchQueue;
    let (word, fields) = (WordOf::<L>::from_bits(bits), Fields::of::<L>(bits));
    assert_eq!(fields.pack::<L>(), bits);
    let mut after = Vec::new();
    let mut same = |step: &str, ours: WordOf<L>, theirs: Fields| {
        let ours = change(ours.bits());
        assert_eq!(
            ours,
            theirs.pack::<L>(),
            "{step}: {fields:?}, {:?}",
            Fields::of::<L>(ours)
        );
        assert!(theirs.is_possible::<L>(), "{step}: {fields:?}, {theirs:?}");
        after.push(ours);
    };
    let numbers = [
        fields.active,
        fields.ahead,
        fields.readers,
        fields.behind,
        fields.passed,
    ];
    let Counts {
        active,
        writer,
        ahead,
        readers,
        behind,
    } = word.counts();
    assert_eq!(
        [active, ahead, readers, behind, word.passed()].map(u64::from),
        numbers
    );
    assert_eq!(
        (writer, word.is_called()),
        (fields.writer == 1, fields.called == 1)
    );
    let looks = [
        word.is_held(),
        word.has_waiters(),
        word.must_wake(),
        word.is_write_held(),
    ];
    let theirs = [
        fields.held(),
        fields.waits(),
        fields.must_wake(),
        fields.writer == 1,
    ];
    assert_eq!(looks, theirs);
    let closed = fields.waits() && fields.passed == u64::from(L::BUDGET);
    assert_eq!(word.is_closed(), closed);
    let [ticket, batch] = [fields.ticket, fields.batch].map(|number| number as u32);
    let again = WordOf::<L>::starting_at(ticket, batch).with_counts(word.counts());
    assert_eq!(
        again.bits(),
        Fields {
            called: 0,
            passed: 0,
            ..fields
        }
        .pack::<L>()
    );
    for kind in KINDS {
        let entered = fields.enter::<L>(kind);
        assert_eq!(word.enter(kind).is_some(), entered.is_some(), "{fields:?}");
        let queued = fields.queue::<L>(kind);
        assert_eq!(
            word.queue(kind).map(|queued| queued.1),
            queued.map(|queued| queued.1)
        );
        let (arrived, arrival) = Rules::arrive(word, kind);
        match (arrival, entered, queued) {
            (Arrival::Entered, Some(entered), _) => same("Enter", arrived, entered),
            (Arrival::Queued(grant), None, Some((queued, theirs))) => {
                assert_eq!(grant, theirs);
                same("Queue", arrived, queued);
            }
            (Arrival::Full, None, None) => assert_eq!(arrived, word, "Full changes nothing"),
            _ => panic!("{arrival:?} in {fields:?}"),
        }
        let inside = [fields.active, fields.writer][kind as usize];
        if inside > 0 {
            same("Release", word.release(kind), fields.release(kind));
        }
    }
    if fields.writer == 1 {
        let (ours, granted) = word.downgrade();
        let (theirs, to) = fields.downgrade::<L>();
        assert_eq!(granted, to, "{fields:?}");
        same("Downgrade", ours, theirs);
    }
    if fields.must_wake() {
        let (ours, action, whom) = Rules::see_to(word);
        assert_eq!(whom, fields.head::<L>());
        let (theirs, step) = match fields.rouse::<L>() {
            Some((called, _)) => (called, Action::Rouse),
            None => (fields.granted::<L>(), Action::Wake),
        };
        assert_eq!(action, step, "{fields:?}");
        same("Wake or Rouse", ours, theirs);
    }
    for &grant in grants {
        let waits = match grant {
            Grant::Writer(ticket) => fields.tickets::<L>().contains(&ticket.into()),
            Grant::Readers(batch) => fields.batch == u64::from(batch),
        };
        assert_eq!(word.is_granted(grant), !waits, "{grant:?} in {fields:?}");
        let looks = fields.look::<L>(grant);
        let ours = Rules::look(word, grant);
        assert_eq!(
            ours.map(|(_, action, _)| action),
            looks.map(|(_, action)| action),
            "{fields:?}"
        );
        assert_eq!(word.calls(grant), looks.is_some());
        if let (Some((ours, ..)), Some((theirs, _))) = (ours, looks) {
            same("Take or Miss", ours, theirs);
        }
    }
    after
}

/// Every grant that there may be.
fn grants<L: Layout>() -> Vec<Grant> {
    let writers = (0..1 << L::TICKET).map(Grant::Writer);
    writers
        .chain((0..1 << L::BATCH).map(Grant::Readers))
        .collect()
}

/// All words that satisfy the invariant, and how many of them a lock can get into; so that the invariant holds in all of these.
fn every_word<L: Layout>() -> [usize; 2] {
    let grants = grants::<L>();
    let all = 0..1_u64 << widths::<L>().iter().sum::<u32>();
    let possible: Vec<u64> = all
        .filter(|&bits| Fields::of::<L>(bits).is_possible::<L>())
        .collect();
    let steps: Vec<Vec<u64>> = possible
        .iter()
        .map(|&bits| agrees::<L>(bits, &grants))
        .collect();
    let (mut reached, mut todo) = (HashSet::new(), vec![WordOf::<L>::FREE.bits()]);
    while let Some(bits) = todo.pop() {
        if reached.insert(bits) {
            let at = possible.binary_search(&bits).expect("it is possible");
            todo.extend(&steps[at]);
        }
    }
    [possible.len(), reached.len()]
}

#[test]
fn every_word_of_few_bits_is_its_fields() {
    let counted = [
        every_word::<Tiny<0>>(),
        every_word::<Tiny<1>>(),
        every_word::<Tiny<3>>(),
    ];
    assert_eq!(
        counted,
        [[9_792, 6_528], [38_304, 17_088], [76_320, 41_440]],
        "possible words, and reached ones"
    );
}

/// A word of any fields that satisfy the invariant, often at their limits.
fn words<L: Layout>() -> impl Strategy<Value = u64> {
    let field = |width: u32| {
        let limit = (1_u64 << width) - 1;
        prop_oneof![0..=limit, limit.saturating_sub(1)..=limit, 0..=limit.min(2)]
    };
    let fields = widths::<L>().map(field);
    fields.prop_map(|fields| {
        let mut fields = Fields::from(fields);
        let limit = (1 << L::COUNT) - 1;
        if fields.readers == 0 {
            fields.behind = 0;
        }
        fields.behind = fields.behind.min(limit - fields.ahead);
        if fields.ahead + fields.readers == 0 {
            (fields.called, fields.passed) = (0, 0);
        }
        fields.passed = fields.passed.min(L::BUDGET.into());
        if fields.writer == 1 {
            fields.active = 0;
        }
        assert!(fields.is_possible::<L>());
        fields.pack::<L>()
    })
}

/// Random words of this layout.
fn random_words<L: Layout>(cases: u32) {
    let near = |bits: u64| {
        let Fields { ticket, batch, .. } = Fields::of::<L>(bits);
        let tickets = (0..3).map(move |back| (ticket + (1 << L::TICKET) - back) % (1 << L::TICKET));
        let first = Fields::of::<L>(bits).tickets::<L>().first().copied();
        let writers = tickets
            .chain(first)
            .map(|ticket| Grant::Writer(ticket as u32));
        let batches = [batch, (batch + 1) % (1 << L::BATCH)];
        writers
            .chain(batches.map(|batch| Grant::Readers(batch as u32)))
            .collect::<Vec<_>>()
    };
    let agreed = runner(cases, 0).run(&words::<L>(), |bits| {
        agrees::<L>(bits, &near(bits));
        Ok(())
    });
    assert!(agreed.is_ok(), "{agreed:#?}");
}

#[test]
fn a_word_as_published_is_its_fields() {
    random_words::<NoBudget>(20_000);
    random_words::<Budget<1>>(20_000);
    random_words::<Budget<15>>(20_000);
    assert_eq!(widths::<NoBudget>().iter().sum::<u32>(), 64);
    assert_eq!(widths::<Budget<1>>().iter().sum::<u32>(), 64);
}

/// The control: a step that gets any one bit wrong is found.
#[test]
fn a_wrong_bit_is_found() {
    let word = Fields {
        active: 2,
        writer: 0,
        ahead: 1,
        readers: 1,
        behind: 1,
        ticket: 5,
        batch: 2,
        called: 1,
        passed: 1,
    };
    let bits = word.pack::<Tiny<3>>();
    for bit in 0..widths::<Tiny<3>>().iter().sum() {
        let wrong = || agrees_but::<Tiny<3>>(bits, &[], |after| after ^ (1 << bit));
        assert!(std::panic::catch_unwind(wrong).is_err(), "bit {bit}");
    }
}
