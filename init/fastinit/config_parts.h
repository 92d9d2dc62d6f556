/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the files of the configuration's parser share. */
#ifndef FASTINIT_CONFIG_PARTS_H
#define FASTINIT_CONFIG_PARTS_H

#include "config.h"

enum section { SECTION_NONE, SECTION_FASTINIT, SECTION_PROGRAM, SECTION_UNKNOWN };

struct parser {
	struct config *config;
	config_report *report;
	void *context;
	int line;
	enum section section;
	/* Of the current section. */
	struct program *program;
};

/* Reports, and marks the current section's program as invalid. */
void parser_fail(struct parser *p, const char *words, const char *about);

/* config_key.c: one key each, with its value. */
void parse_fastinit_key(struct parser *p, const char *key, char *value);
void parse_program_key(struct parser *p, const char *key, char *value);

/* config_order.c: looks up the programs that others wait for; drops those that wait for themselves or a dropped one. */
void resolve_order(struct parser *p);

#endif
