#!/usr/bin/env bash
# A tree, from base nodes and one document to base nodes again, by the commands that people use: it
# forms, takes in a late node, gives a group another configuration, gives the children of a collector
# that is gone to another one without a gap, has a standby take over from a root that is gone, has the
# old root step down, and is dissolved.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

# role NAME ROLE
role() {
    [[ $(of "$1" dcampNodeRole.0) == "$2" ]]
}

# The nodes whose parent is $1, as they say themselves.
children_of() {
    local name
    for name in "${names[@]}"; do
        [[ $(of "$name" dcampNodeParent.0) != "$1" ]] || echo "$name"
    done | sort
}

has_sensor() {
    of "$1" "dcampSensorMetric.\"$2\"" >/dev/null
}

# told_role NAME MESSAGE: whether it was notified that a node has another role, by a message that
# matches.
told_role() {
    traps dcampRoleChanged "$1:node-role:" | grep -qE "DCAMP-MIB::dcampAlarmMessage\.[0-9]+ = $1 is $2(	|\$)"
}

all_told_base() {
    local name
    for name in "${names[@]}"; do
        told_role "$name" 'base, was (root|collector|metric): "node2" has ended the share in term [0-9]+, .*' || return 1
    done
}

# -- Base nodes ------------------------------------------------------------------------------
make_root "$work/root"
start_lab --tree --nodes 4 --collectors 2 --standbys 1 --late 1 --no-promote --root "$work/root"
total=8
# A standby takes over after so many heartbeats of half a second and one more. When all of the machine
# stands still it begins to listen anew, but a CPU of it may do so alone, for two seconds: what is no loss
# of the root to this test must not be one to the standby.
sed -i 's/ missed="3"/ missed="5"/' "$DCAMP_LAB_TREE"
find_nodes
late=$DCAMP_LAB_NAME_DOWN_1
is "all nodes but the late one are base nodes" "${#addresses[@]} $late $(of node1 dcampNodeRole.0)" \
    "$total node8 base"

# -- It forms --------------------------------------------------------------------------------
told "node1 is promoted" dcamp promote --config "$DCAMP_LAB_TREE" "$DCAMP_LAB_FIRST"
eventually "all nodes that are there are up" 20 up node1 7
lab_env
is "node1 is root, with two collectors" "$DCAMP_LAB_NAME_ROOT ${DCAMP_LAB_NAME_COLLECTOR_1:-} ${DCAMP_LAB_NAME_COLLECTOR_2:-}" \
    "node1 node3 node4"
is "and says so" "$(of node1 dcampTreeIsRoot.0) $(of node1 dcampTreeRootName.0) $(of node1 dcampTreeRootTerm.0)" \
    "true node1 1"
eventually "the new role of the root is told, and why" 10 \
    told_role node1 'root, was base: the tree document makes it the root, ordered by "node1" in term 1'
eventually "and that of its collectors" 10 \
    told_role node3 'collector, was (base|metric): .*, ordered by "node1" in term 1'
eventually "everybody is polled by its parent" 15 all_polled 6
told "dcamp tree shows it" dcamp tree --json "$DCAMP_LAB_FIRST"
is "with every node in a row" "$(grep -c '"name"' "$work/out") $(grep -c '"state": *"up"' "$work/out")" "$total 7"
is "and the standby knows its root" "$(of node2 dcampTreeIsRoot.0) $(of node2 dcampTreeRootName.0)" "false node1"

# -- A late node -----------------------------------------------------------------------------
control start-dcampd --node "$late"
eventually "a late node is taken in" 15 up node1 $total
eventually "and polled" 10 all_polled

# -- A group ---------------------------------------------------------------------------------
sed -i 's|^</tree>|  <groups><group name="odd"><sensors><sensor name="odd.load" metric="load.1" interval="1s"/></sensors></group></groups>\n</tree>|' \
    "$DCAMP_LAB_TREE"
