# shellcheck shell=bash
# What tests of trees share, beside common.sh: nodes by their names, and what they say. A test sources
# this file, starts its lab and calls find_nodes.
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp

# The addresses of nodes do not change; their roles do.
declare -A addresses=()
names=()

# More options for those who ask as of does, as -t 1.
of_options=()

# find_nodes: all nodes of the lab's tree document, in its order.
find_nodes() {
    local name address
    addresses=() names=()
    while read -r name address; do
        addresses[$name]=$address
        names+=("$name")
    done < <(sed -n 's/.*<node name="\([^"]*\)" address="\([^"]*\)".*/\1 \2/p' "$DCAMP_LAB_TREE")
}

# of NAME OBJECT...: values of a node in one line; fails where one is not there.
of() {
    local node=${addresses[$1]} values snmp=("${snmp[@]}" "${of_options[@]}")
    values=$(get "${@:2}" 2>/dev/null) && [[ $values != *"No Such"* ]] && paste -sd ' ' <<<"$values"
}

# states NAME: "NODE STATE" of each row of the tree, as the director of a node tells.
states() {
    local node=${addresses[$1]}
    walk dcampTreeState 2>/dev/null | sed -n 's/^[^"]*"\([^"]*\)"/\1/p'
}

# up ROOT NUMBER: whether exactly so many nodes are up.
up() {
    [[ $(states "$1" | grep -c ' up$') -eq $2 ]]
}

roots() {
    local name
    for name in "${names[@]}"; do
        [[ $(of "$name" dcampTreeIsRoot.0) != true ]] || echo "$name"
    done
}

# one_root: and root is its name.
one_root() {
    root=$(roots) && [[ $(wc -w <<<"$root") -eq 1 ]]
}

# is_polled NAME: by a parent, which has heard from it.
is_polled() {
    local parent
    parent=$(of "$1" dcampNodeParent.0) && [[ -n $parent ]] &&
        [[ $(of "$parent" "dcampChildState.\"$1\"") == up ]]
}

# all_polled [NUMBER]: exactly so many nodes are; all but the root, where nothing is said.
all_polled() {
    local name polled=0
    for name in "${names[@]}"; do
        ! is_polled "$name" || polled=$((polled + 1))
    done
    [[ $polled -eq ${1:-$((${#names[@]} - 1))} ]]
}

# daemon_pid WHAT NUMBER: of a process that the lab has started; fails if it does not run.
daemon_pid() {
    local pid start stat
    read -r pid start 2>/dev/null <"$lab_dir/pid/$1-$2" || return 1
    read -r -a stat 2>/dev/null <"/proc/$pid/stat" || return 1
    [[ ${stat[21]} == "$start" && ${stat[2]} != Z ]] && echo "$pid"
}

all_base() {
    local name
    for name in "${names[@]}"; do
        [[ $(of "$name" dcampNodeRole.0) == base ]] || return 1
    done
}

# dcamp SUBCOMMAND... ADDRESS: as the lab's administrator; the output, and what is said.
dcamp() {
    local login
    read -r -a login <<<"$DCAMP_LAB_LOGIN"
    "$dcamp_" "${@:1:$#-1}" "${login[@]}" "${*: -1}" >"$work/out" 2>"$work/said"
}

# exits STATUS PATTERN COMMAND...: how a command ends that writes what dcamp does, and a line of it.
exits() {
    local status=0
    "${@:3}" || status=$?
    echo "status $status"
    cat "$work/out" "$work/said"
    [[ $status -eq $1 ]] && grep -qE -- "$2" "$work/out" "$work/said"
}

# told DESCRIPTION COMMAND...: that it succeeds, or what it said.
told() {
    local description=$1 status=0
    shift
    "$@" || status=$?
    report "$status" "$description" "status $status"$'\n'"$(cat "$work/said" "$work/out")"
}
