/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UART_BENCH_REGISTERS_H
#define UART_BENCH_REGISTERS_H

#include <linux/serial_core.h>
#include <linux/types.h>

#include "../shared/histogram.h"

struct registers {
	struct histogram reads;
	struct histogram writes;
	/* Those reads that read the line status. */
	u64 status_reads;
	/* Writes to the transmitter, and uninterrupted series of them: no read in between. */
	u64 sent;
	u64 bursts;
	bool last_was_send;
};

/* Whether the accesses to this port's registers can be counted. */
bool uart_bench_registers_countable(const struct uart_port *port);
/* Starts counting this task's accesses to the port's registers; one task at a time. */
void uart_bench_registers_watch(struct uart_port *port, struct registers *into);
void uart_bench_registers_unwatch(struct uart_port *port);
/* Waits for accesses in progress: before the module is unloaded. */
void uart_bench_registers_settle(void);

#endif
