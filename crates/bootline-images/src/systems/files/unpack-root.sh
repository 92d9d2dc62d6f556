# SPDX-License-Identifier: MIT OR Apache-2.0
# Unpacks packages as dpkg does, for an architecture whose programs do not run here, and makes an image in which a guest
# configures them. Run by `sh -e` in a user namespace.
#   $1 the folder of the build   $2 the folder of archives   $3 their list   $4 the guest's init   $5 the lab's additions
#   $6 the setup command         $7 the mirror               $8 the suite
umask 022
cd "$1"
mkdir -p tree/var/lib/dpkg/info tree/var/lib/dpkg/updates tree/var/lib/dpkg/triggers tree/etc/apt
db=tree/var/lib/dpkg
# The format of dpkg's database in which a package that several architectures share has its own in its files' names.
echo 1 >$db/info/format
for table in status available diversions statoverride; do : >$db/$table; done
while read -r deb; do
	deb=$2/$deb
	rm -rf control
	mkdir control
	dpkg-deb --ctrl-tarfile "$deb" | tar -C control -xf -
	name=$(sed -n 's/^Package: //p' control/control)
	arch=$(sed -n 's/^Architecture: //p' control/control)
	if grep -q '^Multi-Arch: same' control/control; then info=$name:$arch; else info=$name; fi
	# Later packages find /bin and the like as the links that base-files makes of them.
	dpkg-deb --fsys-tarfile "$deb" | tar -C tree --numeric-owner --keep-directory-symlink -xpf - \
		--exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/info/*' \
		--exclude='./usr/share/locale/*' --exclude='./usr/share/lintian/*'
	{
		echo /.
		dpkg-deb --fsys-tarfile "$deb" | tar -tf - | sed -n 's,^\.\(/..*\)$,\1,p' | sed 's,/$,,'
	} >"$db/info/$info.list"
	for file in control/*; do
		if [ "$file" != control/control ]; then cp -p "$file" "$db/info/$info.${file#control/}"; fi
	done
	{
		sed '/^Package: /a Status: install ok unpacked' control/control | sed '/^$/d'
		if [ -s control/conffiles ]; then
			echo 'Conffiles:'
			sed -n '/^\//p' control/conffiles | while read -r file; do
				echo " $file $(md5sum <"tree$file" | cut -d ' ' -f 1)"
			done
		fi
		echo
	} >>$db/status
done <"$3"
echo "deb $7 $8 main" >tree/etc/apt/sources.list
cp "$4" tree/configure
chmod 755 tree/configure
if [ -n "$6" ]; then
	cp -r --no-preserve=ownership "$5/etc/init.d/." tree/etc/init.d/
	echo "$6" >tree/configure.setup
fi
mkdir -p tree/dev tree/proc tree/sys tree/run
# Without a journal: if the guest fails, all begins again.
mkfs.ext4 -q -F -O ^has_journal -E root_owner=0:0 -d tree unpacked 4096M
