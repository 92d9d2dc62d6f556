# SPDX-License-Identifier: GPL-2.0-only
SUMMARY = "Asynchronous console for a live 8250 serial port"
DESCRIPTION = "Replaces the registered ttyS console of Linux 6.12 to 7.2 by one that prints from a kernel thread."
LIC_FILES_CHKSUM = "file://main.c;beginline=1;endline=1;md5=fcab174c20ea2e2bc0be64b493708266"

MODULE_NAME = "nbcon_8250"
# nooelint: oelint.vars.mispell.unknown - of the class kernel-module-split
module_conf_nbcon_8250 = "options nbcon_8250 replay=1 loglevel=7"
require bootline-console.inc
