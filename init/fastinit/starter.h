/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_STARTER_H
#define FASTINIT_STARTER_H

#include <stdbool.h>

/*
 * Reads the configuration, starts its programs, waits for what they wait for. A process of its own, so that nothing that
 * goes wrong here matters to process 1, which listens at the other end of `pipe`. Returns once there is nothing left to do.
 */
void starter_run(const char *config_path, char **envp, int pipe, bool stay, bool initramfs);

#endif
