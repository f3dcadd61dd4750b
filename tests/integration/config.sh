#!/usr/bin/env bash
# config.sh: the tree document comes back as it was pushed. It is shown, compared with files, pushed,
# and the one before is ordered again: by a root, by one that was killed and started again, and by
# the standby that has taken over. Who only polls sees nothing of it.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

user=dcampAdmin

# config SUBCOMMAND [OPTION...] NAME: of a node, as $user; $code, $work/out, $work/said.
config() {
    local DCAMP_LAB_LOGIN=${DCAMP_LAB_LOGIN/dcampAdmin/$user}
    code=0
    dcamp config "${@:1:$#-1}" "${addresses[${*: -1}]}" || code=$?
}

# ends STATUS DESCRIPTION ARGUMENT...: of config; what it says is shown where it has another status.
ends() {
    local expected=$1 description=$2
    shift 2
    config "$@"
    report $((code != expected)) "$description" "status $code, expected $expected"$'\n'"$(cat "$work/said" "$work/out")"
}

# digest_of NAME OBJECT
digest_of() {
    of "$1" "$2" | tr -d ' :"\n' | tr A-F a-f
}

# digest FILE: as a node knows it.
digest() {
    python3 -c 'import hashlib, sys, zlib
print(hashlib.sha256(zlib.compress(open(sys.argv[1], "rb").read(), 9)).hexdigest())' "$1"
}

# whole NUMBER: there is one root, and exactly so many nodes are up to it.
whole() {
    one_root && up "$root" "$1"
}

# works_by FILE NAME: whether a node works by a file, and gives it back.
works_by() {
    config show --text "$2"
    [[ $code -eq 0 ]] && cmp "$work/out" "$1" && [[ ! -s $work/said ]]
}

# summary: the line of a push or a rollback that says what all nodes work by, without its numbers of
# order.
summary() {
    sed -nE 's/^(node[0-9]) is root in term [0-9]+; /\1: /p' "$work/out"
}

make_root "$work/root"
start_lab --tree --nodes 2 --standbys 1 --no-promote --root "$work/root"
find_nodes

# A machine that stands still for a while makes no other root. The first document has no end of the
# last line, and what must come through; the second one is of many parts.
sed 's/ missed="3"/ missed="10"/; s|^  <nodes>|  <!-- \xe2\x82\xac \&amp; ]] > "quoted" -->\n&|' "$DCAMP_LAB_TREE" |
    head -c -1 >"$work/one.xml"
{
    sed 's/ period="1s"/ period="2s"/' "$work/one.xml"
    echo
    echo "<!-- $(head -c 9000 /dev/urandom | base64 -w 0) -->"
} >"$work/two.xml"

# -- In no tree ------------------------------------------------------------------------------
ends 2 "a base node has no document" show --text node1
ok "and says why" grep -q '^dcamp: node1 is in no tree$' "$work/said"
ends 2 "nor has it one to be compared with" diff --config "$work/one.xml" node1
ends 2 "nor one of before" rollback node1

# -- The first document ----------------------------------------------------------------------
told "node1 is promoted" dcamp promote --config "$work/one.xml" "$DCAMP_LAB_FIRST"
eventually "all nodes are up" 30 whole 4
ends 0 "the root gives its document back" show --text node1
ok "as it was pushed" cmp "$work/out" "$work/one.xml"
is "its digest is that of the file" "$(digest_of node1 dcampKeptDigest.inForce.1)" "$(digest "$work/one.xml")"
is "which config show shows" "$(config show --json node1 && grep -c "\"digest\":\"$(digest "$work/one.xml")\"" "$work/out")" 1
eventually "the standby has it, too" 15 works_by "$work/one.xml" node2
ends 2 "a node with a share of it has not" show --text node3
ok "and says who has" grep -q '^dcamp: node3 has only its share of the document; the root of its tree, node1, has it$' "$work/said"
ends 0 "it goes to a file" show --text --output "$work/shown.xml" node1
ok "which is the same" cmp "$work/shown.xml" "$work/one.xml"
is "and nothing else is printed" "$(cat "$work/out")" ""
ends 2 "there is none of before" rollback node1
is "which is said once" "$(cat "$work/said")" "dcamp: node1 has no previous document: it knows of none but the one in force"
ends 2 "nor is there at the standby, which is no root" rollback node2

# -- Another one -----------------------------------------------------------------------------
ends 0 "the file is the document" diff --config "$work/one.xml" node1
is "there are no differences" "$(cat "$work/out" "$work/said")" ""
ends 1 "the other file is another one" diff --config "$work/two.xml" node1
ok "with the names of patch(1)" eval '[[ $(head -n 2 "$work/out") == "--- a/two.xml"$'\''\n'\''"+++ b/two.xml" ]]'
ok "the line that differs stands there, before and after" \
    eval 'grep -q "^-  <rules.* period=\"1s\"" "$work/out" && grep -q "^+  <rules.* period=\"2s\"" "$work/out"'
ok "diff(1) says the same" cmp <(diff -u "$work/one.xml" "$work/two.xml" | tail -n +3) <(tail -n +3 "$work/out")
ends 2 "a file that is not there" diff --config "$work/none.xml" node1
ends 2 "of a node with a share, nothing is compared" diff --config "$work/one.xml" node3
ends 0 "it is pushed" push --config "$work/two.xml" node1
is "by all nodes" "$(summary)" "node1: 4 of 4 nodes work by the document, serial 2"
ok "the root gives it back, in many parts" works_by "$work/two.xml" node1
ok "which are many" test "$(of node1 dcampKeptLength.inForce.1)" -gt 5000
eventually "and so does the standby" 15 works_by "$work/two.xml" node2
ends 0 "there is no difference any more" diff --config "$work/two.xml" node1
ends 1 "but to the first file there is" diff --config "$work/one.xml" node1
is "the first one is kept, with its serial" \
    "$(digest_of node1 dcampKeptDigest.previous.1) $(of node1 dcampKeptSerial.previous.1) $(of node1 dcampKeptSerial.inForce.1)" \
    "$(digest "$work/one.xml") 1 2"

