// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault - faults that a debug kernel must report
 *
 * Purpose
 *   Proves that the debug kernel's checks work.
 *
 * Calling contexts
 *   Process context, while loading.
 *
 * Locking
 *   Taking two locks in both orders is one of the faults.
 *
 * Lifetime
 *   Loading always fails, so that there is nothing to unload.
 *
 * What this disturbs
 *   Only memory of its own. lockdep reports once and is off afterwards.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *what = "";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "fault to cause: atomic-sleep, lock-order or use-after-free");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void take_in_order(struct mutex *outer, struct mutex *inner)
{
	mutex_lock(outer);
	mutex_lock(inner);
	mutex_unlock(inner);
	mutex_unlock(outer);
}

static int __init fault_init(void)
{
	char *freed;

	if (!strcmp(what, "atomic-sleep")) {
		/* Not with a spinlock_t: on PREEMPT_RT its holder may sleep. */
		preempt_disable();
		might_sleep();
		preempt_enable();
	} else if (!strcmp(what, "lock-order")) {
		take_in_order(&first, &second);
		take_in_order(&second, &first);
	} else if (!strcmp(what, "use-after-free")) {
		freed = kzalloc(32, GFP_KERNEL);
		kfree(freed);
		OPTIMIZER_HIDE_VAR(freed);
		pr_info("fault: %d\n", READ_ONCE(*freed));
	} else {
		return -EINVAL;
	}
	return -ECANCELED;
}
module_init(fault_init);

MODULE_DESCRIPTION("Faults for a debug kernel to report");
MODULE_LICENSE("GPL");
