/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROVOKE_H
#define PROVOKE_H

#include <linux/completion.h>

/* context.c: calls trigger() in the named context; false if there is none of that name */
bool provoke_in(const char *context, void (*trigger)(void));

/* trap.c: calls a function once, where another context comes to */
struct provoke_trap {
	void (*trigger)(void);
	struct completion done;
};

void provoke_trap_set(struct provoke_trap *trap, void (*trigger)(void));
void provoke_trap_spring(struct provoke_trap *trap);
/* Disarms the trap; -ETIMEDOUT if it was not sprung. */
int provoke_trap_wait(struct provoke_trap *trap, unsigned int seconds);

struct seq_file;
struct uart_port;

/* port.c: calls trigger() within the register write of the console's byte @nth from now, from 0 */
int provoke_in_port(unsigned int nth, void (*trigger)(void));
/* The same while the divisor latch is selected: once the driver sets the speed, within 60 s */
int provoke_in_latch(void (*trigger)(void));
void provoke_release_port(void);
int provoke_set_port(const char *field);
struct uart_port *provoke_find_port(void);
void provoke_show_port(struct seq_file *seq);
/* Between the two, bytes that this task sends are counted */
void provoke_count_begin(void);
void provoke_count_end(void);

/* sent.c: calls trigger() when the printer kthread has sent a record, before the core knows */
int provoke_when_sent(void (*trigger)(void));

/* actors.c: what goes on in the background until it is stopped */
int provoke_start_actor(const char *name);
int provoke_stop_actor(const char *name);
void provoke_stop_actors(void);
void provoke_show_actors(struct seq_file *seq);

/* panic_log.c: from the first on, a panic's log is written to @tty, such as ttyS1 */
int provoke_begin_panic_log(const char *tty);
void provoke_end_panic_log(void);

#endif
