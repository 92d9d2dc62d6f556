// SPDX-License-Identifier: MIT OR Apache-2.0
#include "log.h"

#include <stdarg.h>

#include "kernel.h"
#include "text.h"

static unsigned long long began;
static int kept = -1, kept_errors = 2;
static bool is_aside;

void log_begin(void)
{
	began = call_clock();
}

void log_aside(bool aside)
{
	is_aside = aside;
}

void log_keep_open(void)
{
	int errors = (int)CALL3(NR_FCNTL, 2, F_DUPFD_CLOEXEC, 3);

	kept = call_open("/dev/kmsg", O_WRONLY, 0);
	if (errors >= 0)
		kept_errors = errors;
}

unsigned long long log_elapsed(void)
{
	return call_clock() - began;
}

/*
 * Whether the kernel prints records of this level on the console. If unknown, assume it does not: better twice than never.
 */
static bool reaches_console(enum level level)
{
	char loglevel[8];
	int fd = call_open("/proc/sys/kernel/printk", O_RDONLY, 0);
	long n = fd < 0 ? fd : call_read(fd, loglevel, sizeof(loglevel));

	if (fd >= 0)
		call_close(fd);
	return n > 0 && loglevel[0] > '0' + (char)level;
}

/*
 * /dev/kmsg is opened for each record: the kernel limits how many one opener may write in five seconds. Once the real init
 * runs, standard error is still the console.
 */
void say(enum level level, ...)
{
	char record[512];
	struct text t = TEXT(record);
	const char *part;
	va_list parts;
	long ret;
	int fd, speaker = is_aside ? call_fork(0) : -1;

	/* Without one, process 1 speaks itself. */
	if (speaker > 0)
		return;
	put_byte(&t, '<');
	put_byte(&t, (char)('0' + (char)level));
	put(&t, ">fastinit: ");
	va_start(parts, level);
	while ((part = va_arg(parts, const char *)))
		put(&t, part);
	va_end(parts);
	if (t.cut)
		t.used--;
	put_byte(&t, '\n');
	fd = call_open("/dev/kmsg", O_WRONLY, 0);
	if (fd < 0 && kept >= 0)
		fd = kept;
	ret = fd;
	if (fd >= 0)
		ret = call_write(fd, record, t.used);
	if (fd >= 0 && fd != kept)
		call_close(fd);
	if (level <= LEVEL_ERROR && (ret < 0 || !reaches_console(level)))
		call_write(kept_errors, record + 3, t.used - 3);
	if (speaker == 0)
		call_exit(0);
}
