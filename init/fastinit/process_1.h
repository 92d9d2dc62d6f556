/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_PROCESS_1_H
#define FASTINIT_PROCESS_1_H

/* What process 1 does: starts the starter, then becomes the real init or stays. */
void process_1(char **argv, char **envp) __attribute__((noreturn));

#endif
