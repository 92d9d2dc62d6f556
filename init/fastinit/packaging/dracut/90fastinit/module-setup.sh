#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# /usr/lib/dracut/modules.d/90fastinit/module-setup.sh: adds fastinit, its configuration and the programs of it to the initramfs, if
# /etc/fastinit.initramfs exists. Then boot with rdinit=/fastinit.

check() {
    # Without that file, only on request: add_dracutmodules+=" fastinit "
    [ -e /etc/fastinit.initramfs ] || return 255
    require_binaries /usr/sbin/fastinit || return 1
}

install() {
    local file
    # Even then fastinit has to be there: a machine that boots with rdinit=/fastinit does not boot without it.
    /usr/sbin/fastinit check /etc/fastinit.conf || dwarn "fastinit: /etc/fastinit.conf is wrong: some programs will not start"
    inst_simple /etc/fastinit.conf || dwarn "fastinit: no /etc/fastinit.conf"
    inst_simple /usr/sbin/fastinit /fastinit
    # Each program with its libraries. What it opens besides is listed in /etc/fastinit.initramfs, one file a line.
    while read -r file; do
        inst "$file" || dwarn "fastinit: cannot copy \`$file\`"
    done < <(
        sed -n 's/^[[:blank:]]*exec[[:blank:]]*=[[:blank:]]*"\{0,1\}\([^"[:blank:]]*\).*/\1/p' /etc/fastinit.conf
        [ ! -e /etc/fastinit.initramfs ] || sed '/^[[:blank:]]*\(#\|$\)/d' /etc/fastinit.initramfs
    )
}
