/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BOOTLINE_SERIAL_CONSOLE_H
#define BOOTLINE_SERIAL_CONSOLE_H

#include <linux/console.h>
#include <linux/serial_core.h>

/* The port of a serial driver's console: with uart_console_device(), con->data is the driver. */
static inline struct uart_port *serial_console_port(const struct console *con)
{
	const struct uart_driver *driver = con->data;

	if (con->device != uart_console_device || !driver || con->index < 0)
		return NULL;
	return con->index < driver->nr ? driver->state[con->index].uart_port : NULL;
}

#endif
