// SPDX-License-Identifier: GPL-2.0-only
/*
 * The replay: how long the log is, and where a replay starts.
 *
 * Purpose
 *   Since 5.19 each console has a sequence number: a replay sets it back, and the core prints
 *   from there on. Before, the log is copied to the ring here.
 *
 * Calling contexts
 *   Process context, on loading.
 *
 * Locking
 *   None: the log is read with kmsg_dump's iterator, which is lockless or takes its own lock.
 *   console_relay_store_log() needs the console lock.
 *
 * Lifetime
 *   Keeps nothing.
 *
 * What this disturbs
 *   Nothing. Before 5.19, a record that another CPU stores while the log is being copied may be
 *   printed twice.
 */
#include <linux/kmsg_dump.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include "console_relay.h"

#define TEXT_MAX	4096

/* A reader of the log; before 5.12 a dumper is one. */
struct log_reader {
#ifdef HAVE_KMSG_DUMP_ITER
	struct kmsg_dump_iter kmsg;
#else
	struct kmsg_dumper kmsg;
#endif
};

static void start_reading(struct log_reader *reader)
{
#ifndef HAVE_KMSG_DUMP_ITER
	reader->kmsg.active = true;
#endif
	kmsg_dump_rewind(&reader->kmsg);
}

static bool read_record(struct log_reader *reader, char *text, size_t *len)
{
	return kmsg_dump_get_line(&reader->kmsg, true, text, TEXT_MAX, len);
}

/* kmsg_dump starts each line with its level: <6>[    1.234567] ... Returns its length. */
static size_t prefix_of(const char *text, size_t len, unsigned int *level)
{
	size_t i;

	*level = 0;
	if (len < 3 || text[0] != '<')
		return 0;
	for (i = 1; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		*level = *level * 10 + text[i] - '0';
	*level &= 7;
	return i < len && text[i] == '>' ? i + 1 : 0;
}

static bool is_printed(const char *text, size_t len, int loglevel)
{
	unsigned int level;

	return !prefix_of(text, len, &level) || (int)level < loglevel;
}

/*
 * Sums up the printed bytes of the records from the reader's position on; stops as soon as there
 * are @enough. The prefix is counted as well, which makes up for the carriage return.
 */
static u64 count_bytes(struct log_reader *reader, char *text, int loglevel, u64 enough)
{
	u64 bytes = 0;
	size_t len;

	while (bytes < enough && read_record(reader, text, &len)) {
		if (is_printed(text, len, loglevel))
			bytes += len;
	}
	return bytes;
}

/**
 * console_relay_log_bytes - how long a replay is
 * @limit:	how many bytes to replay at most; 0: no limit
 * @loglevel:	the console loglevel at which it will be printed, or a higher one
 *
 * Return: its length in bytes, or an upper limit.
 */
unsigned int console_relay_log_bytes(unsigned int limit, int loglevel)
{
	struct log_reader reader = { };
	u64 bytes;
	char *text;

	text = kmalloc(TEXT_MAX, GFP_KERNEL);
	if (!text)
		return 0;
	start_reading(&reader);
	bytes = count_bytes(&reader, text, loglevel, U64_MAX);
	kfree(text);
	return min_t(u64, bytes, limit ? limit : INT_MAX / 2);
}

#ifdef HAVE_CONSOLE_SEQ
/**
 * console_relay_replay_start - find the record with which a replay starts
 * @limit:	how many bytes to replay at most, in whole records; 0: no limit
 *
 * With a limit, records that `dmesg -C` has hidden are not replayed: kmsg_dump leaves them out.
 *
 * Return: the record's sequence number.
 */
u64 console_relay_replay_start(unsigned int limit)
{
	struct log_reader reader = { };
	u64 total, start;
	char *text;

	if (!limit)
		return 0;
	text = kmalloc(TEXT_MAX, GFP_KERNEL);
	if (!text)
		return U64_MAX;
	start_reading(&reader);
	start = reader.kmsg.cur_seq;
	total = count_bytes(&reader, text, console_loglevel, U64_MAX);
	if (total > limit) {
		start_reading(&reader);
		count_bytes(&reader, text, console_loglevel, total - limit);
		start = reader.kmsg.cur_seq;
	}
	kfree(text);
	return start;
}
#else
/* Stores a record of one or more lines without the prefixes. */
static void store_record(struct console_relay *relay, const char *text, size_t len)
{
	unsigned int level;
	size_t line, skip;

	while (len) {
		for (line = 0; line < len && text[line] != '\n'; line++)
			;
		line += line < len;
		skip = prefix_of(text, line, &level);
		if (!console_relay_ring_store(&relay->ring, text + skip, line - skip))
			relay->counters.lost_bytes += line - skip;
		text += line;
		len -= line;
	}
}

/**
 * console_relay_store_log - copy the log to the ring; the console lock is held
 * @relay:	the relay
 * @limit:	how many bytes to copy at most, in whole records, the latest; 0: no limit
 */
void console_relay_store_log(struct console_relay *relay, unsigned int limit)
{
	struct log_reader reader = { };
	u64 total = 0;
	char *text;
	size_t len;

	text = kmalloc(TEXT_MAX, GFP_KERNEL);
	if (!text)
		return;
	if (limit) {
		start_reading(&reader);
		total = count_bytes(&reader, text, console_loglevel, U64_MAX);
	}
	start_reading(&reader);
	if (total > limit)
		count_bytes(&reader, text, console_loglevel, total - limit);
	while (read_record(&reader, text, &len)) {
		if (is_printed(text, len, console_loglevel))
			store_record(relay, text, len);
	}
	kfree(text);
	console_relay_kick(relay);
}
#endif
