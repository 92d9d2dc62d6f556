/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Lists of the parts of files that a boot reads, in order of first use: lines `OFFSET LENGTH PATH`, in bytes.
 *
 * Recording sees the root file system alone: by the tracepoint filemap:mm_filemap_add_to_page_cache, or where there is none by
 * fanotify, in the order in which the files were opened. Replaying reads the parts one after the other, one request in
 * flight and nothing that the list does not have, with the idle class of I/O (known to the schedulers mq-deadline and bfq).
 */
#ifndef FASTINIT_READAHEAD_H
#define FASTINIT_READAHEAD_H

/* Begins recording. Returns 0 or -errno, which it logs. */
int readahead_begin(void);
/* Leaves the recording to a process that was forked. */
void readahead_leave(void);
/* Lets the recording go on for this time, and writes the list. Returns an exit status; failures are logged. */
int readahead_record(const char *list, unsigned long ms);
/* Reads what the list names. Returns an exit status. */
int readahead_replay(const char *list);

#endif
