/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_PROGRAM_H
#define FASTINIT_PROGRAM_H

#include "config.h"
#include "note.h"

/* How a program is started. */
struct launch {
	char **envp;
	/* As a child of process 1, which is the parent of the caller. */
	bool sibling;
	/* From an initramfs: what kills all other processes when it leaves it spares those whose name begins with `@`. */
	bool spared;
	const char *console;
};

/* Starts it in the cgroup, if `folder` is not negative, and notes that it runs. Returns the process or -errno. */
int program_start(const struct program *program, const struct launch *launch, int folder, const struct process *starter);
/* Becomes the program; returns only on an error, which is logged. In a unit it keeps the cgroup, the output and
 * systemd's variables. */
int program_become(const struct program *program, const struct launch *launch, bool in_unit);

#endif
