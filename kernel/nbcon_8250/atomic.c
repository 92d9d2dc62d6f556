// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing when it can't wait for a thread: panic, oops, WARN, power-off.
 *
 * Calling contexts: any, NMI included; interrupts are off. Nothing here takes a lock. What keeps
 * others away from the registers is the ownership of the console: uart_port_lock() of the
 * driver waits for it, so that its interrupt handler stays out, and IER needs no touch.
 *
 * Each character is put into an empty transmitter. Filling the FIFO would gain nothing, as the
 * line is the limit and the processor waits for it anyway; and in a panic nobody knows whether
 * the FIFO is on.
 */
#include <linux/delay.h>
#include <linux/nmi.h>
#include <linux/serial_reg.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* Ends after the transmitter is known to stand still; the character is lost then. */
static void wait_for(struct takeover *t, u8 bits, u64 limit_ns)
{
	u64 waited_ns = 0;

	while (!transmitter_has(t, bits) && waited_ns < limit_ns) {
		udelay(1);
		waited_ns += NSEC_PER_USEC;
	}
}

/* The limit of a wait in a place where a second's patience with each character is too much. */
static u64 atomic_limit_ns(struct takeover *t, unsigned int characters)
{
	return 2ULL * characters * READ_ONCE(t->up->port.frame_time) + 10 * NSEC_PER_MSEC;
}

/**
 * write_polled - prints a record at once, waiting for the line
 * @t:		the console
 * @wctxt:	the record; the context owns the console
 *
 * Between two characters a context of higher priority may take over; the record is then its.
 */
void write_polled(struct takeover *t, struct nbcon_write_context *wctxt)
{
	unsigned int full = max(t->up->tx_loadsz, 1U) + 1;
	unsigned int pending = full;
	bool cr_sent = false;
	unsigned int i = 0;

	if (!nbcon_enter_unsafe(wctxt))
		return;

	while (i < wctxt->len) {
		char c = wctxt->outbuf[i];

		wait_for(t, UART_LSR_THRE, atomic_limit_ns(t, pending));
		pending = 1;
		if (c == '\n' && !cr_sent) {
			put_character(t, '\r');
			cr_sent = true;
		} else {
			put_character(t, c);
			cr_sent = false;
			i++;
		}
		touch_nmi_watchdog();
		if (!nbcon_exit_unsafe(wctxt) || !nbcon_enter_unsafe(wctxt))
			return;
	}
	/* Where THRE says "not full" the characters have piled up. */
	pending = room_bits(t) == BOTH_EMPTY ? full : 2;
	wait_for(t, BOTH_EMPTY, atomic_limit_ns(t, pending));
	nbcon_exit_unsafe(wctxt);
}

/*
 * A WARN, and what else uses nbcon_cpu_emergency_enter() without an oops (lockdep, RCU stalls,
 * hung tasks), wants its backlog printed at once. On a slow line that is seconds.
 */
static bool may_leave_to_thread(struct console *con, struct nbcon_write_context *wctxt)
{
	return warn_leaves_to_thread && con->kthread && !oops_in_progress &&
	       ACCESS_PRIVATE(wctxt, ctxt).prio == NBCON_PRIO_EMERGENCY;
}

/**
 * write_atomic - the console's write_atomic()
 * @con:	the console
 * @wctxt:	the record; the context owns the console
 */
void write_atomic(struct console *con, struct nbcon_write_context *wctxt)
{
	struct takeover *t = to_takeover(con);

	if (may_leave_to_thread(con, wctxt)) {
		/* The core gives up, and wakes the thread when the emergency is over. */
		atomic_inc(&t->counters.left_to_thread);
		put_off(wctxt, con);
		return;
	}
	atomic_inc(&t->atomic_writes);
	atomic_inc(&t->counters.atomic_records);
	write_polled(t, wctxt);
}
