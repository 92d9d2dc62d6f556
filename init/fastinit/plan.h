/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the starter tells process 1, through a pipe: the plan as soon as it has read the configuration, then one byte when
 * process 1 may go on. If it dies, the pipe is closed, and process 1 goes on without.
 */
#ifndef FASTINIT_PLAN_H
#define FASTINIT_PLAN_H

enum { PLAN_MAGIC = 0x66617374, PLAN_PATH = 256 };

struct plan {
	unsigned int magic;
	int stay;
	long hold_ms, stop_ms;
	int hold_given;
	/* Empty: the usual places. */
	char init[PLAN_PATH];
};

#endif
