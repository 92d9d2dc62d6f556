# SPDX-License-Identifier: GPL-2.0-only
# awk -f port-bytes.awk TRACE: how many bytes the guest wrote to its 8250 ports for transmission, by QEMU's event serial_write.
# With -v text=1: these bytes themselves, as text.
# While bit 7 of the line control register is set, the first two registers are the divisor of the clock. The event does not say which
# port it is: with two processors the number may be wrong by a few bytes, and so may it be where the guest dies with bytes in a FIFO. The
# text of both ports is mixed, which may tear a line but not mend one. A byte that was written may still overrun the FIFO.
BEGIN {
	for (i = 0; i < 256; i++)
		byte[sprintf("0x%02x", i)] = i
}
$1 == "serial_write" && $4 == "0x03" { divisor = $6 ~ /^0x[89a-f]/ }
$1 == "serial_write" && $4 == "0x00" && !divisor {
	bytes++
	if (text)
		printf "%c", byte[$6]
}
END {
	if (!text)
		print bytes + 0
}
