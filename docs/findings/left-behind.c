/*
 * A direct write that begins behind EOF, and what mmap has left there.
 *
 *   cc -O2 -Wall -Wextra -Werror -static -o left-behind left-behind.c
 *   ./left-behind [-n RUNS] [VARIANT...]                    (as root)
 *
 * A file of 512 bytes is mapped, and a byte of its page stored behind EOF, which
 * nobody is to see. Then the file grows past it, and the byte is read: by read(2)
 * and, after fsync, from the disk. It has to be 0. The file system is on a loop
 * device over a file in memory; of its own, so that the program can run anywhere.
 *
 * Needs mkfs.ext4 and mkfs.xfs in PATH, for the variants of theirs, and the module
 * loop. It runs in a mount namespace of its own and leaves nothing behind.
 *
 * Exit status: 0 nothing seen, 1 something seen, 2 it could not be tried.
 */
#define _GNU_SOURCE
#define DISK (512l << 20)
#include "loop-disk.h"

#include <stdlib.h>
#include <sys/utsname.h>

#define BLOCK 4096
#define EOF_AT 512
#define LEFT_AT 1000		/* where the byte is */

enum grows { DIRECT, BUFFERED, TRUNCATE, ALLOCATE };

struct variant {
	const char *name, *fs, *what;
	enum grows grows;
	long at, length;
};

static const struct variant variants[] = {
	{ "next", "ext4", "a direct write of the next block", DIRECT, BLOCK, BLOCK },
	{ "same", "ext4", "a direct write of 512 bytes in the same block", DIRECT, 2048, 512 },
	{ "buf", "ext4", "control: a buffered write of the next block", BUFFERED, BLOCK, BLOCK },
	{ "tr", "ext4", "control: a truncate", TRUNCATE, 2 * BLOCK, 0 },
	{ "fa", "ext4", "control: fallocate of the next block", ALLOCATE, BLOCK, BLOCK },
	{ "xfs-next", "xfs", "a direct write of the next block", DIRECT, BLOCK, BLOCK },
	{ "xfs-same", "xfs", "a direct write of 512 bytes in the same block", DIRECT, 2048, 512 },
};
#define VARIANTS (sizeof(variants) / sizeof(*variants))

enum outcome { SEEN, NOT_SEEN, NOT_TRIED };

static char *const mkfs_ext4[] = { "mkfs.ext4", "-q", "-F", "-b", "4096", device, NULL };
static char *const mkfs_xfs[] = { "mkfs.xfs", "-q", "-f", device, NULL };

static int grow(const struct variant *v, int fd, int direct, const char *data)
{
	switch (v->grows) {
	case DIRECT:
		return pwrite(direct, data, (size_t)v->length, v->at) == v->length ? 0 : -1;
	case BUFFERED:
		return pwrite(fd, data, (size_t)v->length, v->at) == v->length ? 0 : -1;
	case TRUNCATE:
		return ftruncate(fd, v->at);
	case ALLOCATE:
		return fallocate(fd, 0, v->at, v->length);
	}
	return -1;
}

/* The byte as read(2) has it, and as the disk does. */
static enum outcome look(const struct variant *v)
{
	static char data[BLOCK] __attribute__((aligned(BLOCK)));
	char path[64], now = 1;
	char *page;
	int fd, direct;

	snprintf(path, sizeof(path), "%s/f", mnt);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	direct = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	memset(data, 'A', sizeof(data));
	if (fd < 0 || direct < 0 || pwrite(fd, data, EOF_AT, 0) != EOF_AT || fsync(fd))
		fail(path);
	page = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		fail("mmap");
	page[LEFT_AT] = 'M';
	if (grow(v, fd, direct, data))
		fail(v->what);
	munmap(page, BLOCK);
	if (pread(fd, &now, 1, LEFT_AT) != 1 || fsync(fd) || pread(direct, data, BLOCK, 0) < LEFT_AT + 1)
		fail("it cannot be read");
	printf("%s: %s: byte %d is %d, on the disk %d\n", v->name, v->what, LEFT_AT, now, data[LEFT_AT]);
	return now || data[LEFT_AT] ? SEEN : NOT_SEEN;
}

/* In a process of its own, with which the device goes. */
static enum outcome run(const struct variant *v)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		attach();
		make(strcmp(v->fs, "xfs") ? mkfs_ext4 : mkfs_xfs);
		if (mount(device, mnt, v->fs, 0, NULL))
			fail("mount");
		leave(look(v) == SEEN ? 1 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
		return NOT_TRIED;
	return WEXITSTATUS(status) ? SEEN : NOT_SEEN;
}

static int asked(const struct variant *v, char **names)
{
	for (char **name = names; *name; name++)
		if (!strcmp(*name, v->name))
			return 1;
	return !*names;
}

__attribute__((noreturn)) static void usage(const char *word, const char *why)
{
	fprintf(stderr, "%s %s\nusage: left-behind [-n RUNS] [VARIANT...]\n", word, why);
	for (size_t i = 0; i < VARIANTS; i++)
		fprintf(stderr, "  %-9s %s: %s\n", variants[i].name, variants[i].fs, variants[i].what);
	exit(2);
}

int main(int argc, char **argv)
{
	struct utsname os;
	int runs = 1, seen = 0, tried = 0, opt;

	while ((opt = getopt(argc, argv, "n:")) != -1)
		if (opt != 'n' || (runs = atoi(optarg)) < 1)
			usage(opt == 'n' ? optarg : argv[optind - 1], "is no option, or no number of runs");
	for (char **name = argv + optind; *name; name++) {
		size_t i = 0;

		while (i < VARIANTS && strcmp(*name, variants[i].name))
			i++;
		if (i == VARIANTS)
			usage(*name, "is no variant");
	}
	uname(&os);
	printf("Linux %s\n", os.release);
	for (size_t i = 0; i < VARIANTS; i++) {
		const struct variant *v = &variants[i];
		int count[3] = { 0 };

		if (!asked(v, argv + optind))
			continue;
		for (int n = 0; n < runs; n++)
			count[run(v)]++;
		printf("RESULT %s %s: %d seen, %d not seen, %d not tried\n", os.release, v->name, count[SEEN], count[NOT_SEEN],
		       count[NOT_TRIED]);
		seen += count[SEEN];
		tried += count[SEEN] + count[NOT_SEEN];
	}
	return seen ? 1 : tried ? 0 : 2;
}
