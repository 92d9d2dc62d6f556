// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing from the printer kthread: fill the FIFO, sleep while it drains, fill it again.
 *
 * Purpose
 *   The console's write_thread(). The core calls it with the port lock held and the console
 *   owned. Both are released for the length of the record and taken again for each FIFO fill, so
 *   that the interrupt handler, user space and an emergency on another processor need not wait
 *   for a whole record.
 *
 *   Between two records the tty has its turn: while both have something to send, each gets about
 *   half of the serial line.
 *
 * Calling contexts
 *   write_thread(): the printer kthread; may sleep. device_lock() and device_unlock(): process
 *   context.
 *
 * Locking
 *   Releasing the console: after nbcon_enter_unsafe() the console is in the state that
 *   uart_port_lock() leaves: owned by this processor, with normal priority, unsafe. So
 *   uart_port_unlock() releases both, and nbcon_exit_unsafe() accepts the console acquired by
 *   uart_port_trylock() as this context's own. nbcon_8250_selfcheck() has checked that the
 *   kernel works this way.
 *
 *   The record stays this context's only until an atomic writer starts (@atomic_writes). After
 *   that the kthread returns without a buffer, by which the core knows that it lost its record.
 *
 *   Two activities of the tty would tear or lose a record, and are held off during one:
 *   - its output, by hw_stopped, the serial core's own switch for a port whose CTS is off (CTS
 *     itself is not looked at meanwhile);
 *   - opening, closing and setting it, which clear the FIFO: they hold the mutex of the tty's
 *     port. The kthread only tries to take it, as its holder may be waiting for this very
 *     kthread to leave the console's SRCU section: uart_suspend_port() does.
 *
 * Lifetime
 *   The kernel starts and stops the printer kthread with the registration of the console.
 *
 * What this disturbs
 *   The port lock is held, with interrupts off except on PREEMPT_RT, for one FIFO fill. The tty
 *   waits for up to a record.
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
 * How long to wait for the tty's mutex. Opening and setting take less. Whoever holds it longer is
 * waiting for the console: `echo N > .../console` flushes it under this mutex. The record is
 * then printed without the mutex, as the driver's own console always does.
 */
#define TTY_BUSY_MS	500

/* How often to check whether a record has ended. */
#define RECORD_POLL_MS	2

/* How soon to try again when the port is in use. */
#define BUSY_US		100

/* Shorter sleeps cost more processor time than they save. */
#define SHORTEST_SLEEP_US	20

/* Read LSR again after each 1/32 of the wait so far: at most half a byte too late. */
#define POLLS_PER_WAIT	32

enum burst {
	BURST_SENT,
	BURST_FULL,	/* the transmitter is not empty yet */
	BURST_BUSY,	/* the port or the console is in use by another context */
	BURST_LOST,	/* the record must be printed again, see lost() */
};

/* The record being sent. */
struct sending {
	struct outgoing out;
	int ticket;		/* atomic_writes when the record started */
	bool cut;		/* the port lost power in a suspend */
	unsigned int in_flight;	/* length of the last burst in bytes */
	u64 filled_ns;		/* when it was written */
};

/*
 * Registering or unregistering the console must wait for the end of a record: after that the
 * port lock no longer includes the console, which the kthread has released.
 */
void nbcon_8250_device_lock(struct console *con, unsigned long *flags)
	__acquires(&to_nbcon_8250(con)->up->port.lock)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);

	__uart_port_lock_irqsave(&nb->up->port, flags);
	while (nb->in_record) {
		__uart_port_unlock_irqrestore(&nb->up->port, *flags);
		msleep(RECORD_POLL_MS);
		__uart_port_lock_irqsave(&nb->up->port, flags);
	}
	nb->lock_flags = *flags;
	nb->locked_ns = ktime_get_mono_fast_ns();
}

void nbcon_8250_device_unlock(struct console *con, unsigned long flags)
	__releases(&to_nbcon_8250(con)->up->port.lock)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);

	/* nbcon_8250_write_thread() may have taken the lock again. */
	__uart_port_unlock_irqrestore(&nb->up->port, nb->lock_flags);
}

