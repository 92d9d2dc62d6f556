// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting and timing of a driver's register accesses.
 *
 * Purpose
 *   serial_in and serial_out of struct uart_port are how the 8250 driver accesses a register.
 *   During one call of the console's write path they point to functions of this file. Drivers
 *   that do not use them (PL011) cannot be counted.
 *
 * Calling contexts
 *   uart_bench_registers_watch(), _unwatch() and _settle(): process context. Accesses: any
 *   context of the driver; only those of the watching task outside of interrupts are counted.
 *
 * Locking
 *   The pointers are exchanged with the port lock held. The driver's interrupt handler reads a
 *   register without it, and finds either function; both work. The counters belong to the
 *   watching task.
 *
 * Lifetime
 *   The saved pointers stay valid after _unwatch(), for accesses still in progress. _settle()
 *   waits for those: for interrupt handlers and for code that runs with preemption disabled.
 *
 * What this disturbs
 *   During a call each register access reads the clock twice.
 */
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/serial_reg.h>

#include "../shared/register_hooks.h"
#include "registers.h"

static struct register_hooks driver;
static struct registers *counted;
static struct task_struct *watcher;
static unsigned int last_irq;

static struct registers *counts_of_this_context(void)
{
	return READ_ONCE(watcher) == current && !in_hardirq() ? counted : NULL;
}

static unsigned int timed_in(struct uart_port *port, REGISTER_OFFSET offset)
{
	struct registers *counts = counts_of_this_context();
	unsigned int value;
	u64 before;

	if (!counts)
		return driver.in(port, offset);
	before = ktime_get_ns();
	value = driver.in(port, offset);
	histogram_add(&counts->reads, ktime_get_ns() - before);
	if (offset == UART_LSR)
		counts->status_reads++;
	counts->last_was_send = false;
	return value;
}

static void timed_out(struct uart_port *port, REGISTER_OFFSET offset, REGISTER_VALUE value)
{
	struct registers *counts = counts_of_this_context();
	u64 before;

	if (!counts) {
		driver.out(port, offset, value);
		return;
	}
	before = ktime_get_ns();
	driver.out(port, offset, value);
	histogram_add(&counts->writes, ktime_get_ns() - before);
	if (offset != UART_TX)
		return;
	counts->sent++;
	if (!counts->last_was_send)
		counts->bursts++;
	counts->last_was_send = true;
}

static const struct register_hooks ours = { .in = timed_in, .out = timed_out };

bool uart_bench_registers_countable(const struct uart_port *port)
{
	return port->serial_in && port->serial_out;
}

void uart_bench_registers_watch(struct uart_port *port, struct registers *into)
{
	unsigned long flags;

	counted = into;
	counted->last_was_send = false;
	WRITE_ONCE(watcher, current);
	last_irq = port->irq;
	uart_port_lock_irqsave(port, &flags);
	register_hooks_set(port, &driver, &ours);
	uart_port_unlock_irqrestore(port, flags);
}

void uart_bench_registers_unwatch(struct uart_port *port)
{
	unsigned long flags;

	uart_port_lock_irqsave(port, &flags);
	register_hooks_unset(port, &driver, &ours);
	uart_port_unlock_irqrestore(port, flags);
	WRITE_ONCE(watcher, NULL);
}

void uart_bench_registers_settle(void)
{
	if (driver.in)
		register_hooks_settle(last_irq);
}
