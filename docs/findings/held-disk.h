/*
 * A disk in memory that withholds chosen writes, and a file system on it.
 *
 * It is an NBD server on a socketpair to the kernel's client. A chosen write
 * is taken, and neither applied nor answered until it is released; whatever
 * else comes is applied and answered at once. That is a legal order for a disk:
 * nothing that it has answered is lost or undone. Everything has a time limit,
 * lives in a mount namespace of its own, and is gone at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/nbd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECTOR 512
#define BLOCK 4096
#define SECTORS (BLOCK / SECTOR)
#ifndef DISK
#define DISK (512ull << 20)
#endif
#ifndef MARKS
#define MARKS "ABDVX"		/* a write with a sector of these is told of */
#endif
#define PATIENCE 3000		/* ms until a call counts as one that waits */
#define LIMIT 60		/* s for one run, then all is torn down */

/* ---- What happened, in its order ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec start;
static int telling;		/* whether the order is printed */

__attribute__((format(printf, 1, 2))) static void tell(const char *fmt, ...)
{
	struct timespec now;
	va_list args;

	if (!telling)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	flockfile(stdout);
	printf("  %6.3f ", (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

/* A letter for each sector, repetitions left out where `brief`. */
static const char *letters(const unsigned char *at, size_t len, int brief)
{
	static _Thread_local char text[SECTORS + 1];
	size_t out = 0;

	for (size_t s = 0; s < len / SECTOR && out < SECTORS; s++) {
		const unsigned char *p = at + s * SECTOR;
		char c = memcmp(p, p + 1, SECTOR - 1) ? '?' : *p ? (char)*p : '.';

		if (!brief || !out || text[out - 1] != c)
			text[out++] = c;
	}
	text[out] = 0;
	return text;
}

/* ---- The disk ---- */

struct held {
	struct nbd_request request;
	unsigned char *data;	/* NULL: it reads */
	char mark;
	int applied;		/* and not answered yet */
};

static unsigned char *disk;
static int server, client;
static struct held held[8];
static int holding;		/* of held[] */
static char marked;		/* a write with a sector of this byte is withheld */
static uint64_t block;		/* and then what else is written to its block */
static atomic_int answered;	/* requests so far */
static int reads;		/* every read is withheld, with the mark 'r' */
static atomic_int leaving;	/* a thread ends the program, and nothing is withheld any more */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;

static int exactly(int fd, void *at, size_t len, int out)
{
	for (char *p = at; len;) {
		ssize_t n = out ? send(fd, p, len, MSG_NOSIGNAL) : recv(fd, p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int has(const unsigned char *data, size_t len, char byte)
{
	for (; len >= SECTOR; data += SECTOR, len -= SECTOR)
		if (*data == (unsigned char)byte && !memcmp(data, data + 1, SECTOR - 1))
			return 1;
	return 0;
}

/* Under `lock`: applies a write, if there are data to apply, or reads, and answers. */
static void answer(const struct nbd_request *request, const unsigned char *data)
{
	struct nbd_reply reply = { .magic = htobe32(NBD_REPLY_MAGIC) };
	uint64_t from = be64toh(request->from);
	uint32_t len = be32toh(request->len), type = be32toh(request->type) & 0xffff;

	memcpy(&reply.handle, &request->handle, sizeof(reply.handle));
	if (type <= NBD_CMD_WRITE && (from > DISK || len > DISK - from))
		reply.error = htobe32(EINVAL);
	else if (data)
		memcpy(disk + from, data, len);
	atomic_fetch_add(&answered, 1);
	exactly(server, &reply, sizeof(reply), 1);
	if (type == NBD_CMD_READ && !reply.error)
		exactly(server, disk + from, len, 1);
}

static void *serve(void *unused)
{
	struct nbd_request request;

	(void)unused;
	while (!exactly(server, &request, sizeof(request), 0)) {
		uint64_t from = be64toh(request.from);
		uint32_t len = be32toh(request.len), type = be32toh(request.type) & 0xffff;
		unsigned char *data = NULL;
		int ours = 0, hold = 0;

		if (type == NBD_CMD_DISC)
			break;
		if (type == NBD_CMD_WRITE) {
			data = malloc(len);
			if (!data || exactly(server, data, len, 0))
				break;
		}
		pthread_mutex_lock(&lock);
		if (data && marked) {
			if (has(data, len, marked))
				block = from / BLOCK * BLOCK;
			hold = block && from < block + BLOCK && from + len > block && from + len <= DISK && holding < 8;
		} else if (type == NBD_CMD_READ) {
			hold = reads && holding < 8;
		}
		for (const char *c = MARKS; data && *c; c++)
			ours |= has(data, len, *c);
		ours |= block && data && from < block + BLOCK && from + len > block;
		if (hold) {
			held[holding++] = (struct held){ request, data, data ? marked : 'r', 0 };
			tell("disk: %s of %u bytes [%s] arrives, withheld", data ? "write" : "read", len,
			     data ? letters(data, len, 1) : "");
			data = NULL;
			pthread_cond_broadcast(&arrived);
		} else {
			answer(&request, data);
			if (ours)
				tell("disk: write of %u bytes [%s] applied and answered", len, letters(data, len, 1));
			else if (type == NBD_CMD_FLUSH)
				tell("disk: flush answered");
		}
		pthread_mutex_unlock(&lock);
		free(data);
	}
	return NULL;
}

static void withhold(char mark)
{
	pthread_mutex_lock(&lock);
	marked = atomic_load(&leaving) ? 0 : mark;
	block = 0;
	pthread_mutex_unlock(&lock);
}

/* Nothing more is withheld; what is, stays so. */
static void enough(void)
{
	pthread_mutex_lock(&lock);
	marked = 0;
	pthread_mutex_unlock(&lock);
}

static void release(char mark)
{
	pthread_mutex_lock(&lock);
	for (int i = 0, n = holding; i < n; i++) {
		struct held h = held[0];

		memmove(held, held + 1, (size_t)--holding * sizeof(h));
		if (mark && h.mark != mark) {
			held[holding++] = h;
			continue;
		}
		answer(&h.request, h.applied ? NULL : h.data);
		if (h.data)
			tell("disk: the withheld write of %u bytes [%s] %sanswered", be32toh(h.request.len),
			     letters(h.data, be32toh(h.request.len), 1), h.applied ? "" : "applied and ");
		else
			tell("disk: the withheld read answered");
		free(h.data);
	}
	pthread_mutex_unlock(&lock);
}

static struct timespec in_ms(long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* Whether a write of this mark is withheld within PATIENCE. */
static int withheld(char mark)
{
	struct timespec until = in_ms(PATIENCE);
	int found = 0, late = 0;

	pthread_mutex_lock(&lock);
	while (!found && !late) {
		for (int i = 0; i < holding; i++)
			found |= held[i].mark == mark;
		if (!found)
			late = pthread_cond_timedwait(&arrived, &lock, &until);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- Coming and going ---- */

static int nbd = -1;
static int direct = -1, buffered = -1;	/* the file that is written, opened both ways */
static char device[32], dir[] = "/tmp/held-disk.XXXXXX", mnt[64];

/* What fails to another thread from here on is of no account. */
static void only_one_leaves(void)
{
	if (atomic_exchange(&leaving, 1))
		for (;;)
			pause();
}

/* Lets everything end that waits for the disk, and takes the disk away. */
__attribute__((noreturn)) static void tear_down(int status)
{
	enough();
	release(0);
	close(direct);
	close(buffered);
	if (mnt[0]) {
		for (int i = 0; i < 20 && umount(mnt) && errno == EBUSY; i++)
			usleep(100000);
		umount2(mnt, MNT_DETACH);
		rmdir(mnt);
		rmdir(dir);
	}
	if (nbd >= 0) {
		ioctl(nbd, NBD_DISCONNECT);
		ioctl(nbd, NBD_CLEAR_SOCK);
	}
	fflush(NULL);
	_exit(status);
}

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *fmt, ...)
{
	int error = errno;
	va_list args;

	only_one_leaves();
	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "%s%s\n", error ? ": " : "", error ? strerror(error) : "");
	tear_down(2);
}

/* Ends the program where a signal says so, or a run takes longer than LIMIT. */
static atomic_int beats;

static void *watch(void *set)
{
	for (int last = -1;;) {
		struct timespec limit = { .tv_sec = LIMIT };
		int beat = atomic_load(&beats), sig = sigtimedwait(set, NULL, &limit);

		if (sig > 0 || (beat == last && beat == atomic_load(&beats))) {
			errno = 0;
			fail(sig > 0 ? "interrupted" : "a run took longer than %d s", LIMIT);
		}
		last = beat;
	}
	return NULL;
}

static void *client_thread(void *unused)
{
	ioctl(nbd, NBD_DO_IT);
	return unused;
}

static pthread_t begin(pthread_t *thread, void *(*body)(void *), void *arg)
{
	if ((errno = pthread_create(thread, NULL, body, arg)))
		fail("pthread_create");
	return *thread;
}

static void spawn(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	pthread_detach(begin(&thread, body, arg));
}

static void attach(void)
{
	int pair[2];

	disk = mmap(NULL, DISK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (disk == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		fail("a disk of %llu MiB in memory", DISK >> 20);
	server = pair[0];
	client = pair[1];
	for (int i = 0; i < 16 && nbd < 0; i++) {
		char busy[64];

		snprintf(device, sizeof(device), "/dev/nbd%d", i);
		snprintf(busy, sizeof(busy), "/sys/block/nbd%d/pid", i);
		if (access(busy, F_OK) == 0)
			continue;
		nbd = open(device, O_RDWR | O_CLOEXEC);
		if (nbd < 0)
			break;
		if (ioctl(nbd, NBD_SET_SOCK, client)) {
			close(nbd);
			nbd = -1;
		}
	}
	if (nbd < 0)
		fail("no free nbd device (%s was the last): modprobe nbd, and be root", device);
	if (ioctl(nbd, NBD_SET_BLKSIZE, (unsigned long)SECTOR) ||
	    ioctl(nbd, NBD_SET_SIZE_BLOCKS, (unsigned long)(DISK / SECTOR)) ||
	    ioctl(nbd, NBD_SET_TIMEOUT, (unsigned long)(3 * LIMIT)) ||
	    ioctl(nbd, NBD_SET_FLAGS, (unsigned long)(NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH)))
		fail("%s: setting it up", device);
	spawn(serve, NULL);
	spawn(client_thread, NULL);
	for (uint64_t size = 0, i = 0; size != DISK; i++) {
		ioctl(nbd, BLKGETSIZE64, &size);
		if (i == 100)
			fail("%s has not come up", device);
		usleep(20000);
	}
}

/* A namespace, a folder and the disk: all gone at the end, which a signal may bring. */
static void enter(void)
{
	static sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fail("a mount namespace (are you root?)");
	if (!mkdtemp(dir))
		fail("%s", dir);
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	if (mkdir(mnt, 0700))
		fail("%s", mnt);
	attach();
	spawn(watch, &set);
}

static void run_program(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		errno = 0, fail("%s failed (is it in PATH?)", argv[0]);
}

static void detach_fs(void)
{
	for (int i = 0; umount(mnt); i++) {
		if (errno != EBUSY || i == 50)
			fail("umount");
		usleep(100000);
	}
}
