// SPDX-License-Identifier: GPL-2.0-only
/*
 * Printing at once, where no thread can: panic, oops, WARN, power-off.
 *
 * Purpose
 *   The console's write_atomic(). It fills the FIFO whenever it is empty, as the driver's own
 *   console does: polling for each byte would leave gaps, and fast lines idle.
 *
 * Calling contexts
 *   Any, including NMI, with interrupts off.
 *
 * Locking
 *   Takes no lock. Owning the console keeps others away from the registers: the driver's
 *   uart_port_lock() waits for it. So that the port's interrupts do not make another processor
 *   wait there, with interrupts off, they are disabled for the length of a record. Between two
 *   records of a flush one can arrive; up to Linux 6.18 it has to wait for the rest of the flush,
 *   whose length emergency.c limits.
 *
 * Lifetime
 *   Called only while the console is registered.
 *
 * What this disturbs
 *   The processor spins until the record has been transmitted.
 */
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/serial_reg.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* The longer between two reads of LSR, the more likely an NMI finds the console safe. */
#define POLLS_PER_BYTE	16
#define POLL_MAX_US	50U

/*
 * Waits until the transmitter has @bits, or is known to be stuck: what is sent then is lost. It
 * looks in an unsafe section and waits outside of it, where a panic can take over the console.
 *
 * Return: true in an unsafe section; false if the console and with it the record is lost.
 */
static bool wait_for(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt, u8 bits,
		     u64 limit_ns)
{
	unsigned int byte_us = READ_ONCE(nb->up->port.frame_time) / NSEC_PER_USEC;
	unsigned int poll_us = clamp(byte_us / POLLS_PER_BYTE, 1U, POLL_MAX_US);
	u64 waited_ns;

	for (waited_ns = 0; ; waited_ns += poll_us * NSEC_PER_USEC) {
		if (!nbcon_enter_unsafe(wctxt))
			return false;
		if (nbcon_8250_transmitter_has(nb, bits) || waited_ns >= limit_ns)
			return true;
		if (!nbcon_exit_unsafe(wctxt))
			return false;
		udelay(poll_us);
	}
}

/* Shorter than nbcon_8250_stuck_after_ns(): here, a second for each byte would be too long. */
static u64 atomic_limit_ns(struct nbcon_8250 *nb, unsigned int bytes)
{
	return 2ULL * bytes * READ_ONCE(nb->up->port.frame_time) + 10 * NSEC_PER_MSEC;
}

/* Returns in a safe section; false if the record is lost. */
static bool send(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt)
{
	struct outgoing out = nbcon_8250_begin(nb, wctxt->outbuf, wctxt->len);
	unsigned int full = max(nb->up->tx_loadsz, 1U) + 1;
	unsigned int pending = full;

	while (out.next < out.end) {
		if (!wait_for(nb, wctxt, nbcon_8250_room_bits(nb), atomic_limit_ns(nb, pending)))
			return false;
		pending = nbcon_8250_fill(nb, &out) + 1;
		touch_nmi_watchdog();
		if (!nbcon_exit_unsafe(wctxt))
			return false;
	}
	return wait_for(nb, wctxt, BOTH_EMPTY, atomic_limit_ns(nb, pending)) &&
	       nbcon_exit_unsafe(wctxt);
}

/*
 * Interrupts of the port that arrive meanwhile would make another processor wait for the
 * console, in uart_port_lock() with interrupts off. The Unit Enable bit is not an interrupt.
 */
static u8 disable_interrupts(struct nbcon_8250 *nb)
{
	struct uart_port *port = &nb->up->port;
	u8 ier = port->serial_in(port, UART_IER);

	port->serial_out(port, UART_IER, ier & UART_IER_UUE);
	return ier;
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
	struct uart_port *port = &nb->up->port;
	bool whole;
	u8 ier;

	if (!nbcon_enter_unsafe(wctxt))
		return;
	WRITE_ONCE(nb->started_seq, nbcon_8250_assigned_seq(&nb->con));
	/* With DLAB set, bytes would go to the divisor; also those of the driver's own console. */
	if (READ_ONCE(nb->broken_off))
		port->serial_out(port, UART_LCR, nb->up->lcr);
	if (nbcon_8250_settings_lost(nb)) {
		nb->counters.restored++;
		nbcon_8250_driver_write_owned(nb, "", 0);
		nbcon_8250_restore_fifo(nb);
	}
	if (nbcon_8250_is_rs485(nb)) {
		nbcon_8250_driver_write_owned(nb, wctxt->outbuf, wctxt->len);
		nbcon_exit_unsafe(wctxt);
		return;
	}
	ier = disable_interrupts(nb);
	whole = nbcon_exit_unsafe(wctxt) && send(nb, wctxt);

	/* Whoever took over has restored what it found, no interrupts. */
	while (!whole || !nbcon_enter_unsafe(wctxt)) {
		nbcon_reacquire_nobuf(wctxt);
		whole = true;
	}
	port->serial_out(port, UART_IER, ier);
	nbcon_exit_unsafe(wctxt);
}

/**
 * nbcon_8250_write_atomic - the console's write_atomic()
 * @con:	the console
 * @wctxt:	the record; the context owns the console
 */
void nbcon_8250_write_atomic(struct console *con, struct nbcon_write_context *wctxt)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);

	if (!nbcon_8250_may_print_now(nb, wctxt)) {
		atomic_inc(&nb->counters.left_to_thread);
		nbcon_8250_defer_record(wctxt, con);
		if (oops_in_progress)
			nbcon_8250_let_others_in(nb);
		return;
	}
	atomic_inc(&nb->atomic_writes);
	atomic_inc(&nb->counters.atomic_records);
	nbcon_8250_write_polled(nb, wctxt);
	nbcon_8250_printed_now(nb);
}
