// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lines.h"

#include "kernel.h"

void each_line(int fd, char *buffer, size_t size, void (*take)(char *line))
{
	size_t used = 0, i, start;
	long got;

	while ((got = call_read(fd, buffer + used, size - used)) > 0) {
		used += (size_t)got;
		for (start = i = 0; i < used; i++)
			if (buffer[i] == '\n') {
				buffer[i] = 0;
				take(buffer + start);
				start = i + 1;
			}
		for (i = start; i < used; i++)
			buffer[i - start] = buffer[i];
		used = used - start < size ? used - start : 0;
	}
}
