// SPDX-License-Identifier: GPL-2.0-only
/*
 * printk_bench - how long the callers of printk() wait
 *
 * Purpose: Times printk() calls one by one and gives the result as one record
 *	in the kernel's log and in debugfs. With its defaults it prints 64 lines
 *	of "N/64" and 80 more characters from process context on one CPU: what
 *	such a call costs with a synchronous console, on a line of 9600 baud
 *	about 0.1 s each, and with a console that has a thread, microseconds.
 *
 *	insmod printk_bench.ko lines=64 length=80 context=hardirq cpus=2 level=3
 *	echo 1 > /sys/kernel/debug/printk_bench/run	# again
 *	cat /sys/kernel/debug/printk_bench/result
 *
 *	With delay_ms= loading returns at once, and the run comes so much later:
 *	beside whatever is loaded next. The parameters can be changed under
 *	/sys/module between runs. The record:
 *
 *	printk_bench: context=process cpus=1 lines=64 length=80 level=6 printed=64
 *	    characters=5358 total_ns=T printk_ns=P worst_ns=W best_ns=B elsewhere=0
 *	    stopped=0 (on one line)
 *
 *	total_ns is from the first CPU's first call to the last CPU's last
 *	return, printk_ns the sum over all calls, characters without prefix and
 *	line ends, elsewhere the calls that did not come from the context asked
 *	for (0, or the figures can't be used).
 *
 * Calling contexts: A run is started by loading and by a write to debugfs, both
 *	in a process, which waits and can be interrupted between two lines, or
 *	by a workqueue. The
 *	lines come from one bound kthread a CPU (process), from BH work that the
 *	kthread queues on its CPU (softirq), or from a hard irq_work that it
 *	queues (hardirq), one line each, so that the CPU gets to breathe between
 *	lines and interrupts are off for no longer than one printk() takes.
 *
 * Locking: bench_lock admits one run at a time and guards the last result. A
 *	worker is alone in its struct until its done is completed. stop is the
 *	only word that both sides touch while a run lasts.
 *
 * Lifetime: A run lives on the stack and the heap of the process that started
 *	it; all its kthreads have ended before that returns. Unloading removes
 *	debugfs first, which waits for readers and writers, and waits for a
 *	run that was put off.
 *
 * What this disturbs: It fills the kernel's log and the console's line, and can
 *	push older records out of the ring buffer. From hardirq and softirq with
 *	a slow synchronous console, each line holds up everything on that CPU.
 */
/* No pr_fmt: the lines to be timed are to be as long as they are said to be. */

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kern_levels.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#define MOST_LINES	1000000U
/* A record holds 1024 characters less prefixes. */
#define MOST_LENGTH	900U

static unsigned int lines = 64;
module_param(lines, uint, 0644);
MODULE_PARM_DESC(lines, "lines that each CPU prints (64)");

static unsigned int length = 80;
module_param(length, uint, 0644);
MODULE_PARM_DESC(length, "characters of a line behind its number (80)");

static char context[16] = "process";
module_param_string(context, context, sizeof(context), 0644);
MODULE_PARM_DESC(context, "where printk is called: process (default), softirq or hardirq");

static unsigned int cpus = 1;
module_param(cpus, uint, 0644);
MODULE_PARM_DESC(cpus, "CPUs that print at once, 0 for all (1)");

static unsigned int level = LOGLEVEL_INFO;
module_param(level, uint, 0644);
MODULE_PARM_DESC(level, "the lines' level: 3 is printed by a console that is quiet (6)");

static unsigned int delay_ms;
module_param(delay_ms, uint, 0444);
MODULE_PARM_DESC(delay_ms, "run so much later than loading, which does not wait then (0)");

static bool run_at_load = true;
module_param_named(run, run_at_load, bool, 0444);
MODULE_PARM_DESC(run, "whether to run once while loading (yes)");

enum where {
	IN_PROCESS,
	IN_SOFTIRQ,
	IN_HARDIRQ,
};

static const char * const where_names[] = { "process", "softirq", "hardirq" };

