// SPDX-License-Identifier: GPL-2.0-only
/*
 * uart_bench - how fast a serial console's write path is
 *
 * Purpose: Sends bytes through the write function of a registered serial
 *	console, as printk() does, and says how long that took: bytes per second
 *	against what the line carries, a histogram of the calls, and, on request,
 *	counts and times of the driver's register accesses. Bytes come from
 *	whoever writes to /dev/uart_bench (see tool/uart-bench.c), or are made up
 *	while loading:
 *
 *	insmod uart_bench.ko bytes=11500 registers=1
 *	cat /sys/kernel/debug/uart_bench/result
 *
 *	The same goes into the kernel's log as one record, when the device is
 *	closed or the bytes are sent:
 *
 *	uart_bench: console=ttyS0 bytes=B characters=C calls=N write_ns=T wall_ns=W
 *	    worst_call_ns=X per_second=R declared_per_second=D registers=1
 *	    status_reads=L reads=A read_ns=S worst_read_ns=Y sent=U bursts=V
 *	    clock_ns=K stopped=0 (on one line)
 *
 *	characters are bytes and the carriage returns that the driver adds;
 *	per_second is characters over write_ns, the time inside the write
 *	function; declared_per_second is what the port's settings give, or baud=.
 *	read_ns and worst_read_ns hold a reading of the clock, clock_ns.
 *
 *	It refuses an nbcon console, which has a thread and no such path, and a
 *	console that is not a serial driver's. Without serial_in (PL011) there
 *	are no counts.
 *
 * Calling contexts: All of it in a process, which can be interrupted between two
 *	calls of the write function, each of which is given call= bytes.
 *
 * Locking: session_lock admits one call at a time, and guards the last session.
 *	For one call, console_list_lock keeps the console registered, and
 *	console_lock keeps printk() away from it. registers.c has its own.
 *
 * Lifetime: The console is looked up for every call, nothing of it is kept in
 *	between. Unloading can't happen while the device is open, and waits for
 *	who may be inside a register access that was counted.
 *
 * What this disturbs: The bytes appear on the line. The kernel's own messages
 *	wait for the length of a call; a serial driver keeps interrupts off for
 *	about as long.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/console.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "registers.h"

/* About a console's longest record: 4 s with interrupts off at 2400 baud. */
#define LONGEST_CALL	1024U
#define BITS_OF_A_CHARACTER	10

static char console[16];
module_param_string(console, console, sizeof(console), 0644);
MODULE_PARM_DESC(console, "such as ttyS0; default: the first registered console that can be measured");

static unsigned int bytes;
module_param(bytes, uint, 0444);
MODULE_PARM_DESC(bytes, "bytes to send while loading (0)");

static unsigned int call = 100;
module_param(call, uint, 0644);
MODULE_PARM_DESC(call, "bytes given to the console at once, about a record (100)");

static bool registers;
module_param(registers, bool, 0644);
MODULE_PARM_DESC(registers, "count and time register accesses, which slows them (no)");

static unsigned int baud;
module_param(baud, uint, 0644);
MODULE_PARM_DESC(baud, "the line's speed, where the port's settings don't tell the truth");

struct session {
	char name[24];
	unsigned int call;
	bool registers;
	bool stopped;
	u64 bytes;
	u64 characters;
	u64 start;
	u64 end;
	u64 clock_ns;
	u64 declared;
	struct histogram calls;
	struct registers counts;
	char text[LONGEST_CALL];
};

static DEFINE_MUTEX(session_lock);
static struct session *last;
static struct dentry *folder;

/* The port of a serial driver's console: to uart_console_device(), con->data is the driver. */
static struct uart_port *port_of(const struct console *con)
{
	const struct uart_driver *driver = con->data;

	if (con->device != uart_console_device || !driver || con->index < 0)
		return NULL;
	return con->index < driver->nr ? driver->state[con->index].uart_port : NULL;
}

static const char *why_not(const struct console *con)
{
	if (!port_of(con))
		return "is not a serial driver's";
	if (con->flags & CON_NBCON)
		return "is nbcon: it prints by a thread";
	if (con->flags & CON_BOOT)
		return "is a boot console";
	if (!con->write)
		return "has no write function";
	if (!(con->flags & CON_ENABLED) || con->flags & CON_SUSPENDED)
		return "is switched off";
	return NULL;
}

