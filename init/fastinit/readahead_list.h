/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A list of parts of files under construction, in order of first use. Files are known by their inodes in the root file system. */
#ifndef FASTINIT_READAHEAD_LIST_H
#define FASTINIT_READAHEAD_LIST_H

#include <stdbool.h>

enum { LIST_MAX_PATH = 1024 };

/* Finds the root file system, to which a list is limited. Returns 0 or -errno. */
int list_begin(void);
/* Whether a file, by its device and inode, is in the root file system. */
bool list_is_root(unsigned int major, unsigned int minor);
/* A part that was read, in bytes. One that follows the last part of the list is added to it. */
void list_add(unsigned long long inode, unsigned long long at, unsigned long long size);
/* The path of a file; ignored if it has one, or if no part of it is in the list. */
void list_name(unsigned long long inode, const char *path);
/* Looks for the files without a path in the whole root file system. */
void list_search(void);
/* Writes the parts of the files that have a path. Without any it leaves the old list. Returns 0 or -errno, -ENODATA without any. */
int list_write(const char *path);
/* Bytes of a page of the kernel, which depend on its configuration. */
unsigned long list_page(void);

#endif
