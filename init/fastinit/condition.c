// SPDX-License-Identifier: MIT OR Apache-2.0
#include "condition.h"

#include "kernel.h"
#include "notify.h"

bool condition_is_polled(const struct condition *c)
{
	return c->kind == AFTER_FILE || c->kind == AFTER_DEVICE || c->kind == AFTER_SOCKET;
}

bool condition_is_met(const struct condition *c)
{
	struct statx found;

	if (c->kind == AFTER_SOCKET)
		return socket_answers(c->what);
	if (call_stat(c->what, &found) < 0)
		return false;
	return c->kind == AFTER_FILE || (found.stx_mode & S_IFMT) == S_IFCHR || (found.stx_mode & S_IFMT) == S_IFBLK;
}