/* What a run was asked for; the parameters can change meanwhile. */
struct plan {
	unsigned int lines;
	unsigned int length;
	unsigned int cpus;
	unsigned int level;
	enum where where;
};

struct run {
	struct plan plan;
	bool stop;
	struct completion go;
	/* What printk() takes for a level in front of a text. */
	char level[3];
	char fill[MOST_LENGTH + 1];
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
	u64 characters;
	u64 start;
	u64 end;
	u64 sum;
	u64 worst;
	u64 best;
};

static DEFINE_MUTEX(bench_lock);
static char result[320];
static struct dentry *folder;

static bool is_where_asked(enum where where)
{
	switch (where) {
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
	int characters;

	if (!is_where_asked(run->plan.where))
		worker->elsewhere++;

	before = ktime_get_ns();
	if (run->plan.cpus == 1)
		characters = _printk("%s%u/%u%s\n", run->level, n, run->plan.lines, run->fill);
	else
		characters = _printk("%s%u:%u/%u%s\n", run->level, worker->number, n,
				     run->plan.lines, run->fill);
	worker->end = ktime_get_ns();

	took = worker->end - before;
	if (!worker->count)
		worker->start = before;
	worker->count++;
	worker->characters += max(characters, 0);
	worker->sum += took;
	worker->worst = max(worker->worst, took);
	worker->best = min(worker->best, took);
}

static void print_in_softirq(struct work_struct *work)
{
	struct worker *worker = container_of(work, struct worker, work);

	print_one(worker);
	complete(&worker->printed);
}

static void print_in_hardirq(struct irq_work *irq_work)
{
	print_one(container_of(irq_work, struct worker, irq_work));
}

static int work_off(void *data)
{
	struct worker *worker = data;
	struct run *run = worker->run;

	wait_for_completion(&run->go);
	while (worker->count < run->plan.lines && !READ_ONCE(run->stop)) {
		switch (run->plan.where) {
		case IN_SOFTIRQ:
			reinit_completion(&worker->printed);
			queue_work_on(worker->cpu, system_bh_wq, &worker->work);
			wait_for_completion(&worker->printed);
			break;
		case IN_HARDIRQ:
			irq_work_queue(&worker->irq_work);
			irq_work_sync(&worker->irq_work);
			break;
		default:
			print_one(worker);
			cond_resched();
		}
	}
	if (run->plan.where == IN_SOFTIRQ)
		flush_work(&worker->work);
	complete(&worker->done);
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
	worker->task = kthread_create_on_cpu(work_off, worker, cpu, "printk_bench/%u");
	if (IS_ERR(worker->task))
		return PTR_ERR(worker->task);
	wake_up_process(worker->task);
	return 0;
}

static void sum_up(const struct run *run, const struct worker *workers, unsigned int count)
{
	struct worker all = { .start = U64_MAX, .best = U64_MAX };
	unsigned int n;

	for (n = 0; n < count; n++) {
		const struct worker *worker = &workers[n];

		if (!worker->count)
			continue;
		all.count += worker->count;
		all.elsewhere += worker->elsewhere;
		all.characters += worker->characters;
		all.start = min(all.start, worker->start);
		all.end = max(all.end, worker->end);
		all.sum += worker->sum;
		all.worst = max(all.worst, worker->worst);
		all.best = min(all.best, worker->best);
	}
	if (!all.count)
		all = (struct worker){};
	/* printk() counts characters without the line's end. */
	scnprintf(result, sizeof(result),
		  "context=%s cpus=%u lines=%u length=%u level=%u printed=%u characters=%llu total_ns=%llu printk_ns=%llu worst_ns=%llu best_ns=%llu elsewhere=%u stopped=%d",
		  where_names[run->plan.where], count, run->plan.lines, run->plan.length,
		  run->plan.level, all.count, all.characters, all.end - all.start, all.sum,
		  all.worst, all.best, all.elsewhere, READ_ONCE(run->stop));
	pr_info(KBUILD_MODNAME ": %s\n", result);
}

/* The workers go at once, when all are there; a process that waits can be interrupted. */
static int run_workers(struct run *run, struct worker *workers)
{
	unsigned int started = 0, n;
	int cpu, error = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (started == run->plan.cpus)
			break;
		error = start_worker(&workers[started], run, started, cpu);
		if (error)
			break;
		started++;
	}
	if (!error && started < run->plan.cpus)
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
	if (started == run->plan.cpus)
		sum_up(run, workers, started);
	return error;
}

