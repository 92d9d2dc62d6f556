// SPDX-License-Identifier: GPL-2.0-only
/*
 * holdoff_meter - how long interrupts and tasks were held off
 *
 * Purpose
 *   Measures the longest time for which a processor took no interrupt, and the longest for which
 *   it did not run the task that it should have run, on kernels without the irqsoff and
 *   preemptoff tracers. Each CPU has a timer, which interrupts it once a period and wakes a FIFO
 *   thread bound to that CPU. The lateness of the interrupt shows for how long interrupts were
 *   off; the lateness of the thread, counted from the same expiry, for how long something kept
 *   the CPU from rescheduling.
 *
 *	insmod holdoff_meter.ko seconds=8 period_us=200
 *	echo 1 > /sys/kernel/debug/holdoff_meter/run	# again
 *	cat /sys/kernel/debug/holdoff_meter/result
 *
 *   Loading and the write return when the measurement is over. The result is one record in the
 *   kernel log and in debugfs, where histograms follow:
 *
 *	holdoff_meter: cpus=1 seconds=8 period_us=200 looks=N irqs_off_ns=I
 *	    preempt_off_ns=P stopped=0 (on one line)
 *
 *   looks is the number of timer interrupts, irqs_off_ns and preempt_off_ns are the maximum of
 *   all CPUs. A hold-off is seen by a timer that expires during it: one shorter than the period
 *   is seen by chance, a longer one appears up to a period too short. Both figures include the
 *   cost of the timer interrupt itself: compare with an idle run. In a virtual machine the host
 *   may stop a whole processor, which cannot be distinguished from inside.
 *
 * Calling contexts
 *   A measurement is started by loading and by a write to debugfs, both in process context,
 *   which sleeps meanwhile and can be interrupted. timer_expired() runs in hard interrupt
 *   context, also on PREEMPT_RT.
 *
 * Locking
 *   The lock of struct measurement admits one measurement at a time and protects the last
 *   result. In struct watch, the timer's fields belong to timer_expired(), the thread's to the
 *   thread; due and woken pass between them by release and acquire of woken.
 *
 * Lifetime
 *   The watches exist during a measurement. At its end the threads are stopped, each of which
 *   cancels its timer. Unloading removes the debugfs files first, which waits for readers and
 *   writers.
 *
 * What this disturbs
 *   An interrupt and two context switches per period on each CPU, which leaves idle states that
 *   often. CPU hotplug waits for the end of the measurement. The thread has the priority of the
 *   kernel's own FIFO threads: on PREEMPT_RT interrupt handlers have the same, and the thread
 *   waits for a running one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../shared/histogram.h"
#include "../shared/measurement.h"

#define MAX_SECONDS	3600U
/* With shorter periods a slow processor would do nothing else. */
#define MIN_PERIOD_US	20U
#define MAX_PERIOD_US	1000000U

static unsigned int seconds = 8;
module_param(seconds, uint, 0644);
MODULE_PARM_DESC(seconds, "duration of the measurement, in seconds (default: 8)");

static unsigned int period_us = 200;
module_param(period_us, uint, 0644);
MODULE_PARM_DESC(period_us, "period of the timers, in microseconds (default: 200)");

static bool run_at_load = true;
module_param_named(run, run_at_load, bool, 0444);
MODULE_PARM_DESC(run, "measure once while loading (default: yes)");

/* Copy of the parameters for one measurement: they can change meanwhile. */
struct settings {
	unsigned int seconds;
	unsigned int period_us;
};

/* What one CPU measures. */
struct watch {
	struct hrtimer timer;
	struct task_struct *task;
	ktime_t period;
	/* The timer's. */
	struct histogram irqs_off;
	/* The thread's. */
	struct histogram preempt_off;
	/* Passed from the timer to the thread. */
	ktime_t due;
	bool woken;
};

static char record[192];
static struct histogram last_irqs_off, last_preempt_off;

static void add_lateness(struct histogram *histogram, ktime_t due)
{
	histogram_add(histogram, max_t(s64, ktime_to_ns(ktime_sub(ktime_get(), due)), 0));
}

static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct watch *watch = container_of(timer, struct watch, timer);
	ktime_t due = hrtimer_get_expires(timer);

	add_lateness(&watch->irqs_off, due);
	/* A thread that has not run yet is late since the expiry that first woke it. */
	if (!smp_load_acquire(&watch->woken)) {
		watch->due = due;
		/* Pairs with the acquire in watch_cpu(). */
		smp_store_release(&watch->woken, true);
		wake_up_process(watch->task);
	}
	hrtimer_forward_now(timer, watch->period);
	return HRTIMER_RESTART;
}

static void setup_timer(struct hrtimer *timer)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, timer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = timer_expired;
#endif
}

