// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Lines `[fastinit]`, `[program NAME]`, `KEY = VALUE`, and comments. What the values of the keys mean is in config_key.c,
 * how programs wait for each other in config_order.c.
 */
#include "config.h"

#include "config_parts.h"

int config_program(const struct config *config, const char *name)
{
	int i;

	for (i = 0; i < config->program_count; i++)
		if (same(config->programs[i].name, name))
			return i;
	return -1;
}

void parser_fail(struct parser *p, const char *words, const char *about)
{
	if (p->program)
		p->program->invalid = true;
	p->report(p->context, p->line, words, about);
}

/* Removes blanks at both ends. */
static char *trim(char *s)
{
	size_t n;

	while (*s == ' ' || *s == '\t')
		s++;
	n = length(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		n--;
	s[n] = 0;
	return s;
}

/* systemd names the cgroup of such a unit otherwise: the first part is a controller's, or a file's of each cgroup. */
static bool is_escaped(const char *s)
{
	static const char *const first_parts[] = { "cgroup", "cpu", "cpuacct", "cpuset", "io", "blkio", "memory", "devices", "pids",
						   "hugetlb", "misc", "rdma", "tasks" };
	size_t i;

	for (i = 0; i < sizeof(first_parts) / sizeof(first_parts[0]); i++) {
		size_t n = length(first_parts[i]);

		if (starts_with(s, first_parts[i]) && (!s[n] || s[n] == '.'))
			return true;
	}
	return *s == '_';
}

/* As in the name of a unit and of a folder. */
static bool is_name(const char *s)
{
	size_t n = length(s);

	if (!n || n >= MAX_NAME || *s == '.' || *s == '-')
		return false;
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-' ||
		      *s == '_' || *s == '.'))
			return false;
	return true;
}

static void begin_program(struct parser *p, char *name)
{
	static struct program dropped;
	struct config *config = p->config;
	struct program *program = &dropped;

	/* Keys of a program that can't be kept are checked all the same, and go nowhere. */
	if (!is_name(name))
		p->report(p->context, p->line, "not a name of a program (letters, digits, `-`, `_`, `.`)", name);
	else if (is_escaped(name))
		p->report(p->context, p->line, "a name that systemd reserves (`_...`, or a controller's, such as `io`)", name);
	else if (config_program(config, name) >= 0)
		p->report(p->context, p->line, "a second program of this name", name);
	else if (config->program_count == MAX_PROGRAMS)
		p->report(p->context, p->line, "too many programs", name);
	else
		program = &config->programs[config->program_count++];
	*program = (struct program){ .name = name, .line = p->line, .user = UNPARSED, .group = UNPARSED };
	program->restart_delay_ms = 100;
	p->program = program;
	p->section = SECTION_PROGRAM;
}

static void begin_section(struct parser *p, char *s)
{
	size_t n = length(s);

	p->program = NULL;
	p->section = SECTION_UNKNOWN;
	if (s[n - 1] != ']') {
		parser_fail(p, "a section without `]`", s);
		return;
	}
	s[n - 1] = 0;
	s = trim(s + 1);
	if (same(s, "fastinit"))
		p->section = SECTION_FASTINIT;
	else if (starts_with(s, "program ") || starts_with(s, "program\t"))
		begin_program(p, trim(s + 8));
	else
		parser_fail(p, "an unknown section", s);
}

static void parse_line(struct parser *p, char *s)
{
	char *value;

	s = trim(s);
	if (!*s || *s == '#' || *s == ';')
		return;
	if (*s == '[') {
		begin_section(p, s);
		return;
	}
	for (value = s; *value && *value != '='; value++)
		;
	if (!*value) {
		parser_fail(p, "a line without `=`", s);
		return;
	}
	*value++ = 0;
	s = trim(s);
	value = trim(value);
	if (p->section == SECTION_PROGRAM)
		parse_program_key(p, s, value);
	else if (p->section == SECTION_FASTINIT)
		parse_fastinit_key(p, s, value);
	else if (p->section == SECTION_NONE)
		parser_fail(p, "a key before the first section", s);
}

void config_parse(struct config *config, char *text, size_t size, config_report *report, void *context)
{
	struct parser p = { .config = config, .report = report, .context = context, .section = SECTION_NONE };
	size_t i, start = 0;

	*config = (struct config){ .hold_program = -1, .stop_ms = 5000, .record_ms = 60000 };
	text[size] = 0;
	for (i = 0; i < size; i++)
		if (!text[i]) {
			report(context, 0, "a zero byte: not a text file", NULL);
			return;
		}
	for (i = 0; i <= size; i++) {
		if (i < size && text[i] != '\n')
			continue;
		text[i] = 0;
		p.line++;
		parse_line(&p, text + start);
		start = i + 1;
	}
	p.program = NULL;
	resolve_order(&p);
}
