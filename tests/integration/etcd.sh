#!/usr/bin/env bash
# Who is root is decided by a lease in etcd: three real servers on the loopback interface, with TLS
# and a password, and two candidates. One root; when it is killed, the other one leads in a higher term; a root that was
# stopped for longer than its lease lives orders nothing when it goes on; without a majority of the
# servers there is no root that orders, and nothing else changes.
# shellcheck disable=SC2016,SC2034 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

if [[ -z $(type -P etcd) || -z $(type -P openssl) ]]; then
    echo "1..0 # SKIP etcd or openssl is not installed (packages etcd-server, openssl)"
    exit 77
fi
dcamp_=${DCAMP_BUILD:-$top/build}/dcamp

# -- The servers -----------------------------------------------------------------------------
declare -A etcd_pids
client=() peer=() cluster='' password='of dcamp'

# Ports that nobody has at present, nor gets for a connection before the servers have them: below those
# that the kernel gives.
choose_ports() {
    local -a ports
    mapfile -t ports < <(python3 - <<'PYTHON'
import random, socket
sockets = []
while len(sockets) < 6:
    s = socket.socket()
    try:
        s.bind(('127.0.0.1', random.randrange(20000, 32000)))
    except OSError:
        continue
    sockets.append(s)
    print(s.getsockname()[1])
PYTHON
    )
    client=("${ports[@]:0:3}") peer=("${ports[@]:3:3}")
    cluster=e0=http://127.0.0.1:${peer[0]},e1=http://127.0.0.1:${peer[1]},e2=http://127.0.0.1:${peer[2]}
}

start_server() {
    etcd --name "e$1" --data-dir "$work/etcd$1" \
        --listen-client-urls "https://127.0.0.1:${client[$1]}" \
        --advertise-client-urls "https://127.0.0.1:${client[$1]}" \
        --cert-file "$work/etcd.pem" --key-file "$work/etcd.key" \
        --listen-peer-urls "http://127.0.0.1:${peer[$1]}" \
        --initial-advertise-peer-urls "http://127.0.0.1:${peer[$1]}" \
        --initial-cluster "$cluster" --unsafe-no-fsync >"$work/etcd$1.log" 2>&1 &
    etcd_pids[$1]=$!
    jobs_started+=($!)
}

# Asks server $1: "GET PATH", or the "PATH JSON" that follow, as user root once that has a password.
ask_server() {
    python3 - "https://127.0.0.1:${client[$1]}" "$work/etcd.pem" "${@:2}" <<'PYTHON'
import ssl, sys, urllib.request
trusted = ssl.create_default_context(cafile=sys.argv[2])
for path, text in zip(sys.argv[3::2], sys.argv[4::2]):
    request = urllib.request.Request(sys.argv[1] + path, text.encode() or None)
    answer = urllib.request.urlopen(request, timeout=20, context=trusted).read()
    if not text and b'true' not in answer:
        sys.exit(1)
PYTHON
}

server_answers() {
    ask_server "$1" /health '' 2>/dev/null
}

# Who trusts this certificate trusts these servers.
make_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
        -subj /CN=etcd -addext subjectAltName=IP:127.0.0.1 \
        -keyout "$work/etcd.key" -out "$work/etcd.pem" 2>/dev/null
}

# The user dcamp may use the keys of dCAMP, and from then on nobody may do anything unasked.
# dcamp/ to dcamp0 in base64, as keys are in JSON.
make_users() {
    ask_server 0 /v3/auth/user/add '{"name":"root","password":"of root"}' \
        /v3/auth/role/add '{"name":"root"}' \
        /v3/auth/user/grant '{"user":"root","role":"root"}' \
        /v3/auth/user/add "{\"name\":\"dcamp\",\"password\":\"$password\"}" \
        /v3/auth/role/add '{"name":"dcamp"}' \
        /v3/auth/role/grant '{"name":"dcamp","perm":{"permType":"READWRITE","key":"ZGNhbXAv","range_end":"ZGNhbXAw"}}' \
        /v3/auth/user/grant '{"user":"dcamp","role":"dcamp"}' \
        /v3/auth/enable '{}'
}

# -- The tree --------------------------------------------------------------------------------
declare -A addresses

