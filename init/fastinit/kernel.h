/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The system calls that fastinit makes, typed. All return -errno in case of an error.
 *
 * Numbers and structures are those of the kernel's own uapi headers. Where an architecture has old and new forms, the
 * new ones are used (openat, statx, 64-bit times), so that all architectures run the same code.
 */
#ifndef FASTINIT_KERNEL_H
#define FASTINIT_KERNEL_H

#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/poll.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/time_types.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <stddef.h>

/* Not in the uapi headers, or only in the C library's. */
enum { AF_UNIX_DOMAIN = 1, SOCKET_STREAM = 1, SOCKET_DATAGRAM = 2, SOCKET_SEQUENCED = 5, CLOCK_SINCE_BOOT = 1,
       UMOUNT_DETACH = 2 };

#if defined(__NR_ppoll_time64)
#define NR_PPOLL __NR_ppoll_time64
#define NR_CLOCK_GETTIME __NR_clock_gettime64
#define NR_SIGTIMEDWAIT __NR_rt_sigtimedwait_time64
#else
#define NR_PPOLL __NR_ppoll
#define NR_CLOCK_GETTIME __NR_clock_gettime
#define NR_SIGTIMEDWAIT __NR_rt_sigtimedwait
#endif

#ifdef __NR_fcntl64
#define NR_FCNTL __NR_fcntl64
#else
#define NR_FCNTL __NR_fcntl
#endif

/* On 32-bit ARM the calls without a number use the 16-bit ids of old kernels. */
#ifdef __NR_setuid32
#define NR_SETUID __NR_setuid32
#define NR_SETGID __NR_setgid32
#define NR_SETGROUPS __NR_setgroups32
#define NR_GETUID __NR_getuid32
#else
#define NR_SETUID __NR_setuid
#define NR_SETGID __NR_setgid
#define NR_SETGROUPS __NR_setgroups
#define NR_GETUID __NR_getuid
#endif

/* The kernel's signal set: 64 signals, whatever the size of a word. */
typedef unsigned long long signals_t;

long call_kernel(long nr, long a, long b, long c, long d, long e, long f);

#define CALL0(nr) call_kernel(nr, 0, 0, 0, 0, 0, 0)
#define CALL1(nr, a) call_kernel(nr, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(nr, a, b) call_kernel(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(nr, a, b, c) call_kernel(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(nr, a, b, c, d) call_kernel(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define CALL5(nr, a, b, c, d, e) call_kernel(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

static inline void call_exit(int status) __attribute__((noreturn));
static inline void call_exit(int status)
{
	for (;;)
		CALL1(__NR_exit_group, status);
}

static inline int call_open(const char *path, int flags, int mode)
{
	return (int)CALL4(__NR_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_LARGEFILE, mode);
}

static inline long call_read(int fd, void *to, size_t n)
{
	return CALL3(__NR_read, fd, to, n);
}

static inline long call_pread(int fd, void *to, size_t n, unsigned long long at)
{
#if defined(__arm__)
	return call_kernel(__NR_pread64, fd, (long)to, (long)n, 0, (long)(at & 0xffffffffUL), (long)(at >> 32));
#else
	return CALL4(__NR_pread64, fd, to, n, at);
#endif
}

/* Tells the kernel that the file is read in no particular order: it then reads what is asked for, and nothing ahead of it. */
static inline void call_advise_random(int fd)
{
	enum { RANDOM = 1 };
#if defined(__NR_arm_fadvise64_64)
	call_kernel(__NR_arm_fadvise64_64, fd, RANDOM, 0, 0, 0, 0);
#else
	CALL4(__NR_fadvise64, fd, 0, 0, RANDOM);
#endif
}

/* Maps a part of a file for reading, shared; `at` is a multiple of the page. Returns its address or -errno. */
static inline long call_map(int fd, unsigned long n, unsigned long long at)
{
	enum { READABLE = 1, SHARED = 1 };
#ifdef __NR_mmap2
	/* It counts in units of 4096 bytes, whatever the page is. */
	return call_kernel(__NR_mmap2, 0, (long)n, READABLE, SHARED, fd, (long)(at >> 12));
#else
	return call_kernel(__NR_mmap, 0, (long)n, READABLE, SHARED, fd, (long)at);
#endif
}

