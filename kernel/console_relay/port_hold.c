// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding the port in place while its console is hooked or unhooked.
 *
 * Purpose
 *   Up to 6.1 the core reads a console's exit() outside of its locks. What unregisters a console:
 *   - `echo N` to its file in sysfs: under the mutex of the tty's port;
 *   - unbinding the port: under the lock of its device.
 *   Both are held while exit() is exchanged, so everyone who has read it has returned before the
 *   module is gone.
 *
 * Calling contexts
 *   Process context, on loading and unloading.
 *
 * Locking
 *   Takes the lock of the device, then the mutex of the tty's port. While the device is bound to
 *   its driver, and cannot be unbound, that mutex exists: several drivers (PL011, uartps, meson)
 *   free it when their last port is unbound.
 *
 * Lifetime
 *   The target keeps a reference to the device, from loading to unloading.
 *
 * What this disturbs
 *   Binding, unbinding, opening, closing and setting the port wait.
 */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/serial_core.h>
#include <linux/tty.h>
#include "console_relay.h"

/* NULL while the device is unbound: then there is nobody to switch the console on or off. */
static struct uart_state *state_of(const struct relay_target *target)
{
	const struct uart_driver *driver = target->con->data;

	if (target->device->driver != target->port_driver || !driver->state)
		return NULL;
	return driver->state + target->con->index;
}

/**
 * console_relay_hold_port - prevent the console's port from being bound or unbound, and the
 *			     console from being switched on or off
 * @target:	the console with its port
 *
 * Return: what was locked besides the device, for console_relay_release_port().
 */
struct uart_state *console_relay_hold_port(const struct relay_target *target)
{
	struct uart_state *state;

	device_lock(target->device);
	state = state_of(target);
	if (state)
		mutex_lock(&state->port.mutex);
	return state;
}

/**
 * console_relay_release_port - undo console_relay_hold_port()
 * @target:	the console with its port
 * @state:	as returned there
 */
void console_relay_release_port(const struct relay_target *target, struct uart_state *state)
{
	if (state)
		mutex_unlock(&state->port.mutex);
	device_unlock(target->device);
}
