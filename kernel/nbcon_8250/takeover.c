// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting our console in the place of the driver's, and back.
 *
 * In both directions: one is registered suspended, the other is stopped and taken away, the
 * record at which it stopped is written into the first, which may then print. What is logged
 * meanwhile is before or behind that record: nothing is lost, nothing comes twice.
 *
 * The number of the next record is written into nbcon_seq directly, as nbcon_seq_force() is not
 * exported. A console that is registered with CON_PRINTBUFFER would get its start from the
 * kernel, but up to 6.16, and in 7.2, with a flush that waits for the line.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/time64.h>
#include "nbcon_8250.h"

/* The estimate of a character's time begins at most here, at 115200 8n1; see learn(). */
#define FIRST_CHARACTER_NS	86805

/* hand_back() stops waiting for the thread when it has printed nothing for so long. */
#define DRAIN_PATIENCE_MS	5000
#define DRAIN_LOOK_MS		20

static u64 seq_of(struct console *con)
{
	return (unsigned long)atomic_long_read(&ACCESS_PRIVATE(con, nbcon_seq));
}

/* Changes flags of a registered console, as only the list's owner may. */
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

/* Lets a registered, suspended console of ours print from @seq on. */
static void let_print(struct takeover *t, u64 seq)
{
	atomic_long_set(&ACCESS_PRIVATE(&t->con, nbcon_seq), (unsigned long)seq);
	change_flags(&t->con, CON_SUSPENDED, 0);
	/* Any message wakes the thread. */
	pr_info("ttyS%u prints through a thread of its own\n", t->up->port.line);
}

static void resume_work(struct work_struct *work)
{
	struct takeover *t = container_of(work, struct takeover, resume);

	if (console_is_registered(&t->con))
		let_print(t, t->resume_seq);
}

/*
 * Called when the console is registered anew: the port was bound again, or switched on in
 * sysfs. The driver's own setup knows what to do with the hardware. It makes the console that
 * it is given the port's.
 */
static int setup_console(struct console *con, char *options)
{
	struct takeover *t = to_takeover(con);
	int err;

	if (t->keep_line)
		return 0;
	err = t->legacy->setup(con, options);
	if (err)
		return err;
	if (!recognise_port(t->up)) {
		if (t->legacy->exit)
			t->legacy->exit(con);
		return -ENODEV;
	}
	/* The kernel is about to set the next record; ours comes behind that. */
	con->flags |= CON_SUSPENDED;
	schedule_work(&t->resume);
	return 0;
}

static int exit_console(struct console *con)
{
	struct takeover *t = to_takeover(con);

	if (t->keep_line)
		return 0;
	t->resume_seq = seq_of(con);
	return t->legacy->exit ? t->legacy->exit(con) : 0;
}

/* Stops a legacy console between two records. Gives the number of the next one. */
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

static void prepare(struct takeover *t)
{
	struct console *con = &t->con;
	struct console *legacy = t->legacy;

	strscpy(con->name, legacy->name, sizeof(con->name));
	con->index = legacy->index;
	con->device = legacy->device;
	con->data = legacy->data;
	con->setup = setup_console;
	con->exit = exit_console;
	con->write_thread = write_thread;
	con->write_atomic = write_atomic;
	con->device_lock = port_device_lock;
	con->device_unlock = port_device_unlock;
	copy_line_settings(con, legacy);
	con->flags = CON_NBCON | CON_ENABLED | CON_SUSPENDED |
		     (legacy->flags & (CON_CONSDEV | CON_ANYTIME));
	t->legacy_flags = legacy->flags;
	t->char_ns = clamp(t->up->port.frame_time, 1U, FIRST_CHARACTER_NS);
	INIT_WORK(&t->resume, resume_work);
}

/* Unregisters @con without its exit(): the line, powered and set, stays for the other one. */
static void unregister_keeping_line(struct console *con)
{
	int (*exit)(struct console *con) = con->exit;

	con->exit = NULL;
	unregister_console(con);
	con->exit = exit;
}

/*
 * Registers a console without its setup() or match(): they would set the line to what the
 * command line says, which a user may have changed since.
 */
static void register_keeping_line(struct console *con)
{
	int (*setup)(struct console *con, char *options) = con->setup;
	int (*match)(struct console *con, char *name, int idx, char *options) = con->match;

	con->setup = NULL;
	con->match = NULL;
	register_console(con);
	con->setup = setup;
	con->match = match;
}

