// SPDX-License-Identifier: MIT OR Apache-2.0
#include "process_start.h"

#include "kernel.h"
#include "text.h"

/* The start is field 22 of /proc/PID/stat, `PID (NAME) STATE ...`; a name may contain anything, also parentheses. */
unsigned long long process_start(int pid)
{
	enum { FIELDS_AFTER_NAME = 20 };
	char path[64], stat[512];
	struct text t = TEXT(path);
	unsigned long long start = 0;
	long n = -ENOENT, end;
	int fd, field;

	put(&t, "/proc/");
	put_number(&t, (unsigned long long)pid);
	put(&t, "/stat");
	fd = pid > 0 ? call_open(path, O_RDONLY, 0) : -ENOENT;
	if (fd >= 0) {
		n = call_read(fd, stat, sizeof(stat) - 1);
		call_close(fd);
	}
	if (n <= 0)
		return 0;
	stat[n] = 0;
	for (end = n; end > 0 && stat[end] != ')'; end--)
		;
	for (field = 0; stat[end] && field < FIELDS_AFTER_NAME; end++)
		field += stat[end] == ' ';
	for (; stat[end] >= '0' && stat[end] <= '9'; end++)
		start = start * 10 + (unsigned long long)(stat[end] - '0');
	return start;
}
