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
#define DISK (1l << 30)
#include "loop-disk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#define APPEND (16l << 10)
#define FILE_LIMIT (64 * APPEND)	/* a file starts again at this size */
#define MOST 1024			/* threads */

static atomic_int running;

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
	alarm((unsigned)(2 * seconds + 300));	/* a hang ends so */
	attach();
	uname(&os);
	printf("Linux %s, journal of %d MiB\n", os.release, mib);
	snprintf(journal, sizeof(journal), "size=%d", mib);
	make((char *[]){ "mkfs.ext4", "-q", "-F", "-b", "4096", "-J", journal, device, NULL });
	run("dioread_nolock", threads, seconds);
	run("dioread_lock", threads, seconds);
	leave(0);
}
