# SPDX-License-Identifier: GPL-2.0-only
################################################################################
#
# nbcon-8250
#
################################################################################

NBCON_8250_VERSION = 0.1
NBCON_8250_SITE = $(BR2_EXTERNAL_BOOTLINE_CONSOLES_PATH)/../../nbcon_8250
NBCON_8250_SITE_METHOD = local
NBCON_8250_LICENSE = GPL-2.0

define NBCON_8250_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_PRINTK)
	$(call KCONFIG_ENABLE_OPT,CONFIG_PM)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SERIAL_8250)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SERIAL_8250_CONSOLE)
endef

ifeq ($(BR2_PACKAGE_NBCON_8250_AT_BOOT),y)
define NBCON_8250_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 644 $(@D)/packaging/modprobe.d-nbcon_8250.conf \
		$(TARGET_DIR)/etc/modprobe.d/nbcon_8250.conf
	mkdir -p $(TARGET_DIR)/etc/modules-load.d
	echo nbcon_8250 >$(TARGET_DIR)/etc/modules-load.d/nbcon_8250.conf
endef
endif

$(eval $(kernel-module))
$(eval $(generic-package))
