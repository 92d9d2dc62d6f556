// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring: bytes on their way to the serial line.
 *
 * Purpose
 *   Stores whole records and gives them back by lines.
 *
 * Calling contexts
 *   Any, including NMI.
 *
 * Locking
 *   One context stores at a time: it holds the console lock. A panic ignores that, but prints its
 *   records at once. One context takes lines at a time: it owns the output (output.c).
 *   @head is released after the bytes were stored, @tail after they were copied. Who lost the
 *   output by force may still try to advance @tail; only the first of the two who try succeeds.
 *
 * Lifetime
 *   The caller's.
 *
 * What this disturbs
 *   Nothing.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "console_relay.h"

static unsigned int room_of(const struct ring *ring)
{
	/* Pairs with the cmpxchg() of console_relay_ring_advance(): the bytes were copied. */
	return ring->size - (ring->head - smp_load_acquire(&ring->tail));
}

unsigned int console_relay_ring_head(const struct ring *ring)
{
	return READ_ONCE(ring->head);
}

/* How many bytes were stored and not printed yet. */
unsigned int console_relay_ring_bytes(const struct ring *ring)
{
	return READ_ONCE(ring->head) - READ_ONCE(ring->tail);
}

/* Whether all bytes stored up to @position, which is a head, were printed. */
bool console_relay_ring_has_passed(const struct ring *ring, unsigned int position)
{
	return (int)(READ_ONCE(ring->tail) - position) >= 0;
}

bool console_relay_ring_empty(const struct ring *ring)
{
	/* Pairs with the release in console_relay_ring_store(). */
	return smp_load_acquire(&ring->head) == READ_ONCE(ring->tail);
}

/* Returns false if there is no room for all of it. */
bool console_relay_ring_store(struct ring *ring, const char *text, unsigned int len)
{
	unsigned int room = room_of(ring);
	unsigned int at = ring->head & (ring->size - 1);
	unsigned int first = min(len, ring->size - at);

	if (len > room)
		return false;
	memcpy(ring->bytes + at, text, first);
	memcpy(ring->bytes, text + first, len - first);
	/* The bytes are there before the position says so: see console_relay_ring_line(). */
	smp_store_release(&ring->head, ring->head + len);
	ring->highest = max(ring->highest, ring->size - room + len);
	return true;
}

/**
 * console_relay_ring_line - copy the next line
 * @ring:	the ring
 * @line:	LINE_MAX_BYTES bytes
 * @tail:	where it starts, for console_relay_ring_advance()
 *
 * Return: its length in bytes, with its newline; 0 if the ring is empty.
 */
unsigned int console_relay_ring_line(const struct ring *ring, char *line, unsigned int *tail)
{
	/* Pairs with the release in console_relay_ring_store(). */
	unsigned int head = smp_load_acquire(&ring->head);
	unsigned int at = READ_ONCE(ring->tail);
	unsigned int len = 0;

	*tail = at;
	while (at != head && len < LINE_MAX_BYTES) {
		line[len] = ring->bytes[at++ & (ring->size - 1)];
		if (line[len++] == '\n')
			break;
	}
	return len;
}

/*
 * Goes back to the start of a line of which a part was printed, as far as its bytes are still
 * there. The caller owns the output.
 */
void console_relay_ring_rewind_line(struct ring *ring)
{
	/* Pairs with the release in console_relay_ring_store(). */
	unsigned int head = smp_load_acquire(&ring->head);
	unsigned int tail = READ_ONCE(ring->tail);
	unsigned int at = tail;

	while (at && tail - at < LINE_MAX_BYTES && head - (at - 1) <= ring->size &&
	       ring->bytes[(at - 1) & (ring->size - 1)] != '\n')
		at--;
	cmpxchg(&ring->tail, tail, at);
}

void console_relay_ring_advance(struct ring *ring, unsigned int tail, unsigned int len)
{
	cmpxchg(&ring->tail, tail, tail + len);
}
