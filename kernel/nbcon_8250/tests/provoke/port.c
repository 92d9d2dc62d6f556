// SPDX-License-Identifier: GPL-2.0-only
/*
 * The console's port, from the inside.
 *
 * Purpose
 *   Triggers something while the driver, or nbcon_8250, writes a byte, or while the driver sets
 *   the divisor, with the port lock held and the console owned. And makes the port look like
 *   hardware that QEMU does not have, by setting the fields that a driver would set: RS-485, DMA,
 *   a UART without FIFO. The port is that of the first console on an 8250.
 *   `set rs485-on` is RS-485 as the ioctl TIOCSRS485 switches it on: from then on the port has a
 *   direction, and bytes written while it receives are counted (wrong_direction). `set watch`
 *   counts bytes written to a port that has lost its settings in a suspend (lost_settings),
 *   those that a WARN prints itself (sent_at_once), and of these the ones written while the
 *   port's interrupts are on (with_interrupts); interrupts_before says whether they were on when
 *   the WARN began. `set cts-off` switches CTS off, `set cts-on` on again.
 *
 * Calling contexts
 *   Process context; read_register() and write_register() any context of the driver.
 *
 * Locking
 *   None: one caller at a time, and no program sets the type of a port that is hooked.
 *
 * Lifetime
 *   The driver's serial_in and serial_out are replaced until provoke_release_port().
 *
 * What this disturbs
 *   Register accesses take a few instructions longer, writes also up to three register reads.
 */
#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/serial_8250.h>
#include <linux/serial_core.h>
#include <linux/serial_reg.h>
#include <linux/string.h>

#include "../shared/register_hooks.h"
#include "../shared/serial_console.h"
#include "provoke.h"

static struct uart_port *port;
static struct register_hooks driver;
static struct provoke_trap trap = { .done = COMPLETION_INITIALIZER(trap.done) };
static bool at_latch;
static atomic_t left;

/* Of the pretended RS-485. */
static bool transmitting;
static unsigned int wrong_direction;
static unsigned int turns;

static unsigned int lost_settings;

static struct task_struct *counted;
static unsigned int sent_at_once;
static unsigned int with_interrupts;
static bool interrupts_before;

static bool cts_off;

static unsigned char plain_fcr;

struct uart_port *provoke_find_port(void)
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
	return found;
}

/* Some UARTs have other bits in the register. */
static bool interrupts_on(struct uart_port *port)
{
	return port->serial_in(port, UART_IER) &
	       (UART_IER_MSI | UART_IER_RLSI | UART_IER_THRI | UART_IER_RDI);
}

static unsigned int read_register(struct uart_port *port, REGISTER_OFFSET offset)
{
	unsigned int value = driver.in(port, offset);

	if (offset == UART_MSR && READ_ONCE(cts_off))
		value &= ~UART_MSR_CTS;
	return value;
}

/* Whether a write is the one where the trap is to be sprung. */
static bool is_armed_for(REGISTER_OFFSET offset, REGISTER_VALUE value)
{
	if (at_latch)
		return offset == UART_LCR && value & UART_LCR_DLAB;
	return offset == UART_TX && atomic_dec_return(&left) < 0;
}

static void write_register(struct uart_port *port, REGISTER_OFFSET offset, REGISTER_VALUE value)
{
	struct uart_8250_port *up = up_to_u8250p(port);

	if (offset == UART_TX && !(port->serial_in(port, UART_LCR) & UART_LCR_DLAB)) {
		if (up->em485 && !transmitting)
			wrong_direction++;
		if (up->canary && port->serial_in(port, UART_SCR) != up->canary)
			lost_settings++;
		if (READ_ONCE(counted) == current) {
			sent_at_once++;
			if (interrupts_on(port))
				with_interrupts++;
		}
	}
	driver.out(port, offset, value);
	if (READ_ONCE(trap.trigger) && is_armed_for(offset, value))
		provoke_trap_spring(&trap);
}

static const struct register_hooks ours = { .in = read_register, .out = write_register };

static int hook_port(void)
{
	if (port)
		return 0;
	port = provoke_find_port();
	if (!port)
		return -ENODEV;
	register_hooks_set(port, &driver, &ours);
	return 0;
}

/* And tells the serial core, as the driver does for a modem status interrupt. */
static int switch_cts(bool on)
{
	unsigned long flags;
	int err = hook_port();

	if (err)
		return err;
	uart_port_lock_irqsave(port, &flags);
	WRITE_ONCE(cts_off, !on);
	uart_handle_cts_change(port, on);
	uart_port_unlock_irqrestore(port, flags);
	return 0;
}

