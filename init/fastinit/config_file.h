/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_CONFIG_FILE_H
#define FASTINIT_CONFIG_FILE_H

#include "config.h"

#define CONFIG_PATH "/etc/fastinit.conf"

/*
 * Reads and parses a configuration; what is wrong is reported in the kernel's log, or on standard error if to_stderr.
 * Returns the number of problems, or -errno if there is no configuration.
 */
int config_read(struct config *config, const char *path, bool to_stderr);

/* The configuration that `fastinit=/FILE` on the kernel's command line names, else the usual one. */
const char *config_path(void);

#endif
