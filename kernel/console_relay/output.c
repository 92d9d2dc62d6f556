// SPDX-License-Identifier: GPL-2.0-only
/*
 * The output: who calls the driver's write(), and when.
 *
 * Purpose
 *   The thread prints the ring, a line at a time. Not less: the driver's write() holds the port
 *   lock, and where it releases it in mid-line, what programs write to the tty comes in between.
 *   Writers in a hurry (a panic, an oops, a WARN, a full ring) print the lines before their own
 *   record and then the record.
 *
 * Calling contexts
 *   console_relay_print(): any, including NMI. console_relay_drain() and the thread: process
 *   context.
 *
 * Locking
 *   The context that prints owns the output, with interrupts off, for the length of a line.
 *   printk() calls write() with interrupts off as well, so a driver sees no context that it does
 *   not know.
 *   @owner names a ticket and a CPU. A context that finds it taken waits for at most the time
 *   that the line takes; it does not wait if the owner is the context that it interrupted itself,
 *   or if the owner's CPU was stopped by a panic. Only a panic or an oops then takes the output by
 *   force, announces a replay and prints the line again. The previous owner, if it ever goes on,
 *   finds another ticket, and that @tail has moved on. Once a panic drains the ring, the output is
 *   its CPU's alone.
 *   While the thread prints in bursts (bursts.c), it owns the output only for a burst. In between,
 *   @owner names its line and no CPU, and whoever is in a hurry takes the output at once. The ring
 *   starts with the rest of the line then, so they go on where the thread was, and it finds that
 *   the output is no longer its line's. Who is in no hurry waits for the end of the line.
 *   The output is free for a moment only between two lines of the thread, and who waits may miss it
 *   each time. So it says in @waiting that it waits, and the thread then leaves the next line to
 *   it. Who waits thus sees the end of one line; more owners follow each other only where writers
 *   do, of whom one at a time holds the console lock.
 *
 * Lifetime
 *   The thread lives from loading to unloading. If it dies of an oops in the driver's write(),
 *   writers print themselves.
 *
 * What this disturbs
 *   Interrupts are off for a line, as in printk(); for less where a record has several lines.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>
#include "compat.h"
#include "console_relay.h"

/* As the core announces it on nbcon consoles. */
#define REPLAY_MARK	"\n** replaying previous printk message **\n"

/* The CPU in @owner takes the lower bits, the ticket the rest. */
#define CPU_BITS	16
#define CPU_MASK	((1L << CPU_BITS) - 1)
#define TICKET_MASK	0x7fff

/* Before anything was observed: a byte at 1200 baud. */
#define FIRST_BYTE_NS	(8333 * NSEC_PER_USEC)

/* A byte at 300 baud. What takes longer is a machine that was stopped, or flow control. */
#define SLOWEST_BYTE_NS	(33333 * NSEC_PER_USEC)

/* By which part the time of a byte falls again with each line. */
#define DECAY		16

/* In addition to twice the time of a line. */
#define PATIENCE_NS	(100ULL * NSEC_PER_MSEC)

/* The owner's CPU may be a virtual one that is not running. */
#define LONG_PATIENCE_NS	(2ULL * NSEC_PER_SEC)

#define BUSY_MS		1

/* In addition to twice the time of a line: see console_relay_patience_ms(). */
#define BUSY_LIMIT_MS	5000

/*
 * Before the first line after a pause. Most records are followed by more, and on their CPU a line
 * of the thread would come in between: the scheduler owes a thread that has slept a turn, at nice
 * 19 too.
 */
#define PAUSE_MS	10

/* Of the thread while it prints in bursts: that of the core's own printer kthreads (6.12). */
#define BURSTS_NICE	-20

/* Instead of a CPU: the thread sleeps between two bursts of a line. */
#define OPEN_LINE	CPU_MASK

static long new_ticket(struct console_relay *relay)
{
	return (atomic_inc_return(&relay->tickets) & TICKET_MASK) << CPU_BITS;
}

static long next_ticket(struct console_relay *relay)
{
	return new_ticket(relay) | (raw_smp_processor_id() + 1);
}

static bool is_open_line(long owner)
{
	return (owner & CPU_MASK) == OPEN_LINE;
}

static bool is_this_cpu(long owner)
{
	return (owner & CPU_MASK) == raw_smp_processor_id() + 1;
}

/* A panic has marked its CPU as offline; where that failed, the CPU is waited for. */
static bool is_stopped(long owner)
{
	return !cpu_online((owner & CPU_MASK) - 1);
}

