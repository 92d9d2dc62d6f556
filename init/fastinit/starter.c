// SPDX-License-Identifier: MIT OR Apache-2.0
#include "starter.h"

#include "cgroup.h"
#include "condition.h"
#include "config_file.h"
#include "devices.h"
#include "kernel.h"
#include "log.h"
#include "note.h"
#include "notify.h"
#include "plan.h"
#include "process_start.h"
#include "program.h"
#include "readahead.h"

enum phase { WAITING, RUNNING, ENDED, DROPPED };

struct state {
	enum phase phase;
	int pid;
	/* -1: none. */
	int pidfd, notify;
	/* Its cgroup's; negative: none. */
	int folder;
	/* Once it has been started, its conditions hold for ever. `unnoted`: its process may not have noted itself yet. */
	bool started, ready, succeeded, unnoted;
	/* Not yet in the log. */
	bool report_start, report_ready;
	unsigned long long started_at, ready_at;
	/* When it is started again at the earliest, and how long it waits then. */
	unsigned long long not_before, delay;
};

struct starter {
	struct config config;
	struct state states[MAX_PROGRAMS];
	struct launch launch;
	struct process self;
	int pipe;
	/* `reads`: readahead is still to begin. */
	bool told, supervise, reads;
};

static struct starter starter;

static const unsigned long long ms = 1000000;

/* In milliseconds since fastinit's start: readahead waits no longer for programs that are not ready. */
enum { READ_AHEAD_AFTER = 5000 };
/* In milliseconds since its own start: a program that has not noted itself by then could not, and has said so. */
enum { NOTED_AFTER = 2000 };

/* --- conditions --------------------------------------------------------------------------------------------------- */

static bool holds(const struct condition *c)
{
	const struct state *other = &starter.states[c->program];

	switch (c->kind) {
	case AFTER_FILE:
	case AFTER_DEVICE:
	case AFTER_SOCKET:
		return condition_is_met(c);
	case AFTER_START:
		return other->started;
	case AFTER_READY:
		return other->ready;
	case AFTER_EXIT:
		return other->phase == ENDED && other->succeeded;
	}
	return false;
}

/* Whether it never will: the other program is over, or is not going to be started. */
static bool is_hopeless(const struct condition *c)
{
	const struct state *other = &starter.states[c->program];

	if (condition_is_polled(c))
		return false;
	if (other->phase == DROPPED)
		return true;
	if (c->kind == AFTER_EXIT)
		return other->phase == ENDED && !other->succeeded;
	return c->kind == AFTER_READY && other->phase == ENDED && !other->ready;
}

