// Counts, in files of debugfs, how often credits to reserve were asked for, and found to be too many, and how often a thread that waited
// for credits was woken. As shipped, and with jbd2-hand-over.

@@
@@
 #include <linux/jbd2.h>
+#include <linux/debugfs.h>

@@
@@
+ static atomic_t jbd2_attempts, jbd2_refusals, jbd2_wake_ups;
+
+ static int __init jbd2_count(void)
+ {
+ 	debugfs_create_atomic_t("jbd2_attempts", 0444, NULL, &jbd2_attempts);
+ 	debugfs_create_atomic_t("jbd2_refusals", 0444, NULL, &jbd2_refusals);
+ 	debugfs_create_atomic_t("jbd2_wake_ups", 0444, NULL, &jbd2_wake_ups);
+ 	return 0;
+ }
+ late_initcall(jbd2_count);
+
 static int add_transaction_credits(...) { ... }

@@
symbol rsv_blocks;
@@
 add_transaction_credits(...)
 {
 <...
 if (!rsv_blocks)
 	return 0;
+ atomic_inc(&jbd2_attempts);
 ...>
 }

@@
symbol journal, needed, j_wait_reserved;
expression E;
@@
 add_transaction_credits(...)
 {
 <...
(
 if (needed > jbd2_max_user_trans_buffers(journal) / 2) {
+	atomic_inc(&jbd2_refusals);
 	...
 }
|
 if (!jbd2_reserve(...)) {
+	atomic_inc(&jbd2_refusals);
 	...
 }
)
 ...>
 }

@@
symbol journal, j_wait_reserved;
expression E;
@@
 add_transaction_credits(...)
 {
 <...
(
- wait_event(journal->j_wait_reserved, E);
+ wait_event_cmd(journal->j_wait_reserved, E, (void)0, atomic_inc(&jbd2_wake_ups));
|
 wait_for_completion(...);
+ atomic_inc(&jbd2_wake_ups);
)
 ...>
 }
