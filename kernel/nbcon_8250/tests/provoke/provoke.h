/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROVOKE_H
#define PROVOKE_H

/* context.c: calls happen() in the context of that name; false if there is none */
bool provoke_in(const char *context, void (*happen)(void));

/* port.c: calls happen() from within the register write of the console's next but @nth character */
int provoke_in_port(unsigned int nth, void (*happen)(void));
void port_release(void);
int port_set(const char *field);

#endif
