// SPDX-License-Identifier: MIT OR Apache-2.0
#include "config_parts.h"

/* Takes the next word off the text: up to a blank, or between double quotes. Null at the end or if a quote is missing. */
static char *next_word(char **text)
{
	char *s = *text;
	char *word;

	while (*s == ' ' || *s == '\t')
		s++;
	if (!*s)
		return NULL;
	if (*s == '"') {
		word = ++s;
		while (*s && *s != '"')
			s++;
		if (!*s)
			return NULL;
	} else {
		word = s;
		while (*s && *s != ' ' && *s != '\t')
			s++;
	}
	if (*s)
		*s++ = 0;
	*text = s;
	return word;
}

static bool at_end(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return !*s;
}

static bool parse_flag(struct parser *p, const char *value)
{
	if (!same(value, "yes") && !same(value, "no"))
		parser_fail(p, "neither `yes` nor `no`", value);
	return same(value, "yes");
}

static const char *parse_path(struct parser *p, const char *value)
{
	if (*value == '/')
		return value;
	parser_fail(p, "not an absolute path", value);
	return NULL;
}

/* `50ms`, `2s` or seconds; up to a day. */
static unsigned long parse_time(struct parser *p, char *value)
{
	const unsigned long longest = 24UL * 60 * 60;
	size_t n = length(value);
	unsigned long unit = 1000, number;

	if (n > 2 && same(value + n - 2, "ms")) {
		unit = 1;
		value[n - 2] = 0;
	} else if (n > 1 && value[n - 1] == 's') {
		value[n - 1] = 0;
	}
	/* Decimal, also with zeros in front. */
	while (value[0] == '0' && value[1])
		value++;
	number = parse_number(value);
	if (number == UNPARSED || number > longest * 1000 / unit) {
		parser_fail(p, "not a time (`50ms`, `2s`)", value);
		return 0;
	}
	return number * unit;
}

static unsigned long parse_id(struct parser *p, const char *value)
{
	unsigned long id = parse_number(value);

	if (id == UNPARSED)
		parser_fail(p, "not a number (users and groups are numbers here)", value);
	return id;
}

/* `USER` or `USER:GROUP`. */
static void parse_owner(struct parser *p, char *value, unsigned long *user, unsigned long *group)
{
	char *s;

	for (s = value; *s && *s != ':'; s++)
		;
	if (*s) {
		*s = 0;
		*group = parse_id(p, s + 1);
	}
	*user = parse_id(p, value);
	if (*group == UNPARSED)
		*group = *user;
}

static void parse_exec(struct parser *p, char *value)
{
	struct program *program = p->program;
	char *word;
	int n = 0;

	while ((word = next_word(&value))) {
		if (n == MAX_WORDS) {
			parser_fail(p, "too many arguments", word);
			break;
		}
		program->words[n++] = word;
	}
	program->words[n] = NULL;
	if (!at_end(value))
		parser_fail(p, "a quote without its end", value);
	if (n)
		parse_path(p, program->words[0]);
}

static void parse_after(struct parser *p, char *value)
{
	static const char *const kinds[] = { "file", "socket", "device", "start", "ready", "exit" };
	struct program *program = p->program;
	char *kind = next_word(&value);
	char *what = kind ? next_word(&value) : NULL;
	int i;

	if (!what || !at_end(value)) {
		parser_fail(p, "not `KIND PATH` or `KIND PROGRAM`", value);
		return;
	}
	if (program->condition_count == MAX_CONDITIONS) {
		parser_fail(p, "too many conditions", what);
		return;
	}
	for (i = AFTER_FILE; i <= AFTER_EXIT; i++)
		if (same(kind, kinds[i])) {
			program->conditions[program->condition_count++] =
				(struct condition){ .kind = (enum condition_kind)i, .what = what };
			if (i <= AFTER_DEVICE)
				parse_path(p, what);
			return;
		}
	parser_fail(p, "an unknown condition (file, socket, device, start, ready, exit)", kind);
}

static void parse_restart(struct parser *p, const char *value)
{
	if (same(value, "always"))
		p->program->restart = RESTART_ALWAYS;
	else if (same(value, "on-failure"))
		p->program->restart = RESTART_ON_FAILURE;
	else if (!same(value, "no"))
		parser_fail(p, "not a restart (no, on-failure, always)", value);
}

static void parse_nice(struct parser *p, const char *value)
{
	bool negative = *value == '-';
	unsigned long n = parse_number(value + negative);

	if (n > 20 || (!negative && n > 19))
		parser_fail(p, "not a nice value (-20 to 19)", value);
	else
		p->program->nice = negative ? -(long)n : (long)n;
}

static void add_variable(struct parser *p, char *value)
{
	const char *s;

	for (s = value; *s && *s != '='; s++)
		;
	if (!*s || s == value)
		parser_fail(p, "not `NAME=VALUE`", value);
	else if (p->program->variable_count == MAX_VARIABLES)
		parser_fail(p, "too many variables", value);
	else
		p->program->variables[p->program->variable_count++] = value;
}

static void add_unit_setting(struct parser *p, const char *value)
{
	if (p->program->unit_setting_count == MAX_UNIT_SETTINGS)
		parser_fail(p, "too many settings of the unit", value);
	else
		p->program->unit_settings[p->program->unit_setting_count++] = value;
}

static void parse_output(struct parser *p, const char *value)
{
	if (*value != '/' && !same(value, "console") && !same(value, "null") && !same(value, "kmsg"))
		parser_fail(p, "not an output (console, null, kmsg, a path)", value);
	p->program->output = value;
}

