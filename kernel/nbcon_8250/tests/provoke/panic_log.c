// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of a panic, on a port that is not the console's.
 *
 * Purpose
 *   At a panic, writes the whole log to the port of the tty that the module parameter `report`
 *   names, between the lines PANICLOG and ENDPANICLOG. What the console has to transmit is then
 *   known to the last record, except those that the kernel stores afterwards (`Rebooting in`).
 *   (What other CPUs log once a panic has begun, the kernel drops, although their write()
 *   succeeds.)
 *
 * Calling contexts
 *   Process context for setting it up; the panic's own, when the other CPUs have been stopped.
 *
 * Locking
 *   None: nothing else runs.
 *
 * Lifetime
 *   The tty is open until provoke_end_panic_log().
 *
 * What this disturbs
 *   What the port's driver has not sent may be lost. The panic takes longer by the time that the
 *   log takes on that port.
 */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/processor.h>
#include <linux/serial_core.h>
#include <linux/serial_reg.h>
#include <linux/string.h>
#include <linux/tty.h>
#include <linux/tty_driver.h>
#include "provoke.h"

static struct file *opened;
static struct uart_port *port;

/* The text of a record, with a prefix for each of its lines. */
static char text[4096];

static void report(const char *bytes, size_t len)
{
	while (len--) {
		while (!(port->serial_in(port, UART_LSR) & UART_LSR_THRE))
			cpu_relax();
		port->serial_out(port, UART_TX, (u8)*bytes++);
	}
}

static void report_line(const char *line)
{
	report(line, strlen(line));
}

static bool next_record(struct kmsg_dumper *dumper, void *iter, size_t *len)
{
#ifdef HAVE_KMSG_DUMP_ITER
	return kmsg_dump_get_line(iter, true, text, sizeof(text), len);
#else
	return kmsg_dump_get_line(dumper, true, text, sizeof(text), len);
#endif
}

static void report_log(struct kmsg_dumper *dumper)
{
#ifdef HAVE_KMSG_DUMP_ITER
	struct kmsg_dump_iter iter;
#else
	int iter;
#endif
	size_t len;

#ifdef HAVE_KMSG_DUMP_ITER
	kmsg_dump_rewind(&iter);
#endif
	report_line("\nPANICLOG\n");
	while (next_record(dumper, &iter, &len))
		report(text, len);
	report_line("ENDPANICLOG\n");
}

#ifdef HAVE_KMSG_DUMP_DETAIL
static void dump(struct kmsg_dumper *dumper, struct kmsg_dump_detail *detail)
#else
static void dump(struct kmsg_dumper *dumper, enum kmsg_dump_reason reason)
#endif
{
	/* max_reason lets nothing but a panic through. */
	report_log(dumper);
}

static struct kmsg_dumper reporter = {
	.dump = dump,
	.max_reason = KMSG_DUMP_PANIC,
};

/* Of an 8250 only: NULL for a tty of another driver. */
static struct uart_port *port_of(struct file *tty_file)
{
	struct tty_file_private *private = tty_file->private_data;
	struct tty_struct *tty = private->tty;
	struct uart_state *state = tty->driver_data;

	return strcmp(tty->driver->name, "ttyS") ? NULL : state->uart_port;
}

int provoke_begin_panic_log(const char *tty)
{
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/dev/%s", tty);
	opened = filp_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
	if (IS_ERR(opened))
		return PTR_ERR(opened);
	port = port_of(opened);
	err = port ? kmsg_dump_register(&reporter) : -ENODEV;
	if (err)
		filp_close(opened, NULL);
	return err;
}

void provoke_end_panic_log(void)
{
	kmsg_dump_unregister(&reporter);
	filp_close(opened, NULL);
}