static void doze(struct nbcon_8250 *nb, unsigned long us)
{
	us = max_t(unsigned long, us, SHORTEST_SLEEP_US);
	nb->counters.sleeps++;
	usleep_range_state(us, us + us / 64 + 5, TASK_IDLE);
}

static void count_hold(struct nbcon_8250 *nb, u64 since_ns)
{
	u64 held_ns = ktime_get_mono_fast_ns() - since_ns;

	if (held_ns > nb->counters.longest_hold_ns)
		nb->counters.longest_hold_ns = held_ns;
}

/* An atomic writer has taken over the record, or what was in the FIFO is gone. */
static bool lost(const struct nbcon_8250 *nb, const struct sending *s)
{
	return s->cut || atomic_read(&nb->atomic_writes) != s->ticket;
}

/* Waits until port and console are free. Printing in an emergency may take long. */
static void take_port(struct nbcon_8250 *nb, unsigned long *flags)
	__acquires(&nb->up->port.lock)
{
	while (!uart_port_trylock_irqsave(&nb->up->port, flags)) {
		nb->counters.busy++;
		doze(nb, BUSY_US);
	}
}

/* Takes the port once: if the transmitter has @bits, fills it. */
static enum burst burst(struct nbcon_8250 *nb, struct sending *s, u8 bits)
{
	enum burst result = BURST_FULL;
	unsigned long flags;
	u64 begin_ns;

	if (!uart_port_trylock_irqsave(&nb->up->port, &flags)) {
		nb->counters.busy++;
		return BURST_BUSY;
	}
	begin_ns = ktime_get_mono_fast_ns();
	nb->counters.status_reads++;
	s->cut |= nbcon_8250_settings_lost(nb);
	if (lost(nb, s)) {
		result = BURST_LOST;
	} else if (nbcon_8250_transmitter_has(nb, bits)) {
		s->in_flight = nbcon_8250_fill(nb, &s->out);
		nb->counters.bytes += s->in_flight;
		nb->counters.bursts += !!s->in_flight;
		result = BURST_SENT;
	}
	count_hold(nb, begin_ns);
	uart_port_unlock_irqrestore(&nb->up->port, flags);
	if (result == BURST_SENT)
		s->filled_ns = ktime_get_mono_fast_ns();
	return result;
}

/*
 * Estimates the time of a byte. The declared speed is not trusted: an emulated UART ignores the
 * divisor, and a paced one is slower than declared. The estimate starts at the declared speed, or
 * at 115200 baud if that is faster, and follows what is observed: it rises to the time of the
 * last read of LSR that found the transmitter busy, and falls when already the first read found
 * it empty. The read that finds it empty says nothing about a byte's time: the kthread may have
 * been kept from running, and an estimate that is too long leaves the serial line idle after each
 * burst. A stall of the line or of the machine must not look like a slow line: one step at most
 * doubles the estimate.
 */
static void learn(struct nbcon_8250 *nb, unsigned int bytes, u64 full_ns)
{
	if (full_ns)
		nb->byte_ns = min(div_u64(full_ns, bytes), 2ULL * nb->byte_ns);
	else
		nb->byte_ns -= nb->byte_ns / 8;
}

/* Sleeps until the transmitter has @bits, then fills it. */
static enum burst next_burst(struct nbcon_8250 *nb, struct sending *s, u8 bits)
{
	u64 limit_ns = nbcon_8250_stuck_after_ns(nb, s->in_flight);
	unsigned int in_flight = s->in_flight;
	u64 begun_ns = s->filled_ns;
	bool last = s->out.next == s->out.end;
	u64 polled_ns, waited_ns, full_ns = 0;
	enum burst result;

	/* Wake up while the last byte is still being shifted out. */
	if (in_flight)
		doze(nb, div_u64((u64)nb->byte_ns * (2 * in_flight - 1), 2 * NSEC_PER_USEC));
	for (;;) {
		/* Before LSR is read, so that it is never too long for a transmitter found full. */
		polled_ns = ktime_get_mono_fast_ns() - begun_ns;
		result = burst(nb, s, bits);
		waited_ns = ktime_get_mono_fast_ns() - begun_ns;
		if (result == BURST_SENT && !last && in_flight == nbcon_8250_fifo_room(nb))
			learn(nb, in_flight, full_ns);
		if (result == BURST_SENT || result == BURST_LOST)
			return result;
		if (result == BURST_FULL && waited_ns > limit_ns)
			return result;
		if (result == BURST_FULL)
			full_ns = polled_ns;
		doze(nb, div_u64(waited_ns, POLLS_PER_WAIT * NSEC_PER_USEC));
	}
}

