// SPDX-License-Identifier: GPL-2.0-only
/*
 * The console switch: the nbcon console replaces the driver's legacy console, and back.
 *
 * Purpose
 *   In both directions: the new console is registered suspended, the old one is stopped and
 *   unregistered, the sequence number at which it stopped is written to the new one, which may
 *   then print. Whatever is logged meanwhile comes either before or after that record: nothing
 *   is lost, nothing is printed twice.
 *   The sequence number of the next record is written to nbcon_seq directly, as
 *   nbcon_seq_force() is not exported. A console that is registered with CON_PRINTBUFFER would
 *   get its start from the kernel, but up to 6.16, and in 7.2, with a flush that waits for the
 *   serial line.
 *
 * Calling contexts
 *   Process context, on loading and unloading. setup() and exit() while the serial core
 *   registers or unregisters the console.
 *
 * Locking
 *   The port is held (port_hold.c). The console list lock is taken for each change of flags;
 *   the console lock for reading or writing the sequence number of the legacy console.
 *   setup() and exit() are called with the console list locked.
 *
 * Lifetime
 *   The legacy console is kept for the way back. The resume work is flushed before that.
 *
 * What this disturbs
 *   From stopping one console until the other may print, nothing is printed, not even by a
 *   panic: for a few milliseconds on loading; on unloading until the record that the printer
 *   kthread is printing has ended.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* Upper limit of the first estimate of a byte's time: 115200 8n1; see learn(). */
#define FIRST_BYTE_NS		86805

/* nbcon_8250_switch_back() stops waiting when nothing was printed for this long. */
#define DRAIN_PATIENCE_MS	5000
#define DRAIN_POLL_MS		20

static u64 seq_of(struct console *con)
{
	return (unsigned long)atomic_long_read(&ACCESS_PRIVATE(con, nbcon_seq));
}

/* Changes flags of a registered console, which takes the console list lock. */
static void change_flags(struct console *con, short clear, short set)
{
	console_list_lock();
	console_srcu_write_flags(con, (con->flags & ~clear) | set);
	console_list_unlock();
}

static void copy_line_settings(struct console *to, const struct console *from)
{
	to->cflag = from->cflag;
	to->ispeed = from->ispeed;
	to->ospeed = from->ospeed;
}

/*
 * Makes the console, which is registered and suspended, print from nb->resume_seq on; unless it
 * was unregistered again in the meantime.
 */
static void start_printing(struct nbcon_8250 *nb)
{
	struct console *con = &nb->con;
	bool started = false;

	console_list_lock();
	if (nb->resume_pending && console_is_registered_locked(con)) {
		atomic_long_set(&ACCESS_PRIVATE(con, nbcon_seq), (unsigned long)nb->resume_seq);
		console_srcu_write_flags(con, con->flags & ~CON_SUSPENDED);
		nb->resume_pending = false;
		started = true;
	}
	console_list_unlock();
	/* Any message wakes the printer kthread. */
	if (started)
		pr_info("ttyS%u prints through a thread of its own\n", nb->up->port.line);
}

static void resume_work(struct work_struct *work)
{
	start_printing(container_of(work, struct nbcon_8250, resume));
}

/* The driver has set up the port for the console, which is about to be registered again. */
static int resume_later(struct nbcon_8250 *nb)
{
	struct console *con = &nb->con;

	if (!nbcon_8250_recognise_port(nb)) {
		if (nb->legacy->exit)
			nb->legacy->exit(con);
		return -ENODEV;
	}
	/* The kernel is about to set the next record; the resume work does so after that. */
	con->flags |= CON_SUSPENDED;
	nb->resume_pending = true;
	schedule_work(&nb->resume);
	return 0;
}

/*
 * Called when the console is registered again: the port was bound again, or its console switched
 * on in sysfs. The driver's own setup() sets up the hardware, and makes the console that it is
 * given the port's.
 */
static int setup_console(struct console *con, char *options)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);
	int err;

	if (nb->keep_hardware)
		return 0;
	err = nb->legacy->setup(con, options);
	return err ? err : resume_later(nb);
}

