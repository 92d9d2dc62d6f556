// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the thread cannot print: panic, suspend, reboot.
 *
 * Purpose
 *   - Panic: the other CPUs are stopped when the notifiers run. What is in the ring is printed,
 *     by force if a stopped CPU was printing.
 *   - Suspend, hibernation, reboot, power-off: what is in the ring is printed, and from then on
 *     writers print themselves, as with the driver's own console, until the system is back. So
 *     nothing is left when the port loses its power or its clock, and everything logged while
 *     devices are suspended is printed when the driver's own console would print it.
 *
 * Calling contexts
 *   Panic: any, with interrupts off. The others: process context.
 *
 * Locking
 *   The console lock while the mode changes, so that no writer is on its way.
 *
 * Lifetime
 *   From loading to unloading.
 *
 * What this disturbs
 *   Suspend and reboot wait until the backlog has been transmitted.
 */
#include <linux/kernel.h>
#include <linux/nmi.h>
#include <linux/reboot.h>
#include <linux/suspend.h>
#include "compat.h"
#include "console_relay.h"

static int drain_in_panic(struct notifier_block *block, unsigned long event, void *unused)
{
	struct console_relay *relay = container_of(block, struct console_relay, panic_notifier);

	WRITE_ONCE(relay->panicking, true);
	while (console_relay_print(relay, PATIENCE_TAKE, NULL, 0) == PRINTED_LINE)
		touch_nmi_watchdog();
	return NOTIFY_DONE;
}

static void print_directly(struct console_relay *relay)
{
	/* Most of it without the console lock. */
	console_relay_drain(relay);
	console_lock();
	console_relay_drain(relay);
	WRITE_ONCE(relay->direct, true);
	console_unlock();
}

static int drain_before_reboot(struct notifier_block *block, unsigned long event, void *unused)
{
	print_directly(container_of(block, struct console_relay, reboot_notifier));
	return NOTIFY_DONE;
}

static int follow_suspend(struct notifier_block *block, unsigned long event, void *unused)
{
	struct console_relay *relay = container_of(block, struct console_relay, pm_notifier);

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		print_directly(relay);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		WRITE_ONCE(relay->direct, false);
		break;
	}
	return NOTIFY_DONE;
}

/* Starts to watch; errors only mean that there is nothing to watch. */
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
