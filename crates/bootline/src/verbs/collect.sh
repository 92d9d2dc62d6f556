#!/bin/sh
# SPDX-License-Identifier: 0BSD
# Collects what a device knows of its boot, for `bootline explain`. Needs a POSIX shell, tar and what the device has; installs
# and changes nothing. Usage: sh collect.sh >boot.tar     (as root: otherwise parts are missing, and named)
set -u
umask 077
folder=$(mktemp -d "${TMPDIR:-/tmp}/bootline-collect.XXXXXX") || exit 4
trap 'rm -rf "$folder"' EXIT
trap 'exit 4' HUP INT TERM
d=$folder/bootline-collect
mkdir "$d" || exit 4
echo "bootline-collect 1" >"$d/bootline-collect.txt"

missing() {
    echo "missing $1: $2" >>"$d/bootline-collect.txt"
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
    missing "$*" "${why:-it wrote nothing}"
    return 1
}

kernel_log() {
    dmesg -r 2>/dev/null || dmesg
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
for file in cmdline consoles uptime; do
    collect "$file.txt" cat "/proc/$file"
done
[ -r /etc/os-release ] && collect os-release.txt cat /etc/os-release
if command -v cbmem >/dev/null 2>&1; then
    collect cbmem.txt cbmem -t
fi
# The manifest comes first: it identifies the archive.
cd "$folder" || exit 4
set -- bootline-collect/bootline-collect.txt
for file in bootline-collect/*; do
    [ "$file" = bootline-collect/bootline-collect.txt ] || set -- "$@" "$file"
done
tar -cf - "$@"
