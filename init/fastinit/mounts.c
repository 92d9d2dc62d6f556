// SPDX-License-Identifier: MIT OR Apache-2.0
#include "mounts.h"

#include <linux/magic.h>

#include "kernel.h"
#include "log.h"
#include "text.h"

struct mount_point {
	const char *where, *type;
	unsigned long flags;
	const char *options;
	/* Tried if the kernel does not know the options. */
	const char *fewer_options;
	bool made;
};

#define PLAIN (MS_NOSUID | MS_NOEXEC | MS_NODEV)

/* As systemd mounts them, which keeps what it finds. */
static struct mount_point mount_points[] = {
	{ "/proc", "proc", PLAIN, "", NULL, false },
	{ "/sys", "sysfs", PLAIN, "", NULL, false },
	{ "/dev", "devtmpfs", MS_NOSUID, "mode=0755", NULL, false },
	{ "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=20%", NULL, false },
	{ "/sys/fs/cgroup", "cgroup2", PLAIN, "nsdelegate,memory_recursiveprot", "nsdelegate", false },
};

static struct mount_point more_mount_points[] = {
	{ "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666", NULL, false },
	{ "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777", NULL, false },
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* The kernel refuses to mount the only instance of a file system twice, but would put another tmpfs or proc over the first. */
static bool is_mounted(const char *path)
{
	struct statx root, here;

	if (call_stat("/", &root) < 0 || call_stat(path, &here) < 0)
		return false;
	return root.stx_dev_major != here.stx_dev_major || root.stx_dev_minor != here.stx_dev_minor;
}

static void make(struct mount_point *m)
{
	int error;

	if ((same(m->type, "tmpfs") || same(m->type, "proc")) && is_mounted(m->where))
		return;
	error = call_mount(m->type, m->where, m->type, m->flags, m->options);
	if (error == -ENOENT && call_mkdir(m->where, 0755) == 0)
		error = call_mount(m->type, m->where, m->type, m->flags, m->options);
	if (error == -EINVAL && m->fewer_options)
		error = call_mount(m->type, m->where, m->type, m->flags, m->fewer_options);
	m->made = error == 0;
	if (error < 0 && error != -EBUSY)
		say(LEVEL_ERROR, m->where, ": cannot mount: ", error_words(error), NULL);
}

void mounts_make(void)
{
	int i;

	for (i = 0; i < COUNT(mount_points); i++)
		make(&mount_points[i]);
}

void mounts_make_more(void)
{
	int i;

	for (i = 0; i < COUNT(more_mount_points); i++)
		make(&more_mount_points[i]);
}

/* Detached, not unmounted: programs that have opened something there keep it. */
void mounts_undo(void)
{
	int i;

	for (i = COUNT(mount_points) - 1; i >= 0; i--)
		if (mount_points[i].made)
			call_umount(mount_points[i].where, UMOUNT_DETACH);
}

/* Unmounts the file systems of /proc/self/mounts, the last ones first; returns how many are left besides the root. */
static int unmount_listed(void)
{
	static char list[32768];
	char *lines[256];
	int fd = call_open("/proc/self/mounts", O_RDONLY, 0), n = 0, left = 0;
	size_t used = 0, i;
	long got;

	if (fd < 0)
		return 0;
	while (used < sizeof(list) - 1 && (got = call_read(fd, list + used, sizeof(list) - 1 - used)) > 0)
		used += (size_t)got;
	call_close(fd);
	for (i = 0; i < used; i++) {
		/* `DEVICE PATH TYPE ...`; blanks in a path are octal escapes: such a one is made read-only with the root. */
		if (list[i] == ' ' && n < COUNT(lines)) {
			lines[n++] = list + ++i;
			while (i < used && list[i] != ' ')
				i++;
			list[i] = 0;
			while (i < used && list[i] != '\n')
				i++;
		}
	}
	while (n--) {
		if (same(lines[n], "/") || same(lines[n], "/proc") || same(lines[n], "/dev"))
			continue;
		if (call_umount(lines[n], 0) < 0 && call_mount(NULL, lines[n], NULL, MS_REMOUNT | MS_RDONLY, NULL) < 0)
			left++;
	}
	return left;
}

void mounts_end(void)
{
	int error;

	/* Again, as what was busy may have been so only because of another one. */
	if (unmount_listed())
		unmount_listed();
	error = call_mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL);
	if (error < 0 && !in_initramfs())
		say(LEVEL_ERROR, "/: cannot make it read-only: ", error_words(error), NULL);
}

bool in_initramfs(void)
{
	/* Of struct statfs, on all architectures here, the first word is the type. */
	unsigned long found[32] = { 0 };
#ifdef __NR_statfs64
	long error = CALL3(__NR_statfs64, "/", 84, found);
#else
	long error = CALL2(__NR_statfs, "/", found);
#endif

	return error >= 0 && (found[0] == RAMFS_MAGIC || found[0] == TMPFS_MAGIC);
}
