/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_PROCESS_TABLE_H
#define FASTINIT_PROCESS_TABLE_H

/* The child of process 1 that fastinit has started as the program of this name, by its environment; 0: none. */
int process_with_program(const char *name);

#endif