/* Called before setup_console(). For console=uart8250,.. the driver's match() sets up as well. */
static int match_console(struct console *con, char *name, int idx, char *options)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);
	int err;

	if (!nb->legacy->match)
		return -ENODEV;
	err = nb->legacy->match(con, name, idx, options);
	return err ? err : resume_later(nb);
}

static int exit_console(struct console *con)
{
	struct nbcon_8250 *nb = to_nbcon_8250(con);

	/*
	 * The core does not wait for the wake-up of the printer kthread that it may have queued;
	 * where that is lazy, it stays queued until the next tick. Registering again would
	 * initialize it, and unloading would free it.
	 */
	irq_work_sync(&con->irq_work);
	if (nb->keep_hardware)
		return 0;
	/* Until it has been resumed, its own number is that of the newest record. */
	if (!nb->resume_pending)
		nb->resume_seq = seq_of(con);
	nb->resume_pending = false;
	return nb->legacy->exit ? nb->legacy->exit(con) : 0;
}

/* Stops a legacy console between two records. Returns the sequence number of the next one. */
static u64 stop_legacy(struct console *legacy, unsigned long *dropped)
{
	u64 seq;

	change_flags(legacy, CON_ENABLED, 0);
	console_lock();
	seq = legacy->seq;
	*dropped = legacy->dropped;
	console_unlock();
	return seq;
}

static void prepare(struct nbcon_8250 *nb)
{
	struct console *con = &nb->con;
	struct console *legacy = nb->legacy;

	strscpy(con->name, legacy->name, sizeof(con->name));
	con->index = legacy->index;
	con->device = legacy->device;
	con->data = legacy->data;
	con->setup = setup_console;
	con->exit = exit_console;
	con->write_thread = nbcon_8250_write_thread;
	con->write_atomic = nbcon_8250_write_atomic;
	con->device_lock = nbcon_8250_device_lock;
	con->device_unlock = nbcon_8250_device_unlock;
	copy_line_settings(con, legacy);
	con->flags = CON_NBCON | CON_ENABLED | CON_SUSPENDED |
		     (legacy->flags & (CON_CONSDEV | CON_ANYTIME));
	nb->legacy_flags = legacy->flags;
	nb->started_seq = NO_RECORD;
	nb->byte_ns = clamp(nb->up->port.frame_time, 1U, FIRST_BYTE_NS);
	INIT_WORK(&nb->resume, resume_work);
}

/* Unregisters @con without its exit(): the port stays powered and set up for the other console. */
static void unregister_keeping_hardware(struct console *con)
{
	int (*exit)(struct console *con) = con->exit;

	con->exit = NULL;
	unregister_console(con);
	con->exit = exit;
}

/*
 * Registers a console without its setup() or match(): they would apply the line settings of the
 * command line, which a user may have changed since.
 */
static void register_keeping_hardware(struct console *con)
{
	int (*setup)(struct console *con, char *options) = con->setup;
	int (*match)(struct console *con, char *name, int idx, char *options) = con->match;

	con->setup = NULL;
	con->match = NULL;
	register_console(con);
	con->setup = setup;
	con->match = match;
}

/*
 * For all of the driver's ports that have the other console. Those that were bound in the meantime
 * have the driver's console of that time. So may one that is just being unbound or bound and that
 * no state of the driver points to: on binding, the serial core looks at it.
 */
static void give_ports_to(struct nbcon_8250 *nb, struct console *con)
{
	struct console *other = con == &nb->con ? nb->legacy : &nb->con;
	int i;

	nb->driver->cons = con;
	for (i = 0; i < nb->driver->nr; i++) {
		struct uart_port *port = &serial8250_get_port(i)->port;

		if (port->cons != other)
			continue;
		/* Without a state nobody prints to it, and its lock may be being initialized. */
		if (nb->driver->state[i].uart_port)
			uart_port_set_cons(port, con);
		else
			port->cons = con;
	}
}