static inline long call_write(int fd, const void *from, size_t n)
{
	return CALL3(__NR_write, fd, from, n);
}

static inline void call_close(int fd)
{
	CALL1(__NR_close, fd);
}

static inline int call_dup(int from, int to)
{
	return (int)CALL3(__NR_dup3, from, to, 0);
}

static inline int call_pipe(int ends[2])
{
	return (int)CALL2(__NR_pipe2, ends, O_CLOEXEC);
}

static inline int call_mkdir(const char *path, int mode)
{
	return (int)CALL3(__NR_mkdirat, AT_FDCWD, path, mode);
}

static inline int call_mknod(const char *path, int mode, unsigned int device)
{
	return (int)CALL4(__NR_mknodat, AT_FDCWD, path, mode, device);
}

static inline int call_chmod(const char *path, int mode)
{
	return (int)CALL3(__NR_fchmodat, AT_FDCWD, path, mode);
}

static inline int call_chown(const char *path, unsigned int user, unsigned int group)
{
	return (int)CALL5(__NR_fchownat, AT_FDCWD, path, user, group, 0);
}

static inline int call_unlink(const char *path)
{
	return (int)CALL3(__NR_unlinkat, AT_FDCWD, path, 0);
}

static inline int call_rename(const char *from, const char *to)
{
	return (int)CALL5(__NR_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static inline int call_symlink(const char *what, const char *path)
{
	return (int)CALL3(__NR_symlinkat, what, AT_FDCWD, path);
}

static inline int call_mount(const char *what, const char *where, const char *type, unsigned long flags, const char *options)
{
	return (int)CALL5(__NR_mount, what, where, type, flags, options);
}

static inline int call_umount(const char *where, int flags)
{
	return (int)CALL2(__NR_umount2, where, flags);
}

static inline int call_stat(const char *path, struct statx *to)
{
	return (int)CALL5(__NR_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, to);
}

static inline int call_pid(void)
{
	return (int)CALL0(__NR_getpid);
}

/* A fork; with CLONE_PARENT the new process is a sibling. The argument order of clone differs, but zeros don't. */
static inline int call_fork(unsigned long flags)
{
	return (int)CALL5(__NR_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

static inline int call_exec(const char *path, char *const *argv, char *const *envp)
{
	return (int)CALL3(__NR_execve, path, argv, envp);
}

static inline int call_wait(int pid, int *status, int options)
{
	return (int)CALL4(__NR_wait4, pid, status, options, 0);
}

static inline int call_kill(int pid, int signal)
{
	return (int)CALL2(__NR_kill, pid, signal);
}

static inline int call_pidfd(int pid)
{
	return (int)CALL2(__NR_pidfd_open, pid, 0);
}

/* Waits for one of the files, at most for the given milliseconds; forever if they are negative. */
static inline int call_poll(struct pollfd *files, unsigned int n, long ms)
{
	struct __kernel_timespec t = { ms / 1000, ms % 1000 * 1000000 };

	return (int)CALL5(NR_PPOLL, files, n, ms < 0 ? NULL : &t, NULL, sizeof(signals_t));
}

static inline void call_sleep(long ms)
{
	call_poll(NULL, 0, ms);
}

static inline int call_signal_mask(int how, const signals_t *mask)
{
	return (int)CALL4(__NR_rt_sigprocmask, how, mask, NULL, sizeof(*mask));
}

/* Takes one of the signals, which are blocked; waits at most for the given milliseconds, forever if they are negative. */
static inline int call_take_signal(const signals_t *which, long ms)
{
	struct __kernel_timespec t = { ms / 1000, ms % 1000 * 1000000 };

	return (int)CALL4(NR_SIGTIMEDWAIT, which, NULL, ms < 0 ? NULL : &t, sizeof(*which));
}

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline unsigned long long call_clock(void)
{
	struct __kernel_timespec t = { 0, 0 };

	CALL2(NR_CLOCK_GETTIME, CLOCK_SINCE_BOOT, &t);
	return (unsigned long long)t.tv_sec * 1000000000ULL + (unsigned long long)t.tv_nsec;
}

#endif
