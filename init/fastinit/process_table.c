// SPDX-License-Identifier: MIT OR Apache-2.0
#include "process_table.h"

#include "folder.h"
#include "kernel.h"
#include "text.h"

static long read_of_process(const char *pid, const char *file, char *to, size_t size)
{
	char path[64];
	struct text t = TEXT(path);
	long n;
	int fd;

	put(&t, "/proc/");
	put(&t, pid);
	put(&t, file);
	fd = call_open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	n = call_read(fd, to, size - 1);
	call_close(fd);
	to[n > 0 ? n : 0] = 0;
	return n;
}

static bool is_child_of_1(const char *pid)
{
	char stat[512];
	long n = read_of_process(pid, "/stat", stat, sizeof(stat));

	/* `PID (NAME) S PPID`: a name may contain anything, also parentheses. */
	while (n > 0 && stat[n] != ')')
		n--;
	return n > 0 && starts_with(stat + n + 1, " ") && starts_with(stat + n + 3, " 1 ");
}

static bool has_variable(const char *pid, const char *variable)
{
	static char environ[8192];
	long n = read_of_process(pid, "/environ", environ, sizeof(environ)), i = 0;

	while (i < n) {
		if (same(environ + i, variable))
			return true;
		i += (long)length(environ + i) + 1;
	}
	return false;
}

int process_with_program(const char *name)
{
	char variable[128];
	struct text t = TEXT(variable);
	char part[2048] __attribute__((aligned(8)));
	int fd = call_open("/proc", O_RDONLY | O_DIRECTORY, 0), found = 0;
	long n, at;

	if (fd < 0)
		return 0;
	put(&t, "FASTINIT_PROGRAM=");
	put(&t, name);
	while (!found && (n = CALL3(__NR_getdents64, fd, part, sizeof(part))) > 0)
		for (at = 0; at < n && !found; at += ((struct folder_entry *)(part + at))->size) {
			const char *pid = ((struct folder_entry *)(part + at))->name;
			unsigned long number = parse_number(pid);

			if (number != UNPARSED && is_child_of_1(pid) && has_variable(pid, variable))
				found = (int)number;
		}
	call_close(fd);
	return found;
}
