/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CONSOLE_RELAY_COMPAT_H
#define CONSOLE_RELAY_COMPAT_H

#include <linux/console.h>
#ifdef HAVE_PANIC_NOTIFIER_H
#include <linux/panic_notifier.h>
#else
#include <linux/kernel.h>
#endif

/* Before 6.4 a suspended console has no flag of its own, before 6.5 there are no nbcon consoles. */
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

static inline void relay_unlock_consoles(void)
{
	console_unlock();
#ifdef HAVE_CONSOLE_LIST_LOCK
	console_list_unlock();
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
