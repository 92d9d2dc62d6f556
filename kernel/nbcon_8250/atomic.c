// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing at once, where no thread can: panic, oops, WARN, power-off.
 *
 * Purpose
 *   The console's write_atomic(). Each byte waits for an empty transmitter. Filling the FIFO
 *   would gain nothing, as the processor waits for the line anyway; and in a panic nobody knows
 *   whether the FIFO is on.
 *
 * Calling contexts
 *   Any, including NMI, with interrupts off.
 *
 * Locking
 *   Takes no lock. Owning the console keeps others away from the registers: the driver's
 *   uart_port_lock() waits for it, so that its interrupt handler stays out and IER need not be
 *   touched.
 *
 * Lifetime
 *   Called only while the console is registered.
 *
 * What this disturbs
 *   The processor spins until the record has been transmitted.
 */
#include <linux/delay.h>
#include <linux/nmi.h>
#include <linux/serial_reg.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* Gives up when the transmitter is known to be stuck; the byte is then lost. */
static void wait_for(struct nbcon_8250 *nb, u8 bits, u64 limit_ns)
{
	u64 waited_ns = 0;

	while (!nbcon_8250_transmitter_has(nb, bits) && waited_ns < limit_ns) {
		udelay(1);
		waited_ns += NSEC_PER_USEC;
	}
}

/* Shorter than nbcon_8250_stuck_after_ns(): here, a second for each byte would be too long. */
static u64 atomic_limit_ns(struct nbcon_8250 *nb, unsigned int bytes)
{
	return 2ULL * bytes * READ_ONCE(nb->up->port.frame_time) + 10 * NSEC_PER_MSEC;
}

/**
 * nbcon_8250_write_polled - print a record at once, polling the transmitter
 * @nb:		the console
 * @wctxt:	the record; the context owns the console
 *
 * Between two bytes a context of higher priority may take over the console and with it the
 * record.
 */
void nbcon_8250_write_polled(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt)
{
	unsigned int full = max(nb->up->tx_loadsz, 1U) + 1;
	unsigned int pending = full;
	bool cr_sent = false;
	unsigned int i = 0;

	if (!nbcon_enter_unsafe(wctxt))
		return;

	while (i < wctxt->len) {
		char c = wctxt->outbuf[i];

		wait_for(nb, UART_LSR_THRE, atomic_limit_ns(nb, pending));
		pending = 1;
		if (c == '\n' && !cr_sent) {
			nbcon_8250_put_byte(nb, '\r');
			cr_sent = true;
		} else {
			nbcon_8250_put_byte(nb, c);
			cr_sent = false;
			i++;
		}
		touch_nmi_watchdog();
		if (!nbcon_exit_unsafe(wctxt) || !nbcon_enter_unsafe(wctxt))
			return;
	}
	/* Where THRE means "not full", the FIFO may hold up to its size by now. */
	pending = nbcon_8250_room_bits(nb) == BOTH_EMPTY ? full : 2;
	wait_for(nb, BOTH_EMPTY, atomic_limit_ns(nb, pending));
	nbcon_exit_unsafe(wctxt);
}

/*
 * A WARN, like all other users of nbcon_cpu_emergency_enter() without an oops (lockdep, RCU
 * stalls, hung tasks), prints the backlog at once. On a slow line that takes seconds.
 */
static bool may_leave_to_thread(struct console *con, struct nbcon_write_context *wctxt)
{
	return nbcon_8250_warn_to_thread && con->kthread && !oops_in_progress &&
	       ACCESS_PRIVATE(wctxt, ctxt).prio == NBCON_PRIO_EMERGENCY;
}

/**
 * nbcon_8250_write_atomic - the console's write_atomic()
 * @con:	the console
 * @wctxt:	the record; the context owns the console
 */
void nbcon_8250_write_atomic(struct console *con, struct nbcon_write_context *wctxt)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);

	if (may_leave_to_thread(con, wctxt)) {
		/* The core gives up, and wakes the printer kthread after the emergency. */
		atomic_inc(&nb->counters.left_to_thread);
		nbcon_8250_defer_record(wctxt, con);
		return;
	}
	atomic_inc(&nb->atomic_writes);
	atomic_inc(&nb->counters.atomic_records);
	nbcon_8250_write_polled(nb, wctxt);
}
