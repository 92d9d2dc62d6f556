// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * The application of the lab's systems: draws a picture on the virtual screen, answers on a socket, and marks both.
 *
 * Purpose
 *   Stands for what a device is bought for. The host sees the picture by itself, on the emulated screen, and connects to the
 *   socket, so that neither is a matter of the guest's word alone.
 *
 *   Usage: app                  waits for /dev/fb0, draws, listens on TCP port 8080, says so, answers each connection with one line
 *          app mark NAME        sends the mark NAME
 *   Marks are frames on /dev/truth (see root.c), each one write: `app.start`, `app.picture`, `app.socket`, NAME, with
 *   `monotonic_ns=N`. The picture is eight vertical bars over the whole screen: white, yellow, cyan, green, magenta, red, blue,
 *   black, as test pictures have them (the host checks for them: screen.rs).
 *
 * Calling contexts
 *   A service of the system. Single-threaded.
 *
 * Locking
 *   None: a frame is one write, which a tty does not split.
 *
 * Lifetime
 *   Until power-off.
 *
 * What this disturbs
 *   Drawing takes the processor for as long as it takes to write the screen's memory once. While there is no screen it looks
 *   for one a hundred times a second.
 */
#include "calls.h"

#define FBIOGET_VSCREENINFO 0x4600
#define FBIOPUT_VSCREENINFO 0x4601
#define FBIOGET_FSCREENINFO 0x4602
#define FB_ACTIVATE_FORCE 128
#define KDSETMODE 0x4b3a
#define KD_GRAPHICS 1
#define AF_INET 2
#define SOCK_STREAM 1
#define SOL_SOCKET 1
#define SO_REUSEADDR 2
#define SIGCHLD 17
#define PORT 8080
#define BARS 8

/* The heads of fb_var_screeninfo and fb_fix_screeninfo (include/uapi/linux/fb.h), as far as they are used. */
struct screen {
	unsigned int width, height, virtual_width, virtual_height, x, y, bits_per_pixel;
	unsigned int grayscale, colours[12], nonstd, activate;
	unsigned int rest[64];
};

struct memory {
	char id[16];
	unsigned long start;
	unsigned int length, type, type_aux, visual;
	unsigned short xpan, ypan, ywrap;
	unsigned int line_length;
	unsigned long rest[16];
};

static void mark(const char *name)
{
	char text[64], frame[192];
	char *end = put_field(text, "monotonic_ns=", now_ns(CLOCK_MONOTONIC));
	size_t n = (size_t)(end - text);
	int fd = open_file("/dev/truth", O_WRONLY | O_NOCTTY);
	char *p;

	if (fd < 0 || length(name) > 64)
		return;
	p = put_text(frame, "@data ");
	p = put_text(p, name);
	*p++ = ' ';
	p = put_number(p, n);
	*p++ = '\n';
	memcpy(p, text, n);
	p += n;
	*p++ = '\n';
	write_all(fd, frame, (size_t)(p - frame));
	call(SYS_close, fd, 0, 0, 0, 0);
}

static const unsigned int colours[BARS] = {
	0xffffff, 0xffff00, 0x00ffff, 0x00ff00, 0xff00ff, 0xff0000, 0x0000ff, 0x000000,
};

static char line[32768];

static void draw(void)
{
	struct screen screen;
	struct memory memory;
	unsigned int x, y, bytes;
	int console, fd;

	while ((fd = open_file("/dev/fb0", O_RDWR)) < 0)
		pause_ms(10);
	/* The text console would draw over it. */
	console = open_file("/dev/tty0", O_RDWR | O_NOCTTY);
	if (console >= 0)
		call(SYS_ioctl, console, KDSETMODE, KD_GRAPHICS, 0, 0);
	memset(&screen, 0, sizeof(screen));
	memset(&memory, 0, sizeof(memory));
	call(SYS_ioctl, fd, FBIOGET_VSCREENINFO, (long)&screen, 0, 0);
	/* The text console has not set a mode if nothing was written to it. */
	screen.activate = FB_ACTIVATE_FORCE;
	call(SYS_ioctl, fd, FBIOPUT_VSCREENINFO, (long)&screen, 0, 0);
	call(SYS_ioctl, fd, FBIOGET_FSCREENINFO, (long)&memory, 0, 0);
	bytes = screen.bits_per_pixel / 8;
	if ((bytes != 4 && bytes != 2) || memory.line_length > sizeof(line) / 2 || screen.width * bytes > sizeof(line))
		return;
	for (x = 0; x < screen.width; x++) {
		unsigned int c = colours[x * BARS / screen.width];

		if (bytes == 2)
			c = (c >> 8 & 0xf800) | (c >> 5 & 0x07e0) | (c >> 3 & 0x001f);
		memcpy(line + x * bytes, &c, bytes);
	}
	/*
	 * Two rows at a time: of a write of exactly one, the kernel's DRM helpers compute an empty rectangle and show nothing
	 * (drm_fb_helper_memory_range_to_clip(), drivers/gpu/drm/drm_fb_helper.c, 6.12).
	 */
	memcpy(line + memory.line_length, line, memory.line_length);
	for (y = 0; y < screen.height; y += 2)
		write_all(fd, line, 2 * memory.line_length);
	call(SYS_close, fd, 0, 0, 0, 0);
}

/*
 * An application draws again and again. This one does so three times more, in a process of its own: the kernel creates /dev/fb0
 * before its text console takes the screen and clears it.
 */
static void draw_again(void)
{
	static const long delays_ms[] = { 200, 800, 3000 };
	unsigned int i;

	if (call(SYS_clone, SIGCHLD, 0, 0, 0, 0))
		return;
	for (i = 0; i < 3; i++) {
		pause_ms(delays_ms[i]);
		draw();
	}
	call(SYS_exit, 0, 0, 0, 0, 0);
}

static const char ready[] = "bootline-app: the picture is drawn, port 8080 is open\n";

static void serve(void)
{
	/* struct sockaddr_in: family, port in network order, any address. */
	unsigned char address[16] = { AF_INET, 0, PORT >> 8, PORT & 0xff };
	int one = 1;
	int fd = (int)call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0);

	call(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
	if (call(SYS_bind, fd, (long)address, sizeof(address), 0, 0) || call(SYS_listen, fd, 8, 0, 0, 0))
		return;
	mark("app.socket");
	/* As applications do; where standard output is the console, a capture of it shows the end of the boot. */
	write_all(1, ready, sizeof(ready) - 1);
	for (;;) {
		char answer[64];
		char *p;
		int peer = (int)call(SYS_accept, fd, 0, 0, 0, 0);

		if (peer < 0) {
			pause_ms(10);
			continue;
		}
		p = put_field(answer, "bootline-app monotonic_ns=", now_ns(CLOCK_MONOTONIC));
		*p++ = '\n';
		write_all(peer, answer, (size_t)(p - answer));
		call(SYS_close, peer, 0, 0, 0, 0);
	}
}

/* `stack` is as the kernel leaves it: the number of arguments, then the arguments. */
__attribute__((used, noreturn)) void run(char **stack)
{
	long count = (long)stack[0];

	if (count == 3) {
		mark(stack[3]);
	} else {
		mark("app.start");
		draw();
		mark("app.picture");
		draw_again();
		serve();
	}
	for (;;)
		call(SYS_exit, 0, 0, 0, 0, 0);
}
