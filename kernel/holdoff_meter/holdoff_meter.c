// SPDX-License-Identifier: GPL-2.0-only
/*
 * holdoff_meter - for how long interrupts and tasks were held off
 *
 * Purpose: Says what the longest stretch was in which a processor took no
 *	interrupt, and the longest in which it did not run the task that it
 *	should have, on kernels without the irqsoff and preemptoff tracers. Every
 *	period a timer of each CPU interrupts it and wakes a FIFO thread that is
 *	bound to it. How late the interrupt comes is for how long interrupts were
 *	off; how late the thread runs, counted from the same moment, is for how
 *	long something kept the CPU from rescheduling.
 *
 *	insmod holdoff_meter.ko seconds=8 period_us=200
 *	echo 1 > /sys/kernel/debug/holdoff_meter/run	# again
 *	cat /sys/kernel/debug/holdoff_meter/result
 *
 *	Loading and the write last as long as the measurement. The result is one
 *	record in the kernel's log and in debugfs, where histograms follow:
 *
 *	holdoff_meter: cpus=1 seconds=8 period_us=200 looks=N irqs_off_ns=I
 *	    preempt_off_ns=P stopped=0 (on one line)
 *
 *	Both are the worst of all CPUs. A stretch is seen by a timer that comes
 *	due within it, so what is shorter than the period is seen by chance, and
 *	a longer one is told too short by up to a period. What a timer's
 *	interrupt costs in any case is in both: compare with an idle run. In a
 *	virtual machine the host may hold off a processor as a whole; nothing in
 *	here can tell.
 *
 * Calling contexts: A measurement is started by loading and by a write to
 *	debugfs, both in a process, which sleeps meanwhile and can be
 *	interrupted. look() runs in hard interrupt context, on PREEMPT_RT too.
 *
 * Locking: meter_lock admits one measurement at a time and guards the last
 *	result. Of a struct watch, the timer's fields belong to look(), the
 *	thread's to the thread; due and woken pass from one to the other, by
 *	release and acquire of woken.
 *
 * Lifetime: Watches live from the start of a measurement to its end, when the
 *	threads have ended and their timers with them. Unloading removes debugfs
 *	first, which waits for readers and writers.
 *
 * What this disturbs: An interrupt and two context switches a period on each
 *	CPU, which does not stay in an idle state for longer. CPUs can't be
 *	plugged while it measures. The thread has the priority of the kernel's
 *	own FIFO threads: on PREEMPT_RT interrupt handlers have the same, and the
 *	thread waits for one that runs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#define LONGEST_SECONDS		3600U
/* Below this a slow processor would do nothing else. */
#define SHORTEST_PERIOD_US	20U
#define LONGEST_PERIOD_US	1000000U
/* Powers of two of nanoseconds, up to 18 minutes. */
#define BUCKETS			41

static unsigned int seconds = 8;
module_param(seconds, uint, 0644);
MODULE_PARM_DESC(seconds, "how long to measure (8)");

static unsigned int period_us = 200;
module_param(period_us, uint, 0644);
MODULE_PARM_DESC(period_us, "how often to look, in microseconds (200)");

static bool run_at_load = true;
module_param_named(run, run_at_load, bool, 0444);
MODULE_PARM_DESC(run, "whether to measure once while loading (yes)");

/* What a run was asked for; the parameters can change meanwhile. */
struct plan {
	unsigned int seconds;
	unsigned int period_us;
};

struct lateness {
	u64 worst_ns;
	u64 buckets[BUCKETS];	/* below 1, 2, 4, ... ns */
};

struct watch {
	struct hrtimer timer;
	struct task_struct *task;
	ktime_t period;
	/* The timer's. */
	u64 looks;
	struct lateness irqs_off;
	/* The thread's. */
	struct lateness preempt_off;
	/* Between the two. */
	ktime_t due;
	bool woken;
};

static DEFINE_MUTEX(meter_lock);
static char result[192];
static struct lateness last_irqs_off, last_preempt_off;
static struct dentry *folder;

static void add(struct lateness *lateness, ktime_t due)
{
	s64 late_ns = max_t(s64, ktime_to_ns(ktime_sub(ktime_get(), due)), 0);
	unsigned int bucket = late_ns ? ilog2((u64)late_ns) + 1 : 0;

	lateness->buckets[min(bucket, BUCKETS - 1U)]++;
	lateness->worst_ns = max_t(u64, lateness->worst_ns, late_ns);
}

static enum hrtimer_restart look(struct hrtimer *timer)
{
	struct watch *watch = container_of(timer, struct watch, timer);
	ktime_t due = hrtimer_get_expires(timer);

	add(&watch->irqs_off, due);
	watch->looks++;
	/* A thread that has not run yet is late since the first time it was due. */
	if (!smp_load_acquire(&watch->woken)) {
		watch->due = due;
		/* Pairs with the acquire in keep_watch(). */
		smp_store_release(&watch->woken, true);
		wake_up_process(watch->task);
	}
	hrtimer_forward_now(timer, watch->period);
	return HRTIMER_RESTART;
}

static void set_timer_up(struct hrtimer *timer)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, look, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = look;
#endif
}

