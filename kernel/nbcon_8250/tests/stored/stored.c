// SPDX-License-Identifier: GPL-2.0-only
/*
 * stored - what the kernel's log contains at a panic, for tests/moments-test
 *
 * Purpose
 *   At a panic, writes `STORED N` to the second serial port: N is the number of the last
 *   record `moment record N` in the log, or -1. All of them are to be transmitted. (What other
 *   CPUs log once a panic has begun, the kernel drops, although their write() succeeds.)
 *
 * Calling contexts
 *   That of the panic, when the other CPUs have been stopped.
 *
 * Locking
 *   None: nothing else runs.
 *
 * Lifetime
 *   Until the module is unloaded.
 *
 * What this disturbs
 *   The second port must be an 8250 at `port`. What its driver has not sent may be lost.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/serial_reg.h>
#include <linux/string.h>

static ushort port = 0x2f8;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "I/O address of the second serial port");

static const char what[] = "moment record ";
static char line[512];

static void report(const char *text)
{
	for (; *text; text++) {
		while (!(inb(port + UART_LSR) & UART_LSR_THRE))
			cpu_relax();
		outb(*text, port + UART_TX);
	}
}

static bool next_line(struct kmsg_dumper *dumper, void *iter, size_t *len)
{
#ifdef HAVE_KMSG_DUMP_ITER
	return kmsg_dump_get_line(iter, false, line, sizeof(line) - 1, len);
#else
	return kmsg_dump_get_line(dumper, false, line, sizeof(line) - 1, len);
#endif
}

static void report_last(struct kmsg_dumper *dumper)
{
#ifdef HAVE_KMSG_DUMP_ITER
	struct kmsg_dump_iter iter;
#else
	int iter;
#endif
	int last = -1;
	size_t len;

#ifdef HAVE_KMSG_DUMP_ITER
	kmsg_dump_rewind(&iter);
#endif
	while (next_line(dumper, &iter, &len)) {
		const char *found;
		int number = 0;

		line[len] = '\0';
		found = strstr(line, what);
		if (!found)
			continue;
		for (found += strlen(what); isdigit(*found); found++)
			number = number * 10 + *found - '0';
		last = max(last, number);
	}
	snprintf(line, sizeof(line), "\r\nSTORED %d\r\n", last);
	report(line);
}

#ifdef HAVE_KMSG_DUMP_DETAIL
static void dump(struct kmsg_dumper *dumper, struct kmsg_dump_detail *detail)
#else
static void dump(struct kmsg_dumper *dumper, enum kmsg_dump_reason reason)
#endif
{
	/* max_reason lets nothing but a panic through. */
	report_last(dumper);
}

static struct kmsg_dumper reporter = {
	.dump = dump,
	.max_reason = KMSG_DUMP_PANIC,
};

static int __init stored_init(void)
{
	return kmsg_dump_register(&reporter);
}
module_init(stored_init);

static void __exit stored_exit(void)
{
	kmsg_dump_unregister(&reporter);
}
module_exit(stored_exit);

MODULE_DESCRIPTION("Reports the last stored record at a panic, for the tests of console modules");
MODULE_LICENSE("GPL");
