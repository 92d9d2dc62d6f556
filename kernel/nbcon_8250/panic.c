// SPDX-License-Identifier: GPL-2.0-only
/*
 * A panic while somebody else is writing the port's registers.
 *
 * Purpose
 *   Such a console is unsafe, and the kernel takes it over only at the very end of a panic: after
 *   the reboot that panic= requests. By the time the kmsg dumpers run, the other processors are
 *   stopped and the interrupted context will never go on. So a dumper releases the console, and
 *   logs that: with this message everything is printed, also if a crash kernel is to follow right
 *   after the dumpers (crash_kexec_post_notifiers).
 *
 * Calling contexts
 *   dump(): a panic, in any context. Registering: process context, on loading and unloading.
 *
 * Locking
 *   None. Where the owner's processor could not be stopped, it finds that it has lost the
 *   console, as in any takeover.
 *
 * Lifetime
 *   From loading to unloading.
 *
 * What this disturbs
 *   The registers may be half-written: write_polled() selects the transmitter again.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/printk.h>
#include "nbcon_8250.h"

static void release_console(struct kmsg_dumper *dumper, struct kmsg_dump_detail *detail)
{
	struct nbcon_8250 *nb = container_of(dumper, struct nbcon_8250, dumper);
	struct nbcon_state state, released = { };

	state.atom = atomic_read(&ACCESS_PRIVATE(&nb->con, nbcon_state));
	/* An owner in a safe section is taken over as it is. */
	if (detail->reason != KMSG_DUMP_PANIC || !state.unsafe ||
	    state.prio == NBCON_PRIO_NONE || state.prio == NBCON_PRIO_PANIC)
		return;
	WRITE_ONCE(nb->broken_off, true);
	if (atomic_try_cmpxchg(&ACCESS_PRIVATE(&nb->con, nbcon_state), &state.atom, released.atom))
		pr_emerg("ttyS%u: CPU %u was in the middle of a write to the port\n",
			 nb->up->port.line, state.cpu);
}

/**
 * nbcon_8250_watch_panic - print panics that interrupt the writing of a register
 * @nb:		the console
 */
void nbcon_8250_watch_panic(struct nbcon_8250 *nb)
{
	nb->dumper.dump = release_console;
	nb->dumper.max_reason = KMSG_DUMP_PANIC;
	kmsg_dump_register(&nb->dumper);
}

/**
 * nbcon_8250_unwatch_panic - undo nbcon_8250_watch_panic()
 * @nb:		the console
 */
void nbcon_8250_unwatch_panic(struct nbcon_8250 *nb)
{
	kmsg_dump_unregister(&nb->dumper);
}
