# SPDX-License-Identifier: GPL-2.0-only
# awk -f moment-check.awk TRANSMITTED
#
# Prints three numbers for a panic while records were logged: how many records before the last one that was transmitted are
# missing, how many lines are torn and not printed again, and how many of the panic's own lines are missing.
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
		if (n > last)
			last = n
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
	for (i = 0; i < last; i++)
		lost += !seen[i]
	print lost + 0, torn + 0, 3 - panic - trace - offset
}
