// Records, in files of debugfs, each step of those who reserve credits, in their order. As shipped, and with jbd2-hand-over.
//
// A lock makes a step and its record one; a look of who waits, and its coming to the queue, is one step too.

@@
@@
 #include <linux/jbd2.h>
+#include <linux/debugfs.h>

@@
typedef u32, journal_t, spinlock_t;
@@
+/* What a step was. */
+enum jbd2_step {
+	JBD2_TAKES,		/* reserves credits */
+	JBD2_FAILS,		/* adds more than there are */
+	JBD2_SLEEPS,		/* finds too few, and queues */
+	JBD2_RETRIES,		/* finds enough */
+	JBD2_SUBTRACTS,		/* gives back, or takes back what was too much */
+	JBD2_HAS,		/* reserves what was granted to it */
+};
+
+struct jbd2_spoken {
+	u32 step;
+	u32 who;
+	u32 blocks;
+	u32 sum;
+};
+
+static struct jbd2_spoken jbd2_spoken[1 << 15];
+static u32 jbd2_spoken_count;
+static u32 jbd2_spoken_half;
+static spinlock_t jbd2_spoken_lock = __SPIN_LOCK_UNLOCKED(jbd2_spoken_lock);
+static struct debugfs_blob_wrapper jbd2_spoken_blob = {
+	.data = jbd2_spoken,
+	.size = sizeof(jbd2_spoken),
+};
+
+static int jbd2_max_user_trans_buffers(journal_t *journal);
+
+/* This task takes a step, of so many credits, after which so many are reserved or granted. Needs jbd2_spoken_lock. */
+static void jbd2_speak(journal_t *journal, enum jbd2_step step, int blocks, int sum)
+{
+	u32 at = jbd2_spoken_count;
+
+	jbd2_spoken_half = jbd2_max_user_trans_buffers(journal) / 2;
+	if (at == ARRAY_SIZE(jbd2_spoken))
+		return;
+	jbd2_spoken[at].step = step;
+	jbd2_spoken[at].who = current->pid;
+	jbd2_spoken[at].blocks = blocks;
+	jbd2_spoken[at].sum = sum;
+	jbd2_spoken_count = at + 1;
+}
+
+static int __init jbd2_speaks(void)
+{
+	debugfs_create_blob("jbd2_spoken", 0400, NULL, &jbd2_spoken_blob);
+	debugfs_create_u32("jbd2_spoken_count", 0600, NULL, &jbd2_spoken_count);
+	debugfs_create_u32("jbd2_spoken_half", 0400, NULL, &jbd2_spoken_half);
+	return 0;
+}
+late_initcall(jbd2_speaks);
+
 static void wait_transaction_locked(...) { ... }

// As shipped.
@shipped@
typedef journal_t;
symbol journal, blocks;
@@
 static void sub_reserved_credits(journal_t *journal, int blocks)
 {
+	spin_lock(&jbd2_spoken_lock);
 atomic_sub(blocks, &journal->j_reserved_credits);
 wake_up(&journal->j_wait_reserved);
+	jbd2_speak(journal, JBD2_SUBTRACTS, blocks,
+		   atomic_read(&journal->j_reserved_credits));
+	spin_unlock(&jbd2_spoken_lock);
 }

@depends on shipped@
typedef journal_t;
declarer name DEFINE_WAIT;
@@
+/* wait_event(j_wait_reserved), each look with its record. */
+static void jbd2_wait_reserved(journal_t *journal, int blocks)
+{
+	DEFINE_WAIT(wait);
+	bool fits;
+
+	for (;;) {
+		spin_lock(&jbd2_spoken_lock);
+		prepare_to_wait(&journal->j_wait_reserved, &wait,
+				TASK_UNINTERRUPTIBLE);
+		fits = atomic_read(&journal->j_reserved_credits) + blocks <=
+			jbd2_max_user_trans_buffers(journal) / 2;
+		jbd2_speak(journal, fits ? JBD2_RETRIES : JBD2_SLEEPS, blocks,
+			   atomic_read(&journal->j_reserved_credits));
+		spin_unlock(&jbd2_spoken_lock);
+		if (fits)
+			break;
+		schedule();
+	}
+	finish_wait(&journal->j_wait_reserved, &wait);
+}
+
 static int add_transaction_credits(...) { ... }

@depends on shipped@
symbol journal, needed, rsv_blocks, j_wait_reserved;
expression E;
@@
 add_transaction_credits(...)
 {
 <...
+	spin_lock(&jbd2_spoken_lock);
 needed = atomic_add_return(rsv_blocks, &journal->j_reserved_credits);
+	jbd2_speak(journal,
+		   needed > jbd2_max_user_trans_buffers(journal) / 2 ?
+		   JBD2_FAILS : JBD2_TAKES, rsv_blocks, needed);
+	spin_unlock(&jbd2_spoken_lock);
 if (needed > jbd2_max_user_trans_buffers(journal) / 2) {
 	...
-	wait_event(journal->j_wait_reserved, E);
+	jbd2_wait_reserved(journal, rsv_blocks);
 	...
 }
 ...>
 }

// With jbd2-hand-over.
@handed@
typedef journal_t;
symbol journal, blocks;
@@
 static void sub_reserved_credits(journal_t *journal, int blocks)
 {
+	spin_lock(&jbd2_spoken_lock);
 atomic_sub(blocks, &journal->j_reserved_credits);
 wake_up(&journal->j_wait_reserved);
 spin_lock(&journal->j_grant_lock);
 jbd2_hand_over(journal);
+	jbd2_speak(journal, JBD2_SUBTRACTS, blocks,
+		   atomic_read(&journal->j_reserved_credits) +
+		   journal->j_granted_credits);
 spin_unlock(&journal->j_grant_lock);
+	spin_unlock(&jbd2_spoken_lock);
 }

@depends on handed@
typedef journal_t;
@@
+/* jbd2_reserve, with its record. */
+static bool jbd2_reserve_spoken(journal_t *journal, struct jbd2_grant *grant)
+{
+	bool granted, reserves;
+
+	spin_lock(&jbd2_spoken_lock);
+	granted = grant->granted;
+	reserves = jbd2_reserve(journal, grant);
+	jbd2_speak(journal, !reserves ? JBD2_SLEEPS :
+		   granted ? JBD2_HAS : JBD2_TAKES, grant->blocks,
+		   atomic_read(&journal->j_reserved_credits) +
+		   journal->j_granted_credits);
+	spin_unlock(&jbd2_spoken_lock);
+	return reserves;
+}
+
 static int add_transaction_credits(...) { ... }

@depends on handed@
symbol journal, grant;
@@
 add_transaction_credits(...)
 {
 <...
-	jbd2_reserve(journal, grant)
+	jbd2_reserve_spoken(journal, grant)
 ...>
 }
