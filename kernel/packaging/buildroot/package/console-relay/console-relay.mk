# SPDX-License-Identifier: GPL-2.0-only
################################################################################
#
# console-relay
#
################################################################################

CONSOLE_RELAY_VERSION = 0.1
CONSOLE_RELAY_SITE = $(BR2_EXTERNAL_BOOTLINE_CONSOLES_PATH)/../../console_relay
CONSOLE_RELAY_SITE_METHOD = local
CONSOLE_RELAY_LICENSE = GPL-2.0

# The driver of the console, which selects SERIAL_CORE_CONSOLE, is chosen in the configuration of the kernel.
define CONSOLE_RELAY_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_PRINTK)
endef

ifeq ($(BR2_PACKAGE_CONSOLE_RELAY_AT_BOOT),y)
define CONSOLE_RELAY_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 644 $(@D)/packaging/modprobe.d-console_relay.conf \
		$(TARGET_DIR)/etc/modprobe.d/console_relay.conf
	mkdir -p $(TARGET_DIR)/etc/modules-load.d
	echo console_relay >$(TARGET_DIR)/etc/modules-load.d/console_relay.conf
endef
endif

$(eval $(kernel-module))
$(eval $(generic-package))
