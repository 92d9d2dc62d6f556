/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The cgroup of a program: the one that systemd gives the unit NAME.service. A process that is there already when systemd
 * starts is left there (all that are in the root are moved to init.scope), and the unit's limits hold for it.
 */
#ifndef FASTINIT_CGROUP_H
#define FASTINIT_CGROUP_H

/* Makes it. Returns 0 or -errno. */
int cgroup_make(const char *name);
/* Moves the calling process there. */
int cgroup_enter(const char *name);
/* Notes there which process fastinit has started. */
int cgroup_note_process(const char *name, int pid);
/* What cgroup_note_process() has noted: a process, or 0. */
int cgroup_noted_process(const char *name);
/* Whether the process is there. */
int cgroup_has(const char *name, int pid);

#endif
