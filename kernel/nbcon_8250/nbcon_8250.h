/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of nbcon_8250 share. Everything that is not static is prefixed nbcon_8250_:
 * built into the kernel, these names live next to all others.
 */
#ifndef NBCON_8250_H
#define NBCON_8250_H

#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/kmsg_dump.h>
#include <linux/serial_8250.h>
#include <linux/serial_core.h>
#include <linux/serial_reg.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* In bytes. The longest text printk gives a console is PRINTK_MESSAGE_MAX: 2048 since 6.4. */
#define RECORD_TEXT_MAX	4096

#define BOTH_EMPTY	(UART_LSR_TEMT | UART_LSR_THRE)

/* No record has this number, so none counts as replayed. nbcon_alloc() starts with it as well. */
#define NO_RECORD	(-1UL)

/* What is left of a record to be sent. */
struct outgoing {
	const char *next;
	const char *end;
	bool newline_first;	/* the last record was cut off in mid-line */
	bool cr_sent;		/* the carriage return before the next byte, a newline */
};

struct counters {
	u64 records;		/* printed by the printer kthread */
	u64 bytes;		/* written to the transmitter by the printer kthread */
	u64 bursts;		/* FIFO fills */
	u64 status_reads;	/* reads of LSR by the printer kthread */
	u64 sleeps;
	u64 busy;		/* times the printer kthread found the port in use */
	u64 deferred;		/* records deferred while the tty was opened, closed or set */
	u64 unguarded;		/* records printed without the tty's mutex, see TTY_BUSY_MS */
	u64 interrupted;	/* records cut off by an atomic writer or a suspend */
	u64 restored;		/* times the port had lost its settings in a suspend */
	u64 stuck;		/* records cut short because the transmitter did not drain */
	u64 longest_hold_ns;	/* of the port lock, with interrupts off except on PREEMPT_RT */
	atomic_t atomic_records;
	atomic_t left_to_thread; /* atomic writes declined, see emergency.c */
};

/* What a WARN or an oops has printed at once; times in ns. See emergency.c. */
struct emergency {
	u64 begun_ns;		/* the record being printed */
	u64 ended_ns;		/* the last one */
	u64 spent_ns;		/* of the limit of a WARN */
	u64 regained_ns;	/* when spent_ns was last reduced */
	bool exhausted;
	u64 hold_ns;		/* since when it has printed without a pause */
};

/**
 * struct nbcon_8250 - an nbcon console and the legacy console that it replaces
 * @con:	the nbcon console, in the console list instead of @legacy
 * @legacy:	the driver's own console
 * @legacy_flags: flags of @legacy when it was stopped
 * @driver:	the driver of both consoles
 * @up:		the port, an element of the driver's static array: it outlives an unbind
 * @mini_uart:	the port is the mini UART of the Raspberry Pi: its THRE means that the FIFO is not
 *		full, only TEMT that it is empty
 * @keep_hardware: setup() and exit() leave the hardware alone: only the console changes
 * @resume_seq:	sequence number of the next record when printing stopped
 * @resume_pending: the console is registered, suspended, and to continue at @resume_seq; like
 *		that protected by the console list lock
 * @resume:	makes a console that was registered again continue at @resume_seq
 * @text:	copy of the record being sent: an atomic writer may reuse the kernel's buffer
 * @lock_flags:	interrupt flags of the port lock, between device_lock() and device_unlock()
 * @locked_ns:	when the port lock was taken
 * @in_record:	the printer kthread has released port lock and console for the length of a
 *		record; protected by the port lock
 * @started_seq: the record that is being sent, or else was sent last
 * @held_status: flags of the port that are off for the length of a record; protected by the port
 *		lock
 * @mid_line:	more of the last line was to be sent; protected like the registers
 * @last_length: length of the last record in bytes; the tty may then send as many
 * @byte_ns:	time on the serial line of one byte, as observed
 * @tty_busy:	the printer kthread has found the tty's mutex taken, from @tty_busy_since until
 *		@tty_busy_seen
 * @tty_busy_since: in jiffies
 * @tty_busy_seen: in jiffies
 * @atomic_writes: incremented by each atomic writer when it starts: from then on the record of
 *		the printer kthread is lost to it
 * @emergency:	protected by the ownership of the console, with more than normal priority
 * @dumper:	see panic.c
 * @broken_off:	a panic has interrupted the writing of a register
 * @counters:	shown in debugfs
 */
