// SPDX-License-Identifier: MIT OR Apache-2.0
#include "program.h"

#include "cgroup.h"
#include "kernel.h"
#include "log.h"
#include "process_start.h"

enum { MAX_ENVIRONMENT = 128 };

static int open_output(const char *output, const char *console)
{
	if (same(output, "kmsg"))
		output = "/dev/kmsg";
	else if (same(output, "null"))
		output = "/dev/null";
	else if (same(output, "console"))
		output = console ? console : "/dev/console";
	else
		return call_open(output, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY, 0644);
	return call_open(output, O_WRONLY | O_NOCTTY, 0);
}

/* Without an output of its own, it is the console that fastinit was given. */
static int redirect(const struct program *program, const struct launch *launch)
{
	const char *output = program->output;
	int in = call_open("/dev/null", O_RDONLY, 0), out;

	if (in >= 0)
		call_dup(in, 0);
	if (!output) {
		if (!launch->console)
			return 0;
		output = "console";
	}
	out = open_output(output, launch->console);
	if (out < 0)
		return out;
	call_dup(out, 1);
	call_dup(out, 2);
	return 0;
}

static int change_user(const struct program *program)
{
	long error;

	if (program->user == UNPARSED)
		return 0;
	/* A unit with `User=` runs as that user already, who may not change anything. */
	if (program->user != 0 && CALL0(NR_GETUID) == (long)program->user)
		return 0;
	error = CALL2(NR_SETGROUPS, 0, NULL);
	if (error == 0)
		error = CALL1(NR_SETGID, program->group);
	if (error == 0)
		error = CALL1(NR_SETUID, program->user);
	return (int)error;
}

/* The kernel's variables, then the program's own, of which the last counts. */
static void make_environment(const struct program *program, char **envp, bool in_unit, char **to, char *own, size_t own_size)
{
	struct text t = text_in(own, own_size);
	bool has_path = environment(envp, "PATH");
	int n = 0, i;

	for (; *envp && n < MAX_ENVIRONMENT - MAX_VARIABLES - 4; envp++) {
		bool notify = starts_with(*envp, "NOTIFY_SOCKET=");

		if (!starts_with(*envp, "fastinit=") && !(notify && !(in_unit && program->notify)))
			to[n++] = *envp;
	}
	if (!has_path)
		to[n++] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	if (!in_unit) {
		to[n++] = own;
		put(&t, "FASTINIT_PROGRAM=");
		put(&t, program->name);
		put_byte(&t, 0);
		if (program->notify) {
			to[n++] = own + t.used;
			put(&t, "NOTIFY_SOCKET=@fastinit/");
			put(&t, program->name);
		}
	}
	for (i = 0; i < program->variable_count; i++)
		to[n++] = program->variables[i];
	to[n] = NULL;
}

int program_become(const struct program *program, const struct launch *launch, bool in_unit)
{
	static const signals_t none;
	char *words[MAX_WORDS + 1];
	char *envp[MAX_ENVIRONMENT];
	char own[2 * MAX_NAME + 64], name[256];
	const char *doing = "run", *what = program->words[0];
	int error = 0, i;

	for (i = 0; program->words[i]; i++)
		words[i] = program->words[i];
	words[i] = NULL;
	if (program->argv0)
		words[0] = (char *)program->argv0;
	if (launch->spared && !(program->argv0 && *program->argv0 == '@')) {
		struct text t = TEXT(name);

		put_byte(&t, '@');
		put(&t, program->argv0 ? program->argv0 : program->name);
		words[0] = name;
	}
	make_environment(program, launch->envp, in_unit, envp, own, sizeof(own));
	call_signal_mask(SIG_SETMASK, &none);
	log_keep_open();
	if (!in_unit) {
		CALL0(__NR_setsid);
		error = redirect(program, launch);
		if (error < 0)
			say(LEVEL_ERROR, program->name, ": cannot open its output: ", error_words(error), NULL);
	}
	if (program->nice) {
		error = (int)CALL3(__NR_setpriority, 0, 0, program->nice);
		if (error < 0)
			say(LEVEL_ERROR, program->name, ": cannot set its nice value: ", error_words(error), NULL);
	}
	/* A program that would run elsewhere, or with more rights than it should have, does not run. */
	error = 0;
	if (program->directory) {
		error = (int)CALL1(__NR_chdir, program->directory);
		doing = "change to its directory";
		what = program->directory;
	}
	if (error == 0) {
		error = change_user(program);
		if (error < 0) {
			doing = "change its user to run";
			what = program->words[0];
		}
	}
	if (error == 0) {
		doing = "run";
		what = program->words[0];
		error = call_exec(program->words[0], words, envp);
		/* Once more unless the file is the cause: memory may have been short for a moment, or a read have failed. */
		if (error != -ENOENT && error != -EACCES && error != -ENOEXEC) {
			call_sleep(10);
			error = call_exec(program->words[0], words, envp);
		}
	}
	say(LEVEL_ERROR, program->name, ": cannot ", doing, " `", what, "`: ", error_words(error), NULL);
	return error;
}

/* Where it is, is noted before it can be anything else: a unit finds it, or finds it pending. */
static void enter_and_note(const struct program *program, int folder, const struct process *starter)
{
	const int pid = call_pid();
	const struct note note = { NOTE_RUNNING, { pid, process_start(pid) }, *starter, -1 };
	int error = folder < 0 ? 0 : cgroup_enter(folder);

	/* Memory may have been short for a moment. */
	if (error < 0)
		error = cgroup_enter(folder);
	if (error < 0)
		say(LEVEL_ERROR, program->name, ": not in the cgroup of its unit: ", error_words(error), NULL);
	error = note_write(folder, program->name, &note);
	if (error < 0)
		say(LEVEL_ERROR, program->name, ": cannot note its process, its unit may start it again: ", error_words(error),
		    NULL);
}

int program_start(const struct program *program, const struct launch *launch, int folder, const struct process *starter)
{
	int pid;

	if (launch->spared && program->user != UNPARSED && program->user)
		say(LEVEL_ERROR, program->name, ": not root: systemd will kill it when it leaves the initramfs", NULL);
	pid = call_fork(launch->sibling ? CLONE_PARENT : 0);
	/* As a child of the caller it becomes one of process 1 later. */
	if (pid < 0)
		pid = call_fork(0);
	if (pid == 0) {
		enter_and_note(program, folder, starter);
		program_become(program, launch, false);
		call_exit(127);
	}
	return pid;
}
