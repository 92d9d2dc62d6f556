# SPDX-License-Identifier: GPL-2.0-only
include $(sort $(wildcard $(BR2_EXTERNAL_BOOTLINE_CONSOLES_PATH)/package/*/*.mk))