struct nbcon_8250 {
	struct console con;
	struct console *legacy;
	short legacy_flags;
	struct uart_driver *driver;
	struct uart_8250_port *up;
	bool mini_uart;
	bool keep_hardware;
	u64 resume_seq;
	bool resume_pending;
	struct work_struct resume;
	char *text;
	unsigned long lock_flags;
	u64 locked_ns;
	bool in_record;
	unsigned long started_seq;
	upstat_t held_status;
	bool mid_line;
	unsigned int last_length;
	u32 byte_ns;
	bool tty_busy;
	unsigned long tty_busy_since;
	unsigned long tty_busy_seen;
	atomic_t atomic_writes;
	struct emergency emergency;
	struct kmsg_dumper dumper;
	bool broken_off;
	struct counters counters;
};

static inline struct nbcon_8250 *to_nbcon_8250(struct console *con)
{
	return container_of(con, struct nbcon_8250, con);
}

/* The record that the core gave to the owner of the console, unless withdrawn. */
static inline unsigned long nbcon_8250_assigned_seq(struct console *con)
{
	return atomic_long_read(&ACCESS_PRIVATE(con, nbcon_prev_seq));
}

/* A WARN leaves the backlog to the printer kthread. An oops and a panic print at once. */
extern bool nbcon_8250_warn_to_thread;

/* For how long a WARN may print at once. */
extern unsigned int nbcon_8250_warn_limit_ms;

/* What nbcon_8250_hold_port() holds. */
struct held_port {
	struct uart_driver *driver;
	struct uart_state *state;	/* of the console's port */
	struct device *device;		/* of that port; NULL while it is unbound */
};

/* Exported by the 8250 driver, and declared in its own folder: the port of a line, bound or not. */
struct uart_8250_port *serial8250_get_port(int line);

/* recognise.c */
struct console *nbcon_8250_find_console(const char *port_name, bool complain);
struct uart_driver *nbcon_8250_find_driver(struct console *legacy);
int nbcon_8250_recognise_console(struct nbcon_8250 *nb, struct console *legacy);
bool nbcon_8250_recognise_port(struct nbcon_8250 *nb);

/* port_hold.c */
void nbcon_8250_hold_port(struct held_port *held, struct uart_driver *driver, int line);
void nbcon_8250_release_port(struct held_port *held);

/* selfcheck.c */
u64 nbcon_8250_next_record(void);
bool nbcon_8250_selfcheck(struct nbcon_8250 *nb, u64 next_before);

/* console_switch.c */
int nbcon_8250_switch_console(struct nbcon_8250 *nb, bool replay, unsigned int replay_limit);
void nbcon_8250_switch_back(struct nbcon_8250 *nb);

/* transmitter.c: the caller holds the port lock or owns the console, in an unsafe section */
bool nbcon_8250_transmitter_has(struct nbcon_8250 *nb, u8 bits);
u8 nbcon_8250_room_bits(const struct nbcon_8250 *nb);
bool nbcon_8250_settings_lost(struct nbcon_8250 *nb);
void nbcon_8250_restore_fifo(struct nbcon_8250 *nb);
unsigned int nbcon_8250_fifo_room(struct nbcon_8250 *nb);
struct outgoing nbcon_8250_begin(struct nbcon_8250 *nb, const char *text, unsigned int len);
unsigned int nbcon_8250_fill(struct nbcon_8250 *nb, struct outgoing *o);
u64 nbcon_8250_stuck_after_ns(struct nbcon_8250 *nb, unsigned int bytes);

/* driver_write.c */
bool nbcon_8250_is_rs485(const struct nbcon_8250 *nb);
void nbcon_8250_driver_write(struct nbcon_8250 *nb, const char *text, unsigned int len);
void nbcon_8250_driver_write_owned(struct nbcon_8250 *nb, const char *text, unsigned int len);

/* thread.c */
void nbcon_8250_device_lock(struct console *con, unsigned long *flags);
void nbcon_8250_device_unlock(struct console *con, unsigned long flags);
void nbcon_8250_write_thread(struct console *con, struct nbcon_write_context *wctxt);
void nbcon_8250_defer_record(struct nbcon_write_context *wctxt, struct console *con);

/* atomic.c */
void nbcon_8250_write_atomic(struct console *con, struct nbcon_write_context *wctxt);
void nbcon_8250_write_polled(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt);

/* emergency.c */
bool nbcon_8250_may_print_now(struct nbcon_8250 *nb, struct nbcon_write_context *wctxt);
void nbcon_8250_printed_now(struct nbcon_8250 *nb);
void nbcon_8250_let_others_in(struct nbcon_8250 *nb);

/* panic.c */
void nbcon_8250_watch_panic(struct nbcon_8250 *nb);
void nbcon_8250_unwatch_panic(struct nbcon_8250 *nb);

/* replay.c */
u64 nbcon_8250_replay_start(unsigned int limit);

/* counters.c */
void nbcon_8250_counters_create(struct nbcon_8250 *nb);
void nbcon_8250_counters_remove(void);

#endif
