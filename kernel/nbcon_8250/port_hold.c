// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeping the port where it is while the consoles are exchanged.
 *
 * What else puts the port's console into the list or takes it out, and where it does so:
 * - binding the port to its driver: under the mutex of the tty's port (serial_core_add_one_port());
 * - `echo Y` or `N` to its console file in sysfs: under the same mutex (console_store());
 * - unbinding it: not under that mutex (serial_core_remove_one_port()), but under the lock of
 *   the device.
 * All of them read uart_port.cons and go on with what they have read. So both are held while
 * that pointer changes, and whoever still has the old one has come to an end when ours is freed.
 *
 * The printing thread only tries for the mutex, and leaves a record to the next console when it
 * finds it taken and is to stop.
 */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/tty.h>
#include "nbcon_8250.h"

/* NULL while the port is unbound: there is nothing to be unbound then. */
static struct device *device_of(struct uart_state *state)
{
	return state->uart_port ? state->uart_port->dev : NULL;
}

/**
 * hold_port - keeps a port from being bound, unbound, or its console from being switched
 * @held:	for release_port()
 * @state:	of the port; the driver's, which outlives any port
 */
void hold_port(struct held_port *held, struct uart_state *state)
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
		release_port(held);
	}
}

/**
 * release_port - ends what hold_port() began
 * @held:	filled in there
 */
void release_port(struct held_port *held)
{
	mutex_unlock(&held->state->port.mutex);
	if (held->device)
		device_unlock(held->device);
	put_device(held->device);
}
