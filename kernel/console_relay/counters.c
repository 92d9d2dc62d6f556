// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters, in debugfs: console_relay/counters, one line `NAME VALUE` each.
 *
 * Purpose
 *   Shows what the relay has done since it was loaded.
 *
 * Calling contexts
 *   Process context.
 *
 * Locking
 *   None. On 32-bit machines a 64-bit counter may be read while it changes.
 *
 * Lifetime
 *   From loading to unloading; removing the file waits for its readers.
 *
 * What this disturbs
 *   Nothing.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include "console_relay.h"

static struct dentry *folder;

static int counters_seq_show(struct seq_file *file, void *unused)
{
	const struct console_relay *relay = file->private;
	const struct counters *c = &relay->counters;

	seq_printf(file, "lines %llu\n", c->lines);
	seq_printf(file, "bytes %llu\n", c->bytes);
	seq_printf(file, "drained_lines %llu\n", c->drained_lines);
	seq_printf(file, "direct_records %llu\n", c->direct_records);
	seq_printf(file, "warn_records %llu\n", c->warn_records);
	seq_printf(file, "left_to_thread %llu\n", c->left_to_thread);
	seq_printf(file, "starved_records %llu\n", c->starved_records);
	seq_printf(file, "full %llu\n", c->full);
	seq_printf(file, "forced %llu\n", c->forced);
	seq_printf(file, "lost_bytes %llu\n", c->lost_bytes);
	seq_printf(file, "rewinds %llu\n", c->rewinds);
	seq_printf(file, "set_back %llu\n", c->set_back);
	seq_printf(file, "stored_bytes %u\n", console_relay_ring_bytes(&relay->ring));
	seq_printf(file, "highest_stored_bytes %u\n", relay->ring.highest);
	seq_printf(file, "buffer_bytes %u\n", relay->ring.size);
	seq_printf(file, "burst_lines %llu\n", c->burst_lines);
	seq_printf(file, "bursts %llu\n", c->bursts);
	seq_printf(file, "sleeps %llu\n", c->sleeps);
	seq_printf(file, "unguarded %llu\n", c->unguarded);
	seq_printf(file, "stuck %llu\n", c->stuck);
	seq_printf(file, "finished_by_others %llu\n", c->finished_by_others);
	seq_printf(file, "longest_write_ns %llu\n", c->longest_write_ns);
	seq_printf(file, "byte_ns %u\n", relay->bursts.up ? relay->bursts.byte_ns : relay->byte_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters_seq);

void console_relay_counters_create(struct console_relay *relay)
{
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("counters", 0444, folder, relay, &counters_seq_fops);
}

void console_relay_counters_remove(void)
{
	debugfs_remove(folder);
}
