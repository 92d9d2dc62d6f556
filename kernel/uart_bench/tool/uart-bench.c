// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends bytes to a device and prints how fast the device accepted them:
 *
 *	uart-bench [-n BYTES] [-b BAUD] [DEVICE]
 *
 * With /dev/uart_bench, the default, this measures the console's write path; with a tty such as
 * /dev/ttyS0, the path of user space's output. -b gives the speed of the serial line, to print the
 * share of baud/10 that was reached. Status: 2 usage, 4 failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define BITS_PER_FRAME 10

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec + at.tv_nsec / 1e9;
}

static long positive(const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || end == text || value < 1) {
		fprintf(stderr, "error: `%s` is not a number above 0\n", text);
		exit(2);
	}
	return value;
}

static int failed(const char *what, const char *device)
{
	fprintf(stderr, "error: %s `%s`: %s\n", what, device, strerror(errno));
	if (errno == ENOENT && !strcmp(device, "/dev/uart_bench"))
		fputs("  hint: insmod uart_bench.ko\n", stderr);
	return 4;
}

int main(int argc, char **argv)
{
	const char *device = "/dev/uart_bench";
	long size = 11500, baud = 0, sent = 0;
	double start, took;
	char line[80];
	int file, option;

	while ((option = getopt(argc, argv, "n:b:")) != -1) {
		switch (option) {
		case 'n':
			size = positive(optarg);
			break;
		case 'b':
			baud = positive(optarg);
			break;
		default:
			fputs("usage: uart-bench [-n BYTES] [-b BAUD] [DEVICE]\n", stderr);
			return 2;
		}
	}
	if (optind < argc)
		device = argv[optind];
	memset(line, '#', sizeof(line));
	line[sizeof(line) - 1] = '\n';

	file = open(device, O_WRONLY | O_NOCTTY);
	if (file < 0)
		return failed("cannot open", device);
	start = now();
	while (sent < size) {
		/* The first write may be a part of a line, so that the last one is whole. */
		size_t part = (size - sent - 1) % sizeof(line) + 1;
		ssize_t done = write(file, line + sizeof(line) - part, part);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return failed("cannot write to", device);
		sent += done;
	}
	if (isatty(file))
		tcdrain(file);
	took = now() - start;
	if (close(file))
		return failed("cannot close", device);

	/* A carriage return was added to each line end. */
	sent += (size - 1) / (long)sizeof(line) + 1;
	printf("device=%s bytes=%ld characters=%ld seconds=%.6f per_second=%.0f",
	       device, size, sent, took, sent / took);
	if (baud)
		printf(" of_line=%.3f", sent / took / ((double)baud / BITS_PER_FRAME));
	putchar('\n');
	return 0;
}
