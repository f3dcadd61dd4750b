#!/usr/bin/env bash
# Who is root is decided by a lease in etcd: a lab with three real servers, with TLS and a password,
# and two candidates. One root; when it is killed, the other one leads in a higher term; a root that
# was stopped for longer than its lease lives orders nothing when it goes on; without a majority of
# the servers there is no root that orders, and nothing else changes. What a root was told just before
# it was lost, the next one finds in etcd.
# shellcheck disable=SC2016,SC2034 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

if [[ -z $(type -P etcd) || -z $(type -P openssl) ]]; then
    echo "1..0 # SKIP etcd or openssl is not installed (packages etcd-server, openssl)"
    exit 77
fi

# leads NAME: it says that it is root, and that it does not wait for a lease.
leads() {
    [[ $(of "$1" dcampTreeIsRoot.0) == true ]]
}

# term_of NODE: of the share that it was ordered.
term_of() {
    of "$1" dcampDocumentTerm.share
}

# obeys NODE ROOT
obeys() {
    [[ $(of "$1" dcampDocumentRoot.share) == "$2" ]]
}

follow() {
    obeys node3 "$1" && obeys node4 "$1"
}

# said NODE TEXT: how often it is in the log.
said() {
    grep -c "$2" "$lab_dir/$1/dcampd.log" || true
}

# kept KEY [PASSWORD]: what etcd has of the tree; fails where it has nothing, or wants another password.
kept() {
    local password
    read -r _ password <"$DCAMP_LAB_ETCD_SECRET"
    python3 - "$DCAMP_LAB_ETCD_1" "$DCAMP_LAB_ETCD_CA" "dcamp/$1" "${2-$password}" <<'PYTHON'
import base64, json, ssl, sys, urllib.request
url, authority, key, password = sys.argv[1:]
trusted = ssl.create_default_context(cafile=authority)
def ask(path, question, headers={}):
    request = urllib.request.Request(url + path, json.dumps(question).encode(), headers)
    return json.load(urllib.request.urlopen(request, timeout=5, context=trusted))
token = {}
if password:
    token['Authorization'] = ask('/v3/auth/authenticate', {'name': 'dcamp', 'password': password})['token']
found = ask('/v3/kv/range', {'key': base64.b64encode(key.encode()).decode()}, token)
print(base64.b64decode(found['kvs'][0]['value']).decode())
PYTHON
}

# digest_of NODE: of the tree document that it works by.
digest_of() {
    of "$1" dcampTreeDigest.0 | tr -d ' "\n' | tr A-F a-f
}

# The daemon of a node, and what it has started.
processes_of() {
    local pid
    read -r pid _ <"$lab_dir/pid/dcampd-${1#node}"
    echo "$pid"
    pgrep -P "$pid"
}

start_lab --tree --nodes 2 --standbys 1 --no-promote --coordination etcd --servers 3
find_nodes
servers=("$DCAMP_LAB_PID_ETCD_1" "$DCAMP_LAB_PID_ETCD_2" "$DCAMP_LAB_PID_ETCD_3")
read -r -a login <<<"$DCAMP_LAB_LOGIN"
"$dcamp_" promote --config "$DCAMP_LAB_TREE" "${login[@]}" "$DCAMP_LAB_FIRST" >"$work/out" 2>&1 ||
    cat "$work/out"

# -- One root --------------------------------------------------------------------------------
eventually "node1 holds the lease and orders" 15 eval 'leads node1 && obeys node3 node1 && obeys node4 node1 && obeys node2 node1'
is "etcd says so" "$(kept root)" node1
ok "but to nobody without a password" not kept root ''
eventually "the standby knows it" 10 eval '[[ "$(of node2 dcampTreeIsRoot.0) $(of node2 dcampTreeRootName.0)" == "false node1" ]]'

# -- It is stopped, and goes on --------------------------------------------------------------
before=$(term_of node3)
mapfile -t stopped < <(processes_of node1)
kill -STOP "${stopped[@]}"
eventually "the other one leads when it is stopped" 20 eval 'leads node2 && follow node2'
second=$(term_of node3)
ok "in a higher term" test "$second" -gt "$before"
kill -CONT "${stopped[@]}"
eventually "the old root steps down" 15 eval '[[ $(of node1 dcampTreeIsRoot.0) == false && $(of node1 dcampTreeRootName.0) == node2 ]]'
sleep 2
is "and has ordered nobody" "$(of node3 dcampDocumentRoot.share) $(term_of node3) $(of node4 dcampDocumentRoot.share) $(term_of node4)" \
    "node2 $second node2 $second"

