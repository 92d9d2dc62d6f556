// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing in bursts: fill the FIFO of an 8250, sleep while it drains, fill it again.
 *
 * Purpose
 *   The driver's write() spins until a line has been transmitted, and the thread with it. On an
 *   8250 the thread writes to the transmitter itself instead, as nbcon_8250 does, and takes next
 *   to no processor. All others (a panic, an oops, a WARN, a suspend, a full ring) still call the
 *   driver's write(); in mid-line they print what is left of it, see output.c. The thread does
 *   so as well where the port is not in order for bursts, see is_unfit(), and for the rest of a
 *   line that the transmitter does not take.
 *   What is assumed of the driver (drivers/tty/serial/8250, read in 6.1 and 6.12, and in part in
 *   6.3 to 6.8 and 6.10): its ports are struct uart_8250_port, and stay in place as long as the
 *   driver is loaded.
 *
 * Calling contexts
 *   console_relay_find_bursts(): process context, on loading. The rest: the thread.
 *
 * Locking
 *   The port lock and the output for each burst, the lock first: the driver's interrupt handler
 *   and its write() take it as well. The thread only tries to take it, as an emergency on another
 *   processor may print for long.
 *
 *   Two activities of the tty would tear or lose a line, and are held off during one:
 *   - its output, by hw_stopped, the serial core's own switch for a port whose CTS is off (CTS
 *     itself is not looked at meanwhile);
 *   - opening, closing and setting it, which clear the FIFO: they hold the mutex of the tty's
 *     port. The thread only tries to take it, as its holder may be waiting for the thread:
 *     relay_exit() does, and console_stop() where it waits for printing to end.
 *
 * Lifetime
 *   The port is bound while @in_line is set: console_relay_switch_off() waits for that. The
 *   driver's module is held (drivers.c).
 *
 * What this disturbs
 *   Interrupts are off for one FIFO fill. The tty waits for up to a line.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/serial_8250.h>
#include <linux/serial_core.h>
#include <linux/serial_reg.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tty.h>
#include "compat.h"
#include "console_relay.h"

#define BOTH_EMPTY	(UART_LSR_TEMT | UART_LSR_THRE)

/* In bytes. However deep the FIFO: the port lock is not held for more than these at once. */
#define BURST_MAX	64

/*
 * How long to wait for the tty's mutex. Opening and setting take less. Whoever holds it longer may
 * be waiting for the console. The line is then printed without the mutex, as the driver's own
 * console always does.
 */
#define TTY_BUSY_MS	500

/* How soon to try again when the port is in use. */
#define BUSY_US		100

/* Shorter sleeps cost more processor time than they save. */
#define SHORTEST_SLEEP_US	20

/* Read LSR again after each 1/32 of the wait so far: at most half a byte too late. */
#define POLLS_PER_WAIT	32

/* Upper limit of the first estimate of a byte's time: 115200 8n1; see learn(). */
#define FIRST_BYTE_NS		86805

/* A machine that was stopped for a while finds a transmitter full that is about to drain. */
#define STUCK_POLLS		8

/* After so many lines in succession it is left to the driver's write(). */
#define STUCK_LINES		3

/* UART_CAP_FIFO in the driver's own 8250.h; without it, its write() waits for each byte. */
#define CAP_FIFO		BIT(8)

/* What became of an attempt to fill the FIFO. */
enum fill {
	FILL_SENT,
	FILL_FULL,	/* the transmitter is not empty yet */
	FILL_BUSY,	/* the port is in use by another context */
	FILL_LOST,	/* somebody else has taken the output */
};

/* What is left of the line being sent. */
struct sending {
	const char *next;
	const char *end;
	bool cr_sent;		/* the carriage return before the next byte, a newline */
	unsigned int tail;	/* position of @next in the ring */
	long line;		/* by console_relay_open_line() */
	unsigned int in_flight;	/* length of the last burst in bytes */
	u64 filled_ns;		/* when it was written */
};

/*
 * Types whose transmitter works like a 16550A's. The list of nbcon_8250/recognise.c has the 16550
 * as well, whose FIFO takes further checks; each module is built alone, and they share no file.
 */
