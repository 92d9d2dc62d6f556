// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does this kernel work inside as the module assumes?
 *
 * Purpose
 *   The headers are those of the running kernel, so the layout of its structures is right. What
 *   the fields mean is checked here, on a console that is registered but suspended, where a
 *   wrong assumption does no harm yet:
 *   - registering sets nbcon_seq to the next record and nbcon_prev_seq to none (nbcon_alloc(),
 *     nbcon_seq_force()), and gives the console a buffer and a printer kthread;
 *   - uart_port_lock() owns the console with normal priority and unsafe, on this processor
 *     (nbcon_device_try_acquire()), and uart_port_unlock() leaves it free;
 *   - nbcon_device_ctxt still names the console afterwards: thread.c releases the console
 *     although it did not acquire it by uart_port_lock() itself.
 *
 * Calling contexts
 *   Process context, on loading.
 *
 * Locking
 *   The port is held (port_hold.c). Takes and releases the port lock.
 *
 * Lifetime
 *   Keeps nothing.
 *
 * What this disturbs
 *   Nothing is printed meanwhile.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kmsg_dump.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include "nbcon_8250.h"

/* The sequence number of the record that printk will store next. */
u64 nbcon_8250_next_record(void)
{
	struct kmsg_dump_iter iter;

	kmsg_dump_rewind(&iter);
	return iter.next_seq;
}

static struct nbcon_state state_of(struct console *con)
{
	struct nbcon_state state;

	state.atom = atomic_read(&ACCESS_PRIVATE(con, nbcon_state));
	return state;
}

static const char *check_registered(struct nbcon_8250 *nb, u64 next_before)
{
	struct console *con = &nb->con;
	unsigned long seq = atomic_long_read(&ACCESS_PRIVATE(con, nbcon_seq));
	unsigned long before = next_before;
	unsigned long after = nbcon_8250_next_record();

	if (seq - before > after - before)
		return "a new console starts at an unexpected record";
	if (atomic_long_read(&ACCESS_PRIVATE(con, nbcon_prev_seq)) != NO_RECORD)
		return "a new console has printed a record already";
	if (!con->pbufs)
		return "a new console has no buffer";
	if (IS_ERR_OR_NULL(con->kthread))
		return "a new console has no printer kthread (too early in the boot?)";
	return NULL;
}

static const char *check_lock(struct nbcon_8250 *nb)
{
	struct uart_port *port = &nb->up->port;
	struct console *con = &nb->con;
	struct nbcon_context *context = &ACCESS_PRIVATE(con, nbcon_device_ctxt);
	struct nbcon_state locked, unlocked;
	unsigned long flags;
	bool names_console;
	unsigned int cpu;

	uart_port_lock_irqsave(port, &flags);
	locked = state_of(con);
	cpu = smp_processor_id();
	uart_port_unlock_irqrestore(port, flags);

	/* While the bare lock is held, nobody else can own a suspended console. */
	__uart_port_lock_irqsave(port, &flags);
	unlocked = state_of(con);
	names_console = context->console == con && context->prio == NBCON_PRIO_NORMAL;
	__uart_port_unlock_irqrestore(port, flags);

	if (locked.prio != NBCON_PRIO_NORMAL || !locked.unsafe || locked.unsafe_takeover ||
	    locked.cpu != cpu)
		return "the port lock does not acquire the console";
	if (unlocked.prio != NBCON_PRIO_NONE || unlocked.unsafe)
		return "unlocking the port does not release the console";
	if (!names_console)
		return "the port lock leaves no context";
	return NULL;
}

/**
 * nbcon_8250_selfcheck - check that the kernel's internals are those the module was written for
 * @nb:		the console: registered, suspended, and already the port's console
 * @next_before: nbcon_8250_next_record() before it was registered
 *
 * Return: true, or false after logging what is different.
 */
bool nbcon_8250_selfcheck(struct nbcon_8250 *nb, u64 next_before)
{
	const char *why = check_registered(nb, next_before);

	if (!why)
		why = check_lock(nb);
	if (why)
		pr_err("this kernel is not supported: %s\n", why);
	return !why;
}