/* How long to wait for an owner; not final, as it sets the number of its bytes a moment later. */
static u64 wait_limit_ns(const struct console_relay *relay, enum patience patience)
{
	u64 limit_ns = PATIENCE_NS + 2ULL * READ_ONCE(relay->owned_bytes) *
		       (READ_ONCE(relay->byte_ns) ?: FIRST_BYTE_NS);

	return patience == PATIENCE_LONG ? limit_ns + LONG_PATIENCE_NS : limit_ns;
}

/* Waits until the output is free. Returns the owner otherwise. */
static long wait_for_output(struct console_relay *relay, enum patience patience, long mine)
{
	long owner, last_owner = 0;
	u64 begun_ns = 0, now_ns;

	for (;;) {
		owner = atomic_long_cmpxchg(&relay->owner, 0, mine);
		if (is_open_line(owner)) {
			/* Otherwise a burst has begun, which is short. */
			if (atomic_long_cmpxchg(&relay->owner, owner, mine) == owner)
				return 0;
			continue;
		}
		if (!owner || is_this_cpu(owner) || is_stopped(owner))
			return owner;
		now_ns = ktime_get_mono_fast_ns();
		if (owner != last_owner)
			begun_ns = now_ns;
		else if (now_ns - begun_ns > wait_limit_ns(relay, patience))
			return owner;
		last_owner = owner;
		touch_nmi_watchdog();
		cpu_relax();
	}
}

/* Returns whether the output became this context's, with PATIENCE_TAKE by force if need be. */
static bool wait_or_take(struct console_relay *relay, enum patience patience, long mine,
			 bool *forced)
{
	long owner;

	for (;;) {
		owner = wait_for_output(relay, patience, mine);
		if (!owner)
			return true;
		if (patience != PATIENCE_TAKE || console_relay_is_excluded(relay))
			return false;
		/* From the very owner that was waited for; another one is waited for as well. */
		if (atomic_long_cmpxchg(&relay->owner, owner, mine) == owner) {
			relay->counters.forced++;
			*forced = true;
			/* Its own oops, or a panic: it does not return to its line. */
			if (is_this_cpu(owner))
				WRITE_ONCE(relay->port_lost, true);
			return true;
		}
	}
}

/* Interrupts are off. Returns false if somebody else owns the output, or waits for it. */
static bool own_output(struct console_relay *relay, enum patience patience, long mine,
		       bool *forced)
{
	bool owned;

	*forced = false;
	if (console_relay_is_excluded(relay))
		return false;
	if (patience == PATIENCE_NONE)
		return !atomic_read(&relay->waiting) &&
		       !atomic_long_cmpxchg(&relay->owner, 0, mine);
	atomic_inc(&relay->waiting);
	owned = wait_or_take(relay, patience, mine, forced);
	atomic_dec(&relay->waiting);
	/* A panic has begun meanwhile. */
	if (owned && console_relay_is_excluded(relay)) {
		atomic_long_cmpxchg(&relay->owner, mine, 0);
		owned = false;
	}
	return owned;
}

/* The time since @begun_ns was spent with interrupts off. */
void console_relay_wrote(struct console_relay *relay, u64 begun_ns)
{
	u64 took_ns = ktime_get_mono_fast_ns() - begun_ns;

	relay->counters.longest_write_ns = max(relay->counters.longest_write_ns, took_ns);
}

static void observe_byte(struct console_relay *relay, u64 took_ns, unsigned int len)
{
	u32 observed_ns = min_t(u64, div_u64(took_ns, len), SLOWEST_BYTE_NS);

	WRITE_ONCE(relay->byte_ns, max(observed_ns, relay->byte_ns - relay->byte_ns / DECAY));
}

/*
 * As kdb does: write() then only tries to take the port lock, with which a writer has died. The
 * count is not atomic: an oops that begins on another CPU at this very moment may stay counted.
 */
static void write_port(struct console_relay *relay, const char *text, unsigned int len)
{
	bool lost = console_relay_port_lost(relay);

	if (lost)
		++oops_in_progress;
	relay->write(relay->con, text, len);
	if (lost)
		--oops_in_progress;
}

static void write_text(struct console_relay *relay, const char *text, unsigned int len)
{
	u64 begun_ns = ktime_get_mono_fast_ns();

	WRITE_ONCE(relay->owned_bytes, len);
	write_port(relay, text, len);
	/* Of short texts, the hardware's buffer takes a large part at once. */
	if (len >= 32)
		observe_byte(relay, ktime_get_mono_fast_ns() - begun_ns, len);
	WRITE_ONCE(relay->progress_ns, ktime_get_mono_fast_ns());
}

