// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which console and which port the module supports.
 *
 * Purpose
 *   Finds the console to replace, checks it and its port, and logs why one is refused.
 *   What is assumed of the driver (drivers/tty/serial/8250, read in 6.12, 7.2 and 7.3): all its
 *   ports share one struct console, whose data is the uart_driver; the ports are struct
 *   uart_8250_port and stay in place as long as the driver is loaded.
 *
 * Calling contexts
 *   Process context: on loading, and nbcon_8250_recognise_port() also when the console is
 *   registered again.
 *
 * Locking
 *   nbcon_8250_find_console() takes the console list lock. nbcon_8250_recognise_console() needs
 *   the port held (port_hold.c). nbcon_8250_recognise_port() needs the mutex of the tty's port.
 *
 * Lifetime
 *   What is found belongs to the driver.
 *
 * What this disturbs
 *   Nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tty.h>
#include "compat.h"
#include "nbcon_8250.h"

/* The driver is named "serial" in 6.12 and "serial_8250" in 7.2. */
static bool is_8250_driver(const struct uart_driver *driver)
{
	return driver && driver->driver_name && driver->dev_name &&
	       (!strcmp(driver->driver_name, "serial_8250") ||
		!strcmp(driver->driver_name, "serial")) &&
	       !strcmp(driver->dev_name, "ttyS");
}

/* Compares with the name in /proc/consoles, such as ttyS0. */
static bool has_name(const struct console *con, const char *port_name)
{
	char name[sizeof(con->name) + 8];

	scnprintf(name, sizeof(name), "%s%d", con->name, con->index);
	return !strcmp(name, port_name);
}

/**
 * nbcon_8250_find_console - find the console to replace
 * @port_name:	such as ttyS0; if empty, the first registered ttyS console
 * @complain:	log why there is none
 *
 * Return: a registered ttyS console, or NULL.
 */
struct console *nbcon_8250_find_console(const char *port_name, bool complain)
{
	struct console *con, *found = NULL;
	bool boot_console = false;

	console_list_lock();
	for_each_console(con) {
		if (con->flags & CON_BOOT)
			boot_console = true;
		else if (!found && !strcmp(con->name, "ttyS") &&
			 (!*port_name || has_name(con, port_name)))
			found = con;
	}
	console_list_unlock();

	if (boot_console) {
		if (complain)
			pr_err("a boot console (earlycon, keep_bootcon) is still registered\n");
		return NULL;
	}
	if (!found && complain)
		pr_err("no console %s is registered: boot with console=ttyS0\n",
		       *port_name ? port_name : "ttyS*");
	return found;
}

/*
 * Types whose transmitter works like a 16550A's: LSR.THRE shows that the FIFO is empty, and it
 * then accepts tx_loadsz bytes. The driver's own console fills the FIFO of all of these this way
 * since 5.19.
 *
 * PORT_8250 is the type that 8250_omap gives its ports, which have a 64-byte FIFO; a real 8250
 * has none and is refused for that. PORT_16550 is the mini UART of the Raspberry Pi, or a
 * real one, whose FIFO the driver leaves off: see has_fifo(); 8250_mtk starts with that type, and
 * the driver then detects the real one.
 */
static bool is_16550a_class(unsigned int type)
{
	switch (type) {
	case PORT_8250:
	case PORT_16550:
	case PORT_16550A:
	case PORT_16550A_FSL64:
	case PORT_16650V2:
	case PORT_16654:
	case PORT_16750:
	case PORT_16850:
	case PORT_ALTR_16550_F32:
	case PORT_ALTR_16550_F64:
	case PORT_ALTR_16550_F128:
	case PORT_DA830:
	case PORT_NPCM:
	case PORT_NS16550A:
	case PORT_TEGRA:
	case PORT_U6_16550A:
	case PORT_XSCALE:
		return true;
	default:
		return false;
	}
}

/* Its type is that of the 16550, and other drivers' ports may have that type as well. */
static bool is_mini_uart(const struct uart_port *port)
{
	return port->type == PORT_16550 && port->dev && port->dev->driver &&
	       !strcmp(port->dev->driver->name, "bcm2835-aux-uart");
}

/*
 * The driver never enables the FIFO of a 16550, which is broken; but a device tree can give one a
 * size (`fifo-size`), which sets tx_loadsz.
 */
static bool has_fifo(const struct uart_8250_port *up)
{
	return up->tx_loadsz > 1 &&
	       (up->port.type != PORT_16550 || is_mini_uart(&up->port) ||
		up->fcr & UART_FCR_ENABLE_FIFO);
}

