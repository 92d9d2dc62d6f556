# SPDX-License-Identifier: GPL-2.0-only
# awk -f port-bytes.awk TRACE: how many bytes the guest wrote to its 8250 ports for transmission, by QEMU's event serial_write.
# While bit 7 of the line control register is set, the first two registers are the divisor of the clock. The event does not say which
# port it is: with two processors the number may be wrong by a few bytes, and so may it be where the guest dies with bytes in a FIFO.
$1 == "serial_write" && $4 == "0x03" { divisor = $6 ~ /^0x[89a-f]/ }
$1 == "serial_write" && $4 == "0x00" && !divisor { bytes++ }
END { print bytes + 0 }
