/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_PROCESS_START_H
#define FASTINIT_PROCESS_START_H

/* When a process was started, in clock ticks since boot; with its number it is unique. 0: no such process, or it is hidden. */
unsigned long long process_start(int pid);

#endif