/* Returns when the record has left the transmitter, or is lost to an atomic writer. */
static void send(struct nbcon_8250 *nb, struct sending *s)
{
	while (s->out.next < s->out.end) {
		switch (next_burst(nb, s, nbcon_8250_room_bits(nb))) {
		case BURST_SENT:
			break;
		case BURST_LOST:
			return;
		default:
			nb->counters.stuck++;
			s->out.next = s->out.end;
		}
	}
	/* The next holder of the tty's mutex may reset the FIFO. */
	next_burst(nb, s, BOTH_EMPTY);
}

/* Like uart_tx_stopped(), which assumes that the tty is not being closed. */
static bool tty_is_stopped(struct uart_port *port)
{
	struct tty_struct *tty = tty_port_tty_get(&port->state->port);
	bool stopped = READ_ONCE(port->hw_stopped) || (tty && READ_ONCE(tty->flow.stopped));

	tty_kref_put(tty);
	return stopped;
}

static bool tty_has_output(struct nbcon_8250 *nb)
{
	struct uart_state *state = nb->up->port.state;

	return state && tty_port_initialized(&state->port) &&
	       !kfifo_is_empty(&state->port.xmit_fifo) && !tty_is_stopped(&nb->up->port);
}

/* Lets programs send what they have written, for as long as the last record took. */
static void give_turn_to_tty(struct nbcon_8250 *nb, const struct sending *s)
{
	u64 begun_ns = ktime_get_mono_fast_ns();
	u64 turn_ns = (u64)nb->last_length * nb->byte_ns;

	while (tty_has_output(nb) && !lost(nb, s) && !kthread_should_stop() &&
	       ktime_get_mono_fast_ns() - begun_ns < turn_ns)
		doze(nb, nb->byte_ns / NSEC_PER_USEC);
}

/* Returns the tty's mutex, or NULL; @go_on: whether to print the record now. */
static struct mutex *guard_tty(struct nbcon_8250 *nb, bool *go_on)
{
	struct uart_state *state = nb->up->port.state;

	*go_on = true;
	if (!state)
		return NULL;
	if (mutex_trylock(&state->port.mutex)) {
		nb->tty_busy = false;
		return &state->port.mutex;
	}
	/* Unless it was just taken as well, somebody else has taken it since. */
	if (!nb->tty_busy ||
	    time_after(jiffies, nb->tty_busy_seen + msecs_to_jiffies(TTY_BUSY_MS))) {
		nb->tty_busy = true;
		nb->tty_busy_since = jiffies;
	}
	*go_on = time_after(jiffies, nb->tty_busy_since + msecs_to_jiffies(TTY_BUSY_MS));
	if (*go_on)
		nb->counters.unguarded++;
	else
		nb->counters.deferred++;
	return NULL;
}

/*
 * A change of CTS would release the output of a tty with hardware flow control, so that is off
 * for the length of a record; without the tty's mutex its settings may change meanwhile, and it
 * stays as it is.
 */
static void hold_tty_output(struct nbcon_8250 *nb, bool guarded)
{
	struct uart_port *port = &nb->up->port;
	unsigned long flags;
	bool restore;

	take_port(nb, &flags);
	port->hw_stopped = true;
	nb->held_status = guarded ? port->status & UPSTAT_CTS_ENABLE : 0;
	port->status &= ~nb->held_status;
	restore = nbcon_8250_settings_lost(nb);
	uart_port_unlock_irqrestore(&nb->up->port, flags);
	if (restore) {
		/*
		 * The driver's own console restores the settings when it writes, here nothing. This
		 * is the only wait for the console with interrupts off.
		 */
		nb->counters.restored++;
		nbcon_8250_driver_write(nb, "", 0);
		take_port(nb, &flags);
		nbcon_8250_restore_fifo(nb);
		uart_port_unlock_irqrestore(&nb->up->port, flags);
	}
}

