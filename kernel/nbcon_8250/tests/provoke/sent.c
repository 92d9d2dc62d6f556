// SPDX-License-Identifier: GPL-2.0-only
/*
 * A moment between sending a record and the core's knowing that it was sent.
 *
 * Purpose
 *   Whatever takes the console over then makes the core print the record once more, although it
 *   is on the line already.
 *
 * Calling contexts
 *   Process context; trigger() runs in the console's printer kthread, with the port lock held.
 *
 * Locking
 *   The core calls write_thread() between device_lock() and device_unlock(): the pointer is
 *   changed there. After that nobody is in the other function.
 *
 * Lifetime
 *   The console has its own write_thread() again when this returns.
 *
 * What this disturbs
 *   One record is logged.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/console.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/serial_core.h>
#include "provoke.h"

#ifdef HAVE_WRITE_THREAD
/* How long the console may need for what it has to print first. */
#define PATIENCE_S	60

static struct provoke_trap trap = { .done = COMPLETION_INITIALIZER(trap.done) };
static void (*write_thread)(struct console *con, struct nbcon_write_context *wctxt);

static void send_and_trigger(struct console *con, struct nbcon_write_context *wctxt)
{
	write_thread(con, wctxt);
	/* Without a buffer the record was not sent, or not whole. */
	if (wctxt->outbuf)
		provoke_trap_spring(&trap);
}

int provoke_when_sent(void (*trigger)(void))
{
	struct uart_port *port = provoke_find_port();
	struct console *con = port ? port->cons : NULL;
	unsigned long flags;
	int err;

	if (!con || !(con->flags & CON_NBCON))
		return -ENODEV;
	provoke_trap_set(&trap, trigger);
	con->device_lock(con, &flags);
	write_thread = con->write_thread;
	con->write_thread = send_and_trigger;
	con->device_unlock(con, flags);
	pr_info("to be sent\n");
	err = provoke_trap_wait(&trap, PATIENCE_S);
	con->device_lock(con, &flags);
	con->write_thread = write_thread;
	con->device_unlock(con, flags);
	return err;
}
#else
int provoke_when_sent(void (*trigger)(void))
{
	return -ENODEV;
}
#endif
