// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which records are printed at once.
 *
 * Purpose
 *   - all of a panic and of an oops, and all that is logged during a suspend and before a reboot;
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

/* For how long an oops prints older lines before each own one: lockup detectors wait for 10 s. */
#define OOPS_NS		(4ULL * NSEC_PER_SEC)

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
		urgency.limit_ns = READ_ONCE(relay->panicking) ? U64_MAX : OOPS_NS;
		return urgency;
	}
	if (READ_ONCE(relay->direct)) {
		urgency.at_once = true;
		urgency.patience = PATIENCE_LINE;
		urgency.limit_ns = U64_MAX;
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
	urgency.report = true;
	urgency.patience = PATIENCE_LINE;
	return urgency;
}

/* What a report has printed for. */
void console_relay_spent(struct console_relay *relay, u64 ns)
{
	relay->budget.spent_ns += ns;
}
