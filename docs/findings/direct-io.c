/*
 * Direct writes beside what grows a file, on a disk that withholds one of them.
 *
 *   cc -O2 -Wall -Wextra -Werror -static -o direct-io direct-io.c -pthread
 *   modprobe nbd; ./direct-io [-n RUNS] [VARIANT...]        (as root)
 *
 * What shows needs no luck: the disk (held-disk.h, which is all that this file
 * needs beside libc) takes A, and applies and answers it when it is told to. It
 * wants mkfs.ext4 and mkfs.xfs in PATH, 512 MiB of address space and a free
 * /dev/nbdN. Of each variant's first run the order is printed in which calls
 * and disk met: seconds, whose turn, and a letter for whose bytes a sector has.
 *
 * Exit status: 0 nothing lost, 1 something lost, 2 it could not be tried.
 */
#include "held-disk.h"

#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

/* What is withheld takes effect; the answers are still withheld. */
static void apply(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < holding; i++) {
		memcpy(disk + be64toh(held[i].request.from), held[i].data, be32toh(held[i].request.len));
		held[i].applied = 1;
		tell("disk: the withheld write of %u bytes [%s] applied, not answered",
		     be32toh(held[i].request.len), letters(held[i].data, be32toh(held[i].request.len), 1));
	}
	pthread_mutex_unlock(&lock);
}

static void make(const char *fs)
{
	char *ext4[] = { "mkfs.ext4", "-q", "-F", "-b", "4096", device, NULL };
	char *xfs[] = { "mkfs.xfs", "-q", "-f", "-b", "size=4096", device, NULL };

	run_program(strcmp(fs, "xfs") ? ext4 : xfs);
}

/* ---- The variants ---- */

enum op {
	END,
	DIRECT,			/* pwrite through O_DIRECT */
	AIO,			/* io_submit through O_DIRECT, and its event */
	BUFFERED,		/* pwrite through the page cache */
	TRUNCATE,		/* ftruncate to .at */
	SYNC,			/* fsync */
	APPLY,			/* the disk applies A, and does not answer yet */
	RELEASE,		/* it answers, and A's event is read */
};

struct step {
	enum op op;
	long at, len;
	char byte;
};

/*
 * The file's first block is written, with 'o' up to .size, which is i_size
 * when A, .a_len bytes at 0, is submitted; A is withheld while the steps run.
 * `want` has a letter for each sector of that block: whose bytes must be there
 * in the end. '.' is zero, '*' is A's or B's, where the two overlap.
 */
struct variant {
	const char *name, *fs, *what;
	long size, a_len;
	struct step steps[4];
	const char *want;
	int shrink;		/* A asks for the lock behind ftruncate(8192 to .size) */
	enum { OWN, SHARED, ONCE_SHARED } blocks;	/* with a clone of the file, which may be gone */
};

#define X_APPENDS { DIRECT, BLOCK, BLOCK, 'X' }
#define B_BEHIND(how) { how, SECTOR, BLOCK - SECTOR, 'B' }
#define B_WHOLE(how) { how, 0, BLOCK, 'B' }
#define SYNCED { SYNC, 0, 0, 0 }
#define LET_A_GO { RELEASE, 0, 0, 0 }
#define SYNCED_BEFORE_A_RETURNS { APPLY, 0, 0, 0 }, SYNCED, LET_A_GO