static bool is_16550a_class(unsigned int type)
{
	switch (type) {
	/* What 8250_omap calls its ports; a real 8250 has no FIFO. */
	case PORT_8250:
	case PORT_16550A:
	case PORT_16550A_FSL64:
	case PORT_16650V2:
	case PORT_16654:
	case PORT_16750:
	case PORT_16850:
	case PORT_ALTR_16550_F32:
	case PORT_ALTR_16550_F64:
	case PORT_ALTR_16550_F128:
	case PORT_DA830:
	case PORT_NPCM:
	case PORT_NS16550A:
	case PORT_TEGRA:
	case PORT_U6_16550A:
	case PORT_XSCALE:
		return true;
	default:
		return false;
	}
}

/* Reading LSR clears its error bits: the driver finds them in lsr_saved_flags. */
static bool transmitter_has(struct uart_8250_port *up, u8 bits)
{
	unsigned int lsr = up->port.serial_in(&up->port, UART_LSR);

	up->lsr_saved_flags |= lsr & up->lsr_save_mask;
	return (lsr & bits) == bits;
}

/* The port has lost power in a suspend; the driver's write() restores what it can. */
static bool settings_lost(struct uart_8250_port *up)
{
	return up->canary && up->port.serial_in(&up->port, UART_SCR) != up->canary;
}

static bool tty_is_open(const struct uart_8250_port *up)
{
	const struct uart_state *state = up->port.state;

	return state && tty_port_initialized(&state->port);
}

/*
 * How many bytes an empty transmitter accepts. The FIFO is on while the tty is open: the driver
 * enables it together with the line settings and disables it on the last close.
 */
static unsigned int fifo_room(const struct uart_8250_port *up)
{
	if (!(up->fcr & UART_FCR_ENABLE_FIFO) || !tty_is_open(up))
		return 1;
	return clamp_t(unsigned int, up->tx_loadsz, 1, BURST_MAX);
}

/* Why the port cannot be printed to in bursts, or NULL. */
static const char *reason_by_kind(const struct uart_8250_port *up)
{
	const struct uart_port *port = &up->port;

	if (!is_16550a_class(port->type) || up->tx_loadsz <= 1 || !(up->capabilities & CAP_FIFO))
		return "is not of the 16550A class";
	if (!port->serial_in || !port->serial_out || !port->ops || !port->ops->start_tx)
		return "has no register access";
	return NULL;
}

/*
 * Without a timer of high resolution, a short sleep takes up to two ticks. What drains in less is
 * sent faster by the driver.
 */
static bool drains_too_fast(const struct uart_8250_port *up)
{
	u64 shortest_ns = max(2ULL * hrtimer_resolution, 3ULL * SHORTEST_SLEEP_US * NSEC_PER_USEC);

	return (u64)fifo_room(up) * up->port.frame_time < shortest_ns;
}

/* Whether the next line cannot be sent in bursts. It may be true of the one after it. */
static bool is_unfit(const struct console_relay *relay)
{
	struct uart_8250_port *up = relay->bursts.up;
	struct uart_port *port = &up->port;

	/* A console that is registered again may be given another port. */
	if (port->cons != relay->con || port->line != relay->con->index || reason_by_kind(up))
		return true;
	/* Until the port is resumed its FIFO may be off; the driver's write() needs none. */
	if (READ_ONCE(relay->direct) != DIRECT_NEVER)
		return true;
	/* Bursts would wait for the port lock for ever; write_port() does not. */
	if (console_relay_port_lost(relay))
		return true;
	return up->em485 || port->rs485.flags & SER_RS485_ENABLED || (up->dma && tty_is_open(up)) ||
	       relay_flow_controlled(port) || settings_lost(up) || drains_too_fast(up);
}

static void put_byte(struct uart_8250_port *up, u8 byte)
{
	up->port.serial_out(&up->port, UART_TX, byte);
}