/* Not an interrupt handler on top of the thread. */
static bool in_thread(const struct console_relay *relay)
{
	return current == relay->thread && in_task();
}

/*
 * Who lost the output by force may still be reading its line: mostly that is the thread, whose
 * line is used by nobody else.
 */
static char *line_buffer(struct console_relay *relay, bool forced)
{
	if (forced)
		return relay->forced_line;
	return in_thread(relay) ? relay->thread_line : relay->line;
}

static enum printed print_owned(struct console_relay *relay, bool forced, const char *text,
				unsigned int len)
{
	char *line = line_buffer(relay, forced);
	unsigned int line_len, tail;

	if (READ_ONCE(relay->off) && !text)
		return PRINTED_OFF;
	if (forced) {
		write_port(relay, REPLAY_MARK, strlen(REPLAY_MARK));
		console_relay_ring_rewind_line(&relay->ring);
	}
	line_len = console_relay_ring_line(&relay->ring, line, &tail);
	if (line_len) {
		write_text(relay, line, line_len);
		console_relay_ring_advance(&relay->ring, tail, line_len);
		if (in_thread(relay)) {
			relay->counters.lines++;
			relay->counters.bytes += line_len;
		} else {
			relay->counters.drained_lines++;
		}
		return PRINTED_LINE;
	}
	if (!text)
		return PRINTED_NOTHING;
	write_text(relay, text, len);
	relay->counters.direct_records++;
	return PRINTED_TEXT;
}

/**
 * console_relay_print - print the next line of the ring, or, if it is empty, a text
 * @relay:	the relay
 * @patience:	how long to wait for who owns the output
 * @text:	the text, or NULL
 * @len:	its length in bytes
 *
 * Return: what was printed.
 */
enum printed console_relay_print(struct console_relay *relay, enum patience patience,
				 const char *text, unsigned int len)
{
	enum printed printed;
	unsigned long flags;
	bool forced;
	long mine;

	local_irq_save(flags);
	mine = next_ticket(relay);
	if (!own_output(relay, patience, mine, &forced)) {
		local_irq_restore(flags);
		return PRINTED_BUSY;
	}
	printed = print_owned(relay, forced, text, len);
	atomic_long_cmpxchg(&relay->owner, mine, 0);
	local_irq_restore(flags);
	return printed;
}

/**
 * console_relay_open_line - start a line that is printed in bursts; the thread
 * @relay:	the relay
 *
 * Return: the line, to be closed; or 0 if somebody else owns the output, or waits for it.
 */
long console_relay_open_line(struct console_relay *relay)
{
	long line = new_ticket(relay) | OPEN_LINE;

	if (console_relay_is_excluded(relay) || atomic_read(&relay->waiting) ||
	    atomic_long_cmpxchg(&relay->owner, 0, line))
		return 0;
	return line;
}

/**
 * console_relay_enter_burst - own the output for a burst; interrupts are off
 * @relay:	the relay
 * @line:	an open line
 *
 * Return: for console_relay_leave_burst(), or 0 if somebody else has taken the output.
 */
long console_relay_enter_burst(struct console_relay *relay, long line)
{
	long mine = (line & ~CPU_MASK) | (raw_smp_processor_id() + 1);

	if (console_relay_is_excluded(relay) ||
	    atomic_long_cmpxchg(&relay->owner, line, mine) != line)
		return 0;
	WRITE_ONCE(relay->owned_bytes, 0);
	return mine;
}

void console_relay_leave_burst(struct console_relay *relay, long line, long mine)
{
	atomic_long_cmpxchg(&relay->owner, mine, line);
}

/* Does nothing if somebody else has taken the output. */
void console_relay_close_line(struct console_relay *relay, long line)
{
	atomic_long_cmpxchg(&relay->owner, line, 0);
}

/**
 * console_relay_patience_ms - how long who is in no hurry waits for an owner of the output
 * @relay:	the relay
 *
 * Return: a time in ms in which the owner's line must have ended.
 */
unsigned int console_relay_patience_ms(const struct console_relay *relay)
{
	u64 line_ns = (u64)READ_ONCE(relay->owned_bytes) *
		      (READ_ONCE(relay->byte_ns) ?: SLOWEST_BYTE_NS);

	return BUSY_LIMIT_MS + (unsigned int)div_u64(2 * line_ns, NSEC_PER_MSEC);
}