static int undo(struct nbcon_8250 *nb)
{
	nb->keep_hardware = true;
	uart_port_set_cons(&nb->up->port, nb->legacy);
	if (console_is_registered(&nb->con))
		unregister_console(&nb->con);
	change_flags(nb->legacy, 0, CON_ENABLED);
	return -ENODEV;
}

/**
 * nbcon_8250_switch_console - replace the legacy console by the nbcon console; the port is held
 * @nb:		as filled in by nbcon_8250_recognise_console()
 * @replay:	print the log from its start, not only what the legacy console has not printed
 * @replay_limit: see nbcon_8250_replay_start()
 *
 * Return: 0, or -ENODEV if this kernel is not supported.
 */
int nbcon_8250_switch_console(struct nbcon_8250 *nb, bool replay, unsigned int replay_limit)
{
	unsigned long dropped;
	u64 next_before, seq;

	prepare(nb);
	seq = stop_legacy(nb->legacy, &dropped);
	next_before = nbcon_8250_next_record();
	register_keeping_hardware(&nb->con);
	if (!console_is_registered(&nb->con)) {
		pr_err("the kernel did not register the console\n");
		return undo(nb);
	}
	uart_port_set_cons(&nb->up->port, &nb->con);
	if (!nbcon_8250_selfcheck(nb, next_before))
		return undo(nb);

	unregister_keeping_hardware(nb->legacy);
	give_ports_to(nb, &nb->con);
	nb->con.match = match_console;
	if (replay)
		seq = min(seq, nbcon_8250_replay_start(replay_limit));
	else
		WRITE_ONCE(nb->con.dropped, dropped);
	nb->resume_seq = seq;
	nb->resume_pending = true;
	start_printing(nb);
	return 0;
}

/* Waits until what is stored now is printed, printing makes no progress, or a signal comes. */
static void drain(struct nbcon_8250 *nb)
{
	u64 target = nbcon_8250_next_record();
	u64 seq = seq_of(&nb->con);
	unsigned int idle_ms = 0;

	while (console_is_registered(&nb->con) && seq_of(&nb->con) < target &&
	       idle_ms < DRAIN_PATIENCE_MS && !signal_pending(current)) {
		msleep(DRAIN_POLL_MS);
		idle_ms = seq_of(&nb->con) == seq ? idle_ms + DRAIN_POLL_MS : 0;
		seq = seq_of(&nb->con);
	}
}

static void switch_registered_back(struct nbcon_8250 *nb)
{
	struct console *legacy = nb->legacy;
	struct console *con = &nb->con;

	copy_line_settings(legacy, con);
	legacy->flags = (nb->legacy_flags & ~(CON_CONSDEV | CON_PRINTBUFFER)) |
			(con->flags & CON_CONSDEV) | CON_ENABLED | CON_SUSPENDED;
	register_keeping_hardware(legacy);
	change_flags(con, 0, CON_SUSPENDED);
	nb->keep_hardware = true;
	/* Returns when the printer kthread has finished its record and ended. */
	unregister_console(con);
	give_ports_to(nb, legacy);

	console_lock();
	legacy->seq = seq_of(con);
	legacy->dropped = con->dropped;
	console_unlock();
	change_flags(legacy, CON_SUSPENDED, nb->legacy_flags & CON_PRINTBUFFER);
	pr_info("ttyS%u is the 8250 driver's own console again\n", nb->up->port.line);
}

/**
 * nbcon_8250_switch_back - replace the nbcon console by the driver's own
 * @nb:		the console; no longer in use afterwards
 *
 * The driver's console prints what the printer kthread has not.
 */
void nbcon_8250_switch_back(struct nbcon_8250 *nb)
{
	struct held_port held;

	drain(nb);
	nbcon_8250_hold_port(&held, nb->driver, nb->legacy->index);
	/* The console may have been registered just now, and not be printing yet. */
	flush_work(&nb->resume);
	if (console_is_registered(&nb->con))
		switch_registered_back(nb);
	else
		/* Unbound, or switched off in sysfs: the driver's console stays so. */
		give_ports_to(nb, nb->legacy);
	nbcon_8250_release_port(&held);
}
