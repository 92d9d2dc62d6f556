/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of console_relay share. Everything that is not static is prefixed
 * console_relay_: built into the kernel, these names live next to all others.
 */
#ifndef CONSOLE_RELAY_H
#define CONSOLE_RELAY_H

#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/serial_core.h>
#include <linux/types.h>
#include <linux/wait.h>

struct device;
struct device_driver;
struct uart_8250_port;
struct uart_state;

/* In bytes. Longer lines are printed in pieces; printk() breaks its own at about 1 KB. */
#define LINE_MAX_BYTES	2048

/* The core's own buffer for a record before 5.19: LOG_LINE_MAX + PREFIX_MAX. */
#define RECORD_MAX_BYTES	1024

/**
 * struct ring - bytes on their way to the serial line
 * @bytes:	of a power of two in length
 * @size:	length of @bytes
 * @head:	where the next byte is stored; written under the console lock
 * @tail:	the next byte to be printed; advanced by who owns the output
 * @highest:	the most bytes ever stored at once
 *
 * Both positions count on and wrap around at the end of their type, not at the end of @bytes.
 */
struct ring {
	char *bytes;
	unsigned int size;
	unsigned int head;
	unsigned int tail;
	unsigned int highest;
};

struct counters {
	u64 lines;		/* printed by the thread */
	u64 bytes;		/* the same in bytes */
	u64 drained_lines;	/* lines of the ring printed by others than the thread */
	u64 direct_records;	/* records printed at once by their writers */
	u64 full;		/* lines a writer printed because the ring was full */
	u64 forced;		/* times the output was taken from somebody in mid-line */
	u64 lost_bytes;
	u64 warn_records;	/* records of WARNs printed at once */
	u64 left_to_thread;	/* records of WARNs left to the thread */
	u64 starved_records;	/* printed at once because the thread did not run */
	u64 rewinds;		/* times the console was registered again */
	u64 set_back;		/* times the console was set back to a skipped record */
	u64 burst_lines;	/* lines the thread printed in bursts */
	u64 bursts;		/* FIFO fills */
	u64 sleeps;		/* of the thread while it printed in bursts */
	u64 unguarded;		/* lines printed without the tty's mutex, see bursts.c */
	u64 stuck;		/* lines whose rest was left to the driver, see bursts.c */
	u64 finished_by_others;	/* lines that the thread had begun */
	u64 longest_write_ns;	/* of a record by its writer, or of a line by the thread */
};

/* How long reports such as a WARN have printed at once; times in ns. See urgency.c. */
struct report_budget {
	bool in_report;
	bool exhausted;
	u64 begun_ns;
	u64 spent_ns;
	u64 regained_ns;
};

/**
 * struct relay_target - the console to relay, and what is held of it
 * @con:	the driver's console
 * @device:	its port's device, with a reference
 * @port_driver: the driver that bound @device
 * @driver_owner: module of the uart_driver, which is held
 * @port_owner:	module of @port_driver, which is held
 */
struct relay_target {
	struct console *con;
	struct device *device;
	struct device_driver *port_driver;
	struct module *driver_owner;
	struct module *port_owner;
};

/**
 * struct bursts - how the thread prints to an 8250, see bursts.c
 * @up:		the port, of the driver's static array; NULL: the driver's write() is used
 * @in_line:	the thread may touch the port
 * @fit:	the last line was printed in bursts, or will be the first one
 * @stuck_lines: number of lines in succession that the transmitter did not take
 * @last_length: length of the last line in bytes; the tty may then send as many
 * @byte_ns:	time on the serial line of one byte, as observed
 * @tty_busy:	the thread has found the tty's mutex taken, since @tty_busy_since
 * @tty_busy_since: in jiffies
 */
struct bursts {
	struct uart_8250_port *up;
	bool in_line;
	bool fit;
	unsigned int stuck_lines;
	unsigned int last_length;
	u32 byte_ns;
	bool tty_busy;
	unsigned long tty_busy_since;
};

struct console_relay;

/* Of a CPU. */
struct relay_kick {
	struct irq_work work;
	struct console_relay *relay;
};

/* Whether writers print themselves. */
enum directness {
	DIRECT_NEVER,	/* only what is urgent */
	DIRECT_LIMITED,	/* a part of the backlog each, while somebody else prints it as well */
	DIRECT_FULLY,	/* all of the backlog, which is short */
};