static unsigned long patience_end(const struct console_relay *relay)
{
	return jiffies + msecs_to_jiffies(console_relay_patience_ms(relay));
}

/*
 * The thread's last burst may still be in the transmitter although the ring is empty: waits for
 * the end of the line that is being printed now.
 */
static void wait_for_line(struct console_relay *relay)
{
	long line = atomic_long_read(&relay->owner), owner = line;
	unsigned long end = patience_end(relay);

	while (owner && (owner & ~CPU_MASK) == (line & ~CPU_MASK) && time_before(jiffies, end)) {
		msleep(BUSY_MS);
		owner = atomic_long_read(&relay->owner);
	}
}

/* What the ring contains now. Returns whether all of it was printed. */
static bool print_all(struct console_relay *relay)
{
	unsigned int head = console_relay_ring_head(&relay->ring);
	unsigned long end = patience_end(relay);
	long owner, last_owner = 0;
	enum patience patience;
	enum printed printed;

	for (;;) {
		/* A writer may have died as the owner. */
		patience = console_relay_port_lost(relay) ? PATIENCE_TAKE : PATIENCE_NONE;
		printed = console_relay_print(relay, patience, NULL, 0);
		if (printed == PRINTED_NOTHING || printed == PRINTED_OFF)
			return true;
		if (printed == PRINTED_LINE) {
			if (console_relay_ring_has_passed(&relay->ring, head))
				return true;
			cond_resched();
			continue;
		}
		/* By writers, who may go on for ever. */
		if (console_relay_ring_has_passed(&relay->ring, head))
			return true;
		owner = atomic_long_read(&relay->owner);
		if (owner != last_owner)
			end = patience_end(relay);
		else if (time_after(jiffies, end))
			return false;
		last_owner = owner;
		msleep(BUSY_MS);
	}
}

/**
 * console_relay_drain - print what the ring contains now; process context
 * @relay:	the relay
 *
 * If no record is stored meanwhile, the ring is empty on return.
 *
 * Return: whether all of it was printed, and not somebody else has kept the output.
 */
bool console_relay_drain(struct console_relay *relay)
{
	bool drained = print_all(relay);

	if (drained)
		wait_for_line(relay);
	return drained;
}

/* If the thread has died of an oops in mid-line, nobody closes that any more. */
static bool is_in_use(struct console_relay *relay)
{
	bool died = console_relay_thread_died(relay);
	long owner = atomic_long_read(&relay->owner);

	if (owner && !(died && is_open_line(owner)))
		return true;
	/* The port was let go of: pairs with the release in bursts.c. */
	return smp_load_acquire(&relay->bursts.in_line) && !died;
}

/* Nobody touches the port any more when this returns; process context. */
void console_relay_switch_off(struct console_relay *relay)
{
	console_relay_drain(relay);
	WRITE_ONCE(relay->off, true);
	/* Who has not seen it yet owns the output: owning it is a full barrier as well. */
	smp_mb();
	while (is_in_use(relay))
		msleep(BUSY_MS);
}

static void wake_thread(struct irq_work *work)
{
	wake_up(&container_of(work, struct relay_kick, work)->relay->wait);
}

/* Wakes the thread; any context. */
void console_relay_kick(struct console_relay *relay)
{
	atomic_set(&relay->kicked, 1);
	/* Its barrier pairs with that of the thread, which looks at @kicked once more. */
	if (wq_has_sleeper(&relay->wait))
		irq_work_queue(&raw_cpu_ptr(relay->kicks)->work);
}

static enum printed print_by_driver(struct console_relay *relay)
{
	u64 begun_ns = ktime_get_mono_fast_ns();
	enum printed printed = console_relay_print(relay, PATIENCE_NONE, NULL, 0);

	console_relay_wrote(relay, begun_ns);
	return printed;
}

static void be_nice(struct console_relay *relay, int nice)
{
	if (relay->set_nice != nice)
		set_user_nice(current, nice);
	relay->set_nice = nice;
}

/*
 * A thread that spins leaves the boot CPU, which on arm and arm64 has the devices' interrupts by
 * default: they would wait for the end of a line. CPUs that were set apart (isolcpus=, nohz_full=)
 * stay so. Once: who sets the mask afterwards is not overruled.
 *
 * It fails for want of another CPU that is online, or of memory; then the thread runs where it did.
 */
