/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram of durations.
 *
 * Purpose
 *   Count, sum, maximum and distribution of durations, by powers of two of nanoseconds: bucket
 *   0 holds durations of 0, bucket N those below 2^N ns but not below half of that; the last one
 *   also all longer ones.
 *
 * Calling contexts
 *   Any; histogram_show() process context.
 *
 * Locking
 *   The caller's.
 *
 * Lifetime
 *   A zeroed histogram is empty.
 *
 * What this disturbs
 *   Nothing.
 */
#ifndef BOOTLINE_HISTOGRAM_H
#define BOOTLINE_HISTOGRAM_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/seq_file.h>
#include <linux/types.h>

/* Up to 18 minutes. */
#define HISTOGRAM_BUCKETS	41

struct histogram {
	u64 count;
	u64 sum;	/* in ns */
	u64 worst;	/* the longest, in ns */
	u64 buckets[HISTOGRAM_BUCKETS];
};

static inline void histogram_add(struct histogram *histogram, u64 ns)
{
	unsigned int bucket = ns ? ilog2(ns) + 1 : 0;

	histogram->count++;
	histogram->sum += ns;
	histogram->worst = max(histogram->worst, ns);
	histogram->buckets[min(bucket, HISTOGRAM_BUCKETS - 1U)]++;
}

static inline void histogram_merge(struct histogram *to, const struct histogram *from)
{
	unsigned int n;

	to->count += from->count;
	to->sum += from->sum;
	to->worst = max(to->worst, from->worst);
	for (n = 0; n < HISTOGRAM_BUCKETS; n++)
		to->buckets[n] += from->buckets[n];
}

/* Writes a line `NAME below_ns=LIMIT count=COUNT` for each bucket that is not empty. */
static inline void histogram_show(struct seq_file *file, const char *name,
				  const struct histogram *histogram)
{
	unsigned int n;

	for (n = 0; n < HISTOGRAM_BUCKETS; n++)
		if (histogram->buckets[n])
			seq_printf(file, "%s below_ns=%llu count=%llu\n", name, 1ULL << n,
				   histogram->buckets[n]);
}

#endif
