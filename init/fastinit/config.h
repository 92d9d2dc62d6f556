/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The configuration: /etc/fastinit.conf as the man page fastinit.conf(5) describes it. The parser makes no system call. */
#ifndef FASTINIT_CONFIG_H
#define FASTINIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum {
	MAX_PROGRAMS = 32, MAX_WORDS = 32, MAX_CONDITIONS = 8, MAX_VARIABLES = 16, MAX_UNIT_SETTINGS = 16,
	MAX_STEPS = 64, MAX_CONFIG_BYTES = 16384, MAX_NAME = 48,
};

enum condition_kind { AFTER_FILE, AFTER_SOCKET, AFTER_DEVICE, AFTER_START, AFTER_READY, AFTER_EXIT };

/* What a program waits for. */
struct condition {
	enum condition_kind kind;
	/* A path, or the name of another program. */
	const char *what;
	/* That program's index. */
	int program;
};

enum restart { RESTART_NO, RESTART_ON_FAILURE, RESTART_ALWAYS };

struct program {
	const char *name;
	/* Of its section, for messages. */
	int line;
	/* Path and arguments, with a null pointer at the end. */
	char *words[MAX_WORDS + 1];
	struct condition conditions[MAX_CONDITIONS];
	int condition_count;
	char *variables[MAX_VARIABLES];
	int variable_count;
	/* Lines for the [Service] section of its unit. */
	const char *unit_settings[MAX_UNIT_SETTINGS];
	int unit_setting_count;
	const char *directory, *output, *argv0;
	unsigned long user, group;
	long nice;
	/* How long it waits for its conditions; then it is given up. 0: for ever. */
	unsigned long timeout_ms;
	unsigned long restart_delay_ms;
	enum restart restart;
	/* It reports by sd_notify. */
	bool notify;
	/* It runs to its end; under another init it is not started again. */
	bool once;
	/* Something in its section is wrong: it is not started. */
	bool invalid;
};

enum step_kind { STEP_NODE, STEP_LINK, STEP_MODULE, STEP_COLDPLUG };

/* What is done to devices before the programs start, in the order given. */
struct step {
	enum step_kind kind;
	int line;
	/* The node, the link, the module's file, the device's folder in /sys. */
	const char *path;
	/* What the link leads to, the module's parameters. */
	const char *argument;
	unsigned long mode, major, minor, user, group;
	bool block;
};

enum after_start { AFTER_START_HAND_OVER, AFTER_START_STAY };

struct config {
	/* The real init; null: the usual places. */
	const char *init;
	enum after_start after_start;
	/* Hand over once this program has started, or is ready if it notifies; -1: once nothing more can be started. */
	const char *hold_for;
	int hold_program;
	unsigned long hold_ms;
	/* The configuration says for how long: then that holds, else at most what is left of the time that process 1 has. */
	bool hold_given;
	unsigned long stop_ms;
	/* fastinit restarts programs also under another init. */
	bool supervise;
	const char *console;
	/* A list to be read ahead, or to be recorded; null: none. */
	const char *readahead, *record;
	unsigned long record_ms;
	struct program programs[MAX_PROGRAMS];
	int program_count;
	struct step steps[MAX_STEPS];
	int step_count;
};

/* What is wrong: the line (0: the file as a whole), in words, and the part of the text it is about or null. */
typedef void config_report(void *context, int line, const char *words, const char *about);

/*
 * Parses the text, which it changes and keeps pointers into; text[size] must be there to be written. A section with
 * something wrong in it drops its program, and those that wait for it; the others hold.
 */
void config_parse(struct config *config, char *text, size_t size, config_report *report, void *context);

/* The index of a program, or -1. */
int config_program(const struct config *config, const char *name);

#endif
