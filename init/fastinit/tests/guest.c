// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * What the tests start: applications and an init, in one program, on the same system calls as fastinit. It reports in lines to
 * the file that TEST_LOG names (a port of the machine, or a file).
 *
 *   app NAME [ready] [file PATH] [socket PATH] [for MS] [exit STATUS] [crash] [kill PROCESS] [print VARIABLE] [say TIMES] [nth N PATH]
 *   init           the real init: reports, runs the unit that TEST_UNIT names, waits for the application, reaps, powers off
 */
#include "../fastinit.h"
#include "../notify.h"
#include "../text.h"
#include "unit.h"

#include <linux/un.h>

static char **env;

static void report(const char *a, const char *b, const char *c)
{
	const char *log = environment(env, "TEST_LOG");
	char line[256];
	struct text t = TEXT(line);
	int fd = call_open(log ? log : "/dev/console", O_WRONLY | O_APPEND | O_NOCTTY, 0);

	put(&t, "TEST ");
	put(&t, a);
	put(&t, b);
	put(&t, c);
	put(&t, "\n");
	if (fd < 0)
		fd = 1;
	call_write(fd, line, t.used);
}

static void listen_at(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX_DOMAIN };
	int fd = (int)CALL3(__NR_socket, AF_UNIX_DOMAIN, SOCKET_STREAM, 0);
	size_t i;

	for (i = 0; path[i] && i < sizeof(to.sun_path) - 1; i++)
		to.sun_path[i] = path[i];
	/* Bound, but not yet listening: who waits for the socket has to wait on. */
	CALL3(__NR_bind, fd, &to, sizeof(to));
	call_sleep(50);
	CALL2(__NR_listen, fd, 5);
}

/* At the nth run, reports it and makes a file. */
static void count_run(const char *name, unsigned long nth, const char *path)
{
	char counted[128];
	struct text t = TEXT(counted);
	struct statx found;
	int fd;

	put(&t, path);
	put(&t, ".runs");
	fd = call_open(counted, O_WRONLY | O_CREAT | O_APPEND, 0644);
	call_write(fd, "x", 1);
	call_close(fd);
	if (call_stat(counted, &found) < 0 || found.stx_size != nth)
		return;
	call_close(call_open(path, O_WRONLY | O_CREAT, 0644));
	report(name, " has run often enough", "");
}

/* Finds a process, other than process 1, whose command line begins with this name, which it copies as it is there. Returns 0 if there is none. */
static int find_process(const char *name, char *line, size_t size)
{
	char path[64];
	int pid;

	for (pid = 2; pid < 400; pid++) {
		struct text t = TEXT(path);
		long n;
		int fd;

		put(&t, "/proc/");
		put_number(&t, (unsigned long long)pid);
		put(&t, "/cmdline");
		fd = call_open(path, O_RDONLY, 0);
		if (fd < 0)
			continue;
		n = call_read(fd, line, size - 1);
		call_close(fd);
		if (n <= 0)
			continue;
		line[n] = 0;
		/* In an initramfs fastinit replaces the first byte. */
		if (same(line, name) || (line[0] == '@' && (same(line + 1, name) || same(line + 1, name + 1))))
			return pid;
	}
	return 0;
}

