// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which records are printed at once.
 *
 * Purpose
 *   - all of a panic and of an oops, and all that is logged during a suspend and before a reboot,
 *     or after the thread has died;
 *   - a WARN, for at most `warn_limit`, unless warn=thread. No exported symbol says that a WARN
 *     is being printed, so it is recognised by its first line and its last one. Whoever may
 *     write these to /dev/kmsg can make its records synchronous for as long;
 *   - what interrupt handlers log when the thread has not run for a long time: the report of a
 *     lockup detector or of the RCU stall detector.
 *   Everything else is left to the thread.
 *
 * Calling contexts
 *   write(), with the console lock held.
 *
 * Locking
 *   The console lock.
 *
 * Lifetime
 *   The relay's.
 *
 * What this disturbs
 *   Who logs such a record waits until it has been transmitted, as with the driver's own console.
 */
#include <linux/hardirq.h>
#include <linux/kexec.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/time64.h>
#include "console_relay.h"

#define FIRST_LINE	"------------[ cut here ]------------"
#define LAST_LINE	"---[ end trace "

/* A report without a last line ends after this time. */
#define REPORT_NS	(2ULL * NSEC_PER_SEC)

/* A limit that has been used up is available again after this many times as long. */
#define REGAIN		4

/*
 * For how long an oops prints older lines before its own ones, all together: lockup detectors wait
 * for 10 s. A panic prints the rest when it has stopped the other CPUs.
 */
#define OOPS_NS		(8ULL * NSEC_PER_SEC)

/* For how long a record prints older lines, as interrupts are off meanwhile. */
#define RECORD_NS	(200ULL * NSEC_PER_MSEC)

/* The thread does not run; at nice 19 it still gets its turn on a busy CPU. */
#define STARVED_NS	(10ULL * NSEC_PER_SEC)

static u64 limit_ns(void)
{
	return (u64)console_relay_warn_limit_ms * NSEC_PER_MSEC;
}

/* What is left of the limit. */
static u64 remaining_ns(struct report_budget *budget, u64 now_ns)
{
	budget->spent_ns -= min(budget->spent_ns,
				div_u64(now_ns - budget->regained_ns, REGAIN));
	budget->regained_ns = now_ns;
	/* Once it is used up, reports go on with half of it, and not for a record each. */
	if (budget->spent_ns >= limit_ns())
		budget->exhausted = true;
	else if (budget->spent_ns <= limit_ns() / 2)
		budget->exhausted = false;
	return budget->exhausted ? 0 : limit_ns() - budget->spent_ns;
}

/* Whether the record belongs to a report; updates the state for the next one. */
static bool belongs_to_report(struct report_budget *budget, const char *text, unsigned int len,
			      u64 now_ns)
{
	bool belongs;

	if (strnstr(text, FIRST_LINE, len)) {
		budget->in_report = true;
		budget->begun_ns = now_ns;
	}
	belongs = budget->in_report && now_ns - budget->begun_ns < REPORT_NS + limit_ns();
	if (!belongs || strnstr(text, LAST_LINE, len))
		budget->in_report = false;
	return belongs;
}

static bool is_starved(struct console_relay *relay, u64 now_ns)
{
	return hardirq_count() && !console_relay_ring_empty(&relay->ring) &&
	       now_ns - READ_ONCE(relay->progress_ns) > STARVED_NS;
}

static u64 oops_limit_ns(const struct console_relay *relay)
{
	/*
	 * A crash kernel is started before the panic notifiers run: what an oops or a panic leaves
	 * to them would never be printed.
	 */
	if (READ_ONCE(relay->panicking) || kexec_crash_loaded())
		return U64_MAX;
	return OOPS_NS - min(OOPS_NS, relay->oops_spent_ns);
}

/**
 * console_relay_urgency - how to print a record
 * @relay:	the relay
 * @text:	the record
 * @len:	its length in bytes
 *
 * Return: whether to print it at once, and how long to print older lines before.
 */
struct urgency console_relay_urgency(struct console_relay *relay, const char *text,
				     unsigned int len)
{
	u64 now_ns = ktime_get_mono_fast_ns();
	struct urgency urgency = { };
	bool report, starved;

	if (READ_ONCE(relay->panicking) || oops_in_progress) {
		urgency.at_once = true;
		urgency.patience = PATIENCE_TAKE;
		urgency.limit_ns = oops_limit_ns(relay);
		urgency.spent_ns = &relay->oops_spent_ns;
		return urgency;
	}
	relay->oops_spent_ns = 0;
	if (console_relay_port_lost(relay)) {
		urgency.at_once = true;
		urgency.patience = PATIENCE_TAKE;
		urgency.limit_ns = RECORD_NS;
		return urgency;
	}
	if (READ_ONCE(relay->direct) != DIRECT_NEVER) {
		urgency.at_once = true;
		urgency.patience = PATIENCE_LONG;
		urgency.limit_ns = READ_ONCE(relay->direct) == DIRECT_FULLY ? U64_MAX : RECORD_NS;
		return urgency;
	}
	report = belongs_to_report(&relay->budget, text, len, now_ns);
	starved = is_starved(relay, now_ns);
	if (!report && !starved)
		return urgency;
	urgency.limit_ns = remaining_ns(&relay->budget, now_ns);
	if ((report && console_relay_warn_to_thread && !starved) || !urgency.limit_ns) {
		relay->counters.left_to_thread++;
		return urgency;
	}
	if (report)
		relay->counters.warn_records++;
	else
		relay->counters.starved_records++;
	urgency.at_once = true;
	urgency.limit_ns = min(urgency.limit_ns, RECORD_NS);
	urgency.spent_ns = &relay->budget.spent_ns;
	urgency.patience = PATIENCE_LINE;
	return urgency;
}
