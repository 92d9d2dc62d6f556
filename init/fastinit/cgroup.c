// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cgroup.h"

#include "kernel.h"
#include "text.h"

#define SLICE "/sys/fs/cgroup/system.slice"
#define NOTE "trusted.fastinit"

static void path_of(struct text *t, const char *name, const char *file)
{
	put(t, SLICE "/");
	put(t, name);
	put(t, ".service");
	put(t, file);
}

int cgroup_make(const char *name)
{
	char path[160];
	struct text t = TEXT(path);
	int error = call_mkdir(SLICE, 0755);

	if (error < 0 && error != -EEXIST)
		return error;
	path_of(&t, name, "");
	error = call_mkdir(path, 0755);
	return error == -EEXIST ? 0 : error;
}

int cgroup_enter(const char *name)
{
	char path[160];
	struct text t = TEXT(path);
	long done;
	int fd;

	path_of(&t, name, "/cgroup.procs");
	fd = call_open(path, O_WRONLY, 0);
	if (fd < 0)
		return fd;
	done = call_write(fd, "0", 1);
	call_close(fd);
	return done < 0 ? (int)done : 0;
}

int cgroup_note_process(const char *name, int pid)
{
	char path[160], number[24];
	struct text t = TEXT(path), n = TEXT(number);

	path_of(&t, name, "");
	put_number(&n, (unsigned long long)pid);
	return (int)CALL5(__NR_setxattr, path, NOTE, number, n.used, 0);
}

int cgroup_noted_process(const char *name)
{
	char path[160], number[24];
	struct text t = TEXT(path);
	unsigned long pid;
	long n;

	path_of(&t, name, "");
	n = CALL4(__NR_getxattr, path, NOTE, number, sizeof(number) - 1);
	if (n <= 0)
		return 0;
	number[n] = 0;
	pid = parse_number(number);
	return pid == UNPARSED ? 0 : (int)pid;
}

int cgroup_has(const char *name, int pid)
{
	char path[160], part[512];
	struct text t = TEXT(path);
	unsigned long number = 0;
	long n, i;
	int fd, found = 0;

	path_of(&t, name, "/cgroup.procs");
	fd = call_open(path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	while (!found && (n = call_read(fd, part, sizeof(part))) > 0)
		for (i = 0; i < n; i++) {
			if (part[i] >= '0' && part[i] <= '9') {
				number = number * 10 + (unsigned long)(part[i] - '0');
				continue;
			}
			found |= number == (unsigned long)pid;
			number = 0;
		}
	call_close(fd);
	return found;
}
