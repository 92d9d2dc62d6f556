// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Process 1 before the real init. If it ended, the kernel would panic; so it does little: it mounts, forks the starter,
 * waits for a plan and for the starts, and becomes the real init: ALL_AT_MOST after its own start, unless the plan says otherwise. No
 * failure on the way there ends it, and none is silent.
 */
#include "process_1.h"

#include "config_file.h"
#include "kernel.h"
#include "log.h"
#include "mounts.h"
#include "plan.h"
#include "starter.h"
#include "stay.h"

/*
 * In milliseconds since its start: for the configuration, which may be on slow storage, and the starts. With what comes after, 100 ms are not
 * exceeded (tests/qemu-test -t). Tests have limits of their own.
 */
#ifndef ALL_AT_MOST
enum { ALL_AT_MOST = 90 };
#endif

/* The kernel opens /dev/console before it runs init, if the root has one; devtmpfs has one in any case. */
static void open_console(void)
{
	int fd, i;

	for (i = 0; i <= 2; i++)
		if (CALL2(NR_FCNTL, i, F_GETFD) < 0)
			break;
	if (i > 2)
		return;
	fd = call_open("/dev/console", O_RDWR | O_NOCTTY, 0);
	if (fd < 0)
		fd = call_open("/dev/null", O_RDWR, 0);
	if (fd < 0)
		return;
	for (i = 0; i <= 2; i++)
		if (i == fd)
			CALL3(NR_FCNTL, i, F_SETFD, 0);
		else if (CALL2(NR_FCNTL, i, F_GETFD) < 0)
			call_dup(fd, i);
	if (fd > 2)
		call_close(fd);
}

/* Of so many milliseconds from its start; none is 0. */
static long time_left(long ms)
{
	long left = ms - (long)(log_elapsed() / 1000000);

	return left > 0 ? left : 0;
}

static bool is_same_file(const struct statx *a, const struct statx *b)
{
	return a->stx_ino == b->stx_ino && a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

/*
 * Tries the real init, first the configured one, then the usual places, that are not fastinit itself. While it is not known
 * which one is configured, a shell is none.
 */
static void try_inits(const char *configured, bool known, char **argv, char **envp, bool initramfs)
{
	static const char *const usual[] = { "/init", "/sbin/init", "/etc/init", "/bin/init", "/bin/sh" };
	const int count = (int)(sizeof(usual) / sizeof(usual[0])) - !known;
	struct statx self, there;
	bool know_self = call_stat("/proc/self/exe", &self) == 0 || call_stat(argv[0], &self) == 0;
	char *own_name = argv[0];
	int i;

	for (i = configured ? -1 : initramfs ? 0 : 1; i < count; i++) {
		const char *path = i < 0 ? configured : usual[i];
		int error;

		if (know_self && call_stat(path, &there) == 0 && is_same_file(&self, &there)) {
			if (i < 0)
				say(LEVEL_ERROR, path, ": is fastinit itself, not the real init", NULL);
			continue;
		}
		argv[0] = (char *)path;
		error = call_exec(path, argv, envp);
		/* Memory may be short for a moment, or the file being written: no reason for another init. */
		if (error != -ENOENT) {
			if (time_left(ALL_AT_MOST) > 0)
				call_sleep(10);
			error = call_exec(path, argv, envp);
		}
		/* The usual places are tried in turn. */
		if (i < 0 || error != -ENOENT)
			say(LEVEL_ERROR, path, ": cannot run the real init: ", error_words(error), NULL);
	}
	argv[0] = own_name;
}

/* Becomes the real init. Returns if there is none. */
static void become(const char *configured, bool known, char **argv, char **envp, bool initramfs)
{
	if (initramfs)
		mounts_undo();
	try_inits(configured, known, argv, envp, initramfs);
	say(LEVEL_ERROR, known ? "there is no real init: fastinit stays process 1"
			       : "there is no usual real init: waiting for the configuration", NULL);
	if (initramfs)
		mounts_make();
}

static void wait_for_starts(int pipe, const struct plan *plan)
{
	struct pollfd file = { pipe, POLLIN, 0 };
	long ms = time_left(plan->hold_given ? plan->hold_ms : ALL_AT_MOST);

	if (ms > 0 && pipe >= 0)
		call_poll(&file, 1, ms);
}

/* In an initramfs the programs keep what is mounted here, and the initramfs's own init mounts it again. */
static int fork_starter(bool initramfs)
{
	int pid = call_fork(initramfs ? CLONE_NEWNS : 0);

	if (initramfs && pid < 0)
		pid = call_fork(0);
	/* What made it fail may be over. */
	return pid < 0 ? call_fork(0) : pid;
}

static void as_starter(const char *config, char **argv, char **envp, int pipe, bool stay, bool initramfs)
{
	const signals_t broken_pipe = 1ULL << (SIGPIPE - 1);

	/* Nobody waits for what it says. */
	log_aside(false);
	/* systemd spares what is marked so, when it leaves an initramfs and when it shuts down. */
	if (initramfs)
		argv[0][0] = '@';
	/* Process 1 may have gone on. */
	call_signal_mask(SIG_BLOCK, &broken_pipe);
	starter_run(config, envp, pipe, stay, initramfs);
	call_exit(0);
}

void process_1(char **argv, char **envp)
{
	const char *option = environment(envp, "fastinit");
	const char *config = option && *option == '/' ? option : CONFIG_PATH;
	bool stay = option && same(option, "stay"), initramfs;
	struct plan plan = { 0 };
	enum plan_state state;
	int ends[2] = { -1, -1 }, starter, error;

	log_begin();
	log_aside(true);
	initramfs = in_initramfs();
	if (option && same(option, "off")) {
		become(NULL, true, argv, envp, initramfs);
		stay_process_1(0, 0, 0);
	}
	mounts_make();
	open_console();
	log_keep_open();
	error = call_pipe(ends);
	if (error < 0)
		say(LEVEL_ERROR, "cannot make a pipe: ", error_words(error), NULL);
	starter = fork_starter(initramfs);
	if (starter == 0) {
		if (ends[0] >= 0)
			call_close(ends[0]);
		as_starter(config, argv, envp, ends[1], stay, initramfs);
	}
	if (starter < 0)
		say(LEVEL_ERROR, "cannot start a process: ", error_words(starter), NULL);
	if (ends[1] >= 0)
		call_close(ends[1]);
	state = starter < 0 ? PLAN_BROKEN : plan_read(ends[0], &plan, time_left(ALL_AT_MOST));
	if (state == PLAN_READ && !stay && !plan.stay)
		wait_for_starts(ends[0], &plan);
	if (state == PLAN_LATE && !stay) {
		say(LEVEL_ERROR, "going on without a plan: the configuration was not read in time", NULL);
		become(NULL, false, argv, envp, initramfs);
		plan_read(ends[0], &plan, -1);
	}
	if (stay || plan.stay) {
		if (ends[0] >= 0)
			call_close(ends[0]);
		stay_process_1(starter, plan.stop_ms, 1);
	}
	become(plan.init[0] ? plan.init : NULL, true, argv, envp, initramfs);
	if (ends[0] >= 0)
		call_close(ends[0]);
	stay_process_1(starter, plan.stop_ms, 0);
}
