// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding the port in place while its console is switched.
 *
 * Purpose
 *   What else adds the port's console to the console list or removes it, and under which lock:
 *   - binding the port to its driver: the mutex of the tty's port (serial_core_add_one_port());
 *   - `echo Y` or `N` to its console file in sysfs: the same mutex (console_store());
 *   - unbinding it: not that mutex (serial_core_remove_one_port()), but the lock of the device.
 *   All of them read uart_port.cons and use the value later. Both locks are held while that
 *   pointer changes, so everyone who has read the old value is done before the nbcon console is
 *   freed.
 *
 * Calling contexts
 *   Process context, on loading and unloading.
 *
 * Locking
 *   Takes the lock of the device, then the mutex of the tty's port. The printer kthread only
 *   tries to take the mutex; if it fails and the kthread is to stop, the record is left to the
 *   next console.
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
#include <linux/tty.h>
#include "nbcon_8250.h"

/* NULL while the port is unbound, when there is nothing to unbind. */
static struct device *device_of(struct uart_state *state)
{
	return state->uart_port ? state->uart_port->dev : NULL;
}

/**
 * nbcon_8250_hold_port - prevent a port from being bound or unbound, and its console from being
 *			  switched on or off
 * @held:	filled in, for nbcon_8250_release_port()
 * @state:	the port's state in the driver
 */
void nbcon_8250_hold_port(struct held_port *held, struct uart_state *state)
{
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
		nbcon_8250_release_port(held);
	}
}

/**
 * nbcon_8250_release_port - undo nbcon_8250_hold_port()
 * @held:	as filled in there
 */
void nbcon_8250_release_port(struct held_port *held)
{
	mutex_unlock(&held->state->port.mutex);
	if (held->device)
		device_unlock(held->device);
	put_device(held->device);
}
