/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CONSOLE_RELAY_COMPAT_H
#define CONSOLE_RELAY_COMPAT_H

#include <linux/console.h>
#include <linux/kfifo.h>
#include <linux/sched/isolation.h>
#include <linux/serial_core.h>
#include <linux/tty.h>
#ifdef HAVE_PANIC_NOTIFIER_H
#include <linux/panic_notifier.h>
#else
#include <linux/kernel.h>
#endif

/* Before 6.6 a suspended console has no flag of its own, before 6.7 there are no nbcon consoles. */
#ifdef HAVE_NBCON
#define RELAY_CON_NBCON		CON_NBCON
#else
#define RELAY_CON_NBCON		0
#endif

#ifdef HAVE_CON_SUSPENDED
#define RELAY_CON_SUSPENDED	CON_SUSPENDED
#else
#define RELAY_CON_SUSPENDED	0
#endif

/* From 6.12 on nbcon_8250 is the better choice for an 8250. */
#if defined(HAVE_BURSTS) && !defined(HAVE_NBCON_DRIVERS)
#define BURSTS_BY_DEFAULT	true
#else
#define BURSTS_BY_DEFAULT	false
#endif

/*
 * The console list, the callbacks and, where there is one, the sequence number of a console are
 * protected by the console lock up to 6.1, since then also by the list lock.
 */
static inline void relay_lock_consoles(void)
{
#ifdef HAVE_CONSOLE_LIST_LOCK
	console_list_lock();
#endif
	console_lock();
}

/*
 * Under a flood of records on one CPU this may last as long as the flood, and so may loading and
 * unloading. To unlock with preemption off, as events.c does, the lock must have been taken by
 * console_trylock(), which next to writers that hold it nearly all the time might never succeed.
 */
static inline void relay_unlock_consoles(void)
{
	console_unlock();
#ifdef HAVE_CONSOLE_LIST_LOCK
	console_list_unlock();
#endif
}

/*
 * Under the console lock, or in a panic. It is set after the sequence number; where there is a list
 * lock, that need not be held.
 */
static inline bool relay_is_registered(const struct console *wanted)
{
#ifdef HAVE_CONSOLE_LIST_LOCK
	return !hlist_unhashed_lockless(&wanted->node);
#else
	const struct console *con;

	for_each_console(con) {
		if (con == wanted)
			return true;
	}
	return false;
#endif
}

/*
 * While this section is held, console_stop(), which must precede switching the port off, waits.
 * Up to 6.1 there is nothing to hold but the console lock itself; there the module only relies on
 * the PM notifiers, see events.c.
 */
static inline int relay_enter_printing(void)
{
#ifdef HAVE_CONSOLE_LIST_LOCK
	return console_srcu_read_lock();
#else
	return 0;
#endif
}

static inline void relay_leave_printing(int cookie)
{
#ifdef HAVE_CONSOLE_LIST_LOCK
	console_srcu_read_unlock(cookie);
#endif
}

/*
 * Since 6.7, and in later 6.1.y and 6.6.y, the port lock has functions of its own. They matter for
 * nbcon consoles only.
 */
static inline bool relay_port_trylock_irqsave(struct uart_port *port, unsigned long *flags)
{
#ifdef HAVE_UART_PORT_LOCK
	return uart_port_trylock_irqsave(port, flags);
#else
	return spin_trylock_irqsave(&port->lock, *flags);
#endif
}

static inline void relay_port_unlock_irqrestore(struct uart_port *port, unsigned long flags)
{
#ifdef HAVE_UART_PORT_LOCK
	uart_port_unlock_irqrestore(port, flags);
#else
	spin_unlock_irqrestore(&port->lock, flags);
#endif
}

/* What programs have written and the port has not sent; a snapshot. */
static inline bool relay_tty_has_output(struct uart_state *state)
{
#ifdef HAVE_XMIT_CIRC
	return !uart_circ_empty(&state->xmit);
#else
	return !kfifo_is_empty(&state->port.xmit_fifo);
#endif
}

/*
 * Hardware flow control: of the tty as it was last set, or of the console (console=ttyS0,9600n8r).
 * The latter is a field of its own in 7.2; before, a bit that few drivers set, and one of the
 * console's settings.
 */
static inline bool relay_flow_controlled(const struct uart_port *port)
{
	if (port->status & UPSTAT_CTS_ENABLE)
		return true;
#ifdef HAVE_CONS_FLOW_FIELD
	return uart_cons_flow_enabled(port);
#else
	return port->flags & UPF_CONS_FLOW || (port->cons && port->cons->cflag & CRTSCTS);
#endif
}

/* Some kernels give a kthread the CPUs of isolcpus=, others those of nohz_full=. Under RCU. */
static inline bool relay_is_isolated(int cpu)
{
#ifdef HAVE_HK_TYPE
	return !housekeeping_cpu(cpu, HK_TYPE_DOMAIN) || !housekeeping_cpu(cpu, HK_TYPE_TICK);
#else
	return !housekeeping_cpu(cpu, HK_FLAG_DOMAIN) || !housekeeping_cpu(cpu, HK_FLAG_TICK);
#endif
}

static inline bool relay_flags_allow_printing(short flags)
{
	return flags & CON_ENABLED && !(flags & RELAY_CON_SUSPENDED);
}

/* Within relay_enter_printing(). */
static inline bool relay_may_print(const struct console *con)
{
#ifdef HAVE_CONSOLE_LIST_LOCK
	short flags = console_srcu_read_flags(con);
#else
	short flags = READ_ONCE(con->flags);
#endif

	return relay_flags_allow_printing(flags);
}

#endif
