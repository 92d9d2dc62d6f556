/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Text: comparing, and building it in a buffer that it never leaves. */
#ifndef FASTINIT_TEXT_H
#define FASTINIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Text under construction: always terminated; what does not fit is left out and noted. */
struct text {
	char *to;
	size_t size, used;
	bool cut;
};

#define TEXT(buffer) text_in(buffer, sizeof(buffer))

struct text text_in(char *to, size_t size);
void put(struct text *t, const char *s);
void put_byte(struct text *t, char c);
void put_number(struct text *t, unsigned long long n);
/* Seconds with six decimals. */
void put_seconds(struct text *t, unsigned long long ns);

size_t length(const char *s);
bool same(const char *a, const char *b);
bool starts_with(const char *s, const char *start);
/* The part after the last slash. */
const char *base_name(const char *path);
/* A decimal number; with `0` in front an octal one. What is no number is UNPARSED. */
#define UNPARSED (~0UL)
unsigned long parse_number(const char *s);
/* The value of a variable, or null. */
const char *environment(char **envp, const char *name);
/* What an error means: `no such file or directory`. For one without words, a number. */
const char *error_words(long error);

#endif
