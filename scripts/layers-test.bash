# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # failed, tools: of who sources this; root: set there
# For tests that have the real tools parse a Yocto layer (BitBake's parser, oelint) and a Buildroot tree (Kconfig, make), as far as
# that is possible without their trees: OpenEmbedded's classes and Buildroot's infrastructure are replaced by stubs.
# Who sources this has set $root, this repository.
#   layers_begin [FOLDER]       sets $work, which is removed at the end, and $tools: the tools, which pip installs and which FOLDER keeps
#   check WORDS COMMAND...      sets $failed
#   stub_class NAME [<TEXT]     an OpenEmbedded class, by default an empty one, in $work/bb/classes
#   tool_python FILE WORDS...   runs FILE with BitBake, Kconfiglib and scripts/bitbake_recipe.py
#   lint_recipe FILE [WORDS]    oelint
#   make_package FOLDER FILE <TEXT   in FOLDER a Makefile that takes the steps of a package, see there
failed=0

layers_begin() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    tools=${1:-$work/tools}
    if [ ! -x "$tools/bin/oelint-adv" ]; then
        { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet bitbake-setup==2.19.0 oelint-adv==9.11.2 kconfiglib==14.1.0; } ||
            { echo 'error: pip could not install BitBake, oelint and Kconfiglib' >&2 && exit 4; }
    fi
    mkdir -p "$work/bb/classes" "$work/bb/conf"
    : | stub_class base
    # Of BitBake's server, which the package of its set-up tool leaves out, and which no parser calls.
    mkdir "$work/hashserv"
    : >"$work/hashserv/__init__.py"
    : >"$work/hashserv/client.py"
}

check() { # WORDS COMMAND...
    local words=$1
    shift
    if "$@" >"$work/log" 2>&1; then echo "ok   $words"; else
        echo "FAIL $words"
        sed 's/^/     | /' "$work/log"
        failed=1
    fi
}

stub_class() { cat >"$work/bb/classes/$1.bbclass"; }
tool_python() { PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/scripts:$work "$tools/bin/python" "$@"; }

lint_recipe() { # FILE [WORDS]
    local recipe=$1
    shift
    # The project has no home page yet.
    "$tools/bin/oelint-adv" --quiet --hide info --suppress oelint.var.mandatoryvar.HOMEPAGE "$@" "$recipe"
}

# make_package FOLDER FILE: in FOLDER a Makefile that takes the steps of the package of FILE, which is Buildroot's NAME.mk, in their
# order. As in Buildroot, the target is a file in the folder of the source ($SOURCE), so that $(@D) is that folder. What standard input
# says comes before the package; NAME_ in it is replaced by the package's prefix.
make_package() {
    local name
    name=$(basename "$2" .mk | tr 'a-z-' 'A-Z_')
    mkdir -p "$1"
    sed '/generic-package/d' "$2" >"$1/package.mk"
    {
        # shellcheck disable=SC2016 # make's own
        printf '%s\n' 'ifneq ($(MAKELEVEL),0)' '$(error called by itself)' 'endif' \
            'qstrip = $(strip $(subst ",,$(1)))' 'INSTALL = install' 'all: $(SOURCE)/.stamp' \
            'define sep' '' '' endef
        cat
        cat <<'MAKE'
include package.mk
$(SOURCE)/.stamp:
	$(NAME_BUILD_CMDS)
	$(foreach hook,$(NAME_POST_BUILD_HOOKS),$($(hook))$(sep))
	$(NAME_INSTALL_TARGET_CMDS)
	$(NAME_INSTALL_INIT_SYSTEMD)
	$(foreach hook,$(NAME_POST_INSTALL_TARGET_HOOKS),$($(hook))$(sep))
MAKE
    } | sed "s/NAME_/${name}_/g" >"$1/Makefile"
}