static int app(char **words)
{
	const char *name = *words ? *words++ : "?";
	char number[24];
	struct text t = TEXT(number);

	put_number(&t, (unsigned long long)CALL0(__NR_getuid));
	report(name, " runs as ", number);
	for (; *words; words++) {
		if (same(*words, "ready")) {
			const char *socket = environment(env, "NOTIFY_SOCKET");

			report(name, " is ready", "");
			notify_send(socket ? socket : "/", "STATUS=up\nREADY=1");
		} else if (same(*words, "crash")) {
			call_kill(call_pid(), SIGSEGV);
		} else if (same(*words, "forever")) {
			for (;;)
				call_sleep(100000);
		} else if (!words[1]) {
			return 2;
		} else if (same(*words, "file")) {
			call_close(call_open(*++words, O_WRONLY | O_CREAT, 0644));
		} else if (same(*words, "socket")) {
			listen_at(*++words);
		} else if (same(*words, "for")) {
			call_sleep((long)parse_number(*++words));
		} else if (same(*words, "say")) {
			unsigned long times = parse_number(*++words);

			while (times--)
				notify_send(environment(env, "NOTIFY_SOCKET"), "STATUS=well");
			report(name, " has said it", "");
		} else if (same(*words, "kill")) {
			char line[64];
			int pid = find_process(*++words, line, sizeof(line));

			if (pid && !call_kill(pid, SIGKILL))
				report(name, " has killed ", line);
		} else if (same(*words, "nth")) {
			count_run(name, parse_number(words[1]), words[2]);
			words += 2;
		} else if (same(*words, "print")) {
			const char *value = environment(env, *++words);

			report(name, " has ", value ? value : "nothing");
		} else if (same(*words, "exit")) {
			report(name, " ends", "");
			return (int)parse_number(*++words);
		}
	}
	report(name, " ends", "");
	return 0;
}

/* Waits until somebody has reported this, at most for the milliseconds of TEST_PATIENCE. */
static void await(const char *words)
{
	static char log[16384];
	const char *patience = environment(env, "TEST_PATIENCE");
	unsigned long long end = call_clock() + (patience ? parse_number(patience) : 10000) * 1000000ULL;

	while (call_clock() < end) {
		int fd = call_open(environment(env, "TEST_LOG"), O_RDONLY, 0);
		long n = call_read(fd, log, sizeof(log) - 1), at;

		call_close(fd);
		log[n > 0 ? n : 0] = 0;
		for (at = 0; at < n; at++)
			if (starts_with(log + at, words))
				return;
		call_sleep(10);
	}
}

static void look_for(const char *name)
{
	char line[64];

	if (find_process(name, line, sizeof(line)))
		report("init sees ", line, "");
	else
		report("init does not see ", name, "");
}

static int init(char **words) __attribute__((noreturn));
static int init(char **words)
{
	char number[24];
	struct text t = TEXT(number);
	const char *sought = environment(env, "TEST_SEES"), *wait = environment(env, "TEST_WAIT");
	const char *unit = environment(env, "TEST_UNIT"), *awaited = environment(env, "TEST_AWAIT");
	const char *log = environment(env, "TEST_LOG");
	signals_t blocked = 0;
	int status, pid, reaped = 0;

	/* In an initramfs, /dev is empty again. */
	if (log && same(log, "/dev/kmsg") && environment(env, "TEST_STAMPS"))
		call_mknod(log, S_IFCHR | 0600, 1 << 8 | 11);
	put_number(&t, (unsigned long long)call_pid());
	report("init is process ", number, "");
	report("init's name is ", words[0], "");
	if (words[1])
		report("init's argument is ", words[1], "");
	CALL4(__NR_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof(blocked));
	report("init's signals are ", blocked ? "blocked" : "free", "");
	call_mkdir("/proc", 0755);
	call_mount("proc", "/proc", "proc", 0, "");
	if (unit)
		run_unit(unit, env, report);
	if (awaited)
		await(awaited);
	call_sleep(wait ? (long)parse_number(wait) : 300);
	if (sought)
		look_for(sought);
	while ((pid = call_wait(-1, &status, WNOHANG)) > 0)
		reaped++;
	t = TEXT(number);
	put_number(&t, (unsigned long long)reaped);
	report("init reaped ", number, "");
	report("init powers off", "", "");
	for (;;) {
		CALL4(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, NULL);
		call_sleep(1000);
	}
}

int run(char **argv, char **envp)
{
	const char *name = base_name(argv[0]);

	env = envp;
	if (call_pid() == 1 || same(name, "init"))
		return init(argv);
	return app(argv + 1);
}
