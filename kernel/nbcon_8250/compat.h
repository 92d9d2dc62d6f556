/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NBCON_8250_COMPAT_H
#define NBCON_8250_COMPAT_H

#include <linux/serial_core.h>

/*
 * Hardware flow control of the console (console=ttyS0,9600n8r): in 7.2 a field of its own. In
 * 6.12 a bit of the port's flags, which 7.2 still defines; nothing sets it in 6.12.107, whose
 * console ignores the r. Kbuild finds out which it is.
 */
#ifdef HAVE_CONS_FLOW_FIELD
static inline bool uart_console_flow_controlled(struct uart_port *port)
{
	return uart_cons_flow_enabled(port);
}
#else
static inline bool uart_console_flow_controlled(struct uart_port *port)
{
	return port->flags & UPF_CONS_FLOW;
}
#endif

#endif
