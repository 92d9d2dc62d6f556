// SPDX-License-Identifier: MIT OR Apache-2.0
#include "stay.h"

#include "kernel.h"
#include "log.h"
#include "mounts.h"
#include "text.h"

static const signals_t all_signals = ~0ULL;

static signals_t bit(int signal)
{
	return 1ULL << (signal - 1);
}

/* Reaps all that have ended. Returns whether there are other processes left. */
static bool reap(int *starter)
{
	for (;;) {
		int status = 0;
		int pid = call_wait(-1, &status, WNOHANG);

		if (pid == -EINTR)
			continue;
		if (pid <= 0)
			return pid != -ECHILD;
		if (pid != *starter)
			continue;
		*starter = 0;
		say(status ? LEVEL_ERROR : LEVEL_NOTICE, "the starter ended: programs are not supervised any more", NULL);
	}
}

/* Waits until all processes have ended, or the time is over. Returns whether there are none. */
static bool wait_for_ends(long ms)
{
	const signals_t child = bit(SIGCHLD);
	unsigned long long end = log_elapsed() + (unsigned long long)ms * 1000000;
	int starter = 0;

	while (reap(&starter)) {
		if (log_elapsed() >= end)
			return false;
		if (call_take_signal(&child, 50) < 0)
			call_sleep(1);
	}
	return true;
}

static void shut_down(unsigned int how, long stop_ms) __attribute__((noreturn));
static void shut_down(unsigned int how, long stop_ms)
{
	const long after_kill_ms = 1000;

	say(LEVEL_NOTICE, "shutting down", NULL);
	call_kill(-1, SIGTERM);
	call_kill(-1, SIGCONT);
	if (!wait_for_ends(stop_ms)) {
		say(LEVEL_NOTICE, "killing what has not ended", NULL);
		call_kill(-1, SIGKILL);
		wait_for_ends(after_kill_ms);
	}
	CALL0(__NR_sync);
	mounts_end();
	CALL0(__NR_sync);
	for (;;) {
		CALL4(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, how, NULL);
		call_sleep(1000);
	}
}

void stay_process_1(int starter, long stop_ms, int planned)
{
	const signals_t taken = bit(SIGCHLD) | bit(SIGTERM) | bit(SIGINT) | bit(SIGUSR1) | bit(SIGUSR2) | bit(SIGPWR);

	log_aside(false);
	if (!stop_ms)
		stop_ms = 5000;
	if (planned)
		mounts_make_more();
	call_signal_mask(SIG_SETMASK, &all_signals);
	/* Ctrl-Alt-Del is a SIGINT then. */
	CALL4(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_CAD_OFF, NULL);
	for (;;) {
		/* Now and then without a signal, should one have been missed. */
		const long at_most = 10000;
		int signal;

		reap(&starter);
		signal = call_take_signal(&taken, at_most);
		if (signal == SIGTERM || signal == SIGINT)
			shut_down(LINUX_REBOOT_CMD_RESTART, stop_ms);
		if (signal == SIGUSR2 || signal == SIGPWR)
			shut_down(LINUX_REBOOT_CMD_POWER_OFF, stop_ms);
		if (signal == SIGUSR1)
			shut_down(LINUX_REBOOT_CMD_HALT, stop_ms);
		if (signal < 0 && signal != -EAGAIN && signal != -EINTR)
			call_sleep(10);
	}
}