#ifdef HAVE_RS485_TOGGLE_IER
static void start_transmitting(struct uart_8250_port *up, bool toggle_ier)
#else
static void start_transmitting(struct uart_8250_port *up)
#endif
{
	/* tx_stopped stays set: the console is to turn the line back after each record. */
	transmitting = true;
	turns++;
}

#ifdef HAVE_RS485_TOGGLE_IER
static void stop_transmitting(struct uart_8250_port *up, bool toggle_ier)
#else
static void stop_transmitting(struct uart_8250_port *up)
#endif
{
	transmitting = false;
}

/*
 * What serial8250_em485_config(), which is not in a header, leaves behind. The timers are for the
 * tty's output, which the tests do not use here.
 */
static int switch_rs485_on(struct uart_8250_port *up)
{
	static struct uart_8250_em485 em485;
	unsigned long flags;
	int err = hook_port();

	if (err)
		return err;
	em485.port = up;
	em485.tx_stopped = true;
	uart_port_lock_irqsave(&up->port, &flags);
	up->rs485_start_tx = start_transmitting;
	up->rs485_stop_tx = stop_transmitting;
	up->port.rs485.flags = SER_RS485_ENABLED | SER_RS485_RTS_ON_SEND;
	up->em485 = &em485;
	uart_port_unlock_irqrestore(&up->port, flags);
	return 0;
}

void provoke_show_port(struct seq_file *seq)
{
	seq_printf(seq, "wrong_direction %u\n", wrong_direction);
	seq_printf(seq, "turns %u\n", turns);
	seq_printf(seq, "lost_settings %u\n", lost_settings);
	seq_printf(seq, "sent_at_once %u\n", sent_at_once);
	seq_printf(seq, "with_interrupts %u\n", with_interrupts);
	seq_printf(seq, "interrupts_before %u\n", interrupts_before);
}

void provoke_count_begin(void)
{
	interrupts_before = port && interrupts_on(port);
	WRITE_ONCE(counted, current);
}

void provoke_count_end(void)
{
	WRITE_ONCE(counted, NULL);
}

static int wait_in_port(void (*trigger)(void))
{
	int err = hook_port();

	if (err)
		return err;
	provoke_trap_set(&trap, trigger);
	return provoke_trap_wait(&trap, 60);
}

int provoke_in_port(unsigned int nth, void (*trigger)(void))
{
	at_latch = false;
	atomic_set(&left, nth);
	return wait_in_port(trigger);
}

int provoke_in_latch(void (*trigger)(void))
{
	at_latch = true;
	return wait_in_port(trigger);
}

void provoke_release_port(void)
{
	if (!port)
		return;
	register_hooks_unset(port, &driver, &ours);
	register_hooks_settle(port->irq);
}

int provoke_set_port(const char *field)
{
	struct uart_8250_port *up;
	struct uart_port *found = provoke_find_port();

	if (!found)
		return -ENODEV;
	up = up_to_u8250p(found);
	if (!strcmp(field, "watch")) {
		return hook_port();
	} else if (!strcmp(field, "cts-off")) {
		return switch_cts(false);
	} else if (!strcmp(field, "cts-on")) {
		return switch_cts(true);
	} else if (!strcmp(field, "rs485-on")) {
		return switch_rs485_on(up);
	} else if (!strcmp(field, "rs485")) {
		found->rs485.flags |= SER_RS485_ENABLED;
	} else if (!strcmp(field, "dma")) {
		up->dma = (void *)up;
	} else if (!strcmp(field, "16450")) {
		found->type = PORT_16450;
	} else if (!strcmp(field, "16550")) {
		/* As by a device tree that says "ns16550" with a fifo-size. */
		found->type = PORT_16550;
		plain_fcr = up->fcr;
		up->fcr = 0;
	} else if (!strcmp(field, "no-fifo")) {
		up->tx_loadsz = 1;
	} else if (!strcmp(field, "plain")) {
		found->rs485.flags &= ~SER_RS485_ENABLED;
		up->dma = NULL;
		found->type = PORT_16550A;
		up->fcr = plain_fcr ? plain_fcr : up->fcr;
		up->tx_loadsz = 16;
	} else {
		return -EINVAL;
	}
	return 0;
}
