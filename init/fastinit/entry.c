// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Start of the program, and the single function through which all system calls pass.
 *
 * HOSTED builds it as an ordinary program of the C library, for sanitizers. FAULTS makes the system call fail whose number
 * (from 1, counted in all processes together) is in the environment as FASTINIT_FAULT=NUMBER, with FASTINIT_ERRNO.
 */
#include "fastinit.h"
#include "text.h"

#ifdef HOSTED
extern long syscall(long nr, ...);
extern int *__errno_location(void);

static long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret = syscall(nr, a, b, c, d, e, f);

	return ret == -1 ? -*__errno_location() : ret;
}

int main(int argc, char **argv, char **envp)
{
	(void)argc;
	call_exit(run(argv, envp));
}
#else
#include "entry.h"

long raw_call(long nr, long a, long b, long c, long d, long e, long f);
void start(long *stack);

__attribute__((used, noreturn)) void start(long *stack)
{
	char **argv = (char **)(stack + 1);

	call_exit(run(argv, argv + stack[0] + 1));
}
#endif

#ifdef FAULTS
#include <asm/unistd.h>

/* Shared by all processes, as a fork leaves such memory in place: a fault happens once in a whole run. */
static volatile unsigned long *made;
static unsigned long faulty, with_errno;

void faults_prepare(char **envp)
{
	enum { PROT_READ_WRITE = 3, MAP_SHARED_ANONYMOUS = 0x21 };
	const char *n = environment(envp, "FASTINIT_FAULT"), *e = environment(envp, "FASTINIT_ERRNO");
	long map;

	if (!n)
		return;
	map = raw_call(__NR_mmap, 0, 4096, PROT_READ_WRITE, MAP_SHARED_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096)
		return;
	made = (volatile unsigned long *)map;
	faulty = parse_number(n);
	with_errno = e ? parse_number(e) : 5;
}

static int fails(void)
{
	return made && __atomic_add_fetch(made, 1, __ATOMIC_SEQ_CST) == faulty;
}
#endif

long call_kernel(long nr, long a, long b, long c, long d, long e, long f)
{
#ifdef FAULTS
	if (fails()) {
		char line[48];
		struct text t = TEXT(line);

		put(&t, "FAULT in call ");
		put_number(&t, (unsigned long long)nr);
		put(&t, "\n");
		raw_call(__NR_write, 2, (long)line, (long)t.used, 0, 0, 0);
		return -(long)with_errno;
	}
#endif
	return raw_call(nr, a, b, c, d, e, f);
}
