// SPDX-License-Identifier: GPL-2.0-only
/*
 * nbcon_8250 - an asynchronous console for a live 8250 serial port
 *
 * Purpose
 *   Up to Linux 7.2 every printk() to an 8250 waits for the serial line. This module takes the
 *   registered ttyS console over and prints through the thread that the kernel runs for each
 *   nbcon console. printk() then only stores its message.
 *
 * Calling contexts
 *   write_thread()	the console's own kernel thread; it may sleep (thread.c)
 *   write_atomic()	anything, NMI included; takes no lock (atomic.c)
 *   setup(), exit()	with the list of consoles locked, when the port is unbound, bound, or
 *			switched in sysfs (takeover.c)
 *
 * Locking
 *   The registers belong to who holds the port lock by uart_port_lock(), which owns the console
 *   as well once it is the port's, or owns the console in an unsafe section. The thread takes
 *   both for one burst of the FIFO at a time and does not wait for either with interrupts
 *   off, but for once behind a suspend in which the port lost its settings (hold_tty_output()).
 *   struct takeover is written by the thread, and while there is none by loading and unloading;
 *   what atomic writers touch of it is atomic. Loading and unloading keep the port from being
 *   bound, unbound and switched (port_hold.c).
 *
 * Lifetime
 *   From loading to unloading, for one console. While it is loaded, uart_driver.cons and
 *   uart_port.cons point into it, and the driver's console is kept, unregistered; its setup()
 *   and exit() still do their work when the port is bound anew. Unloading puts all of it back.
 *
 * What this disturbs
 *   - Opening, closing or setting the tty waits for the record being printed.
 *   - The tty's output stops for the length of a record (uart_port.hw_stopped).
 *   - What is still in the log when the machine hangs without a panic is not on the line.
 *   - The driver's console is gone from the list of consoles: who looks for its address there
 *     (a debugger) finds ours.
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
MODULE_PARM_DESC(port, "console to take over, ttyS0; by default the one that is registered");

static bool replay;
module_param(replay, bool, 0444);
MODULE_PARM_DESC(replay, "print from the start of the log, not from where the old console was");

static unsigned int replay_limit;
module_param(replay_limit, uint, 0444);
MODULE_PARM_DESC(replay_limit, "replay at most about so many characters, the latest; 0: all");

static int loglevel = -1;
module_param(loglevel, int, 0444);
MODULE_PARM_DESC(loglevel, "the console's loglevel from now on; -1: leave it");

static char *warn = "flush";
module_param(warn, charp, 0444);
MODULE_PARM_DESC(warn, "a WARN prints the backlog at once (flush) or leaves it (thread)");

bool warn_leaves_to_thread;

static struct takeover *takeover;

static int read_parameters(void)
{
	if (!strcmp(warn, "thread")) {
		warn_leaves_to_thread = true;
	} else if (strcmp(warn, "flush")) {
		pr_err("warn=%s: flush or thread\n", warn);
		return -EINVAL;
	}
	if (loglevel < -1 || loglevel > 15) {
		pr_err("loglevel=%d: 0 to 15\n", loglevel);
		return -EINVAL;
	}
	return 0;
}

static void release(struct takeover *t)
{
	kfree(t->text);
	kfree(t);
}

static int __init take(struct console *legacy)
{
	int old_loglevel = console_loglevel;
	struct uart_state *state;
	struct held_port held;
	struct takeover *t;
	int err;

	state = find_state(legacy);
	if (!state)
		return -ENODEV;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->text = kmalloc(RECORD_TEXT_MAX, GFP_KERNEL);
	hold_port(&held, state);
	err = t->text ? recognise_console(t, legacy, state) : -ENOMEM;
	if (!err) {
		if (loglevel >= 0)
			console_loglevel = loglevel;
		err = take_over(t, replay, replay_limit);
	}
	release_port(&held);
	if (err) {
		console_loglevel = old_loglevel;
		release(t);
		return err;
	}
	takeover = t;
	counters_show(t);
	return 0;
}

#ifdef MODULE
static int __init nbcon_8250_init(void)
{
	struct console *legacy;
	int err = read_parameters();

	if (err)
		return err;
	legacy = find_console(port, true);
	return legacy ? take(legacy) : -ENODEV;
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
	legacy = find_console(port, last);
	if (!legacy)
		return -ENODEV;
	decided = true;
	err = read_parameters();
	return err ? err : take(legacy);
}

/* The 8250 driver's own initcall stands before this one in the Makefile. */
static int __init nbcon_8250_init(void)
{
	return look_for_console(false);
}
device_initcall(nbcon_8250_init);

/* For a port whose probe had to wait for others; deferred probes are through at late_initcall. */
static int __init nbcon_8250_late_init(void)
{
	return look_for_console(*port);
}
late_initcall_sync(nbcon_8250_late_init);
#endif

static void __exit nbcon_8250_exit(void)
{
	counters_hide();
	hand_back(takeover);
	release(takeover);
}
module_exit(nbcon_8250_exit);

MODULE_DESCRIPTION("Asynchronous console for a live 8250 serial port");
MODULE_AUTHOR("The bootline authors");
MODULE_LICENSE("GPL");
