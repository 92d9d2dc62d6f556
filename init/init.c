// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * The lab's init: reports on an unpaced port when user space started, then sends what the kernel knows of its boot.
 *
 * Purpose
 *   Measures the start of user space without disturbing it: freestanding and static, so that its first instruction runs as
 *   soon as the kernel has loaded a few kilobytes. It writes nothing to the console, whose serial line the lab measures,
 *   unless `bootline.marker=TEXT` requests one line there.
 *
 *   The initramfs contains the device nodes /dev/truth (the unpaced port, whichever device that is), /dev/kmsg and
 *   /dev/console, and the kernel modules: /modules.list has a line `FILE PARAMETERS` for each, and they are loaded in this
 *   order.
 *
 *   On /dev/truth init sends frames, `@data NAME LENGTH\n`, LENGTH bytes, `\n`:
 *     init       before anything else, even mounting: `monotonic_ns=N boottime_ns=N`
 *     module     after each attempt to load a module, right after `init`: `file=F errno=N start_ns=N end_ns=N` (errno 0:
 *                loaded)
 *     loaded     loading of modules is over, or there are none
 *     FILE       a file of /proc, by its path there: version, cmdline, consoles, uptime, sys/kernel/printk
 *     kmsg       whole records as read from /dev/kmsg; any number of frames
 *     kmsg.lost  the ring buffer has overwritten records at this point
 *     lines      lines have been printed since the last state: `count=N start_ns=N end_ns=N`
 *     ready      everything available now has been sent
 *   Then it obeys commands of one byte from the host:
 *     d  send uptime, consoles, sys/kernel/printk, new records and `lines`, then `ready`
 *     l  followed by a number and a line feed: print that many lines through /dev/kmsg; sends nothing until the next `d`, so
 *        that the host can tell the console's register accesses from those of this port
 *     p  power off
 *   All times are CLOCK_MONOTONIC unless named otherwise.
 *
 * Calling contexts
 *   Process 1; single-threaded.
 *
 * Locking
 *   None.
 *
 * Lifetime
 *   From the start of user space to power-off; it never returns.
 *
 * What this disturbs
 *   Sending on /dev/truth and loading the modules take processor time, from the start of user space on.
 */

typedef unsigned long size_t;
typedef long ssize_t;

#if defined(__x86_64__)
enum {
	SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_ioctl = 16, SYS_nanosleep = 35, SYS_mount = 165,
	SYS_reboot = 169, SYS_clock_gettime = 228, SYS_openat = 257, SYS_mkdirat = 258, SYS_finit_module = 313,
};

static long call(long nr, long a, long b, long c, long d, long e)
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

/* The kernel enters with an aligned stack and without a return address, which a C function expects. */
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tcall run\n\thlt\n");
#elif defined(__aarch64__)
enum {
	SYS_ioctl = 29, SYS_mkdirat = 34, SYS_mount = 40, SYS_openat = 56, SYS_close = 57, SYS_read = 63,
	SYS_write = 64, SYS_nanosleep = 101, SYS_clock_gettime = 113, SYS_reboot = 142, SYS_finit_module = 273,
};

static long call(long nr, long a, long b, long c, long d, long e)
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

__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tbl run\n\tbrk #1\n");
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

struct timespec {
	long sec;
	long nsec;
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

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static char *put_text(char *to, const char *s)
{
	size_t n = length(s);

	memcpy(to, s, n);
	return to + n;
}

static char *put_number(char *to, unsigned long v)
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

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	call(SYS_nanosleep, (long)&t, 0, 0, 0, 0);
}

static int open_file(const char *path, int flags)
{
	return (int)call(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0);
}

static void write_all(int fd, const char *bytes, size_t n)
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

static int truth = -1;

static void send(const char *name, const char *bytes, size_t n)
{
	char head[64];
	char *p = put_text(head, "@data ");

	p = put_text(p, name);
	*p++ = ' ';
	p = put_number(p, n);
	*p++ = '\n';
	write_all(truth, head, (size_t)(p - head));
	write_all(truth, bytes, n);
	write_all(truth, "\n", 1);
}

