// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Preloaded into QEMU: a CPU of the guest that waits for the line keeps no lock meanwhile.
 *
 * Some of QEMU's ports, the PL011 among them, have no buffer: when the line does not take a byte, they wait for it, and keep
 * QEMU's lock of all devices meanwhile. Whatever CPU then touches a device, its timer or its interrupt controller waits as
 * well, for a byte each time. On hardware only the CPU that transmits would wait.
 *
 * So a byte that standard output does not take is accepted here, and the thread transmits it once it has unlocked all that it
 * has locked, before it goes on. For the CPU its access ends when the line has taken the byte, as before. The port believes that the
 * byte is gone a little earlier, and raises its interrupt then.
 *
 * A thread that sends more than ROOM bytes before it unlocks, as a DMA controller may, waits with its locks held, as it would without
 * this library.
 *
 * What QEMU does with all CPUs stopped, such as invalidating translations on all of them, still waits for this thread, for a byte as
 * a rule and for ROOM bytes after a DMA controller's access. Only threads that hold a lock wait so, and not QEMU's first thread, which
 * serves the devices. QEMU takes its locks by the two functions below and no others.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define LINE	STDOUT_FILENO
/* A port without a buffer writes single bytes, and a CPU goes on when its own has been sent. */
#define ROOM	256
/* Without a lookup at each access. */
#define PER_THREAD	static __thread __attribute__((tls_model("initial-exec")))

static int (*lock_it)(pthread_mutex_t *mutex);
static int (*try_to_lock_it)(pthread_mutex_t *mutex);
static int (*unlock_it)(pthread_mutex_t *mutex);
static ssize_t (*write_it)(int fd, const struct iovec *parts, int count);

/* How many locks this thread holds, and whether it is to transmit when it has released them. */
PER_THREAD int held;
PER_THREAD int owes;

/* Of @bytes and @waiting. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
/*
 * Taken after QEMU's locks, before @guard. Its owner transmits, also what others add meanwhile; these wait for it, so that none goes
 * on before its own byte.
 */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static unsigned char bytes[ROOM];
static size_t waiting;

/* Also called before the constructors have run: other libraries' may lock. */
__attribute__((constructor)) static void find_originals(void)
{
	if (write_it)
		return;
	lock_it = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	try_to_lock_it = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
	unlock_it = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	write_it = dlsym(RTLD_NEXT, "writev");
}

/* Whether something is left. Nobody reads a line that fails: what waits for it is dropped, as QEMU does. */
static int transmit_one(void)
{
	struct iovec first = { .iov_base = bytes, .iov_len = 1 };
	ssize_t written;
	int left;

	lock_it(&guard);
	if (waiting) {
		written = write_it(LINE, &first, 1);
		if (written == 1)
			memmove(bytes, bytes + 1, --waiting);
		else if (errno != EAGAIN && errno != EINTR)
			waiting = 0;
	}
	left = waiting > 0;
	unlock_it(&guard);
	return left;
}

static void transmit(void)
{
	struct pollfd line = { .fd = LINE, .events = POLLOUT };
	int before = errno;

	lock_it(&turn);
	while (transmit_one())
		poll(&line, 1, -1);
	unlock_it(&turn);
	errno = before;
}

/* QEMU may exit in another thread while a CPU waits. */
__attribute__((destructor)) static void transmit_the_rest(void)
{
	if (write_it)
		transmit();
}

static int may_wait(void)
{
	return held > 0 && syscall(SYS_gettid) != getpid();
}

static int counted(int error)
{
	if (!error)
		held++;
	return error;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	find_originals();
	return counted(lock_it(mutex));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	find_originals();
	return counted(try_to_lock_it(mutex));
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int error;

	find_originals();
	error = unlock_it(mutex);
	if (error)
		return error;
	held--;
	if (owes && held <= 0) {
		owes = 0;
		transmit();
	}
	return 0;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	ssize_t written = -1;

	find_originals();
	if (fd != LINE || count != 1)
		return write_it(fd, parts, count);
	lock_it(&guard);
	while (waiting && may_wait() && parts->iov_len > ROOM - waiting) {
		unlock_it(&guard);
		transmit();
		lock_it(&guard);
	}
	errno = EAGAIN;
	if (!waiting)
		written = write_it(fd, parts, count);
	if (written < 0 && errno == EAGAIN && may_wait() && parts->iov_len <= ROOM - waiting) {
		memcpy(bytes + waiting, parts->iov_base, parts->iov_len);
		waiting += parts->iov_len;
		written = parts->iov_len;
		owes = 1;
	}
	unlock_it(&guard);
	return written;
}