static int read_plan(struct plan *plan)
{
	char name[sizeof(context)];
	int where;

	kernel_param_lock(THIS_MODULE);
	strscpy(name, context);
	*plan = (struct plan){ .lines = lines, .length = length, .cpus = cpus, .level = level };
	kernel_param_unlock(THIS_MODULE);

	where = sysfs_match_string(where_names, name);
	if (where < 0) {
		pr_err(KBUILD_MODNAME ": context=%s: process, softirq or hardirq\n", name);
		return -EINVAL;
	}
	plan->where = where;
	if (!plan->lines || plan->lines > MOST_LINES) {
		pr_err(KBUILD_MODNAME ": lines=%u: 1 to %u\n", plan->lines, MOST_LINES);
		return -EINVAL;
	}
	if (plan->length > MOST_LENGTH) {
		pr_err(KBUILD_MODNAME ": length=%u: 0 to %u\n", plan->length, MOST_LENGTH);
		return -EINVAL;
	}
	if (plan->level > LOGLEVEL_DEBUG) {
		pr_err(KBUILD_MODNAME ": level=%u: 0 to %d\n", plan->level, LOGLEVEL_DEBUG);
		return -EINVAL;
	}
	if (!plan->cpus)
		plan->cpus = num_online_cpus();
	if (plan->cpus > num_online_cpus()) {
		pr_err(KBUILD_MODNAME ": cpus=%u: %u are online\n", plan->cpus, num_online_cpus());
		return -EINVAL;
	}
	return 0;
}

static int bench(void)
{
	struct worker *workers;
	struct run *run;
	struct plan plan;
	int error = read_plan(&plan);

	if (error)
		return error;
	run = kzalloc(sizeof(*run), GFP_KERNEL);
	workers = kcalloc(plan.cpus, sizeof(*workers), GFP_KERNEL);
	if (!run || !workers) {
		error = -ENOMEM;
		goto out;
	}
	run->plan = plan;
	init_completion(&run->go);
	memset(run->fill, '#', plan.length);
	run->level[0] = KERN_SOH_ASCII;
	run->level[1] = '0' + plan.level;
	error = run_workers(run, workers);
out:
	kfree(workers);
	kfree(run);
	return error;
}

static ssize_t run_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	int error = mutex_lock_interruptible(&bench_lock);

	if (error)
		return error;
	error = bench();
	mutex_unlock(&bench_lock);
	return error ? error : size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
};

static int result_show(struct seq_file *file, void *unused)
{
	int error = mutex_lock_interruptible(&bench_lock);

	if (error)
		return error;
	if (*result)
		seq_printf(file, "%s\n", result);
	mutex_unlock(&bench_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

/* What it has to say is in the log. */
static void run_later(struct work_struct *work)
{
	mutex_lock(&bench_lock);
	bench();
	mutex_unlock(&bench_lock);
}

static DECLARE_DELAYED_WORK(later, run_later);

static int __init printk_bench_init(void)
{
	int error = 0;

	if (run_at_load && delay_ms) {
		queue_delayed_work(system_unbound_wq, &later, msecs_to_jiffies(delay_ms));
	} else if (run_at_load) {
		mutex_lock(&bench_lock);
		error = bench();
		mutex_unlock(&bench_lock);
	}
	if (error)
		return error;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, folder, NULL, &run_fops);
	debugfs_create_file("result", 0444, folder, NULL, &result_fops);
	return 0;
}

static void __exit printk_bench_exit(void)
{
	debugfs_remove(folder);
	cancel_delayed_work_sync(&later);
}

module_init(printk_bench_init);
module_exit(printk_bench_exit);

MODULE_DESCRIPTION("How long the callers of printk() wait");
MODULE_LICENSE("GPL");