static struct console *find_console(const struct session *session, bool complain)
{
	struct console *con;
	const char *reason;
	char name[24];

	lockdep_assert_console_list_lock_held();
	for_each_console(con) {
		scnprintf(name, sizeof(name), "%s%d", con->name, con->index);
		if (*session->name && strcmp(name, session->name))
			continue;
		reason = why_not(con);
		if (!reason)
			return con;
		if (complain)
			pr_err("console %s %s\n", name, reason);
	}
	if (complain)
		pr_err("no console%s%s to be measured\n", *session->name ? " " : "", session->name);
	return NULL;
}

static u64 cost_of_the_clock(void)
{
	u64 least = U64_MAX;
	int n;

	for (n = 0; n < 64; n++) {
		u64 before = ktime_get_ns();

		least = min(least, ktime_get_ns() - before);
	}
	return least;
}

static struct session *begin(void)
{
	struct session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	const struct uart_port *port;
	struct console *con;
	int error = 0;

	if (!session)
		return ERR_PTR(-ENOMEM);
	kernel_param_lock(THIS_MODULE);
	strscpy(session->name, console);
	session->call = call;
	session->registers = registers;
	session->declared = baud / BITS_OF_A_CHARACTER;
	kernel_param_unlock(THIS_MODULE);
	if (!session->call || session->call > LONGEST_CALL) {
		pr_err("call=%u: 1 to %u\n", session->call, LONGEST_CALL);
		kfree(session);
		return ERR_PTR(-EINVAL);
	}

	console_list_lock();
	con = find_console(session, true);
	if (con) {
		port = port_of(con);
		scnprintf(session->name, sizeof(session->name), "%s%d", con->name, con->index);
		if (!session->declared && port->frame_time)
			session->declared = div_u64(NSEC_PER_SEC, port->frame_time);
		if (session->registers && !registers_countable(port)) {
			pr_err("console %s: its driver's register accesses can't be counted\n",
			       session->name);
			error = -EOPNOTSUPP;
		}
	} else {
		error = -ENODEV;
	}
	console_list_unlock();
	if (error) {
		kfree(session);
		return ERR_PTR(error);
	}
	session->clock_ns = cost_of_the_clock();
	return session;
}

/* One call of the write function with the session's text. */
static int send(struct session *session, unsigned int size)
{
	struct uart_port *port;
	struct console *con;
	unsigned int n;
	u64 before, after;

	if (signal_pending(current)) {
		session->stopped = true;
		return -EINTR;
	}
	console_list_lock();
	con = find_console(session, false);
	if (!con) {
		console_list_unlock();
		return -ENODEV;
	}
	port = port_of(con);
	console_lock();
	if (session->registers)
		registers_watch(port, &session->counts);
	before = ktime_get_ns();
	con->write(con, session->text, size);
	after = ktime_get_ns();
	if (session->registers)
		registers_unwatch(port);
	console_unlock();
	console_list_unlock();

	if (!session->calls.count)
		session->start = before;
	session->end = after;
	histogram_add(&session->calls, after - before);
	session->bytes += size;
	session->characters += size;
	for (n = 0; n < size; n++)
		session->characters += session->text[n] == '\n';
	return 0;
}

static void write_record(const struct session *session, char *record, size_t size)
{
	u64 rate = session->calls.sum ?
		   mul_u64_u64_div_u64(session->characters, NSEC_PER_SEC, session->calls.sum) : 0;

	scnprintf(record, size,
		  "console=%s bytes=%llu characters=%llu calls=%llu write_ns=%llu wall_ns=%llu worst_call_ns=%llu per_second=%llu declared_per_second=%llu registers=%d status_reads=%llu reads=%llu read_ns=%llu worst_read_ns=%llu sent=%llu bursts=%llu clock_ns=%llu stopped=%d",
		  session->name, session->bytes, session->characters, session->calls.count,
		  session->calls.sum, session->end - session->start, session->calls.worst, rate,
		  session->declared, session->registers, session->counts.status_reads,
		  session->counts.reads.count, session->counts.reads.sum,
		  session->counts.reads.worst, session->counts.sent, session->counts.bursts,
		  session->clock_ns, session->stopped);
}

