# SPDX-License-Identifier: GPL-2.0-only
# awk -v from=TEXT [-v level=7] -f wire-check.awk KMSG WIRE
#
# KMSG is `dmesg -r`. Each of its lines below the console's loglevel, from the first one that
# contains TEXT on, must be on the wire once, whole, and in this order. What a takeover cut is
# announced as replayed and comes again whole. What a program writes may stand before a record
# on its line. A line with a stamp that is nothing of all that is a torn record. What comes
# behind the last record of KMSG (a panic's words) must not come twice, either, but for the
# registers, which an oops that becomes a panic shows again behind its end of trace.
# Says what is not so; exit status 1.
BEGIN {
	if (!level)
		level = 7
	stamp = "\\[ *[0-9]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]\\]"
	replay_mark = "** replaying previous printk message **"
}
{ sub(/\r+$/, "") }
FNR == NR {
	if (!match($0, /^<[0-9]+>/))
		next
	number = substr($0, 2, RLENGTH - 2) + 0
	text = substr($0, RLENGTH + 1)
	if (index(text, from))
		begun = 1
	if (begun && number % 8 < level) {
		expected[++count] = text
		place[text, ++meant[text]] = count
	}
	next
}
function complain(what, text) {
	if (++complaints[what] <= 3)
		print what ": " text ";"
	bad = 1
}
{
	if (index($0, replay_mark)) {
		replayed++
		replay = 1
		next
	}
	if (!match($0, stamp))
		next
	text = substr($0, RSTART)
	gsub(/\r/, "", text)
	# It was whole before the takeover, too.
	again = replay && text == latest
	replay = 0
	if (again)
		next
	if (match(text, /provoke: record [0-9]+ /)) {
		number = substr(text, RSTART + 16, RLENGTH - 16) + 0
		if (number && number != previous + 1)
			complain("out of sequence", text)
		previous = number
	}
	latest = text
	nth = ++seen[text]
	if (index(text, "---[ end trace"))
		split("", behind)
	if (nth > meant[text] + 0 && last && (meant[text] || behind[text]++))
		complain("twice", text)
	else if ((text, nth) in place) {
		if (place[text, nth] < last)
			complain("out of order", text)
		else
			last = place[text, nth]
	} else if (last && last < count)
		complain("not in the log, or torn", text)
}
END {
	if (!count) {
		print "no records: `" from "` is not in the log"
		exit 1
	}
	for (i = 1; i <= count; i++)
		if (seen[expected[i]] < meant[expected[i]]) {
			lost++
			complain("lost", expected[i])
		}
	printf "%d records, %d lost, %d twice, %d replayed\n", count, lost, complaints["twice"], replayed
	exit bad
}