static const struct variant variants[] = {
	{ "d-sync", "ext4", "B direct [0,4096)", 512, 512,
	  { B_WHOLE(DIRECT), SYNCED }, "*BBBBBBB", 0, 0 },
	{ "d-aio", "ext4", "B direct, asynchronous [0,4096)", 512, 512,
	  { B_WHOLE(AIO), SYNCED }, "*BBBBBBB", 0, 0 },
	{ "x-d", "ext4", "X direct [4096,8192), B direct [512,4096)", 512, 512,
	  { X_APPENDS, B_BEHIND(DIRECT), SYNCED }, "ABBBBBBB", 0, 0 },
	{ "x-tr", "ext4", "ftruncate(4096), B direct [512,4096)", 512, 512,
	  { { TRUNCATE, BLOCK, 0, 0 }, B_BEHIND(DIRECT), SYNCED }, "ABBBBBBB", 0, 0 },
	{ "buf", "ext4", "B buffered [512,4096)", 512, 512,
	  { B_BEHIND(BUFFERED), SYNCED }, "ABBBBBBB", 0, 0 },
	{ "d-unal", "ext4", "control: B direct [512,4096), which drains", 512, 512,
	  { B_BEHIND(DIRECT), SYNCED }, "ABBBBBBB", 0, 0 },
	{ "m-d", "ext4", "control: x-d, i_size 1024, A not at EOF", 1024, 512,
	  { X_APPENDS, B_BEHIND(DIRECT), SYNCED }, "ABBBBBBB", 0, 0 },
	{ "tr", "ext4", "ftruncate(4096)", 512, 512,
	  { { TRUNCATE, BLOCK, 0, 0 }, LET_A_GO, SYNCED }, "A.......", 0, 0 },
	{ "tre", "ext4", "ftruncate(512), the size it has", 512, 512,
	  { { TRUNCATE, SECTOR, 0, 0 }, LET_A_GO, SYNCED }, "A.......", 0, 0 },
	{ "trm", "ext4", "ftruncate(4096), i_size 1024, A not at EOF", 1024, 512,
	  { { TRUNCATE, BLOCK, 0, 0 }, LET_A_GO, SYNCED }, "Ao......", 0, 0 },
	{ "trem", "ext4", "ftruncate(1024), the size it has, A not at EOF", 1024, 512,
	  { { TRUNCATE, 2 * SECTOR, 0, 0 }, LET_A_GO, SYNCED }, "Ao......", 0, 0 },
	{ "av", "ext4", "V buffered [4096,8192)", 512, 512,
	  { { BUFFERED, BLOCK, BLOCK, 'V' }, LET_A_GO, SYNCED }, "A.......", 0, 0 },
	{ "avm", "ext4", "V buffered [4096,8192), i_size 1024, A not at EOF", 1024, 512,
	  { { BUFFERED, BLOCK, BLOCK, 'V' }, LET_A_GO, SYNCED }, "Ao......", 0, 0 },
	{ "trs", "ext4", "tr, fsync before A returns", 512, 512,
	  { { TRUNCATE, BLOCK, 0, 0 }, SYNCED_BEFORE_A_RETURNS }, "A.......", 0, 0 },
	{ "tres", "ext4", "tre, fsync before A returns", 512, 512,
	  { { TRUNCATE, SECTOR, 0, 0 }, SYNCED_BEFORE_A_RETURNS }, "A.......", 0, 0 },
	{ "trms", "ext4", "trm, fsync before A returns", 1024, 512,
	  { { TRUNCATE, BLOCK, 0, 0 }, SYNCED_BEFORE_A_RETURNS }, "Ao......", 0, 0 },
	{ "avms", "ext4", "avm, fsync before A returns", 1024, 512,
	  { { BUFFERED, BLOCK, BLOCK, 'V' }, SYNCED_BEFORE_A_RETURNS }, "Ao......", 0, 0 },
	{ "aw", "ext4", "B buffered [512,1024), i_size 4096: plain mixing", 4096, 512,
	  { { BUFFERED, SECTOR, SECTOR, 'B' }, LET_A_GO, SYNCED }, "ABoooooo", 0, 0 },
	{ "ap", "ext4", "control: A direct [0,4096), ftruncate(4096)", 512, 4096,
	  { { TRUNCATE, BLOCK, 0, 0 }, SYNCED }, "AAAAAAAA", 0, 0 },
	{ "xfs-d", "xfs", "control: d-sync", 512, 512,
	  { B_WHOLE(DIRECT), SYNCED }, "*BBBBBBB", 0, 0 },
	{ "xfs-x", "xfs", "control: x-d", 512, 512,
	  { X_APPENDS, B_BEHIND(DIRECT), SYNCED }, "ABBBBBBB", 0, 0 },
	{ "xfs-tr", "xfs", "control: tr", 512, 512,
	  { { TRUNCATE, BLOCK, 0, 0 }, LET_A_GO, SYNCED }, "A.......", 0, 0 },
	{ "xfs-avm", "xfs", "control: avm", 1024, 512,
	  { { BUFFERED, BLOCK, BLOCK, 'V' }, LET_A_GO, SYNCED }, "Ao......", 0, 0 },
	{ "xfs-aw", "xfs", "aw", 4096, 512,
	  { { BUFFERED, SECTOR, SECTOR, 'B' }, LET_A_GO, SYNCED }, "ABoooooo", 0, 0 },
	{ "xfs-ap", "xfs", "A direct [0,4096), ftruncate(4096)", 512, 4096,
	  { { TRUNCATE, BLOCK, 0, 0 }, SYNCED }, "AAAAAAAA", 0, 0 },
	{ "xfs-apr", "xfs", "control: the same, A returns before", 512, 4096,
	  { LET_A_GO, { TRUNCATE, BLOCK, 0, 0 }, SYNCED }, "AAAAAAAA", 0, 0 },
	{ "xt-d", "xfs", "A behind ftruncate(8192 to 512); B direct [0,4096)", 512, 512,
	  { B_WHOLE(DIRECT), SYNCED }, "*BBBBBBB", 1, 0 },
	{ "xt-b", "xfs", "the same; B buffered [512,4096)", 512, 512,
	  { B_BEHIND(BUFFERED), SYNCED }, "ABBBBBBB", 1, 0 },
	{ "xt-x", "xfs", "control: the same; X direct [4096,8192), which drains, B", 512, 512,
	  { X_APPENDS, B_BEHIND(DIRECT), SYNCED }, "ABBBBBBB", 1, 0 },
	{ "kua", "xfs", "cloned file, A direct [0,4096), B direct [2048,4096)", 4096, 4096,
	  { { DIRECT, 2048, 2048, 'B' }, LET_A_GO, SYNCED }, "AAAA****", 0, SHARED },
	{ "kux", "xfs", "the same, the clone is removed before", 4096, 4096,
	  { { DIRECT, 2048, 2048, 'B' }, LET_A_GO, SYNCED }, "AAAA****", 0, ONCE_SHARED },
	{ "kuas", "xfs", "kua, fsync before A returns", 4096, 4096,
	  { { DIRECT, 2048, 2048, 'B' }, SYNCED_BEFORE_A_RETURNS }, "AAAA****", 0, SHARED },
};

