# SPDX-License-Identifier: GPL-2.0-only
# awk -f tty-bytes.awk TRANSMITTED
#
# Prints what programs have written to the tty: what was transmitted, without the kernel's records and without carriage
# returns. A record begins anywhere on a line, with its time stamp, and ends with the line.
BEGIN { stamp = "\\[ *[0-9]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]\\]" }
{
	gsub(/\r/, "")
	if (match($0, "[*][*] replaying previous printk message [*][*]") || match($0, stamp))
		printf "%s", substr($0, 1, RSTART - 1)
	else
		print
}
