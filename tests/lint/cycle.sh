#!/usr/bin/env bash
# What subagent/daemon/cycle.ld places is there: each name is that of a function, and where the linker
# placed them, dcampd begins its cycle with the first.
set -euo pipefail
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=${DCAMP_BUILD:-$top/build}
fail() {
    echo "cycle: $*"
    exit 1
}

names=$(sed -n 's/^ *\*(\.text\.\([a-z0-9_]*\) .*/\1/p' "$top/subagent/daemon/cycle.ld")
[[ $(wc -w <<<"$names") -gt 50 ]] || fail "cycle.ld names few functions"
for name in $names; do
    grep -rqE "^[a-z].*\b$name\(" "$top/subagent" --include='*.[ch]' ||
        fail "cycle.ld: subagent/ has no function $name: run tools/cycle-functions"
done

at() {
    nm "$build/dcampd" | awk -v name="$1" '$3 == name { print $1 }'
}
[[ -z $(at dcamp_cycle_text) || $(at dcamp_cycle_text) == "$(at dcampd_cycle)" ]] ||
    fail "dcampd_cycle is not where dcampd asks memory for it"
