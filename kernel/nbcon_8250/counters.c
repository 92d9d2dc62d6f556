// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters in debugfs.
 *
 * Purpose
 *   debugfs: nbcon_8250/counters, one line `NAME VALUE` for each.
 *
 * Calling contexts
 *   Process context, on loading, on unloading and for each read.
 *
 * Locking
 *   None: a reader may see one counter ahead of another.
 *
 * Lifetime
 *   From loading to unloading. Removing the file waits for its readers.
 *
 * What this disturbs
 *   Nothing.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include "nbcon_8250.h"

static struct dentry *folder;

static int counters_seq_show(struct seq_file *file, void *unused)
{
	struct nbcon_8250 *nb = file->private;
	struct counters *c = &nb->counters;

	seq_printf(file, "port ttyS%u\n", nb->up->port.line);
	seq_printf(file, "records %llu\n", c->records);
	seq_printf(file, "bytes %llu\n", c->bytes);
	seq_printf(file, "bursts %llu\n", c->bursts);
	seq_printf(file, "status_reads %llu\n", c->status_reads);
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
	seq_printf(file, "byte_ns %u\n", nb->byte_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters_seq);

void nbcon_8250_counters_create(struct nbcon_8250 *nb)
{
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("counters", 0444, folder, nb, &counters_seq_fops);
}

void nbcon_8250_counters_remove(void)
{
	debugfs_remove(folder);
}
