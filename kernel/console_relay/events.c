// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the thread cannot print: panic, suspend, reboot.
 *
 * Purpose
 *   - Panic: the other CPUs are stopped when the notifiers run. What is in the ring is printed,
 *     by force if a stopped CPU, or what the panic interrupted, was printing, and then the record
 *     that this had not finished.
 *   - Suspend, hibernation, reboot, power-off: what is in the ring is printed, and from then on
 *     writers print themselves, as with the driver's own console, until the system is back. So
 *     nothing is left when the port loses its power or its clock, and everything logged while
 *     devices are suspended is printed when the driver's own console would print it.
 *
 * Calling contexts
 *   Panic: any, with interrupts off. The others: process context.
 *
 * Locking
 *   The console lock while the mode changes, so that no writer is on its way; but nobody waits
 *   for it for longer than a second.
 *
 * Lifetime
 *   From loading to unloading.
 *
 * What this disturbs
 *   Suspend and reboot wait until the backlog of that moment has been transmitted. Preemption is
 *   off while what was logged meanwhile is printed.
 */
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/nmi.h>
#include <linux/preempt.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include "compat.h"
#include "console_relay.h"

#define LOCK_PATIENCE_MS	1000
#define LOCK_POLL_MS		1

static int drain_in_panic(struct notifier_block *block, unsigned long event, void *unused)
{
	struct console_relay *relay = container_of(block, struct console_relay, panic_notifier);
	enum printed printed;
	const char *record;
	unsigned int len;

	WRITE_ONCE(relay->panic_cpu, raw_smp_processor_id());
	/* Who sees that there is a panic sees whose. */
	smp_store_release(&relay->panicking, true);
	do {
		/* Not before: a CPU that was not stopped may finish it meanwhile. */
		len = console_relay_unfinished_record(relay, &record);
		printed = console_relay_print(relay, PATIENCE_TAKE, record, len);
		touch_nmi_watchdog();
	} while (printed == PRINTED_LINE);
	/* panic() has the core print what its consoles have not printed yet. */
	console_relay_set_back(relay);
	return NOTIFY_DONE;
}

/* A task that died with the console lock held must not prevent a reboot. */
static bool lock_console_in_time(void)
{
	unsigned long end = jiffies + msecs_to_jiffies(LOCK_PATIENCE_MS);

	while (!console_trylock()) {
		/* Under a flood of records each sleep may take many times as long. */
		if (time_after(jiffies, end))
			return false;
		msleep(LOCK_POLL_MS);
	}
	return true;
}

/*
 * The lock was taken by console_trylock(), after which console_unlock() does not sleep. As in
 * printk(), preemption is off: otherwise writers may store more between two records than is
 * printed, and on one CPU a flood never ends.
 */
static void unlock_console(void)
{
	preempt_disable();
	console_unlock();
	preempt_enable();
}

/**
 * console_relay_print_directly - print the backlog, and have writers print themselves
 * @relay:	the relay
 * @directness:	how writers print from then on; they only start with it when the backlog is short
 *
 * This takes no longer than the backlog that there is now and what is logged while that is
 * printed, however much is being logged then.
 */
void console_relay_print_directly(struct console_relay *relay, enum directness directness)
{
	WRITE_ONCE(relay->direct, DIRECT_LIMITED);
	console_relay_drain(relay);
	/* A writer that has not seen it yet may have stored its record meanwhile. */
	if (lock_console_in_time()) {
		console_relay_drain(relay);
		console_relay_set_back(relay);
		WRITE_ONCE(relay->direct, directness);
		unlock_console();
	} else {
		console_relay_drain(relay);
		WRITE_ONCE(relay->direct, directness);
	}
}

static int drain_before_reboot(struct notifier_block *block, unsigned long event, void *unused)
{
	console_relay_print_directly(container_of(block, struct console_relay, reboot_notifier),
				     DIRECT_FULLY);
	return NOTIFY_DONE;
}

static int follow_suspend(struct notifier_block *block, unsigned long event, void *unused)
{
	struct console_relay *relay = container_of(block, struct console_relay, pm_notifier);

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		console_relay_print_directly(relay, DIRECT_FULLY);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		WRITE_ONCE(relay->direct, DIRECT_NEVER);
		break;
	}
	return NOTIFY_DONE;
}

/*
 * Starts to watch; before write() is exchanged, and until it has been exchanged back. None of the
 * calls can fail: a chain refuses only what it contains already. Without CONFIG_PM_SLEEP
 * register_pm_notifier() does nothing, and the kernel never suspends.
 */
void console_relay_watch(struct console_relay *relay)
{
	relay->panic_notifier.notifier_call = drain_in_panic;
	relay->reboot_notifier.notifier_call = drain_before_reboot;
	relay->pm_notifier.notifier_call = follow_suspend;
	/* First of all: other notifiers may log. */
	relay->panic_notifier.priority = INT_MAX;
	relay->reboot_notifier.priority = INT_MAX;
	relay->pm_notifier.priority = INT_MAX;
	atomic_notifier_chain_register(&panic_notifier_list, &relay->panic_notifier);
	register_reboot_notifier(&relay->reboot_notifier);
	register_pm_notifier(&relay->pm_notifier);
}

void console_relay_unwatch(struct console_relay *relay)
{
	unregister_pm_notifier(&relay->pm_notifier);
	unregister_reboot_notifier(&relay->reboot_notifier);
	atomic_notifier_chain_unregister(&panic_notifier_list, &relay->panic_notifier);
}
