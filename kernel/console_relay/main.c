// SPDX-License-Identifier: GPL-2.0-only
/*
 * console_relay - asynchronous printing for a legacy serial console
 *
 * Purpose
 *   On most serial ports each printk() waits until its bytes have been transmitted. This module
 *   exchanges the write() of a registered console at run time: it copies the text into a ring,
 *   and a thread calls the driver's own write(), a line at a time, or to an 8250 fills the FIFO
 *   and sleeps while it drains (bursts.c). The console itself stays registered. It needs no nbcon
 *   console, and so works on kernels that have none.
 *
 * Calling contexts
 *   relay_write()	printk(), any context, with interrupts off (console_hook.c)
 *   relay_exit()	the console is being unregistered (console_hook.c)
 *   run_thread()	the relay's own thread (output.c)
 *   notifiers		panic, suspend, reboot (events.c)
 *
 * Locking
 *   Writers hold the console lock. Who prints owns the output (output.c). The callbacks of the
 *   console are exchanged under the console list lock and the console lock.
 *
 * Lifetime
 *   From loading to unloading, for one console. The drivers' modules are held (drivers.c).
 *
 * What this disturbs
 *   - If the machine hangs without a panic, records not yet printed are missing on the line.
 *   - The sequence number of the console shows what was copied, not what was transmitted:
 *     pr_flush() returns before the bytes have been transmitted.
 *   - The driver spins while it prints, with interrupts off for a line, as it does in printk(). To
 *     an 8250 the thread can print without it (bursts.c).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include "compat.h"
#include "console_relay.h"

static char *port = "";
module_param(port, charp, 0444);
MODULE_PARM_DESC(port, "console to relay, such as ttyS0 (default: the first serial console)");

static bool replay;
module_param(replay, bool, 0444);
MODULE_PARM_DESC(replay, "print the log from its start, not only what the driver's console has not printed (default: no)");

static unsigned int replay_limit;
module_param(replay_limit, uint, 0444);
MODULE_PARM_DESC(replay_limit, "replay at most about this many bytes, the latest; 0: no limit (default: 0)");

static int loglevel = -1;
module_param(loglevel, int, 0444);
MODULE_PARM_DESC(loglevel, "set the console loglevel, as dmesg -n; -1: leave it (default: -1)");

static char *warn = "flush";
module_param(warn, charp, 0444);
MODULE_PARM_DESC(warn, "on a WARN, flush: print the backlog at once; thread: leave it to the thread (default: flush)");

/* Less than the lockup detectors wait for, 10 s. */
#define LONGEST_WARN_LIMIT_MS	8000

unsigned int console_relay_warn_limit_ms = 2000;
module_param_named(warn_limit, console_relay_warn_limit_ms, uint, 0444);
MODULE_PARM_DESC(warn_limit, "with warn=flush, print for at most about this many ms, and leave the rest to the thread (default: 2000)");

#define DEFAULT_BUFFER		(128U << 10)
#define SMALLEST_BUFFER		(4U << 10)
#define LARGEST_BUFFER		(64U << 20)

static unsigned int buffer = DEFAULT_BUFFER;
module_param(buffer, uint, 0444);
MODULE_PARM_DESC(buffer, "room for this many bytes that wait for the line, in addition to a replay (default: 131072)");

static int nice = MAX_NICE;
module_param(nice, int, 0444);
MODULE_PARM_DESC(nice, "nice value of the thread while it calls the driver's write, which spins (default: 19)");

static bool bursts = BURSTS_BY_DEFAULT;
module_param(bursts, bool, 0444);
MODULE_PARM_DESC(bursts, "print to an 8250 by filling its FIFO and sleeping while it drains (default: yes from 6.0 to 6.11)");

bool console_relay_warn_to_thread;

static struct console_relay *active;

static int read_parameters(void)
{
	if (!strcmp(warn, "thread")) {
		console_relay_warn_to_thread = true;
	} else if (strcmp(warn, "flush")) {
		pr_err("warn=%s: must be flush or thread\n", warn);
		return -EINVAL;
	}
	if (!console_relay_warn_limit_ms || console_relay_warn_limit_ms > LONGEST_WARN_LIMIT_MS) {
		pr_err("warn_limit=%u: must be 1 to %u\n", console_relay_warn_limit_ms,
		       LONGEST_WARN_LIMIT_MS);
		return -EINVAL;
	}
	if (loglevel < -1 || loglevel > 15) {
		pr_err("loglevel=%d: must be 0 to 15\n", loglevel);
		return -EINVAL;
	}
	if (buffer < SMALLEST_BUFFER || buffer > LARGEST_BUFFER) {
		pr_err("buffer=%u: must be %u to %u\n", buffer, SMALLEST_BUFFER, LARGEST_BUFFER);
		return -EINVAL;
	}
	if (nice < MIN_NICE || nice > MAX_NICE) {
		pr_err("nice=%d: must be %d to %d\n", nice, MIN_NICE, MAX_NICE);
		return -EINVAL;
	}
	return 0;
}

