// SPDX-License-Identifier: GPL-2.0-only
/*
 * Purpose: the faults that a debug kernel is there to report, to see that it does.
 * Calling contexts: the module's init. Locking: that is one of the faults.
 * Lifetime: all happens in the init, which fails, so that the module needs no removal.
 * What this disturbs: nothing but memory of its own; lockdep reports once and is off from then on.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *what = "";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "atomic-sleep, lock-order or use-after-free");

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
		/* On PREEMPT_RT one may sleep with a spinlock_t. */
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
