#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# /usr/lib/dracut/modules.d/90nbcon-8250/module-setup.sh: adds the module, its options and a hook to
# the initramfs, if /etc/modprobe.d/nbcon_8250.conf exists.

check() {
    # Without that file, only on request: add_dracutmodules+=" nbcon-8250 "
    [ -e /etc/modprobe.d/nbcon_8250.conf ] || return 255
    # A kernel without the module (not yet built by DKMS) boots with the driver's own console.
    # shellcheck disable=SC2154 # set by dracut
    modinfo -k "$kernel" nbcon_8250 >/dev/null 2>&1
}

installkernel() {
    hostonly='' instmods nbcon_8250
}

install() {
    inst_simple /etc/modprobe.d/nbcon_8250.conf 2>/dev/null
    # shellcheck disable=SC2154 # set by dracut
    inst_hook cmdline 00 "$moddir/load.sh"
}
