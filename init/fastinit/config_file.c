// SPDX-License-Identifier: MIT OR Apache-2.0
#include "config_file.h"

#include "kernel.h"
#include "log.h"

struct reading {
	const char *path;
	bool to_stderr;
	int problems;
};

/* Limits the reports for a file that is not a configuration. */
enum { MAX_REPORTS = 20 };

static void report(void *context, int line, const char *words, const char *about)
{
	struct reading *reading = context;
	char where[320];
	struct text t = TEXT(where);
	int i;

	if (++reading->problems > MAX_REPORTS)
		return;
	put(&t, reading->path);
	if (line) {
		put(&t, ":");
		put_number(&t, (unsigned long long)line);
	}
	put(&t, ": ");
	put(&t, words);
	if (about) {
		put(&t, ": `");
		for (i = 0; about[i] && i < 80; i++)
			put_byte(&t, about[i] < ' ' || about[i] > '~' ? '?' : about[i]);
		put(&t, "`");
	}
	if (reading->to_stderr) {
		put(&t, "\n");
		call_write(2, where, t.used);
	} else {
		say(LEVEL_ERROR, where, NULL);
	}
}

int config_read(struct config *config, const char *path, bool to_stderr)
{
	/* One for the end that the parser writes, one to see that a file is too long. */
	static char content[MAX_CONFIG_BYTES + 2];
	struct reading reading = { path, to_stderr, 0 };
	size_t n = 0;
	long got = 1;
	int fd = call_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return fd;
	while (n < sizeof(content) - 1) {
		got = call_read(fd, content + n, sizeof(content) - 1 - n);
		if (got == -EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	call_close(fd);
	if (got < 0)
		return (int)got;
	if (n > MAX_CONFIG_BYTES) {
		*config = (struct config){ .hold_program = -1 };
		report(&reading, 0, "longer than 16 KiB", NULL);
		return reading.problems;
	}
	config_parse(config, content, n, report, &reading);
	return reading.problems;
}

const char *config_path(void)
{
	static char line[4096], *word;
	const char *found = CONFIG_PATH;
	int fd = call_open("/proc/cmdline", O_RDONLY, 0);
	long n = fd < 0 ? 0 : call_read(fd, line, sizeof(line) - 1), i;

	if (fd >= 0)
		call_close(fd);
	word = line;
	for (i = 0; i <= n; i++) {
		if (i < n && line[i] != ' ' && line[i] != '\n')
			continue;
		line[i] = 0;
		/* As in the environment of process 1, the last one counts. */
		if (starts_with(word, "fastinit="))
			found = word[9] == '/' ? word + 9 : CONFIG_PATH;
		word = line + i + 1;
	}
	return found;
}
