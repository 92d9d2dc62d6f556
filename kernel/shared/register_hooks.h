/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BOOTLINE_REGISTER_HOOKS_H
#define BOOTLINE_REGISTER_HOOKS_H

#include <linux/serial_core.h>

/*
 * The types of the arguments of serial_in and serial_out of struct uart_port, for functions in
 * their place. They were signed up to 6.16. The type, not the version, decides.
 */
#define REGISTER_OFFSET typeof(_Generic(((struct uart_port *)NULL)->serial_in,	\
	unsigned int (*)(struct uart_port *, int) : 0,				\
	unsigned int (*)(struct uart_port *, unsigned int) : 0U))
#define REGISTER_VALUE REGISTER_OFFSET

#endif