static void free_relay(struct console_relay *relay)
{
	kvfree(relay->ring.bytes);
	kfree(relay);
}

static struct console_relay *make_relay(const struct relay_target *target)
{
	struct console_relay *relay = kzalloc(sizeof(*relay), GFP_KERNEL);
	unsigned int size = buffer;

	if (!relay)
		return NULL;
	/* Both levels: the console loglevel may still change until the replay starts. */
	if (replay)
		size += console_relay_log_bytes(replay_limit, max(loglevel, console_loglevel));
	relay->target = *target;
	relay->con = target->con;
	relay->ring.size = roundup_pow_of_two(size);
	relay->ring.bytes = kvmalloc(relay->ring.size, GFP_KERNEL);
	relay->progress_ns = ktime_get_mono_fast_ns();
	relay->budget.regained_ns = relay->progress_ns;
	if (relay->ring.bytes)
		return relay;
	free_relay(relay);
	return NULL;
}

static int hook(struct console_relay *relay)
{
	int old_loglevel = console_loglevel;
	struct uart_state *held;
	int err;

	held = console_relay_hold_port(&relay->target);
	if (loglevel >= 0)
		console_loglevel = loglevel;
	if (bursts)
		console_relay_find_bursts(relay, held);
	err = console_relay_hook(relay, replay, replay_limit);
	if (err) {
		pr_err("%s%d has just been unbound or switched off\n", relay->con->name,
		       relay->con->index);
		console_loglevel = old_loglevel;
	}
	console_relay_release_port(&relay->target, held);
	return err;
}

/* Takes over what @target holds. */
static int __init start_relay(const struct relay_target *target)
{
	struct console_relay *relay;
	int err = -ENOMEM;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("PREEMPT_RT prints from a thread of its own, and is not supported\n");
		err = -EOPNOTSUPP;
		goto release;
	}
	relay = make_relay(target);
	if (!relay)
		goto release;
	err = console_relay_start_thread(relay, nice);
	if (err)
		goto free;
	console_relay_watch(relay);
	err = hook(relay);
	if (err)
		goto unwatch;
	active = relay;
	console_relay_counters_create(relay);
	pr_info("%s%d prints through a thread of its own, %s\n", relay->con->name,
		relay->con->index, relay->bursts.fit ? "in bursts" : "by the driver's write");
	return 0;
unwatch:
	console_relay_unwatch(relay);
	console_relay_stop_thread(relay);
free:
	free_relay(relay);
release:
	console_relay_release_target(target);
	return err;
}

#ifdef MODULE
static int __init console_relay_init(void)
{
	struct relay_target target;
	int err = read_parameters();

	if (err)
		return err;
	if (!console_relay_find_console(port, true, &target))
		return -ENODEV;
	return start_relay(&target);
}
module_init(console_relay_init);
#else
static bool decided __initdata;

static int __init look_for_console(bool last)
{
	struct relay_target target;
	int err;

	if (decided)
		return 0;
	if (!console_relay_find_console(port, last, &target))
		return -ENODEV;
	decided = true;
	err = read_parameters();
	if (err) {
		console_relay_release_target(&target);
		return err;
	}
	return start_relay(&target);
}

/* Runs after the drivers' own initcalls, which precede it in the Makefile. */
static int __init console_relay_init(void)
{
	return look_for_console(false);
}
device_initcall(console_relay_init);

/* For a port whose probe was deferred: deferred probes are done before late_initcall_sync. */
static int __init console_relay_late_init(void)
{
	return look_for_console(*port);
}
late_initcall_sync(console_relay_late_init);
#endif

static void __exit console_relay_exit(void)
{
	struct console_relay *relay = active;
	struct uart_state *held;

	console_relay_counters_remove();
	console_relay_wait_for_thread(relay);
	console_relay_print_directly(relay, DIRECT_LIMITED);
	held = console_relay_hold_port(&relay->target);
	console_relay_unhook(relay);
	console_relay_release_port(&relay->target, held);
	console_relay_unwatch(relay);
	console_relay_stop_thread(relay);
	if (!console_relay_ring_empty(&relay->ring))
		pr_warn("%s%d: the port did not take the last %u bytes\n", relay->con->name,
			relay->con->index, console_relay_ring_bytes(&relay->ring));
	pr_info("%s%d is the driver's own console again\n", relay->con->name, relay->con->index);
	console_relay_release_target(&relay->target);
	free_relay(relay);
}
module_exit(console_relay_exit);

MODULE_DESCRIPTION("Asynchronous printing for a legacy serial console");
MODULE_AUTHOR("The bootline authors");
MODULE_LICENSE("GPL");
