/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A measurement that a module offers: debugfs files to start it and to read its result.
 *
 * Purpose
 *   What the measuring modules share. debugfs has a folder named after the module: a write to
 *   `run` starts a measurement and returns when it is over, `result` shows the last result.
 *   Included by one file of a module; everything in here is static.
 *
 * Calling contexts
 *   Process context, which sleeps.
 *
 * Locking
 *   The mutex of struct measurement admits one measurement at a time and protects the last
 *   result. A process that waits for it through debugfs can be interrupted.
 *
 * Lifetime
 *   From measurement_create() to measurement_remove(), which waits for readers and writers.
 *
 * What this disturbs
 *   Nothing but what the measurement does.
 */
#ifndef BOOTLINE_MEASUREMENT_H
#define BOOTLINE_MEASUREMENT_H

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

/**
 * struct measurement - a measurement and its last result
 * @lock:	held during a measurement and while its result is shown
 * @run:	measures, with @lock held; 0 or an error. NULL: no file `run`
 * @show:	writes the last result, if any, with @lock held
 * @folder:	in debugfs
 */
struct measurement {
	struct mutex lock;	/* one measurement at a time */
	int (*run)(void);
	void (*show)(struct seq_file *file);
	struct dentry *folder;
};

static inline int measurement_run(struct measurement *measurement)
{
	int error;

	mutex_lock(&measurement->lock);
	error = measurement->run();
	mutex_unlock(&measurement->lock);
	return error;
}

static ssize_t measurement_run_write(struct file *file, const char __user *text, size_t size,
				     loff_t *at)
{
	struct measurement *measurement = file->private_data;
	int error = mutex_lock_interruptible(&measurement->lock);

	if (error)
		return error;
	error = measurement->run();
	mutex_unlock(&measurement->lock);
	return error ? error : size;
}

static const struct file_operations measurement_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = measurement_run_write,
};

static int measurement_result_show(struct seq_file *file, void *unused)
{
	struct measurement *measurement = file->private;
	int error = mutex_lock_interruptible(&measurement->lock);

	if (error)
		return error;
	measurement->show(file);
	mutex_unlock(&measurement->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(measurement_result);

static inline void measurement_create(struct measurement *measurement)
{
	measurement->folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (measurement->run)
		debugfs_create_file("run", 0200, measurement->folder, measurement,
				    &measurement_run_fops);
	debugfs_create_file("result", 0444, measurement->folder, measurement,
			    &measurement_result_fops);
}

static inline void measurement_remove(struct measurement *measurement)
{
	debugfs_remove(measurement->folder);
}

#endif
