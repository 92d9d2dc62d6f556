/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROVOKE_H
#define PROVOKE_H

/* context.c: calls trigger() in the named context; false if there is none of that name */
bool provoke_in(const char *context, void (*trigger)(void));

/* port.c: calls trigger() within the register write of the console's byte @nth from now, from 0 */
int provoke_in_port(unsigned int nth, void (*trigger)(void));
void provoke_release_port(void);
int provoke_set_port(const char *field);

#endif