/* Sends as much as the empty transmitter accepts, as owner @mine. Returns the number of bytes. */
static unsigned int fill(struct console_relay *relay, struct sending *s, long mine)
{
	struct uart_8250_port *up = relay->bursts.up;
	unsigned int room = fifo_room(up);
	const char *begin = s->next;
	unsigned int n = 0;

	while (n < room && s->next < s->end) {
		if (*s->next == '\n' && !s->cr_sent) {
			put_byte(up, '\r');
			s->cr_sent = true;
		} else {
			put_byte(up, *s->next++);
			s->cr_sent = false;
		}
		n++;
	}
	/*
	 * Whoever takes the output goes on from here. (After a lone carriage return it sends one
	 * more, which does no harm.) Who took it by force meanwhile prints the whole line.
	 */
	if (atomic_long_read(&relay->owner) == mine)
		console_relay_ring_advance(&relay->ring, s->tail, s->next - begin);
	s->tail += s->next - begin;
	return n;
}

static void doze(struct console_relay *relay, unsigned long us)
{
	us = max_t(unsigned long, us, SHORTEST_SLEEP_US);
	relay->counters.sleeps++;
	usleep_range_state(us, us + us / 64 + 5, TASK_IDLE);
}

/* Waits until the port is free. Printing in an emergency may take long. */
static void take_port(struct console_relay *relay, unsigned long *flags)
	__acquires(&relay->bursts.up->port.lock)
{
	while (!relay_port_trylock_irqsave(&relay->bursts.up->port, flags))
		doze(relay, BUSY_US);
}

/* Takes port and output once: if the transmitter has @bits, fills it. */
static enum fill try_fill(struct console_relay *relay, struct sending *s, u8 bits)
{
	struct uart_8250_port *up = relay->bursts.up;
	enum fill result = FILL_FULL;
	unsigned long flags;
	u64 begun_ns;
	long mine;

	if (!relay_port_trylock_irqsave(&up->port, &flags))
		return FILL_BUSY;
	begun_ns = ktime_get_mono_fast_ns();
	mine = console_relay_enter_burst(relay, s->line);
	if (!mine) {
		result = FILL_LOST;
	} else if (transmitter_has(up, bits)) {
		s->in_flight = fill(relay, s, mine);
		relay->counters.bursts += !!s->in_flight;
		WRITE_ONCE(relay->progress_ns, ktime_get_mono_fast_ns());
		result = FILL_SENT;
	}
	if (mine)
		console_relay_leave_burst(relay, s->line, mine);
	console_relay_wrote(relay, begun_ns);
	relay_port_unlock_irqrestore(&up->port, flags);
	if (result == FILL_SENT)
		s->filled_ns = ktime_get_mono_fast_ns();
	return result;
}

/*
 * Estimates the time of a byte, as nbcon_8250 does (thread.c there says why): the declared speed is
 * where it starts, and then it follows what is observed. It rises to the time of the last read of
 * LSR that found the transmitter busy, at most twofold in one step, and falls when already the
 * first read found it empty.
 */
static void learn(struct bursts *b, unsigned int bytes, u64 full_ns)
{
	if (full_ns)
		b->byte_ns = min(div_u64(full_ns, bytes), 2ULL * b->byte_ns);
	else
		b->byte_ns -= b->byte_ns / 8;
}

/* Twice the time by the line settings, plus a second in case the other end merely stalls. */
static u64 stuck_after_ns(const struct uart_8250_port *up, unsigned int bytes)
{
	return 2ULL * bytes * up->port.frame_time + NSEC_PER_SEC;
}

/* Sleeps until the transmitter has @bits, then fills it. FILL_FULL: it does not drain. */
static enum fill fill_next(struct console_relay *relay, struct sending *s, u8 bits)
{
	struct bursts *b = &relay->bursts;
	u64 limit_ns = stuck_after_ns(b->up, s->in_flight);
	unsigned int in_flight = s->in_flight;
	u64 begun_ns = s->filled_ns;
	bool last = s->next == s->end;
	unsigned int found_full = 0;
	u64 polled_ns, waited_ns, full_ns = 0;
	enum fill result;

