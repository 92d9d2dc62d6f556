#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The init of a guest that configures the packages of a root, as dpkg does once they are unpacked. The result is
# /root.tar; /configure.log says what went wrong. The last line ends the boot.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
export DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true
log=/configure.log
exec </dev/null >/dev/console 2>&1
cd /
mount -t tmpfs -o mode=755 run /run
mkdir -p /dev/pts /tmp
chmod 1777 /tmp
mount -t devpts devpts /dev/pts

# Nothing is started: this guest is no device that boots.
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d

db=/var/lib/dpkg
total=$(grep -c '^Status: ' $db/status)

# What dpkg does before it unpacks. Users come first: other scripts name them.
before_unpacking() {
	for script in "$db"/info/base-passwd.preinst "$db"/info/*.preinst; do
		package=${script##*/}
		package=${package%.preinst}
		DPKG_MAINTSCRIPT_NAME=preinst DPKG_MAINTSCRIPT_PACKAGE=${package%:*} \
			DPKG_MAINTSCRIPT_ARCH=$(dpkg --print-architecture) DPKG_MAINTSCRIPT_PACKAGE_REFCOUNT=1 \
			DPKG_ADMINDIR=$db DPKG_ROOT='' "$script" install || return 1
	done
}

configure_all() {
	before_unpacking && dpkg --force-unsafe-io --configure -a || return 1
	if [ -e /configure.setup ]; then sh -e /configure.setup || return 1; fi
	[ "$(grep -c '^Status: install ok installed$' $db/status)" = "$total" ]
}

{
	configure_all 2>&1
	echo "configure: status $?"
} | {
	n=0
	while read -r line; do
		echo "$line" >>$log
		case $line in
		'Setting up '*)
			n=$((n + 1))
			echo "configure: $n of $total"
			;;
		esac
	done
}

if [ "$(tail -n 1 $log)" = 'configure: status 0' ]; then
	rm -f /usr/sbin/policy-rc.d /configure.setup $db/*-old /var/log/*.log /var/cache/debconf/*-old
	echo "configure: packing"
	tar -C / --one-file-system --numeric-owner --exclude=./root.part --exclude=./configure --exclude=./configure.log \
		--exclude=./lost+found --xattrs --xattrs-include='*' \
		-cf /root.part . 2>>$log && mv /root.part /root.tar && sync &&
		echo "configure: packed $(stat -c %s /root.tar)" >>$log
fi
# The host cuts the power, and what keeps a file open keeps the root from being mounted read-only.
sync
mount -o remount,ro /
echo "configure: done"
while :; do sleep 1000; done
