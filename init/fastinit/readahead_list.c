// SPDX-License-Identifier: MIT OR Apache-2.0
#include "readahead_list.h"

#include "folder.h"
#include "kernel.h"
#include "text.h"

enum { MAX_PARTS = 32768, MAX_FILES = 8192, MAX_DEPTH = 32, LEAST_PAGE = 4096 };

/* A part of a file, in order of first use. */
struct part {
	unsigned long long at, size;
	int file;
};

/* A file of the root file system that was read; found by its inode when the tree is searched. */
struct file {
	unsigned long long inode;
	/* In the names' memory; 0: not found. */
	unsigned int name;
};

static struct part parts[MAX_PARTS];
static struct file files[MAX_FILES];
static char names[1 << 20];
static int part_count, file_count;
/* 0 stands for a name that was not found. */
static unsigned int names_used = 1;
static unsigned int root_major, root_minor;

int list_begin(void)
{
	struct statx root;
	int error = call_stat("/", &root);

	if (error < 0)
		return error;
	root_major = root.stx_dev_major;
	root_minor = root.stx_dev_minor;
	return 0;
}

bool list_is_root(unsigned int major, unsigned int minor)
{
	return major == root_major && minor == root_minor;
}

/* The slot of an inode: an open hash, never full. */
static int slot_of(unsigned long long inode)
{
	unsigned int i = (unsigned int)((inode * 0x9e3779b97f4a7c15ULL) >> 51);

	while (files[i % MAX_FILES].inode && files[i % MAX_FILES].inode != inode)
		i++;
	return (int)(i % MAX_FILES);
}

void list_add(unsigned long long inode, unsigned long long at, unsigned long long size)
{
	struct part *last = part_count ? &parts[part_count - 1] : NULL;
	int slot = slot_of(inode);

	if (!files[slot].inode) {
		if (file_count == MAX_FILES - 1)
			return;
		file_count++;
		files[slot].inode = inode;
	}
	if (last && last->file == slot && last->at + last->size == at) {
		last->size += size;
		return;
	}
	if (part_count < MAX_PARTS)
		parts[part_count++] = (struct part){ at, size, slot };
}

void list_name(unsigned long long inode, const char *path)
{
	struct file *file = &files[slot_of(inode)];
	size_t n = length(path) + 1, i;

	/* With a line end in it, it could not be listed. */
	for (i = 0; i < n; i++)
		if (path[i] == '\n')
			return;
	if (file->inode != inode || file->name || names_used + n > sizeof(names))
		return;
	file->name = names_used;
	for (i = 0; i < n; i++)
		names[names_used++] = path[i];
}

/* Looks through a folder of the root file system; `path` ends with a slash and is restored. */
static void search(char *path, size_t size, int depth)
{
	char entries[2048] __attribute__((aligned(8)));
	size_t end = length(path);
	struct statx here;
	int fd = call_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	long n, at;

	if (fd < 0)
		return;
	if (call_stat(path, &here) < 0 || !list_is_root(here.stx_dev_major, here.stx_dev_minor) || !depth) {
		call_close(fd);
		return;
	}
	while ((n = CALL3(__NR_getdents64, fd, entries, sizeof(entries))) > 0)
		for (at = 0; at < n; at += ((struct folder_entry *)(entries + at))->size) {
			const struct folder_entry *entry = (struct folder_entry *)(entries + at);
			struct text t = { path, size, end, false };

			put(&t, entry->name);
			if (entry->type == ENTRY_IS_FOLDER && !same(entry->name, ".") && !same(entry->name, "..")) {
				put(&t, "/");
				if (!t.cut)
					search(path, size, depth - 1);
			} else if (entry->type == ENTRY_IS_FILE && !t.cut) {
				list_name(entry->inode, path);
			}
			path[end] = 0;
		}
	call_close(fd);
}

void list_search(void)
{
	char path[LIST_MAX_PATH] = "/";

	search(path, sizeof(path), MAX_DEPTH);
}

int list_write(const char *list)
{
	static char line[LIST_MAX_PATH + 64];
	char fresh[LIST_MAX_PATH];
	struct text f = TEXT(fresh);
	long done = 0;
	int fd, i;

	put(&f, list);
	put(&f, ".new");
	for (i = 0; i < part_count && !files[parts[i].file].name; i++)
		;
	if (i == part_count)
		return -ENODATA;
	fd = call_open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return fd;
	for (i = 0; i < part_count && done >= 0; i++) {
		struct text t = TEXT(line);

		if (!files[parts[i].file].name)
			continue;
		put_number(&t, parts[i].at);
		put(&t, " ");
		put_number(&t, parts[i].size);
		put(&t, " ");
		put(&t, names + files[parts[i].file].name);
		put(&t, "\n");
		done = call_write(fd, line, t.used);
	}
	call_close(fd);
	return done < 0 ? (int)done : call_rename(fresh, list);
}

unsigned long list_page(void)
{
	/* AT_NULL and AT_PAGESZ of linux/auxvec.h: pairs of what it is and its value. */
	enum { END = 0, PAGE_SIZE = 6, PAIRS = 64 };
	unsigned long pairs[2 * PAIRS];
	int fd = call_open("/proc/self/auxv", O_RDONLY, 0), i;
	long got;

	if (fd < 0)
		return LEAST_PAGE;
	got = call_read(fd, pairs, sizeof(pairs));
	call_close(fd);
	for (i = 0; (i + 2) * (long)sizeof(*pairs) <= got && pairs[i] != END; i += 2)
		if (pairs[i] == PAGE_SIZE && pairs[i + 1] >= LEAST_PAGE)
			return pairs[i + 1];
	return LEAST_PAGE;
}