/* The thread starts the timer, which is thereby pinned to the thread's CPU. */
static int watch_cpu(void *data)
{
	struct watch *watch = data;
	bool stop = false;

	sched_set_fifo(current);
	setup_timer(&watch->timer);
	hrtimer_start(&watch->timer, watch->period, HRTIMER_MODE_REL_PINNED_HARD);
	while (!stop) {
		set_current_state(TASK_IDLE);
		/* First: whoever asks to stop may have waited for this CPU, which then counts. */
		stop = kthread_should_stop();
		/* Pairs with the release in timer_expired(). */
		if (smp_load_acquire(&watch->woken)) {
			__set_current_state(TASK_RUNNING);
			add_lateness(&watch->preempt_off, watch->due);
			/* Pairs with the acquire in timer_expired(), which may set due again. */
			smp_store_release(&watch->woken, false);
		} else if (!stop) {
			schedule();
		}
	}
	__set_current_state(TASK_RUNNING);
	hrtimer_cancel(&watch->timer);
	return 0;
}

static void summarize(const struct settings *settings, const struct watch *watches,
		      unsigned int count, bool stopped)
{
	unsigned int n;

	memset(&last_irqs_off, 0, sizeof(last_irqs_off));
	memset(&last_preempt_off, 0, sizeof(last_preempt_off));
	for (n = 0; n < count; n++) {
		histogram_merge(&last_irqs_off, &watches[n].irqs_off);
		histogram_merge(&last_preempt_off, &watches[n].preempt_off);
	}
	scnprintf(record, sizeof(record),
		  "cpus=%u seconds=%u period_us=%u looks=%llu irqs_off_ns=%llu preempt_off_ns=%llu stopped=%d",
		  count, settings->seconds, settings->period_us, last_irqs_off.count,
		  last_irqs_off.worst, last_preempt_off.worst, stopped);
	pr_info("%s\n", record);
}

/* A thread that is stopped before it was woken never runs its function. */
static int watch_all(const struct settings *settings, struct watch *watches)
{
	unsigned int started = 0, n;
	bool stopped = false;
	int cpu, error = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct watch *watch = &watches[started];

		watch->period = ns_to_ktime((u64)settings->period_us * NSEC_PER_USEC);
		watch->task = kthread_create(watch_cpu, watch, "holdoff_meter/%d", cpu);
		if (IS_ERR(watch->task)) {
			error = PTR_ERR(watch->task);
			break;
		}
		kthread_bind(watch->task, cpu);
		started++;
	}
	for (n = 0; n < started && !error; n++)
		wake_up_process(watches[n].task);
	if (!error)
		stopped = schedule_timeout_interruptible((long)settings->seconds * HZ) > 0;
	for (n = 0; n < started; n++)
		kthread_stop(watches[n].task);
	cpus_read_unlock();

	if (!error)
		summarize(settings, watches, started, stopped);
	return stopped ? -EINTR : error;
}

static int read_settings(struct settings *settings)
{
	kernel_param_lock(THIS_MODULE);
	*settings = (struct settings){ .seconds = seconds, .period_us = period_us };
	kernel_param_unlock(THIS_MODULE);

	if (!settings->seconds || settings->seconds > MAX_SECONDS) {
		pr_err("seconds=%u: must be 1 to %u\n", settings->seconds, MAX_SECONDS);
		return -EINVAL;
	}
	if (settings->period_us < MIN_PERIOD_US || settings->period_us > MAX_PERIOD_US) {
		pr_err("period_us=%u: must be %u to %u\n", settings->period_us, MIN_PERIOD_US,
		       MAX_PERIOD_US);
		return -EINVAL;
	}
	return 0;
}

static int measure(void)
{
	struct watch *watches;
	struct settings settings;
	int error = read_settings(&settings);

	if (error)
		return error;
	watches = kcalloc(nr_cpu_ids, sizeof(*watches), GFP_KERNEL);
	if (!watches)
		return -ENOMEM;
	error = watch_all(&settings, watches);
	kfree(watches);
	return error;
}

static void show_result(struct seq_file *file)
{
	if (!*record)
		return;
	seq_printf(file, "%s\n", record);
	histogram_show(file, "irqs_off", &last_irqs_off);
	histogram_show(file, "preempt_off", &last_preempt_off);
}

static struct measurement meter = {
	.lock = __MUTEX_INITIALIZER(meter.lock),
	.run = measure,
	.show = show_result,
};

static int __init holdoff_meter_init(void)
{
	int error = run_at_load ? measurement_run(&meter) : 0;

	if (!error)
		measurement_create(&meter);
	return error;
}

static void __exit holdoff_meter_exit(void)
{
	measurement_remove(&meter);
}

module_init(holdoff_meter_init);
module_exit(holdoff_meter_exit);

MODULE_DESCRIPTION("Measures how long interrupts and tasks are held off");
MODULE_LICENSE("GPL");
