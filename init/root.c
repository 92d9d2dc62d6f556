// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * The init of an initramfs that boots a whole system: mounts its root, hands over to its init, and reports to the host.
 *
 * Purpose
 *   Does what a distribution's initramfs does, in the order of the lists that the host wrote: loads the modules that this boot is
 *   to load first (/first.list), and those that the root's device and file system need (/modules.list, as for init.c), mounts the
 *   root named on the kernel's command line (root=, rootfstype=, ro, rw; with bootline.overlay=tmpfs under a layer in memory
 *   that takes what is written), and executes its init (init=) with the arguments and the environment that the kernel gave: what
 *   follows `--` on the command line, and unknown parameters. A child of it stays behind, asleep, in the system's own root: it
 *   answers the host after the measured part of the boot.
 *
 *   Without an initramfs the kernel mounts the root itself and executes this program from there (init=/usr/lib/bootline/handoff,
 *   the last init= of the command line). It then loads nothing and mounts no root: it sends `init`, `loaded` and `handoff`, not
 *   `root`, and executes the init of the init= before.
 *
 *   Frames on /dev/truth, as in init.c: `init`, `module`, `loaded`, and
 *     root       the root is mounted: `monotonic_ns=N boottime_ns=N`; `root.failed` with `errno=N` if it can't be
 *     handoff    the system's init is about to be executed: the same; `handoff.failed` with `errno=N` if it can't be
 *     NAME       marks, sent by programs of the system (app.c) to the same port
 *   Commands of one byte from the host, answered by the child:
 *     d  send what init.c sends for `d`
 *     t  send `time`: `monotonic_ns=N boottime_ns=N`
 *     x  followed by a command and a line feed: run it by /bin/sh, send what it writes as frames `output`, then `done`:
 *        `status=N`, the wait status
 *     p  power off at once, without the system's own shutdown
 *
 * Calling contexts
 *   Process 1 until the hand-off, then a child of the system's process 1. Single-threaded.
 *
 * Locking
 *   None.
 *
 * Lifetime
 *   From the start of user space to power-off.
 *
 * What this disturbs
 *   The child holds some tens of kilobytes and sleeps in a read until the host asks. Its requests are served after the boot.
 */
#include "truth.h"

#define MS_RDONLY 1
#define MS_NOSUID 2
#define MS_MOVE 8192
#define S_IFCHR 0020000
#define SIGCHLD 17
#define ENOENT 2
/* How often, a hundredth of a second apart, a root device is looked for. */
#define ROOT_ATTEMPTS 3000
#if defined(__x86_64__)
#define TRUTH_MINOR 65
#else
#define TRUTH_MINOR 64
#endif

/* Twice as many as the kernel passes on (MAX_INIT_ENVS in init/main.c). */
#define MAX_ENVIRONMENT 64

static char root_device[128] = "/dev/vda";
static char root_type[32] = "ext4";
static char system_init[128] = "/sbin/init";
/* Where this program is in a system's root. */
static const char own_path[] = "/usr/lib/bootline/handoff";
static int writable;
/* The file system of the layer over a root that can't be written to; empty for none. */
static char overlay[16];

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Copies the value of a word that starts with `key`. */
static void take(const char *word, size_t n, const char *key, char *to, size_t room)
{
	size_t k = length(key);
	size_t i;

	for (i = 0; i < k; i++)
		if (i >= n || word[i] != key[i])
			return;
	if (n - k >= room)
		return;
	memcpy(to, word + k, n - k);
	to[n - k] = 0;
}

/* The last init= that is not this program's own. */
static void take_init(const char *word, size_t n)
{
	char path[sizeof(system_init)] = "";

	take(word, n, "init=", path, sizeof(path));
	if (path[0] && !same(path, own_path))
		memcpy(system_init, path, sizeof(path));
}

