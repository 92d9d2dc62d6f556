# SPDX-License-Identifier: GPL-2.0-only
# awk -v from=TEXT [-v level=7] [-v whole=1] [-v tty=FILE] [-v counts=1] -f transmitted-check.awk KMSG TRANSMITTED
#
# KMSG is the output of `dmesg -r`, TRANSMITTED what the console sent. Each record of KMSG that the
# console loglevel lets through, from the first one that contains TEXT on, must be in TRANSMITTED
# once, whole, with one carriage return before its newline, and in this order. A record that a
# takeover cut off ends there; it is announced as replayed on a line of its own, and printed again,
# whole. Output of a program may precede a record on its line. A line with a time stamp that is none
# of these is a torn record. (A record of several lines must not be cut off after the first of them: the
# lines are judged one by one, but all of them are printed again.)
# With `whole`, KMSG is the whole log of a panic: only `Rebooting in` may come after it. Without, what
# comes after the last record of KMSG (of a panic) must not be printed twice either, except the
# registers, which an oops that becomes a panic prints again after its end of trace, and the stack of
# a fault that KASAN reports before its oops.
# Everything else is what programs wrote to the tty: that is written to FILE, without carriage returns.
# Prints what is wrong; exit status 1. With `counts`, prints three numbers instead: records that are
# missing, except one that the kernel says it has dropped; lines that are torn; and those that are
# printed twice or out of order.
BEGIN {
	if (!level)
		level = 7
	if (!tty)
		tty = "/dev/null"
	stamp = "\\[ *[0-9]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]\\]"
	replay_mark = "** replaying previous printk message **"
	dropped = "[*][*] [0-9]+ printk messages dropped [*][*]"
	printf "" >tty
}
FNR == NR {
	sub(/\r+$/, "")
	if (!match($0, /^<[0-9]+>/))
		next
	number = substr($0, 2, RLENGTH - 2) + 0
	text = substr($0, RLENGTH + 1)
	if (index(text, from))
		begun = 1
	if (!begun)
		next
	if (number % 8 < level) {
		expected[++count] = text
		place[text, ++meant[text]] = count
	} else
		hidden[text]++
	# From then on the kernel prints everything, also what it has stored before.
	if (text ~ /Oops|Kernel panic/)
		verbose = 1
	next
}
function complain(what, text) {
	if (++complaints[what] <= 3 && !counts)
		print what ": " text ";"
	bad = 1
}
# What a program wrote, from the first record on.
function told(text) {
	gsub(/\r/, "", text)
	if (begins || last)
		printf "%s", text >tty
}
# A line must have the carriage return of its newline and no other, except another line's end that a takeover has added.
function check_end(line) {
	if (!sub(/\r$/, "", line))
		complain("no carriage return", line)
	if (replay)
		sub(/\r+$/, "", line)
	if (index(line, "\r"))
		complain("a stray carriage return", line)
}
# A line with a time stamp, held back until the next line shows whether it was cut off.
function check(text,    nth, number) {
	check_end(text)
	gsub(/\r/, "", text)
	if (held_replays && text == latest) {
		# It was already whole before the takeover. Or the one before it was, and equals it: entries of a stack trace do.
		if (seen[text] >= meant[text] + 0)
			return
		spare[text]++
	}
	if (match(text, /provoke: record [0-9]+ /)) {
		number = substr(text, RSTART + 16, RLENGTH - 16) + 0
		if (number && number != previous + 1)
			complain("out of sequence", text)
		previous = number
	}
	latest = text
	nth = ++seen[text]
	if (nth > meant[text] + 0 && spare[text]-- > 0)
		return
	if (index(text, "---[ end trace") || index(text, "] BUG: ") && nth == 1)
		split("", after_trace)
	# The unreliable entries of a stack trace (`? name+0x..`) may be equal, and so may the empty lines of a report.
	if (nth > meant[text] + 0 && last &&
	    (meant[text] || !whole && after_trace[text]++ && text !~ /^\[ *[0-9.]+\] *(\? .*)?$/))
		complain("twice", text)
	else if ((text, nth) in place) {
		if (place[text, nth] < last)
			complain("out of order", text)
		else
			last = place[text, nth]
	} else if (verbose && hidden[text]-- > 0)
		return
	else if (whole && last == count && text ~ /^\[ *[0-9.]+\] Rebooting in [0-9]+ seconds\.\.$/) {
		if (rebooting++)
			complain("twice", text)
	} else if (last && (last < count || whole))
		complain("not in the log, or torn", text)
}
# A line without a time stamp, likewise: it may end with the beginning of what is printed again, `text` (empty if that is not known).
function settle(text,    i, tail) {
	if (!loose_held)
		return
	loose_held = 0
	if (!loose_cut) {
		told(loose "\n")
		return
	}
	loose_cut = 0
	sub(/\r$/, "", loose)
	for (i = length(loose); i > 0; i--) {
		tail = substr(loose, length(loose) - i + 1)
		if (index(text, tail) == 1 || index(replay_mark, tail) == 1)
			break
		# That was cut off as well.
		if (text == "" && tail ~ /^\[ *[0-9]*[.]?[0-9]*$/)
			break
	}
	# The newline of an empty line is that of the takeover.
	told(i || loose == "" ? substr(loose, 1, length(loose) - i) : loose "\n")
}
{
	if (at = index($0, replay_mark)) {
		replayed++
		text = substr($0, 1, at - 1)
		if (match(text, stamp))
			complain("no newline before a replay", $0)
		if (text != "") {
			settle(text)
			told(text)
		}
		loose_cut = loose_held
		replay = 1
		if (substr($0, at + length(replay_mark)) !~ /^\r+$/)
			complain("after a mark", $0)
		next
	}
	if (!match($0, stamp)) {
		settle("")
		if (match($0, dropped)) {
			if (/[*] 1 printk/)
				skipped = 1
			told(substr($0, 1, RSTART - 1))
			if (substr($0, RSTART + RLENGTH) !~ /^\r$/)
				complain("after a mark", $0)
			next
		}
		loose = $0
		loose_held = 1
		next
	}
	text = substr($0, RSTART)
	before = substr($0, 1, RSTART - 1)
	settle(text)
	# What was cut off is the beginning of what is printed again, unless that is cut off earlier.
	if (held != "" && !(replay && cut_off(held, text)))
		check(held)
	told(before)
	if (index(text, from))
		begins = 1
	held = text
	held_replays = replay
	replay = 0
}
function cut_off(first, second) {
	gsub(/\r/, "", first)
	gsub(/\r/, "", second)
	return first != second && (index(second, first) == 1 || index(first, second) == 1)
}
END {
	replay = 0
	settle("")
	if (held != "")
		check(held)
	if (!count) {
		print counts ? "1 0 0" : "no records: `" from "` is not in the log"
		exit 1
	}
	for (i = 1; i <= count; i++)
		if (++checked[expected[i]] > seen[expected[i]]) {
			lost++
			complain("lost", expected[i])
		}
	if (counts) {
		if (lost)
			lost -= skipped
		torn = complaints["not in the log, or torn"] + complaints["no newline before a replay"]
		torn += complaints["no carriage return"] + complaints["a stray carriage return"] + complaints["after a mark"]
		twice = complaints["twice"] + complaints["out of order"] + complaints["out of sequence"]
		print lost + 0, torn, twice
		exit
	}
	printf "%d records, %d lost, %d twice, %d replayed\n", count, lost, complaints["twice"], replayed
	exit bad
}
