# SPDX-License-Identifier: GPL-2.0-only
SUMMARY = "Asynchronous printing for a legacy serial console"
DESCRIPTION = "Lets a registered serial console of Linux 5.10 to 7.2 print from a kernel thread."
LIC_FILES_CHKSUM = "file://main.c;beginline=1;endline=1;md5=fcab174c20ea2e2bc0be64b493708266"

MODULE_NAME = "console_relay"
# nooelint: oelint.vars.mispell.unknown - of the class kernel-module-split
module_conf_console_relay = "options console_relay replay=1 loglevel=7"
require bootline-console.inc
