//! Beds that a lock does not share with other locks.

use std::sync::Arc;

use interlock_rwlock::beds::Beds;
use interlock_rwlock::sys::Futex;
use interlock_rwlock::word::Grant;

/// Two beds, fewer than there are waiters in some tests, so that some share one.
pub struct OwnBeds<F>(Arc<[F; 2]>);

impl<F> Clone for OwnBeds<F> {
    fn clone(&self) -> Self {
        OwnBeds(self.0.clone())
    }
}

impl<F: Futex + 'static> Beds for OwnBeds<F> {
    type Futex = F;

    fn new() -> Self {
        OwnBeds(Arc::new([F::new(), F::new()]))
    }

    fn bed(&self, _: usize, grant: Grant) -> &F {
        let (Grant::Readers(number) | Grant::Writer(number)) = grant;
        &self.0[number as usize % 2]
    }
}
