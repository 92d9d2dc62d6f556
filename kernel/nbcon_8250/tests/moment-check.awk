# SPDX-License-Identifier: GPL-2.0-only
# awk -f moment-check.awk from=guest GUEST from=line TRANSMITTED
#
# Prints three numbers for a panic while records were logged: how many records are missing of those that were stored (up to the
# last one that GUEST shows or that was transmitted), how many lines are torn and not printed again, and how many of the panic's own
# lines are missing.
from == "guest" {
	if (match($0, /^[0-9]+,[0-9]+,[0-9]+,[^;]*;moment record [0-9]+ /)) {
		sub(/^[^;]*;moment record /, "")
		if ($0 + 1 > stored)
			stored = $0 + 1
	}
	next
}
{
	gsub(/\r/, "")
	if (index($0, "** replaying previous printk message **")) {
		# What was cut off is printed again.
		torn -= cut
		cut = 0
		next
	}
	cut = 0
	stamps = gsub(/\[ *[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]\]/, "&")
	if (match($0, /moment record [0-9]+ /)) {
		n = substr($0, RSTART + 14, RLENGTH - 15) + 0
		if ($0 ~ /, end$/ && stamps == 1)
			seen[n] = 1
		else
			cut = 1
		if (n + 1 > stored)
			stored = n + 1
	} else if (stamps > 1)
		cut = 1
	torn += cut
	if (/Kernel panic - not syncing: (provoked|sysrq triggered crash)/)
		panic = 1
	if (/Call Trace/)
		trace = 1
	if (/Kernel Offset/)
		offset = 1
}
END {
	for (i = 0; i < stored; i++)
		lost += !seen[i]
	print lost + 0, torn + 0, 3 - panic - trace - offset
}
