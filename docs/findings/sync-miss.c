/*
 * A sync that leaves behind what was dirty when it was called.
 *
 *   cc -O2 -Wall -Wextra -Werror -static -o sync-miss sync-miss.c -pthread
 *   modprobe nbd; ./sync-miss [-n RUNS] [VARIANT...]        (as root)
 *
 * Background writeback has inodes on b_io, and the disk (held-disk.h) withholds
 * a read that it waits for. A sync is called; when the work of the sync writes
 * one of those inodes, the disk withholds that write, and file T gets a new
 * dirtied_when. The disk as it is when the sync returns is mounted again: that
 * is what a loss of power at this moment leaves. It wants mkfs.ext4 in PATH, a
 * free /dev/nbdN and a machine that is otherwise at rest, whose limits of dirty
 * pages (/proc/sys/vm/dirty_*) are other ones while it runs.
 *
 * Exit status: 0 nothing missed, 1 something missed, 2 it could not be tried.
 */
#define DISK (256ull << 20)
#define MARKS "ABCDZ"
#include "held-disk.h"

#include <sys/utsname.h>

#define BIG 32768		/* pages of Y: a work of syncfs must be able to end in it */
#define BEGUN 2048		/* of them dirty before the sync */

struct variant {
	const char *name, *what;
	int time;		/* T's mtime alone is dirty; else a page of it is */
	int all;		/* sync(2), not syncfs(2) */
	int race;		/* 0: a control, in which nothing happens to T meanwhile */
};

static const struct variant variants[] = {
	{ "time-sync", "lazytime: T's mtime before sync(2), a page of T meanwhile", 1, 1, 1 },
	{ "time-sync-c", "control: the same without the page", 1, 1, 0 },
	{ "time-syncfs", "lazytime: T's mtime before syncfs(2), a page of T meanwhile", 1, 0, 1 },
	{ "time-syncfs-c", "control: the same without the page", 1, 0, 0 },
	{ "page-sync", "no journal: a page of T before sync(2), an fsync of T ends meanwhile", 0, 1, 1 },
	{ "page-sync-c", "control: the same without the fsync", 0, 1, 0 },
	{ "page-syncfs", "no journal: a page of T before syncfs(2), an fsync of T ends meanwhile", 0, 0, 1 },
	{ "page-syncfs-c", "control: the same without the fsync", 0, 0, 0 },
};

/* ---- The limits of dirty pages ---- */

static const char *const knobs[] = {
	"dirty_writeback_centisecs", "dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio",
};
#define KNOBS (sizeof(knobs) / sizeof(*knobs))

static int knob(const char *name, char *value, int set)
{
	char path[96];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/vm/%s", name);
	fd = open(path, set ? O_WRONLY : O_RDONLY);
	n = fd < 0 ? -1 : set ? write(fd, value, strlen(value)) : read(fd, value, 31);
	if (n >= 0 && !set)
		value[n] = 0;
	close(fd);
	return n < 0 ? -1 : 0;
}

static void turn(const char *name, const char *value)
{
	char text[32];

	snprintf(text, sizeof(text), "%s", value);
	if (knob(name, text, 1))
		fail("vm.%s", name);
}

/* Else the kernel sends little more while a write is withheld. */
static void never_throttle(void)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%s/queue/wbt_lat_usec", device + strlen("/dev/"));
	fd = open(path, O_WRONLY);
	if (fd >= 0 && write(fd, "0", 1) != 1)
		fail("%s", path);
	close(fd);
}

/* ---- Files ---- */

static int file(const char *name, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", mnt, name);
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		fail("%s", path);
	return fd;
}

static void put(int fd, long page, long pages, char byte)
{
	static unsigned char text[BLOCK] __attribute__((aligned(BLOCK)));

	memset(text, byte, BLOCK);
	for (; pages--; page++)
		if (pwrite(fd, text, BLOCK, page * BLOCK) != BLOCK)
			fail("pwrite");
}

