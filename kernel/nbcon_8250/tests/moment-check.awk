# SPDX-License-Identifier: GPL-2.0-only
# awk -f moment-check.awk from=guest GUEST from=line TRANSMITTED
#
# Prints three numbers for a panic while records were logged: how many records are missing of those that were stored (GUEST says up
# to which), except one that the kernel says it has dropped; how many lines are torn and not printed again; and how many of the panic's
# own lines are missing. A panic in which the guest did not say what was stored lacks a line more.
BEGIN { stamp = "\\[ *[0-9]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]\\]" }
from == "guest" {
	if (match($0, /^STORED -?[0-9]+/)) {
		reported = 1
		stored = $2 + 1
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
	# The panicking CPU skips a record that another CPU has not finished storing, and that is soon finished.
	if (/^\*\* 1 printk messages dropped \*\*$/)
		skipped = 1
	# A driver's console that is interrupted goes on with the next record on the same line.
	while (match(substr($0, 2), stamp)) {
		torn++
		$0 = substr($0, RSTART + 1)
	}
	cut = 0
	if (match($0, /moment record [0-9]+ /)) {
		n = substr($0, RSTART + 14, RLENGTH - 15) + 0
		if ($0 ~ /, end$/)
			seen[n] = 1
		else
			cut = 1
		if (n + 1 > stored)
			stored = n + 1
	}
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
	if (lost)
		lost -= skipped
	print lost + 0, torn + 0, 4 - reported - panic - trace - offset
}
