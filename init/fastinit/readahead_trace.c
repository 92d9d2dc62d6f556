// SPDX-License-Identifier: MIT OR Apache-2.0
#include "readahead_list.h"
#include "readahead_source.h"

#include "kernel.h"
#include "lines.h"
#include "text.h"

#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/fastinit"
#define POINT INSTANCE "/events/filemap/mm_filemap_add_to_page_cache/enable"

static unsigned long page;

static int write_text(const char *path, const char *words)
{
	int fd = call_open(path, O_WRONLY, 0);
	long done;

	if (fd < 0)
		return fd;
	done = call_write(fd, words, length(words));
	call_close(fd);
	return done < 0 ? (int)done : 0;
}

/* The number after the words, in the base; 0 if the words are not there. */
static unsigned long long number_after(const char *line, const char *words, unsigned int base)
{
	unsigned long long n = 0;

	for (; *line; line++)
		if (starts_with(line, words))
			break;
	if (!*line)
		return 0;
	for (line += length(words); *line; line++) {
		unsigned int digit = *line >= 'a' ? (unsigned int)(*line - 'a') + 10 : (unsigned int)(*line - '0');

		if (digit >= base)
			break;
		n = n * base + digit;
	}
	return n;
}

/* `... mm_filemap_add_to_page_cache: dev 254:1 ino 1b2c pfn=0x1 ofs=4096 order=0` */
static void take_line(char *line)
{
	static const char event[] = "mm_filemap_add_to_page_cache: dev ";
	unsigned long long inode;

	for (; *line; line++)
		if (starts_with(line, event))
			break;
	if (!*line)
		return;
	line += length(event);
	inode = number_after(line, " ino ", 16);
	if (inode && list_is_root((unsigned int)number_after(line, "", 10), (unsigned int)number_after(line, ":", 10)))
		list_add(inode, number_after(line, " ofs=", 10), (unsigned long long)page << (number_after(line, " order=", 10) & 15));
}

static void read_trace(void)
{
	static char piece[16384];
	int fd = call_open(INSTANCE "/trace", O_RDONLY, 0);

	if (fd < 0)
		return;
	each_line(fd, piece, sizeof(piece), take_line);
	call_close(fd);
}

int trace_begin(void)
{
	int error;

	call_mount("tracefs", TRACING, "tracefs", 0, "");
	error = call_mkdir(INSTANCE, 0700);
	if (error < 0 && error != -EEXIST)
		return error;
	write_text(INSTANCE "/buffer_size_kb", "8192");
	write_text(INSTANCE "/trace", "0");
	error = write_text(POINT, "1");
	if (error < 0)
		CALL3(__NR_unlinkat, AT_FDCWD, INSTANCE, AT_REMOVEDIR);
	return error;
}

void trace_collect(unsigned long ms)
{
	call_sleep((long)ms);
	write_text(POINT, "0");
	page = list_page();
	read_trace();
	CALL3(__NR_unlinkat, AT_FDCWD, INSTANCE, AT_REMOVEDIR);
	list_search();
}
