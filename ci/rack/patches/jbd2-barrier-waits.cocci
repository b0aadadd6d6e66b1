// A mistake, on top of jbd2-hand-over: jbd2_journal_lock_updates waits for credits that are granted, and their owners for it.
// It is the design BarrierWaitsForGrants of specs/jbd2, and EXT4_IOC_CHECKPOINT hangs.

@@
symbol journal;
@@
 jbd2_journal_lock_updates(...)
 {
 <...
- atomic_read(&journal->j_reserved_credits)
+ (atomic_read(&journal->j_reserved_credits) + journal->j_granted_credits)
 ...>
 }
