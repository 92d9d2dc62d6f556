// SPDX-License-Identifier: MIT OR Apache-2.0
#include "readahead_list.h"
#include "readahead_source.h"

#include <linux/fanotify.h>

#include "kernel.h"
#include "text.h"

/* Files, in order of their first opening. */
enum { MAX_OPENED = 8192 };

static unsigned long long opened[MAX_OPENED];
static char paths[1 << 20];
static unsigned int path_at[MAX_OPENED];
static unsigned int opened_count, paths_used;
static int group = -1;

int opens_begin(void)
{
	/* A pipe or a device that somebody opens is opened again for the event: that must not wait. */
	const int how = O_RDONLY | O_NONBLOCK | O_NOATIME | O_LARGEFILE | O_CLOEXEC;
	/* The whole file system, whatever mount namespace a program is in. */
	const unsigned long mark = FAN_MARK_ADD | FAN_MARK_FILESYSTEM;
	long error;

	group = (int)CALL2(__NR_fanotify_init, FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE, how);
	if (group < 0)
		return group;
#if defined(__arm__)
	/* A mask of 64 bits takes two registers. */
	error = call_kernel(__NR_fanotify_mark, group, (long)mark, FAN_OPEN, 0, AT_FDCWD, (long)"/");
#else
	error = CALL5(__NR_fanotify_mark, group, mark, FAN_OPEN, AT_FDCWD, "/");
#endif
	if (error < 0)
		opens_leave();
	return error < 0 ? (int)error : 0;
}

void opens_leave(void)
{
	if (group >= 0)
		call_close(group);
	group = -1;
}

static bool is_known(unsigned long long inode)
{
	unsigned int i;

	for (i = opened_count; i > 0; i--)
		if (opened[i - 1] == inode)
			return true;
	return false;
}

/* A file that was opened, as the event has it. */
static void note(int fd)
{
	char link[64], *path = paths + paths_used;
	struct text t = TEXT(link);
	struct statx file;
	long n;

	if (opened_count == MAX_OPENED || sizeof(paths) - paths_used < LIST_MAX_PATH)
		return;
	if (CALL5(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &file) < 0 || (file.stx_mode & S_IFMT) != S_IFREG ||
	    !list_is_root(file.stx_dev_major, file.stx_dev_minor) || is_known(file.stx_ino))
		return;
	put(&t, "/proc/self/fd/");
	put_number(&t, (unsigned long long)fd);
	n = CALL4(__NR_readlinkat, AT_FDCWD, link, path, LIST_MAX_PATH - 1);
	if (n <= 0 || *path != '/')
		return;
	path[n] = 0;
	path_at[opened_count] = paths_used;
	opened[opened_count++] = file.stx_ino;
	paths_used += (unsigned int)n + 1;
}

static void take_events(void)
{
	/* No more files at once than a process may have open. */
	char events[512] __attribute__((aligned(8)));
	long n, at;

	while ((n = call_read(group, events, sizeof(events))) > 0)
		for (at = 0; at + (long)sizeof(struct fanotify_event_metadata) <= n;) {
			const struct fanotify_event_metadata *event = (struct fanotify_event_metadata *)(events + at);

			if (event->event_len < sizeof(*event))
				break;
			at += event->event_len;
			/* Negative where the queue had no memory. */
			if (event->fd < 0)
				continue;
			note(event->fd);
			call_close(event->fd);
		}
}

/* Adds the pages of a file that are in memory. */
static void add_resident(unsigned long long inode, const char *path, unsigned long page)
{
	static unsigned char resident[16384];
	const unsigned long window = sizeof(resident) * page;
	struct statx file;
	unsigned long long at;
	int fd = call_open(path, O_RDONLY | O_NOATIME | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return;
	/* Another file may have its name by now. */
	if (CALL5(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &file) < 0 || file.stx_ino != inode ||
	    !list_is_root(file.stx_dev_major, file.stx_dev_minor))
		file.stx_size = 0;
	for (at = 0; at < file.stx_size; at += window) {
		unsigned long rest = file.stx_size - at < window ? (unsigned long)(file.stx_size - at) : window, i;
		long map = call_map(fd, rest, at);

		if (map < 0 && map > -4096)
			break;
		if (CALL3(__NR_mincore, map, rest, resident) == 0)
			for (i = 0; i * page < rest; i++)
				if (resident[i] & 1)
					list_add(inode, at + i * page, page);
		CALL2(__NR_munmap, map, rest);
	}
	call_close(fd);
	list_name(inode, path);
}

void opens_collect(unsigned long ms)
{
	const unsigned long long end = call_clock() + ms * 1000000ULL;
	const unsigned long page = list_page();
	unsigned long long now;
	unsigned int i;

	while ((now = call_clock()) < end) {
		struct pollfd events = { group, POLLIN, 0 };

		call_poll(&events, 1, (long)((end - now) / 1000000) + 1);
		if (events.revents & (POLLERR | POLLNVAL))
			break;
		take_events();
	}
	opens_leave();
	for (i = 0; i < opened_count; i++)
		add_resident(opened[i], paths + path_at[i], page);
}
