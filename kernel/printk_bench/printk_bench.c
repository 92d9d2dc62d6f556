// SPDX-License-Identifier: GPL-2.0-only
/*
 * printk_bench - how long the callers of printk() wait
 *
 * Purpose
 *   Times printk() calls one by one and gives the result as one record in the kernel log and in
 *   debugfs. By default it prints 64 lines of "N/64" and 80 more bytes from process context on
 *   one CPU.
 *
 *	insmod printk_bench.ko lines=64 length=80 context=hardirq cpus=2 level=3
 *	echo 1 > /sys/kernel/debug/printk_bench/run	# again
 *	cat /sys/kernel/debug/printk_bench/result
 *
 *   With delay_ms= loading returns at once and the run starts later, in parallel with whatever
 *   is loaded next. The parameters can be changed under /sys/module between runs. The record:
 *
 *	printk_bench: context=process cpus=1 lines=64 length=80 level=6 printed=64
 *	    characters=5358 total_ns=T printk_ns=P worst_ns=W best_ns=B elsewhere=0
 *	    stop_ns=0 stopped=0 (on one line)
 *
 *   total_ns: from the first call on any CPU to the last return; printk_ns: the sum of all
 *   calls; characters: bytes of text, without prefixes and line ends; elsewhere: calls made in
 *   another context than the requested one (the figures count only if this is 0); stop_ns: how
 *   long another CPU waited with stop_machine=1.
 *
 * Calling contexts
 *   A run is started in process context, by loading or by a write to debugfs, which waits and
 *   can be interrupted between two lines; or by a workqueue. The lines are printed by one bound
 *   kthread per CPU (process), by BH work that the kthread queues on its CPU (softirq), or by a
 *   hard irq_work that it queues (hardirq): one line each, so that the CPU can do other work
 *   between lines and interrupts are off for no longer than one printk() takes. With resched=0
 *   all lines are printed in one go, as by a driver that reports each of its devices. With
 *   stop_machine=1 another CPU asks all CPUs to stop for an instant once the first line is
 *   printed, as the kernel does to change its own code; it waits in a kthread of its own.
 *
 * Locking
 *   The lock of struct measurement admits one run at a time and protects the last result. Each
 *   worker has its struct to itself until it completes done; the stopper reads its count. Only
 *   stop is shared otherwise during a run.
 *
 * Lifetime
 *   A run belongs to the function that starts it; all its kthreads have ended before that
 *   returns. Unloading removes the debugfs files, which waits for readers and writers, and waits
 *   for a delayed run.
 *
 * What this disturbs
 *   It fills the kernel log and the serial line, and may push older records out of the ring
 *   buffer. In hardirq and softirq context with a slow synchronous console, each line delays
 *   everything else on that CPU.
 */
/* No pr_fmt(): a prefix would make the timed lines longer than requested. */

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kern_levels.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "../shared/measurement.h"
#include "compat.h"

#define MAX_LINES	1000000U
/* In bytes: a record holds 1024 including its prefixes. */
#define MAX_LENGTH	900U

static unsigned int lines = 64;
module_param(lines, uint, 0644);
MODULE_PARM_DESC(lines, "number of lines that each CPU prints (default: 64)");

static unsigned int length = 80;
module_param(length, uint, 0644);
MODULE_PARM_DESC(length, "bytes of a line after its number (default: 80)");

static char context[16] = "process";
module_param_string(context, context, sizeof(context), 0644);
MODULE_PARM_DESC(context, "context that calls printk: process, softirq or hardirq (default: process)");

static unsigned int cpus = 1;
module_param(cpus, uint, 0644);
MODULE_PARM_DESC(cpus, "number of CPUs that print in parallel, 0: all (default: 1)");

static unsigned int level = LOGLEVEL_INFO;
module_param(level, uint, 0644);
MODULE_PARM_DESC(level, "level of the lines; up to 3 is printed despite quiet (default: 6)");

static bool resched = true;
module_param(resched, bool, 0644);
MODULE_PARM_DESC(resched, "let the CPU do other work between two lines (default: yes)");

static bool stop_all;
module_param_named(stop_machine, stop_all, bool, 0644);
MODULE_PARM_DESC(stop_machine, "let another CPU stop all CPUs for an instant once the first line is printed (default: no)");

