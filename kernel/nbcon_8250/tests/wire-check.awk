# SPDX-License-Identifier: GPL-2.0-only
# awk -v from=TEXT [-v level=7] -f wire-check.awk KMSG WIRE
#
# KMSG is `dmesg -r`. Each of its lines below the console's loglevel, from the first one that
# contains TEXT on, must be on the wire once, whole, and in this order. Other text may stand
# between the lines. Says what is not so; exit status 1.
BEGIN { if (!level) level = 7; RS = "\n" }
{ sub(/\r+$/, "") }
FNR == NR {
	if (!match($0, /^<[0-9]+>/))
		next
	number = substr($0, 2, RLENGTH - 2) + 0
	text = substr($0, RLENGTH + 1)
	if (index(text, from))
		begun = 1
	if (begun && number % 8 < level)
		expected[++count] = text
	next
}
{ wire = wire $0 "\n" }
END {
	if (!count) {
		print "no records: `" from "` is not in the log"
		exit 1
	}
	for (i = 1; i <= count; i++) {
		line = expected[i] "\n"
		at = index(wire, line)
		if (!at) {
			print "lost or out of order: " expected[i]
			lost++
			continue
		}
		wire = substr(wire, at + length(line))
		if (i < count && expected[i] != expected[i + 1] && index(wire, line)) {
			again = 0
			for (j = i + 1; j <= count; j++)
				again += expected[j] == expected[i]
			if (!again) {
				print "twice: " expected[i]
				twice++
			}
		}
	}
	printf "%d records, %d lost, %d twice\n", count, lost, twice
	exit lost || twice
}
