// SPDX-License-Identifier: MIT OR Apache-2.0
#include "readahead.h"

#include "folder.h"
#include "kernel.h"
#include "lines.h"
#include "log.h"
#include "text.h"

#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/fastinit"

enum { MAX_PARTS = 32768, MAX_FILES = 8192, PAGE = 4096, MAX_PATH = 1024, MAX_DEPTH = 32 };

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
static unsigned int names_used;
static unsigned int root_major, root_minor;

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

/* The slot of an inode: an open hash, never full. */
static int slot_of(unsigned long long inode)
{
	unsigned int i = (unsigned int)((inode * 0x9e3779b97f4a7c15ULL) >> 51);

	while (files[i % MAX_FILES].inode && files[i % MAX_FILES].inode != inode)
		i++;
	return (int)(i % MAX_FILES);
}

static void add_part(unsigned long long inode, unsigned long long at, unsigned long long size)
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
	char device[32];
	struct text t = TEXT(device);
	unsigned long long inode;

	for (; *line; line++)
		if (starts_with(line, "mm_filemap_add_to_page_cache: dev "))
			break;
	if (!*line)
		return;
	put(&t, "dev ");
	put_number(&t, root_major);
	put(&t, ":");
	put_number(&t, root_minor);
	put(&t, " ");
	inode = number_after(line, " ino ", 16);
	if (starts_with(line + length("mm_filemap_add_to_page_cache: "), device) && inode)
		add_part(inode, number_after(line, " ofs=", 10), (unsigned long long)PAGE << (number_after(line, " order=", 10) & 15));
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

static void note_name(unsigned long long inode, const char *path)
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
	if (call_stat(path, &here) < 0 || here.stx_dev_major != root_major || here.stx_dev_minor != root_minor || !depth) {
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
				note_name(entry->inode, path);
			}
			path[end] = 0;
		}
	call_close(fd);
}

static int write_list(const char *list)
{
	static char line[MAX_PATH + 64];
	char fresh[MAX_PATH];
	struct text f = TEXT(fresh);
	long done = 0;
	int fd, i;

	put(&f, list);
	put(&f, ".new");
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

int readahead_begin(void)
{
	int error;

	call_mount("tracefs", TRACING, "tracefs", 0, "");
	error = call_mkdir(INSTANCE, 0700);
	if (error == 0 || error == -EEXIST) {
		write_text(INSTANCE "/buffer_size_kb", "8192");
		write_text(INSTANCE "/trace", "0");
		error = write_text(INSTANCE "/events/filemap/mm_filemap_add_to_page_cache/enable", "1");
	}
	if (error < 0)
		say(LEVEL_ERROR, "cannot record what is read: ", error_words(error), NULL);
	return error;
}

int readahead_record(const char *list, unsigned long ms)
{
	char path[MAX_PATH] = "/";
	struct statx root;
	int error;

	call_sleep((long)ms);
	write_text(INSTANCE "/events/filemap/mm_filemap_add_to_page_cache/enable", "0");
	error = call_stat("/", &root);
	if (error == 0) {
		root_major = root.stx_dev_major;
		root_minor = root.stx_dev_minor;
		read_trace();
		/* 0 stands for a name that was not found. */
		names_used = 1;
		search(path, sizeof(path), MAX_DEPTH);
		error = write_list(list);
	}
	CALL3(__NR_unlinkat, AT_FDCWD, INSTANCE, AT_REMOVEDIR);
	if (error < 0)
		say(LEVEL_ERROR, list, ": ", error_words(error), NULL);
	return error < 0;
}