/**
 * struct console_relay - a legacy console whose write() was exchanged
 * @con:	the driver's console, registered all the while
 * @write:	the driver's own write()
 * @exit:	the driver's own exit(), or NULL
 * @target:	@con with what is held of it
 * @ring:	what was written and not printed yet
 * @thread_line: the line that the thread is printing
 * @line:	the line that a writer is printing, which owns the output
 * @forced_line: the same for who took the output by force
 * @record:	before 5.19, the record that a writer is to store or to print; see console_hook.c
 * @record_len:	its length in bytes; 0: there is none
 * @owner:	who owns the output: a ticket and the CPU plus one, or 0; see output.c
 * @tickets:	number of the last ticket
 * @waiting:	number of contexts that wait for the output
 * @owned_bytes: how many bytes the owner is printing
 * @byte_ns:	longest time of a byte, as lately observed, in ns; 0: nothing was observed yet
 * @progress_ns: when a line was last printed, or the ring was last empty
 * @direct:	whether writers print themselves: in a suspend, before a reboot
 * @panicking:	the other CPUs have been stopped, or should have been
 * @panic_cpu:	the CPU that panics, once @panicking
 * @port_lost: an oops has interrupted who printed, perhaps with the port lock
 * @off:	unregistered: the port is not to be touched
 * @unhooked:	the console has its own write() again; protected by the console lock
 * @behind:	a record could be neither stored nor printed, or the console was registered again:
 *		the next ones are skipped until it has been set back; written under the console lock
 * @resume_seq:	sequence number of the next record when it was unregistered, or of the first
 *		skipped one
 * @registered_again: @behind since the console was registered again
 * @kicked:	the thread has something to do
 * @kicks:	wake the thread from any context, one for each CPU: one CPU may have its interrupts
 *		off for long
 * @wait:	where the thread waits
 * @thread:	prints @ring; with a reference, as it may die of an oops
 * @nice:	nice value of @thread while it calls the driver's write()
 * @set_nice:	its nice value as last set by the relay: `renice` is not overruled
 * @left_boot_cpu: whether @thread has tried to leave the boot CPU, which it does once
 * @bursts:	how it prints otherwise
 * @budget:	of reports; protected by the console lock
 * @oops_spent_ns: how long the oops has printed so far, in ns; the same
 * @panic_notifier: see events.c
 * @reboot_notifier: see events.c
 * @pm_notifier: see events.c
 * @counters:	shown in debugfs
 */
struct console_relay {
	struct console *con;
	void (*write)(struct console *con, const char *text, unsigned int len);
	int (*exit)(struct console *con);
	struct relay_target target;
	struct ring ring;
	char thread_line[LINE_MAX_BYTES];
	char line[LINE_MAX_BYTES];
	char forced_line[LINE_MAX_BYTES];
#ifndef HAVE_CONSOLE_SEQ
	char record[RECORD_MAX_BYTES];
	unsigned int record_len;
#endif
	atomic_long_t owner;
	atomic_t tickets;
	atomic_t waiting;
	unsigned int owned_bytes;
	u32 byte_ns;
	u64 progress_ns;
	enum directness direct;
	bool panicking;
	int panic_cpu;
	bool port_lost;
	bool off;
	bool unhooked;
	bool behind;
	u64 resume_seq;
	bool registered_again;
	atomic_t kicked;
	struct relay_kick __percpu *kicks;
	wait_queue_head_t wait;
	struct task_struct *thread;
	int nice;
	int set_nice;
	bool left_boot_cpu;
	struct bursts bursts;
	struct report_budget budget;
	u64 oops_spent_ns;
	struct notifier_block panic_notifier;
	struct notifier_block reboot_notifier;
	struct notifier_block pm_notifier;
	struct counters counters;
};

/* A WARN leaves its text to the thread. An oops and a panic always print at once. */
extern bool console_relay_warn_to_thread;

/* For how long a WARN may print at once. */
extern unsigned int console_relay_warn_limit_ms;

/* How long to wait for who owns the output. */
enum patience {
	PATIENCE_NONE,	/* not at all, and others who wait come first */
	PATIENCE_LINE,	/* until its line must have ended */
	PATIENCE_LONG,	/* longer: what is not printed now may be skipped */
	PATIENCE_TAKE,	/* as long as PATIENCE_LINE, and then take the output by force */
};

