// SPDX-License-Identifier: MIT OR Apache-2.0
#include "plan.h"

#include "kernel.h"
#include "log.h"

enum { RECORDING_MS = 1000 };

static void send(int pipe, const void *what, size_t n)
{
	if (pipe >= 0 && call_write(pipe, what, n) < 0)
		call_write(pipe, what, n);
}

void plan_send(int pipe, const struct config *config, bool stay)
{
	struct plan plan = { .magic = PLAN_MAGIC, .stay = stay };
	struct text t = TEXT(plan.init);

	plan.hold_ms = (long)config->hold_ms;
	plan.hold_given = config->hold_given;
	/* What the real init reads first belongs to a recording, whose beginning may take longer than process 1 waits otherwise. */
	if (config->record && !config->hold_given) {
		plan.hold_ms = RECORDING_MS;
		plan.hold_given = true;
	}
	plan.stop_ms = (long)config->stop_ms;
	if (config->init)
		put(&t, config->init);
	if (t.cut) {
		say(LEVEL_ERROR, "the path of the real init is too long", NULL);
		plan.init[0] = 0;
	}
	send(pipe, &plan, sizeof(plan));
}

void plan_go(int pipe)
{
	send(pipe, "g", 1);
	if (pipe >= 0)
		call_close(pipe);
}

static enum plan_state broken(const char *why)
{
	say(LEVEL_ERROR, "going on without a plan: ", why, NULL);
	return PLAN_BROKEN;
}

enum plan_state plan_read(int pipe, struct plan *plan, long ms)
{
	struct pollfd file = { pipe, POLLIN, 0 };
	struct plan got = { 0 };
	long n;

	if (pipe < 0)
		return broken("no pipe");
	n = call_poll(&file, 1, ms);
	if (n == 0)
		return PLAN_LATE;
	if (n > 0)
		n = call_read(pipe, &got, sizeof(got));
	if (n == 0)
		return broken("the starter ended");
	if (n < 0)
		return broken(error_words(n));
	if (n != sizeof(got) || got.magic != PLAN_MAGIC)
		return broken("the starter sent no plan");
	got.init[PLAN_PATH - 1] = 0;
	*plan = got;
	return PLAN_READ;
}
