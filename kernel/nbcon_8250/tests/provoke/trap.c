// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calling a function once, from a place that is reached sooner or later.
 *
 * Purpose
 *   One context sets the trap and waits; another one, which comes to the place, springs it.
 *
 * Calling contexts
 *   provoke_trap_wait(): process context; the rest any.
 *
 * Locking
 *   None: one caller at a time sets a trap; of several that spring it, one calls the function.
 *
 * Lifetime
 *   Until provoke_trap_wait() returns.
 *
 * What this disturbs
 *   Nothing but what is triggered.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include "provoke.h"

void provoke_trap_set(struct provoke_trap *trap, void (*trigger)(void))
{
	reinit_completion(&trap->done);
	xchg(&trap->trigger, trigger);
}

void provoke_trap_spring(struct provoke_trap *trap)
{
	void (*trigger)(void);

	trigger = xchg(&trap->trigger, NULL);
	if (trigger) {
		trigger();
		complete(&trap->done);
	}
}

int provoke_trap_wait(struct provoke_trap *trap, unsigned int seconds)
{
	if (wait_for_completion_timeout(&trap->done, seconds * HZ))
		return 0;
	/* Nobody came. Disarmed, unless somebody is there just now. */
	return xchg(&trap->trigger, NULL) ? -ETIMEDOUT : 0;
}
