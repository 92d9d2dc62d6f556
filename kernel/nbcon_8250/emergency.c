// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much a WARN or an oops may print at once.
 *
 * Purpose
 *   During a WARN, an oops, a report of lockdep or of the RCU stall detector, each printk()
 *   prints the whole backlog (nbcon_cpu_emergency_enter()). Up to 6.18 it does so with
 *   interrupts off and without releasing the console, for which every uart_port_lock() waits: on
 *   a slow line long enough for the lockup detectors. So the time is limited, and the rest is
 *   left to the printer kthread. An oops may print all it has, but makes pauses, in which others
 *   can have the console. A panic is not limited: after it no kthread runs.
 *
 * Calling contexts
 *   Any, including NMI: write_atomic().
 *
 * Locking
 *   The caller owns the console, and with it the fields.
 *
 * Lifetime
 *   Called only while the console is registered.
 *
 * What this disturbs
 *   If the machine hangs for good after a WARN, what was left to the printer kthread is missing
 *   on the serial line.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kgdb.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* A limit that has been used up is available again after this many times as long. */
#define REGAIN		4

/* After this time an oops makes a pause. The lockup detectors wait for 10 s by default. */
#define OOPS_HOLD_NS	(5ULL * NSEC_PER_SEC)

/*
 * So long a pause: without it the next printk() would have the console again before a processor
 * that spins for it notices.
 */
#define OOPS_PAUSE_MS	50U

/* Within a flush the next record follows at once. */
#define SAME_FLUSH_NS	(10ULL * NSEC_PER_MSEC)

static bool warn_may_hold(struct emergency *e, u64 now_ns)
{
	u64 limit_ns = (u64)nbcon_8250_warn_limit_ms * NSEC_PER_MSEC;

	e->spent_ns -= min(e->spent_ns, div_u64(now_ns - e->regained_ns, REGAIN));
	e->regained_ns = now_ns;
	/* Once it is used up, WARNs go on with half of it, and not for a record each. */
	if (e->spent_ns <= limit_ns / 2)
		e->exhausted = false;
	return !e->exhausted;
}

/* On a single processor nobody waits. */
static bool oops_may_hold(struct emergency *e, u64 now_ns)
{
	return now_ns - e->hold_ns < OOPS_HOLD_NS || num_online_cpus() == 1;
}

/* Whether a CPU is in the kernel debugger: it also has others print, such as their backtraces. */
static bool in_debugger(void)
{
#ifdef CONFIG_KGDB
	return atomic_read(&kgdb_active) != -1;
#else
	return false;
#endif
}

/**
 * nbcon_8250_may_print_now - whether an atomic writer may print a record
 * @nb:		the console
 * @wctxt:	the record
 *
 * If not, the core gives up until the next printk(). What an emergency has not printed in the
 * end, the printer kthread prints. Since 6.19 the core wakes it after the emergency; before, it
 * is woken here. What the kernel debugger prints is in no record: it is printed now or never.
 *
 * Return: true if it may.
 */
bool nbcon_8250_may_print_now(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt)
{
	struct emergency *e = &nb->emergency;
	u64 now_ns = ktime_get_mono_fast_ns();
	bool may;

	e->begun_ns = now_ns;
	if (!nb->con.kthread || ACCESS_PRIVATE(wctxt, ctxt).prio != NBCON_PRIO_EMERGENCY ||
	    in_debugger())
		return true;
	if (now_ns - e->ended_ns > SAME_FLUSH_NS)
		e->hold_ns = now_ns;
	if (oops_in_progress)
		may = oops_may_hold(e, now_ns);
	else
		may = !nbcon_8250_warn_to_thread && warn_may_hold(e, now_ns);
	if (may)
		return true;
	irq_work_queue(&nb->con.irq_work);
	return false;
}

/**
 * nbcon_8250_printed_now - a record was printed that nbcon_8250_may_print_now() allowed
 * @nb:		the console
 */
void nbcon_8250_printed_now(struct nbcon_8250 *nb)
{
	u64 limit_ns = (u64)nbcon_8250_warn_limit_ms * NSEC_PER_MSEC;
	struct emergency *e = &nb->emergency;

	e->ended_ns = ktime_get_mono_fast_ns();
	e->spent_ns += e->ended_ns - e->begun_ns;
	if (e->spent_ns >= limit_ns) {
		e->exhausted = true;
		/* What an oops has printed doesn't keep later WARNs waiting any longer. */
		e->spent_ns = limit_ns;
	}
}

/**
 * nbcon_8250_let_others_in - make the pause of an oops; the record has been left unprinted
 * @nb:		the console
 *
 * Releases the console, as the core would when write_atomic() returns, and waits. The core finds
 * that this context does not own it. Not if a panic has taken or requested the console meanwhile.
 */
void nbcon_8250_let_others_in(struct nbcon_8250 *nb)
{
	atomic_t *shared = &ACCESS_PRIVATE(&nb->con, nbcon_state);
	struct nbcon_state owned, released;
	unsigned int ms;

	owned.atom = atomic_read(shared);
	if (owned.prio != NBCON_PRIO_EMERGENCY || owned.req_prio != NBCON_PRIO_NONE ||
	    owned.unsafe || owned.cpu != raw_smp_processor_id())
		return;
	released = owned;
	released.prio = NBCON_PRIO_NONE;
	if (!atomic_try_cmpxchg(shared, &owned.atom, released.atom))
		return;
	for (ms = 0; ms < OOPS_PAUSE_MS; ms++) {
		touch_nmi_watchdog();
		mdelay(1);
	}
}
