# shellcheck shell=bash
# What tests of the page share: a directory that goes, and words for what is missing.
top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
work=$(mktemp -d /tmp/dcamp-web.XXXXXX)
export LC_ALL=C.UTF-8
# shellcheck source=../integration/assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

# need PACKAGE COMMAND: else the test is skipped.
need() {
    type -P "$2" >/dev/null || {
        echo "1..0 # SKIP $2 is missing (package $1)"
        exit 77
    }
}

# need_module PACKAGE MODULE: likewise one of Debian's Python.
need_module() {
    "$python" -c "import $2" 2>/dev/null || {
        echo "1..0 # SKIP Python's $2 is missing (package $1)"
        exit 77
    }
}
python=$(PATH=/usr/bin:$PATH type -P python3)
export build python work
