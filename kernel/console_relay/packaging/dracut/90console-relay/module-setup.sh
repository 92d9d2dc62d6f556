#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# /usr/lib/dracut/modules.d/90console-relay/module-setup.sh: adds the module, its options and a hook to
# the initramfs, if /etc/modprobe.d/console_relay.conf exists.

check() {
    # Without that file, only on request: add_dracutmodules+=" console-relay "
    [ -e /etc/modprobe.d/console_relay.conf ] || return 255
    # A kernel without the module (not yet built by DKMS) boots with the driver's own console.
    # shellcheck disable=SC2154 # set by dracut
    modinfo -k "$kernel" console_relay >/dev/null 2>&1
}

installkernel() {
    hostonly='' instmods console_relay
}

install() {
    inst_simple /etc/modprobe.d/console_relay.conf 2>/dev/null
    # shellcheck disable=SC2154 # set by dracut
    inst_hook cmdline 00 "$moddir/load.sh"
}
