// SPDX-License-Identifier: GPL-2.0-only
/*
 * The printing thread: fills the FIFO, sleeps while it drains, fills it again.
 *
 * The core calls write_thread() with the port lock held and the console owned. Both are given
 * back for the time of the record and taken for each burst: the interrupt handler, user space
 * and an emergency on another processor need not wait for a whole record.
 *
 * Lending the console. With nbcon_enter_unsafe() the console's state is the one that
 * uart_port_lock() leaves behind: owned by this processor, priority normal, unsafe. So
 * uart_port_unlock() gives up both, and the two taken by uart_port_trylock() become this
 * context's again by nbcon_exit_unsafe(). selfcheck() has made sure that the kernel works so.
 *
 * The record stays this context's only as long as no atomic writer has begun (@atomic_writes).
 * After that the thread returns without a buffer, which tells the core that it lost its record.
 *
 * Two things of the tty would tear or lose a record, and are held off during one:
 * - its output, by hw_stopped, the serial core's own switch for a line whose CTS is down;
 * - opening, closing and setting it, which empty the FIFO: all do so under the mutex of the
 *   tty's port. It is only tried for. Its holder may be waiting for this very thread to leave
 *   the console's SRCU section: uart_suspend_port() does.
 *
 * Between two records the tty has its turn: while both have something to send, each gets about
 * half of the line.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kfifo.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/serial_reg.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tty.h>
#include "nbcon_8250.h"

/*
 * For so long the tty's mutex is waited for. Opening and setting take less. What takes longer is
 * waiting for the console: `echo N > .../console` flushes it under this mutex. The record is
 * then printed without, as the driver's own console does always.
 */
#define TTY_BUSY_MS	500

/* How often to look whether a record is through. */
#define RECORD_LOOK_MS	2

/* How soon to come again when the port is somebody else's. */
#define BUSY_US		100

/* Shorter sleeps cost more processor than they give. */
#define SHORTEST_SLEEP_US	20

/* A look at the transmitter each 1/32 of the wait so far: at most half a character late. */
#define LOOKS_PER_WAIT	32

enum burst {
	BURST_SENT,
	BURST_FULL,	/* the transmitter is not empty yet */
	BURST_BUSY,	/* the port or the console is somebody else's */
	BURST_LOST,	/* an atomic writer has taken the record over */
};

/* A record under way. */
struct sending {
	const char *next;
	const char *end;
	bool cr_sent;
	int ticket;		/* atomic_writes at the record's beginning */
	unsigned int in_flight;	/* characters of the last burst */
	u64 filled_ns;		/* when that was */
};

/*
 * Who registers or unregisters the console must find no record under way: from then on the port
 * lock no longer stands for the console, which the thread has lent.
 */
void port_device_lock(struct console *con, unsigned long *flags)
	__acquires(&to_takeover(con)->up->port.lock)
{
	struct takeover *t = to_takeover(con);

	__uart_port_lock_irqsave(&t->up->port, flags);
	while (t->in_record) {
		__uart_port_unlock_irqrestore(&t->up->port, *flags);
		msleep(RECORD_LOOK_MS);
		__uart_port_lock_irqsave(&t->up->port, flags);
	}
	t->lock_flags = *flags;
	t->locked_ns = ktime_get_mono_fast_ns();
}

void port_device_unlock(struct console *con, unsigned long flags)
	__releases(&to_takeover(con)->up->port.lock)
{
	struct takeover *t = to_takeover(con);

	/* write_thread() may have taken the lock anew. */
	__uart_port_unlock_irqrestore(&t->up->port, t->lock_flags);
}

static void doze(struct takeover *t, unsigned long us)
{
	us = max_t(unsigned long, us, SHORTEST_SLEEP_US);
	t->counters.sleeps++;
	usleep_range_state(us, us + us / 64 + 5, TASK_IDLE);
}

static void count_hold(struct takeover *t, u64 since_ns)
{
	u64 held_ns = ktime_get_mono_fast_ns() - since_ns;

	if (held_ns > t->counters.longest_hold_ns)
		t->counters.longest_hold_ns = held_ns;
}

static bool lost(const struct takeover *t, const struct sending *s)
{
	return atomic_read(&t->atomic_writes) != s->ticket;
}

/* Waits until port and console are free. An emergency that prints may keep them for long. */
static void take_port(struct takeover *t, unsigned long *flags)
	__acquires(&t->up->port.lock)
{
	while (!uart_port_trylock_irqsave(&t->up->port, flags)) {
		t->counters.busy++;
		doze(t, BUSY_US);
	}
}

