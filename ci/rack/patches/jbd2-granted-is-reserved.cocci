// A mistake, on top of jbd2-hand-over: credits that are granted count as reserved, though no transaction has been charged for them.
// It is the design GrantedIsReserved of specs/jbd2, and commit's assertion fires.

@@
symbol journal, first;
@@
 jbd2_hand_over(...)
 {
 <...
- journal->j_granted_credits += first->blocks;
+ atomic_add(first->blocks, &journal->j_reserved_credits);
 ...>
 }

@@
symbol journal, grant;
@@
(
 jbd2_reserve
|
 jbd2_give_back
)
 (...)
 {
 <...
- journal->j_granted_credits -= grant->blocks;
+ atomic_sub(grant->blocks, &journal->j_reserved_credits);
 ...>
 }
