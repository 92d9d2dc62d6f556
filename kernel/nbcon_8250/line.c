// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transmitter of a 16550: its registers as the thread and the atomic writer use them.
 */
#include <linux/serial_reg.h>
#include <linux/time64.h>
#include <linux/tty.h>
#include "nbcon_8250.h"

/* However deep the FIFO is: the port lock is not held for more characters than these at once. */
#define BURST_MAX	64

/*
 * Reading LSR clears its error bits. The driver keeps what it has not yet looked at in
 * lsr_saved_flags (serial_lsr_in() in 8250.h), and so must whoever else reads.
 */
bool transmitter_has(struct takeover *t, u8 bits)
{
	struct uart_8250_port *up = t->up;
	unsigned int lsr = up->port.serial_in(&up->port, UART_LSR);

	up->lsr_saved_flags |= lsr & up->lsr_save_mask;
	return (lsr & bits) == bits;
}

/*
 * The mini UART of the Raspberry Pi (8250_bcm2835aux): its THRE says that the FIFO is not full,
 * only TEMT that it is empty.
 */
static bool is_mini_uart(const struct takeover *t)
{
	return t->up->port.type == PORT_16550;
}

/* The bits of LSR that say that the transmitter takes fifo_room() characters. */
u8 room_bits(const struct takeover *t)
{
	return is_mini_uart(t) ? BOTH_EMPTY : UART_LSR_THRE;
}

/*
 * With no_console_suspend the console prints before the driver has resumed the port, which may
 * have been without power. The driver leaves a mark in the scratch register when it suspends
 * (serial8250_suspend_port()), and looks for it in its own console's write().
 */
bool settings_lost(struct takeover *t)
{
	struct uart_8250_port *up = t->up;

	return up->canary && up->port.serial_in(&up->port, UART_SCR) != up->canary;
}

/*
 * What the driver's console leaves out when it restores the settings: the FIFO is off after a
 * power loss, while up->fcr says that it is on, and fifo_room() goes by that. The order is that of
 * serial8250_set_fcr(); the FIFO of 64 of a 16750 is switched with DLAB set.
 */
void restore_fifo(struct takeover *t)
{
	struct uart_8250_port *up = t->up;
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
 * How many characters an empty transmitter takes. The FIFO works while the tty is open:
 * the driver switches it on with the line's settings and off when the last user closes.
 */
unsigned int fifo_room(struct takeover *t)
{
	struct uart_8250_port *up = t->up;
	struct uart_state *state = up->port.state;

	/* Its FIFO can't be switched off. */
	if (is_mini_uart(t))
		return clamp(up->tx_loadsz, 1U, BURST_MAX);
	if (!(up->fcr & UART_FCR_ENABLE_FIFO) || !state || !tty_port_initialized(&state->port))
		return 1;
	return clamp(up->tx_loadsz, 1U, BURST_MAX);
}

void put_character(struct takeover *t, u8 character)
{
	struct uart_port *port = &t->up->port;

	port->serial_out(port, UART_TX, character);
}

/*
 * When to believe that the transmitter stands still: twice what the line's setting says plus a
 * second, in which a remote that holds the line up, or an emulated one, may come round.
 */
u64 stuck_after_ns(struct takeover *t, unsigned int characters)
{
	return 2ULL * characters * READ_ONCE(t->up->port.frame_time) + NSEC_PER_SEC;
}
