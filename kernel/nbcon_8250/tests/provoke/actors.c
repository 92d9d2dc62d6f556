// SPDX-License-Identifier: GPL-2.0-only
/*
 * What goes on in the background while the tests log.
 *
 * Purpose
 *   lock      takes and releases the port lock all the time, as the driver does for each
 *             interrupt, and measures the longest wait (longest_lock_us)
 *   cts       reports CTS as off and on in turn, as the driver does for a modem status interrupt
 *             (cts_edges); the port's own CTS stays on
 *   resume    a device whose resume_noirq() triggers a WARN at the next resume (resumes)
 *
 * Calling contexts
 *   Process context; the actors are kthreads, and the device's callback.
 *
 * Locking
 *   The port lock. One caller at a time starts and stops actors.
 *
 * Lifetime
 *   From start to stop, at the latest until the module is unloaded.
 *
 * What this disturbs
 *   The port lock is contended.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/seq_file.h>
#include <linux/serial_core.h>
#include <linux/string.h>
#include "provoke.h"

static u64 longest_lock_ns;
static unsigned int cts_edges;
static unsigned int resumes;

static int measure_lock(void *data)
{
	struct uart_port *port = data;
	unsigned long flags;
	u64 begin_ns;

	while (!kthread_should_stop()) {
		begin_ns = ktime_get_mono_fast_ns();
		uart_port_lock_irqsave(port, &flags);
		longest_lock_ns = max(longest_lock_ns, ktime_get_mono_fast_ns() - begin_ns);
		uart_port_unlock_irqrestore(port, flags);
		usleep_range(1000, 2000);
	}
	return 0;
}

static int toggle_cts(void *data)
{
	struct uart_port *port = data;
	unsigned long flags;
	bool active = false;

	while (!kthread_should_stop() || !active) {
		uart_port_lock_irqsave(port, &flags);
		uart_handle_cts_change(port, active);
		uart_port_unlock_irqrestore(port, flags);
		cts_edges++;
		active = !active;
		usleep_range(3000, 5000);
	}
	return 0;
}

static int warn_in_resume_noirq(struct device *unused)
{
	resumes++;
	WARN(1, "provoked in resume_noirq\n");
	return 0;
}

static const struct dev_pm_ops resume_ops = {
	.resume_noirq = warn_in_resume_noirq,
};

static struct platform_driver resume_driver = {
	.driver = {
		.name = "provoke",
		.pm = &resume_ops,
	},
};

static struct platform_device *resume_device;

static int start_resume(void)
{
	int err = platform_driver_register(&resume_driver);

	if (err)
		return err;
	resume_device = platform_device_register_simple("provoke", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(resume_device)) {
		platform_driver_unregister(&resume_driver);
		err = PTR_ERR(resume_device);
		resume_device = NULL;
	}
	return err;
}

static void stop_resume(void)
{
	if (!resume_device)
		return;
	platform_device_unregister(resume_device);
	platform_driver_unregister(&resume_driver);
	resume_device = NULL;
}

static struct actor {
	const char *name;
	int (*run)(void *port);
	struct task_struct *task;
} actors[] = {
	{ .name = "lock", .run = measure_lock },
	{ .name = "cts", .run = toggle_cts },
};

static struct actor *find_actor(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(actors); i++) {
		if (!strcmp(actors[i].name, name))
			return &actors[i];
	}
	return NULL;
}

int provoke_start_actor(const char *name)
{
	struct uart_port *port = provoke_find_port();
	struct actor *actor = find_actor(name);
	struct task_struct *task;

	if (!strcmp(name, "resume"))
		return start_resume();
	if (!actor || actor->task)
		return -EINVAL;
	if (!port)
		return -ENODEV;
	task = kthread_run(actor->run, port, "provoke/%s", name);
	if (IS_ERR(task))
		return PTR_ERR(task);
	actor->task = task;
	return 0;
}

static void stop_actor(struct actor *actor)
{
	if (actor->task)
		kthread_stop(actor->task);
	actor->task = NULL;
}

int provoke_stop_actor(const char *name)
{
	struct actor *actor = find_actor(name);

	if (!actor)
		return -EINVAL;
	stop_actor(actor);
	return 0;
}

void provoke_stop_actors(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(actors); i++)
		stop_actor(&actors[i]);
	stop_resume();
}

void provoke_show_actors(struct seq_file *seq)
{
	seq_printf(seq, "longest_lock_us %llu\n", div_u64(longest_lock_ns, NSEC_PER_USEC));
	seq_printf(seq, "cts_edges %u\n", cts_edges);
	seq_printf(seq, "resumes %u\n", resumes);
}