static unsigned int delay_ms;
module_param(delay_ms, uint, 0444);
MODULE_PARM_DESC(delay_ms, "start the run this many milliseconds after loading, which then does not wait (default: 0)");

static bool run_at_load = true;
module_param_named(run, run_at_load, bool, 0444);
MODULE_PARM_DESC(run, "run once while loading (default: yes)");

enum context {
	IN_PROCESS,
	IN_SOFTIRQ,
	IN_HARDIRQ,
};

static const char * const context_names[] = { "process", "softirq", "hardirq" };

/* Copy of the parameters for one run: they can change meanwhile. */
struct settings {
	unsigned int lines;
	unsigned int length;
	unsigned int cpus;
	unsigned int level;
	bool resched;
	bool stop_all;
	enum context context;
};

struct run {
	struct settings settings;
	bool stop;
	struct completion go;
	/* KERN_SOH and the level, which printk() expects before the text. */
	char level[3];
	char fill[MAX_LENGTH + 1];
};

struct worker {
	struct run *run;
	struct task_struct *task;
	unsigned int cpu;
	unsigned int number;
	struct completion done;
	struct completion printed;
	struct work_struct work;
	struct irq_work irq_work;
	/* The result. */
	unsigned int count;
	unsigned int elsewhere;
	u64 bytes;
	u64 start;
	u64 end;
	u64 sum;
	u64 worst;
	u64 best;
};

/* Stops all CPUs while a worker prints. */
struct stopper {
	struct worker *worker;
	struct completion done;
	/* The result: how long that took. */
	u64 took;
};

static char record[360];

static bool in_context(enum context context)
{
	switch (context) {
	case IN_SOFTIRQ:
		return in_serving_softirq() && !in_hardirq();
	case IN_HARDIRQ:
		return in_hardirq();
	default:
		return in_task();
	}
}

static void print_one(struct worker *worker)
{
	const struct run *run = worker->run;
	const unsigned int n = worker->count + 1;
	u64 before, took;
	int bytes;

	if (!in_context(run->settings.context))
		worker->elsewhere++;

	before = ktime_get_ns();
	if (run->settings.cpus == 1)
		bytes = _printk("%s%u/%u%s\n", run->level, n, run->settings.lines, run->fill);
	else
		bytes = _printk("%s%u:%u/%u%s\n", run->level, worker->number, n,
				run->settings.lines, run->fill);
	worker->end = ktime_get_ns();

	took = worker->end - before;
	if (!worker->count)
		worker->start = before;
	WRITE_ONCE(worker->count, worker->count + 1);
	worker->bytes += max(bytes, 0);
	worker->sum += took;
	worker->worst = max(worker->worst, took);
	worker->best = min(worker->best, took);
}

/* One line, or with resched=0 all of them. */
static void print_turn(struct worker *worker)
{
	const struct run *run = worker->run;

	do {
		print_one(worker);
	} while (!run->settings.resched && worker->count < run->settings.lines &&
		 !READ_ONCE(run->stop));
}

static void print_in_softirq(struct work_struct *work)
{
	struct worker *worker = container_of(work, struct worker, work);

	print_turn(worker);
	complete(&worker->printed);
}

static void print_in_hardirq(struct irq_work *irq_work)
{
	print_turn(container_of(irq_work, struct worker, irq_work));
}

static int print_lines(void *data)
{
	struct worker *worker = data;
	struct run *run = worker->run;

	wait_for_completion(&run->go);
	while (worker->count < run->settings.lines && !READ_ONCE(run->stop)) {
		switch (run->settings.context) {
		case IN_SOFTIRQ:
			reinit_completion(&worker->printed);
			queue_work_on(worker->cpu, softirq_queue, &worker->work);
			wait_for_completion(&worker->printed);
			break;
		case IN_HARDIRQ:
			irq_work_queue(&worker->irq_work);
			irq_work_sync(&worker->irq_work);
			break;
		default:
			print_turn(worker);
			cond_resched();
		}
	}
	if (run->settings.context == IN_SOFTIRQ)
		flush_work(&worker->work);
	/* The module may be gone as soon as the waiter knows: not a return into its text. */
	kthread_complete_and_exit(&worker->done, 0);
}

