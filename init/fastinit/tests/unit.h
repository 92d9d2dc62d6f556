/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_TESTS_UNIT_H
#define FASTINIT_TESTS_UNIT_H

/* Runs `fastinit adopt NAME` as systemd runs a unit of Type=notify; `report` gets each of its messages, and how it ended. */
void run_unit(const char *name, char **envp, void (*report)(const char *a, const char *b, const char *c));

#endif
