// SPDX-License-Identifier: MIT OR Apache-2.0
#include "notify.h"

#include "kernel.h"
#include "text.h"

#include <asm/socket.h>
#include <linux/uio.h>
#include <linux/un.h>

/* As the kernel has them for user space; not in its uapi headers. */
struct credentials {
	int pid;
	unsigned int user, group;
};

struct message {
	void *name;
	int name_size;
	struct iovec *parts;
	size_t part_count;
	void *control;
	size_t control_size;
	unsigned int flags;
};

struct control {
	size_t size;
	int level, type;
	struct credentials credentials;
};

enum { CONTROL_CREDENTIALS = 2 };

enum { NONBLOCKING = O_NONBLOCK, CLOSE_ON_EXEC = O_CLOEXEC };

/* `@NAME` is an abstract one, as systemd writes it. Returns the address's size, or 0 if the name is too long. */
static unsigned int address(struct sockaddr_un *to, const char *name)
{
	size_t n = length(name), i;

	if (!n || n >= sizeof(to->sun_path))
		return 0;
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX_DOMAIN };
	for (i = 0; i < n; i++)
		to->sun_path[i] = name[i];
	if (*name == '@')
		to->sun_path[0] = 0;
	return (unsigned int)(offsetof(struct sockaddr_un, sun_path) + n + (*name == '@' ? 0 : 1));
}

static int open_socket(int type)
{
	return (int)CALL3(__NR_socket, AF_UNIX_DOMAIN, type | CLOSE_ON_EXEC, 0);
}

int notify_listen(const char *name)
{
	struct sockaddr_un to;
	char full[sizeof(to.sun_path)];
	struct text t = TEXT(full);
	unsigned int size;
	int fd = open_socket(SOCKET_DATAGRAM | NONBLOCKING), error, yes = 1;

	if (fd < 0)
		return fd;
	put(&t, "@fastinit/");
	put(&t, name);
	size = address(&to, full);
	error = (int)CALL5(__NR_setsockopt, fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
	if (error == 0)
		error = (int)CALL3(__NR_bind, fd, &to, size);
	if (error == 0)
		return fd;
	call_close(fd);
	return error;
}

static bool says_ready(const char *message)
{
	while (*message) {
		if (starts_with(message, "READY=1") && (!message[7] || message[7] == '\n'))
			return true;
		while (*message && *message++ != '\n')
			;
	}
	return false;
}

bool notify_take_ready(int fd, unsigned long user)
{
	char text[512];
	struct iovec part = { text, sizeof(text) - 1 };
	bool ready = false;

	for (;;) {
		struct control control = { 0 };
		struct message message = { .parts = &part, .part_count = 1, .control = &control, .control_size = sizeof(control) };
		long n = CALL3(__NR_recvmsg, fd, &message, 0);
		bool known = control.size >= offsetof(struct control, credentials) + sizeof(struct credentials) &&
			     control.level == SOL_SOCKET && control.type == CONTROL_CREDENTIALS;

		if (n < 0)
			return ready;
		text[n] = 0;
		if (known && (control.credentials.user == 0 || control.credentials.user == user))
			ready |= says_ready(text);
	}
}

int notify_send(const char *name, const char *message)
{
	struct sockaddr_un to;
	unsigned int size = address(&to, name);
	/* It blocks while the receiver's queue is full. */
	int fd = size ? open_socket(SOCKET_DATAGRAM) : -EINVAL;
	long done;

	if (fd < 0)
		return fd;
	done = call_kernel(__NR_sendto, fd, (long)message, (long)length(message), 0, (long)&to, size);
	call_close(fd);
	return done < 0 ? (int)done : 0;
}

bool socket_answers(const char *path)
{
	static const int types[] = { SOCKET_STREAM, SOCKET_DATAGRAM, SOCKET_SEQUENCED };
	struct sockaddr_un to;
	unsigned int size = address(&to, path), i;

	for (i = 0; size && i < sizeof(types) / sizeof(types[0]); i++) {
		int fd = open_socket(types[i] | NONBLOCKING), error;

		if (fd < 0)
			return false;
		error = (int)CALL3(__NR_connect, fd, &to, size);
		call_close(fd);
		/* A full queue of connections is one that somebody has set up. */
		if (error == 0 || error == -EAGAIN)
			return true;
		if (error != -EPROTOTYPE)
			return false;
	}
	return false;
}
