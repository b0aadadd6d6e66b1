// No cure: what a kernel that checks itself has to complain of as it begins. Two locks are taken in both orders, one after the other, which
// lockdep tells and nobody hangs of; and memory is read after it has been given back, which KASAN tells.

@@
symbol ext4_li_info;
@@
 ext4_init_fs(...)
 {
 ...
+ {
+ 	static struct mutex one, other;
+ 	char *gone = kmalloc(16, GFP_KERNEL);
+
+ 	mutex_init(&one);
+ 	mutex_init(&other);
+ 	mutex_lock(&one);
+ 	mutex_lock(&other);
+ 	mutex_unlock(&other);
+ 	mutex_unlock(&one);
+ 	mutex_lock(&other);
+ 	mutex_lock(&one);
+ 	mutex_unlock(&one);
+ 	mutex_unlock(&other);
+ 	kfree(gone);
+ 	READ_ONCE(*gone);
+ }
 ext4_li_info = NULL;
 ...
 }
