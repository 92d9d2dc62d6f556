// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * The lab's init: reports on an unpaced port when user space started, then sends what the kernel knows of its boot.
 *
 * Purpose
 *   Measures the start of user space without disturbing it: freestanding and static, so that its first instruction runs as
 *   soon as the kernel has loaded a few kilobytes. It writes nothing to the console, whose serial line the lab measures,
 *   unless `bootline.marker=TEXT` requests one line there.
 *
 *   The initramfs contains the device nodes /dev/truth (the unpaced port, whichever device that is), /dev/kmsg and
 *   /dev/console, and the kernel modules: /modules.list has a line `FILE PARAMETERS` for each, and they are loaded in this
 *   order.
 *
 *   On /dev/truth init sends frames, `@data NAME LENGTH\n`, LENGTH bytes, `\n`:
 *     init       before anything else, even mounting: `monotonic_ns=N boottime_ns=N`, the moment it is sent, and
 *                `entered_ns=N`, the one of init's first instruction, before it opened the port
 *     module     after each attempt to load a module, right after `init`: `file=F errno=N start_ns=N end_ns=N` (errno 0:
 *                loaded)
 *     loaded     loading of modules is over, or there are none
 *     FILE       a file of /proc, by its path there: version, cmdline, consoles, uptime, sys/kernel/printk
 *     kmsg       whole records as read from /dev/kmsg; any number of frames
 *     kmsg.lost  the ring buffer has overwritten records at this point
 *     lines      lines have been printed since the last state: `count=N start_ns=N end_ns=N`
 *     ready      everything available now has been sent
 *   Then it obeys commands of one byte from the host:
 *     d  send uptime, consoles, sys/kernel/printk, new records and `lines`, then `ready`
 *     l  followed by a number and a line feed: print that many lines through /dev/kmsg; sends nothing until the next `d`, so
 *        that the host can tell the console's register accesses from those of this port
 *     p  power off
 *   All times are CLOCK_MONOTONIC unless named otherwise.
 *
 * Calling contexts
 *   Process 1; single-threaded.
 *
 * Locking
 *   None.
 *
 * Lifetime
 *   From the start of user space to power-off; it never returns.
 *
 * What this disturbs
 *   Sending on /dev/truth and loading the modules take processor time, from the start of user space on.
 */

#include "truth.h"

/* Writes the value of `bootline.marker=` to the console, as a line of user space. */
static void mark_console(void)
{
	static const char key[] = "bootline.marker=";
	size_t n = slurp("/proc/cmdline");
	size_t i;

	for (i = 0; i + sizeof(key) - 1 < n; i++) {
		size_t k = 0;
		size_t end;

		if (i && buffer[i - 1] != ' ')
			continue;
		while (k < sizeof(key) - 1 && buffer[i + k] == key[k])
			k++;
		if (k < sizeof(key) - 1)
			continue;
		for (end = i + k; end < n && buffer[end] != ' ' && buffer[end] != '\n'; end++)
			;
		write_all(1, buffer + i + k, end - i - k);
		write_all(1, "\n", 1);
		return;
	}
}

static unsigned long lines;
static wide_t lines_start, lines_end;

/*
 * Lines of the same length on the console as those of a known printk benchmark: `[   46.351831] 1/64`, 80 bytes, line end.
 * A writer to /dev/kmsg is a caller of printk() and waits for the console like any other.
 */
static void print_lines(unsigned long count)
{
	char text[160];
	unsigned long i;
	int fd = open_file("/dev/kmsg", O_WRONLY);

	lines_start = now_ns(CLOCK_MONOTONIC);
	for (i = 1; i <= count; i++) {
		char *p = put_field(text, "<6>", i);

		p = put_field(p, "/", count);
		memset(p, '#', 80);
		p += 80;
		/* Each write is a record. Without a line end it would wait for a continuation and not be printed. */
		*p++ = '\n';
		call(SYS_write, fd, (long)text, p - text, 0, 0);
	}
	lines_end = now_ns(CLOCK_MONOTONIC);
	lines = count;
	call(SYS_close, fd, 0, 0, 0, 0);
}

static void send_lines(void)
{
	char text[96];
	char *p = put_field(text, "count=", lines);

	p = put_field(p, " start_ns=", lines_start);
	p = put_field(p, " end_ns=", lines_end);
	send("lines", text, (size_t)(p - text));
	lines = 0;
}

static void send_state(int kmsg)
{
	send_kernel(kmsg);
	if (lines)
		send_lines();
	send("ready", "", 0);
}

/* Reads the number that follows a command. */
static unsigned long read_number(void)
{
	unsigned long n = 0;
	char c;

	while (call(SYS_read, truth, (long)&c, 1, 0, 0) == 1 && c >= '0' && c <= '9')
		n = n * 10 + (unsigned long)(c - '0');
	return n;
}

__attribute__((used, noreturn)) void run(void)
{
	wide_t entered = now_ns(CLOCK_MONOTONIC);
	int kmsg;
	char command;

	truth = open_truth();
	if (truth < 0)
		power_off();
	send_start(entered);
	load_modules("/modules.list");
	send("loaded", "", 0);

	call(SYS_mkdirat, AT_FDCWD, (long)"/proc", 0755, 0, 0);
	call(SYS_mount, (long)"proc", (long)"/proc", (long)"proc", 0, 0);
	mark_console();
	send_proc("version");
	send_proc("cmdline");
	kmsg = open_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	send_state(kmsg);

	for (;;) {
		if (call(SYS_read, truth, (long)&command, 1, 0, 0) != 1) {
			pause_ms(100);
			continue;
		}
		if (command == 'd')
			send_state(kmsg);
		else if (command == 'l')
			print_lines(read_number());
		else if (command == 'p')
			power_off();
	}
}