static void read_command_line(void)
{
	size_t n = slurp("/proc/cmdline");
	size_t i = 0;

	while (i < n) {
		size_t start = i;

		while (i < n && buffer[i] != ' ' && buffer[i] != '\n')
			i++;
		/* What follows is init's. */
		if (i - start == 2 && buffer[start] == '-' && buffer[start + 1] == '-')
			return;
		take(buffer + start, i - start, "root=", root_device, sizeof(root_device));
		take(buffer + start, i - start, "rootfstype=", root_type, sizeof(root_type));
		take_init(buffer + start, i - start);
		take(buffer + start, i - start, "bootline.overlay=", overlay, sizeof(overlay));
		if (i - start == 2 && buffer[start] == 'r' && (buffer[start + 1] == 'w' || buffer[start + 1] == 'o'))
			writable = buffer[start + 1] == 'w';
		i++;
	}
}

static void send_errno(const char *name, long error)
{
	char text[32];
	char *p = put_field(text, "errno=", (unsigned long)-error);

	send(name, text, (size_t)(p - text));
}

static long mount_with(const char *what, const char *where, const char *type, long flags, const char *options)
{
	return call(SYS_mount, (long)what, (long)where, (long)type, flags, (long)options);
}

static long mount(const char *what, const char *where, const char *type, long flags)
{
	return mount_with(what, where, type, flags, 0);
}

static void make_folder(const char *path)
{
	call(SYS_mkdirat, AT_FDCWD, (long)path, 0755, 0, 0);
}

/* The device may appear after its driver has been loaded. */
static long mount_root(void)
{
	long error = -ENOENT;
	int i;

	make_folder("/root");
	for (i = 0; i < ROOT_ATTEMPTS; i++) {
		error = mount(root_device, "/root", root_type, writable ? 0 : MS_RDONLY);
		if (!error || error != -ENOENT)
			return error;
		pause_ms(10);
	}
	return error;
}

/* Puts a layer in memory over the root, as products with a compressed root do. */
static long cover_root(void)
{
	long error;

	make_folder("/layer");
	error = mount(overlay, "/layer", overlay, MS_NOSUID);
	if (error)
		return error;
	make_folder("/layer/upper");
	make_folder("/layer/work");
	return mount_with("overlay", "/root", "overlay", 0,
			  "lowerdir=/root,upperdir=/layer/upper,workdir=/layer/work");
}

/* Runs a command of the system's and sends what it writes. */
static void run_command(char *command, char **environment)
{
	char *arguments[] = { (char *)"/bin/sh", (char *)"-c", command, 0 };
	int ends[2];
	int status = -1;
	char text[32];
	char *p;
	long child;

	if (!call(SYS_pipe2, (long)ends, 0, 0, 0, 0)) {
		child = call(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!child) {
			int null = open_file("/dev/null", O_RDWR);

			call(SYS_dup3, null, 0, 0, 0, 0);
			call(SYS_dup3, ends[1], 1, 0, 0, 0);
			call(SYS_dup3, null, 2, 0, 0, 0);
			call(SYS_close, ends[0], 0, 0, 0, 0);
			call(SYS_close, ends[1], 0, 0, 0, 0);
			call(SYS_close, truth, 0, 0, 0, 0);
			call(SYS_execve, (long)arguments[0], (long)arguments, (long)environment, 0, 0);
			call(SYS_exit, 127, 0, 0, 0, 0);
		}
		call(SYS_close, ends[1], 0, 0, 0, 0);
		for (;;) {
			ssize_t got = call(SYS_read, ends[0], (long)buffer, sizeof(buffer), 0, 0);

			if (got == -EINTR)
				continue;
			if (got <= 0)
				break;
			send("output", buffer, (size_t)got);
		}
		call(SYS_close, ends[0], 0, 0, 0, 0);
		call(SYS_wait4, child, (long)&status, 0, 0, 0);
	}
	p = put_field(text, "status=", (unsigned int)status);
	send("done", text, (size_t)(p - text));
}

static char command[4096];

static void read_command(void)
{
	size_t n = 0;
	char c;

	while (call(SYS_read, truth, (long)&c, 1, 0, 0) == 1 && c != '\n')
		if (n + 1 < sizeof(command))
			command[n++] = c;
	command[n] = 0;
}

