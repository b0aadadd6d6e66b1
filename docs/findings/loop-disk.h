/*
 * A file system on a loop device over a file in memory, for a program that
 * leaves nothing behind: DISK is its size in bytes. Defines also fail, and
 * leave, with which the mount and the device go.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static const char mnt[] = "/tmp";	/* of our own mount namespace */
static char device[32];
static int loop = -1;

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

/* A mount namespace and a device of our own. */
static void attach(void)
{
	struct loop_info64 info = { .lo_flags = LO_FLAGS_AUTOCLEAR };
	int control, memory, n;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fail("a mount namespace (are you root?)");
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	memory = memfd_create("disk", MFD_CLOEXEC);
	n = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
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

/* Runs a program that makes a file system on the device. */
static void make(char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail(argv[0]);
}
