/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UART_BENCH_REGISTERS_H
#define UART_BENCH_REGISTERS_H

#include <linux/serial_core.h>
#include <linux/types.h>

/* Counts by powers of two: bucket N holds what took less than 2^N ns, not less than half of it. */
#define BUCKETS 40

struct histogram {
	u64 count;
	u64 sum;
	u64 worst;
	u64 buckets[BUCKETS];
};

struct registers {
	struct histogram reads;
	struct histogram writes;
	/* Reads of the line status, of all reads. */
	u64 status_reads;
	/* Writes of the transmitter, and runs of them with no read in between. */
	u64 sent;
	u64 bursts;
	bool last_was_send;
};

void histogram_add(struct histogram *histogram, u64 ns);

/* Whether the accesses to this port's registers can be counted. */
bool registers_countable(const struct uart_port *port);
/* This task's accesses to the port's registers are counted from here on; one at a time. */
void registers_watch(struct uart_port *port, struct registers *into);
void registers_unwatch(struct uart_port *port);
/* Waits until nobody is inside of what watched; before the module's text goes. */
void registers_settle(void);

#endif
