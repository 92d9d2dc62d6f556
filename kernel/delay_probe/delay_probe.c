// SPDX-License-Identifier: GPL-2.0-only
/*
 * delay_probe - an initcall and a probe that take as long as they are told to
 *
 * Purpose: A boot with a known fault, to see whether a gate finds it, and what
 *	hangs on what: loaded by init under initcall_debug, delay_probe_init is
 *	one initcall among the others, and takes ms milliseconds more than
 *	nothing. With probe_ms a device is probed asynchronously meanwhile.
 *
 *	insmod delay_probe.ko ms=50
 *	insmod delay_probe.ko ms=1000 probe_ms=3000
 *
 *	Loading a module ends when the async calls are through: the second takes
 *	three seconds, of which the initcall could have taken two more. With the
 *	kernel's own parameter async_probe it is over after one.
 *
 * Calling contexts: The process that loads it, once; a worker of the async
 *	domain for the probe.
 *
 * Locking: The probe runs under its device's lock, which nobody else takes.
 *
 * Lifetime: Nothing is left behind but the module, which can be unloaded: that
 *	waits for the probe.
 *
 * What this disturbs: The initcall spins, as drivers that wait for hardware
 *	without an interrupt do: on one CPU nothing else runs meanwhile that
 *	doesn't preempt. The probe sleeps, as those with one do.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/printk.h>

/* More would look like a hang to whoever loads it. */
#define MOST_MS	10000U

static unsigned int ms;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "milliseconds to spin in the initcall (0)");

static unsigned int probe_ms;
module_param(probe_ms, uint, 0444);
MODULE_PARM_DESC(probe_ms, "milliseconds to sleep in an async probe (0: none)");

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

/* The device comes first: the driver's registration then schedules its probe. */
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
	if (ms > MOST_MS || probe_ms > MOST_MS) {
		pr_err("ms=%u probe_ms=%u: 0 to %u\n", ms, probe_ms, MOST_MS);
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

MODULE_DESCRIPTION("An initcall and a probe that take as long as they are told to");
MODULE_LICENSE("GPL");
