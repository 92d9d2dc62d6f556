// SPDX-License-Identifier: MIT OR Apache-2.0
#include "text.h"

#include <linux/errno.h>

struct text text_in(char *to, size_t size)
{
	struct text t = { to, size, 0, false };

	to[0] = 0;
	return t;
}

void put_byte(struct text *t, char c)
{
	if (t->used + 1 >= t->size) {
		t->cut = true;
		return;
	}
	t->to[t->used++] = c;
	t->to[t->used] = 0;
}

void put(struct text *t, const char *s)
{
	while (*s)
		put_byte(t, *s++);
}

void put_number(struct text *t, unsigned long long n)
{
	char digits[20];
	int i = 0;

	do {
		digits[i++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (i)
		put_byte(t, digits[--i]);
}

void put_seconds(struct text *t, unsigned long long ns)
{
	unsigned long long us = ns / 1000;
	unsigned long long place;

	put_number(t, us / 1000000);
	put_byte(t, '.');
	for (place = 100000; place; place /= 10)
		put_byte(t, (char)('0' + us / place % 10));
}

size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool starts_with(const char *s, const char *start)
{
	while (*start && *s == *start)
		s++, start++;
	return !*start;
}

const char *base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

unsigned long parse_number(const char *s)
{
	const unsigned long limit = 0xffffffffUL;
	unsigned int base = s[0] == '0' && s[1] ? 8 : 10;
	unsigned long long n = 0;

	if (!*s)
		return UNPARSED;
	for (; *s; s++) {
		unsigned int digit = (unsigned int)(unsigned char)*s - '0';

		if (digit >= base)
			return UNPARSED;
		n = n * base + digit;
		if (n >= limit)
			return UNPARSED;
	}
	return (unsigned long)n;
}

const char *environment(char **envp, const char *name)
{
	size_t n = length(name);

	for (; *envp; envp++)
		if (starts_with(*envp, name) && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

const char *error_words(long error)
{
	static const struct {
		int error;
		const char *words;
	} known[] = {
		{ EPERM, "operation not permitted" },
		{ ENOENT, "no such file or directory" },
		{ ESRCH, "no such process" },
		{ EIO, "input/output error" },
		{ E2BIG, "argument list too long" },
		{ ENOEXEC, "exec format error" },
		{ EAGAIN, "resource temporarily unavailable" },
		{ ENOMEM, "out of memory" },
		{ EACCES, "permission denied" },
		{ EBUSY, "device or resource busy" },
		{ EEXIST, "file exists" },
		{ ENODEV, "no such device" },
		{ ENOTDIR, "not a directory" },
		{ EISDIR, "is a directory" },
		{ EINVAL, "invalid argument" },
		{ EMFILE, "too many open files" },
		{ ENOSPC, "no space left on device" },
		{ EROFS, "read-only file system" },
		{ ENOSYS, "function not implemented" },
		{ ELOOP, "too many levels of symbolic links" },
		{ ETXTBSY, "text file busy" },
	};
	static char other[24];
	struct text t = TEXT(other);
	size_t i;

	if (error < 0)
		error = -error;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].error == error)
			return known[i].words;
	put(&t, "error ");
	put_number(&t, (unsigned long long)error);
	return other;
}