/*
 * Drivers that have a DMA channel (8250_dw, 8250_mtk) leave it in the port until the tty is
 * opened for the first time; on a console port, such as this one, they all drop it then
 * (serial8250_do_startup(), mtk8250_startup(), omap_8250_startup()). A channel that is still
 * there while the tty is open was requested before the port became a console, and is in use.
 */
static bool transmits_by_dma(const struct uart_8250_port *up)
{
	const struct uart_state *state = up->port.state;

	return up->dma && state && tty_port_initialized(&state->port);
}

/**
 * nbcon_8250_recognise_port - check whether the module supports the port's transmitter
 * @nb:		the console; its port, nb->up, is set
 *
 * Return: true, or false after logging why not.
 */
bool nbcon_8250_recognise_port(struct nbcon_8250 *nb)
{
	struct uart_8250_port *up = nb->up;
	struct uart_port *port = &up->port;

	if (!is_16550a_class(port->type)) {
		pr_err("ttyS%u: type %u is not of the 16550A class\n", port->line, port->type);
		return false;
	}
	if (!has_fifo(up)) {
		pr_err("ttyS%u: no transmit FIFO\n", port->line);
		return false;
	}
	if (transmits_by_dma(up)) {
		pr_err("ttyS%u: the driver transmits by DMA\n", port->line);
		return false;
	}
	if (uart_console_flow_controlled(port)) {
		pr_err("ttyS%u: the console has hardware flow control (console=..r)\n",
		       port->line);
		return false;
	}
	if (!port->serial_in || !port->serial_out || !port->ops || !port->ops->start_tx) {
		pr_err("ttyS%u: the port has no register access\n", port->line);
		return false;
	}
	nb->mini_uart = is_mini_uart(port);
	return true;
}

/**
 * nbcon_8250_find_driver - find the 8250 driver of a console
 * @legacy:	a registered console
 *
 * Return: the driver, which has a state for the console's port, or NULL after logging why not.
 */
struct uart_driver *nbcon_8250_find_driver(struct console *legacy)
{
	struct uart_driver *driver = legacy->data;

	if (legacy->flags & CON_NBCON) {
		pr_err("%s%d is already an nbcon console: printk() does not wait for it\n",
		       legacy->name, legacy->index);
		return NULL;
	}
	if (!legacy->write || legacy->device != uart_console_device) {
		pr_err("%s%d is not the serial core's console\n", legacy->name, legacy->index);
		return NULL;
	}
	if (!is_8250_driver(driver) || driver->cons != legacy) {
		pr_err("%s%d is not the 8250 driver's console\n", legacy->name, legacy->index);
		return NULL;
	}
	if (legacy->index < 0 || legacy->index >= driver->nr || !driver->state) {
		pr_err("%s%d has no port\n", legacy->name, legacy->index);
		return NULL;
	}
	return driver;
}

/**
 * nbcon_8250_recognise_console - check whether the module can replace @legacy
 * @nb:		filled in with the console, its driver and its port
 * @legacy:	the console; its port is held by nbcon_8250_hold_port()
 *
 * Return: 0, or -ENODEV or -EBUSY after logging why not.
 */
int nbcon_8250_recognise_console(struct nbcon_8250 *nb, struct console *legacy)
{
	struct uart_driver *driver = legacy->data;
	struct uart_port *port = driver->state[legacy->index].uart_port;

	if (!console_is_registered(legacy)) {
		pr_err("%s%d has just been unbound or switched off\n", legacy->name,
		       legacy->index);
		return -EBUSY;
	}
	if (legacy->flags & (CON_BRL | CON_EXTENDED | CON_SUSPENDED) ||
	    !(legacy->flags & CON_ENABLED)) {
		pr_err("%s%d is suspended, disabled, or not an ordinary console (flags %#x)\n",
		       legacy->name, legacy->index, legacy->flags);
		return -EBUSY;
	}
	if (!port || port->cons != legacy || port->line != legacy->index || !port->state ||
	    port != &serial8250_get_port(legacy->index)->port) {
		pr_err("%s%d: port and console do not belong together\n", legacy->name,
		       legacy->index);
		return -ENODEV;
	}
	nb->legacy = legacy;
	nb->driver = driver;
	nb->up = up_to_u8250p(port);
	/* Switched on later, the driver's own code transmits: driver_write.c. */
	if (nbcon_8250_is_rs485(nb)) {
		pr_err("ttyS%u: RS-485 is on: switching its direction is not supported\n",
		       port->line);
		return -ENODEV;
	}
	return nbcon_8250_recognise_port(nb) ? 0 : -ENODEV;
}
