#!/usr/bin/env bash
# The director process against real nodes: director-driver stands in for the core of the root, and for
# that of a standby. A tree forms, a collector is lost and comes back, a standby becomes root in place
# of one that is frozen, which orders nothing when it goes on; then all are base nodes again.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

driver=${DCAMP_BUILD:-$top/build}/tests/integration/director-driver
declare -A addresses inputs drivers

# start_director NAME: its output is in $work/NAME.out.
start_director() {
    local fd
    mkfifo "$work/$1.in"
    : >"$work/$1.out"
    "$driver" "$1" "$DCAMP_LAB_TREE" <"$work/$1.in" >"$work/$1.out" 2>"$work/$1.err" &
    drivers[$1]=$!
    jobs_started+=("$!")
    exec {fd}>"$work/$1.in"
    inputs[$1]=$fd
}

# tell NAME LINE
tell() {
    echo "$2" >&"${inputs[$1]}"
}

# said NAME PATTERN: a line of its output matches the whole of an extended regular expression.
said() {
    grep -qxE "$2" "$work/$1.out"
}

pid_of_director() {
    sed -n 's/^pid //p' "$work/$1.out"
}

# state ROOT NAME: the latest row.
state() {
    grep "^row $2 " "$work/$1.out" | tail -n 1 | cut -d ' ' -f 3
}

# up ROOT NUMBER: whether exactly so many are up.
up() {
    local name n=0
    for name in "${!addresses[@]}"; do
        [[ $(state "$1" "$name") != up ]] || ((++n))
    done
    ((n == $2))
}

# of NAME OBJECT...: scalars and cells of a node.
of() {
    local node=${addresses[$1]}
    get "${@:2}" 2>/dev/null | paste -sd ' '
}

# all OBJECT VALUE: whether all nodes have it.
all() {
    local name
    for name in "${!addresses[@]}"; do
        [[ $(of "$name" "$1") == "$2" ]] || return 1
    done
}

make_root "$work/root"
start_lab --tree --nodes 2 --collectors 2 --standbys 1 --no-promote --root "$work/root"
total=6
for i in $(seq $total); do
    address=DCAMP_LAB_BASE_$i name=DCAMP_LAB_NAME_BASE_$i
    addresses[${!name}]=${!address}
done

# -- It forms --------------------------------------------------------------------------------
start_director node1
tell node1 'document 1 1 node1'
eventually "all nodes are up" 15 up node1 $total
is "the root is that of the order" "$(of node1 dcampNodeRole.0 dcampNodeLevel.0)" "root 0"
is "a collector is below it" "$(of node3 dcampNodeRole.0 dcampNodeParent.0)" "collector node1"
is "shares are of the first serial" "$(of node5 dcampTreeSerial.0 dcampDocumentEpoch.share)" "1 1"
is "the standby has the tree document" "$(of node2 dcampDocumentState.tree dcampDocumentRoot.tree)" \
    "inForce node1"
is "others have none" "$(of node5 dcampDocumentState.tree)" none

# -- A collector is lost ---------------------------------------------------------------------
parent=$(of node5 dcampNodeParent.0)
control kill-dcampd --node "$parent" --signal KILL
eventually "what it collected from gets another parent" 5 eval '[[ $(of node5 dcampNodeParent.0) != "$parent" ]]'
eventually "it is known as lost" 3 eval '[[ $(state node1 "$parent") == lost ]]'
control start-dcampd --node "$parent"
eventually "it comes back" 10 up node1 $total

# -- The director begins anew ----------------------------------------------------------------
epoch=$(of node5 dcampDocumentEpoch.share)
tell node1 end
wait "${drivers[node1]}"
ok "the director ends when the core does" said node1 'exit 0'
rm "$work/node1.in"
start_director node1
tell node1 'document 1 1 node1'
eventually "another one finds all as it was" 10 up node1 $total
is "and orders nothing" "$(of node5 dcampDocumentEpoch.share)" "$epoch"

# -- The root is frozen ----------------------------------------------------------------------
start_director node2
tell node2 "document 1 $(of node2 dcampDocumentEpoch.tree) node1"
eventually "the standby follows" 5 said node2 'role standby 1 0 node1 .*'
kill -STOP "$(pid_of_director node1)"
control kill-dcampd --node node1 --signal KILL
eventually "the standby orders its own node to be root" 10 \
    eval '[[ $(of node2 dcampDocumentTerm.tree dcampDocumentRoot.tree) == "2 node2" ]]'
tell node2 'document 2 1 node2'
eventually "and has all others" 15 up node2 $((total - 1))
is "in its term" "$(of node5 dcampDocumentTerm.share dcampDocumentRoot.share dcampTreeSerial.0)" "2 node2 1"
control start-dcampd --node node1
eventually "the old one is a node of the tree" 15 up node2 $total
before=$(of node5 dcampSelfSetErrorTime.0)
kill -CONT "$(pid_of_director node1)"
eventually "the old root learns of the new one" 5 said node1 'role standby 2 [01] node2 .*'
sleep 1
is "and has ordered nothing" "$(of node5 dcampDocumentTerm.share dcampSelfSetErrorTime.0)" "2 $before"
ok "its director goes on" kill -0 "$(pid_of_director node1)"
tell node1 end

# -- The end ---------------------------------------------------------------------------------
tell node2 dissolve
eventually "the tree is dissolved" 10 said node2 'done'
ok "all are base nodes" all dcampNodeRole.0 base
ok "without a share" all dcampDocumentState.share none
is "and without a standby" "$(of node1 dcampDocumentState.tree)" none
tell node2 end
eventually "the directors end" 5 said node2 'exit 0'
finish
