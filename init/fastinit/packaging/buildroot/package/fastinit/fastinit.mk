# SPDX-License-Identifier: MIT OR Apache-2.0
################################################################################
#
# fastinit
#
################################################################################

FASTINIT_VERSION = 0.1
FASTINIT_SITE = $(BR2_EXTERNAL_FASTINIT_PATH)/../..
FASTINIT_SITE_METHOD = local
FASTINIT_LICENSE = MIT or Apache-2.0

# It brings its own flags: freestanding, static.
FASTINIT_MAKE_OPTS = \
	CROSS_COMPILE=$(TARGET_CROSS) \
	CFLAGS="-Os -g" \
	BUILD=build/target

define FASTINIT_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D) $(FASTINIT_MAKE_OPTS)
endef

define FASTINIT_INSTALL_TARGET_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D) $(FASTINIT_MAKE_OPTS) \
		DESTDIR=$(TARGET_DIR) install-program
	$(if $(call qstrip,$(BR2_PACKAGE_FASTINIT_CONF)), \
		$(INSTALL) -D -m 644 $(call qstrip,$(BR2_PACKAGE_FASTINIT_CONF)) \
			$(TARGET_DIR)/etc/fastinit.conf)
endef

define FASTINIT_INSTALL_INIT_SYSTEMD
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D) $(FASTINIT_MAKE_OPTS) \
		DESTDIR=$(TARGET_DIR) install-generator
endef

$(eval $(generic-package))