/* The session becomes the last one, which debugfs shows. */
static void finish(struct session *session)
{
	char *record = kmalloc(512, GFP_KERNEL);

	kfree(last);
	last = session;
	if (!record)
		return;
	write_record(session, record, 512);
	pr_info("%s\n", record);
	kfree(record);
}

/* Numbered lines of 80; the last one ends where the bytes do, and what follows starts a line. */
static void make_up(char *text, u64 at, unsigned int size)
{
	char line[80];
	unsigned int n;

	for (n = 0; n < size; n++, at++) {
		u32 column;
		u64 row = div_u64_rem(at, sizeof(line), &column);

		if (!n || !column) {
			memset(line, '#', sizeof(line));
			line[scnprintf(line, sizeof(line), "uart_bench %08llu ", row)] = '#';
			line[sizeof(line) - 1] = '\n';
		}
		text[n] = at + 1 == bytes ? '\n' : line[column];
	}
}

static int send_made_up(void)
{
	struct session *session;
	int error = 0;

	mutex_lock(&session_lock);
	session = begin();
	if (IS_ERR(session)) {
		mutex_unlock(&session_lock);
		return PTR_ERR(session);
	}
	while (!error && session->bytes < bytes) {
		unsigned int size = min_t(u64, session->call, bytes - session->bytes);

		make_up(session->text, session->bytes, size);
		error = send(session, size);
	}
	finish(session);
	mutex_unlock(&session_lock);
	return error;
}

static int bench_open(struct inode *inode, struct file *file)
{
	struct session *session;
	int error;

	/* misc_open() leaves its device here. */
	file->private_data = NULL;
	if (!(file->f_mode & FMODE_WRITE))
		return -EINVAL;
	error = mutex_lock_interruptible(&session_lock);
	if (error)
		return error;
	session = begin();
	mutex_unlock(&session_lock);
	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return stream_open(inode, file);
}

static ssize_t bench_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	struct session *session = file->private_data;
	size_t sent = 0;
	int error = mutex_lock_interruptible(&session_lock);

	if (error)
		return error;
	while (sent < size) {
		unsigned int part = min_t(size_t, session->call, size - sent);

		error = copy_from_user(session->text, text + sent, part) ? -EFAULT : 0;
		if (!error)
			error = send(session, part);
		if (error)
			break;
		sent += part;
	}
	mutex_unlock(&session_lock);
	return sent ? sent : error;
}

static int bench_release(struct inode *inode, struct file *file)
{
	mutex_lock(&session_lock);
	finish(file->private_data);
	mutex_unlock(&session_lock);
	return 0;
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.open = bench_open,
	.write = bench_write,
	.release = bench_release,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KBUILD_MODNAME,
	.fops = &bench_fops,
	.mode = 0200,
};

static void show_histogram(struct seq_file *file, const char *name,
			   const struct histogram *histogram)
{
	unsigned int n;

	for (n = 0; n < BUCKETS; n++)
		if (histogram->buckets[n])
			seq_printf(file, "%s below_ns=%llu count=%llu\n", name, 1ULL << n,
				   histogram->buckets[n]);
}

static int result_show(struct seq_file *file, void *unused)
{
	int error = mutex_lock_interruptible(&session_lock);
	char *record;

	if (error)
		return error;
	record = kmalloc(512, GFP_KERNEL);
	if (record && last) {
		write_record(last, record, 512);
		seq_printf(file, "%s\n", record);
		show_histogram(file, "call", &last->calls);
		show_histogram(file, "read", &last->counts.reads);
		show_histogram(file, "write", &last->counts.writes);
	}
	kfree(record);
	mutex_unlock(&session_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static void clean_up(void)
{
	registers_settle();
	kfree(last);
}

static int __init uart_bench_init(void)
{
	int error = bytes ? send_made_up() : 0;

	if (!error)
		error = misc_register(&device);
	if (error) {
		clean_up();
		return error;
	}
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("result", 0444, folder, NULL, &result_fops);
	return 0;
}

static void __exit uart_bench_exit(void)
{
	debugfs_remove(folder);
	misc_deregister(&device);
	clean_up();
}

module_init(uart_bench_init);
module_exit(uart_bench_exit);

MODULE_DESCRIPTION("How fast a serial console's write path is");
MODULE_LICENSE("GPL");