static unsigned long now_ns(int clock)
{
	struct timespec t = { 0, 0 };

	call(SYS_clock_gettime, clock, (long)&t, 0, 0, 0);
	return (unsigned long)t.sec * 1000000000UL + (unsigned long)t.nsec;
}

static void send_init(void)
{
	char text[96];
	char *p = put_text(text, "monotonic_ns=");

	p = put_number(p, now_ns(CLOCK_MONOTONIC));
	p = put_text(p, " boottime_ns=");
	p = put_number(p, now_ns(CLOCK_BOOTTIME));
	send("init", text, (size_t)(p - text));
}

/* A port on a bus may appear late. If there is none, only the console can show that. */
static int open_truth(void)
{
	static const char none[] = "bootline: init: no /dev/truth: the kernel has no driver for the lab's second port\r\n";
	struct termios raw = { .cflag = B115200 | CS8 | CREAD | CLOCAL };
	int i;

	raw.cc[VMIN] = 1;
	for (i = 0; i < 2000; i++) {
		int fd = open_file("/dev/truth", O_RDWR | O_NOCTTY);

		if (fd >= 0) {
			call(SYS_ioctl, fd, TCSETS, (long)&raw, 0, 0);
			return fd;
		}
		pause_ms(5);
	}
	write_all(1, none, sizeof(none) - 1);
	return -1;
}

static char buffer[16384];

