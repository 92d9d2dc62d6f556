/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_CONDITION_H
#define FASTINIT_CONDITION_H

#include "config.h"

/* A condition of the file system, not of another program: no event reports that it holds, so it has to be looked for. */
bool condition_is_polled(const struct condition *c);
/* Whether such a condition holds. */
bool condition_is_met(const struct condition *c);

#endif
