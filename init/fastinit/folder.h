/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_FOLDER_H
#define FASTINIT_FOLDER_H

/* A record of getdents64. */
struct folder_entry {
	unsigned long long inode;
	long long next;
	unsigned short size;
	unsigned char type;
	char name[];
};

enum { ENTRY_IS_FOLDER = 4, ENTRY_IS_FILE = 8 };

#endif