# A walk of it is all that there is to the document.
by_walk() {
    snmpbulkwalk -Ox -OQ "${snmp[@]}" "${addresses[node1]}" "DCAMP-MIB::dcampKeptOctets.$1" | python3 -c '
import re, sys, zlib
octets = bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", "".join(
    line.split("=", 1)[-1] for line in sys.stdin.read().replace("\"", "").splitlines())))
sys.stdout.buffer.write(zlib.decompress(octets))'
}
ok "a walk has it as well" cmp <(by_walk inForce) "$work/two.xml"
ok "and the one of before" cmp <(by_walk previous) "$work/one.xml"

# -- Back ------------------------------------------------------------------------------------
ends 0 "the one of before is ordered again" rollback node1
is "it says so" "$(head -n 1 "$work/out")" "the previous document, once serial 1, is ordered again"
is "as another one of the tree, by all nodes" "$(summary)" "node1: 4 of 4 nodes work by the document, serial 3"
is "with the table of a push" "$(grep -c ' up ' "$work/out") $(grep -c '^NAME ' "$work/out")" "4 1"
ok "the root gives it back" works_by "$work/one.xml" node1
ends 0 "there is no difference" diff --config "$work/one.xml" node1
eventually "the standby has it" 15 works_by "$work/one.xml" node2

# -- The root is killed ----------------------------------------------------------------------
control kill-dcampd --node node1 --signal KILL
control start-dcampd --node node1
eventually "the root that was killed is there again" 30 of node1 dcampNodeBoot.0
is "and has both documents" \
    "$(digest_of node1 dcampKeptDigest.inForce.1) $(digest_of node1 dcampKeptDigest.previous.1) $(of node1 dcampKeptSerial.previous.1)" \
    "$(digest "$work/one.xml") $(digest "$work/two.xml") 2"
eventually "all nodes are up" 60 whole 4
ends 0 "the one of before is ordered again, for programs" rollback --json "$root"
ok "by all nodes" grep -q "^{\"root\":\"$root\",.*\"serial\":4,\"digest\":\"$(digest "$work/two.xml")\",\"nodes\":4,\"current\":4}\$" "$work/out"
ok "and is given back" works_by "$work/two.xml" "$root"
eventually "by both candidates" 15 eval 'works_by "$work/two.xml" node1 && works_by "$work/two.xml" node2'

# -- A standby takes over --------------------------------------------------------------------
other=$([[ $root == node1 ]] && echo node2 || echo node1)
control kill-dcampd --node "$root" --signal KILL
eventually "another one takes over" 40 eval '[[ $(of "$other" dcampTreeIsRoot.0) == true ]]'
eventually "and has all others" 30 up "$other" 3
ok "it gives the document back" works_by "$work/two.xml" "$other"
ends 0 "it orders the one of before" rollback "$other"
is "by all that are there" "$(summary)" "$other: 3 of 4 nodes work by the document, serial 5"
ok "and gives it back" works_by "$work/one.xml" "$other"
control start-dcampd --node "$root"
eventually "who was root works by it" 40 works_by "$work/one.xml" "$root"

# -- Who must not see it ---------------------------------------------------------------------
arc=$(snmptranslate -M "${snmp[14]}" -m DCAMP-MIB -On DCAMP-MIB::dcampKeptTable)
for user in dcampPoll dcampTrap; do
    as=("${snmp[@]}" -u "$user")
    snmpbulkwalk -On "${as[@]}" "${addresses[$other]}" "${arc%.*.*}" >"$work/walked" 2>&1 || true
    is "$user sees no document in a walk" "$(grep -cF "$arc" "$work/walked")" 0
    snmpget -On "${as[@]}" "${addresses[$other]}" "$arc.1.6.1.1" "$arc.1.4.2.1" >"$work/got" 2>&1 || true
    is "$user is given none" "$(grep -c 'No Such\|authorizationError' "$work/got" | head -n 1) $(grep -c 'STRING' "$work/got")" \
        "$([[ $user == dcampPoll ]] && echo 2 || echo 1) 0"
done
ok "dcampPoll sees what stands beside it" \
    eval '[[ $(snmpget -Oqv "${snmp[@]}" -u dcampPoll "${addresses[$other]}" "${arc%.*}.7.0") == true ]]'
user=dcampPoll
ends 3 "dcampPoll is given no document" show --text "$other"
is "and is told why" "$(cat "$work/said")" \
    "dcamp: $other does not give documents: its dcampd is older than that, or the user must not see them"
ends 3 "nor differences" diff --config "$work/two.xml" "$other"
ends 3 "nor the one of before" rollback "$other"
ends 0 "but which one it is" show "$other"
user=dcampAdmin

# -- The end ---------------------------------------------------------------------------------
told "the tree is stopped" dcamp stop "${addresses[$other]}"
ended() {
    local name
    for name in node1 node2; do
        config show --text "$name"
        [[ $code -eq 2 ]] && grep -q "$name is in no tree" "$work/said" || return 1
    done
}
eventually "nobody has a document any more" 20 ended
is "nor one of before" "$(of node1 dcampKeptSerial.previous.1 || echo none) $(of node2 dcampKeptSerial.previous.1 || echo none)" "none none"
finish
