/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_LINES_H
#define FASTINIT_LINES_H

#include <stddef.h>

/* Gives each line of a file to `take`, which may change it. A line that does not fit the buffer is dropped in pieces of its size. */
void each_line(int fd, char *buffer, size_t size, void (*take)(char *line));

#endif
