// SPDX-License-Identifier: MIT OR Apache-2.0
#include "readahead.h"

#include "kernel.h"
#include "lines.h"
#include "log.h"
#include "text.h"

/* As linux/ioprio.h has them, which headers before 5.15 lack. */
enum { PIECE = 65536, IO_OF_PROCESS = 1, IO_IDLE = 3 << 13 };

/* Reading into memory of its own fills the page cache as well, and waits for each piece: one request in flight, and no more than the list has. */
static void read_part(const char *path, unsigned long long at, unsigned long long size)
{
	static char piece[PIECE];
	int fd = call_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);

	if (fd < 0)
		return;
	call_advise_random(fd);
	while (size) {
		size_t n = size < PIECE ? (size_t)size : PIECE;
		long got = call_pread(fd, piece, n, at);

		if (got <= 0)
			break;
		at += (unsigned long long)got;
		size -= (unsigned long long)got < size ? (unsigned long long)got : size;
	}
	call_close(fd);
}

/* `OFFSET LENGTH PATH`; other lines are comments. */
static void replay_line(char *line)
{
	unsigned long long numbers[2] = { 0, 0 };
	int i;

	for (i = 0; i < 2; i++) {
		if (*line < '0' || *line > '9')
			return;
		while (*line >= '0' && *line <= '9')
			numbers[i] = numbers[i] * 10 + (unsigned long long)(*line++ - '0');
		if (*line++ != ' ')
			return;
	}
	if (*line == '/')
		read_part(line, numbers[0], numbers[1]);
}

int readahead_replay(const char *list)
{
	static char part[8192];
	int fd = call_open(list, O_RDONLY, 0);

	if (fd < 0) {
		say(LEVEL_ERROR, list, ": ", error_words(fd), "; nothing is read ahead", NULL);
		return 1;
	}
	/*
	 * Of the disk's time it takes what nobody wants. Of the processors' it needs little, but at once: as a process of the idle class,
	 * or with nice 19, it waited for them for most of a boot, next to a disk that had nothing to do.
	 */
	CALL3(__NR_ioprio_set, IO_OF_PROCESS, 0, IO_IDLE);
	/* Recorded lines always fit the buffer. */
	each_line(fd, part, sizeof(part), replay_line);
	call_close(fd);
	return 0;
}
