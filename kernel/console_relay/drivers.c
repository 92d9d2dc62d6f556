// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which console the module supports.
 *
 * Purpose
 *   Finds the console, checks it, and logs why one is refused. The module calls the driver's
 *   write() from a thread instead of from printk(), but otherwise as printk() does: with
 *   interrupts off, one call at a time, and the port powered. So it supports the drivers that were
 *   read (README.md says in which kernels, and what they lock), and no others: a driver may rely
 *   on something else.
 *
 * Calling contexts
 *   Process context, on loading and unloading.
 *
 * Locking
 *   Takes the console list lock, since 6.2, and the console lock.
 *
 * Lifetime
 *   What is found belongs to the driver. Its module is held, and that of the driver that bound
 *   the port, and the device, from when the console is found. What can't be held is the port
 *   itself: unbinding it calls exit() (console_hook.c).
 *
 * What this disturbs
 *   The drivers' modules cannot be unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/serial_core.h>
#include <linux/string.h>
#include "compat.h"
#include "console_relay.h"

/* Names of struct uart_driver. */
struct known_driver {
	const char *driver_name;
	const char *dev_name;
};

static const struct known_driver known_drivers[] = {
	{ "serial", "ttyS" },		/* 8250 up to 6.12 or later, see is_8250_type() */
	{ "serial_8250", "ttyS" },	/* 8250 in 7.2 */
	{ "ttyAMA", "ttyAMA" },		/* amba-pl011, nbcon since 6.15 */
	{ "IMX-uart", "ttymxc" },	/* nbcon since 6.13 */
	{ "sifive-serial", "ttySIF" },	/* nbcon since 6.16 */
	{ "meson_uart", "ttyAML" },
	{ "meson_uart", "ttyS" },
	{ "msm_serial", "ttyMSM" },
	{ "qcom_geni_console", "ttyMSM" },
/* In 5.10, which has no such sequence number either, its write() takes no lock. */
#ifdef HAVE_CONSOLE_SEQ
	{ "s3c2410_serial", "ttySAC" },
#endif
	{ "xuartps", "ttyPS" },
	{ "uartlite", "ttyUL" },
	{ "OMAP-SERIAL", "ttyO" },
	{ "sci", "ttySC" },
	{ "fsl-lpuart", "ttyLP" },
	{ "mvebu_serial", "ttyMV" },
	{ "stm32-usart", "ttySTM" },
	{ "sprd_serial", "ttyS" },
	{ "owl-uart", "ttyOWL" },
	{ "rda-uart", "ttyRDA" },
	{ "bcm63xx_uart", "ttyS" },
};

/* Other drivers for which uart_driver has the same names as for the 8250. */
static bool is_8250_type(const struct uart_port *port)
{
	switch (port->type) {
	case PORT_APBUART:
	case PORT_DZ:
	case PORT_IP22ZILOG:
	case PORT_ZS:
		return false;
	default:
		return true;
	}
}

static bool is_known(const struct uart_driver *driver, const struct uart_port *port)
{
	size_t i;

	if (!driver->driver_name || !driver->dev_name)
		return false;
	for (i = 0; i < ARRAY_SIZE(known_drivers); i++) {
		if (!strcmp(driver->driver_name, known_drivers[i].driver_name) &&
		    !strcmp(driver->dev_name, known_drivers[i].dev_name))
			return strcmp(driver->driver_name, "serial") || is_8250_type(port);
	}
	return false;
}

/* Compares with the name in /proc/consoles, such as ttyS0. */
static bool has_name(const struct console *con, const char *port_name)
{
	char name[sizeof(con->name) + 8];

	scnprintf(name, sizeof(name), "%s%d", con->name, con->index);
	return !strcmp(name, port_name);
}

static struct uart_port *port_of(const struct console *con)
{
	const struct uart_driver *driver = con->data;

	if (con->index < 0 || con->index >= driver->nr || !driver->state)
		return NULL;
	return driver->state[con->index].uart_port;
}

/* Why the console is refused, or NULL. */
static const char *reason_against(const struct console *con)
{
	const struct uart_driver *driver = con->data;
	const struct uart_port *port;

	if (con->flags & RELAY_CON_NBCON)
		return "is an nbcon console: printk() does not wait for it";
	if (!con->write || con->device != uart_console_device || !driver)
		return "is not a console of the serial core";
	if (con->flags & (CON_BRL | CON_EXTENDED | RELAY_CON_SUSPENDED) ||
	    !(con->flags & CON_ENABLED))
		return "is suspended, disabled, or not an ordinary console";
	port = port_of(con);
	if (!port || !port->dev || port->cons != con)
		return "has no port of its own";
	if (!is_known(driver, port))
		return "has a driver that was not read: see the list in README.md";
	return NULL;
}

static void refuse(const struct console *con, const char *why)
{
	const struct uart_driver *driver = con->data;

	pr_err("%s%d %s\n", con->name, con->index, why);
	if (con->device == uart_console_device && driver && driver->driver_name)
		pr_err("%s%d belongs to %s (%s)\n", con->name, con->index, driver->driver_name,
		       driver->dev_name);
}

/*
 * The consoles are locked. A registered console's port is bound: what unbinds it has to unregister
 * the console first.
 */
static bool hold(struct relay_target *target, struct console *con)
{
	const struct uart_driver *driver = con->data;
	struct device *device = port_of(con)->dev;

	if (!device->driver || !try_module_get(driver->owner))
		return false;
	if (!try_module_get(device->driver->owner)) {
		module_put(driver->owner);
		return false;
	}
	target->con = con;
	target->device = get_device(device);
	target->port_driver = device->driver;
	target->driver_owner = driver->owner;
	target->port_owner = device->driver->owner;
	return true;
}

/**
 * console_relay_find_console - find the console to relay, and hold what must not go
 * @port_name:	such as ttyS0; if empty, the first serial console
 * @complain:	log why there is none
 * @target:	filled in, for console_relay_release_target()
 *
 * Return: whether there is a registered console that is supported.
 */
bool console_relay_find_console(const char *port_name, bool complain,
				struct relay_target *target)
{
	struct console *con, *found = NULL;
	const char *why = NULL;
	bool boot_console = false;
	bool held = false;

	/* What is logged meanwhile is printed when the lock is released. */
	relay_lock_consoles();
	for_each_console(con) {
		if (con->flags & CON_BOOT)
			boot_console = true;
		else if (!found && (*port_name ? has_name(con, port_name) :
				    con->device == uart_console_device))
			found = con;
	}
	if (boot_console) {
		if (complain)
			pr_err("a boot console (earlycon, keep_bootcon) is still registered\n");
	} else if (!found) {
		if (complain)
			pr_err("no console %s is registered: boot with console=\n",
			       *port_name ? port_name : "of the serial core");
	} else {
		why = reason_against(found);
		if (!why) {
			held = hold(target, found);
			why = "has a driver that is being removed";
		}
		if (!held && complain)
			refuse(found, why);
	}
	relay_unlock_consoles();
	return held;
}

void console_relay_release_target(const struct relay_target *target)
{
	put_device(target->device);
	module_put(target->port_owner);
	module_put(target->driver_owner);
}
