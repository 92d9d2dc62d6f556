// SPDX-License-Identifier: MIT OR Apache-2.0
#include "devices.h"

#include <linux/module.h>

#include "kernel.h"
#include "log.h"

/* Headers before 5.17 lack it. */
#ifndef MODULE_INIT_COMPRESSED_FILE
#define MODULE_INIT_COMPRESSED_FILE 4
#endif

static bool is_node(const struct step *step)
{
	struct statx found;

	return call_stat(step->path, &found) == 0 && (found.stx_mode & S_IFMT) == (step->block ? S_IFBLK : S_IFCHR) &&
	       found.stx_rdev_major == step->major && found.stx_rdev_minor == step->minor;
}

static int make_node(const struct step *step)
{
	/* As the kernel's new_encode_dev() has it. */
	unsigned int device = (unsigned int)((step->minor & 0xff) | step->major << 8 | (step->minor & ~0xffUL) << 12);
	int error = call_mknod(step->path, (int)((step->block ? S_IFBLK : S_IFCHR) | step->mode), device);

	/* devtmpfs may have made it: then only the mode and the owner are missing. */
	if (error == -EEXIST && is_node(step))
		error = 0;
	if (error == 0)
		error = call_chmod(step->path, (int)step->mode);
	if (error == 0)
		error = call_chown(step->path, (unsigned int)step->user, (unsigned int)step->group);
	return error;
}

static int make_link(const struct step *step)
{
	char there[256];
	int error = call_symlink(step->argument, step->path);
	long n;

	if (error != -EEXIST)
		return error;
	n = CALL4(__NR_readlinkat, AT_FDCWD, step->path, there, sizeof(there) - 1);
	there[n > 0 ? n : 0] = 0;
	return same(there, step->argument) ? 0 : error;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = length(s), k = length(end);

	return n >= k && same(s + n - k, end);
}

/* Kernels with MODULE_DECOMPRESS decompress a module themselves. */
static int load_module(const struct step *step)
{
	int flags = ends_with(step->path, ".ko") ? 0 : MODULE_INIT_COMPRESSED_FILE;
	int fd = call_open(step->path, O_RDONLY, 0);
	int error;

	if (fd < 0)
		return fd;
	error = (int)CALL3(__NR_finit_module, fd, step->argument, flags);
	call_close(fd);
	return error == -EEXIST ? 0 : error;
}

/* The kernel announces the device again, to whoever listens by then, as `udevadm trigger` does for all devices. */
static int announce(const struct step *step)
{
	char path[320];
	struct text t = TEXT(path);
	long done;
	int fd;

	put(&t, step->path);
	put(&t, "/uevent");
	if (t.cut)
		return -ENAMETOOLONG;
	fd = call_open(path, O_WRONLY, 0);
	if (fd < 0)
		return fd;
	done = call_write(fd, "add", 3);
	call_close(fd);
	return done < 0 ? (int)done : 0;
}

void devices_make(const struct config *config)
{
	int i;

	for (i = 0; i < config->step_count; i++) {
		const struct step *step = &config->steps[i];
		int error = 0;

		switch (step->kind) {
		case STEP_NODE:
			error = make_node(step);
			break;
		case STEP_LINK:
			error = make_link(step);
			break;
		case STEP_MODULE:
			error = load_module(step);
			break;
		case STEP_COLDPLUG:
			error = announce(step);
			break;
		}
		if (error < 0)
			say(LEVEL_ERROR, step->path, ": ", error_words(error), NULL);
	}
}
