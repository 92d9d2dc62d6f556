// SPDX-License-Identifier: GPL-2.0-only
/*
 * The console's port, from the inside.
 *
 * Purpose
 *   Triggers something while the driver, or nbcon_8250, writes a byte, with the port lock held
 *   and the console owned. And makes the port look like hardware that QEMU does not have, by
 *   setting the fields that a driver would set: RS-485, DMA, a UART without FIFO. The console
 *   must be ttyS0.
 *
 * Calling contexts
 *   Process context; write_register() any context of the driver.
 *
 * Locking
 *   None: one caller at a time.
 *
 * Lifetime
 *   The driver's serial_out is replaced until provoke_release_port().
 *
 * What this disturbs
 *   Register writes take a few instructions longer.
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
static DECLARE_COMPLETION(done);

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

static void write_register(struct uart_port *port, OFFSET offset, VALUE value)
{
	void (*trigger)(void);

	driver_out(port, offset, value);
	if (offset != UART_TX || !armed || atomic_dec_return(&left) >= 0)
		return;
	trigger = xchg(&armed, NULL);
	if (trigger) {
		trigger();
		complete(&done);
	}
}

int provoke_in_port(unsigned int nth, void (*trigger)(void))
{
	if (!port) {
		port = find_port();
		if (!port)
			return -ENODEV;
		driver_out = port->serial_out;
		port->serial_out = write_register;
	}
	atomic_set(&left, nth);
	reinit_completion(&done);
	xchg(&armed, trigger);
	if (wait_for_completion_timeout(&done, 60 * HZ))
		return 0;
	/* No byte was written. Disarm, unless it was written just now. */
	return xchg(&armed, NULL) ? -ETIMEDOUT : 0;
}

void provoke_release_port(void)
{
	if (port)
		port->serial_out = driver_out;
}

int provoke_set_port(const char *field)
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