	/* Wake up while the last byte is still being shifted out. */
	if (in_flight)
		doze(relay, div_u64((u64)b->byte_ns * (2 * in_flight - 1), 2 * NSEC_PER_USEC));
	for (;;) {
		/* Before LSR is read, so that it is never too long for a transmitter found full. */
		polled_ns = ktime_get_mono_fast_ns() - begun_ns;
		result = try_fill(relay, s, bits);
		waited_ns = ktime_get_mono_fast_ns() - begun_ns;
		if (result == FILL_SENT && !last && in_flight && in_flight == fifo_room(b->up))
			learn(b, in_flight, full_ns);
		if (result == FILL_SENT || result == FILL_LOST)
			return result;
		if (result == FILL_FULL) {
			full_ns = polled_ns;
			if (waited_ns > limit_ns && ++found_full >= STUCK_POLLS)
				return result;
		}
		doze(relay, div_u64(waited_ns, POLLS_PER_WAIT * NSEC_PER_USEC));
	}
}

/* FILL_SENT: the line has left the transmitter. */
static enum fill send(struct console_relay *relay, struct sending *s)
{
	enum fill result;

	while (s->next < s->end) {
		result = fill_next(relay, s, UART_LSR_THRE);
		if (result != FILL_SENT)
			return result;
	}
	/* The next holder of the tty's mutex may reset the FIFO. */
	return fill_next(relay, s, BOTH_EMPTY);
}

/* Like uart_tx_stopped(), which assumes that the tty is not being closed. */
static bool tty_is_stopped(struct uart_port *port)
{
	struct tty_struct *tty = tty_port_tty_get(&port->state->port);
	bool stopped = READ_ONCE(port->hw_stopped) || (tty && READ_ONCE(tty->flow.stopped));

	tty_kref_put(tty);
	return stopped;
}

static bool tty_has_output(const struct bursts *b)
{
	return tty_is_open(b->up) && relay_tty_has_output(b->up->port.state) &&
	       !tty_is_stopped(&b->up->port);
}

/* Lets programs send what they have written, for as long as the last line took. */
static void give_turn_to_tty(struct console_relay *relay)
{
	struct bursts *b = &relay->bursts;
	u64 begun_ns = ktime_get_mono_fast_ns();
	u64 turn_ns = (u64)b->last_length * b->byte_ns;

	while (tty_has_output(b) && !atomic_read(&relay->waiting) && !kthread_should_stop() &&
	       ktime_get_mono_fast_ns() - begun_ns < turn_ns)
		doze(relay, b->byte_ns / NSEC_PER_USEC);
}

/* Returns the tty's mutex, or NULL; @go_on: whether to print the line now. */
static struct mutex *guard_tty(struct console_relay *relay, bool *go_on)
{
	struct bursts *b = &relay->bursts;
	struct uart_state *state = b->up->port.state;

	*go_on = true;
	if (!state)
		return NULL;
	if (mutex_trylock(&state->port.mutex)) {
		b->tty_busy = false;
		return &state->port.mutex;
	}
	if (!b->tty_busy) {
		b->tty_busy = true;
		b->tty_busy_since = jiffies;
	}
	*go_on = time_after(jiffies, b->tty_busy_since + msecs_to_jiffies(TTY_BUSY_MS));
	return NULL;
}

static void hold_tty_output(struct console_relay *relay)
{
	struct uart_port *port = &relay->bursts.up->port;
	unsigned long flags;

	take_port(relay, &flags);
	port->hw_stopped = true;
	relay_port_unlock_irqrestore(port, flags);
}

/* Sets hw_stopped as the serial core would have by now. */
static void release_tty_output(struct console_relay *relay)
{
	struct bursts *b = &relay->bursts;
	struct uart_port *port = &b->up->port;
	unsigned long flags;

	take_port(relay, &flags);
	port->hw_stopped = uart_softcts_mode(port) && !(port->ops->get_mctrl(port) & TIOCM_CTS);
	if (tty_is_open(b->up) && !tty_is_stopped(port) && !console_relay_is_excluded(relay))
		port->ops->start_tx(port);
	relay_port_unlock_irqrestore(port, flags);
}

static void count_line(struct console_relay *relay, enum fill result, unsigned int len)
{
	struct bursts *b = &relay->bursts;

	b->last_length = len;
	if (result == FILL_LOST) {
		relay->counters.finished_by_others++;
		return;
	}
	if (result == FILL_FULL) {
		relay->counters.stuck++;
		b->stuck_lines++;
		return;
	}
	b->stuck_lines = 0;
	relay->counters.lines++;
	relay->counters.burst_lines++;
	relay->counters.bytes += len;
}

