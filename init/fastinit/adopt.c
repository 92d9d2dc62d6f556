// SPDX-License-Identifier: MIT OR Apache-2.0
#include "adopt.h"

#include "cgroup.h"
#include "config_file.h"
#include "kernel.h"
#include "log.h"
#include "notify.h"
#include "process_table.h"
#include "program.h"

/* Waits for the end of a process that is not a child. */
static void wait_for_end(int pid)
{
	struct pollfd file = { call_pidfd(pid), POLLIN, 0 };

	while (file.fd >= 0 ? call_poll(&file, 1, -1) <= 0 : call_kill(pid, 0) == 0)
		call_sleep(10);
}

static int tell_systemd(const char *socket, int pid)
{
	char message[48];
	struct text t = TEXT(message);

	if (pid) {
		put(&t, "MAINPID=");
		put_number(&t, (unsigned long long)pid);
		put(&t, "\n");
	}
	put(&t, "READY=1");
	return notify_send(socket, message);
}

static void fail(const char *name, const char *words)
{
	char line[256];
	struct text t = TEXT(line);

	put(&t, "fastinit: ");
	put(&t, name);
	put(&t, ": ");
	put(&t, words);
	put(&t, "\n");
	call_write(2, line, t.used);
}

int adopt(const char *name, char **envp)
{
	static struct config config;
	struct launch launch = { .envp = envp };
	const char *socket = environment(envp, "NOTIFY_SOCKET");
	int noted = cgroup_noted_process(name), running, error, i;
	const struct program *program;

	error = config_read(&config, CONFIG_PATH, true);
	i = error < 0 ? -1 : config_program(&config, name);
	if (i < 0 || config.programs[i].invalid) {
		fail(name, error < 0 ? error_words(error) : "no such program in " CONFIG_PATH);
		return 1;
	}
	program = &config.programs[i];
	/* Where there was no cgroup to note it in, the process is found by its environment. */
	running = noted && cgroup_has(name, noted) ? noted : noted ? 0 : process_with_program(name);
	if (program->once) {
		if (running)
			wait_for_end(running);
		if (running || noted)
			return 0;
	} else if (running) {
		error = socket ? tell_systemd(socket, running) : -EINVAL;
		if (error < 0)
			fail(name, "cannot tell systemd of its process");
		return error < 0;
	} else if (socket && !program->notify) {
		tell_systemd(socket, 0);
	}
	program_become(program, &launch, true);
	return 1;
}
