/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NBCON_8250_COMPAT_H
#define NBCON_8250_COMPAT_H

#include <linux/serial_core.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "nbcon_8250 needs the nbcon console of Linux 6.12 or later"
#endif

/*
 * console=ttyS0,9600n8r. Up to 6.18 a bit of the port's flags, in 7.2 a field of its own; the
 * bit is still defined there, so that its presence tells nothing.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
static inline bool uart_console_flow_controlled(struct uart_port *port)
{
	return port->flags & UPF_CONS_FLOW;
}
#else
static inline bool uart_console_flow_controlled(struct uart_port *port)
{
	return uart_cons_flow_enabled(port);
}
#endif

#endif
