/* SPDX-License-Identifier: GPL-2.0-only */
/* For nbcon_8250/tests/provoke on kernels older than the module that it was written for. */
#ifndef PROVOKE_COMPAT_H
#define PROVOKE_COMPAT_H

/* As the files that have one define it after this. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/console.h>
#include <linux/irq_work.h>
#include <linux/serial_core.h>

#ifndef HAVE_CONSOLE_LIST_LOCK
#define console_list_lock	console_lock
#define console_list_unlock	console_unlock
#endif

#ifndef HAVE_UART_PORT_LOCK
#define uart_port_lock_irqsave(port, flags)		\
	spin_lock_irqsave(&(port)->lock, *(flags))
#define uart_port_unlock_irqrestore(port, flags)	\
	spin_unlock_irqrestore(&(port)->lock, flags)
#endif

#ifndef IRQ_WORK_INIT_HARD
#define IRQ_WORK_INIT_HARD(function)	{ .func = (function) }
#endif

#ifndef PLATFORM_DEVID_NONE
#define PLATFORM_DEVID_NONE	(-1)
#endif

/* Since 5.12. The case that needs it is not among console_relay's. */
#ifndef HAVE_START_POLL_SYNCHRONIZE_RCU
#define start_poll_synchronize_rcu()	do { } while (0)
#endif

#endif
