/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_DEVICES_H
#define FASTINIT_DEVICES_H

#include "config.h"

/* Makes the nodes and links, loads the modules, has the kernel announce the devices; says what failed. */
void devices_make(const struct config *config);

#endif