static void fill(const char *name, long pages, char byte)
{
	int fd = file(name, O_RDWR | O_CREAT);

	put(fd, 0, pages, byte);
	close(fd);
}

static int64_t mtime(int fd)
{
	struct stat at;

	if (fstat(fd, &at))
		fail("fstat");
	return at.st_mtim.tv_sec * 1000000000ll + at.st_mtim.tv_nsec;
}

/* Those in memory. */
static long inodes(void)
{
	char text[64] = "";
	int fd = open("/proc/sys/fs/inode-nr", O_RDONLY);
	long n = read(fd, text, sizeof(text) - 1) > 0 ? atol(text) : 0;

	close(fd);
	if (!n || n > BIG - BEGUN - 4096)
		fail("%ld inodes in memory, 1 to %d will do", n, BIG - BEGUN - 4096);
	return n;
}

/* Reads a whole file, so that the kernel knows where its blocks are. */
static int warm(const char *name)
{
	static char text[1 << 20];
	int fd = file(name, O_RDWR);

	while (read(fd, text, sizeof(text)) > 0)
		;
	return fd;
}

/* ---- A run ---- */

/* Until nothing has come to the disk for 0.7 s. */
static void quiet(void)
{
	for (int last = -1; last != atomic_load(&answered);) {
		last = atomic_load(&answered);
		usleep(700000);
	}
}

static int t, x, y, z, other;	/* the files */

static void *fsync_t(void *unused)
{
	int error = fsync(t);

	tell("fsync(T) returns %d", error);
	return unused;
}

static atomic_int returned;