static int do_nothing(void *unused)
{
	return 0;
}

static int stop_all_cpus(void *data)
{
	struct stopper *stopper = data;
	struct run *run = stopper->worker->run;
	u64 before;

	wait_for_completion(&run->go);
	while (!READ_ONCE(stopper->worker->count) && !READ_ONCE(run->stop))
		usleep_range(500, 1000);
	before = ktime_get_ns();
	stop_machine(do_nothing, NULL, NULL);
	stopper->took = ktime_get_ns() - before;
	kthread_complete_and_exit(&stopper->done, 0);
}

/* On a CPU that does not print. */
static int start_stopper(struct stopper *stopper, struct worker *worker, unsigned int cpu)
{
	struct task_struct *task;

	stopper->worker = worker;
	init_completion(&stopper->done);
	task = kthread_create(stop_all_cpus, stopper, "printk_bench/stop");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	return 0;
}

static int start_worker(struct worker *worker, struct run *run, unsigned int number,
			unsigned int cpu)
{
	worker->run = run;
	worker->number = number;
	worker->cpu = cpu;
	worker->best = U64_MAX;
	init_completion(&worker->done);
	init_completion(&worker->printed);
	INIT_WORK(&worker->work, print_in_softirq);
	worker->irq_work = IRQ_WORK_INIT_HARD(print_in_hardirq);
	/* 5.10 does not export kthread_create_on_cpu(). */
	worker->task = kthread_create(print_lines, worker, "printk_bench/%u", cpu);
	if (IS_ERR(worker->task))
		return PTR_ERR(worker->task);
	kthread_bind(worker->task, cpu);
	wake_up_process(worker->task);
	return 0;
}

static void summarize(const struct run *run, const struct worker *workers, unsigned int count,
		      const struct stopper *stopper)
{
	struct worker all = { .start = U64_MAX, .best = U64_MAX };
	unsigned int n;

	for (n = 0; n < count; n++) {
		const struct worker *worker = &workers[n];

		if (!worker->count)
			continue;
		all.count += worker->count;
		all.elsewhere += worker->elsewhere;
		all.bytes += worker->bytes;
		all.start = min(all.start, worker->start);
		all.end = max(all.end, worker->end);
		all.sum += worker->sum;
		all.worst = max(all.worst, worker->worst);
		all.best = min(all.best, worker->best);
	}
	if (!all.count)
		all = (struct worker){};
	/* printk() returns the length without the line end. */
	scnprintf(record, sizeof(record),
		  "context=%s cpus=%u lines=%u length=%u level=%u printed=%u characters=%llu total_ns=%llu printk_ns=%llu worst_ns=%llu best_ns=%llu elsewhere=%u stop_ns=%llu stopped=%d",
		  context_names[run->settings.context], count, run->settings.lines,
		  run->settings.length, run->settings.level, all.count, all.bytes,
		  all.end - all.start, all.sum, all.worst, all.best, all.elsewhere,
		  stopper->took, READ_ONCE(run->stop));
	pr_info(KBUILD_MODNAME ": %s\n", record);
}

/* The workers start together. The waiting process can be interrupted. */
static int run_workers(struct run *run, struct worker *workers)
{
	struct stopper stopper = {};
	unsigned int started = 0, n;
	bool stops = false;
	int cpu, error = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (started == run->settings.cpus) {
			if (run->settings.stop_all) {
				error = start_stopper(&stopper, &workers[0], cpu);
				stops = !error;
			}
			break;
		}
		error = start_worker(&workers[started], run, started, cpu);
		if (error)
			break;
		started++;
	}
	if (!error && (started < run->settings.cpus || (run->settings.stop_all && !stops)))
		error = -ENODEV;
	if (error)
		WRITE_ONCE(run->stop, true);
	complete_all(&run->go);

	for (n = 0; n < started; n++) {
		if (!error)
			error = wait_for_completion_interruptible(&workers[n].done);
		if (error) {
			WRITE_ONCE(run->stop, true);
			wait_for_completion(&workers[n].done);
		}
	}
	cpus_read_unlock();
	/*
	 * Release the lock before waiting: the stopper takes it, too. If a CPU goes offline, the
	 * hotplug writer waits for our read lock, and the stopper waits for that writer.
	 */
	if (stops)
		wait_for_completion(&stopper.done);
	if (started == run->settings.cpus)
		summarize(run, workers, started, &stopper);
	return error;
}

