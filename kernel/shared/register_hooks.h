/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions in the place of a driver's serial_in and serial_out.
 *
 * Purpose
 *   A serial driver accesses its registers by these two pointers of struct uart_port.
 *
 * Calling contexts
 *   register_hooks_settle(): process context; the others any.
 *
 * Locking
 *   While functions are exchanged, the caller holds the port lock, or ensures that the driver does
 *   not replace them (setserial). The driver's interrupt handler reads a register without the
 *   lock, and finds either function.
 *
 * Lifetime
 *   The saved pointers must stay valid until register_hooks_settle() returns.
 *
 * What this disturbs
 *   Nothing.
 */
#ifndef BOOTLINE_REGISTER_HOOKS_H
#define BOOTLINE_REGISTER_HOOKS_H

#include <linux/interrupt.h>
#include <linux/rcupdate.h>
#include <linux/serial_core.h>
#include <linux/stddef.h>
#include <asm/barrier.h>

/* The arguments' type: they were signed up to 6.16. The type, not the version, decides. */
#define REGISTER_OFFSET typeof(_Generic(((struct uart_port *)NULL)->serial_in,	\
	unsigned int (*)(struct uart_port *, int) : 0,				\
	unsigned int (*)(struct uart_port *, unsigned int) : 0U))
#define REGISTER_VALUE REGISTER_OFFSET

struct register_hooks {
	typeof_member(struct uart_port, serial_in) in;
	typeof_member(struct uart_port, serial_out) out;
};

/* Saves the driver's functions in @driver, and then has @ours called. */
static inline void register_hooks_set(struct uart_port *port, struct register_hooks *driver,
				      const struct register_hooks *ours)
{
	driver->in = port->serial_in;
	driver->out = port->serial_out;
	/* The interrupt handler takes no lock: it may call ours at once, and then the driver's. */
	smp_wmb();
	WRITE_ONCE(port->serial_in, ours->in);
	WRITE_ONCE(port->serial_out, ours->out);
}

/* The driver sets them itself with the port's type (setserial): leaves what it has set. */
static inline void register_hooks_unset(struct uart_port *port,
					const struct register_hooks *driver,
					const struct register_hooks *ours)
{
	if (port->serial_in == ours->in)
		WRITE_ONCE(port->serial_in, driver->in);
	if (port->serial_out == ours->out)
		WRITE_ONCE(port->serial_out, driver->out);
}

/* Waits for accesses in progress: interrupt handlers, and code with preemption disabled. */
static inline void register_hooks_settle(unsigned int irq)
{
	if (irq)
		synchronize_irq(irq);
	synchronize_rcu();
}

#endif
