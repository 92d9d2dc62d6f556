# SPDX-License-Identifier: MIT OR Apache-2.0
SUMMARY = "Starts an application first, then the real init"
DESCRIPTION = "The kernel runs fastinit in place of init: it starts the programs of /etc/fastinit.conf and becomes the real init."
SECTION = "base"
LICENSE = "MIT | Apache-2.0"
LIC_FILES_CHKSUM = "file://main.c;beginline=1;endline=1;md5=55ecc515da66af0919eadb7a07d9bc4f"

# The source is the folder that this layer is in; to build from elsewhere, set EXTERNALSRC.
inherit externalsrc
EXTERNALSRC = "${@os.path.abspath(os.path.join(d.getVar('THISDIR'), '../../../../..'))}"

COMPATIBLE_HOST = "(x86_64|aarch64|arm|riscv64).*-linux"

# Static, without a C library, with flags of its own.
FASTINIT_MAKE_OPTS = "CC='${CC}' STRIP= CFLAGS='-Os -g ${DEBUG_PREFIX_MAP}' BUILD='${B}/target' PREFIX='${prefix}'"

do_compile() {
    oe_runmake -C "${S}" ${FASTINIT_MAKE_OPTS}
}

do_install() {
    oe_runmake -C "${S}" ${FASTINIT_MAKE_OPTS} DESTDIR="${D}" install-program
    if ${@bb.utils.contains('DISTRO_FEATURES', 'systemd', 'true', 'false', d)}; then
        oe_runmake -C "${S}" ${FASTINIT_MAKE_OPTS} DESTDIR="${D}" install-generator
    fi
}

FILES:${PN} += "${prefix}/lib/systemd/system-generators"
