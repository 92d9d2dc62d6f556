// SPDX-License-Identifier: GPL-2.0-only
/*
 * The console's port, from its inside: something happens while its driver, or nbcon_8250, writes
 * a character, with the port lock held and the console owned. And what can't be had on stock
 * hardware is pretended: fields are set as a driver would that uses RS-485, DMA, or has found a
 * lesser UART. The console must be ttyS0.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/serial_8250.h>
#include <linux/serial_core.h>
#include <linux/serial_reg.h>
#include <linux/string.h>
#include "provoke.h"

#ifdef HAVE_UNSIGNED_REGISTERS
#define OFFSET unsigned int
#define VALUE u32
#else
#define OFFSET int
#define VALUE int
#endif

static struct uart_port *port;
static void (*driver_out)(struct uart_port *port, OFFSET offset, VALUE value);
static void (*armed)(void);
static atomic_t left;
static DECLARE_COMPLETION(over);

static struct uart_port *find_port(void)
{
	struct uart_driver *driver = NULL;
	struct console *con;

	console_list_lock();
	for_each_console(con) {
		if (!strcmp(con->name, "ttyS"))
			driver = con->data;
	}
	console_list_unlock();
	return driver ? driver->state[0].uart_port : NULL;
}

static void out(struct uart_port *port, OFFSET offset, VALUE value)
{
	void (*happen)(void);

	driver_out(port, offset, value);
	if (offset != UART_TX || !armed || atomic_dec_return(&left) >= 0)
		return;
	happen = xchg(&armed, NULL);
	if (happen) {
		happen();
		complete(&over);
	}
}

int provoke_in_port(unsigned int nth, void (*happen)(void))
{
	if (!port) {
		port = find_port();
		if (!port)
			return -ENODEV;
		driver_out = port->serial_out;
		port->serial_out = out;
	}
	atomic_set(&left, nth);
	reinit_completion(&over);
	xchg(&armed, happen);
	if (wait_for_completion_timeout(&over, 60 * HZ))
		return 0;
	/* No character came. Unless it happens after all, it is not to happen later. */
	return xchg(&armed, NULL) ? -ETIMEDOUT : 0;
}

void port_release(void)
{
	if (port)
		port->serial_out = driver_out;
}

int port_set(const char *field)
{
	struct uart_8250_port *up;
	struct uart_port *found = find_port();

	if (!found)
		return -ENODEV;
	up = up_to_u8250p(found);
	if (!strcmp(field, "rs485")) {
		found->rs485.flags |= SER_RS485_ENABLED;
	} else if (!strcmp(field, "dma")) {
		up->dma = (void *)up;
	} else if (!strcmp(field, "16450")) {
		found->type = PORT_16450;
	} else if (!strcmp(field, "no-fifo")) {
		up->tx_loadsz = 1;
	} else if (!strcmp(field, "plain")) {
		found->rs485.flags &= ~SER_RS485_ENABLED;
		up->dma = NULL;
		found->type = PORT_16550A;
		up->tx_loadsz = 16;
	} else {
		return -EINVAL;
	}
	return 0;
}
