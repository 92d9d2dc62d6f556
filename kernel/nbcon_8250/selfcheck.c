// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does this kernel work inside as the module believes?
 *
 * The headers are those of the running kernel, so that the layout of its structures is right.
 * What they mean is looked at here, on a console that is registered but suspended, where a
 * wrong belief does no harm yet:
 * - registering sets nbcon_seq to the next record and nbcon_prev_seq to none (nbcon_alloc(),
 *   nbcon_seq_force()), and gives the console a buffer and a thread;
 * - uart_port_lock() owns the console with priority normal and unsafe, on this processor
 *   (nbcon_device_try_acquire()), uart_port_unlock() leaves it free;
 * - nbcon_device_ctxt goes on naming the console after that: thread.c gives the console up with
 *   a release that it has not acquired by uart_port_lock() itself.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kmsg_dump.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include "nbcon_8250.h"

/* The number of the record that printk will store next. */
u64 next_record(void)
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

static const char *check_registered(struct takeover *t, u64 next_before)
{
	struct console *con = &t->con;
	unsigned long seq = atomic_long_read(&ACCESS_PRIVATE(con, nbcon_seq));
	unsigned long before = next_before;
	unsigned long after = next_record();

	if (seq - before > after - before)
		return "a new console begins at an unexpected record";
	if (atomic_long_read(&ACCESS_PRIVATE(con, nbcon_prev_seq)) != NO_RECORD)
		return "a new console has printed a record already";
	if (!con->pbufs)
		return "a new console has no buffer";
	if (IS_ERR_OR_NULL(con->kthread))
		return "a new console has no printing thread (too early in the boot?)";
	return NULL;
}

static const char *check_lock(struct takeover *t)
{
	struct uart_port *port = &t->up->port;
	struct console *con = &t->con;
	struct nbcon_context *context = &ACCESS_PRIVATE(con, nbcon_device_ctxt);
	struct nbcon_state locked, unlocked;
	unsigned long flags;
	bool names_console;
	unsigned int cpu;

	uart_port_lock_irqsave(port, &flags);
	locked = state_of(con);
	cpu = smp_processor_id();
	uart_port_unlock_irqrestore(port, flags);

	/* The bare lock keeps everybody else from owning a suspended console. */
	__uart_port_lock_irqsave(port, &flags);
	unlocked = state_of(con);
	names_console = context->console == con && context->prio == NBCON_PRIO_NORMAL;
	__uart_port_unlock_irqrestore(port, flags);

	if (locked.prio != NBCON_PRIO_NORMAL || !locked.unsafe || locked.unsafe_takeover ||
	    locked.cpu != cpu)
		return "the port lock does not own the console";
	if (unlocked.prio != NBCON_PRIO_NONE || unlocked.unsafe)
		return "unlocking the port does not free the console";
	if (!names_console)
		return "the port lock leaves no context behind";
	return NULL;
}

/**
 * selfcheck - whether the kernel's internals are those that the module was written for
 * @t:		the console, registered and suspended, the port's console already
 * @next_before: next_record() before it was registered
 *
 * Return: true, or false after having said what is different.
 */
bool selfcheck(struct takeover *t, u64 next_before)
{
	const char *why = check_registered(t, next_before);

	if (!why)
		why = check_lock(t);
	if (why)
		pr_err("not the kernel that this module knows: %s\n", why);
	return !why;
}
