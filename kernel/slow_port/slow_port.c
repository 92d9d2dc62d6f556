// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow_port - makes an 8250 port as slow as one that firmware emulates
 *
 * Purpose
 *   Servers' management controllers emulate a 16550: bytes go into a buffer that the network
 *   drains, and the port reports late that it is empty. QEMU's ports do not. With this module
 *   one does, as the driver sees it: it takes a byte every byte_ns; says lag_ns after the last
 *   one that it is empty; and while the buffer is full, takes only what is drained. The values by
 *   default are those of seed 3's machine, by the times that were published of it (see
 *   docs/console-model.md).
 *
 *	insmod slow_port.ko fifo=0
 *
 *   It slows the port of the first console on an 8250. fifo=0 makes the console wait for each
 *   byte, as it did up to 5.18. The driver must wait for the transmitter as long as that takes:
 *   up to 6.12 it waits for 10 ms, 7.2 for the time of two bytes.
 *
 * Calling contexts
 *   Loading and unloading: process context. Register accesses: any context of the driver.
 *
 * Locking
 *   The pointers are exchanged with the port lock held, which the driver holds when it writes to
 *   the transmitter. Those that do not hold it (a console in an oops, a debugger) may find, on 32
 *   bits, times that are half written, and then wait too short or too long.
 *
 * Lifetime
 *   Unloading restores the driver's functions, and waits for accesses in progress and for the
 *   work.
 *
 * What this disturbs
 *   The port's transmitter, for console and tty: its interrupt comes at once, finds the
 *   transmitter busy, and is asked for again at each tick of the kernel's clock. Registers still
 *   answer as fast as QEMU's do.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/console.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/serial_8250.h>
#include <linux/serial_reg.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

#include "../shared/register_hooks.h"
#include "../shared/serial_console.h"

static unsigned int byte_ns = 21200;
module_param(byte_ns, uint, 0444);
MODULE_PARM_DESC(byte_ns, "time in which the port takes a byte, in ns (default: 21200)");

static unsigned int lag_ns = 395400;
module_param(lag_ns, uint, 0444);
MODULE_PARM_DESC(lag_ns, "how late the port says that it is empty, in ns (default: 395400)");

static unsigned int buffer = 2170;
module_param(buffer, uint, 0444);
MODULE_PARM_DESC(buffer, "size of the buffer behind the port, in bytes, 1 or more (default: 2170)");

static unsigned int drain = 2970;
module_param(drain, uint, 0444);
MODULE_PARM_DESC(drain, "bytes per second that leave the buffer, 0: never full (default: 2970)");

static bool fifo = true;
module_param(fifo, bool, 0444);
MODULE_PARM_DESC(fifo, "whether the console may write as many bytes as the FIFO holds (default: yes)");

static struct uart_8250_port *slowed;
static struct register_hooks driver;
static unsigned int driver_loadsz;

/* The driver does not note in @lcr that it has set this bit. */
static bool at_latch;

/* When the port has taken, and the buffer will have passed on, all that was sent. */
static u64 taken_ns;
static u64 drained_ns;

/* The interrupt that found the transmitter busy does not come again by itself. */
static void ask_for_interrupt(struct work_struct *unused)
{
	struct uart_port *port = &slowed->port;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	if (slowed->ier & UART_IER_THRI) {
		port->serial_out(port, UART_IER, slowed->ier & ~UART_IER_THRI);
		port->serial_out(port, UART_IER, slowed->ier);
	}
	spin_unlock_irqrestore(&port->lock, flags);
}

static DECLARE_DELAYED_WORK(asking, ask_for_interrupt);

static void take_byte(void)
{
	u64 now_ns = ktime_get_mono_fast_ns();
	u64 taken = max(now_ns, taken_ns + byte_ns);
	u64 passed_on_ns, full_ns;

	if (drain) {
		passed_on_ns = div_u64(NSEC_PER_SEC, drain);
		full_ns = (buffer - 1) * passed_on_ns;
		/* A full buffer has room when the byte that is so many places ahead has left. */
		if (drained_ns > taken + full_ns)
			taken = drained_ns - full_ns;
		drained_ns = max(drained_ns, taken) + passed_on_ns;
	}
	WRITE_ONCE(taken_ns, taken);
}

static unsigned int slow_in(struct uart_port *port, REGISTER_OFFSET offset)
{
	unsigned int value = driver.in(port, offset);

	if (offset != UART_LSR || ktime_get_mono_fast_ns() >= READ_ONCE(taken_ns) + lag_ns)
		return value;
	if (in_hardirq() && slowed->ier & UART_IER_THRI)
		schedule_delayed_work(&asking, 1);
	return value & ~(UART_LSR_THRE | UART_LSR_TEMT);
}

static void slow_out(struct uart_port *port, REGISTER_OFFSET offset, REGISTER_VALUE value)
{
	if (offset == UART_LCR)
		at_latch = value & UART_LCR_DLAB;
	if (offset == UART_TX && !at_latch)
		take_byte();
	driver.out(port, offset, value);
}

static const struct register_hooks ours = { .in = slow_in, .out = slow_out };

/* The port is an element of the driver's static array. */
static struct uart_port *find_port(void)
{
	struct uart_port *found = NULL;
	struct console *con;

	console_list_lock();
	for_each_console(con) {
		if (!strcmp(con->name, "ttyS"))
			found = serial_console_port(con);
		if (found)
			break;
	}
	console_list_unlock();
	return found && found->serial_in && found->serial_out ? found : NULL;
}

static int __init slow_port_init(void)
{
	struct uart_port *port = find_port();
	unsigned long flags;

	if (!buffer) {
		pr_err("buffer=0: must be at least 1\n");
		return -EINVAL;
	}
	if (!port) {
		pr_err("there is no console on an 8250\n");
		return -ENODEV;
	}
	slowed = up_to_u8250p(port);
	spin_lock_irqsave(&port->lock, flags);
	driver_loadsz = slowed->tx_loadsz;
	if (!fifo)
		slowed->tx_loadsz = 1;
	register_hooks_set(port, &driver, &ours);
	spin_unlock_irqrestore(&port->lock, flags);
	return 0;
}
module_init(slow_port_init);

static void __exit slow_port_exit(void)
{
	struct uart_port *port = &slowed->port;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	register_hooks_unset(port, &driver, &ours);
	if (!fifo && slowed->tx_loadsz == 1)
		slowed->tx_loadsz = driver_loadsz;
	spin_unlock_irqrestore(&port->lock, flags);
	register_hooks_settle(port->irq);
	cancel_delayed_work_sync(&asking);
}
module_exit(slow_port_exit);

MODULE_DESCRIPTION("Makes an 8250 port as slow as one that firmware emulates");
MODULE_LICENSE("GPL");