/* The timer is pinned to the CPU that starts it. */
static int keep_watch(void *data)
{
	struct watch *watch = data;

	sched_set_fifo(current);
	set_timer_up(&watch->timer);
	hrtimer_start(&watch->timer, watch->period, HRTIMER_MODE_REL_PINNED_HARD);
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		/* Pairs with the release in look(), which may look again after ours. */
		if (!smp_load_acquire(&watch->woken)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		add(&watch->preempt_off, watch->due);
		/* Pairs with the acquire in look(), which sets due anew. */
		smp_store_release(&watch->woken, false);
	}
	__set_current_state(TASK_RUNNING);
	hrtimer_cancel(&watch->timer);
	return 0;
}

static void merge(struct lateness *to, const struct lateness *from)
{
	unsigned int n;

	to->worst_ns = max(to->worst_ns, from->worst_ns);
	for (n = 0; n < BUCKETS; n++)
		to->buckets[n] += from->buckets[n];
}

static void sum_up(const struct plan *plan, const struct watch *watches, unsigned int count,
		   bool stopped)
{
	u64 looks = 0;
	unsigned int n;

	memset(&last_irqs_off, 0, sizeof(last_irqs_off));
	memset(&last_preempt_off, 0, sizeof(last_preempt_off));
	for (n = 0; n < count; n++) {
		looks += watches[n].looks;
		merge(&last_irqs_off, &watches[n].irqs_off);
		merge(&last_preempt_off, &watches[n].preempt_off);
	}
	scnprintf(result, sizeof(result),
		  "cpus=%u seconds=%u period_us=%u looks=%llu irqs_off_ns=%llu preempt_off_ns=%llu stopped=%d",
		  count, plan->seconds, plan->period_us, looks, last_irqs_off.worst_ns,
		  last_preempt_off.worst_ns, stopped);
	pr_info("%s\n", result);
}

/* A thread that is stopped before it was woken never gets to its function. */
static int watch_all(const struct plan *plan, struct watch *watches)
{
	unsigned int started = 0, n;
	bool stopped = false;
	int cpu, error = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct watch *watch = &watches[started];

		watch->period = ns_to_ktime((u64)plan->period_us * NSEC_PER_USEC);
		watch->task = kthread_create_on_cpu(keep_watch, watch, cpu, "holdoff_meter/%u");
		if (IS_ERR(watch->task)) {
			error = PTR_ERR(watch->task);
			break;
		}
		started++;
	}
	for (n = 0; n < started && !error; n++)
		wake_up_process(watches[n].task);
	if (!error)
		stopped = schedule_timeout_interruptible((long)plan->seconds * HZ) > 0;
	for (n = 0; n < started; n++)
		kthread_stop(watches[n].task);
	cpus_read_unlock();

	if (!error)
		sum_up(plan, watches, started, stopped);
	return stopped ? -EINTR : error;
}

static int read_plan(struct plan *plan)
{
	kernel_param_lock(THIS_MODULE);
	*plan = (struct plan){ .seconds = seconds, .period_us = period_us };
	kernel_param_unlock(THIS_MODULE);

	if (!plan->seconds || plan->seconds > LONGEST_SECONDS) {
		pr_err("seconds=%u: 1 to %u\n", plan->seconds, LONGEST_SECONDS);
		return -EINVAL;
	}
	if (plan->period_us < SHORTEST_PERIOD_US || plan->period_us > LONGEST_PERIOD_US) {
		pr_err("period_us=%u: %u to %u\n", plan->period_us, SHORTEST_PERIOD_US,
		       LONGEST_PERIOD_US);
		return -EINVAL;
	}
	return 0;
}

/* Called with meter_lock held. */
static int measure(void)
{
	struct watch *watches;
	struct plan plan;
	int error = read_plan(&plan);

	if (error)
		return error;
	watches = kcalloc(nr_cpu_ids, sizeof(*watches), GFP_KERNEL);
	if (!watches)
		return -ENOMEM;
	error = watch_all(&plan, watches);
	kfree(watches);
	return error;
}

static ssize_t run_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	int error = mutex_lock_interruptible(&meter_lock);

	if (error)
		return error;
	error = measure();
	mutex_unlock(&meter_lock);
	return error ? error : size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
};

static void show_histogram(struct seq_file *file, const char *name,
			   const struct lateness *lateness)
{
	unsigned int n;

	for (n = 0; n < BUCKETS; n++)
		if (lateness->buckets[n])
			seq_printf(file, "%s below_ns=%llu count=%llu\n", name, 1ULL << n,
				   lateness->buckets[n]);
}

static int result_show(struct seq_file *file, void *unused)
{
	int error = mutex_lock_interruptible(&meter_lock);

	if (error)
		return error;
	if (*result) {
		seq_printf(file, "%s\n", result);
		show_histogram(file, "irqs_off", &last_irqs_off);
		show_histogram(file, "preempt_off", &last_preempt_off);
	}
	mutex_unlock(&meter_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int __init holdoff_meter_init(void)
{
	int error = 0;

	if (run_at_load) {
		mutex_lock(&meter_lock);
		error = measure();
		mutex_unlock(&meter_lock);
	}
	if (error)
		return error;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, folder, NULL, &run_fops);
	debugfs_create_file("result", 0444, folder, NULL, &result_fops);
	return 0;
}

static void __exit holdoff_meter_exit(void)
{
	debugfs_remove(folder);
}

module_init(holdoff_meter_init);
module_exit(holdoff_meter_exit);

MODULE_DESCRIPTION("For how long interrupts and tasks were held off");
MODULE_LICENSE("GPL");
