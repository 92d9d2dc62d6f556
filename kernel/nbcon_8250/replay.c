// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a replay starts.
 *
 * Purpose
 *   Finds the first record to print, so that a replay has at most replay_limit bytes.
 *
 * Calling contexts
 *   Process context, on loading.
 *
 * Locking
 *   None: the ring buffer is read with kmsg_dump's lockless iterator. Records stored meanwhile
 *   only make the replay longer.
 *
 * Lifetime
 *   Keeps nothing.
 *
 * What this disturbs
 *   Nothing. With a limit the ring buffer is read twice while nothing is printed.
 */
#include <linux/kmsg_dump.h>
#include <linux/limits.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include "nbcon_8250.h"

/* kmsg_dump starts each record with its level: <6>[    1.234567] ... */
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

/* Sums up the printed bytes of the records from @iter on; stops as soon as there are @enough. */
static u64 count_bytes(struct kmsg_dump_iter *iter, char *text, u64 enough)
{
	u64 bytes = 0;
	size_t len;

	while (bytes < enough &&
	       kmsg_dump_get_line(iter, true, text, RECORD_TEXT_MAX, &len)) {
		if (is_printed(text, len))
			bytes += len;
	}
	return bytes;
}

/**
 * nbcon_8250_replay_start - find the record with which a replay starts
 * @limit:	how many bytes to replay at most, in whole records; 0: no limit
 *
 * Only records that the console loglevel lets through count. The prefix <6> is counted as well,
 * which roughly makes up for the carriage return. With a limit, records that `dmesg -C` has hidden
 * are not replayed: kmsg_dump leaves them out.
 *
 * Return: the record's sequence number.
 */
u64 nbcon_8250_replay_start(unsigned int limit)
{
	struct kmsg_dump_iter iter;
	u64 total, start;
	char *text;

	if (!limit)
		return 0;
	text = kmalloc(RECORD_TEXT_MAX, GFP_KERNEL);
	if (!text)
		return nbcon_8250_next_record();

	kmsg_dump_rewind(&iter);
	start = iter.cur_seq;
	total = count_bytes(&iter, text, U64_MAX);
	if (total > limit) {
		kmsg_dump_rewind(&iter);
		count_bytes(&iter, text, total - limit);
		start = iter.cur_seq;
	}
	kfree(text);
	return start;
}