static unsigned int fill(struct takeover *t, struct sending *s)
{
	unsigned int room = fifo_room(t);
	unsigned int n = 0;

	while (n < room && s->next < s->end) {
		if (*s->next == '\n' && !s->cr_sent) {
			put_character(t, '\r');
			s->cr_sent = true;
		} else {
			put_character(t, *s->next++);
			s->cr_sent = false;
		}
		n++;
	}
	return n;
}

/* One turn at the port: looks whether the transmitter has @bits and if so fills it. */
static enum burst burst(struct takeover *t, struct sending *s, u8 bits)
{
	enum burst result = BURST_FULL;
	unsigned long flags;
	u64 begin_ns;

	if (!uart_port_trylock_irqsave(&t->up->port, &flags)) {
		t->counters.busy++;
		return BURST_BUSY;
	}
	begin_ns = ktime_get_mono_fast_ns();
	t->counters.looks++;
	if (lost(t, s)) {
		result = BURST_LOST;
	} else if (transmitter_has(t, bits)) {
		s->in_flight = fill(t, s);
		t->counters.characters += s->in_flight;
		t->counters.bursts += !!s->in_flight;
		result = BURST_SENT;
	}
	count_hold(t, begin_ns);
	uart_port_unlock_irqrestore(&t->up->port, flags);
	if (result == BURST_SENT)
		s->filled_ns = ktime_get_mono_fast_ns();
	return result;
}

/*
 * The line's declared speed is not trusted: an emulated UART ignores the divisor, and a paced
 * one is slower than it says. The estimate begins with what the setting says, at most a
 * character at 115200, and follows what is seen: up to the last look at which the transmitter
 * was not empty, down when it was at the first one. The look that finds it empty tells nothing
 * of a character: the thread may have been kept from running, and an estimate that is too long
 * leaves the line idle after each burst. A line or a machine that stood still for a moment is no
 * slow line either: the estimate at most doubles at once.
 */
static void learn(struct takeover *t, unsigned int characters, u64 full_ns)
{
	if (full_ns)
		t->char_ns = min(div_u64(full_ns, characters), 2ULL * t->char_ns);
	else
		t->char_ns -= t->char_ns / 8;
}

/* Sleeps until the transmitter has @bits, then fills it. */
static enum burst next_burst(struct takeover *t, struct sending *s, u8 bits)
{
	u64 limit_ns = stuck_after_ns(t, s->in_flight);
	unsigned int in_flight = s->in_flight;
	u64 begun_ns = s->filled_ns;
	bool last = s->next == s->end;
	u64 looked_ns, waited_ns, full_ns = 0;
	enum burst result;

	/* While the last character is being shifted out there is time to come with more. */
	if (in_flight)
		doze(t, div_u64((u64)t->char_ns * (2 * in_flight - 1), 2 * NSEC_PER_USEC));
	for (;;) {
		/* Before the look, so that it is never too long for a transmitter found full. */
		looked_ns = ktime_get_mono_fast_ns() - begun_ns;
		result = burst(t, s, bits);
		waited_ns = ktime_get_mono_fast_ns() - begun_ns;
		if (result == BURST_SENT && !last && in_flight == fifo_room(t))
			learn(t, in_flight, full_ns);
		if (result == BURST_SENT || result == BURST_LOST)
			return result;
		if (result == BURST_FULL && waited_ns > limit_ns)
			return result;
		if (result == BURST_FULL)
			full_ns = looked_ns;
		doze(t, div_u64(waited_ns, LOOKS_PER_WAIT * NSEC_PER_USEC));
	}
}

/* Ends when the record has left the transmitter, or is lost to an atomic writer. */
static void send(struct takeover *t, struct sending *s)
{
	while (s->next < s->end) {
		switch (next_burst(t, s, room_bits(t))) {
		case BURST_SENT:
			break;
		case BURST_LOST:
			return;
		default:
			t->counters.stuck++;
			s->next = s->end;
		}
	}
	/* Whoever gets the tty's mutex next may reset the FIFO. */
	next_burst(t, s, BOTH_EMPTY);
}

static bool tty_has_output(struct takeover *t)
{
	struct uart_state *state = t->up->port.state;

	return state && tty_port_initialized(&state->port) &&
	       !kfifo_is_empty(&state->port.xmit_fifo) && !uart_tx_stopped(&t->up->port);
}

/* A program's output goes on while it has some, for as long as the last record took. */
static void give_turn_to_tty(struct takeover *t, const struct sending *s)
{
	u64 begun_ns = ktime_get_mono_fast_ns();
	u64 turn_ns = (u64)t->last_length * t->char_ns;

	while (tty_has_output(t) && !lost(t, s) && !kthread_should_stop() &&
	       ktime_get_mono_fast_ns() - begun_ns < turn_ns)
		doze(t, t->char_ns / NSEC_PER_USEC);
}