/* The next line. If it is stuck, the ring starts with the rest of it, for the driver's write(). */
static enum printed print_line(struct console_relay *relay)
{
	struct sending s = { };
	enum fill result;
	unsigned int len;

	s.line = console_relay_open_line(relay);
	if (!s.line)
		return PRINTED_BUSY;
	len = console_relay_ring_line(&relay->ring, relay->thread_line, &s.tail);
	if (!len) {
		console_relay_close_line(relay, s.line);
		return PRINTED_NOTHING;
	}
	s.next = relay->thread_line;
	s.end = relay->thread_line + len;
	hold_tty_output(relay);
	s.filled_ns = ktime_get_mono_fast_ns();
	result = send(relay, &s);
	count_line(relay, result, len);
	release_tty_output(relay);
	console_relay_close_line(relay, s.line);
	return result == FILL_FULL ? PRINTED_UNFIT : PRINTED_LINE;
}

static void give_up_if_stuck(struct console_relay *relay)
{
	if (relay->bursts.stuck_lines < STUCK_LINES)
		return;
	relay->bursts.up = NULL;
	pr_warn("%s%d does not drain: lines are printed by the driver's write from now on\n",
		relay->con->name, relay->con->index);
}

static enum printed print_in_bursts(struct console_relay *relay)
{
	enum printed printed = PRINTED_BUSY;
	struct mutex *tty_mutex; /* of the tty's port; NULL: not held */
	bool go_on;

	give_turn_to_tty(relay);
	tty_mutex = guard_tty(relay, &go_on);
	if (go_on)
		printed = is_unfit(relay) ? PRINTED_UNFIT : print_line(relay);
	relay->counters.unguarded += printed == PRINTED_LINE && !tty_mutex;
	if (tty_mutex)
		mutex_unlock(tty_mutex);
	give_up_if_stuck(relay);
	return printed;
}

/**
 * console_relay_print_in_bursts - print the next line of the ring; the thread
 * @relay:	the relay
 *
 * Return: PRINTED_LINE also if somebody else went on with it; PRINTED_UNFIT if the port is not to
 * be printed to in this way, for this line or for good.
 */
enum printed console_relay_print_in_bursts(struct console_relay *relay)
{
	enum printed printed = PRINTED_OFF;

	if (!relay->bursts.up)
		return PRINTED_UNFIT;
	WRITE_ONCE(relay->bursts.in_line, true);
	/* Pairs with the one in console_relay_switch_off(): one of the two sees the other. */
	smp_mb();
	if (!READ_ONCE(relay->off))
		printed = print_in_bursts(relay);
	/* Whoever sees it sees what was done to the port; see console_relay_switch_off(). */
	smp_store_release(&relay->bursts.in_line, false);
	return printed;
}

/* The driver is named "serial" in 6.12 and "serial_8250" in 7.2. */
static bool is_8250_driver(const struct uart_driver *driver)
{
	return driver->driver_name && driver->dev_name && !strcmp(driver->dev_name, "ttyS") &&
	       (!strcmp(driver->driver_name, "serial_8250") ||
		!strcmp(driver->driver_name, "serial"));
}

/**
 * console_relay_find_bursts - prepare for printing in bursts
 * @relay:	the relay; its port is held
 * @state:	of its port, or NULL
 *
 * If the port is not one of the 8250 driver's, or of a kind that cannot be printed to in bursts,
 * the driver's write() is used.
 */
void console_relay_find_bursts(struct console_relay *relay, struct uart_state *state)
{
	struct console *con = relay->con;
	const struct uart_driver *driver = con->data;
	struct uart_8250_port *up;
	const char *why;

	if (!state || !state->uart_port || !is_8250_driver(driver) || driver->cons != con)
		return;
	up = up_to_u8250p(state->uart_port);
	if (up->port.line != con->index || up->port.state != state || up->port.cons != con)
		return;
	why = reason_by_kind(up);
	if (why) {
		pr_info("%s%d %s, and is not printed to in bursts\n", con->name, con->index, why);
		return;
	}
	relay->bursts.byte_ns = clamp_t(u32, up->port.frame_time, 1, FIRST_BYTE_NS);
	relay->bursts.up = up;
	relay->bursts.fit = !is_unfit(relay);
}
