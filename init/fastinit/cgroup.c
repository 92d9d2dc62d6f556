// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cgroup.h"

#include "kernel.h"
#include "text.h"

#define SLICE "/sys/fs/cgroup/system.slice"

static void path_of(struct text *t, const char *name)
{
	put(t, SLICE "/");
	put(t, name);
	put(t, ".service");
}

int cgroup_open(const char *name)
{
	char path[160];
	struct text t = TEXT(path);

	path_of(&t, name);
	return call_open(path, O_RDONLY | O_DIRECTORY, 0);
}

int cgroup_make(const char *name)
{
	char path[160];
	struct text t = TEXT(path);
	int error = call_mkdir(SLICE, 0755);

	if (error < 0 && error != -EEXIST)
		return error;
	path_of(&t, name);
	error = call_mkdir(path, 0755);
	return error < 0 && error != -EEXIST ? error : cgroup_open(name);
}

static int open_processes(int folder, int flags)
{
	return folder < 0 ? folder : (int)CALL4(__NR_openat, folder, "cgroup.procs", flags | O_CLOEXEC, 0);
}

int cgroup_enter(int folder)
{
	int fd = open_processes(folder, O_WRONLY);
	long done;

	if (fd < 0)
		return fd;
	done = call_write(fd, "0", 1);
	call_close(fd);
	return done < 0 ? (int)done : 0;
}

bool cgroup_has(int folder, int pid)
{
	char part[512];
	unsigned long number = 0;
	bool found = false;
	int fd = open_processes(folder, O_RDONLY);
	long n, i;

	if (fd < 0)
		return false;
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

bool cgroup_is_used(int folder)
{
	char first;
	int fd = open_processes(folder, O_RDONLY);
	long n = fd < 0 ? 0 : call_read(fd, &first, 1);

	if (fd >= 0)
		call_close(fd);
	return n > 0;
}
