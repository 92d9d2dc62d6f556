// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault - faults that a debug kernel must report, and a panic that ends as with a crash kernel
 *
 * Purpose
 *   what=atomic-sleep, lock-order or use-after-free proves that the debug kernel's checks work.
 *   With what=restart a panic ends after the kmsg dumpers that were registered before: where a
 *   crash kernel would start with crash_kexec_post_notifiers, the machine restarts.
 *
 * Calling contexts
 *   Process context, while loading; restart(): the panic's own, when the other CPUs have been
 *   stopped.
 *
 * Locking
 *   Taking two locks in both orders is one of the faults.
 *
 * Lifetime
 *   Loading fails, so that there is nothing to unload, except with what=restart.
 *
 * What this disturbs
 *   Only memory of its own. lockdep reports once and is off afterwards.
 */
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *what = "";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "fault to cause: atomic-sleep, lock-order, use-after-free or, at a panic, restart");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void take_in_order(struct mutex *outer, struct mutex *inner)
{
	mutex_lock(outer);
	mutex_lock(inner);
	mutex_unlock(inner);
	mutex_unlock(outer);
}

static void restart(struct kmsg_dumper *dumper, struct kmsg_dump_detail *detail)
{
	emergency_restart();
}

static struct kmsg_dumper restarter = {
	.dump = restart,
	.max_reason = KMSG_DUMP_PANIC,
};

static int __init fault_init(void)
{
	char *freed;

	if (!strcmp(what, "restart")) {
		return kmsg_dump_register(&restarter);
	} else if (!strcmp(what, "atomic-sleep")) {
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

MODULE_DESCRIPTION("Faults for a kernel to report or to end with");
MODULE_LICENSE("GPL");