static void leave_boot_cpu(struct console_relay *relay)
{
	cpumask_var_t others;
	unsigned int cpu;

	if (relay->left_boot_cpu)
		return;
	relay->left_boot_cpu = true;
	if (!zalloc_cpumask_var(&others, GFP_KERNEL))
		return;
	rcu_read_lock();
	for_each_cpu(cpu, current->cpus_ptr) {
		if (cpu && !relay_is_isolated(cpu))
			cpumask_set_cpu(cpu, others);
	}
	rcu_read_unlock();
	if (!cpumask_empty(others))
		set_cpus_allowed_ptr(current, others);
	free_cpumask_var(others);
}

/* In bursts the thread takes hardly any time, but has to have it when the FIFO is empty. */
static enum printed print_as_port_permits(struct console_relay *relay)
{
	enum printed printed;

	if (relay->bursts.fit)
		be_nice(relay, BURSTS_NICE);
	printed = console_relay_print_in_bursts(relay);
	relay->bursts.fit = printed != PRINTED_UNFIT;
	if (relay->bursts.fit)
		return printed;
	be_nice(relay, relay->nice);
	return print_by_driver(relay);
}

/* A line of the ring, unless the console is suspended or stopped. */
static enum printed print_as_thread(struct console_relay *relay)
{
	enum printed printed = PRINTED_BUSY;
	int cookie;

	if (READ_ONCE(relay->off) || console_relay_ring_empty(&relay->ring)) {
		/* What kept the tty's mutex will not have kept it until the next line. */
		relay->bursts.tty_busy = false;
		return READ_ONCE(relay->off) ? PRINTED_OFF : PRINTED_NOTHING;
	}
	if (!relay->bursts.fit)
		leave_boot_cpu(relay);
	cookie = relay_enter_printing();
	if (relay_may_print(relay->con))
		printed = print_as_port_permits(relay);
	relay_leave_printing(cookie);
	return printed;
}

static int run_thread(void *data)
{
	struct console_relay *relay = data;
	enum printed printed;

	while (!kthread_should_stop()) {
		wait_event_idle(relay->wait,
				atomic_xchg(&relay->kicked, 0) || kthread_should_stop());
		if (!kthread_should_stop())
			msleep(PAUSE_MS);
		do {
			printed = print_as_thread(relay);
			if (printed == PRINTED_BUSY)
				msleep(BUSY_MS);
			else
				cond_resched();
		} while ((printed == PRINTED_LINE || printed == PRINTED_BUSY) &&
			 !kthread_should_stop());
		if (READ_ONCE(relay->behind)) {
			console_lock();
			console_relay_set_back(relay);
			console_unlock();
		}
	}
	return 0;
}

int console_relay_start_thread(struct console_relay *relay, int nice)
{
	struct task_struct *thread;
	int cpu;

	init_waitqueue_head(&relay->wait);
	relay->kicks = alloc_percpu(struct relay_kick);
	if (!relay->kicks)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct relay_kick *kick = per_cpu_ptr(relay->kicks, cpu);

		init_irq_work(&kick->work, wake_thread);
		kick->relay = relay;
	}
	thread = kthread_create(run_thread, relay, "relay/%s%d", relay->con->name,
				relay->con->index);
	if (IS_ERR(thread)) {
		free_percpu(relay->kicks);
		return PTR_ERR(thread);
	}
	get_task_struct(thread);
	set_user_nice(thread, nice);
	relay->nice = nice;
	relay->set_nice = nice;
	relay->thread = thread;
	wake_up_process(thread);
	return 0;
}

void console_relay_stop_thread(struct console_relay *relay)
{
	int cpu;

	kthread_stop(relay->thread);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(relay->kicks, cpu)->work);
	free_percpu(relay->kicks);
	put_task_struct(relay->thread);
}

/* Of an oops in the driver's write(); until it is stopped it does not exit otherwise. */
bool console_relay_thread_died(const struct console_relay *relay)
{
	return READ_ONCE(relay->thread->flags) & PF_EXITING;
}

/*
 * Whether who printed has died of an oops in the driver's write(), mostly with the port lock. From
 * its own first line on, as the last ones are printed when oops_in_progress is 0 again.
 */
bool console_relay_port_lost(const struct console_relay *relay)
{
	return READ_ONCE(relay->port_lost) || console_relay_thread_died(relay);
}

/* A panic goes on elsewhere: this CPU was not stopped, but is to keep quiet. */
bool console_relay_is_excluded(const struct console_relay *relay)
{
	/* Pairs with the release in events.c. */
	return smp_load_acquire(&relay->panicking) &&
	       relay->panic_cpu != raw_smp_processor_id();
}
