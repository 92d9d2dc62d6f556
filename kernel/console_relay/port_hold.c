// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding the port in place while its console is hooked or unhooked.
 *
 * Purpose
 *   The core reads a console's exit() outside of the console lock. What unregisters a console:
 *   - `echo N` to its file in sysfs: under the mutex of the tty's port;
 *   - unbinding the port: under the lock of its device.
 *   Both are held while exit() is exchanged, so everyone who has read it has returned before the
 *   module is gone.
 *
 * Calling contexts
 *   Process context, on loading and unloading.
 *
 * Locking
 *   Takes the lock of the device, then the mutex of the tty's port.
 *
 * Lifetime
 *   A held port keeps a reference to its device. The state belongs to the driver and outlives
 *   the port.
 *
 * What this disturbs
 *   Binding, unbinding, opening, closing and setting the port wait.
 */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/serial_core.h>
#include <linux/tty.h>
#include "console_relay.h"

/* NULL while the port is unbound, when there is nothing to unbind. */
static struct device *device_of(const struct uart_state *state)
{
	return state->uart_port ? state->uart_port->dev : NULL;
}

/**
 * console_relay_hold_port - prevent the console's port from being bound or unbound, and the
 *			     console from being switched on or off
 * @held:	filled in, for console_relay_release_port()
 * @con:	the console, whose driver's module is held
 */
void console_relay_hold_port(struct held_port *held, const struct console *con)
{
	const struct uart_driver *driver = con->data;
	struct uart_state *state = driver->state + con->index;

	held->state = state;
	for (;;) {
		mutex_lock(&state->port.mutex);
		held->device = get_device(device_of(state));
		mutex_unlock(&state->port.mutex);

		if (held->device)
			device_lock(held->device);
		mutex_lock(&state->port.mutex);
		if (device_of(state) == held->device)
			return;
		console_relay_release_port(held);
	}
}

/**
 * console_relay_release_port - undo console_relay_hold_port()
 * @held:	as filled in there
 */
void console_relay_release_port(struct held_port *held)
{
	mutex_unlock(&held->state->port.mutex);
	if (held->device)
		device_unlock(held->device);
	put_device(held->device);
}
