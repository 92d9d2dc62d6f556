// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding the port in place while its console is switched.
 *
 * Purpose
 *   What else adds the port's console to the console list or removes it, and under which lock:
 *   - binding the port to its driver: the mutex of the tty's port (serial_core_add_one_port());
 *   - binding another port of the driver, if the console is not registered: the mutex of that
 *     port (uart_configure_port());
 *   - `echo Y` or `N` to its console file in sysfs: the mutex of the tty's port (console_store());
 *   - unbinding it: not that mutex (serial_core_remove_one_port()), but the lock of the device.
 *   All of them read uart_port.cons and use the value later. All these locks are held while that
 *   pointer changes, so everyone who has read the old value is done before the nbcon console is
 *   freed. Not held are three readers, who would have to read the pointer before that change and
 *   use it only when rmmod has ended:
 *   - unbinding another port, which compares the number of that console with its own;
 *   - binding the console's port while no device has it;
 *   - a device that takes the console's port over from another, such as from the one that stands
 *     for all ISA ports. While the module is loaded, it may also leave the nbcon console without
 *     its port, if it comes in the very milliseconds of the switch.
 *
 * Calling contexts
 *   Process context, on loading and unloading.
 *
 * Locking
 *   Takes a mutex of its own, the lock of the device, the mutex of the tty's port, then those of
 *   the driver's other ports. The printer kthread only tries to take the mutex; if it fails and
 *   the kthread is to stop, the record is left to the next console.
 *
 * Lifetime
 *   A held port keeps a reference to its device. The state belongs to the driver and outlives
 *   the port.
 *
 * What this disturbs
 *   Binding, unbinding, opening, closing and setting any port of the driver wait. Loading and
 *   unloading wait for whoever holds one of these locks, as unbinding a port does for as long as
 *   a program waits for its modem lines (TIOCMIWAIT).
 */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/tty.h>
#include "nbcon_8250.h"

/*
 * Nobody else takes the mutexes of several ports. As they are of one lock class, lockdep has to be
 * told which lock makes their order safe.
 */
static DEFINE_MUTEX(several_ports);

/* NULL while the port is unbound, when there is nothing to unbind. */
static struct device *device_of(struct uart_state *state)
{
	return state->uart_port ? state->uart_port->dev : NULL;
}

static void release_state(struct held_port *held)
{
	mutex_unlock(&held->state->port.mutex);
	if (held->device)
		device_unlock(held->device);
	put_device(held->device);
}

static void hold_state(struct held_port *held)
{
	struct uart_state *state = held->state;

	for (;;) {
		mutex_lock(&state->port.mutex);
		held->device = get_device(device_of(state));
		mutex_unlock(&state->port.mutex);

		if (held->device)
			device_lock(held->device);
		mutex_lock_nest_lock(&state->port.mutex, &several_ports);
		if (device_of(state) == held->device)
			return;
		release_state(held);
	}
}

/**
 * nbcon_8250_hold_port - prevent a console from being registered or unregistered
 * @held:	filled in, for nbcon_8250_release_port()
 * @driver:	the driver of the console
 * @line:	the number of the console's port, less than the driver's number of ports
 *
 * No port of the driver can be bound, and the console's port cannot be unbound.
 */
void nbcon_8250_hold_port(struct held_port *held, struct uart_driver *driver, int line)
{
	int i;

	held->driver = driver;
	held->state = driver->state + line;
	mutex_lock(&several_ports);
	hold_state(held);
	for (i = 0; i < driver->nr; i++) {
		if (i != line)
			mutex_lock_nest_lock(&driver->state[i].port.mutex, &several_ports);
	}
}

/**
 * nbcon_8250_release_port - undo nbcon_8250_hold_port()
 * @held:	as filled in there
 */
void nbcon_8250_release_port(struct held_port *held)
{
	struct uart_driver *driver = held->driver;
	int i;

	for (i = 0; i < driver->nr; i++) {
		if (driver->state + i != held->state)
			mutex_unlock(&driver->state[i].port.mutex);
	}
	release_state(held);
	mutex_unlock(&several_ports);
}
