// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a replay begins.
 */
#include <linux/kmsg_dump.h>
#include <linux/limits.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include "nbcon_8250.h"

/* A record's text begins with <level>, where syslog(2) would show it: <6>[    1.234567] ... */
static bool is_printed(const char *text, size_t len)
{
	unsigned int level = 0;
	size_t i;

	if (len < 3 || text[0] != '<')
		return true;
	for (i = 1; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		level = level * 10 + text[i] - '0';
	return (level & 7) < console_loglevel;
}

/* Adds up what is printed of the records behind @iter; stops when @enough is reached. */
static u64 count_characters(struct kmsg_dump_iter *iter, char *text, u64 enough)
{
	u64 characters = 0;
	size_t len;

	while (characters < enough &&
	       kmsg_dump_get_line(iter, true, text, RECORD_TEXT_MAX, &len)) {
		if (is_printed(text, len))
			characters += len;
	}
	return characters;
}

/**
 * replay_start - the record with which a replay begins
 * @limit: at most so many characters are replayed, up to one record more; 0 means no limit
 *
 * Only what the console's loglevel lets through counts. The prefix <6> is counted in, about
 * as much as the carriage return that is sent instead.
 *
 * Return: the record's number.
 */
u64 replay_start(unsigned int limit)
{
	struct kmsg_dump_iter iter;
	u64 total, start = 0;
	char *text;

	if (!limit)
		return 0;
	text = kmalloc(RECORD_TEXT_MAX, GFP_KERNEL);
	if (!text)
		return next_record();

	kmsg_dump_rewind(&iter);
	total = count_characters(&iter, text, U64_MAX);
	if (total > limit) {
		kmsg_dump_rewind(&iter);
		count_characters(&iter, text, total - limit);
		start = iter.cur_seq;
	}
	kfree(text);
	return start;
}