/* Sets hw_stopped as the serial core would have by now. */
static void release_tty_output(struct nbcon_8250 *nb)
{
	struct uart_port *port = &nb->up->port;
	unsigned long flags;

	take_port(nb, &flags);
	port->status |= nb->held_status;
	port->hw_stopped = uart_softcts_mode(port) && !(port->ops->get_mctrl(port) & TIOCM_CTS);
	if (port->state && tty_port_initialized(&port->state->port) && !tty_is_stopped(port))
		port->ops->start_tx(port);
	uart_port_unlock_irqrestore(port, flags);
}

/**
 * nbcon_8250_defer_record - leave a record unprinted
 * @wctxt:	the record, of which no byte has been sent
 * @con:	the console
 *
 * Without a buffer the core assumes that the context lost the console: the record stays the next
 * one, and does not count as replayed when it comes again. The exception is a record that was
 * started: whoever prints it then must announce it as replayed. That includes the printer
 * kthread, if it has sent the record but could no longer tell the core.
 */
void nbcon_8250_defer_record(struct nbcon_write_context *wctxt, struct console *con)
{
	if (nbcon_8250_assigned_seq(con) != READ_ONCE(to_nbcon_8250(con)->started_seq))
		atomic_long_set(&ACCESS_PRIVATE(con, nbcon_prev_seq), NO_RECORD);
	wctxt->outbuf = NULL;
	wctxt->len = 0;
}

/**
 * nbcon_8250_write_thread - the console's write_thread()
 * @con:	the console
 * @wctxt:	the record; device_lock() is held and the context owns the console
 */
void nbcon_8250_write_thread(struct console *con, struct nbcon_write_context *wctxt)
	__must_hold(&to_nbcon_8250(con)->up->port.lock)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);
	struct uart_port *port = &nb->up->port;
	unsigned int len = wctxt->len;
	struct sending s = { };
	struct mutex *tty_mutex;	/* of the tty's port: held for the record */
	unsigned long flags, sent_seq;
	bool go_on;

	/*
	 * Where the printer kthread does not run (power-off, a boot console registered later),
	 * releasing the port would print the backlog from within this record.
	 */
	if (current != con->kthread || len > RECORD_TEXT_MAX) {
		nbcon_8250_write_polled(nb, wctxt);
		return;
	}
	if (hlist_unhashed_lockless(&con->node)) {
		nbcon_8250_defer_record(wctxt, con);
		return;
	}
	memcpy(nb->text, wctxt->outbuf, len);
	s.ticket = atomic_read(&nb->atomic_writes);

	if (!nbcon_enter_unsafe(wctxt))
		return;
	nb->in_record = true;
	sent_seq = nb->started_seq;
	WRITE_ONCE(nb->started_seq, nbcon_8250_assigned_seq(con));
	count_hold(nb, nb->locked_ns);
	uart_port_unlock_irqrestore(port, nb->lock_flags);

	/* While its mutex is taken, it has the time of the attempts to take that. */
	if (!nb->tty_busy)
		give_turn_to_tty(nb, &s);
	tty_mutex = guard_tty(nb, &go_on);
	if (go_on) {
		hold_tty_output(nb, tty_mutex);
		s.out = nbcon_8250_begin(nb, nb->text, len);
		s.filled_ns = ktime_get_mono_fast_ns();
		if (!nbcon_8250_is_rs485(nb))
			send(nb, &s);
		else if (!lost(nb, &s))
			nbcon_8250_driver_write(nb, nb->text, len);
		nb->last_length = len;
		release_tty_output(nb);
	} else {
		doze(nb, 2 * USEC_PER_MSEC);
	}

	if (tty_mutex)
		mutex_unlock(tty_mutex);
	else
		nb->tty_busy_seen = jiffies;

	take_port(nb, &flags);
	nb->lock_flags = flags;
	nb->in_record = false;
	if (!go_on && !lost(nb, &s))
		WRITE_ONCE(nb->started_seq, sent_seq);
	if (!nbcon_exit_unsafe(wctxt))
		return;
	if (lost(nb, &s)) {
		nb->counters.interrupted++;
		wctxt->outbuf = NULL;
		wctxt->len = 0;
	} else if (go_on) {
		nb->counters.records++;
	} else {
		nbcon_8250_defer_record(wctxt, con);
	}
}
