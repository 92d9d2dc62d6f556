#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# /usr/lib/dracut/modules.d/90nbcon-8250/module-setup.sh: the module, its options, a hook for it.

check() {
    # Not by itself: add_dracutmodules+=" nbcon-8250 "
    return 255
}

installkernel() {
    hostonly='' instmods nbcon_8250
}

install() {
    inst_simple /etc/modprobe.d/nbcon_8250.conf 2>/dev/null
    # shellcheck disable=SC2154 # set by dracut
    inst_hook cmdline 00 "$moddir/load.sh"
}