/* ---- The calls ---- */

static aio_context_t aio;

/* A write of its own buffer, aligned to blocks: another one makes it unaligned. */
struct write {
	struct iocb iocb;
	void *data;
	long result;		/* of io_submit, or -errno */
	pthread_t thread;
};

static void prepare(struct write *w, long at, long len, char byte)
{
	if (posix_memalign(&w->data, BLOCK, (size_t)len))
		fail("memory");
	memset(w->data, byte, (size_t)len);
	w->iocb = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = (uint32_t)direct,
		.aio_buf = (uintptr_t)w->data, .aio_nbytes = (uint64_t)len, .aio_offset = at,
		.aio_data = (uintptr_t)w };
}

static void *submit(void *arg)
{
	struct write *w = arg;
	struct iocb *list[] = { &w->iocb };

	tell("call: io_submit of %c, [%lld,%lld)", *(char *)w->data, (long long)w->iocb.aio_offset,
	     (long long)(w->iocb.aio_offset + (long long)w->iocb.aio_nbytes));
	w->result = syscall(SYS_io_submit, aio, 1, list) == 1 ? 1 : -errno;
	tell("call: io_submit of %c returns %ld", *(char *)w->data, w->result);
	return NULL;
}

/* A's event and B's come in any order, and are kept here until asked for. */
static long event_of(const struct write *w)
{
	static struct { uint64_t of; long res; } kept[8];
	static int n;
	struct timespec limit = { .tv_sec = LIMIT / 2 };
	struct io_event e;

	for (;;) {
		for (int i = 0; i < n; i++)
			if (kept[i].of == (uintptr_t)w) {
				long res = kept[i].res;

				kept[i] = kept[--n];
				tell("event of %c: %ld", *(char *)w->data, res);
				return res;
			}
		if (n == 8 || syscall(SYS_io_getevents, aio, 1, 1, &e, &limit) != 1)
			fail("no event of %c", *(char *)w->data);
		kept[n].of = e.data;
		kept[n++].res = (long)e.res;
	}
}

static int got_event;		/* of A */

static void finish(const struct write *a, char mark)
{
	release(mark);
	if (event_of(a) != (long)a->iocb.aio_nbytes)
		errno = 0, fail("%c was not written", mark);
	got_event = 1;
}

