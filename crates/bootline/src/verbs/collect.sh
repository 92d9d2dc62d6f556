#!/bin/sh
# SPDX-License-Identifier: 0BSD
# Collects what a device knows of its boot, for `bootline explain`. Needs a POSIX shell, tar and what the device has; installs
# and changes nothing. Usage: sh collect.sh >boot.tar     (as root: otherwise parts are missing, and named)
#
# The archive holds the kernel's log, the journal of this boot, systemd's properties of its units and of itself, the kernel's
# command line and settings, the list of consoles, the uptime, os-release, the times of firmware and boot loader, and, where the boot
# was recorded, its bootchart and its trace. They contain names, addresses and settings of the system: look before you send it to
# somebody.
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

# The largest file, in MiB: a device's $base is often memory, and a journal may be of months.
largest=16
bytes=$((largest * 1048576))

# Not every head counts bytes: then nothing is cut.
if [ "$(echo xy | head -c 1 2>/dev/null)" = x ]; then
    first_bytes() { head -c "$bytes"; }
else
    first_bytes() { cat; }
fi

# collect NAME COMMAND...: the command's output as a file, or a line that says why there is none, or not all of it.
collect() {
    name=$1
    shift
    case $1 in
        kernel_log) what=dmesg ;;
        firmware_times) what="the firmware's times" ;;
        bootstage_marks) what=$bootstage ;;
        boot_trace) what=$trace ;;
        *) what=$* ;;
    esac
    # A pipe's status is its last command's: that which writes.
    "$@" 2>"$folder/errors" | first_bytes >"$d/$name" || missing "$what" "not all of it could be written to $base"
    # What was written before an error counts, such as a journal that is read in part.
    if [ -s "$d/$name" ]; then
        [ "$(wc -c <"$d/$name")" -lt "$bytes" ] || missing "$what" "only its first $largest MiB were kept"
        return 0
    fi
    rm -f "$d/$name"
    why=$(head -n 1 "$folder/errors")
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

# U-Boot's marks, with CONFIG_BOOTSTAGE_FDT: a node a record, and times as 4 bytes, the highest first.
bootstage=/proc/device-tree/bootstage

# cell FILE: the number in it. Every od knows -b; its octal digits are taken apart, because not every shell reads 017 as octal.
cell() {
    # shellcheck disable=SC2046 # words are wanted: the offset, and the bytes
    set -- $(od -b "$1" | head -n 1)
    [ $# -eq 5 ] || return 1
    shift
    number=0
    for byte in "$@"; do
        low=${byte#?}
        number=$((number * 256 + ${byte%??} * 64 + ${low%?} * 8 + ${low#?}))
    done
    echo "$number"
}

bootstage_marks() {
    for node in "$bootstage"/*/; do
        for property in mark accum; do
            if [ -r "$node$property" ] && time=$(cell "$node$property"); then
                echo "${node}name:$(tr -d '[:cntrl:]' <"${node}name")"
                echo "$node$property:$time"
            fi
        done
    done
}

# What bootchart2 or busybox's bootchartd recorded.
is_of_this_boot() {
    started=$(sed -n 's/^btime //p' "$stat")
    written=$(date -r "$1" +%s 2>/dev/null)
    [ -n "$started" ] && [ -n "$written" ] && [ "$written" -ge "$started" ]
}

collect_chart() {
    if ! is_of_this_boot "$1"; then
        missing "$1" "by its date it is of an earlier boot"
    elif [ "$(wc -c <"$1")" -gt "$bytes" ]; then
        missing "$1" "it is larger than $largest MiB"
    else
        collect bootchart.tgz cat "$1"
    fi
}

stat=/proc/stat
command_line=/proc/cmdline
boot_config=/proc/bootconfig
trace_clock=/sys/kernel/tracing/trace_clock
trace=/sys/kernel/tracing/trace

# A trace that the command line asked for; another is of what somebody looked at since.
is_traced() {
    grep -qE '(^| )(trace_event=|ftrace=)' "$command_line" 2>/dev/null && grep -q '^[^#]' "$trace" 2>/dev/null
}

# Its times are read by the clock that stands before it.
boot_trace() {
    cat "$trace_clock" "$trace"
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
if [ -d "$bootstage" ]; then
    collect bootstage-tree.txt bootstage_marks
fi
for chart in /var/log/bootchart.tgz /var/log/bootlog.tgz; do
    if [ -f "$chart" ]; then
        collect_chart "$chart"
        break
    fi
done
if is_traced; then
    collect trace.txt boot_trace
fi
if [ -r "$boot_config" ] && [ -n "$(cat "$boot_config")" ]; then
    collect bootconfig.txt cat "$boot_config"
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
