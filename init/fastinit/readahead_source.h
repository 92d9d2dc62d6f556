/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Where a recording learns what is read:
 *
 * trace   the tracepoint filemap:mm_filemap_add_to_page_cache: each part, in the order in which it was read
 * opens   fanotify tells which files are opened, and mincore which of their pages are in memory in the end. For kernels without
 *         the tracepoint, or where a lockdown keeps it from everybody.
 */
#ifndef FASTINIT_READAHEAD_SOURCE_H
#define FASTINIT_READAHEAD_SOURCE_H

/* Begin: return 0, or -errno where the kernel can't do it. */
int trace_begin(void);
int opens_begin(void);
/* Let it go on for this time, and add what was read to the list. */
void trace_collect(unsigned long ms);
void opens_collect(unsigned long ms);
/* Leaves the recording to a process that was forked. */
void opens_leave(void);

#endif
