# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=bash disable=SC2154 # set by who sources this
# Building a small kernel from Debian's source, for those who source this file. They have set:
#   here   the checkout
#   tree   the folder of scripts/kernel-source, which contains the source and the compilers
#   build  the folder that is /build in it; the kernel is built in its `kernel`
#   words  what each make is told, such as the architecture
#   label  what is being built, in messages

kernel_make() { # WORDS...: silent unless it fails
    "$here/scripts/kernel-enter" "$tree" "$build" make "-j$(nproc)" "${words[@]}" "$@" >"$build/make.log" 2>&1 && return
    tail -n 40 "$build/make.log" >&2
    echo "error: make $* failed for $label" >&2
    echo "  hint: see the whole log: $build/make.log" >&2
    exit 4
}

# What the README of a module of kernel/ says about building it in a kernel tree: the folder that it goes to, and its option.
module_place() { # NAME: sets parent and option
    case $1 in
    nbcon_8250) parent=drivers/tty/serial/8250 option=CONFIG_SERIAL_8250_NBCON ;;
    console_relay) parent=drivers/tty/serial option=CONFIG_SERIAL_CONSOLE_RELAY ;;
    *) return 1 ;;
    esac
}

add_line() { # FILE LINE: unless it is there. The file may be a link to another tree's, which stays as it is
    grep -qxF "$2" "$1" && return
    { cat "$1" && echo "$2"; } >"$1.new"
    mv "$1.new" "$1"
}

put_module_into() { # NAME SOURCE: does what its README says
    local folder parent option
    module_place "$1"
    folder=$2/$parent
    rm -rf "${folder:?}/$1"
    cp -r "$here/kernel/$1" "$folder/$1"
    add_line "$folder/Kconfig" "source \"$parent/$1/Kconfig\""
    add_line "$folder/Makefile" "obj-y += $1/"
}

kernel_configure() { # SOURCE, as seen in the folder; the options on standard input, on top of allnoconfig
    local line missing=
    mkdir -p "$build/kernel"
    cat >"$build/wanted.config"
    sed 's/^#? //' "$build/wanted.config" >"$build/all.config"
    kernel_make -C "$1" O=/build/kernel KCONFIG_ALLCONFIG=/build/all.config allnoconfig
    # Kconfig silently drops options with unmet dependencies. One after `#?` is unknown to some series.
    while read -r line; do
        grep -qxF "$line" "$build/kernel/.config" || missing+=" $line"
    done < <(grep '^CONFIG_' "$build/wanted.config")
    [ -z "$missing" ] || { echo "error: the configuration of $label drops$missing" >&2; exit 4; }
}