static const struct write *write_a;
static int signalled;		/* fsync has said EIO: it does once, after an invalidation that failed */

static void sync_file(void)
{
	int rc = fsync(buffered);

	if (rc && errno == EIO && !signalled) {
		signalled = 1;
		tell("call: fsync fails: EIO");
		rc = fsync(buffered);
	}
	tell("call: fsync returns %d", rc);
	if (rc)
		fail("fsync");
}

static void *run_steps(void *arg)
{
	for (const struct step *s = arg; s < (const struct step *)arg + 4 && s->op != END; s++) {
		struct write w = { .result = 0 };
		long rc = 0;

		if (s->len)
			prepare(&w, s->at, s->len, s->byte);
		switch (s->op) {
		case DIRECT:
		case BUFFERED:
			tell("call: %s pwrite of %c, [%ld,%ld)", s->op == DIRECT ? "direct" : "buffered", s->byte,
			     s->at, s->at + s->len);
			rc = pwrite(s->op == DIRECT ? direct : buffered, w.data, (size_t)s->len, s->at);
			tell("call: pwrite of %c returns %ld", s->byte, rc);
			break;
		case AIO:
			submit(&w);
			rc = w.result == 1 ? event_of(&w) : w.result;
			break;
		case TRUNCATE:
			rc = ftruncate(buffered, s->at);
			tell("call: ftruncate(%ld) returns %ld", s->at, rc);
			break;
		case SYNC:
			sync_file();
			break;
		case APPLY:
			apply();
			break;
		default:
			finish(write_a, 'A');
		}
		if (rc != s->len)
			fail("step %ld returned %ld", (long)(s - (const struct step *)arg), rc);
		free(w.data);
	}
	return NULL;
}

static void *shrink(void *size)
{
	tell("call: ftruncate(%ld)", *(long *)size);
	if (ftruncate(buffered, *(long *)size))
		fail("ftruncate");
	tell("call: ftruncate(%ld) returns 0", *(long *)size);
	return NULL;
}

/* ---- One run ---- */

static void write_old(const char *path, long size)
{
	char *old = malloc((size_t)size);

	memset(old, 'o', (size_t)size);
	buffered = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (buffered < 0 || pwrite(buffered, old, (size_t)size, 0) != size || fsync(buffered))
		fail("%s", path);
	free(old);
}

/* Clones the file; `gone`: and removes the clone. */
static int share(const char *path, int gone)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s.clone", path);

	int to = open(copy, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = ioctl(to, FICLONE, buffered);

	if (!rc && gone && unlink(copy))
		fail("unlink");
	if (!rc && syncfs(to))
		fail("syncfs");
	close(to);
	return rc;
}

enum verdict { KEPT, WAITED, LOST, NOT_TRIED };

static enum verdict run(const struct variant *v, int number)
{
	static const char *const says[] = { "kept", "not possible here: the kernel waited", "LOST", "not tried" };
	struct write a = { .result = 0 }, d = { .result = 0 };
	struct timespec until;
	char path[96];
	long size = v->size;
	pthread_t truncating, steps;
	int waited = 0;
	unsigned char *got;

	atomic_fetch_add(&beats, 1);
	got_event = signalled = 0;
	printf("%s, %s: %s\n", v->name, v->fs, v->what);
	if (mount(device, mnt, v->fs, 0, NULL)) {
		printf("%s: not tried, mount: %s\n", v->name, strerror(errno));
		return NOT_TRIED;
	}
	snprintf(path, sizeof(path), "%s/%s", mnt, v->name);
	write_old(path, v->shrink ? 2 * BLOCK : v->size);
	if (v->blocks && share(path, v->blocks == ONCE_SHARED)) {
		printf("%s: not tried, FICLONE: %s\n", v->name, strerror(errno));
		close(buffered);
		detach_fs();
		return NOT_TRIED;
	}
	direct = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (direct < 0 || posix_fadvise(buffered, 0, 0, POSIX_FADV_DONTNEED))
		fail("%s", path);
	clock_gettime(CLOCK_MONOTONIC, &start);
	telling = number == 1;
	prepare(&a, 0, v->a_len, 'A');
	prepare(&d, BLOCK, BLOCK, 'D');
	write_a = &a;

