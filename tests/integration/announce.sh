#!/usr/bin/env bash
# Nodes that no document names announce themselves: one is found, gets work, and stays when the
# director is gone, when the root is gone, and when that comes back; one with other keys is refused, and
# so is one that is in no network that may; a port that is taken is said, and heard at when it is free.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

# said NODE TEXT: in the log of its daemon.
said() {
    grep -qF -- "$2" "$lab_dir/$1/dcampd.log"
}

announced() {
    traps_of "$1" | grep -c . || true
}

# The announcements of a node, which the receiver of all notifications gets, too.
traps_of() {
    grep -F "SNMPv2-MIB::snmpTrapOID.0 = DCAMP-MIB::dcampNodeAnnounced" "$DCAMP_LAB_TRAPLOG" |
        grep -F "DCAMP-MIB::dcampNodeName.0 = $1"$'\t' || true
}

push_document() {
    dcamp config push --config "$DCAMP_LAB_TREE" "${addresses[$1]}"
}

# -- Base nodes ------------------------------------------------------------------------------
make_root "$work/root"
start_lab --tree --announce --nodes 4 --standbys 1 --late 2 --no-promote --root "$work/root"
# A standby takes over after so many heartbeats of half a second and one more: not for one pause.
sed -i 's/ missed="3"/ missed="5"/' "$DCAMP_LAB_TREE"
for i in 1 2 3 4; do
    address=DCAMP_LAB_BASE_$i name=DCAMP_LAB_NAME_BASE_$i
    addresses[${!name}]=${!address}
done
for i in 1 2; do
    address=DCAMP_LAB_DOWN_$i name=DCAMP_LAB_NAME_DOWN_$i
    addresses[${!name}]=${!address}
done
is "two nodes are in the lab, but not in the document" \
    "${#addresses[@]} $(grep -c '<node ' "$DCAMP_LAB_TREE") $(grep -c 'node[56]"' "$DCAMP_LAB_TREE")" "6 4 0"
ok "the document is right" env DCAMP_SCHEMA_DIR="$top/conf" "${dcamp_}d" --check-tree "$DCAMP_LAB_TREE"

# -- The port is taken -----------------------------------------------------------------------
port=${DCAMP_LAB_ANNOUNCE##*:}
python3 -c 'import socket, sys, time
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.bind(("127.0.0.1", int(sys.argv[1])))
print("bound", flush=True)
time.sleep(3600)' "$port" >"$work/bound" 2>&1 &
holder=$!
jobs_started+=("$holder")
eventually "somebody has the port" 10 grep -q bound "$work/bound"
dcamp promote --config "$DCAMP_LAB_TREE" "$DCAMP_LAB_FIRST"
eventually "the tree forms all the same" 30 up node1 4
eventually "the log says why nobody is heard" 10 \
    said node1 "$DCAMP_LAB_ANNOUNCE: nodes that announce themselves cannot be heard there: Address already in use"
sleep 6 # it is tried again by then
is "and says it once" "$(grep -c 'cannot be heard there' "$lab_dir/node1/dcampd.log")" 1
# Of two candidates on one machine, one gets it: here the root.
control kill-dcampd --node node2
kill "$holder"
eventually "when it is free, nodes may announce themselves" 20 \
    said node1 "$DCAMP_LAB_ANNOUNCE: nodes may announce themselves there"
control start-dcampd --node node2
eventually "all others are there" 30 up node1 4

# -- It announces itself ---------------------------------------------------------------------
is "it does not yet" "$(announced node5)" 0
control start-dcampd --node node5
is "a node without work" "$(of node5 dcampNodeRole.0)" base
eventually "is in the tree" 40 up node1 5
eventually "and is polled" 20 is_polled node5
ok "it has announced itself" test "$(announced node5)" -ge 1
is "by its own port" "$(of node5 dcampNodeAnnouncePort.0)" "${addresses[node5]##*:}"
ok "and counts that" test "$(of node5 dcampNodeAnnouncements.0)" -ge 1
ok "the log of the root has it" said node1 "\"node5\" has announced itself and was found at ${addresses[node5]}"
is "dcampTreeTable says how it was found" \
    "$(of node1 'dcampTreeFound."node5"') $(of node1 'dcampTreeFound."node3"')" "announced listed"
dcamp tree --json "$DCAMP_LAB_FIRST"
is "and so does dcamp tree" "$(grep -o '"found": *"announced"' "$work/out" | grep -c .)" 1
watch_machine
count=$(announced node5)
sleep 10 # twice as long as it waits before the first
more=$(($(announced node5) - count)) still=$(stood_still)
ok "while the root looks at it, it is silent" test "$more" -eq 0 -o "$still" -gt 2000

# -- Other keys ------------------------------------------------------------------------------
# Its users have other passphrases than those of the site: in what snmpd reads, and what it has kept.
sed -i -E 's/^(createUser dcamp(Poll|Admin) SHA-256 )"[^"]*" AES "[^"]*"/\1"not this one" AES "nor this one"/' \
    "$lab_dir/node6/snmpd.conf"
sed -i '/^usmUser /d' "$lab_dir/node6/persist/snmpd.conf"
is "a node has other keys" "$(grep -c '"not this one" AES "nor this one"' "$lab_dir/node6/snmpd.conf")" 2
control restart-snmpd --node node6 --signal KILL
control start-dcampd --node node6
eventually "it announces itself" 40 eval '[[ $(announced node6) -ge 1 ]]'
eventually "and is refused" 40 \
    said node1 "an announcement from 127.0.0.1 is dropped: it is not authentic, or not encrypted by the user that polls"
is "it has no work" "$(of node6 dcampNodeRole.0) $(states node1 | grep -c node6)" "base 0"
# Of all that it drops, a root says one a minute: the next one is to be of another node, to another root.
control kill-dcampd --node node6

# -- The director is gone --------------------------------------------------------------------
lab_env
director() {
    pgrep -P "$DCAMP_LAB_PID_DCAMPD_ROOT" -f -- --director
}
old=$(director)
kill -KILL "$old"
eventually "a director that is killed is started again" 20 \
    eval '[[ $(director) =~ ^[0-9]+$ && $(director) != "$old" ]]'
eventually "and has all nodes again" 40 up node1 5
ok "it was told of the one, or heard it" test "$(of node1 'dcampTreeFound."node5"')" = announced

# -- The root is gone ------------------------------------------------------------------------
control kill-dcampd --node node1 --signal KILL
eventually "a standby takes over" 30 eval '[[ $(of node2 dcampTreeIsRoot.0) == true ]]'
eventually "and has the node that announced itself" 60 up node2 4
is "as such" "$(of node2 'dcampTreeFound."node5"')" announced
eventually "which is polled" 20 is_polled node5
control start-dcampd --node node1
eventually "the old root is a node" 30 up node2 5

# -- Another network -------------------------------------------------------------------------
sed -i 's| networks="127.0.0.0/8"| networks="192.0.2.0/24"|' "$DCAMP_LAB_TREE"
push_document node2
eventually "one that is in no network that may any more" 60 up node2 4
is "is a node of the tree no longer" "$(states node2 | grep -c node5)" 0
eventually "it has no work" 20 eval '[[ $(of node5 dcampNodeRole.0) == base ]]'
eventually "and is not heard any more" 90 \
    said node2 'an announcement from 127.0.0.1 is dropped: it is in none of the networks that <announcements> has'
is "all the while there was one root" "$(of node2 dcampTreeIsRoot.0) $(of node1 dcampTreeIsRoot.0)" "true false"
finish
