# SPDX-License-Identifier: GPL-2.0-only
# awk -v from=TEXT [-v level=7] -f transmitted-check.awk KMSG TRANSMITTED
#
# KMSG is the output of `dmesg -r`, TRANSMITTED what the console sent. Each record of KMSG that the
# console loglevel lets through, from the first one that contains TEXT on, must be in TRANSMITTED
# once, whole, and in this order. A record that a takeover cut off ends there; it is announced as
# replayed on a line of its own, and printed again, whole. Output of a program may precede a record
# on its line. A line with a time stamp that is none of these is a torn record. Records after the
# last one of KMSG (of a panic) must not be printed twice either, except the registers, which an
# oops that becomes a panic prints again after its end of trace, and the stack of a fault that KASAN
# reports before its oops.
# Prints what is wrong; exit status 1.
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
# A line with a time stamp, held back until the next line shows whether it was cut off.
function check(text,    nth, number) {
	# It was already whole before the takeover. Or the one before it was, and equals it: entries of a stack trace do.
	if (held_replays && text == latest && seen[text] >= meant[text] + 0)
		return
	if (match(text, /provoke: record [0-9]+ /)) {
		number = substr(text, RSTART + 16, RLENGTH - 16) + 0
		if (number && number != previous + 1)
			complain("out of sequence", text)
		previous = number
	}
	latest = text
	nth = ++seen[text]
	if (index(text, "---[ end trace") || index(text, "] BUG: ") && nth == 1)
		split("", after_trace)
	# The unreliable entries of a stack trace (`? name+0x..`) may be equal, and so may the empty lines of a report.
	if (nth > meant[text] + 0 && last && (meant[text] || after_trace[text]++ && text !~ /^\[ *[0-9.]+\] *(\? .*)?$/))
		complain("twice", text)
	else if ((text, nth) in place) {
		if (place[text, nth] < last)
			complain("out of order", text)
		else
			last = place[text, nth]
	} else if (last && last < count)
		complain("not in the log, or torn", text)
}
{
	gsub(/\r/, "")
	if (index($0, replay_mark)) {
		replayed++
		replay = 1
		if (match($0, stamp))
			complain("no newline before a replay", $0)
		next
	}
	if (!match($0, stamp))
		next
	text = substr($0, RSTART)
	# What was cut off is the beginning of what is printed again, unless that is cut off earlier.
	if (held != "" && !(replay && text != held && (index(text, held) == 1 || index(held, text) == 1)))
		check(held)
	held = text
	held_replays = replay
	replay = 0
}
END {
	if (held != "")
		check(held)
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