/* What became of an attempt to print. */
enum printed {
	PRINTED_LINE,	/* a line of the ring */
	PRINTED_TEXT,	/* the caller's text; the ring is empty */
	PRINTED_NOTHING, /* the ring is empty and there was no text */
	PRINTED_BUSY,	/* somebody else owns the output */
	PRINTED_OFF,	/* the console is unregistered */
	PRINTED_UNFIT,	/* the port is not to be printed to in bursts */
};

/* How a record is printed. */
struct urgency {
	bool at_once;
	u64 *spent_ns;	/* where the time is counted, or NULL */
	enum patience patience;
	u64 limit_ns;	/* how long to print older lines before it; U64_MAX: all of them */
};

/* drivers.c */
bool console_relay_find_console(const char *port_name, bool complain,
				struct relay_target *target);
void console_relay_release_target(const struct relay_target *target);

/* port_hold.c */
struct uart_state *console_relay_hold_port(const struct relay_target *target);
void console_relay_release_port(const struct relay_target *target, struct uart_state *state);

/* console_hook.c */
int console_relay_hook(struct console_relay *relay, bool replay, unsigned int replay_limit);
void console_relay_wait_for_thread(struct console_relay *relay);
void console_relay_unhook(struct console_relay *relay);
void console_relay_set_back(struct console_relay *relay);
unsigned int console_relay_unfinished_record(struct console_relay *relay, const char **text);

/* ring.c */
bool console_relay_ring_store(struct ring *ring, const char *text, unsigned int len);
unsigned int console_relay_ring_head(const struct ring *ring);
unsigned int console_relay_ring_bytes(const struct ring *ring);
bool console_relay_ring_has_passed(const struct ring *ring, unsigned int position);
bool console_relay_ring_empty(const struct ring *ring);
unsigned int console_relay_ring_line(const struct ring *ring, char *line, unsigned int *tail);
void console_relay_ring_rewind_line(struct ring *ring);
void console_relay_ring_advance(struct ring *ring, unsigned int tail, unsigned int len);

/* output.c */
enum printed console_relay_print(struct console_relay *relay, enum patience patience,
				 const char *text, unsigned int len);
void console_relay_kick(struct console_relay *relay);
long console_relay_open_line(struct console_relay *relay);
long console_relay_enter_burst(struct console_relay *relay, long line);
void console_relay_leave_burst(struct console_relay *relay, long line, long mine);
void console_relay_close_line(struct console_relay *relay, long line);
unsigned int console_relay_patience_ms(const struct console_relay *relay);
bool console_relay_drain(struct console_relay *relay);
void console_relay_switch_off(struct console_relay *relay);
int console_relay_start_thread(struct console_relay *relay, int nice);
void console_relay_stop_thread(struct console_relay *relay);
bool console_relay_thread_died(const struct console_relay *relay);
bool console_relay_port_lost(const struct console_relay *relay);
bool console_relay_is_excluded(const struct console_relay *relay);
void console_relay_wrote(struct console_relay *relay, u64 begun_ns);

/* bursts.c */
#ifdef HAVE_BURSTS
void console_relay_find_bursts(struct console_relay *relay, struct uart_state *state);
enum printed console_relay_print_in_bursts(struct console_relay *relay);
#else
static inline void console_relay_find_bursts(struct console_relay *relay, struct uart_state *state)
{
}

static inline enum printed console_relay_print_in_bursts(struct console_relay *relay)
{
	return PRINTED_UNFIT;
}
#endif

/* urgency.c: the console lock is held */
struct urgency console_relay_urgency(struct console_relay *relay, const char *text,
				     unsigned int len);

/* events.c */
void console_relay_print_directly(struct console_relay *relay, enum directness directness);
void console_relay_watch(struct console_relay *relay);
void console_relay_unwatch(struct console_relay *relay);

/* replay.c */
unsigned int console_relay_log_bytes(unsigned int limit, int loglevel);
#ifdef HAVE_CONSOLE_SEQ
u64 console_relay_replay_start(unsigned int limit);
#else
void console_relay_store_log(struct console_relay *relay, unsigned int limit);
#endif

/* counters.c */
void console_relay_counters_create(struct console_relay *relay);
void console_relay_counters_remove(void);

#endif