/* The tty's mutex, or NULL with @go_on telling whether to print without it. */
static struct mutex *guard_tty(struct takeover *t, bool *go_on)
{
	struct uart_state *state = t->up->port.state;

	*go_on = true;
	if (!state)
		return NULL;
	if (mutex_trylock(&state->port.mutex)) {
		t->tty_busy = false;
		return &state->port.mutex;
	}
	if (!t->tty_busy) {
		t->tty_busy = true;
		t->tty_busy_since = jiffies;
	}
	*go_on = time_after(jiffies, t->tty_busy_since + msecs_to_jiffies(TTY_BUSY_MS));
	if (*go_on)
		t->counters.unguarded++;
	else
		t->counters.deferred++;
	return NULL;
}

static void hold_tty_output(struct takeover *t)
{
	unsigned long flags;
	bool restore;

	take_port(t, &flags);
	t->up->port.hw_stopped = true;
	restore = settings_lost(t);
	uart_port_unlock_irqrestore(&t->up->port, flags);
	if (restore) {
		/*
		 * How to, the driver's own console knows; it has nothing to print here. Only this
		 * once somebody waits for the console with interrupts off.
		 */
		t->counters.restored++;
		t->legacy->write(t->legacy, "", 0);
		take_port(t, &flags);
		restore_fifo(t);
		uart_port_unlock_irqrestore(&t->up->port, flags);
	}
}

/* Called with the port lock held. What CTS says now is what the serial core would have set. */
static void release_tty_output(struct takeover *t)
{
	struct uart_port *port = &t->up->port;

	port->hw_stopped = uart_softcts_mode(port) && !(port->ops->get_mctrl(port) & TIOCM_CTS);
	if (port->state && tty_port_initialized(&port->state->port) && !uart_tx_stopped(port))
		port->ops->start_tx(port);
}

/*
 * Not a character has gone out. Without a buffer the core takes the ownership for lost: the record
 * stays the next one, and is no replay when it comes again. But for one that the thread has begun:
 * who prints that before the thread is through has to say so.
 */
void put_off(struct nbcon_write_context *wctxt, struct console *con)
{
	if (!READ_ONCE(to_takeover(con)->in_record))
		atomic_long_set(&ACCESS_PRIVATE(con, nbcon_prev_seq), NO_RECORD);
	wctxt->outbuf = NULL;
	wctxt->len = 0;
}

/**
 * write_thread - the console's write_thread()
 * @con:	the console
 * @wctxt:	the record; device_lock() is held and the context owns the console
 */
void write_thread(struct console *con, struct nbcon_write_context *wctxt)
	__must_hold(&to_takeover(con)->up->port.lock)
{
	struct takeover *t = to_takeover(con);
	struct uart_port *port = &t->up->port;
	unsigned int len = wctxt->len;
	struct sending s = { };
	struct mutex *tty_mutex;	/* of the tty's port: held for the record */
	unsigned long flags;
	bool go_on;

	/*
	 * Where the kernel's thread doesn't run (power-off, a boot console that came later) a
	 * release of the port would print the backlog from within this record.
	 */
	if (current != con->kthread || len > RECORD_TEXT_MAX) {
		write_polled(t, wctxt);
		return;
	}
	if (hlist_unhashed_lockless(&con->node)) {
		put_off(wctxt, con);
		return;
	}
	memcpy(t->text, wctxt->outbuf, len);
	s.next = t->text;
	s.end = t->text + len;
	s.ticket = atomic_read(&t->atomic_writes);

	if (!nbcon_enter_unsafe(wctxt))
		return;
	t->in_record = true;
	count_hold(t, t->locked_ns);
	uart_port_unlock_irqrestore(port, t->lock_flags);

	give_turn_to_tty(t, &s);
	tty_mutex = guard_tty(t, &go_on);
	if (go_on) {
		hold_tty_output(t);
		s.filled_ns = ktime_get_mono_fast_ns();
		send(t, &s);
		t->last_length = len;
	} else {
		doze(t, 2 * USEC_PER_MSEC);
	}

	if (tty_mutex)
		mutex_unlock(tty_mutex);

	take_port(t, &flags);
	t->lock_flags = flags;
	t->in_record = false;
	if (go_on)
		release_tty_output(t);
	if (!nbcon_exit_unsafe(wctxt))
		return;
	if (lost(t, &s)) {
		t->counters.interrupted++;
		wctxt->outbuf = NULL;
		wctxt->len = 0;
	} else if (go_on) {
		t->counters.records++;
	} else {
		put_off(wctxt, con);
	}
}
