/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The unpaced port: frames to the host, and what they carry of the kernel.
 *
 * Purpose
 *   Sends frames, `@data NAME LENGTH\n`, LENGTH bytes, `\n`, on /dev/truth. init.c and root.c describe theirs.
 *
 * Calling contexts
 *   The lab's programs that are process 1 of an initramfs, and their child. Single-threaded.
 *
 * Locking
 *   None. Several programs may have the port open: a frame that fits FRAME_ROOM is one write, which a tty does not split.
 *
 * Lifetime
 *   The port is opened once and stays open.
 *
 * What this disturbs
 *   Sending takes processor time.
 */
#ifndef BOOTLINE_TRUTH_H
#define BOOTLINE_TRUTH_H

#include "calls.h"

static int truth = -1;

/* A frame with a longer content takes several writes. */
#define FRAME_ROOM 512

static inline void send(const char *name, const char *bytes, size_t n)
{
	char frame[FRAME_ROOM + 64];
	char *p = put_text(frame, "@data ");

	p = put_text(p, name);
	*p++ = ' ';
	p = put_number(p, n);
	*p++ = '\n';
	if (n <= FRAME_ROOM) {
		memcpy(p, bytes, n);
		p += n;
		*p++ = '\n';
		write_all(truth, frame, (size_t)(p - frame));
		return;
	}
	write_all(truth, frame, (size_t)(p - frame));
	write_all(truth, bytes, n);
	write_all(truth, "\n", 1);
}

/* This moment by the guest's clocks. */
static inline char *put_time(char *text)
{
	char *p = put_field(text, "monotonic_ns=", now_ns(CLOCK_MONOTONIC));

	return put_field(p, " boottime_ns=", now_ns(CLOCK_BOOTTIME));
}

static inline void send_time(const char *name)
{
	char text[96];

	send(name, text, (size_t)(put_time(text) - text));
}

/* Init's first frame: the moment it sends this, and the one of its first instruction. Opening the port comes between the two. */
static inline void send_start(wide_t entered)
{
	char text[128];
	char *p = put_field(put_time(text), " entered_ns=", entered);

	send("init", text, (size_t)(p - text));
}

/* A port on a bus may appear late. If there is none, only the console can show that. */
static inline int open_truth(void)
{
	static const char none[] = "bootline: init: no /dev/truth: the kernel has no driver for the lab's second port\r\n";
	struct termios raw = { .cflag = B115200 | CS8 | CREAD | CLOCAL };
	int i;

	raw.cc[VMIN] = 1;
	for (i = 0; i < 2000; i++) {
		int fd = open_file("/dev/truth", O_RDWR | O_NOCTTY);

		if (fd >= 0) {
			call(SYS_ioctl, fd, TCSETS, (long)&raw, 0, 0);
			return fd;
		}
		pause_ms(5);
	}
	write_all(1, none, sizeof(none) - 1);
	return -1;
}

static char buffer[16384];

/* Reads a file, up to the size of the buffer. */
static inline size_t slurp(const char *path)
{
	size_t n = 0;
	int fd = open_file(path, O_RDONLY);

	if (fd < 0)
		return 0;
	while (n < sizeof(buffer)) {
		ssize_t got = call(SYS_read, fd, (long)(buffer + n), (long)(sizeof(buffer) - n), 0, 0);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	call(SYS_close, fd, 0, 0, 0, 0);
	return n;
}

static inline void send_proc(const char *name)
{
	char path[64];

	*put_text(put_text(path, "/proc/"), name) = 0;
	send(name, buffer, slurp(path));
}

static inline int ends_with(const char *s, const char *end)
{
	size_t n = length(s), k = length(end);

	while (k && n && s[n - 1] == end[k - 1])
		n--, k--;
	return !k;
}

/* Loads a module and sends the outcome. The host chooses the names, and keeps them short. */
static inline void load_module(const char *file, const char *parameters)
{
	/* Kernels with MODULE_DECOMPRESS (since 5.17) decompress a module themselves. */
	long flags = ends_with(file, ".ko") ? 0 : MODULE_INIT_COMPRESSED_FILE;
	wide_t start = now_ns(CLOCK_MONOTONIC);
	char text[512];
	char *p = put_text(text, "file=");
	int fd = open_file(file, O_RDONLY);
	long ret = fd < 0 ? fd : call(SYS_finit_module, fd, (long)parameters, flags, 0, 0);

	if (fd >= 0)
		call(SYS_close, fd, 0, 0, 0, 0);
	p = put_text(p, file);
	p = put_field(p, " errno=", (unsigned long)-ret);
	p = put_field(p, " start_ns=", start);
	p = put_field(p, " end_ns=", now_ns(CLOCK_MONOTONIC));
	send("module", text, (size_t)(p - text));
}

static inline void load_modules(const char *list)
{
	size_t n = slurp(list);
	size_t i = 0;

	/* The host terminates every line, and keeps the list shorter than the buffer. */
	while (i < n) {
		char *file = buffer + i;
		char *parameters;

		while (i < n && buffer[i] != ' ')
			i++;
		buffer[i++] = 0;
		parameters = buffer + i;
		while (i < n && buffer[i] != '\n')
			i++;
		if (i >= n)
			return;
		buffer[i++] = 0;
		load_module(file, parameters);
	}
}

/* Several records share a frame. A read returns one whole record, or fails if it does not fit. */
static inline void send_kmsg(int fd)
{
	const size_t largest = 8192;
	size_t n = 0;

	for (;;) {
		ssize_t got = call(SYS_read, fd, (long)(buffer + n), (long)(sizeof(buffer) - n), 0, 0);

		if (got > 0)
			n += (size_t)got;
		if (n && (got <= 0 || sizeof(buffer) - n < largest)) {
			send("kmsg", buffer, n);
			n = 0;
		}
		if (got == -EPIPE)
			send("kmsg.lost", "", 0);
		else if (got <= 0 && got != -EINTR)
			return;
	}
}

/* What changes while the kernel runs. */
static inline void send_kernel(int kmsg)
{
	send_proc("uptime");
	send_proc("consoles");
	send_proc("sys/kernel/printk");
	send_kmsg(kmsg);
}

static inline void power_off(void)
{
	for (;;) {
		call(SYS_reboot, (long)REBOOT_MAGIC1, REBOOT_MAGIC2, REBOOT_POWER_OFF, 0, 0);
		pause_ms(1000);
	}
}

#endif
