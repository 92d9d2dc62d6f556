// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is left to the write() of the driver's own console.
 *
 * Purpose
 *   That function knows what this module does not:
 *   - to restore the line settings, if the port has lost power in a suspend;
 *   - to switch the direction of an RS-485 line, which a program may turn on at any time
 *     (TIOCSRS485). Records are then printed by it, one by one, at the speed of the line.
 *
 * Calling contexts
 *   nbcon_8250_driver_write(): the printer kthread. nbcon_8250_driver_write_owned(): any,
 *   including NMI.
 *
 * Locking
 *   write() takes the port lock, and with it the console, which the caller does not own; or in
 *   nbcon_8250_driver_write_owned() nothing, as the caller owns the console in an unsafe section.
 *
 * Lifetime
 *   The port is bound to its driver.
 *
 * What this disturbs
 *   Interrupts are off (except on PREEMPT_RT in the printer kthread) while write() waits for the
 *   transmitter.
 */
#include <linux/printk.h>
#include "nbcon_8250.h"

/* The tty's mutex is held for a record, so this changes only between two of them. */
bool nbcon_8250_is_rs485(const struct nbcon_8250 *nb)
{
	return nb->up->em485 || nb->up->port.rs485.flags & SER_RS485_ENABLED;
}

void nbcon_8250_driver_write(struct nbcon_8250 *nb, const char *text, unsigned int len)
{
	nb->legacy->write(nb->legacy, text, len);
}

/*
 * During an oops write() only tries to take the port lock, and goes on without: as the caller
 * owns the console, it fails. The kernel's debugger prints the same way (kdb_msg_write()).
 */
void nbcon_8250_driver_write_owned(struct nbcon_8250 *nb, const char *text, unsigned int len)
{
	++oops_in_progress;
	nb->legacy->write(nb->legacy, text, len);
	--oops_in_progress;
}
