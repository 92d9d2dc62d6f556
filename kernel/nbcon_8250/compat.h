/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NBCON_8250_COMPAT_H
#define NBCON_8250_COMPAT_H

#include <linux/console.h>
#include <linux/serial_core.h>
#include <linux/tty.h>

/*
 * Hardware flow control of the console (console=ttyS0,9600n8r): in 7.2 a field of its own, by
 * which Kbuild knows such kernels. Up to 7.1 a bit of the port's flags, which nothing sets: the
 * console ignores the r. It is still to be found in the console's settings, and once the tty was
 * opened for the first time in the tty's, where a program may have set it as well. The mutex of
 * the tty's port is held.
 */
#ifdef HAVE_CONS_FLOW_FIELD
static inline bool uart_console_flow_controlled(struct uart_port *port)
{
	return uart_cons_flow_enabled(port);
}
#else
static inline bool uart_console_flow_controlled(struct uart_port *port)
{
	const struct tty_struct *tty = port->state ? port->state->port.tty : NULL;

	if (port->flags & UPF_CONS_FLOW)
		return true;
	if (port->cons && port->cons->cflag)
		return port->cons->cflag & CRTSCTS;
	return tty && C_CRTSCTS(tty);
}
#endif

#endif
