/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_MOUNTS_H
#define FASTINIT_MOUNTS_H

#include <stdbool.h>

/* Mounts /proc, /sys, /dev, /run and the cgroups, where they are not yet; says what could not be mounted. */
void mounts_make(void);
/* What only a system needs whose process 1 fastinit stays: /dev/pts and /dev/shm. */
void mounts_make_more(void);
/* Takes away again what mounts_make() has mounted: for the init of an initramfs, which mounts them itself. */
void mounts_undo(void);
/* Unmounts everything, or makes it read-only. */
void mounts_end(void);
/* Whether the root is the kernel's initramfs. */
bool in_initramfs(void);

#endif