/* Ports that the driver added since have its console, which was ours. */
static void give_ports_to(struct takeover *t, struct console *con)
{
	struct console *other = con == &t->con ? t->legacy : &t->con;
	int i;

	t->driver->cons = con;
	for (i = 0; i < t->driver->nr; i++) {
		struct uart_port *port = t->driver->state[i].uart_port;

		if (port && port->cons == other)
			uart_port_set_cons(port, con);
	}
	/* While the port is unbound the driver's state doesn't name it. */
	if (t->up->port.cons == other)
		uart_port_set_cons(&t->up->port, con);
}

static int undo(struct takeover *t)
{
	t->keep_line = true;
	uart_port_set_cons(&t->up->port, t->legacy);
	if (console_is_registered(&t->con))
		unregister_console(&t->con);
	change_flags(t->legacy, 0, CON_ENABLED);
	return -ENODEV;
}

/**
 * take_over - puts our console in the place of the one that was recognised; the port is held
 * @t:		recognise_console() has filled it in
 * @replay:	print from the start of the log, not only what the old console had not printed
 * @replay_limit: see replay_start()
 *
 * From stopping the old console until let_print() nothing is printed, by a panic neither: a few
 * milliseconds.
 *
 * Return: 0, or -ENODEV if this kernel is not one that the module knows.
 */
int take_over(struct takeover *t, bool replay, unsigned int replay_limit)
{
	unsigned long dropped;
	u64 next_before, seq;

	prepare(t);
	seq = stop_legacy(t->legacy, &dropped);
	next_before = next_record();
	register_keeping_line(&t->con);
	if (!console_is_registered(&t->con)) {
		pr_err("the kernel did not register the console\n");
		return undo(t);
	}
	uart_port_set_cons(&t->up->port, &t->con);
	if (!selfcheck(t, next_before))
		return undo(t);

	unregister_keeping_line(t->legacy);
	give_ports_to(t, &t->con);
	t->con.match = t->legacy->match;
	if (replay)
		seq = min(seq, replay_start(replay_limit));
	else
		WRITE_ONCE(t->con.dropped, dropped);
	let_print(t, seq);
	return 0;
}

/* Until the thread has printed what is there now, makes no headway, or a signal comes. */
static void drain(struct takeover *t)
{
	u64 target = next_record();
	u64 seq = seq_of(&t->con);
	unsigned int idle_ms = 0;

	while (console_is_registered(&t->con) && seq_of(&t->con) < target &&
	       idle_ms < DRAIN_PATIENCE_MS && !signal_pending(current)) {
		msleep(DRAIN_LOOK_MS);
		idle_ms = seq_of(&t->con) == seq ? idle_ms + DRAIN_LOOK_MS : 0;
		seq = seq_of(&t->con);
	}
}

static void exchange_back(struct takeover *t)
{
	struct console *legacy = t->legacy;
	struct console *con = &t->con;

	copy_line_settings(legacy, con);
	legacy->flags = (t->legacy_flags & ~(CON_CONSDEV | CON_PRINTBUFFER)) |
			(con->flags & CON_CONSDEV) | CON_ENABLED | CON_SUSPENDED;
	register_keeping_line(legacy);
	change_flags(con, 0, CON_SUSPENDED);
	t->keep_line = true;
	/* Returns when the thread has ended, with its record. */
	unregister_console(con);
	give_ports_to(t, legacy);

	console_lock();
	legacy->seq = seq_of(con);
	legacy->dropped = con->dropped;
	console_unlock();
	change_flags(legacy, CON_SUSPENDED, t->legacy_flags & CON_PRINTBUFFER);
	pr_info("ttyS%u is the 8250 driver's own console again\n", t->up->port.line);
}

/**
 * hand_back - gives the driver's console its place again
 * @t: the console; no longer in use afterwards
 *
 * What the thread has not printed, the driver's console prints.
 */
void hand_back(struct takeover *t)
{
	struct held_port held;

	drain(t);
	hold_port(&held, t->driver->state + t->legacy->index);
	/* Since it was registered last, it may still have to begin. */
	flush_work(&t->resume);
	if (console_is_registered(&t->con))
		exchange_back(t);
	else
		/* Unbound, or switched off in sysfs: so it stays. */
		give_ports_to(t, t->legacy);
	release_port(&held);
}