	if (v->shrink) {
		/* D keeps the truncate waiting with the lock, and A behind it. */
		withhold('D');
		submit(&d);
		if (!withheld('D'))
			fail("D does not reach the disk");
		begin(&truncating, shrink, &size);
		usleep(300000);
	}
	withhold('A');
	begin(&a.thread, submit, &a);
	if (v->shrink) {
		usleep(300000);
		release('D');
		if (event_of(&d) != BLOCK)
			fail("D was not written");
		pthread_join(truncating, NULL);
	}
	if (!withheld('A'))
		fail("A does not reach the disk");
	/* The rest of A, if it comes in requests of its own. */
	usleep(100000);
	enough();

	begin(&steps, run_steps, (void *)(uintptr_t)v->steps);
	until = in_ms(PATIENCE);
	if (pthread_timedjoin_np(steps, NULL, &until)) {
		tell("(a call has waited for %d ms)", PATIENCE);
		waited = 1;
		release('A');
		until = in_ms(LIMIT / 3 * 1000);
		if ((errno = pthread_timedjoin_np(steps, NULL, &until)))
			fail("a call does not return");
	}
	if (!got_event)
		finish(&a, 'A');
	pthread_join(a.thread, NULL);
	sync_file();
	telling = 0;
	close(direct);
	close(buffered);
	detach_fs();

	if (mount(device, mnt, v->fs, 0, NULL))
		fail("mount");
	direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (direct < 0 || posix_memalign((void **)&got, BLOCK, BLOCK))
		fail("%s", path);
	memset(got, 0, BLOCK);
	if (pread(direct, got, BLOCK, 0) < 0)
		fail("pread");
	close(direct);
	detach_fs();

	const char *have = letters(got, BLOCK, 0);
	enum verdict verdict = waited ? WAITED : KEPT;

	for (int s = 0; s < SECTORS; s++)
		if (v->want[s] == '*' ? !strchr("AB", have[s]) : v->want[s] != have[s])
			verdict = LOST;
	printf("%s: must be [%s], is [%s]: %s%s\n", v->name, v->want, have, says[verdict],
	       signalled ? ", fsync said EIO once" : "");
	fflush(stdout);
	free(got);
	free(a.data);
	free(d.data);
	return verdict;
}

static void usage(const char *wrong, const char *why)
{
	fprintf(stderr, "%s %s\n", wrong, why);
	fprintf(stderr, "usage: direct-io [-n RUNS] [VARIANT...]\n");
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		fprintf(stderr, "  %-8s %-5s %s\n", variants[i].name, variants[i].fs, variants[i].what);
	exit(2);
}

/* 0 where it is none from 1 to 1000. */
static int number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *text && !*end && n <= 1000 && n > 0 ? (int)n : 0;
}

static int asked(const struct variant *v, char **names)
{
	int all = !*names;

	for (; *names; names++)
		all |= !strcmp(*names, v->name);
	return all;
}

int main(int argc, char **argv)
{
	const char *made = "";
	struct utsname os;
	int runs = 1, opt, lost = 0, tried = 0;

	while ((opt = getopt(argc, argv, "n:")) != -1)
		if (opt != 'n' || (runs = number(optarg)) < 1)
			usage(opt == 'n' ? optarg : argv[optind - 1], "is no option, or no number from 1 to 1000");
	argv += optind;
	for (char **name = argv; *name; name++) {
		char *one[] = { *name, NULL };
		int known = 0;

		for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
			known |= asked(&variants[i], one);
		if (!known)
			usage(*name, "is no variant");
	}
	enter();
	if (syscall(SYS_io_setup, 8, &aio))
		fail("io_setup");
	uname(&os);
	printf("Linux %s\n", os.release);
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const struct variant *v = &variants[i];
		int count[4] = { 0 };

		if (!asked(v, argv))
			continue;
		if (strcmp(made, v->fs))
			make(made = v->fs);
		for (int n = 1; n <= runs; n++)
			count[run(v, n)]++;
		printf("RESULT %s %s: %d lost, %d kept, %d waited, %d not tried\n", os.release, v->name, count[LOST],
		       count[KEPT], count[WAITED], count[NOT_TRIED]);
		lost += count[LOST];
		tried += runs - count[NOT_TRIED];
	}
	only_one_leaves();
	tear_down(lost ? 1 : tried ? 0 : 2);
}
