// SPDX-License-Identifier: GPL-2.0-only
/*
 * delay_probe - an initcall that takes as long as it is told to
 *
 * Purpose: A boot with a known fault, to see whether a gate finds it: loaded by
 *	init under initcall_debug, delay_probe_init is one initcall among the
 *	others, and takes ms milliseconds more than nothing.
 *
 *	insmod delay_probe.ko ms=50
 *
 * Calling contexts: The process that loads it, once.
 *
 * Locking: None; there is nothing to share.
 *
 * Lifetime: Nothing is left behind but the module, which can be unloaded.
 *
 * What this disturbs: It spins, as drivers that wait for hardware without an
 *	interrupt do: on one CPU nothing else runs meanwhile that doesn't preempt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/printk.h>

/* More would look like a hang to whoever loads it. */
#define MOST_MS	10000U

static unsigned int ms;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds to spin in the initcall (0)");

static int __init delay_probe_init(void)
{
	if (ms > MOST_MS) {
		pr_err("ms=%u: 0 to %u\n", ms, MOST_MS);
		return -EINVAL;
	}
	mdelay(ms);
	return 0;
}

static void __exit delay_probe_exit(void)
{
}

module_init(delay_probe_init);
module_exit(delay_probe_exit);

MODULE_DESCRIPTION("An initcall that takes as long as it is told to");
MODULE_LICENSE("GPL");
