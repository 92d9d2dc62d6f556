/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The cgroup of a program: the one that systemd gives the unit NAME.service. A process that is there already when systemd
 * starts is left there (all that are in the root are moved to init.scope), and the unit's limits hold for it.
 *
 * Its folder is used by an open file: at the switch of roots, the starter of an initramfs loses its mounts.
 */
#ifndef FASTINIT_CGROUP_H
#define FASTINIT_CGROUP_H

#include <stdbool.h>

/* Makes it. Returns its folder or -errno. */
int cgroup_make(const char *name);
/* Returns its folder or -errno. */
int cgroup_open(const char *name);
/* Moves the calling process there. Returns 0 or -errno. */
int cgroup_enter(int folder);
/* Whether the process is there. */
bool cgroup_has(int folder, int pid);
/* Whether any process is there. */
bool cgroup_is_used(int folder);

#endif
