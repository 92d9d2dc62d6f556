// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook: the console's write() is exchanged, and back.
 *
 * Purpose
 *   The driver's console stays registered: its sequence number, flags, place in the console list
 *   and /proc/consoles need no hand-over. Only write() and exit() are exchanged, while the
 *   console lock keeps everybody else out of both.
 *   exit() is called when the port is unbound, or its console switched off in sysfs. What is in
 *   the ring is printed first, as it would have been by the driver's own console. When the
 *   console is registered again, what was logged meanwhile follows (before 5.19, as with the
 *   driver's own console, the whole log).
 *   A record that write() has not finished when a panic comes is printed all the same: by the core,
 *   or before 5.19 by drain_in_panic().
 *
 * Calling contexts
 *   Process context, on loading and unloading; exit() while the console is unregistered.
 *   write(): any context of printk(), with interrupts off.
 *
 * Locking
 *   The console list lock, since 6.2, and the console lock. write() is called with the console
 *   lock held; only a panic and kdb ignore it. exit() is called with the console list locked.
 *
 * Lifetime
 *   From loading to unloading. The console is the driver's static data: drivers.c holds its
 *   module.
 *
 * What this disturbs
 *   Nothing is printed while the console lock is held on loading and unloading.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kexec.h>
#include <linux/kgdb.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/nmi.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include "compat.h"
#include "console_relay.h"

#define DRAIN_POLL_MS		20

/* write() is not told whose console it is. */
static struct console_relay *hooked;

/* Prints until the text was printed or the limit is reached. Returns whether it was. */
static bool print_at_once(struct console_relay *relay, const struct urgency *urgency,
			  const char *text, unsigned int len)
{
	u64 begun_ns = ktime_get_mono_fast_ns();
	enum printed printed;
	u64 spent_ns;

	do {
		printed = console_relay_print(relay, urgency->patience, text, len);
		touch_nmi_watchdog();
		spent_ns = ktime_get_mono_fast_ns() - begun_ns;
	} while (printed == PRINTED_LINE && spent_ns < urgency->limit_ns);
	if (urgency->spent_ns)
		*urgency->spent_ns += spent_ns;
	return printed == PRINTED_TEXT;
}

/* The thread sets the console back to this record, if the kernel allows that. */
static void skip(struct console_relay *relay, unsigned int len)
{
#ifdef HAVE_CONSOLE_SEQ
	/* It moves on when write() returns. */
	if (!relay->behind)
		relay->resume_seq = relay->con->seq;
	WRITE_ONCE(relay->behind, true);
#else
	relay->counters.lost_bytes += len;
#endif
}

/* Stores the record, after printing older lines if there is no room. */
static void store(struct console_relay *relay, const char *text, unsigned int len)
{
	if (console_relay_ring_empty(&relay->ring))
		WRITE_ONCE(relay->progress_ns, ktime_get_mono_fast_ns());
	while (!console_relay_ring_store(&relay->ring, text, len)) {
		enum printed printed = console_relay_print(relay, PATIENCE_LONG, text, len);

		if (printed == PRINTED_TEXT)
			return;
		if (printed == PRINTED_LINE) {
			relay->counters.full++;
			continue;
		}
		/*
		 * There is no room, and the output does not become free: a record of the driver's
		 * own write(), or the owner takes much longer than its line should.
		 */
		skip(relay, len);
		break;
	}
	console_relay_kick(relay);
}

#ifdef HAVE_CONSOLE_SEQ
static void remember(struct console_relay *relay, const char *text, unsigned int len)
{
}

static void forget(struct console_relay *relay)
{
}

static void leave_to_panic(struct console_relay *relay, const char *text, unsigned int len)
{
}
#else
/*
 * Before 5.19 the core counts a record as printed before it calls write(). If a panic stops or
 * interrupts the writer, nobody but drain_in_panic() prints what it had to store or to print;
 * twice, if the writer had just done that. Writers hold the console lock, so there is one.
 */
static void remember(struct console_relay *relay, const char *text, unsigned int len)
{
	if (len > sizeof(relay->record))
		return;
	memcpy(relay->record, text, len);
	/* Pairs with the acquire in console_relay_unfinished_record(). */
	smp_store_release(&relay->record_len, len);
}

static void forget(struct console_relay *relay)
{
	WRITE_ONCE(relay->record_len, 0);
}

/*
 * This CPU was not stopped, and goes through records that the panic is to print: with its next own
 * record, which comes after the ring. To wait here instead would be to hold the console lock, for
 * which the panic's own printk() may wait.
 */
static void leave_to_panic(struct console_relay *relay, const char *text, unsigned int len)
{
	store(relay, text, len);
}
#endif

/**
 * console_relay_unfinished_record - what a writer was about to store or to print
 * @relay:	the relay; a panic has stopped the other CPUs
 * @text:	set to the record, or to NULL if there is none or the core prints it again
 *
 * Return: its length in bytes.
 */
unsigned int console_relay_unfinished_record(struct console_relay *relay, const char **text)
{
	unsigned int len = 0;

	*text = NULL;
#ifndef HAVE_CONSOLE_SEQ
	/* Pairs with the release in remember(). */
	len = smp_load_acquire(&relay->record_len);
	if (len)
		*text = relay->record;
#endif
	return len;
}

/* The console prints: it was registered again, if it was not. Its port may be touched. */
static void notice_registration(struct console_relay *relay)
{
	if (!READ_ONCE(relay->off))
		return;
#ifdef HAVE_CONSOLE_SEQ
	/* At @resume_seq, which relay_exit() has set. */
	relay->registered_again = true;
	WRITE_ONCE(relay->behind, true);
#endif
	WRITE_ONCE(relay->off, false);
}

#ifdef HAVE_CONSOLE_SEQ
/*
 * The thread goes back to what was logged meanwhile. Only what cannot wait for that is printed
 * before, and then once more. Nothing is if the console has just been registered again: a panic
 * sets it back as well, unless a crash kernel starts before.
 */
static bool can_wait_for_set_back(const struct console_relay *relay, const struct urgency *urgency)
{
	if (!urgency->at_once || urgency->patience != PATIENCE_TAKE)
		return true;
	return relay->registered_again && !kexec_crash_loaded() &&
	       !console_relay_port_lost(relay);
}
#endif

static void relay_write(struct console *con, const char *text, unsigned int len)
{
	struct console_relay *relay = hooked;
	u64 begun_ns = ktime_get_mono_fast_ns();
	struct urgency urgency;

	/*
	 * kdb calls write() without the console lock, and with the other CPUs stopped. What has led
	 * to it comes first, unless it has stopped the context that prints.
	 */
	if (in_dbg_master()) {
		while (console_relay_print(relay, PATIENCE_NONE, NULL, 0) == PRINTED_LINE)
			touch_nmi_watchdog();
		relay->write(con, text, len);
		return;
	}
	if (console_relay_is_excluded(relay)) {
		leave_to_panic(relay, text, len);
		return;
	}
	notice_registration(relay);
	urgency = console_relay_urgency(relay, text, len);
#ifdef HAVE_CONSOLE_SEQ
	if (relay->behind && can_wait_for_set_back(relay, &urgency)) {
		console_relay_kick(relay);
		return;
	}
#endif
	remember(relay, text, len);
	if (!urgency.at_once || !print_at_once(relay, &urgency, text, len))
		store(relay, text, len);
	forget(relay);
	console_relay_wrote(relay, begun_ns);
}

static int relay_exit(struct console *con)
{
	struct console_relay *relay = hooked;

	if (!READ_ONCE(relay->off)) {
		console_relay_switch_off(relay);
#ifdef HAVE_CONSOLE_SEQ
		if (!relay->behind)
			relay->resume_seq = con->seq;
#endif
	}
	return relay->exit ? relay->exit(con) : 0;
}

/**
 * console_relay_set_back - have the core print the skipped records, if there are any
 * @relay:	the relay; the console lock is held, or a panic has stopped the other CPUs
 */
void console_relay_set_back(struct console_relay *relay)
{
#ifdef HAVE_CONSOLE_SEQ
	/*
	 * Nothing may have been printed since. CON_ENABLED alone does not tell: the core sets it
	 * before the sequence number, and a resume sets it on an unregistered console as well.
	 */
	if (relay_is_registered(relay->con) && relay_flags_allow_printing(relay->con->flags))
		notice_registration(relay);
	if (!relay->behind || READ_ONCE(relay->off) || relay->unhooked)
		return;
	relay->con->seq = relay->resume_seq;
	WRITE_ONCE(relay->behind, false);
	if (relay->registered_again)
		relay->counters.rewinds++;
	else
		relay->counters.set_back++;
	relay->registered_again = false;
#endif
}

/**
 * console_relay_hook - exchange the write() of the relay's console
 * @relay:	the relay, with its thread running
 * @replay:	print the log from its start, not only what the driver has not printed
 * @replay_limit: replay at most this many bytes, the latest; 0: no limit
 *
 * Return: 0, or -EBUSY if the console was unregistered or disabled in the meantime.
 */
int console_relay_hook(struct console_relay *relay, bool replay, unsigned int replay_limit)
{
	struct console *con = relay->con;
	int err = -EBUSY;

	relay_lock_consoles();
	if (relay_is_registered(con) && relay_flags_allow_printing(con->flags)) {
		relay->write = con->write;
		relay->exit = con->exit;
		hooked = relay;
#ifdef HAVE_CONSOLE_SEQ
		if (replay)
			con->seq = min(con->seq, console_relay_replay_start(replay_limit));
#else
		if (replay)
			console_relay_store_log(relay, replay_limit);
#endif
		con->exit = relay_exit;
		con->write = relay_write;
		err = 0;
	}
	relay_unlock_consoles();
	return err;
}

/*
 * Waits until what the ring contains now was printed, printing makes no progress, or a signal
 * comes.
 */
void console_relay_wait_for_thread(struct console_relay *relay)
{
	unsigned int head = console_relay_ring_head(&relay->ring);
	unsigned int tail = READ_ONCE(relay->ring.tail);
	unsigned int idle_ms = 0;

	while (!READ_ONCE(relay->off) && !console_relay_ring_has_passed(&relay->ring, head) &&
	       idle_ms < console_relay_patience_ms(relay) && !signal_pending(current)) {
		msleep(DRAIN_POLL_MS);
		idle_ms = READ_ONCE(relay->ring.tail) == tail ? idle_ms + DRAIN_POLL_MS : 0;
		tail = READ_ONCE(relay->ring.tail);
	}
}

/**
 * console_relay_unhook - give the console its own write() back
 * @relay:	the relay; its thread is still running, the port is held
 *
 * What is still in the ring is printed before the driver's own console goes on.
 */
void console_relay_unhook(struct console_relay *relay)
{
	struct console *con = relay->con;

	relay_lock_consoles();
	console_relay_drain(relay);
#ifdef HAVE_CONSOLE_SEQ
	if ((relay->off || relay->behind) && relay_is_registered(con))
		con->seq = relay->resume_seq;
	/* The thread, which may be waiting for these locks, is not to do so once more. */
	WRITE_ONCE(relay->behind, false);
#endif
	relay->unhooked = true;
	con->write = relay->write;
	con->exit = relay->exit;
	relay_unlock_consoles();
}