static void *sync_all(void *v)
{
	static unsigned char *copy;
	int error = 0;

	if (((const struct variant *)v)->all)
		sync();
	else
		error = syncfs(t);
	pthread_mutex_lock(&lock);
	if (!copy)
		copy = mmap(NULL, DISK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (copy != MAP_FAILED)
		memcpy(copy, disk, DISK);
	pthread_mutex_unlock(&lock);
	if (copy == MAP_FAILED)
		fail("a copy of the disk");
	tell("the sync returns %d", error);
	atomic_store(&returned, 1);
	return copy;
}

static void make(int journal)
{
	char *argv[] = { "mkfs.ext4", "-q", "-F", "-b", "4096", "-I", "256", "-O",
		journal ? "^metadata_csum,^uninit_bg" : "^has_journal,^metadata_csum,^uninit_bg", "-E",
		"lazy_itable_init=0,lazy_journal_init=0", device, NULL };
	char name[16];

	run_program(argv);
	if (mount(device, mnt, "ext4", MS_NOATIME, NULL))
		fail("mount");
	fill("x", 0, 0);
	fill("y", BIG, 'y');
	fill("z", 1, 'z');
	fill("other", 1, 'n');
	/* T's inode is alone in its block of the inode table. */
	for (int i = 0; i < 33; i++) {
		snprintf(name, sizeof(name), i == 16 ? "t" : "pad%d", i);
		fill(name, 3, 'o');
	}
	detach_fs();
}

enum verdict { KEPT, MISSED, NOT_TRIED };

static enum verdict run(const struct variant *v, int number)
{
	unsigned char *copy, *got;
	int64_t before = 0, dirty = 0, after;
	pthread_t syncing, fsyncing;
	struct timespec until;
	int hit = 1, direct_t;

	atomic_fetch_add(&beats, 1);
	atomic_store(&returned, 0);
	printf("%s: %s\n", v->name, v->what);
	make(v->time);
	turn("dirty_background_bytes", "268435456");
	/* 5.10 has no such option, and reads no bitmap before it is needed. */
	if (mount(device, mnt, "ext4", MS_NOATIME | (v->time ? MS_LAZYTIME : 0), "no_prefetch_block_bitmaps") &&
	    mount(device, mnt, "ext4", MS_NOATIME | (v->time ? MS_LAZYTIME : 0), NULL))
		fail("mount");
	x = warm("x"), y = warm("y"), z = warm("z"), other = warm("other"), t = warm("t");
	direct_t = file("t", O_RDWR | O_DIRECT);
	put(direct_t, 0, 1, 'p');	/* i_version is counted here, and not again */
	sync();
	usleep(50000);
	clock_gettime(CLOCK_MONOTONIC, &start);
	telling = number == 1;
	if (v->time) {
		if (posix_fadvise(t, 0, 0, POSIX_FADV_DONTNEED))
			fail("fadvise");
		close(warm("t"));
		before = mtime(t);
		put(direct_t, 0, 1, 'A');
		dirty = mtime(t);
		tell("T is written through O_DIRECT: mtime %+.3f ms", (double)(dirty - before) / 1e6);
	}

	/* Background writeback takes X, Y and Z, and waits for a block bitmap. */
	put(x, 0, 1, 'x');
	put(y, 0, 1, 'Y');
	/* Z's page is under writeback, and dirty again: WB_SYNC_ALL waits for it. */
	withhold('Z');
	put(z, 0, 1, 'Z');
	if (sync_file_range(z, 0, BLOCK, SYNC_FILE_RANGE_WRITE))
		fail("sync_file_range");
	hit &= withheld('Z');
	enough();
	put(z, 0, 1, 'z');
	pthread_mutex_lock(&lock);
	reads = 1;
	pthread_mutex_unlock(&lock);
	turn("dirty_background_bytes", "4096");
	put(y, 0, BEGUN, 'Y');
	if (!withheld('r')) {
		tell("(background work reads no bitmap)");
		hit = 0;
	}
	turn("dirty_background_bytes", "268435456");

	if (!v->time && v->race) {
		/* An fsync of T has waited for page 2; with I_SYNC it waits for page 0. */
		withhold('A');
		put(t, 2, 1, 'A');
		begin(&fsyncing, fsync_t, NULL);
		hit &= withheld('A');
		usleep(50000);
		withhold('B');
		put(t, 0, 1, 'B');
		if (sync_file_range(t, 0, BLOCK, SYNC_FILE_RANGE_WRITE))
			fail("sync_file_range");
		hit &= withheld('B');
		release('A');
	} else if (!v->time) {
		put(t, 0, 1, 'B');
	}
	if (!v->time) {
		usleep(50000);
		put(t, 1, 1, 'C');
		tell("pwrite of T's page 1 [C] returned");
		usleep(20000);
		put(other, 0, 1, 'N');
	}
	enough();
	tell(v->all ? "sync() is called" : "syncfs() is called");
	begin(&syncing, sync_all, (void *)(uintptr_t)v);
	usleep(300000);
	if (!v->all) {
		/* The first work of syncfs ends when it has written as many pages as were dirty, and one for each inode. */
		put(y, BEGUN, inodes() + 1024, 'Y');
		tell("Y: %ld more pages are dirty", inodes() + 1024);
	}
	release('r');
	pthread_mutex_lock(&lock);
	reads = 0;
	pthread_mutex_unlock(&lock);
	release('r');
	quiet();
	tell("the disk is quiet, the sync has %sreturned", atomic_load(&returned) ? "" : "not ");
	if (v->time && v->race) {
		put(t, 0, 1, 'D');
		tell("pwrite of T's page 0 [D] returned: mtime %+.3f ms", (double)(mtime(t) - before) / 1e6);
	} else if (v->race) {
		release('B');
		pthread_join(fsyncing, NULL);
	}
	usleep(50000);
	withhold(v->time ? 'D' : 'C');
	release('Z');
	until = in_ms(PATIENCE);
	if (pthread_timedjoin_np(syncing, (void **)&copy, &until)) {
		tell("(the sync waits for a write of T)");
		enough();
		release(0);
		until = in_ms(LIMIT / 3 * 1000);
		if ((errno = pthread_timedjoin_np(syncing, (void **)&copy, &until)))
			fail("the sync does not return");
	}
	enough();
	release(0);
	telling = 0;
	close(x), close(y), close(z), close(other), close(t), close(direct_t);
	detach_fs();

	/* After the loss of power. */
	pthread_mutex_lock(&lock);
	memcpy(disk, copy, DISK);
	pthread_mutex_unlock(&lock);
	if (ioctl(nbd, BLKFLSBUF) || mount(device, mnt, "ext4", MS_NOATIME, NULL))
		fail("mounting the copy");
	t = file("t", O_RDONLY | O_DIRECT);
	after = mtime(t);
	if (posix_memalign((void **)&got, BLOCK, 2 * BLOCK) || read(t, got, 2 * BLOCK) != 2 * BLOCK)
		fail("T");
	close(t);
	detach_fs();

	int missed = v->time ? after < dirty : got[BLOCK] != 'C';
	enum verdict verdict = missed ? MISSED : hit ? KEPT : NOT_TRIED;

	if (v->time)
		printf("%s: mtime must be %+.3f ms or later, is %+.3f ms", v->name, (double)(dirty - before) / 1e6,
		       (double)(after - before) / 1e6);
	else
		printf("%s: page 1 must be [C], is [%c]", v->name, got[BLOCK]);
	printf(": %s\n", verdict == MISSED ? "MISSED" : verdict == KEPT ? "kept" : "not tried");
	fflush(stdout);
	free(got);
	return verdict;
}

static int asked(const struct variant *v, char **names)
{
	int all = !*names;

	for (; *names; names++)
		all |= !strcmp(*names, v->name);
	return all;
}

static int known(char *name)
{
	char *one[] = { name, NULL };
	int found = 0;

	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		found |= asked(&variants[i], one);
	return found;
}

static void usage(const char *wrong, const char *why)
{
	fprintf(stderr, "%s %s\n", wrong, why);
	fprintf(stderr, "usage: sync-miss [-n RUNS] [VARIANT...]\n");
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		fprintf(stderr, "  %-14s %s\n", variants[i].name, variants[i].what);
	exit(2);
}

__attribute__((noreturn)) static void run_all(char **names, int runs)
{
	struct utsname os;
	int missed = 0, tried = 0;

	enter();
	never_throttle();
	turn("dirty_writeback_centisecs", "0");
	turn("dirty_bytes", "1073741824");
	uname(&os);
	printf("Linux %s\n", os.release);
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const struct variant *v = &variants[i];
		int count[3] = { 0 };

		if (!asked(v, names))
			continue;
		for (int n = 1; n <= runs; n++)
			count[run(v, n)]++;
		printf("RESULT %s %s: %d missed, %d kept, %d not tried\n", os.release, v->name, count[MISSED], count[KEPT],
		       count[NOT_TRIED]);
		missed += count[MISSED];
		tried += runs - count[NOT_TRIED];
	}
	only_one_leaves();
	tear_down(missed ? 1 : tried ? 0 : 2);
}

int main(int argc, char **argv)
{
	char saved[KNOBS][32] = { "" };
	int runs = 1, opt, status;
	pid_t pid;

	while ((opt = getopt(argc, argv, "n:")) != -1)
		if (opt != 'n' || (runs = atoi(optarg)) < 1)
			usage(opt == 'n' ? optarg : argv[optind - 1], "is no option, or no number of runs");
	for (char **name = argv + optind; *name; name++)
		if (!known(*name))
			usage(*name, "is no variant");
	for (size_t i = 0; i < KNOBS; i++)
		knob(knobs[i], saved[i], 0);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	pid = fork();
	if (pid == 0)
		run_all(argv + optind, runs);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return perror("sync-miss"), 2;
	/* A limit in bytes that is 0 was one in percent. */
	for (size_t i = 0; i < KNOBS; i++)
		if (atoi(saved[i]) || i == 0)
			knob(knobs[i], saved[i], 1);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
