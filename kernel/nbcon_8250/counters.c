// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs: nbcon_8250/counters, one `name value` a line. Read without a lock: a reader may see
 * one counter ahead of another.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include "nbcon_8250.h"

static struct dentry *folder;

static int counters_seq_show(struct seq_file *file, void *unused)
{
	struct takeover *t = file->private;
	struct counters *c = &t->counters;

	seq_printf(file, "port ttyS%u\n", t->up->port.line);
	seq_printf(file, "records %llu\n", c->records);
	seq_printf(file, "characters %llu\n", c->characters);
	seq_printf(file, "bursts %llu\n", c->bursts);
	seq_printf(file, "looks %llu\n", c->looks);
	seq_printf(file, "sleeps %llu\n", c->sleeps);
	seq_printf(file, "busy %llu\n", c->busy);
	seq_printf(file, "deferred %llu\n", c->deferred);
	seq_printf(file, "unguarded %llu\n", c->unguarded);
	seq_printf(file, "interrupted %llu\n", c->interrupted);
	seq_printf(file, "restored %llu\n", c->restored);
	seq_printf(file, "stuck %llu\n", c->stuck);
	seq_printf(file, "atomic_records %u\n", atomic_read(&c->atomic_records));
	seq_printf(file, "left_to_thread %u\n", atomic_read(&c->left_to_thread));
	seq_printf(file, "longest_hold_ns %llu\n", c->longest_hold_ns);
	seq_printf(file, "character_ns %u\n", t->char_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters_seq);

void counters_show(struct takeover *t)
{
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("counters", 0444, folder, t, &counters_seq_fops);
}

void counters_hide(void)
{
	debugfs_remove(folder);
}
