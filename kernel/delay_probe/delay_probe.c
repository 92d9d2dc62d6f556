// SPDX-License-Identifier: GPL-2.0-only
/*
 * delay_probe - an initcall and a probe that take a given time
 *
 * Purpose
 *   A boot with a known fault, to check whether a gate finds it and what waits for what: loaded
 *   by init with initcall_debug, delay_probe_init is one initcall among the others, and spins
 *   for ms milliseconds. With probe_ms a device is probed asynchronously at the same time.
 *
 *	insmod delay_probe.ko ms=50
 *	insmod delay_probe.ko ms=1000 probe_ms=3000
 *
 *   Loading a module returns when the async calls are done: the second example takes three
 *   seconds, and would still take three if the initcall took two seconds longer. With the
 *   kernel's own parameter async_probe it returns after one.
 *
 * Calling contexts
 *   Process context, once while loading; a worker of the async domain for the probe.
 *
 * Locking
 *   The probe runs with its device's lock held, which nobody else takes.
 *
 * Lifetime
 *   Unloading waits for the probe, and then leaves nothing.
 *
 * What this disturbs
 *   The initcall spins, like a driver that polls hardware without an interrupt: on one CPU
 *   nothing else runs meanwhile unless it preempts. The probe sleeps, like a driver that waits
 *   for an interrupt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/printk.h>

/* A longer delay would look like a hang. */
#define MAX_MS	10000U

static unsigned int ms;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds to spin in the initcall (default: 0)");

static unsigned int probe_ms;
module_param(probe_ms, uint, 0444);
MODULE_PARM_DESC(probe_ms, "milliseconds to sleep in an async probe, 0: no probe (default: 0)");

static struct platform_device *device;

static int delay_probe_probe(struct platform_device *pdev)
{
	msleep(probe_ms);
	return 0;
}

static struct platform_driver delay_probe_driver = {
	.probe = delay_probe_probe,
	.driver = {
		.name = KBUILD_MODNAME,
		.probe_type = PROBE_PREFER_ASYNCHRONOUS,
	},
};

/* The device is registered first: registering the driver then schedules the probe. */
static int __init start_probe(void)
{
	int err;

	device = platform_device_register_simple(KBUILD_MODNAME,
						 PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	err = platform_driver_register(&delay_probe_driver);
	if (err)
		platform_device_unregister(device);
	return err;
}

static int __init delay_probe_init(void)
{
	if (ms > MAX_MS || probe_ms > MAX_MS) {
		pr_err("ms=%u probe_ms=%u: must be 0 to %u\n", ms, probe_ms, MAX_MS);
		return -EINVAL;
	}
	if (probe_ms) {
		int err = start_probe();

		if (err)
			return err;
	}
	mdelay(ms);
	return 0;
}

static void __exit delay_probe_exit(void)
{
	if (!probe_ms)
		return;
	platform_driver_unregister(&delay_probe_driver);
	platform_device_unregister(device);
}

module_init(delay_probe_init);
module_exit(delay_probe_exit);

MODULE_DESCRIPTION("An initcall and a probe that take a given time");
MODULE_LICENSE("GPL");
