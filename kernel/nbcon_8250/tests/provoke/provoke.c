// SPDX-License-Identifier: GPL-2.0-only
/*
 * Purpose: makes a WARN, an oops or a panic happen with a backlog on the console, for the tests.
 * Calling contexts: the module's init, or hard interrupt context by irq_work.
 * Locking: none. Lifetime: all happens in the init.
 * What this disturbs: that is its purpose.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>

static char *what = "warn";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "warn, oops or panic");

static bool hardirq;
module_param(hardirq, bool, 0444);
MODULE_PARM_DESC(hardirq, "in hard interrupt context");

static unsigned int backlog = 40;
module_param(backlog, uint, 0444);
MODULE_PARM_DESC(backlog, "records to be printed before");

static unsigned int delay_us;
module_param(delay_us, uint, 0444);
MODULE_PARM_DESC(delay_us, "pause behind them");

static int *nowhere;
static u64 took_ns;

static void provoke(struct irq_work *work)
{
	u64 begin_ns = ktime_get_ns();

	if (!strcmp(what, "warn"))
		WARN(1, "provoked\n");
	else if (!strcmp(what, "oops"))
		WRITE_ONCE(*READ_ONCE(nowhere), 0);
	else
		panic("provoked");
	took_ns = ktime_get_ns() - begin_ns;
}

static int __init provoke_init(void)
{
	struct irq_work work;
	unsigned int i;

	for (i = 0; i < backlog; i++)
		pr_info("provoke: record %u of the backlog, and some more characters\n", i);
	usleep_range(delay_us, delay_us + 10);
	if (hardirq) {
		init_irq_work(&work, provoke);
		irq_work_queue(&work);
		irq_work_sync(&work);
	} else {
		provoke(NULL);
	}
	pr_info("provoke: it took %llu us\n", took_ns / 1000);
	return 0;
}
module_init(provoke_init);

static void __exit provoke_exit(void)
{
}
module_exit(provoke_exit);

MODULE_DESCRIPTION("Provokes a WARN, an oops or a panic");
MODULE_LICENSE("GPL");