static const struct condition *first_missing(const struct program *program)
{
	int i;

	for (i = 0; i < program->condition_count; i++)
		if (!holds(&program->conditions[i]))
			return &program->conditions[i];
	return NULL;
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

static void write_note(int i, enum note_state now, int status)
{
	const struct state *state = &starter.states[i];
	const struct note note = { now, { state->pid, process_start(state->pid) }, starter.self, status };

	note_write(state->folder, starter.config.programs[i].name, &note);
}

static void drop(int i, const char *words, const char *about)
{
	starter.states[i].phase = DROPPED;
	write_note(i, NOTE_NONE, -1);
	say(LEVEL_ERROR, starter.config.programs[i].name, ": not started: ", words, about, NULL);
}

/* Before the real init can run: what is noted as pending is not started by its unit. */
static void claim(int i)
{
	const char *name = starter.config.programs[i].name;
	struct state *state = &starter.states[i];

	state->folder = cgroup_make(name);
	if (state->folder < 0)
		say(LEVEL_NOTICE, name, ": no cgroup of its own: ", error_words(state->folder), NULL);
	if (cgroup_is_used(state->folder)) {
		state->phase = DROPPED;
		say(LEVEL_NOTICE, name, ": its unit has started it already", NULL);
		return;
	}
	write_note(i, NOTE_PENDING, -1);
}

/* Never none: a program that fails at once would keep the processor busy. */
static unsigned long long first_delay(const struct program *program)
{
	return (program->restart_delay_ms < 10 ? 10 : program->restart_delay_ms) * ms;
}

/* Again after a pause that doubles each time, up to 10 s. */
static void consider_restart(int i)
{
	const struct program *program = &starter.config.programs[i];
	struct state *state = &starter.states[i];
	const unsigned long long longest = 10000 * ms;

	state->phase = ENDED;
	if (!starter.supervise || program->restart == RESTART_NO ||
	    (program->restart == RESTART_ON_FAILURE && state->succeeded))
		return;
	if (log_elapsed() - state->started_at > longest || !state->delay)
		state->delay = first_delay(program);
	else
		state->delay = state->delay * 2 < longest ? state->delay * 2 : longest;
	state->not_before = log_elapsed() + state->delay;
	state->phase = WAITING;
}

static void start_program(int i)
{
	const struct program *program = &starter.config.programs[i];
	struct state *state = &starter.states[i];
	struct launch launch = starter.launch;

	if (program->notify && state->notify < 0) {
		state->notify = notify_listen(program->name);
		if (state->notify < 0)
			say(LEVEL_ERROR, program->name, ": cannot listen for its readiness: ",
			    error_words(state->notify), NULL);
	}
	/* Its exit status is known only to its parent. */
	if (program->once)
		launch.sibling = false;
	state->started_at = log_elapsed();
	state->pid = program_start(program, &launch, state->folder, &starter.self);
	if (state->pid < 0) {
		say(LEVEL_ERROR, program->name, ": cannot start a process: ", error_words(state->pid), NULL);
		state->succeeded = false;
		/* Once more, even if it is not restarted otherwise: the cause is not the program. */
		if (!state->delay) {
			state->delay = first_delay(program);
			state->not_before = log_elapsed() + state->delay;
			return;
		}
		consider_restart(i);
		if (state->phase == ENDED)
			write_note(i, NOTE_NONE, -1);
		return;
	}
	state->phase = RUNNING;
	state->started = state->report_start = state->unnoted = true;
	state->pidfd = call_pidfd(state->pid);
}

static bool start_what_can(void)
{
	bool any = false;
	int i;

	for (i = 0; i < starter.config.program_count; i++) {
		const struct program *program = &starter.config.programs[i];
		struct state *state = &starter.states[i];
		const struct condition *missing;
		int k;

		if (state->phase != WAITING || state->not_before > log_elapsed())
			continue;
		missing = state->started ? NULL : first_missing(program);
		if (!missing) {
			start_program(i);
			any = true;
			continue;
		}
		for (k = 0; k < program->condition_count; k++)
			if (is_hopeless(&program->conditions[k]))
				missing = &program->conditions[k];
		if (is_hopeless(missing))
			drop(i, missing->what, " failed or was not started");
		else if (program->timeout_ms && log_elapsed() > program->timeout_ms * ms)
			drop(i, "still missing: ", missing->what);
		any |= state->phase == DROPPED;
	}
	return any;
}

static void note_end(int i, int status, bool known)
{
	const struct program *program = &starter.config.programs[i];
	struct state *state = &starter.states[i];
	char number[24];
	struct text t = TEXT(number);
	/* The low seven bits are the signal, if there is one. */
	int signal = status & 0x7f;

	if (state->pidfd >= 0)
		call_close(state->pidfd);
	state->pidfd = -1;
	state->succeeded = known && status == 0;
	put_number(&t, (unsigned long long)(signal ? signal : (status >> 8) & 0xff));
	if (!known)
		say(LEVEL_NOTICE, program->name, ": ended", NULL);
	else if (status)
		say(LEVEL_ERROR, program->name, signal ? ": killed by signal " : ": exited with status ", number, NULL);
	else
		say(LEVEL_INFO, program->name, ": exited with status 0", NULL);
	consider_restart(i);
	write_note(i, state->phase == WAITING ? NOTE_PENDING : NOTE_ENDED, known ? status : -1);
}

/* Looks whether it has ended: as its parent, else (a child of process 1) by its pidfd alone. */
static void look_for_end(int i, bool signalled)
{
	struct state *state = &starter.states[i];
	int status = 0;
	int error = call_wait(state->pid, &status, WNOHANG);

	if (error == state->pid)
		note_end(i, status, true);
	else if (error == -ECHILD && (signalled || (state->pidfd < 0 && call_kill(state->pid, 0) == -ESRCH)))
		note_end(i, 0, false);
}

/* --- process 1 and the log ---------------------------------------------------------------------------------------- */

static bool may_hand_over(void)
{
	int hold = starter.config.hold_program;
	const struct state *state = &starter.states[hold < 0 ? 0 : hold];

	if (hold < 0 || state->phase == DROPPED || state->phase == ENDED)
		return true;
	return starter.config.programs[hold].notify ? state->ready : state->started;
}

/* Records are written after process 1 has been told: a synchronous console may take long for each. */
static void report(void)
{
	char number[24], when[24];
	struct text t;
	int i;

	for (i = 0; i < starter.config.program_count; i++) {
		struct state *state = &starter.states[i];
		const char *name = starter.config.programs[i].name;

		if (state->report_start) {
			t = TEXT(number);
			put_number(&t, (unsigned long long)state->pid);
			t = TEXT(when);
			put_seconds(&t, state->started_at);
			/* What notifies is up only when it says so. */
			say(LEVEL_INFO, name, starter.config.programs[i].notify ? ": starting after " : ": started after ", when,
			    " s, process ", number, NULL);
		}
		if (state->report_ready) {
			t = TEXT(when);
			put_seconds(&t, state->ready_at);
			say(LEVEL_INFO, name, ": ready after ", when, " s", NULL);
		}
		state->report_start = state->report_ready = false;
	}
}

static void tell_process_1(void)
{
	char when[24];
	struct text t = TEXT(when);

	if (starter.told || !may_hand_over())
		return;
	starter.told = true;
	put_seconds(&t, log_elapsed());
	plan_go(starter.pipe);
	say(LEVEL_INFO, "process 1 goes on after ", when, " s", NULL);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

/* Quick at first, when a boot depends on it; then less and less often. */
static long poll_interval(void)
{
	unsigned long long elapsed = log_elapsed();

	return elapsed < 5000 * ms ? 2 : elapsed < 60000 * ms ? 20 : 500;
}

/*
 * In milliseconds: until this program's conditions have to be looked at, of those that no file reports; -1: not before a file
 * reports; 0: it can start now. Each is looked at once: what has come since they were looked at before has not started anything yet.
 */
static long time_to_next_look(const struct program *program)
{
	bool all = true, polled = false;
	int k;

	for (k = 0; k < program->condition_count; k++) {
		if (holds(&program->conditions[k]))
			continue;
		all = false;
		polled |= condition_is_polled(&program->conditions[k]);
	}
	return all ? 0 : polled ? poll_interval() : program->timeout_ms ? 20 : -1;
}

/*
 * Whether it may still note itself. Until then its unit finds it pending, and takes it for one that nobody is going to start if this
 * process does not live any more.
 */
static bool is_unnoted(int i)
{
	struct state *state = &starter.states[i];

	if (state->unnoted)
		state->unnoted = state->phase == RUNNING && log_elapsed() - state->started_at < NOTED_AFTER * ms &&
				 note_read(state->folder, starter.config.programs[i].name).state == NOTE_PENDING;
	return state->unnoted;
}

/* In milliseconds: until something has to be looked at that no file reports; -1: not before a file reports. */
static long time_to_wait(void)
{
	const unsigned long long now = log_elapsed();
	const long to_reads = now < READ_AHEAD_AFTER * ms ? (long)(READ_AHEAD_AFTER - now / ms) + 1 : 0;
	long shortest = starter.reads ? to_reads : -1;
	int i;

	for (i = 0; i < starter.config.program_count; i++) {
		const struct program *program = &starter.config.programs[i];
		const struct state *state = &starter.states[i];
		long wait = -1;

		if (state->phase == RUNNING && state->pidfd < 0)
			wait = 20;
		if (!starter.supervise && is_unnoted(i))
			wait = 2;
		if (state->phase == WAITING)
			wait = state->not_before > now ? (long)((state->not_before - now) / ms) + 1
				: state->started       ? 0
						       : time_to_next_look(program);
		if (wait >= 0 && (shortest < 0 || wait < shortest))
			shortest = wait;
	}
	return shortest;
}

static void wait_for_events(void)
{
	struct pollfd files[2 * MAX_PROGRAMS];
	int owner[2 * MAX_PROGRAMS];
	unsigned int n = 0, f;
	int i;

	for (i = 0; i < starter.config.program_count; i++) {
		const struct state *state = &starter.states[i];

		/* Always emptied: a program that goes on reporting would block once it is full. */
		if (state->notify >= 0) {
			owner[n] = i;
			files[n++] = (struct pollfd){ state->notify, POLLIN, 0 };
		}
		if (state->phase == RUNNING && state->pidfd >= 0) {
			owner[n] = i;
			files[n++] = (struct pollfd){ state->pidfd, POLLIN, 0 };
		}
	}
	if (call_poll(files, n, time_to_wait()) < 0) {
		/* Nothing may keep the processor busy, whatever fails. */
		call_sleep(1);
		for (f = 0; f < n; f++)
			files[f].revents = 0;
	}
	for (f = 0; f < n; f++) {
		struct state *state = &starter.states[owner[f]];

		if (files[f].fd == state->notify && files[f].revents) {
			if (!notify_take_ready(state->notify, starter.config.programs[owner[f]].user) || state->ready)
				continue;
			state->ready = state->report_ready = true;
			state->ready_at = log_elapsed();
			write_note(owner[f], NOTE_READY, -1);
		} else if (files[f].fd == state->pidfd && files[f].revents) {
			look_for_end(owner[f], true);
		}
	}
	for (i = 0; i < starter.config.program_count; i++)
		if (starter.states[i].phase == RUNNING && starter.states[i].pidfd < 0)
			look_for_end(i, false);
}

/* A recording begins before the programs, so that it has what they read. Returns whether a process of its own is to go on. */
static bool prepare_readahead(bool initramfs)
{
	const struct config *config = &starter.config;

	if (!config->readahead && !config->record)
		return false;
	if (initramfs) {
		say(LEVEL_ERROR, "no readahead from an initramfs: its files are in memory", NULL);
		return false;
	}
	return !config->record || readahead_begin() == 0;
}

/* A process of its own, which this one does not wait for. */
static void begin_readahead(void)
{
	const struct config *config = &starter.config;
	int pid = call_fork(CLONE_PARENT), i;

	starter.reads = false;
	if (pid == 0) {
		/* What it kept open would look as if the starter lived. */
		if (starter.pipe >= 0 && !starter.told)
			call_close(starter.pipe);
		for (i = 0; i < config->program_count; i++)
			if (starter.states[i].notify >= 0)
				call_close(starter.states[i].notify);
		call_exit(config->record ? readahead_record(config->record, config->record_ms)
					 : readahead_replay(config->readahead));
	}
	readahead_leave();
	if (pid < 0)
		say(LEVEL_ERROR, "no readahead: ", error_words(pid), NULL);
}

/* Whether it has said that it will say when it is ready, and has not. */
static bool is_coming_up(int i)
{
	const struct state *state = &starter.states[i];

	return state->phase == RUNNING && starter.config.programs[i].notify && state->notify >= 0 && !state->ready;
}

/* The programs' own reads come first: until each has started, and is ready if it says so. One that is missed for long holds up nothing. */
static bool may_read_ahead(void)
{
	int i;

	if (log_elapsed() > READ_AHEAD_AFTER * ms)
		return true;
	for (i = 0; i < starter.config.program_count; i++)
		if ((starter.states[i].phase == WAITING && !starter.states[i].started) || is_coming_up(i))
			return false;
	return true;
}

/* Whether anything may still happen that this process has to do. */
static bool is_needed(void)
{
	int i;

	if (starter.supervise)
		return true;
	for (i = 0; i < starter.config.program_count; i++) {
		const struct state *state = &starter.states[i];

		if (state->phase == WAITING || (state->phase == RUNNING && starter.config.programs[i].once) || is_coming_up(i) ||
		    is_unnoted(i))
			return true;
	}
	return false;
}

void starter_run(const char *config_path, char **envp, int pipe, bool stay, bool initramfs)
{
	const struct config *config = &starter.config;
	int error = config_read(&starter.config, config_path, false), i;

	starter.pipe = pipe;
	if (error < 0) {
		say(LEVEL_ERROR, config_path, ": ", error_words(error), "; nothing is started", NULL);
		starter.config = (struct config){ .hold_program = -1, .stop_ms = 5000 };
	}
	stay |= config->after_start == AFTER_START_STAY;
	starter.self.pid = call_pid();
	starter.self.start = process_start(starter.self.pid);
	for (i = 0; i < config->program_count; i++) {
		starter.states[i] = (struct state){ .phase = config->programs[i].invalid ? DROPPED : WAITING,
						    .pidfd = -1, .notify = -1, .folder = -1 };
		if (!config->programs[i].invalid)
			claim(i);
	}
	plan_send(starter.pipe, config, stay);
	starter.supervise = stay || config->supervise;
	starter.launch = (struct launch){ envp, !starter.supervise, initramfs, config->console };
	devices_make(config);
	starter.reads = prepare_readahead(initramfs);
	while (start_what_can())
		;
	if (starter.reads && config->record)
		begin_readahead();
	for (;;) {
		while (start_what_can())
			;
		tell_process_1();
		report();
		if (starter.reads && may_read_ahead())
			begin_readahead();
		if (!starter.told || is_needed())
			wait_for_events();
		else
			break;
	}
}
