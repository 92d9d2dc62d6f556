#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The first hook that dracut runs. If the module refuses the console, the boot continues without it.
modprobe -q console_relay || :
