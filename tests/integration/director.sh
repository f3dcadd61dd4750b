#!/usr/bin/env bash
# What directors do where something is wrong: a root that is frozen orders nothing when it goes on, a
# node is found in a range, one that is another one's copy is left out, and without its secrets a root
# says so and goes on when they are there. How a tree forms, heals and ends is tree.sh's.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

# order NAME TERM EPOCH ROOT FILE: its tree document, in parts; no FILE: that there is none.
order() {
    python3 - "$2" "$3" "$4" "${5:-}" >"$work/parts" <<'PYTHON'
import hashlib, sys, zlib
term, epoch, root, path = sys.argv[1:]
octets = zlib.compress(open(path, 'rb').read(), 9) if path else b''
for at in range(0, max(len(octets), 1), 1000):
    words = ['Term.tree u', term, 'Epoch.tree u', epoch, 'Root.tree s', root, 'Digest.tree x',
             hashlib.sha256(octets).hexdigest() if octets else '""', 'Length.tree u', str(len(octets))]
    if octets:
        words += ['Offset.tree u', str(at), 'Part.tree x', octets[at:at + 1000].hex()]
    print(' '.join('dcampDocument' + word if '.' in word else word for word in words))
PYTHON
    local node=${addresses[$1]} words
    while read -r -a words; do
        set_ "${words[@]//\"\"/}" >/dev/null || return 1
    done <"$work/parts"
}

# state NAME: as the director of node1 has it.
state() {
    of node1 "dcampTreeState.\"$1\""
}

# are_up NAME...: whether all of them are.
are_up() {
    local name
    for name; do
        [[ $(state "$name") == up ]] || return 1
    done
}

# signal_node1 SIGNAL: to its daemon, and to the processes of that.
signal_node1() {
    local pid
    read -r pid _ <"$lab_dir/pid/dcampd-1"
    kill "-$1" "$pid"
    pgrep -P "$pid" | xargs -r kill "-$1"
}

# show NAME [OPTION]...: its tree document, as the command has it, in $work/out; prints the exit status.
show() {
    local login code=0
    read -r -a login <<<"$DCAMP_LAB_LOGIN"
    "$dcamp_" config show --json "${@:2}" "${login[@]}" "${addresses[$1]}" \
        >"$work/out" 2>"$work/said" || code=$?
    echo "$code"
}

# shown MEMBER...: what it printed, of one object.
shown() {
    python3 -c 'import json, sys
row = json.load(open(sys.argv[1]))
print(*[row[name] for name in sys.argv[2:]])' "$work/out" "$@"
}

make_root "$work/root"
start_lab --tree --nodes 2 --standbys 1 --no-promote --root "$work/root"
find_nodes

# -- A tree with faults ----------------------------------------------------------------------
# node4 is not in the list, but in a range; a name of the list is that of a node that is not there.
document=$work/tree.xml
port=${addresses[node4]##*:}
# A machine that stands still for two seconds makes no other root.
sed -e 's/ missed="3"/ missed="5"/' -e '/<node name="node4"/d' -e "s|^  </nodes>|    <node name=\"nobody\" address=\"udp:127.0.0.1:1\"/>\n\
    <range network=\"127.0.0.1/32\" port=\"$port\" group=\"found\"/>\n  </nodes>|" \
    "$DCAMP_LAB_TREE" >"$document"
mv "$lab_dir/site.secret" "$work/site.secret"
ok "node1 is ordered to be root" order node1 1 1 node1 "$document"
eventually "without its secrets it cannot ask anybody" 5 \
    eval '[[ $(of node1 "dcampTreeError.\"node2\"") == *secrets* && $(state node2) == unreachable ]]'
eventually "and says so in the log" 5 grep -q 'tree: the secrets of the tree: .*site.secret' "$lab_dir/node1/dcampd.log"
mv "$work/site.secret" "$lab_dir/site.secret"
eventually "with them, all that are there are up" 20 are_up node1 node2 node3 node4
is "one of them was found" "$(of node1 'dcampTreeGroup."node4"') $(of node4 dcampNodeGroup.0)" "found found"
eventually "who is not there is known" 10 eval '[[ $(state nobody) == unreachable ]]'
eventually "with the reason" 5 eval '[[ -n $(of node1 "dcampTreeError.\"nobody\"") ]]'

# -- By which document -----------------------------------------------------------------------
is "the root works by the file" "$(show node1 --config "$document")" 0
is "and holds it" "$(shown node root term epoch held same)" "node1 node1 1 1 True True"
digest=$(shown digest)
is "whose digest is that of the order" "$digest" \
    "$(of node1 dcampDocumentDigest.tree | tr -d ' ":' | sed 's/^0x//' | tr A-F a-f)"
is "another file is another one" "$(show node1 --config "$DCAMP_LAB_TREE") $(shown same digest)" "1 False $digest"
is "a node with a share of it works by it" "$(show node3 --config "$document")" 0
is "and does not hold it" "$(shown node root held same digest)" "node3 node1 False True $digest"
is "without a file nothing is compared" "$(show node1) $(shown same)" "0 None"
is "a file that is not there" "$(show node1 --config "$work/none")" 2
ok "is named" grep -q "$work/none: No such file" "$work/said"

# -- The root is frozen ----------------------------------------------------------------------
signal_node1 STOP
eventually "a standby takes over" 15 eval '[[ $(of node2 dcampTreeIsRoot.0) == true ]]'
eventually "and orders the others" 15 eval '[[ $(of node3 dcampDocumentRoot.share) == node2 ]]'
term=$(of node3 dcampDocumentTerm.share)
refused() {
    of node3 dcampSelfSetErrorTime.0 || echo never
}
before=$(refused)
ok "in a higher term" test "$term" -gt 1
signal_node1 CONT
eventually "the old root steps down" 15 eval '[[ $(of node1 dcampTreeIsRoot.0 dcampTreeRootName.0) == "false node2" ]]'
sleep 1
is "and has ordered nothing" "$(of node3 dcampDocumentTerm.share) $(refused)" "$term $before"

# -- The end ---------------------------------------------------------------------------------
ok "the tree ends" order node2 "$term" 99 node2
eventually "all are base nodes again" 15 all_base
eventually "without a director" 5 eval '[[ $(of node1 dcampDocumentState.tree) == none ]]'
is "config show says that there is no tree" "$(show node3) $(grep -c 'node3 is in no tree' "$work/said")" "2 1"
finish
