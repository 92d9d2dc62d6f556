/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* sd_notify: datagrams of lines `NAME=VALUE` to the socket that NOTIFY_SOCKET names. */
#ifndef FASTINIT_NOTIFY_H
#define FASTINIT_NOTIFY_H

#include <stdbool.h>

/* The socket of a program, `@fastinit/NAME`: abstract, it needs no file system. Returns the file or -errno. */
int notify_listen(const char *name);
/* Takes what has arrived; whether READY=1 was there, from that user or root. */
bool notify_take_ready(int fd, unsigned long user);
/* Sends to the socket of that name. Returns 0 or -errno. */
int notify_send(const char *socket, const char *message);
/* Whether somebody accepts connections on the socket, or receives datagrams. */
bool socket_answers(const char *path);

#endif
