// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contexts something can happen in: process, irqs-off, softirq (a timer's; on PREEMPT_RT a
 * thread of its own), hardirq, nmi (x86 with an xAPIC: sent to this very processor).
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
static DECLARE_COMPLETION(over);

static void timer_fires(struct timer_list *unused)
{
	armed();
	complete(&over);
}

static DEFINE_TIMER(timer, timer_fires);

static void irq_work_runs(struct irq_work *unused)
{
	armed();
	complete(&over);
}

static struct irq_work work = IRQ_WORK_INIT_HARD(irq_work_runs);

#ifdef CONFIG_X86
static int nmi_comes(unsigned int type, struct pt_regs *regs)
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
	    register_nmi_handler(NMI_LOCAL, nmi_comes, 0, "provoke"))
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

bool provoke_in(const char *context, void (*happen)(void))
{
	unsigned long flags;

	armed = happen;
	reinit_completion(&over);
	if (!strcmp(context, "process")) {
		happen();
	} else if (!strcmp(context, "irqs-off")) {
		local_irq_save(flags);
		happen();
		local_irq_restore(flags);
	} else if (!strcmp(context, "softirq")) {
		mod_timer(&timer, jiffies + 1);
		wait_for_completion(&over);
	} else if (!strcmp(context, "hardirq")) {
		irq_work_queue(&work);
		wait_for_completion(&over);
	} else if (!strcmp(context, "nmi")) {
		return provoke_in_nmi();
	} else {
		return false;
	}
	return true;
}
