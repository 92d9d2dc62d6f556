// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace BAUD FILE COMMAND..: runs COMMAND and copies its standard output to FILE at the speed of a
 * serial line, 8n1. SIGTERM and SIGINT are passed on to COMMAND.
 *
 * A pipe in packet mode uses a slot for each write, so that a QEMU whose UART sends single bytes
 * is paced byte by byte. While the line is busy, byte n is read when a serial line would have
 * transmitted it; a reader that is late catches up by at most 50 ms.
 *
 * In older kernels a driver waits 10 ms for the line: if the host is as late, bytes are lost. So
 * this process and QEMU's main loop, which both sleep nearly always, run before all ordinary
 * processes where that is allowed (root). FILE.late is how late the host woke an ordinary one, such
 * as QEMU's processors, in ms, at the worst.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS 50000000
#define NAP_NS 2000000

static pid_t child;

static void pass_on(int signal)
{
	kill(child, signal);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_until(long long ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Threads and processes that this one starts, such as QEMU's processors, are ordinary ones. */
static void run_first(void)
{
	struct sched_param param = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

/* Sleeps again and again in a process of its own, as this one may be stopped on purpose. */
static void watch_host(long long *late_ns)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		long long due_ns = now_ns() + NAP_NS, over_ns;

		sleep_until(due_ns);
		over_ns = now_ns() - due_ns;
		if (over_ns > *late_ns)
			__atomic_store_n(late_ns, over_ns, __ATOMIC_RELAXED);
	}
}

static int report(const char *file, long long late_ns)
{
	char name[4096];
	FILE *to;

	snprintf(name, sizeof(name), "%s.late", file);
	to = fopen(name, "w");
	if (!to)
		return 2;
	fprintf(to, "%lld\n", late_ns / 1000000);
	return fclose(to) ? 2 : 0;
}

int main(int argc, char **argv)
{
	long long *late_ns;
	long long byte_ns, free_ns = 0;
	int baud, out, status, ends[2];
	char buffer[4096];
	ssize_t n;

	baud = argc < 4 ? 0 : atoi(argv[1]);
	if (baud <= 0) {
		fprintf(stderr, "usage: pace BAUD FILE COMMAND..\n");
		return 2;
	}
	byte_ns = 10000000000LL / baud;
	out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	late_ns = mmap(NULL, sizeof(*late_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (out < 0 || late_ns == MAP_FAILED || pipe2(ends, O_DIRECT | O_CLOEXEC)) {
		perror(argv[2]);
		return 2;
	}
	fcntl(ends[1], F_SETPIPE_SZ, 4096 * (baud > 9600 ? 8 : 1));
	child = fork();
	if (child < 0)
		return 2;
	if (!child) {
		dup2(ends[1], 1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_first();
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	close(ends[1]);
	watch_host(late_ns);
	run_first();
	signal(SIGTERM, pass_on);
	signal(SIGINT, pass_on);
	while ((n = read(ends[0], buffer, sizeof(buffer))) != 0) {
		long long now = now_ns();

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || write(out, buffer, n) != n)
			break;
		if (free_ns < now - PATIENCE_NS)
			free_ns = now;
		free_ns += n * byte_ns;
		sleep_until(free_ns);
	}
	waitpid(child, &status, 0);
	if (report(argv[2], __atomic_load_n(late_ns, __ATOMIC_RELAXED)))
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