is "nobody has the sensor of the group yet" "$(has_sensor node5 odd.load; echo $?)" 1
told "a group gets another configuration" dcamp config push --config "$DCAMP_LAB_TREE" "$DCAMP_LAB_FIRST"
eventually "the nodes of the group have it" 10 eval 'has_sensor node5 odd.load && has_sensor node7 odd.load'
is "and no others" "$(has_sensor node6 odd.load; echo $?) $(has_sensor node8 odd.load; echo $?)" "1 1"
eventually "all are up by it" 10 up node1 $total

# -- The director is gone --------------------------------------------------------------------
director() {
    pgrep -P "$DCAMP_LAB_PID_DCAMPD_ROOT" -f -- --director
}
old=$(director)
kill -KILL "$old"
eventually "a director that is killed is started again" 10 eval '[[ $(director) =~ ^[0-9]+$ && $(director) != "$old" ]]'
eventually "and has all nodes again" 10 up node1 $total
is "as root in the same term" "$(of node1 dcampTreeIsRoot.0) $(of node1 dcampTreeRootTerm.0)" "true 1"

# -- A collector is gone ---------------------------------------------------------------------
gone=node3
mapfile -t orphans < <(children_of $gone)
is "the collector has children" "$((${#orphans[@]} > 0))" 1
control kill-dcampd --node $gone --signal KILL
moved() {
    local name parent
    for name in "${orphans[@]}"; do
        parent=$(of "$name" dcampNodeParent.0) && [[ -n $parent && $parent != "$gone" ]] || return 1
    done
}
eventually "its children get another parent" 10 moved
orphans_polled() {
    local name
    for name in "${orphans[@]}"; do
        is_polled "$name" || return 1
    done
}
eventually "which polls them" 10 orphans_polled
lost=0
for name in "${orphans[@]}"; do
    lost=$((lost + $(of "$(of "$name" dcampNodeParent.0)" "dcampChildLostBlocks.\"$name\"")))
done
is "and has all of their blocks" "$lost" 0
eventually "the root knows who is gone" 10 eval 'states node1 | grep -q "^$gone lost"'
control start-dcampd --node $gone
eventually "it comes back" 15 up node1 $total

# -- The root is gone ------------------------------------------------------------------------
control kill-dcampd --node node1 --signal KILL
eventually "a standby takes over" 10 eval '[[ $(of node2 dcampTreeIsRoot.0) == true ]]'
eventually "in a higher term" 10 eval '[[ $(of node2 dcampTreeRootTerm.0) -gt 1 ]]'
eventually "and has all others" 20 up node2 $((total - 1))
lab_env
is "it has the role, too" "${DCAMP_LAB_NAME_ROOT:-}" node2
eventually "that it takes over is told, and from whom" 10 \
    told_role node2 'root, was (metric|collector): it takes over from "node1" in term [0-9]+: no candidate that is root has answered for .*'
ok "it can be read" grep -q '^it takes over from "node1" in term' <<<"$(of node2 dcampNodeRoleReason.0)"
started=$(traps dcampRoleChanged node1:node-role: | grep -c .)
eventually "everybody is polled again" 15 all_polled 6
control start-dcampd --node node1
eventually "the old root steps down" 15 eval '[[ $(of node1 dcampTreeIsRoot.0) == false && $(of node1 dcampTreeRootName.0) == node2 ]]'
eventually "and is a node of the tree" 15 up node2 $total
is "that has another role" "$(role node1 root; echo $?)" 1
eventually "which is told, with the higher term" 10 \
    told_role node1 '(metric|collector), was root: a higher term was seen: [0-9]+ of "node2", after its own term 1'
is "and nothing else of it" "$(traps dcampRoleChanged node1:node-role: | grep -c .)" $((started + 1))
ok "it is in the log" grep -qE 'info tree: role (metric|collector), was root: a higher term was seen' \
    "$lab_dir/node1/dcampd.log"

# -- The end ---------------------------------------------------------------------------------
told "the tree is stopped" dcamp stop "${addresses[node2]}"
eventually "all are base nodes again" 15 all_base
eventually "each of them tells so" 10 all_told_base
is "without a director" "$(of node2 dcampTreeIsRoot.0) $(states node2 | grep -c .)" "false 0"
finish
