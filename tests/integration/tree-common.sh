# shellcheck shell=bash
# What tests of a tree share, besides common.sh: the command as its administrator, and nodes by their
# names.

work=${work:-}
dcamp_=${DCAMP_BUILD:-$top/build}/dcamp

# dcamp SUBCOMMAND... ADDRESS: as the lab's administrator; the output, and what is said.
dcamp() {
    local login
    read -r -a login <<<"$DCAMP_LAB_LOGIN"
    "$dcamp_" "${@:1:$#-1}" "${login[@]}" "${*: -1}" >"$work/out" 2>"$work/said"
}

# told DESCRIPTION COMMAND...: that it succeeds, or what it said.
told() {
    local description=$1 status=0
    shift
    "$@" || status=$?
    report "$status" "$description" "status $status"$'\n'"$(cat "$work/said" "$work/out")"
}

# The addresses of nodes do not change; their roles do.
declare -A addresses

# of NAME OBJECT: a value of a node; fails where there is none.
of() {
    local node=${addresses[$1]} value
    value=$(get "$2" 2>/dev/null) && [[ $value != "No Such"* ]] && echo "$value"
}

# states NAME: "NODE STATE" of each row of the tree, as the director of a node tells.
states() {
    # shellcheck disable=SC2034 # walk asks it
    local node=${addresses[$1]}
    walk dcampTreeState 2>/dev/null | sed -n 's/^[^"]*"\([^"]*\)"/\1/p'
}

# up ROOT NUMBER: whether exactly so many nodes are up.
up() {
    [[ $(states "$1" | grep -c ' up$') -eq $2 ]]
}

# polls PARENT CHILD: whether it has heard from it.
polls() {
    [[ $(of "$1" "dcampChildState.\"$2\"") == up ]]
}
