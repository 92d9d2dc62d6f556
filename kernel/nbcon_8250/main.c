// SPDX-License-Identifier: GPL-2.0-only
/*
 * nbcon_8250 - an asynchronous console for a live 8250 serial port
 *
 * Purpose
 *   Up to Linux 7.2 every printk() to an 8250 waits for the serial line. This module replaces
 *   the registered ttyS console at run time (a console switch) by an nbcon console, which prints
 *   from the printer kthread that the kernel runs for it. printk() then only stores its message.
 *
 * Calling contexts
 *   write_thread()	the console's own printer kthread; may sleep (thread.c)
 *   write_atomic()	any context, including NMI; takes no lock (atomic.c)
 *   setup(), exit()	with the console list locked, when the port is bound or unbound, or its
 *			console is switched on or off in sysfs (console_switch.c)
 *
 * Locking
 *   The registers belong to whoever holds the port lock by uart_port_lock(), which also acquires
 *   the console once that is the port's, or owns the console in an unsafe section. The printer
 *   kthread takes both for one FIFO fill at a time and does not wait for either with interrupts
 *   off, except once after a suspend in which the port lost its settings (hold_tty_output()).
 *   struct nbcon_8250 is written by the printer kthread, and while there is none by loading and
 *   unloading; what atomic writers use of it is atomic. While loading and unloading, the port
 *   can be neither bound nor unbound, nor its console switched on or off (port_hold.c).
 *
 * Lifetime
 *   From loading to unloading, for one console. Meanwhile uart_driver.cons and uart_port.cons
 *   point to it. The driver's console stays around unregistered: its setup() and exit() still do
 *   their work when the port is bound again. Unloading restores all of it.
 *
 * What this disturbs
 *   - Opening, closing or setting the tty waits for the record being printed.
 *   - The tty's output is stopped during a record (uart_port.hw_stopped).
 *   - If the machine hangs without a panic, records not yet printed are missing on the line.
 *   - The driver's console is no longer in the console list. kgdboc keeps the address of the
 *     console of its port, to leave it out when it prints (kgdboc_io_ops, which is not exported);
 *     it compares the address only, but prints twice if it is another one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "nbcon_8250.h"

static char *port = "";
module_param(port, charp, 0444);
MODULE_PARM_DESC(port, "console to replace, such as ttyS0 (default: the registered ttyS console)");

static bool replay;
module_param(replay, bool, 0444);
MODULE_PARM_DESC(replay, "print the log from its start, not only what the legacy console has not printed (default: no)");

static unsigned int replay_limit;
module_param(replay_limit, uint, 0444);
MODULE_PARM_DESC(replay_limit, "replay at most about this many bytes, the latest; 0: no limit (default: 0)");

static int loglevel = -1;
module_param(loglevel, int, 0444);
MODULE_PARM_DESC(loglevel, "set the console loglevel, as dmesg -n; -1: leave it (default: -1)");

static char *warn = "flush";
module_param(warn, charp, 0444);
MODULE_PARM_DESC(warn, "on a WARN, flush: print the backlog at once; thread: leave it to the printer kthread (default: flush)");

/* Less than the lockup detectors wait for, 10 s. */
#define LONGEST_WARN_LIMIT_MS	8000

unsigned int nbcon_8250_warn_limit_ms = 2000;
module_param_named(warn_limit, nbcon_8250_warn_limit_ms, uint, 0444);
MODULE_PARM_DESC(warn_limit, "with warn=flush, print for at most about this many ms, and leave the rest to the printer kthread (default: 2000)");

bool nbcon_8250_warn_to_thread;

static struct nbcon_8250 *active;

static int read_parameters(void)
{
	if (!strcmp(warn, "thread")) {
		nbcon_8250_warn_to_thread = true;
	} else if (strcmp(warn, "flush")) {
		pr_err("warn=%s: must be flush or thread\n", warn);
		return -EINVAL;
	}
	if (!nbcon_8250_warn_limit_ms || nbcon_8250_warn_limit_ms > LONGEST_WARN_LIMIT_MS) {
		pr_err("warn_limit=%u: must be 1 to %u\n", nbcon_8250_warn_limit_ms,
		       LONGEST_WARN_LIMIT_MS);
		return -EINVAL;
	}
	if (loglevel < -1 || loglevel > 15) {
		pr_err("loglevel=%d: must be 0 to 15\n", loglevel);
		return -EINVAL;
	}
	return 0;
}

static void free_console(struct nbcon_8250 *nb)
{
	kfree(nb->text);
	kfree(nb);
}

static int __init switch_console(struct console *legacy)
{
	int old_loglevel = console_loglevel;
	struct uart_driver *driver;
	struct held_port held;
	struct nbcon_8250 *nb;
	int err;

	driver = nbcon_8250_find_driver(legacy);
	if (!driver)
		return -ENODEV;
	nb = kzalloc(sizeof(*nb), GFP_KERNEL);
	if (!nb)
		return -ENOMEM;
	nb->text = kmalloc(RECORD_TEXT_MAX, GFP_KERNEL);
	nbcon_8250_hold_port(&held, driver, legacy->index);
	err = nb->text ? nbcon_8250_recognise_console(nb, legacy) : -ENOMEM;
	if (!err) {
		if (loglevel >= 0)
			console_loglevel = loglevel;
		err = nbcon_8250_switch_console(nb, replay, replay_limit);
	}
	nbcon_8250_release_port(&held);
	if (err) {
		console_loglevel = old_loglevel;
		free_console(nb);
		return err;
	}
	active = nb;
	nbcon_8250_watch_panic(nb);
	nbcon_8250_counters_create(nb);
	return 0;
}

#ifdef MODULE
static int __init nbcon_8250_init(void)
{
	struct console *legacy;
	int err = read_parameters();

	if (err)
		return err;
	legacy = nbcon_8250_find_console(port, true);
	return legacy ? switch_console(legacy) : -ENODEV;
}
module_init(nbcon_8250_init);
#else
static bool decided __initdata;

static int __init look_for_console(bool last)
{
	struct console *legacy;
	int err;

	if (decided)
		return 0;
	legacy = nbcon_8250_find_console(port, last);
	if (!legacy)
		return -ENODEV;
	decided = true;
	err = read_parameters();
	return err ? err : switch_console(legacy);
}

/* Runs after the 8250 driver's own initcall, which precedes it in the Makefile. */
static int __init nbcon_8250_init(void)
{
	return look_for_console(false);
}
device_initcall(nbcon_8250_init);

/* For a port whose probe was deferred: deferred probes are done before late_initcall_sync. */
static int __init nbcon_8250_late_init(void)
{
	return look_for_console(*port);
}
late_initcall_sync(nbcon_8250_late_init);
#endif

static void __exit nbcon_8250_exit(void)
{
	nbcon_8250_counters_remove();
	nbcon_8250_switch_back(active);
	nbcon_8250_unwatch_panic(active);
	free_console(active);
}
module_exit(nbcon_8250_exit);

MODULE_DESCRIPTION("Asynchronous console for a live 8250 serial port");
MODULE_AUTHOR("The bootline authors");
MODULE_LICENSE("GPL");
