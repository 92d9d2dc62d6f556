/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The program as a unit of systemd. */
#ifndef FASTINIT_ADOPT_H
#define FASTINIT_ADOPT_H

/*
 * `fastinit adopt NAME`, which the unit NAME.service executes: if fastinit has started the program, makes that process the
 * unit's main process; else becomes the program. Returns an exit status.
 */
int adopt(const char *name, char **envp);

/* The systemd generator: writes the units into the folder. Returns an exit status. */
int generate(const char *folder);

#endif
