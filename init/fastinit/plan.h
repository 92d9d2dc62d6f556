/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the starter tells process 1, through a pipe: the plan as soon as it has read the configuration, then one byte when
 * process 1 may go on. If it dies, the pipe is closed, and process 1 goes on without.
 */
#ifndef FASTINIT_PLAN_H
#define FASTINIT_PLAN_H

#include "config.h"

enum { PLAN_MAGIC = 0x66617374, PLAN_PATH = 256 };

struct plan {
	unsigned int magic;
	int stay;
	long hold_ms, stop_ms;
	int hold_given;
	/* Empty: the usual places. */
	char init[PLAN_PATH];
};

/* The starter's end of the pipe, which may be negative. */
void plan_send(int pipe, const struct config *config, bool stay);
void plan_go(int pipe);

/* How reading it went. */
enum plan_state { PLAN_READ, PLAN_LATE, PLAN_BROKEN };

/* Process 1's end: waits for the plan for so many milliseconds, if they are not negative. Says what went wrong. */
enum plan_state plan_read(int pipe, struct plan *plan, long ms);

#endif
