/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_STAY_H
#define FASTINIT_STAY_H

/*
 * Stays process 1: reaps, and shuts down when a signal asks for it (SIGTERM, SIGINT: reboot; SIGUSR2, SIGPWR: power off;
 * SIGUSR1: halt). `starter` is the process whose end is reported, or 0; programs have `stop_ms` to end after a SIGTERM.
 */
void stay_process_1(int starter, long stop_ms, int planned) __attribute__((noreturn));

#endif
