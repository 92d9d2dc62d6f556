/* SPDX-License-Identifier: GPL-2.0-only */
/* What older kernels name differently or lack; 5.10 is the oldest. */
#ifndef PRINTK_BENCH_COMPAT_H
#define PRINTK_BENCH_COMPAT_H

#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/workqueue.h>

/* BH workqueues are there since 6.9. */
#ifdef HAVE_BH_WORKQUEUE
#define softirq_queue	system_bh_wq
#else
#define softirq_queue	((struct workqueue_struct *)NULL)
#endif

#ifndef HAVE_KTHREAD_COMPLETE_AND_EXIT
#define kthread_complete_and_exit	complete_and_exit
#endif

/* Since 5.11. Before, irq_work is hard without PREEMPT_RT, and nothing is known of the latter. */
#ifndef in_hardirq
#define in_hardirq	in_irq
#endif

#ifndef IRQ_WORK_INIT_HARD
#define IRQ_WORK_INIT_HARD(function)	((struct irq_work){ .func = (function) })
#endif

#ifndef HAVE_UNDERSCORE_PRINTK
#define _printk		printk
#endif

#endif
