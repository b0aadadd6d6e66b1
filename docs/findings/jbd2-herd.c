/*
 * How often a thread sleeps for one write, where the journal is short.
 *
 *   cc -O2 -Wall -Wextra -Werror -static -o jbd2-herd jbd2-herd.c -pthread
 *   ./jbd2-herd [-j MIB] [-t THREADS] [-s SECONDS]          (as root)
 *
 * Each thread appends 16 KiB to a file of its own and calls fsync, on ext4
 * with a journal of MIB MiB (4), on a loop device over a file in memory; first
 * with dioread_nolock, the default, whose write-back reserves credits before
 * it starts, then with dioread_lock, where it does not. Voluntary context
 * switches for each write come from getrusage(2): how often the thread slept. A
 * thread that is woken, finds no room and sleeps again counts once more; one
 * that is woken twice before it runs counts once.
 *
 * Needs mkfs.ext4 in PATH, the module loop, and up to 1 GiB of memory. It runs
 * in a mount namespace of its own and leaves nothing behind.
 *
 * Exit status: 0 measured, 2 it could not be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DISK (1l << 30)
#define APPEND (16l << 10)
#define FILE_LIMIT (64 * APPEND)	/* a file starts again at this size */
#define MOST 1024			/* threads */

static const char mnt[] = "/tmp";	/* of our own mount namespace */
static char device[32];
static int loop = -1;
static atomic_int running;

/* The mount and the loop device go with the process. */
__attribute__((noreturn)) static void leave(int status)
{
	fflush(NULL);
	_exit(status);
}

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	leave(2);
}

static void attach(void)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int memory = memfd_create("jbd2-herd", MFD_CLOEXEC);
	int n = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
	struct loop_info64 info = { .lo_flags = LO_FLAGS_AUTOCLEAR };

	if (n < 0)
		fail("/dev/loop-control (modprobe loop, and be root)");
	if (memory < 0 || ftruncate(memory, DISK))
		fail("a disk in memory");
	snprintf(device, sizeof(device), "/dev/loop%d", n);
	loop = open(device, O_RDWR | O_CLOEXEC);
	if (loop < 0 || ioctl(loop, LOOP_SET_FD, memory) || ioctl(loop, LOOP_SET_STATUS64, &info))
		fail(device);
	close(memory);
	close(control);
}

static void make(const char *journal)
{
	char *argv[] = { "mkfs.ext4", "-q", "-F", "-b", "4096", "-J", (char *)(uintptr_t)journal, device, NULL };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("mkfs.ext4");
}

struct thread {
	pthread_t id;
	int number;
	long writes, sleeps;
	double worst;		/* seconds that one write and fsync took */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *append(void *arg)
{
	static char data[APPEND];
	struct thread *t = arg;
	struct rusage before, after;
	char path[96];

	snprintf(path, sizeof(path), "%s/%d", mnt, t->number);

	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		fail(path);
	getrusage(RUSAGE_THREAD, &before);
	for (long at = 0; atomic_load(&running); at += APPEND) {
		double from = now();

		if (at == FILE_LIMIT) {
			at = 0;
			if (ftruncate(fd, 0))
				fail("ftruncate");
		}
		if (pwrite(fd, data, APPEND, at) != APPEND || fsync(fd))
			fail("pwrite and fsync");
		t->writes++;
		if (now() - from > t->worst)
			t->worst = now() - from;
	}
	getrusage(RUSAGE_THREAD, &after);
	t->sleeps = after.ru_nvcsw - before.ru_nvcsw;
	close(fd);
	return NULL;
}

static void run(const char *option, int threads, int seconds)
{
	static struct thread all[MOST];
	long writes = 0, sleeps = 0;
	double worst = 0, from;

	if (mount(device, mnt, "ext4", 0, option))
		fail("mount");
	memset(all, 0, sizeof(all));
	atomic_store(&running, 1);
	from = now();
	for (int i = 0; i < threads; i++) {
		all[i].number = i;
		if ((errno = pthread_create(&all[i].id, NULL, append, &all[i])))
			fail("pthread_create");
	}
	sleep((unsigned)seconds);
	atomic_store(&running, 0);
	for (int i = 0; i < threads; i++) {
		pthread_join(all[i].id, NULL);
		writes += all[i].writes;
		sleeps += all[i].sleeps;
		if (all[i].worst > worst)
			worst = all[i].worst;
	}
	from = now() - from;
	printf("%-15s %5d threads %8ld writes %8.1f sleeps a write %8.0f writes/s %8.0f ms at worst\n", option, threads,
	       writes, writes ? (double)sleeps / (double)writes : 0.0, (double)writes / from, worst * 1e3);
	fflush(stdout);
	if (umount(mnt))
		fail("umount");
}

int main(int argc, char **argv)
{
	int mib = 4, threads = 64, seconds = 5, opt;
	struct utsname os;
	char journal[32];

	while ((opt = getopt(argc, argv, "j:t:s:")) != -1) {
		char *end = "";
		long value = optarg ? strtol(optarg, &end, 10) : 0;

		*(opt == 'j' ? &mib : opt == 't' ? &threads : &seconds) = (int)value;
		if (opt == '?' || *end || value < 1 || value > MOST)
			goto usage;
	}
	if (optind != argc || mib < 4 || mib > 256 || threads > MOST || seconds > 600) {
usage:
		fprintf(stderr, "usage: jbd2-herd [-j MIB of 4 to 256] [-t THREADS, at most %d] [-s SECONDS]\n", MOST);
		return 2;
	}
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fail("a mount namespace (are you root?)");
	alarm((unsigned)(2 * seconds + 300));	/* a hang ends so */
	attach();
	uname(&os);
	printf("Linux %s, journal of %d MiB\n", os.release, mib);
	snprintf(journal, sizeof(journal), "size=%d", mib);
	make(journal);
	run("dioread_nolock", threads, seconds);
	run("dioread_lock", threads, seconds);
	leave(0);
}
