#!/bin/sh
# SPDX-License-Identifier: 0BSD
# Collects what a device knows of its boot, for `bootline explain`. Needs a POSIX shell, tar and what the device has; installs
# and changes nothing. Usage: sh collect.sh >boot.tar     (as root: otherwise parts are missing, and named)
#
# The archive holds the kernel's log, the journal of this boot, systemd's properties of its units and of itself, the kernel's
# command line, the list of consoles, the uptime, os-release and the firmware's times. They contain names, addresses and settings
# of the system: look before you send it to somebody.
set -u
umask 077
base=${TMPDIR:-/tmp}
if command -v mktemp >/dev/null 2>&1; then
    folder=$(mktemp -d "$base/bootline-collect.XXXXXX")
else
    folder=$base/bootline-collect.$$
    # Fails where the name is taken, by a link for example.
    mkdir "$folder"
fi || {
    echo "error: can't make a folder in $base; name another by TMPDIR=" >&2
    exit 4
}
trap 'rm -rf "$folder"' EXIT
trap 'exit 4' HUP INT TERM
d=$folder/bootline-collect
mkdir "$d" || exit 4
manifest=$d/bootline-collect.txt
echo "bootline-collect 1" >"$manifest"

missing() {
    echo "missing $1: $2" >>"$manifest"
    echo "not read: $1: $2" >&2
}

# collect NAME COMMAND...: the command's output as a file, or a line that says why there is none.
collect() {
    name=$1
    shift
    if "$@" >"$d/$name" 2>"$folder/errors" && [ -s "$d/$name" ]; then
        return 0
    fi
    # What was written before an error counts, such as a journal that is read in part.
    [ -s "$d/$name" ] && return 0
    rm -f "$d/$name"
    why=$(head -n 1 "$folder/errors")
    case $1 in
        kernel_log) what=dmesg ;;
        firmware_times) what="the firmware's times" ;;
        *) what=$* ;;
    esac
    missing "$what" "${why:-it wrote nothing}"
    return 1
}

kernel_log() {
    dmesg -r 2>/dev/null || dmesg
}

# ACPI's table, in nanoseconds since the reset (from kernel 5.12); systemd-boot's variables: text in UTF-16 after 4 bytes.
fpdt=/sys/firmware/acpi/fpdt/boot
efi=/sys/firmware/efi/efivars
vendor=4a67b082-0a4c-41cf-b6c7-440b29bb8c4f
init_time=$efi/LoaderTimeInitUSec-$vendor
exec_time=$efi/LoaderTimeExecUSec-$vendor

has_firmware_times() {
    [ -r "$init_time" ] && [ -r "$exec_time" ]
}

firmware_times() {
    to_kernel=$(tail -c +5 "$exec_time" | tr -cd 0-9)
    to_loader=$(tail -c +5 "$init_time" | tr -cd 0-9)
    [ -n "$to_kernel" ] && [ -n "$to_loader" ] && [ "$to_loader" -le "$to_kernel" ] || return 1
    echo "FirmwareTimestampMonotonic=$to_kernel"
    echo "LoaderTimestampMonotonic=$((to_kernel - to_loader))"
}

collect dmesg.txt kernel_log
if [ -d /run/systemd/system ]; then
    export LC_ALL=C SYSTEMD_COLORS=0 SYSTEMD_PAGER=
    collect journal.export journalctl -b -o export --no-pager
    collect systemctl-show-manager.txt systemctl show --no-pager
    collect systemctl-show.txt systemctl show --all --no-pager '*'
    collect systemd-analyze-time.txt systemd-analyze time
    collect systemd-analyze-plot.json systemd-analyze plot --json=short
else
    missing systemd "systemd is not process 1: no units"
fi
collect cmdline.txt cat /proc/cmdline
collect consoles.txt cat /proc/consoles
collect uptime.txt cat /proc/uptime
collect os-release.txt cat /etc/os-release
if command -v cbmem >/dev/null 2>&1; then
    collect cbmem.txt cbmem -t
fi
# A BIOS leaves zeroes.
if grep -q '[1-9]' "$fpdt/exitbootservice_end_ns" 2>/dev/null; then
    # /dev/null: with several files, grep writes their names.
    collect firmware-fpdt.txt grep . /dev/null "$fpdt"/*_ns
fi
if has_firmware_times; then
    collect firmware-times.txt firmware_times
fi
# The manifest comes first: it identifies the archive, and lists what follows, so that a cut archive is noticed.
cd "$folder" || exit 4
set -- bootline-collect/bootline-collect.txt
for file in bootline-collect/*; do
    [ "$file" = bootline-collect/bootline-collect.txt ] && continue
    set -- "$@" "$file"
    echo "file ${file##*/} $(($(wc -c <"$file")))" >>"$manifest"
done
tar -cf - "$@" || exit 4
echo "look into the archive before you send it to somebody: its files describe this system" >&2
