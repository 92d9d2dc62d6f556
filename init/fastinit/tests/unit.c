// SPDX-License-Identifier: MIT OR Apache-2.0
#include "unit.h"

#include "../fastinit.h"
#include "../notify.h"
#include "../text.h"

static int listen_as_systemd(void)
{
	return notify_listen("of-systemd");
}

static void execute(const char *name, char **envp)
{
	char *words[] = { "/sbin/fastinit", "adopt", (char *)name, NULL };
	char *env[64];
	int n = 0;

	while (*envp && n < 62)
		env[n++] = *envp++;
	env[n++] = "NOTIFY_SOCKET=@fastinit/of-systemd";
	env[n] = NULL;
	call_exec(words[0], words, env);
	call_exit(126);
}

/* Returns whether systemd would take the unit as ready. */
static bool report_message(int fd, void (*report)(const char *a, const char *b, const char *c))
{
	char message[256];
	long n = call_kernel(__NR_recvfrom, fd, (long)message, sizeof(message) - 1, 0, 0, 0), i;

	for (i = 0; i < n; i++)
		if (message[i] == '\n')
			message[i] = ' ';
	message[n > 0 ? n : 0] = 0;
	report("unit says ", message, "");
	while (n-- > 0)
		if (starts_with(message + n, "READY=1"))
			return true;
	return false;
}

void run_unit(const char *name, char **envp, void (*report)(const char *a, const char *b, const char *c))
{
	struct pollfd files[2] = { { listen_as_systemd(), POLLIN, 0 }, { -1, POLLIN, 0 } };
	const char *patience = environment(envp, "TEST_PATIENCE");
	unsigned long long end = call_clock() + (patience ? parse_number(patience) : 10000) * 1000000ULL;
	char number[24];
	struct text t = TEXT(number);
	int pid = call_fork(0), status = 0;

	if (pid == 0)
		execute(name, envp);
	files[1].fd = call_pidfd(pid);
	while (!(files[1].revents & POLLIN) && call_clock() < end) {
		files[0].revents = 0;
		call_poll(files, 2, 100);
		/* Then it ends, or is the program. */
		if (files[0].revents & POLLIN && report_message(files[0].fd, report))
			end = call_clock() + 500000000ULL;
	}
	if (call_wait(pid, &status, WNOHANG) != pid) {
		report("unit runs on", "", "");
		return;
	}
	put_number(&t, (unsigned long long)(status >> 8 & 0xff));
	report("unit ends with ", number, "");
}
