// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transmitter of a 16550.
 *
 * Purpose
 *   The registers of the transmitter, as the printer kthread and atomic writers use them.
 *
 * Calling contexts
 *   Any, including NMI.
 *
 * Locking
 *   The caller holds the port lock or owns the console, in an unsafe section.
 *
 * Lifetime
 *   The registers are accessible as long as the port is bound to its driver.
 *
 * What this disturbs
 *   Reading LSR clears error bits, which are saved for the driver.
 */
#include <linux/serial_reg.h>
#include <linux/time64.h>
#include <linux/tty.h>
#include "nbcon_8250.h"

/* In bytes. However deep the FIFO: the port lock is not held for more than these at once. */
#define BURST_MAX	64

/*
 * Reading LSR clears its error bits. The driver saves those it has not handled yet in
 * lsr_saved_flags (serial_lsr_in() in 8250.h), and so must every other reader.
 */
bool nbcon_8250_transmitter_has(struct nbcon_8250 *nb, u8 bits)
{
	struct uart_8250_port *up = nb->up;
	unsigned int lsr = up->port.serial_in(&up->port, UART_LSR);

	up->lsr_saved_flags |= lsr & up->lsr_save_mask;
	return (lsr & bits) == bits;
}

/* The LSR bits that show that the transmitter has room for nbcon_8250_fifo_room() bytes. */
u8 nbcon_8250_room_bits(const struct nbcon_8250 *nb)
{
	return nb->mini_uart ? BOTH_EMPTY : UART_LSR_THRE;
}

/*
 * With no_console_suspend the console prints before the driver has resumed the port, which may
 * have lost power. The driver leaves a mark in the scratch register when it suspends
 * (serial8250_suspend_port()) and checks for it in its own console's write().
 */
bool nbcon_8250_settings_lost(struct nbcon_8250 *nb)
{
	struct uart_8250_port *up = nb->up;

	return up->canary && up->port.serial_in(&up->port, UART_SCR) != up->canary;
}

/*
 * The driver's console does not do this when it restores the settings: the FIFO is off after a
 * power loss, while up->fcr, which nbcon_8250_fifo_room() relies on, says that it is on. The
 * order is that of serial8250_set_fcr(); the 64-byte FIFO of a 16750 is enabled with DLAB set.
 */
void nbcon_8250_restore_fifo(struct nbcon_8250 *nb)
{
	struct uart_8250_port *up = nb->up;
	struct uart_port *port = &up->port;
	bool by_dlab = port->type == PORT_16750;

	if (!(up->fcr & UART_FCR_ENABLE_FIFO))
		return;
	if (by_dlab)
		port->serial_out(port, UART_LCR, up->lcr | UART_LCR_DLAB);
	else
		port->serial_out(port, UART_FCR, UART_FCR_ENABLE_FIFO);
	port->serial_out(port, UART_FCR, up->fcr);
	if (by_dlab)
		port->serial_out(port, UART_LCR, up->lcr);
}

/*
 * How many bytes an empty transmitter accepts. The FIFO is on while the tty is open: the driver
 * enables it together with the line settings and disables it on the last close.
 */
unsigned int nbcon_8250_fifo_room(struct nbcon_8250 *nb)
{
	struct uart_8250_port *up = nb->up;
	struct uart_state *state = up->port.state;

	/* Its FIFO cannot be disabled. */
	if (nb->mini_uart)
		return clamp(up->tx_loadsz, 1U, BURST_MAX);
	if (!(up->fcr & UART_FCR_ENABLE_FIFO) || !state || !tty_port_initialized(&state->port))
		return 1;
	return clamp(up->tx_loadsz, 1U, BURST_MAX);
}

static void put_byte(struct nbcon_8250 *nb, u8 byte)
{
	struct uart_port *port = &nb->up->port;

	port->serial_out(port, UART_TX, byte);
}

/**
 * nbcon_8250_begin - start sending a record
 * @nb:		the console
 * @text:	the record
 * @len:	its length in bytes
 *
 * Return: all of the record, after a newline if the last one was cut off.
 */
struct outgoing nbcon_8250_begin(struct nbcon_8250 *nb, const char *text, unsigned int len)
{
	return (struct outgoing) {
		.next = text,
		.end = text + len,
		.newline_first = READ_ONCE(nb->mid_line),
	};
}

/**
 * nbcon_8250_fill - send as much of a record as the empty transmitter accepts
 * @nb:		the console
 * @o:		what is left of the record
 *
 * Return: the number of bytes sent.
 */
unsigned int nbcon_8250_fill(struct nbcon_8250 *nb, struct outgoing *o)
{
	unsigned int room = nbcon_8250_fifo_room(nb);
	unsigned int n = 0;

	while (n < room && o->next < o->end) {
		char c = o->newline_first ? '\n' : *o->next;

		if (c == '\n' && !o->cr_sent) {
			put_byte(nb, '\r');
			o->cr_sent = true;
		} else {
			/* Before the byte is sent: a panic may interrupt its writing. */
			WRITE_ONCE(nb->mid_line, c != '\n' && o->next + 1 < o->end);
			put_byte(nb, c);
			o->cr_sent = false;
			if (o->newline_first)
				o->newline_first = false;
			else
				o->next++;
		}
		n++;
	}
	return n;
}

/*
 * How long until the transmitter counts as stuck: twice the time by the line settings, plus a
 * second in case the other end, or an emulator, merely stalls.
 */
u64 nbcon_8250_stuck_after_ns(struct nbcon_8250 *nb, unsigned int bytes)
{
	return 2ULL * bytes * READ_ONCE(nb->up->port.frame_time) + NSEC_PER_SEC;
}
