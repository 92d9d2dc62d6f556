# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=bash disable=SC2154 # own: of who reads this
# An apt of our own, for those who source this file: configuration, lists and status in the folder $own, the host's mirror
# (or MIRROR=ADDRESS), signed by the archive's keyring. Nothing of the host's apt is touched.
# The caller has set $own. Who sources this has `die STATUS ERROR HINT...` and `say WORDS`, too.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || keyring=${keyring%.gpg}.pgp
suites='bullseye bookworm bookworm-backports trixie trixie-backports sid experimental'

say() { echo "${0##*/}: $*" >&2; }
die() { # STATUS ERROR HINT...
    local status=$1
    echo "error: $2" >&2
    shift 2
    for line in "$@"; do echo "  $line" >&2; done
    exit "$status"
}

find_suite() { # VERSION of Debian: sets $suite
    case $1 in
    12) suite=bookworm ;;
    13) suite=trixie ;;
    *) die 2 "no Debian \`$1\` here" 'hint: 12, 13' ;;
    esac
}

host_mirror() { # by the origin that a signed Release file states, else by the name of the suite
    # shellcheck disable=SC2016 # apt's own variables
    local format='$(ORIGIN)/$(LABEL)|$(RELEASE)|$(COMPONENT)|$(REPO_URI)'
    env -u APT_CONFIG apt-get indextargets --format "$format" 'Identifier: Packages' | awk -F'|' -v suites=" $suites " '
        $4 ~ /^cdrom:/ || $3 != "main" { next }
        $1 == "Debian/Debian" { print $4; found = 1; exit }
        index(suites, " " $2 " ") && !other { other = $4 }
        END { if (!found && other) print other }'
}

find_mirror() { # sets $mirror
    command -v apt-get >/dev/null || die 4 'no apt on this system: what comes from Debian comes by apt' \
        'hint: build on Debian or Ubuntu, or against headers of your own: make -C HEADERS M=kernel/NAME'
    [ -e "$keyring" ] || die 4 'the keyring of the Debian archive is missing' 'hint: apt-get install debian-archive-keyring'
    mirror=${MIRROR:-$(host_mirror)}
    [ -n "$mirror" ] || die 4 "this system's apt knows no mirror of Debian" 'hint: name one: MIRROR=http://YOUR-MIRROR/debian make kernel'
}

sources() { # ARCHITECTURES SUITE...
    local architectures=$1
    shift
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nArchitectures: %s\nSigned-By: %s\n' \
        "$mirror" "$*" "$architectures" "$keyring"
}

prepare_apt() { # ARCHITECTURE: beside amd64, whose compilers and tools are used for all
    local architecture=$1 all=(amd64)
    [ "$architecture" = amd64 ] || all+=("$architecture")
    find_mirror
    mkdir -p "$own/apt/lists/partial" "$own/apt/archives/partial" "$own/apt/empty"
    : >"$own/apt/status"
    # shellcheck disable=SC2086 # suites are words
    sources "${all[*]}" $suites >"$own/apt/all.sources"
    {
        env -u APT_CONFIG apt-config dump | grep '^Acquire::' | grep -Ev '^Acquire::(IndexTargets|Languages|Allow)' || true
        cat <<CONF
Acquire::Languages "none";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
APT::Architecture "amd64";
APT::Architectures { $(printf '"%s"; ' "${all[@]}")};
APT::Sandbox::User "root";
APT::Get::List-Cleanup "false";
APT::Install-Recommends "false";
Dir::State "$own/apt";
Dir::State::lists "$own/apt/lists";
Dir::State::status "$own/apt/status";
Dir::Cache "$own/apt";
Dir::Cache::archives "$own/apt/archives";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$own/apt/empty";
Dir::Etc::sourcelist "$own/apt/all.sources";
Dir::Etc::sourceparts "$own/apt/empty";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$own/apt/empty";
CONF
    } >"$own/apt/apt.conf"
    export APT_CONFIG=$own/apt/apt.conf LC_ALL=C
    updated=$own/apt/updated-$architecture
    [ -n "$(find "$updated" -mmin -1440 2>/dev/null)" ] || update_lists
}

unpack() { # FOLDER ARCHIVE...
    local into=$1 archive
    shift
    mkdir -p "$into"
    # Up to Debian 12 packages have files in /bin, which is a link in the folder; dpkg-deb -x would replace it by a folder.
    for archive in "$@"; do dpkg-deb --fsys-tarfile "$archive" | tar -C "$into" -xpf - --keep-directory-symlink; done
}

make_enterable() { # FOLDER ARCHIVE...: what scripts/kernel-enter enters, with these packages in it
    local into=$1 name
    mkdir -p "$into"/{usr/bin,usr/sbin,usr/lib,usr/lib64,dev,proc,tmp,build}
    for name in bin sbin lib lib64; do ln -sfn "usr/$name" "$into/$name"; done
    unpack "$@"
    # As maintainer scripts would do.
    [ -e "$into/usr/bin/awk" ] || ln -s mawk "$into/usr/bin/awk"
    [ -e "$into/usr/bin/sh" ] || ln -s dash "$into/usr/bin/sh"
    : >"$into/dev/null"
    : >"$into/dev/urandom"
}

update_lists() {
    say "reading the package lists of $mirror"
    # A suite that the mirror lacks is not missed before something of it is asked for.
    apt-get -qq update >&2 || say 'some package lists could not be read; going on with those that are there'
    touch "$updated"
}