of() {
    local node=${addresses[$1]} value
    value=$(get "$2" 2>/dev/null) && [[ $value != "No Such"* ]] && echo "$value"
}

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

# The daemon of a node, and what it has started.
processes_of() {
    local pid
    read -r pid _ <"$lab_dir/pid/dcampd-${1#node}"
    echo "$pid"
    pgrep -P "$pid"
}

make_certificate
choose_ports
for i in 0 1 2; do
    start_server "$i"
done
eventually "three servers are a cluster" 15 eval 'server_answers 0 && server_answers 1 && server_answers 2'
ok "they want a password" make_users

start_lab --tree --nodes 2 --standbys 1 --no-promote
for i in 1 2 3 4; do
    address=DCAMP_LAB_BASE_$i name=DCAMP_LAB_NAME_BASE_$i
    addresses[${!name}]=${!address}
done
(umask 077 && echo "password $password" >"$work/etcd.secret")
sed -i 's|^  <candidates>|  <coordination kind="etcd" ttl="5s" endpoints="https://127.0.0.1:'"${client[0]}"' https://127.0.0.1:'"${client[1]}"' https://127.0.0.1:'"${client[2]}"'" ca="'"$work"'/etcd.pem" user="dcamp" secrets="'"$work"'/etcd.secret"/>\n&|' \
    "$DCAMP_LAB_TREE"
read -r -a login <<<"$DCAMP_LAB_LOGIN"
"$dcamp_" promote --config "$DCAMP_LAB_TREE" "${login[@]}" "$DCAMP_LAB_FIRST" >"$work/out" 2>&1 ||
    cat "$work/out"

# -- One root --------------------------------------------------------------------------------
eventually "node1 holds the lease and orders" 15 eval 'leads node1 && obeys node3 node1 && obeys node4 node1 && obeys node2 node1'
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
epoch=$(of node3 dcampDocumentEpoch.share)
kill -STOP "${etcd_pids[1]}" "${etcd_pids[2]}"
eventually "a root without a majority of the servers orders nothing" 15 eval '[[ $(said node2 "this root orders nothing: it does not have the lease in etcd") -gt 0 ]]'
sleep 5 # as long as the lease would live
is "and there is no other one" "$(of node1 dcampTreeIsRoot.0) $(said node1 "this node is to become the root")" "false 1"
is "nobody has heard of another order" \
    "$(of node3 dcampDocumentRoot.share) $(term_of node3) $(of node3 dcampDocumentEpoch.share) $(of node3 dcampNodeRole.0)" \
    "node2 $second $epoch metric"
kill -CONT "${etcd_pids[1]}" "${etcd_pids[2]}"
eventually "one leads again when they are back" 20 eval 'leads node1 && follow node1 || leads node2 && follow node2 && [[ $(said node2 "this root gives orders") -gt 0 ]]'
third=$(term_of node3)

# -- Another one is promoted by hand ---------------------------------------------------------
root=$(of node3 dcampDocumentRoot.share)
other=$([[ $root == node1 ]] && echo node2 || echo node1)
"$dcamp_" promote --force --config "$DCAMP_LAB_TREE" "${login[@]}" "${addresses[$other]}" >"$work/out" 2>&1 ||
    cat "$work/out"
eventually "who is promoted by hand is given the lease" 15 eval 'leads "$other" && follow "$other"'
eventually "and the one before steps down" 10 eval '[[ $(of "$root" dcampTreeIsRoot.0) == false ]]'
third=$(term_of node3)

# -- It is killed ----------------------------------------------------------------------------
root=$(of node3 dcampDocumentRoot.share)
other=$([[ $root == node1 ]] && echo node2 || echo node1)
control kill-dcampd --node "$root" --signal KILL
eventually "the other one leads when it is killed" 20 eval 'leads "$other" && follow "$other"'
ok "in a higher term" test "$(term_of node3)" -gt "$third"

# -- The end ---------------------------------------------------------------------------------
"$dcamp_" stop "${login[@]}" "${addresses[$other]}" >"$work/out" 2>&1 || cat "$work/out"
eventually "the tree is stopped" 15 eval '[[ $(of node3 dcampNodeRole.0) == base && $(of node4 dcampNodeRole.0) == base && $(of "$other" dcampNodeRole.0) == base ]]'
finish
