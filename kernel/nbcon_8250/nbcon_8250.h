/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NBCON_8250_H
#define NBCON_8250_H

#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/serial_8250.h>
#include <linux/serial_core.h>
#include <linux/serial_reg.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* The longest text printk hands to a console is PRINTK_MESSAGE_MAX, 2048 from 6.4 on. */
#define RECORD_TEXT_MAX	4096

#define BOTH_EMPTY	(UART_LSR_TEMT | UART_LSR_THRE)

/* No record has this number, so none counts as replayed; nbcon_alloc() begins with it too. */
#define NO_RECORD	(-1UL)

struct counters {
	u64 records;		/* printed by the thread */
	u64 characters;		/* put into the transmitter by the thread */
	u64 bursts;		/* fillings of the FIFO */
	u64 looks;		/* readings of LSR by the thread */
	u64 sleeps;
	u64 busy;		/* the port was somebody else's when the thread came */
	u64 deferred;		/* records put off while the tty was opened, closed or set */
	u64 unguarded;		/* records printed all the same, see TTY_BUSY_MS */
	u64 interrupted;	/* records that an atomic writer took over */
	u64 restored;		/* times that the port had lost its settings in a suspend */
	u64 stuck;		/* records cut short because the transmitter stood still */
	u64 longest_hold_ns;	/* of the port lock; interrupts are off meanwhile, not on RT */
	atomic_t atomic_records;
	atomic_t left_to_thread; /* a WARN's writes that were not done at once, see warn= */
};

/**
 * struct takeover - a console that has been taken over
 * @con:	what stands in the console list instead of @legacy
 * @legacy:	the driver's own console
 * @legacy_flags: its flags when it was stopped
 * @driver:	of both
 * @up:		the port, an element of the driver's static array: it outlives an unbind
 * @keep_line:	setup() and exit() leave the hardware as it is, the line only changes hands
 * @resume_seq:	the next record when printing was stopped
 * @resume:	lets a console that was registered anew go on at @resume_seq
 * @text:	the record being sent; an atomic writer may overwrite the kernel's own buffer
 * @lock_flags:	of the port lock, between device_lock() and device_unlock()
 * @locked_ns:	when that was taken
 * @in_record:	the thread has given both back and is sending; under the port lock
 * @last_length: how many characters the last record had; the tty may send as many then
 * @char_ns:	how long a character takes, as observed
 * @tty_busy:	the thread has found the tty's lock taken, first at @tty_busy_since
 * @tty_busy_since: in jiffies
 * @atomic_writes: rises when an atomic writer starts: the thread's record is its own no more
 * @counters:	see debugfs
 */
struct takeover {
	struct console con;
	struct console *legacy;
	short legacy_flags;
	struct uart_driver *driver;
	struct uart_8250_port *up;
	bool keep_line;
	u64 resume_seq;
	struct work_struct resume;
	char *text;
	unsigned long lock_flags;
	u64 locked_ns;
	bool in_record;
	unsigned int last_length;
	u32 char_ns;
	bool tty_busy;
	unsigned long tty_busy_since;
	atomic_t atomic_writes;
	struct counters counters;
};

static inline struct takeover *to_takeover(struct console *con)
{
	return container_of(con, struct takeover, con);
}

/* What a WARN does to the backlog. An oops and a panic always print it at once. */
extern bool warn_leaves_to_thread;

/* See hold_port(). */
struct held_port {
	struct uart_state *state;
	struct device *device;
};

/* recognise.c */
struct console *find_console(const char *port_name, bool say);
struct uart_state *find_state(struct console *legacy);
int recognise_console(struct takeover *t, struct console *legacy, struct uart_state *state);
bool recognise_port(struct uart_8250_port *up);

/* port_hold.c */
void hold_port(struct held_port *held, struct uart_state *state);
void release_port(struct held_port *held);

/* selfcheck.c */
u64 next_record(void);
bool selfcheck(struct takeover *t, u64 next_before);

/* takeover.c */
int take_over(struct takeover *t, bool replay, unsigned int replay_limit);
void hand_back(struct takeover *t);

/* line.c: the caller holds the port lock or owns the console, in an unsafe section */
bool transmitter_has(struct takeover *t, u8 bits);
u8 room_bits(const struct takeover *t);
bool settings_lost(struct takeover *t);
void restore_fifo(struct takeover *t);
unsigned int fifo_room(struct takeover *t);
void put_character(struct takeover *t, u8 character);
u64 stuck_after_ns(struct takeover *t, unsigned int characters);

/* thread.c */
void port_device_lock(struct console *con, unsigned long *flags);
void port_device_unlock(struct console *con, unsigned long flags);
void write_thread(struct console *con, struct nbcon_write_context *wctxt);
void put_off(struct nbcon_write_context *wctxt, struct console *con);

/* atomic.c */
void write_atomic(struct console *con, struct nbcon_write_context *wctxt);
void write_polled(struct takeover *t, struct nbcon_write_context *wctxt);

/* replay.c */
u64 replay_start(unsigned int limit);

/* counters.c */
void counters_show(struct takeover *t);
void counters_hide(void);

#endif