/* Reads a file, up to the size of the buffer. */
static size_t slurp(const char *path)
{
	size_t n = 0;
	int fd = open_file(path, O_RDONLY);

	if (fd < 0)
		return 0;
	while (n < sizeof(buffer)) {
		ssize_t got = call(SYS_read, fd, (long)(buffer + n), (long)(sizeof(buffer) - n), 0, 0);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	call(SYS_close, fd, 0, 0, 0, 0);
	return n;
}

static void send_proc(const char *name)
{
	char path[64];

	*put_text(put_text(path, "/proc/"), name) = 0;
	send(name, buffer, slurp(path));
}

static char *put_field(char *to, const char *name, unsigned long v)
{
	return put_number(put_text(to, name), v);
}

static int ends_with(const char *s, const char *end)
{
	size_t n = length(s), k = length(end);

	while (k && n && s[n - 1] == end[k - 1])
		n--, k--;
	return !k;
}

/* Loads a module and sends the outcome. The host chooses the names, and keeps them short. */
static void load_module(const char *file, const char *parameters)
{
	/* Kernels with MODULE_DECOMPRESS (since 5.17) decompress a module themselves. */
	long flags = ends_with(file, ".ko") ? 0 : MODULE_INIT_COMPRESSED_FILE;
	unsigned long start = now_ns(CLOCK_MONOTONIC);
	char text[512];
	char *p = put_text(text, "file=");
	int fd = open_file(file, O_RDONLY);
	long ret = fd < 0 ? fd : call(SYS_finit_module, fd, (long)parameters, flags, 0, 0);

	if (fd >= 0)
		call(SYS_close, fd, 0, 0, 0, 0);
	p = put_text(p, file);
	p = put_field(p, " errno=", (unsigned long)-ret);
	p = put_field(p, " start_ns=", start);
	p = put_field(p, " end_ns=", now_ns(CLOCK_MONOTONIC));
	send("module", text, (size_t)(p - text));
}

static void load_modules(void)
{
	size_t n = slurp("/modules.list");
	size_t i = 0;

	/* The host terminates every line, and keeps the list shorter than the buffer. */
	while (i < n) {
		char *file = buffer + i;
		char *parameters;

		while (i < n && buffer[i] != ' ')
			i++;
		buffer[i++] = 0;
		parameters = buffer + i;
		while (i < n && buffer[i] != '\n')
			i++;
		if (i >= n)
			return;
		buffer[i++] = 0;
		load_module(file, parameters);
	}
}

/* Several records share a frame. A read returns one whole record, or fails if it does not fit. */
static void send_kmsg(int fd)
{
	const size_t largest = 8192;
	size_t n = 0;

	for (;;) {
		ssize_t got = call(SYS_read, fd, (long)(buffer + n), (long)(sizeof(buffer) - n), 0, 0);

		if (got > 0)
			n += (size_t)got;
		if (n && (got <= 0 || sizeof(buffer) - n < largest)) {
			send("kmsg", buffer, n);
			n = 0;
		}
		if (got == -EPIPE)
			send("kmsg.lost", "", 0);
		else if (got <= 0 && got != -EINTR)
			return;
	}
}

/* Writes the value of `bootline.marker=` to the console, as a line of user space. */
static void mark_console(void)
{
	static const char key[] = "bootline.marker=";
	size_t n = slurp("/proc/cmdline");
	size_t i;

	for (i = 0; i + sizeof(key) - 1 < n; i++) {
		size_t k = 0;
		size_t end;

		if (i && buffer[i - 1] != ' ')
			continue;
		while (k < sizeof(key) - 1 && buffer[i + k] == key[k])
			k++;
		if (k < sizeof(key) - 1)
			continue;
		for (end = i + k; end < n && buffer[end] != ' ' && buffer[end] != '\n'; end++)
			;
		write_all(1, buffer + i + k, end - i - k);
		write_all(1, "\n", 1);
		return;
	}
}

static unsigned long lines, lines_start, lines_end;

/*
 * Lines of the same length on the console as those of a known printk benchmark: `[   46.351831] 1/64`, 80 bytes, line end.
 * A writer to /dev/kmsg is a caller of printk() and waits for the console like any other.
 */
static void print_lines(unsigned long count)
{
	char text[160];
	unsigned long i;
	int fd = open_file("/dev/kmsg", O_WRONLY);

	lines_start = now_ns(CLOCK_MONOTONIC);
	for (i = 1; i <= count; i++) {
		char *p = put_field(text, "<6>", i);

		p = put_field(p, "/", count);
		memset(p, '#', 80);
		p += 80;
		/* Each write is a record. Without a line end it would wait for a continuation and not be printed. */
		*p++ = '\n';
		call(SYS_write, fd, (long)text, p - text, 0, 0);
	}
	lines_end = now_ns(CLOCK_MONOTONIC);
	lines = count;
	call(SYS_close, fd, 0, 0, 0, 0);
}

static void send_lines(void)
{
	char text[96];
	char *p = put_field(text, "count=", lines);

	p = put_field(p, " start_ns=", lines_start);
	p = put_field(p, " end_ns=", lines_end);
	send("lines", text, (size_t)(p - text));
	lines = 0;
}

static void send_state(int kmsg)
{
	send_proc("uptime");
	send_proc("consoles");
	send_proc("sys/kernel/printk");
	send_kmsg(kmsg);
	if (lines)
		send_lines();
	send("ready", "", 0);
}

/* Reads the number that follows a command. */
static unsigned long read_number(void)
{
	unsigned long n = 0;
	char c;

	while (call(SYS_read, truth, (long)&c, 1, 0, 0) == 1 && c >= '0' && c <= '9')
		n = n * 10 + (unsigned long)(c - '0');
	return n;
}

static void power_off(void)
{
	for (;;) {
		call(SYS_reboot, (long)REBOOT_MAGIC1, REBOOT_MAGIC2, REBOOT_POWER_OFF, 0, 0);
		pause_ms(1000);
	}
}

__attribute__((used, noreturn)) void run(void)
{
	int kmsg;
	char command;

	truth = open_truth();
	if (truth < 0)
		power_off();
	send_init();
	load_modules();
	send("loaded", "", 0);

	call(SYS_mkdirat, AT_FDCWD, (long)"/proc", 0755, 0, 0);
	call(SYS_mount, (long)"proc", (long)"/proc", (long)"proc", 0, 0);
	mark_console();
	send_proc("version");
	send_proc("cmdline");
	kmsg = open_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	send_state(kmsg);

	for (;;) {
		if (call(SYS_read, truth, (long)&command, 1, 0, 0) != 1) {
			pause_ms(100);
			continue;
		}
		if (command == 'd')
			send_state(kmsg);
		else if (command == 'l')
			print_lines(read_number());
		else if (command == 'p')
			power_off();
	}
}
