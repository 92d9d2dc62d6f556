// SPDX-License-Identifier: MIT OR Apache-2.0
#include "note.h"

#include "kernel.h"
#include "text.h"

/* Of this class, attributes are written by root alone and read by everyone. */
#define ATTRIBUTE "security.fastinit"
#define FOLDER "/run/fastinit"

enum { NUMBERS = 6, NOTE_SIZE = NUMBERS * 21 };

static void put_path(struct text *t, const char *name, const char *end)
{
	put(t, FOLDER "/");
	put(t, name);
	put(t, end);
}

/* Replaces the file: who reads it finds a whole note. */
static int write_file(const char *name, const char *words, size_t n)
{
	char path[96], fresh[96];
	struct text p = TEXT(path), f = TEXT(fresh);
	int fd, error = call_mkdir(FOLDER, 0755);
	long done;

	put_path(&p, name, "");
	put_path(&f, name, ".new");
	fd = call_open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	/* Without its folder, what kept that from being made is the reason. */
	if (fd < 0)
		return fd == -ENOENT && error < 0 ? error : fd;
	done = call_write(fd, words, n);
	call_close(fd);
	return done < 0 ? (int)done : call_rename(fresh, path);
}

static long read_file(const char *name, char *words, size_t size)
{
	char path[96];
	struct text t = TEXT(path);
	long n;
	int fd;

	put_path(&t, name, "");
	fd = call_open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	n = call_read(fd, words, size);
	call_close(fd);
	return n;
}

int note_write(int folder, const char *name, const struct note *note)
{
	const unsigned long long numbers[NUMBERS] = {
		(unsigned long long)note->state, (unsigned long long)note->program.pid, note->program.start,
		(unsigned long long)note->starter.pid, note->starter.start, (unsigned long long)(note->status + 1),
	};
	char words[NOTE_SIZE + 1];
	struct text t = TEXT(words);
	int i;

	for (i = 0; i < NUMBERS; i++) {
		put_number(&t, numbers[i]);
		put(&t, " ");
	}
	if (folder >= 0 && CALL5(__NR_fsetxattr, folder, ATTRIBUTE, words, t.used, 0) == 0)
		return 0;
	return write_file(name, words, t.used);
}

struct note note_read(int folder, const char *name)
{
	unsigned long long numbers[NUMBERS] = { 0 };
	char words[NOTE_SIZE + 1];
	long n = -ENOENT, at;
	int i = 0;

	if (folder >= 0)
		n = CALL4(__NR_fgetxattr, folder, ATTRIBUTE, words, NOTE_SIZE);
	if (n < 0)
		n = read_file(name, words, NOTE_SIZE);
	for (at = 0; at < n && i < NUMBERS; at++)
		if (words[at] == ' ')
			i++;
		else
			numbers[i] = numbers[i] * 10 + (unsigned long long)(words[at] - '0');
	if (i < NUMBERS || numbers[0] > NOTE_ENDED)
		return (struct note){ .state = NOTE_NONE };
	return (struct note){ (enum note_state)numbers[0], { (int)numbers[1], numbers[2] }, { (int)numbers[3], numbers[4] },
			      (int)numbers[5] - 1 };
}
