/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the parts of fastinit call from each other. */
#ifndef FASTINIT_H
#define FASTINIT_H

#include <stdbool.h>

#include "kernel.h"

#define FASTINIT_VERSION "0.1"

/* The program; returns an exit status (never as process 1). */
int run(char **argv, char **envp);

#ifdef FAULTS
void faults_prepare(char **envp);
#endif

#endif
