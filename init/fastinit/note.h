/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the starter notes of each program, for `fastinit adopt`: an attribute of the program's cgroup, which outlives an
 * initramfs; without cgroups, a file in /run/fastinit. Only root can write either, and every user can read them.
 */
#ifndef FASTINIT_NOTE_H
#define FASTINIT_NOTE_H

/* Nothing known, or given up; going to be started; started; has said READY=1; over. */
enum note_state { NOTE_NONE, NOTE_PENDING, NOTE_RUNNING, NOTE_READY, NOTE_ENDED };

/* A process: its number and process_start(), 0 if unknown. */
struct process {
	int pid;
	unsigned long long start;
};

struct note {
	enum note_state state;
	struct process program, starter;
	/* As wait4() has it, once the program has ended; -1: unknown. */
	int status;
};

/* `folder` is that of cgroup_make() or negative. Returns 0 or -errno. */
int note_write(int folder, const char *name, const struct note *note);
/* The state is NOTE_NONE if there is no note. */
struct note note_read(int folder, const char *name);

#endif
