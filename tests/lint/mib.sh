#!/usr/bin/env bash
# The MIB in the eyes of three parsers: libsmi at its strictest, Net-SNMP, and the net-snmp
# package of npm where node is there; and by rules that none of them knows. Each must have nothing
# to say.
set -euo pipefail
source_dir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
mib=${DCAMP_BUILD:-$source_dir/build}/generated/mibs/DCAMP-MIB.txt
base=$source_dir/mibs/base
status=0

nothing() { # NAME TEXT
    if [[ -n $2 ]]; then
        printf '%s:\n%s\n' "$1" "$2"
        status=1
    else
        echo "$1: ok"
    fi
}

if [[ -z $(type -P smilint) || -z $(type -P snmptranslate) ]]; then
    echo "smilint (package smitools) and snmptranslate (package snmp) are needed"
    exit 77
fi

nothing "smilint -l 6 -s" "$(SMIPATH=$base smilint -l 6 -s "$mib" 2>&1)"

# The day of the last change is known to git, unless it has only a part of the history; it is today
# while the change is not committed.
changed=()
if [[ $(git -C "$source_dir" rev-parse --is-shallow-repository 2>/dev/null) == false ]]; then
    changed=("$(TZ=UTC0 git -C "$source_dir" log -1 --format=%ad --date=format-local:%Y%m%d -- \
        mibs/DCAMP-MIB.txt)")
    git -C "$source_dir" diff --quiet HEAD -- mibs/DCAMP-MIB.txt || changed=("$(date -u +%Y%m%d)")
fi
nothing "rules" "$(python3 -B "$source_dir/tests/lint/mib-rules.py" "$mib" "${changed[@]}" 2>&1)"

# doc/mib-review.md is of this module, and not of one before it.
reviewed() {
    local review=$source_dir/doc/mib-review.md revision objects
    revision=$(sed -n 's/^ *LAST-UPDATED "\(.*\)"$/\1/p' "$mib")
    objects=$(grep -c 'MIN-ACCESS  read-only$' "$mib")
    grep -qF "as of REVISION $revision." "$review" || echo "doc/mib-review.md is not of REVISION $revision"
    grep -qF "that can be written, $objects of them," "$review" ||
        echo "doc/mib-review.md has not the number of objects that can be written, $objects"
}
nothing "review" "$(reviewed)"

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
cp "$base"/*.txt "$mib" "$modules"
# What its parser says of the macros of the base modules is a remark, not a warning.
nothing "snmptranslate" "$(env -u MIBS SNMPCONFPATH="$modules" SNMP_PERSISTENT_DIR="$modules" \
    snmptranslate -M "$modules" -m DCAMP-MIB -Pw DCAMP-MIB::dcampMIB 2>&1 >/dev/null |
    grep -v -e ' MACRO (lines .* parsed and ignored)' -e '^Created directory: ' || true)"

if [[ -n ${NODE_PATH:-} ]] && node -e 'require("net-snmp")' 2>/dev/null; then
    # It logs modules that are missing instead of failing, so that anything printed is a fault.
    nothing "npm net-snmp" "$(node "$source_dir/tests/lint/mib-load.js" "$base" "$mib" 2>&1)"
fi
exit $status