void parse_program_key(struct parser *p, const char *key, char *value)
{
	struct program *program = p->program;

	if (!*value)
		parser_fail(p, "a key without a value", key);
	else if (same(key, "exec"))
		parse_exec(p, value);
	else if (same(key, "after"))
		parse_after(p, value);
	else if (same(key, "once"))
		program->once = parse_flag(p, value);
	else if (same(key, "notify"))
		program->notify = parse_flag(p, value);
	else if (same(key, "restart"))
		parse_restart(p, value);
	else if (same(key, "restart-delay"))
		program->restart_delay_ms = parse_time(p, value);
	else if (same(key, "timeout"))
		program->timeout_ms = parse_time(p, value);
	else if (same(key, "user"))
		parse_owner(p, value, &program->user, &program->group);
	else if (same(key, "directory"))
		program->directory = parse_path(p, value);
	else if (same(key, "environment"))
		add_variable(p, value);
	else if (same(key, "output"))
		parse_output(p, value);
	else if (same(key, "nice"))
		parse_nice(p, value);
	else if (same(key, "argv0"))
		program->argv0 = value;
	else if (same(key, "unit"))
		add_unit_setting(p, value);
	else
		parser_fail(p, "an unknown key of a program", key);
}

static struct step *add_step(struct parser *p, enum step_kind kind, const char *path)
{
	struct config *config = p->config;
	struct step *step;

	if (!parse_path(p, path))
		return NULL;
	if (config->step_count == MAX_STEPS) {
		parser_fail(p, "too many nodes, links, modules and devices", path);
		return NULL;
	}
	step = &config->steps[config->step_count++];
	*step = (struct step){ .kind = kind, .line = p->line, .path = path, .argument = "", .mode = 0600 };
	return step;
}

/* `PATH c|b MAJOR MINOR [MODE [USER:GROUP]]` */
static void add_node(struct parser *p, char *value)
{
	char *path = next_word(&value);
	char *kind = path ? next_word(&value) : NULL;
	char *major = kind ? next_word(&value) : NULL;
	char *minor = major ? next_word(&value) : NULL;
	char *mode = minor ? next_word(&value) : NULL;
	char *owner = mode ? next_word(&value) : NULL;
	struct step *step;

	if (!minor || !at_end(value) || (!same(kind, "c") && !same(kind, "b"))) {
		parser_fail(p, "not `PATH c|b MAJOR MINOR [MODE [USER:GROUP]]`", path);
		return;
	}
	step = add_step(p, STEP_NODE, path);
	if (!step)
		return;
	step->block = *kind == 'b';
	step->major = parse_number(major);
	step->minor = parse_number(minor);
	step->group = UNPARSED;
	if (mode)
		step->mode = parse_number(mode);
	if (owner)
		parse_owner(p, owner, &step->user, &step->group);
	else
		step->group = 0;
	/* As the kernel's dev_t has them. */
	if (step->major > 0xfff || step->minor > 0xfffff || step->mode > 07777 || step->user == UNPARSED ||
	    step->group == UNPARSED) {
		parser_fail(p, "not the numbers of a device, or not a mode or owner", path);
		p->config->step_count--;
	}
}

static void add_link(struct parser *p, char *value)
{
	char *path = next_word(&value);
	char *to = path ? next_word(&value) : NULL;
	struct step *step;

	if (!to || !at_end(value)) {
		parser_fail(p, "not `PATH WHERE-TO`", path);
		return;
	}
	step = add_step(p, STEP_LINK, path);
	if (step)
		step->argument = to;
}

/* The parameters are the rest of the line, as the kernel takes them. */
static void add_module(struct parser *p, char *value)
{
	char *path = next_word(&value);
	struct step *step = path ? add_step(p, STEP_MODULE, path) : NULL;

	if (!path)
		parser_fail(p, "a quote without its end", value);
	while (*value == ' ' || *value == '\t')
		value++;
	if (step)
		step->argument = value;
}

static void add_coldplug(struct parser *p, char *value)
{
	if (!starts_with(value, "/sys/"))
		parser_fail(p, "not a device's folder in /sys", value);
	else
		add_step(p, STEP_COLDPLUG, value);
}

void parse_fastinit_key(struct parser *p, const char *key, char *value)
{
	struct config *config = p->config;

	if (!*value)
		parser_fail(p, "a key without a value", key);
	else if (same(key, "init") && same(value, "stay"))
		config->after_start = AFTER_START_STAY;
	else if (same(key, "init"))
		config->init = parse_path(p, value);
	else if (same(key, "hold-for"))
		config->hold_for = value;
	else if (same(key, "hold-at-most")) {
		config->hold_ms = parse_time(p, value);
		config->hold_given = true;
	} else if (same(key, "stop-at-most"))
		config->stop_ms = parse_time(p, value);
	else if (same(key, "supervise"))
		config->supervise = parse_flag(p, value);
	else if (same(key, "console"))
		config->console = parse_path(p, value);
	else if (same(key, "readahead"))
		config->readahead = same(value, "no") ? NULL : parse_path(p, value);
	else if (same(key, "record"))
		config->record = same(value, "no") ? NULL : parse_path(p, value);
	else if (same(key, "record-for"))
		config->record_ms = parse_time(p, value);
	else if (same(key, "node"))
		add_node(p, value);
	else if (same(key, "link"))
		add_link(p, value);
	else if (same(key, "module"))
		add_module(p, value);
	else if (same(key, "coldplug"))
		add_coldplug(p, value);
	else
		parser_fail(p, "an unknown key of fastinit", key);
}
