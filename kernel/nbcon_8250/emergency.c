// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much a WARN or an oops may print at once.
 *
 * Purpose
 *   During a WARN, an oops, a report of lockdep or of the RCU stall detector, each printk()
 *   prints the whole backlog (nbcon_cpu_emergency_enter()). Up to 6.18 it does so with
 *   interrupts off and without releasing the console, for which every uart_port_lock() waits: on
 *   a slow line long enough for the lockup detectors. So the time is limited, and the rest is
 *   left to the printer kthread. A panic is not limited: after it no kthread runs.
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
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* A limit that has been used up is available again after this many times as long. */
#define REGAIN		4

/*
 * An oops may print all it has, but after this time must let others have the console. The lockup
 * detectors wait for 10 s by default.
 */
#define OOPS_HOLD_NS	(5ULL * NSEC_PER_SEC)

/*
 * The next printk() of the oops follows within microseconds, and would have the console again
 * before one that spins for it notices.
 */
#define LET_GO_NS	(10ULL * NSEC_PER_MSEC)

/* Within a flush the next record follows at once. */
#define SAME_FLUSH_NS	(10ULL * NSEC_PER_MSEC)

static bool warn_may_hold(struct emergency *e, u64 now_ns)
{
	u64 limit_ns = (u64)nbcon_8250_warn_limit_ms * NSEC_PER_MSEC;

	e->spent_ns -= min(e->spent_ns, div_u64(now_ns - e->regained_ns, REGAIN));
	e->regained_ns = now_ns;
	/* Once it is used up, WARNs go on with half of it, and not for a record each. */
	if (e->spent_ns >= limit_ns)
		e->exhausted = true;
	else if (e->spent_ns <= limit_ns / 2)
		e->exhausted = false;
	return !e->exhausted;
}

static bool oops_may_hold(struct emergency *e, u64 now_ns)
{
	if (now_ns - e->let_go_ns < LET_GO_NS)
		return false;
	if (now_ns - e->ended_ns > SAME_FLUSH_NS)
		e->hold_ns = now_ns;
	if (now_ns - e->hold_ns < OOPS_HOLD_NS)
		return true;
	e->let_go_ns = now_ns;
	return false;
}

/**
 * nbcon_8250_may_print_now - whether an atomic writer may print a record
 * @nb:		the console
 * @wctxt:	the record
 *
 * If not, the core gives up, and the printer kthread prints the record and what follows. Since
 * 6.19 the core wakes it after the emergency; before, it is woken here.
 *
 * Return: true if it may.
 */
bool nbcon_8250_may_print_now(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt)
{
	struct emergency *e = &nb->emergency;
	u64 now_ns = ktime_get_mono_fast_ns();
	bool may;

	e->begun_ns = now_ns;
	if (!nb->con.kthread || ACCESS_PRIVATE(wctxt, ctxt).prio != NBCON_PRIO_EMERGENCY)
		return true;
	if (oops_in_progress)
		may = oops_may_hold(e, now_ns);
	else
		may = !nbcon_8250_warn_to_thread && warn_may_hold(e, now_ns);
	if (!may)
		irq_work_queue(&nb->con.irq_work);
	return may;
}

/**
 * nbcon_8250_printed_now - a record was printed that nbcon_8250_may_print_now() allowed
 * @nb:		the console
 */
void nbcon_8250_printed_now(struct nbcon_8250 *nb)
{
	struct emergency *e = &nb->emergency;

	e->ended_ns = ktime_get_mono_fast_ns();
	e->spent_ns += e->ended_ns - e->begun_ns;
}
