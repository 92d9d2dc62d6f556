// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contexts in which provoke triggers something.
 *
 * Purpose
 *   process, irqs-off, softirq (of a timer; on PREEMPT_RT a thread), hardirq, nmi (on x86 with
 *   an xAPIC: sent to the current processor).
 *
 * Calling contexts
 *   Process context.
 *
 * Locking
 *   None: one caller at a time.
 *
 * Lifetime
 *   Returns when what was triggered is over.
 *
 * What this disturbs
 *   Nothing but what is triggered.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/timer.h>
#ifdef CONFIG_X86
#include <asm/apic.h>
#include <asm/nmi.h>
#endif
#include "provoke.h"

static void (*armed)(void);
static DECLARE_COMPLETION(done);

static void timer_expired(struct timer_list *unused)
{
	armed();
	complete(&done);
}

static DEFINE_TIMER(timer, timer_expired);

static void irq_work_run_armed(struct irq_work *unused)
{
	armed();
	complete(&done);
}

static struct irq_work work = IRQ_WORK_INIT_HARD(irq_work_run_armed);

#ifdef CONFIG_X86
static int handle_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!armed)
		return NMI_DONE;
	armed();
	armed = NULL;
	return NMI_HANDLED;
}

static bool provoke_in_nmi(void)
{
	unsigned long flags;

	if (x2apic_enabled() ||
	    register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "provoke"))
		return false;
	local_irq_save(flags);
	native_apic_mem_write(APIC_ICR2, native_apic_mem_read(APIC_ID));
	native_apic_mem_write(APIC_ICR, APIC_DM_NMI | APIC_DEST_PHYSICAL);
	local_irq_restore(flags);
	while (READ_ONCE(armed))
		cpu_relax();
	unregister_nmi_handler(NMI_LOCAL, "provoke");
	return true;
}
#else
static bool provoke_in_nmi(void)
{
	return false;
}
#endif

bool provoke_in(const char *context, void (*trigger)(void))
{
	unsigned long flags;

	armed = trigger;
	reinit_completion(&done);
	if (!strcmp(context, "process")) {
		trigger();
	} else if (!strcmp(context, "irqs-off")) {
		local_irq_save(flags);
		trigger();
		local_irq_restore(flags);
	} else if (!strcmp(context, "softirq")) {
		mod_timer(&timer, jiffies + 1);
		wait_for_completion(&done);
	} else if (!strcmp(context, "hardirq")) {
		irq_work_queue(&work);
		wait_for_completion(&done);
	} else if (!strcmp(context, "nmi")) {
		return provoke_in_nmi();
	} else {
		return false;
	}
	return true;
}