static int read_settings(struct settings *settings)
{
	char name[sizeof(context)];
	int in;

	kernel_param_lock(THIS_MODULE);
	strscpy(name, context, sizeof(name));
	*settings = (struct settings){ .lines = lines, .length = length, .cpus = cpus,
				       .level = level, .resched = resched,
				       .stop_all = stop_all };
	kernel_param_unlock(THIS_MODULE);

	in = sysfs_match_string(context_names, name);
	if (in < 0) {
		pr_err(KBUILD_MODNAME ": context=%s: must be process, softirq or hardirq\n", name);
		return -EINVAL;
	}
	if (in == IN_SOFTIRQ && !softirq_queue) {
		pr_err(KBUILD_MODNAME ": context=softirq: needs Linux 6.9\n");
		return -EINVAL;
	}
	settings->context = in;
	if (!settings->lines || settings->lines > MAX_LINES) {
		pr_err(KBUILD_MODNAME ": lines=%u: must be 1 to %u\n", settings->lines, MAX_LINES);
		return -EINVAL;
	}
	if (settings->length > MAX_LENGTH) {
		pr_err(KBUILD_MODNAME ": length=%u: must be 0 to %u\n", settings->length,
		       MAX_LENGTH);
		return -EINVAL;
	}
	if (settings->level > LOGLEVEL_DEBUG) {
		pr_err(KBUILD_MODNAME ": level=%u: must be 0 to %d\n", settings->level,
		       LOGLEVEL_DEBUG);
		return -EINVAL;
	}
	if (!settings->cpus)
		settings->cpus = num_online_cpus();
	if (settings->cpus > num_online_cpus()) {
		pr_err(KBUILD_MODNAME ": cpus=%u: only %u are online\n", settings->cpus,
		       num_online_cpus());
		return -EINVAL;
	}
	if (settings->stop_all && settings->cpus == num_online_cpus()) {
		pr_err(KBUILD_MODNAME ": stop_machine=1: needs a CPU that does not print\n");
		return -EINVAL;
	}
	return 0;
}

static int run_bench(void)
{
	struct worker *workers;
	struct run *run;
	struct settings settings;
	int error = read_settings(&settings);

	if (error)
		return error;
	run = kzalloc(sizeof(*run), GFP_KERNEL);
	workers = kcalloc(settings.cpus, sizeof(*workers), GFP_KERNEL);
	if (!run || !workers) {
		error = -ENOMEM;
		goto out;
	}
	run->settings = settings;
	init_completion(&run->go);
	memset(run->fill, '#', settings.length);
	run->level[0] = KERN_SOH_ASCII;
	run->level[1] = '0' + settings.level;
	error = run_workers(run, workers);
out:
	kfree(workers);
	kfree(run);
	return error;
}

static void show_result(struct seq_file *file)
{
	if (*record)
		seq_printf(file, "%s\n", record);
}

static struct measurement bench = {
	.lock = __MUTEX_INITIALIZER(bench.lock),
	.run = run_bench,
	.show = show_result,
};

/* Nobody takes the return value: an error is in the kernel log. */
static void run_later(struct work_struct *work)
{
	measurement_run(&bench);
}

static DECLARE_DELAYED_WORK(later, run_later);

static int __init printk_bench_init(void)
{
	int error = 0;

	if (run_at_load && delay_ms)
		queue_delayed_work(system_unbound_wq, &later, msecs_to_jiffies(delay_ms));
	else if (run_at_load)
		error = measurement_run(&bench);
	if (!error)
		measurement_create(&bench);
	return error;
}

static void __exit printk_bench_exit(void)
{
	measurement_remove(&bench);
	cancel_delayed_work_sync(&later);
}

module_init(printk_bench_init);
module_exit(printk_bench_exit);

MODULE_DESCRIPTION("Measures how long the callers of printk() wait");
MODULE_LICENSE("GPL");
