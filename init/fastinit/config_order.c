// SPDX-License-Identifier: MIT OR Apache-2.0
#include "config_parts.h"

static bool waits_for_program(const struct condition *c)
{
	return c->kind == AFTER_START || c->kind == AFTER_READY || c->kind == AFTER_EXIT;
}

static void drop(struct parser *p, struct program *program, const char *words, const char *about)
{
	program->invalid = true;
	p->report(p->context, program->line, words, about);
}

static void look_up(struct parser *p, struct program *program)
{
	int i;

	for (i = 0; i < program->condition_count; i++) {
		struct condition *c = &program->conditions[i];
		const struct program *other;

		if (!waits_for_program(c))
			continue;
		c->program = config_program(p->config, c->what);
		if (c->program < 0) {
			drop(p, program, "waits for a program that is not there", c->what);
			continue;
		}
		other = &p->config->programs[c->program];
		if (c->kind == AFTER_READY && !other->notify)
			drop(p, program, "waits until a program is ready that has no `notify = yes`", c->what);
		if (c->kind == AFTER_EXIT && !other->once)
			drop(p, program, "waits for the exit of a program that has no `once = yes`", c->what);
	}
}

/* A program can start, as far as others matter, once all that it waits for can: what never can waits in a circle. */
static void drop_circles(struct parser *p)
{
	struct config *config = p->config;
	bool can_start[MAX_PROGRAMS] = { false };
	bool more = true;
	int i, k;

	while (more) {
		more = false;
		for (i = 0; i < config->program_count; i++) {
			const struct program *program = &config->programs[i];
			bool can = !program->invalid && !can_start[i];

			for (k = 0; can && k < program->condition_count; k++)
				if (waits_for_program(&program->conditions[k]))
					can = can_start[program->conditions[k].program];
			if (can)
				can_start[i] = more = true;
		}
	}
	for (i = 0; i < config->program_count; i++)
		if (!can_start[i] && !config->programs[i].invalid)
			drop(p, &config->programs[i], "never starts: it waits for a program that does not start, or for itself",
			     config->programs[i].name);
}

void resolve_order(struct parser *p)
{
	struct config *config = p->config;
	int i;

	for (i = 0; i < config->program_count; i++) {
		struct program *program = &config->programs[i];

		if (!program->words[0] && !program->invalid)
			drop(p, program, "a program without `exec`", program->name);
		look_up(p, program);
	}
	drop_circles(p);
	if (!config->hold_for)
		return;
	config->hold_program = config_program(config, config->hold_for);
	if (config->hold_program < 0 || config->programs[config->hold_program].invalid) {
		config->hold_program = -1;
		p->report(p->context, 0, "`hold-for` names a program that does not start", config->hold_for);
	}
}
