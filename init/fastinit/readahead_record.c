// SPDX-License-Identifier: MIT OR Apache-2.0
#include "readahead.h"

#include "kernel.h"
#include "log.h"
#include "readahead_list.h"
#include "readahead_source.h"
#include "text.h"

static bool has_trace;

int readahead_begin(void)
{
	int error = list_begin(), other;

	if (error < 0) {
		say(LEVEL_ERROR, "cannot record what is read: no root: ", error_words(error), NULL);
		return error;
	}
	error = trace_begin();
	has_trace = error == 0;
	if (has_trace)
		return 0;
	other = opens_begin();
	if (other == 0)
		say(LEVEL_NOTICE, "no trace of what is read: ", error_words(error), "; recording which files are opened", NULL);
	else
		say(LEVEL_ERROR, "cannot record what is read: ", error_words(error), "; nor what is opened: ", error_words(other), NULL);
	return other;
}

void readahead_leave(void)
{
	opens_leave();
}

int readahead_record(const char *list, unsigned long ms)
{
	int error;

	if (has_trace)
		trace_collect(ms);
	else
		opens_collect(ms);
	error = list_write(list);
	if (error == -ENODATA)
		say(LEVEL_ERROR, list, ": not written: nothing was read", NULL);
	else if (error < 0)
		say(LEVEL_ERROR, list, ": ", error_words(error), NULL);
	return error < 0;
}