/* The child, in the system's root. */
__attribute__((noreturn)) static void serve(void)
{
	char *environment[] = { (char *)"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
				(char *)"LC_ALL=C.UTF-8", (char *)"SYSTEMD_PAGER=", (char *)"SYSTEMD_COLORS=0", 0 };
	int kmsg = open_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char c;

	call(SYS_setsid, 0, 0, 0, 0, 0);
	for (;;) {
		if (call(SYS_read, truth, (long)&c, 1, 0, 0) != 1) {
			pause_ms(100);
			continue;
		}
		switch (c) {
		case 'd':
			send_proc("version");
			send_proc("cmdline");
			send_kernel(kmsg);
			send("ready", "", 0);
			break;
		case 't':
			send_time("time");
			break;
		case 'x':
			read_command();
			run_command(command, environment);
			break;
		case 'p':
			power_off();
		}
	}
}

/* The environment that the kernel gave, with a path for programs. */
static void with_path(char **given, char **environment)
{
	int n = 0;

	environment[n++] = (char *)"PATH=/sbin:/usr/sbin:/bin:/usr/bin";
	while (*given && n < MAX_ENVIRONMENT)
		environment[n++] = *given++;
	environment[n] = 0;
}

/* The kernel has mounted the root, and perhaps devtmpfs on its /dev. */
static void make_truth(void)
{
	if (call(SYS_mknodat, AT_FDCWD, (long)"/dev/truth", S_IFCHR | 0600, 4 << 8 | TRUTH_MINOR, 0)) {
		mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID);
		call(SYS_mknodat, AT_FDCWD, (long)"/dev/truth", S_IFCHR | 0600, 4 << 8 | TRUTH_MINOR, 0);
	}
}

/* Out of the initramfs, which is still the root. */
static void enter_root(void)
{
	long error = mount_root();

	if (!error && overlay[0])
		error = cover_root();
	if (error) {
		send_errno("root.failed", error);
		serve();
	}
	send_time("root");
	mount("/dev", "/root/dev", 0, MS_MOVE);
	mount("/proc", "/root/proc", 0, MS_MOVE);
	call(SYS_mknodat, AT_FDCWD, (long)"/root/dev/truth", S_IFCHR | 0600, 4 << 8 | TRUTH_MINOR, 0);
	call(SYS_chdir, (long)"/root", 0, 0, 0, 0);
	mount(".", "/", 0, MS_MOVE);
	call(SYS_chroot, (long)".", 0, 0, 0, 0);
	call(SYS_chdir, (long)"/", 0, 0, 0, 0);
}

/*
 * `stack` begins with the number of arguments; the arguments and the environment follow, each list with a zero after it. The kernel
 * names the program as it was asked for.
 */
__attribute__((used, noreturn)) void run(char **stack)
{
	char **arguments = stack + 1;
	char *environment[MAX_ENVIRONMENT + 1];
	int in_root = (long)stack[0] > 0 && same(arguments[0], own_path);
	wide_t entered = now_ns(CLOCK_MONOTONIC);
	long error;

	if (in_root)
		make_truth();
	truth = open_truth();
	if (truth < 0)
		power_off();
	send_start(entered);
	if (!in_root)
		load_modules("/first.list");
	make_folder("/proc");
	mount("proc", "/proc", "proc", 0);
	if (!in_root) {
		/* Before the modules: one that makes flash of a disk looks for the disk's node. */
		mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID);
		load_modules("/modules.list");
	}
	send("loaded", "", 0);
	read_command_line();
	if (!in_root)
		enter_root();
	mount("sysfs", "/sys", "sysfs", 0);
	if (!call(SYS_clone, SIGCHLD, 0, 0, 0, 0))
		serve();
	send_time("handoff");
	call(SYS_close, truth, 0, 0, 0, 0);
	with_path(arguments + (long)stack[0] + 1, environment);
	arguments[0] = system_init;
	error = call(SYS_execve, (long)system_init, (long)arguments, (long)environment, 0, 0);
	truth = open_file("/dev/truth", O_RDWR | O_NOCTTY);
	send_errno("handoff.failed", error);
	for (;;)
		pause_ms(1000);
}