# -- Two of three servers are gone -----------------------------------------------------------
eventually "it has all nodes" 15 up node2 4
epoch=$(of node3 dcampDocumentEpoch.share)
kill -STOP "${servers[@]:1}"
eventually "a root without a majority of the servers orders nothing" 15 eval '[[ $(said node2 "this root orders nothing: it does not have the lease in etcd") -gt 0 ]]'
sleep 4 # as long as the lease would live
is "and there is no other one" "$(of node1 dcampTreeIsRoot.0) $(said node1 "this node is to become the root")" "false 1"
is "nobody has heard of another order" \
    "$(of node3 dcampDocumentRoot.share) $(term_of node3) $(of node3 dcampDocumentEpoch.share) $(of node3 dcampNodeRole.0)" \
    "node2 $second $epoch metric"
kill -CONT "${servers[@]:1}"
eventually "one leads again when they are back" 20 eval 'leads node1 && follow node1 || leads node2 && follow node2 && [[ $(said node2 "this root gives orders") -gt 0 ]]'
third=$(term_of node3)

# -- Another one is promoted by hand ---------------------------------------------------------
root=$(of node3 dcampDocumentRoot.share)
other=$([[ $root == node1 ]] && echo node2 || echo node1)
"$dcamp_" promote --force --config "$DCAMP_LAB_TREE" "${login[@]}" "${addresses[$other]}" >"$work/out" 2>&1 ||
    cat "$work/out"
eventually "who is promoted by hand is given the lease" 15 eval 'leads "$other" && follow "$other"'
eventually "and the one before steps down" 15 eval '[[ $(of "$root" dcampTreeIsRoot.0) == false ]]'
third=$(term_of node3)

# -- It is killed ----------------------------------------------------------------------------
root=$(of node3 dcampDocumentRoot.share)
other=$([[ $root == node1 ]] && echo node2 || echo node1)
control kill-dcampd --node "$root" --signal KILL
eventually "the other one leads when it is killed" 20 eval 'leads "$other" && follow "$other"'
ok "in a higher term" test "$(term_of node3)" -gt "$third"

# -- What only a root was told that is lost ---------------------------------------------------
# $other leads, and $root is not there.
was=$(digest_of node3)
sed -e 's/ period="1s"/ period="2s"/' -e '/<node name="node4"/d' "$DCAMP_LAB_TREE" >"$work/told.xml"
ok "the root is given another document" "$dcamp_" config push --wait 0 --config "$work/told.xml" \
    "${login[@]}" "${addresses[$other]}"
eventually "the nodes work by it" 15 eval '[[ $(digest_of node3) != "$was" ]]'
eventually "and who is not in it is told so" 15 eval '[[ $(of node4 dcampNodeRole.0) == base ]]'
told=$(digest_of node3)
ok "etcd keeps it" eval '[[ $(kept document) == *"\"digest\":\"$told\""* ]]'
eventually "and who is what" 15 eval '[[ $(kept assignments) == *"[\"node3\",\"metric\","* ]]'
control kill-dcampd --node "$other" --signal KILL
control start-dcampd --node "$root"
eventually "who was away leads" 30 eval 'leads "$root" && obeys node3 "$root"'
eventually "by what it was never told" 15 eval '[[ $(digest_of node3) == "$told" && $(digest_of "$root") == "$told" ]]'
is "and says from where it has it" "$(said "$root" "is taken from etcd")" 1

# -- Back ------------------------------------------------------------------------------------
serial=$(of node3 dcampTreeSerial.0)
ok "it orders the document of before" "$dcamp_" config rollback --wait 0 "${login[@]}" "${addresses[$root]}"
eventually "the nodes work by it" 15 eval '[[ $(digest_of node3) == "$was" && $(digest_of node4) == "$was" ]]'
ok "as a later one" test "$(of node3 dcampTreeSerial.0)" -gt "$serial"
ok "which etcd keeps now" eval '[[ $(kept document) == *"\"digest\":\"$was\""* ]]'

# -- The end ---------------------------------------------------------------------------------
"$dcamp_" stop "${login[@]}" "${addresses[$root]}" >"$work/out" 2>&1 || cat "$work/out"
eventually "the tree is stopped" 15 eval '[[ $(of node3 dcampNodeRole.0) == base && $(of node4 dcampNodeRole.0) == base && $(of "$root" dcampNodeRole.0) == base ]]'
ok "etcd keeps nothing of it" not kept document
ok "but its last term" kept term
finish
