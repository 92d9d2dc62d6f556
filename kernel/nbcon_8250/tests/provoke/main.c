// SPDX-License-Identifier: GPL-2.0-only
/*
 * provoke - a WARN, an oops or a panic at a chosen moment, for the tests
 *
 * Purpose
 *   Triggers a WARN, an oops or a panic while the console has a backlog, and makes a port
 *   look like hardware that QEMU does not have. debugfs: a write of `WHAT CONTEXT RECORDS
 *   DELAY_US` to `provoke` stores RECORDS records, waits, and triggers WHAT (warn, oops,
 *   panic, nothing, stall: a report of the RCU stall detector, hold: five seconds with a
 *   record every 50 ms) in CONTEXT (those of context.c; port, latch: port.c; sent: sent.c). It
 *   returns when that is over. Without RECORDS nothing else is logged (but in `sent`). `set
 *   FIELD` is explained in port.c, `start ACTOR` and `stop ACTOR` in actors.c. A read of
 *   `provoke` shows what was observed, one line `NAME VALUE` for each. With the parameter
 *   `report`, a panic's log is written to that tty: panic_log.c.
 *
 * Calling contexts
 *   Process context for the write; CONTEXT for the rest.
 *
 * Locking
 *   None: the tests have one writer at a time.
 *
 * Lifetime
 *   After an oops the module cannot be unloaded.
 *
 * What this disturbs
 *   Everything: that is its purpose.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/uaccess.h>
#include "provoke.h"

static char *report;
module_param(report, charp, 0444);
MODULE_PARM_DESC(report, "tty of an 8250 to which a panic's log is written, such as ttyS1");

static struct dentry *file;
static char what[8];
static int *nowhere;
static u64 took_ns;
static unsigned int moment;

/*
 * Spins for @ms by the clock: a CPU whose delay loop was calibrated on a busy host waits too
 * short or too long. The count is for a clock that does not go on while interrupts are off.
 */
static void spin(unsigned int ms)
{
	u64 end_ns = ktime_get_mono_fast_ns() + (u64)ms * NSEC_PER_MSEC;
	unsigned int i;

	for (i = 0; i < 10 * ms && ktime_get_mono_fast_ns() < end_ns; i++)
		mdelay(1);
}

/*
 * Long enough for the RCU stall detector, if it is set to its shortest time-out, 3 s. The grace
 * period is asked for here, so that it begins, on another CPU, while this one can't let it end.
 */
static void stall(void)
{
	preempt_disable();
	start_poll_synchronize_rcu();
	spin(5 * MSEC_PER_SEC);
	preempt_enable();
}

static void hold(void)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		pr_info("held %u\n", i);
		spin(50);
	}
}

static void trigger(void)
{
	u64 begin_ns = ktime_get_mono_fast_ns();

	if (!strcmp(what, "warn")) {
		provoke_count_begin();
		WARN(1, "provoked\n");
		provoke_count_end();
	} else if (!strcmp(what, "oops")) {
		WRITE_ONCE(*READ_ONCE(nowhere), 0);
	} else if (!strcmp(what, "panic")) {
		panic("provoked");
	} else if (!strcmp(what, "stall")) {
		stall();
	} else if (!strcmp(what, "hold")) {
		hold();
	}
	took_ns = ktime_get_mono_fast_ns() - begin_ns;
}

static int provoke(const char *context, unsigned int records, unsigned int delay_us)
{
	unsigned int i;
	int err = 0;

	moment++;
	for (i = 0; i < records; i++)
		pr_info("record %u of the backlog %u, and some more characters\n", i, moment);
	if (delay_us)
		usleep_range(delay_us, delay_us + 10);
	took_ns = 0;
	if (!strcmp(context, "port"))
		err = provoke_in_port(delay_us % 37, trigger);
	else if (!strcmp(context, "latch"))
		err = provoke_in_latch(trigger);
	else if (!strcmp(context, "sent"))
		err = provoke_when_sent(trigger);
	else if (!provoke_in(context, trigger))
		err = -EINVAL;
	if (records)
		pr_info("it took %llu us\n", div_u64(took_ns, NSEC_PER_USEC));
	return err;
}

static int provoke_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "took_us %llu\n", div_u64(took_ns, NSEC_PER_USEC));
	provoke_show_port(seq);
	provoke_show_actors(seq);
	return 0;
}

static int provoke_open(struct inode *inode, struct file *opened)
{
	return single_open(opened, provoke_show, NULL);
}

static ssize_t provoke_write(struct file *unused, const char __user *user, size_t len,
			     loff_t *pos)
{
	unsigned int records, delay_us;
	char line[64], context[16];
	int err;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, user, len))
		return -EFAULT;
	line[len] = '\0';
	if (sscanf(line, "set %15s", context) == 1)
		err = provoke_set_port(context);
	else if (sscanf(line, "start %15s", context) == 1)
		err = provoke_start_actor(context);
	else if (sscanf(line, "stop %15s", context) == 1)
		err = provoke_stop_actor(context);
	else if (sscanf(line, "%7s %15s %u %u", what, context, &records, &delay_us) == 4)
		err = provoke(context, records, delay_us);
	else
		err = -EINVAL;
	return err ? err : len;
}

static const struct file_operations provoke_fops = {
	.owner = THIS_MODULE,
	.open = provoke_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
	.write = provoke_write,
};

static int __init provoke_init(void)
{
	int err = report ? provoke_begin_panic_log(report) : 0;

	if (err)
		return err;
	file = debugfs_create_file("provoke", 0600, NULL, NULL, &provoke_fops);
	return 0;
}
module_init(provoke_init);

static void __exit provoke_exit(void)
{
	debugfs_remove(file);
	provoke_stop_actors();
	provoke_release_port();
	if (report)
		provoke_end_panic_log();
}
module_exit(provoke_exit);

MODULE_DESCRIPTION("Triggers a WARN, an oops or a panic");
MODULE_LICENSE("GPL");
