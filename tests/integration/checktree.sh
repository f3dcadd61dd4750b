#!/usr/bin/env bash
# dcampd --check-tree: documents of a tree that are right, wrong, or not there. No daemon runs.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

dcampd=${DCAMP_BUILD:-$top/build}/dcampd

# check STATUS ARGUMENT...: what it prints and says in files, and whether it exits with that.
check() {
    local expected=$1
    shift
    code=0
    "$dcampd" "$@" >"$work/out" 2>"$work/said" </dev/null || code=$?
    is "$* exits with $expected" "$code" "$expected"
}

# wrong DESCRIPTION LINE PATTERN SED: the shipped document, spoiled by a sed script.
wrong() {
    sed -E "$4" "$top/conf/tree.xml" >"$work/tree.xml"
    check 1 --check-tree "$work/tree.xml"
    is "$1: nothing on standard output" "$(<"$work/out")" ""
    is "$1: one line" "$(wc -l <"$work/said")" 1
    ok "$1: with its place" grep -Eq "^$work/tree.xml:$2: $3" "$work/said"
}

line_of() {
    grep -n -m 1 -F "$1" "$top/conf/tree.xml" | cut -d : -f 1
}

check 0 --check-tree "$top/conf/tree.xml"
is "it says what there is" "$(<"$work/out")" "$top/conf/tree.xml: ok: nodes 5, ranges 1, groups 2"
is "and complains of nothing" "$(<"$work/said")" ""

wrong "a network with too many addresses" "$(line_of '<range ')" \
    'range: network="198.0.0.0/8" has more than 65536 addresses' 's|198.51.100.0/24|198.0.0.0/8|'
wrong "a candidate that is no node" "$(line_of '<candidate node="collector2"')" \
    'candidate: node="colector2" is not a node of this file; did you mean "collector2"[?]' \
    's|<candidate node="collector2"|<candidate node="colector2"|'
wrong "a group that does not go with the common rows" "$(line_of '<sensor name="disk.busy"')" \
    'in group "db", sensor "disk.busy": filter="defualt" is not a filter' \
    '/name="disk.busy"/s/filter="default"/filter="defualt"/'

check 1 --check-tree "$top/conf/dcamp.xml"
ok "the configuration of a node is none" \
    grep -q 'the root element is dcamp; it must be <tree version="1">' "$work/said"

check 1 --check-tree "$work/nothing.xml"
is "no file" "$(<"$work/said")" "$work/nothing.xml: cannot be read: No such file or directory"
check 2 --check-tree
check 0 --help
ok "--help tells of it" grep -q -e '--check-tree FILE' "$work/out"

finish
