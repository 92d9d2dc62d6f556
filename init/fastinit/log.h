/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What fastinit says: records in the kernel's log, and on the console where the log does not reach it. */
#ifndef FASTINIT_LOG_H
#define FASTINIT_LOG_H

#include <stdbool.h>

/* The kernel's levels. With `quiet`, errors are still printed on the console. */
enum level { LEVEL_ERROR = 3, LEVEL_NOTICE = 5, LEVEL_INFO = 6 };

/* To be called once, first thing: times are counted from here. */
void log_begin(void);
/*
 * Lets a child write each message, so that the real init does not wait for a synchronous console, which may take a tenth of a
 * second for a line. `false` ends this.
 */
void log_aside(bool aside);
/* Keeps the kernel's log and standard error open, for records to be written when /dev, the rights or the console are gone. */
void log_keep_open(void);
/* Nanoseconds since log_begin(). */
unsigned long long log_elapsed(void);
/* `fastinit: ` and the strings given, up to a null pointer. */
void say(enum level level, ...) __attribute__((sentinel));

#endif
