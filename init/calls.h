/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * System calls and text for the lab's freestanding programs.
 *
 * Purpose
 *   Static programs of a few kilobytes without a C library, whose first instruction runs as soon as the kernel has loaded them.
 *
 * Calling contexts
 *   Included once by each program. Single-threaded.
 *
 * Locking
 *   None.
 *
 * Lifetime
 *   None: what is opened stays open until the program closes it.
 *
 * What this disturbs
 *   Nothing.
 */
#ifndef BOOTLINE_CALLS_H
#define BOOTLINE_CALLS_H

typedef unsigned long size_t;
typedef long ssize_t;

#if defined(__x86_64__)
enum {
	SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_ioctl = 16, SYS_nanosleep = 35, SYS_socket = 41,
	SYS_accept = 43, SYS_bind = 49, SYS_listen = 50, SYS_setsockopt = 54, SYS_clone = 56, SYS_execve = 59,
	SYS_exit = 60, SYS_wait4 = 61, SYS_chdir = 80, SYS_setsid = 112, SYS_chroot = 161, SYS_mount = 165,
	SYS_reboot = 169, SYS_clock_gettime = 228, SYS_openat = 257, SYS_mkdirat = 258, SYS_mknodat = 259,
	SYS_dup3 = 292, SYS_pipe2 = 293, SYS_finit_module = 313,
};

static inline long call(long nr, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}

/*
 * The kernel enters with an aligned stack and without a return address, which a C function expects. The stack, from the number
 * of arguments on, is passed to run().
 */
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall run\n\thlt\n");
#elif defined(__aarch64__)
enum {
	SYS_dup3 = 24, SYS_ioctl = 29, SYS_mknodat = 33, SYS_mkdirat = 34, SYS_mount = 40, SYS_chdir = 49,
	SYS_chroot = 51, SYS_openat = 56, SYS_close = 57, SYS_pipe2 = 59, SYS_read = 63, SYS_write = 64,
	SYS_exit = 93, SYS_nanosleep = 101, SYS_clock_gettime = 113, SYS_reboot = 142, SYS_setsid = 157,
	SYS_socket = 198, SYS_bind = 200, SYS_listen = 201, SYS_accept = 202, SYS_setsockopt = 208,
	SYS_clone = 220, SYS_execve = 221, SYS_wait4 = 260, SYS_finit_module = 273,
};

static inline long call(long nr, long a, long b, long c, long d, long e)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
	return x0;
}

__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x0, sp\n\tbl run\n\tbrk #1\n");
#elif defined(__arm__)
/* Of the calls that pass a time, those for 64-bit times, which kernels have from 5.1 on. */
enum {
	SYS_exit = 1, SYS_read = 3, SYS_write = 4, SYS_close = 6, SYS_execve = 11, SYS_chdir = 12, SYS_mount = 21,
	SYS_ioctl = 54, SYS_chroot = 61, SYS_setsid = 66, SYS_reboot = 88, SYS_wait4 = 114, SYS_clone = 120,
	SYS_socket = 281, SYS_bind = 282, SYS_listen = 284, SYS_accept = 285, SYS_setsockopt = 294,
	SYS_openat = 322, SYS_mkdirat = 323, SYS_mknodat = 324, SYS_dup3 = 358, SYS_pipe2 = 359,
	SYS_finit_module = 379, SYS_clock_gettime = 403, SYS_clock_nanosleep = 407,
};

/* In assembly, since r7, which carries the number, is Thumb's frame pointer in C. */
#ifdef __thumb__
#define MODE ".thumb_func\n"
#else
#define MODE ""
#endif
__asm__(".text\n.globl raw_call\n.type raw_call, %function\n" MODE "raw_call:\n"
	"\tpush {r4, r7}\n\tldr r4, [sp, #8]\n\tldr r7, [sp, #12]\n\tsvc #0\n\tpop {r4, r7}\n\tbx lr\n");
long raw_call(long a, long b, long c, long d, long e, long nr);

static inline long call(long nr, long a, long b, long c, long d, long e)
{
	return raw_call(a, b, c, d, e, nr);
}

__asm__(".text\n.globl _start\n.type _start, %function\n" MODE "_start:\n"
	"\tmov r0, sp\n\tbic r1, r0, #7\n\tmov sp, r1\n\tbl run\n\tudf #0\n");

/* libgcc's division calls this for a division by zero, of which there is none. */
int raise(int signal);
int raise(int signal)
{
	(void)signal;
	__builtin_trap();
}
#else
#error "no system calls for this architecture"
#endif

/* From the kernel's uapi headers, which a freestanding build does not rely on. */
#define AT_FDCWD (-100)
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_NOCTTY 0400
#define O_NONBLOCK 04000
#define EINTR 4
#define EAGAIN 11
#define EPIPE 32
#define MODULE_INIT_COMPRESSED_FILE 4
#define CLOCK_MONOTONIC 1
#define CLOCK_BOOTTIME 7
#define TCSETS 0x5402
#define B115200 0010002
#define CS8 0000060
#define CREAD 0000200
#define CLOCAL 0004000
#define VTIME 5
#define VMIN 6
#define REBOOT_MAGIC1 0xfee1dead
#define REBOOT_MAGIC2 672274793
#define REBOOT_POWER_OFF 0x4321fedc

/* A number of any width, a time in nanoseconds above all. */
typedef unsigned long long wide_t;

/* The kernel's own struct __kernel_timespec: of 64 bits on every architecture. */
struct timespec {
	long long sec;
	long long nsec;
};

struct termios {
	unsigned int iflag, oflag, cflag, lflag;
	unsigned char line;
	unsigned char cc[19];
};

/* GCC generates calls to these even in a freestanding program. */
void *memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	while (n--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int c, size_t n)
{
	char *t = to;

	while (n--)
		*t++ = (char)c;
	return to;
}

static inline size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static inline char *put_text(char *to, const char *s)
{
	size_t n = length(s);

	memcpy(to, s, n);
	return to + n;
}

static inline char *put_number(char *to, wide_t v)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*to++ = digits[--n];
	return to;
}

static inline void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

#if defined(__arm__)
	call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t, 0, 0);
#else
	call(SYS_nanosleep, (long)&t, 0, 0, 0, 0);
#endif
}

static inline int open_file(const char *path, int flags)
{
	return (int)call(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0);
}

static inline void write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = call(SYS_write, fd, (long)bytes, (long)n, 0, 0);

		if (done == -EINTR || done == -EAGAIN) {
			pause_ms(1);
			continue;
		}
		if (done <= 0)
			return;
		bytes += done;
		n -= (size_t)done;
	}
}

static inline char *put_field(char *to, const char *name, wide_t v)
{
	return put_number(put_text(to, name), v);
}

static inline wide_t now_ns(int clock)
{
	struct timespec t = { 0, 0 };

	call(SYS_clock_gettime, clock, (long)&t, 0, 0, 0);
	return (wide_t)t.sec * 1000000000 + (wide_t)t.nsec;
}

#endif
