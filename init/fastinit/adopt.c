// SPDX-License-Identifier: MIT OR Apache-2.0
#include "adopt.h"

#include "cgroup.h"
#include "condition.h"
#include "config_file.h"
#include "kernel.h"
#include "log.h"
#include "note.h"
#include "notify.h"
#include "process_start.h"
#include "program.h"

/* A program that is to be a unit, and what has been found out about it. */
struct adoption {
	const struct program *program;
	/* systemd's, or null. */
	const char *socket;
	int folder;
	struct note note;
};

static const unsigned long long ms = 1000000;

static void fail(const char *name, const char *words, const char *about)
{
	char line[256];
	struct text t = TEXT(line);

	put(&t, "fastinit: ");
	put(&t, name);
	put(&t, ": ");
	put(&t, words);
	put(&t, about);
	put(&t, "\n");
	call_write(2, line, t.used);
}

/* Sleeps a little. The configuration alone says how long a start may take, so systemd is asked for time. */
static void wait_a_little(const char *socket)
{
	static unsigned long long ask_at;

	if (socket && log_elapsed() >= ask_at) {
		notify_send(socket, "EXTEND_TIMEOUT_USEC=60000000");
		ask_at = log_elapsed() + 10000 * ms;
	}
	call_sleep(log_elapsed() < 2000 * ms ? 10 : 100);
}

static bool is_alive(const struct process *process)
{
	unsigned long long start = process_start(process->pid);

	if (start && process->start)
		return start == process->start;
	/* Processes of others may be hidden from this one. */
	return process->pid > 0 && call_kill(process->pid, 0) != -ESRCH;
}

static bool is_running(const struct adoption *a)
{
	if (a->note.state != NOTE_RUNNING && a->note.state != NOTE_READY)
		return false;
	if (a->note.program.start && process_start(a->note.program.pid))
		return is_alive(&a->note.program);
	return cgroup_has(a->folder, a->note.program.pid);
}

/* Waits as long as the note is in this state and the starter lives, which would change it. */
static void wait_while(struct adoption *a, enum note_state state)
{
	bool starter_lives = true;

	for (;;) {
		a->note = note_read(a->folder, a->program->name);
		if (a->note.state != state || !starter_lives)
			return;
		/* Then the note is read once more: it may have been changed last of all. */
		starter_lives = is_alive(&a->note.starter);
		/* What is not there any more is not noted as ready either. */
		if (state == NOTE_RUNNING && !a->program->once && !is_running(a))
			return;
		if (starter_lives)
			wait_a_little(a->socket);
	}
}

/* Returns what is missing after the time that the configuration allows, or null. Programs: see `After=` of the unit. */
static const char *wait_for_conditions(const struct adoption *a)
{
	const struct program *program = a->program;
	unsigned long long since = log_elapsed();
	int i;

	for (i = 0; i < program->condition_count; i++)
		while (condition_is_polled(&program->conditions[i]) && !condition_is_met(&program->conditions[i])) {
			if (program->timeout_ms && log_elapsed() - since > program->timeout_ms * ms)
				return program->conditions[i].what;
			wait_a_little(a->socket);
		}
	return NULL;
}

static int tell_systemd(const struct adoption *a, int pid)
{
	char message[48];
	struct text t = TEXT(message);

	if (pid) {
		put(&t, "MAINPID=");
		put_number(&t, (unsigned long long)pid);
		put(&t, "\n");
	}
	put(&t, "READY=1");
	return a->socket ? notify_send(a->socket, message) : -EINVAL;
}

/* The exit status of a program that runs once, as its unit's. */
static int status_of(const struct adoption *a)
{
	int status = a->note.status, signal = status & 0x7f;

	if (a->note.state != NOTE_ENDED || status < 0) {
		fail(a->program->name, "fastinit has started it, but how it ended is unknown", "");
		return 1;
	}
	return signal ? 128 + signal : (status >> 8) & 0xff;
}

static int adopt_running(const struct adoption *a)
{
	int error = tell_systemd(a, a->note.program.pid);

	if (error == 0)
		return 0;
	fail(a->program->name, "cannot tell systemd of its process: ", error_words(error));
	/* If this ended now, systemd would end the program. */
	while (is_running(a))
		call_sleep(100);
	return 1;
}

int adopt(const char *name, char **envp)
{
	static struct config config;
	struct launch launch = { .envp = envp };
	struct adoption a = { .socket = environment(envp, "NOTIFY_SOCKET"), .folder = cgroup_open(name) };
	const char *missing;
	int error, i;

	error = config_read(&config, config_path(), true);
	i = error < 0 ? -1 : config_program(&config, name);
	if (i < 0 || config.programs[i].invalid) {
		fail(name, error < 0 ? error_words(error) : "no such program in ", error < 0 ? "" : config_path());
		return 1;
	}
	a.program = &config.programs[i];
	wait_while(&a, NOTE_PENDING);
	if (a.program->once && (is_running(&a) || a.note.state == NOTE_RUNNING || a.note.state == NOTE_ENDED)) {
		wait_while(&a, NOTE_RUNNING);
		return status_of(&a);
	}
	if (a.program->notify)
		wait_while(&a, NOTE_RUNNING);
	if (is_running(&a))
		return adopt_running(&a);
	missing = wait_for_conditions(&a);
	if (missing) {
		fail(name, "not started: still missing: ", missing);
		return 1;
	}
	if (a.socket && !a.program->notify)
		tell_systemd(&a, 0);
	program_become(a.program, &launch, true);
	return 1;
}
