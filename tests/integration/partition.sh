#!/usr/bin/env bash
# partition.sh [--seconds N] [--coordination list|etcd]: a tree whose nodes are in network namespaces
# of their own, behind a bridge that loses packets, cuts links and parts the network; and a root that
# is frozen. Each fault lasts so many seconds. Needs root's rights.
#
# What is checked after each fault and in the end: one root is left, all nodes are its and work by its
# document. terms.py reads what all nodes have logged and said of roots and orders: a term has one root
# at most, and no node takes an order of a lower term.
#
# With the list of candidates there are two roots, of different terms, while a network is parted, and
# what was told to the one of the lower term is lost; that is shown. With etcd, whose three servers
# have namespaces of their own, so that the network is parted between them as well, that never is: a
# root that is cut off stops ordering before another one is elected, and so does one that was frozen,
# when it goes on; without a majority of the servers nobody orders.
# shellcheck disable=SC2016 # what eval gets is expanded there
arguments=("$@") seconds=8 coordination=list tools=(nft ip nsenter unshare)
while [[ $# -gt 1 ]]; do
    case $1 in
    --seconds) seconds=$2 ;;
    --coordination) coordination=$2 ;;
    *) break ;;
    esac
    shift 2
done
[[ $# -eq 0 && $seconds =~ ^[1-9][0-9]*$ && $coordination =~ ^(list|etcd)$ ]] || {
    echo "usage: partition.sh [--seconds N] [--coordination list|etcd]" >&2
    exit 1
}
[[ $coordination == list ]] || tools+=(etcd)
for tool in "${tools[@]}"; do
    [[ -n $(type -P "$tool") ]] || {
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    }
done
if [[ -z ${DCAMP_OWN_NETWORK:-} ]]; then
    unshare -n nft list ruleset >/dev/null 2>&1 || {
        echo "1..0 # SKIP there are no network namespaces of its own"
        exit 77
    }
    DCAMP_OWN_NETWORK=1 exec unshare -n "$BASH" "$0" "${arguments[@]}"
fi
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

build=${DCAMP_BUILD:-$top/build}
of_options=(-t 0.5 -r 1)
names=(r1 r2 c1 c2 m1 m2)
servers=() patience=15
[[ $coordination == list ]] || servers=(e1 e2 e3) patience=40 # the lease ends first, perhaps twice
passphrase=0123456789abcdef
declare -A spaces snmpds daemons pids
frozen=()
journal=$work/journal

# What happens, in its order, together with what all dcampd log: see terms.py.
note() {
    echo "$*" >>"$journal"
}

# -- The network -----------------------------------------------------------------------------

# inside NAME COMMAND...: in the network of a node.
inside() {
    local space=${spaces[$1]}
    shift
    nsenter -t "$space" -n "$@"
}

# A node's network: one link to the bridge, which passes on what the rules let through.
make_space() {
    local name=$1 number=$2
    unshare -n sleep infinity &
    spaces[$name]=$!
    jobs_started+=($!)
    within 20 eval '[[ $(readlink /proc/'"$!"'/ns/net) != $(readlink /proc/$$/ns/net) ]]'
    ip link add "to-$name" type veth peer name eth0 netns "${spaces[$name]}"
    ip link set "to-$name" master bridge up
    inside "$name" ip link set lo up
    inside "$name" ip address add "10.9.0.$number/24" dev eth0
    inside "$name" ip link set eth0 up
    addresses[$name]=10.9.0.$number
}

make_network() {
    local i
    ip link set lo up
    ip link add bridge type bridge
    ip address add 10.9.0.254/24 dev bridge
    ip link set bridge up
    nft add table bridge faults
    nft add chain bridge faults links '{ type filter hook forward priority 0; }'
    local all=("${names[@]}" "${servers[@]}")
    for ((i = 0; i < ${#all[@]}; i++)); do
        make_space "${all[i]}" $((i + 1))
    done
}

lose() {
    nft add rule bridge faults links numgen random mod 100 "<" "$1" counter drop
}

# cut A B: between two nodes, in both directions.
cut() {
    nft add rule bridge faults links ip saddr "${addresses[$1]}" ip daddr "${addresses[$2]}" counter drop
    nft add rule bridge faults links ip saddr "${addresses[$2]}" ip daddr "${addresses[$1]}" counter drop
}

# part NAMES NAMES: those on one side do not reach those on the other one.
part() {
    local a b
    for a in $1; do
        for b in $2; do
            cut "$a" "$b"
        done
    done
}

# isolate NAME...: each is alone.
isolate() {
    local name
    for name; do
        nft add rule bridge faults links ip saddr "${addresses[$name]}" counter drop
        nft add rule bridge faults links ip daddr "${addresses[$name]}" counter drop
    done
}

# Links are whole again, and who is frozen runs.
heal() {
    local name
    nft flush chain bridge faults links
    for name in "${frozen[@]}"; do
        note "thawed $name"
        signal_all "$name" CONT
    done
    frozen=()
}

# -- The nodes -------------------------------------------------------------------------------

write_snmpd_conf() {
    cat <<EOF
agentAddress udp:${addresses[$1]}:161
sysName $1
dontLogTCPWrappersConnects yes
$(sed -e "s|^agentXSocket .*|agentXSocket unix:$work/$1/agentx|" -e '/^agentXPerms /d' \
        "$top/conf/snmpd-dcamp.conf")
createUser dcampAdmin SHA-256 "$passphrase" AES "$passphrase"
createUser dcampPoll SHA-256 "$passphrase" AES "$passphrase"
EOF
}

start_node() {
    local own=$work/$1
    mkdir -p "$own/persist/cert_indexes" "$own/state"
    write_snmpd_conf "$1" >"$own/snmpd.conf"
    echo "<dcamp version=\"1\"><node name=\"$1\"/></dcamp>" >"$own/dcamp.xml"
    MIBS='' SNMPCONFPATH=$own SNMP_PERSISTENT_DIR=$own/persist nsenter -t "${spaces[$1]}" -n \
        snmpd -f -Lo -I -smux,mteTrigger,mteTriggerConf -C -c "$own/snmpd.conf" >"$own/snmpd.log" 2>&1 &
    snmpds[$1]=$!
    nsenter -t "${spaces[$1]}" -n "$build/dcampd" -f -D tree -c "$own/dcamp.xml" \
        --agentx-socket "unix:$own/agentx" --state-dir "$own/state" --root "$work/root" \
        >>"$journal" 2>&1 &
    daemons[$1]=$!
    note "node $! $1"
    jobs_started+=("${daemons[$1]}" "${snmpds[$1]}")
}

# signal_all NAME SIGNAL: to a server of etcd, or to the snmpd of a node, its dcampd and the processes
# of that.
signal_all() {
    local numbers=${pids[$1]:-}
    [[ -n $numbers ]] || numbers="${snmpds[$1]} ${daemons[$1]} $(pgrep -P "${daemons[$1]}" || true)"
    # shellcheck disable=SC2086 # several
    kill "-$2" $numbers
}

freeze() {
    local name
    frozen=("$@")
    for name; do
        signal_all "$name" STOP
        note "frozen $name"
    done
}

# -- The servers of etcd ---------------------------------------------------------------------

start_server() {
    local url=http://${addresses[$1]} cluster='' name
    for name in "${servers[@]}"; do
        cluster+=${cluster:+,}$name=http://${addresses[$name]}:2380
    done
    nsenter -t "${spaces[$1]}" -n etcd --name "$1" --data-dir "$work/$1" \
        --listen-client-urls "$url:2379" --advertise-client-urls "$url:2379" \
        --listen-peer-urls "$url:2380" --initial-advertise-peer-urls "$url:2380" \
        --initial-cluster "$cluster" --unsafe-no-fsync >"$work/$1.log" 2>&1 &
    pids[$1]=$!
    jobs_started+=($!)
}

# It is one of a majority.
server_answers() {
    python3 - "http://${addresses[$1]}:2379/health" <<'PYTHON'
import sys, urllib.request
sys.exit(b'true' not in urllib.request.urlopen(sys.argv[1], timeout=2).read())
PYTHON
}

# More than three times as long as servers wait before they elect another leader among them: see
# dcamp-tree.xml(5).
write_coordination() {
    [[ $coordination == etcd ]] || return 0
    local name endpoints=''
    for name in "${servers[@]}"; do
        endpoints+="${endpoints:+ }http://${addresses[$name]}:2379"
    done
    echo "<coordination kind=\"etcd\" ttl=\"6s\" endpoints=\"$endpoints\"/>"
}

write_tree() {
    local name
    printf 'auth %s\npriv %s\n' $passphrase $passphrase >"$work/site.secret"
    chmod 600 "$work/site.secret"
    cat <<EOF
<tree version="1">
  <rules fanout="3" heartbeat="500ms" missed="3" leaf-heartbeat="1s" period="1s"/>
  <access secrets="$work/site.secret"/>
  $(write_coordination)
  <candidates><candidate node="r1"/><candidate node="r2"/></candidates>
  <nodes>
$(for name in "${names[@]}"; do
        echo "<node name=\"$name\" address=\"udp:${addresses[$name]}:161\"$([[ $name != c* ]] || echo ' collect="yes"')/>"
    done)
  </nodes>
  <sensors><sensor name="load" metric="load.1" interval="1s"/></sensors>
</tree>
EOF
}

# -- What they say ---------------------------------------------------------------------------

# As each node says, again and again.
watch_terms() {
    local name said
    while :; do
        for name in "${names[@]}"; do
            ! said=$(of "$name" dcampDocumentTerm.share dcampDocumentRoot.share dcampDocumentTerm.tree \
                dcampDocumentRoot.tree) || note "observed $name $said"
        done
        sleep 0.2
    done
}

# halted NAME: it is root, and the latest that it says of that is that it gives no orders.
halted() {
    [[ $(of "$1" dcampTreeIsRoot.0) == true ]] &&
        [[ $(grep -F "dcampd[${daemons[$1]}]: " "$journal" | grep 'tree: this \(root\|node is\) ' | tail -n 1) == \
            *"this root orders nothing"* ]]
}

# obey ROOT NAME...: they work by shares of that root in its term, and are polled by their parents.
obey() {
    local said name parent
    said="$(of "$1" dcampTreeRootTerm.0) $1 inForce"
    for name in "${@:2}"; do
        [[ $(of "$name" dcampDocumentTerm.share dcampDocumentRoot.share dcampDocumentState.share) == "$said" ]] || return 1
        parent=$(of "$name" dcampNodeParent.0) || return 1
        [[ -z $parent ]] || [[ $(of "$parent" "dcampChildState.\"$name\"") == up ]] || return 1
    done
}

digests() {
    local name
    for name in "${names[@]}"; do
        of "$name" dcampTreeDigest.0 || echo none
    done | sort -u
}

# One root, which has all nodes, by one tree document.
whole() {
    one_root && not halted "$root" && up "$root" ${#names[@]} &&
        obey "$root" "${names[@]}" && [[ $(digests | wc -l) -eq 1 ]]
}

# leads ROOT NAME...: it is root, gives orders, and has these.
leads() {
    [[ $(of "$1" dcampTreeIsRoot.0) == true ]] && not halted "$1" && obey "$@"
}

# all_but NAME
all_but() {
    printf '%s\n' "${names[@]}" | grep -vx "$1"
}

# find_link: from a collector that is not the root to one of its children.
find_link() {
    for child in "${names[@]}"; do
        collector=$(of "$child" dcampNodeParent.0) || return 1
        [[ -z $collector || $collector == "$root" ]] || return 0
    done
    return 1
}

polled_by_another() {
    local parent
    parent=$(of "$child" dcampNodeParent.0) && [[ -n $parent && $parent != "$collector" ]] &&
        [[ $(of "$parent" "dcampChildState.\"$child\"") == up ]]
}

# How many orders nodes have taken.
orders() {
    grep -c 'debug tree: the latest order of ' "$journal"
}

# terms_of JOURNAL: what is wrong with the roots, and their orders; the terms on standard error.
terms_of() {
    local options=()
    [[ $coordination == list ]] || options=(--lease)
    python3 -B "$top/tests/integration/terms.py" "${options[@]}" "$1"
}

# notices WHAT COMMAND...: the journal as the command changes it is wrong.
notices() {
    "${@:2}" <"$journal" >"$work/wrong"
    ok "it would be noticed if $1" not terms_of "$work/wrong"
}

# One that does all at once what a root may not.
second_root() {
    cat
    echo "dcampd[${daemons[$(other_root)]}]: info tree: this root gives orders, in term $(of "$root" dcampTreeRootTerm.0)"
}

old_order() {
    cat
    grep -m 1 '^dcampd.*the latest order of a share' "$journal"
}

unstoppable() {
    grep -v 'this root orders nothing\|this node is not the root any more'
}

# takes_lower NAME KIND: whether the node takes the order of the term before that all is to end.
takes_lower() {
    local term node=${addresses[$1]}
    term=$(of "$1" "dcampDocumentTerm.$2")
    set_ "dcampDocumentTerm.$2" u $((term - 1)) "dcampDocumentEpoch.$2" u 1000 "dcampDocumentRoot.$2" s r1 \
        "dcampDocumentDigest.$2" x "" "dcampDocumentLength.$2" u 0
}

refuses_lower() {
    local said
    ! said=$(takes_lower "$1" "$2" 2>&1) && [[ $said == *inconsistentValue* ]] &&
        [[ $(of "$1" dcampSelfSetError.0) == *"is root in term"* ]]
}

# -- The faults ------------------------------------------------------------------------------

begin_fault() {
    description=$1 began=$(date +%s%N)
    shift
    "$@"
}

wait_fault() {
    local left=$((seconds - ($(date +%s%N) - began) / 1000000000))
    [[ $left -le 0 ]] || sleep "$left"
}

# The time of the fault is over; then all is well again.
end_fault() {
    wait_fault
    [[ ${#frozen[@]} -gt 0 ]] ||
        ok "packets were lost by $description" grep -q 'packets [1-9]' <(nft list ruleset)
    heal
    began=$(date +%s%N)
    eventually "after $description, there is one root, which has all" $((patience + 30)) whole
    echo "# whole after $((($(date +%s%N) - began) / 1000000)) ms; root ${root:-none}, in term" \
        "$(of "${root:-r1}" dcampTreeRootTerm.0 || true)"
}

fault() {
    begin_fault "$@"
    end_fault
}

# becomes_root NEW OLD NAME...: the new one leads those, and the old one does not know of it: it orders
# nothing any more, or is a root of a lower term, if the list decides.
becomes_root() {
    local new=$1 old=$2
    shift 2
    eventually "$new becomes root of $*" "$patience" leads "$new" "$@"
    echo "# $new has them after $((($(date +%s%N) - began) / 1000000)) ms"
    is "$old does not know: it does not cease to be root" "$(roots)" $'r1\nr2'
    ok "of a lower term" test "$(of "$old" dcampTreeRootTerm.0)" -lt "$(of "$new" dcampTreeRootTerm.0)"
    [[ $coordination == list ]] || ok "and orders nothing" halted "$old"
}

# The root is alone, and is given another document there, which it does not order others by.
alone() {
    local old=$root new before
    new=$(other_root) before=$(digests)
    begin_fault "$1" isolate "$old"
    # shellcheck disable=SC2046 # names have no spaces
    becomes_root "$new" "$old" $(all_but "$old")
    ok "$old is told something else" "$build/dcamp" config push --wait 0 --config "$work/other.xml" \
        "${login[@]}" "udp:${addresses[$old]}:161"
    [[ $coordination == etcd ]] ||
        eventually "and works by that, unlike the others" 15 eval '[[ $(digests | wc -l) -eq 2 ]]'
    end_fault
    is "what only $old was told is lost" "$(digests)" "$before"
    is "and $new stays root" "$root" "$new"
}

# other_root: the candidate that is not root.
other_root() {
    [[ $root == r1 ]] && echo r2 || echo r1
}

# -- Faults with etcd ------------------------------------------------------------------------

# The root reaches all nodes, and no server.
without_servers() {
    local old=$root new
    new=$(other_root)
    begin_fault "a root that etcd is cut off from" part "$old" "${servers[*]}"
    eventually "$old orders nothing any more, or is not the root" "$patience" eval 'halted "'"$old"'" || leads '"$new $new"
    # shellcheck disable=SC2046 # names have no spaces
    eventually "$new becomes root of all others" "$patience" leads "$new" $(all_but "$old")
    end_fault
}

# Two servers are where the root is not, and then where it is.
halves() {
    local old=$root new
    new=$(other_root)
    begin_fault "two halves, the root in the smaller one" part "$old c1 m1 e1" "$new c2 m2 e2 e3"
    becomes_root "$new" "$old" "$new" c2 m2
    end_fault
    old=$root new=$(other_root)
    begin_fault "two halves, the root in the larger one" part "$new c1 m1 e1" "$old c2 m2 e2 e3"
    eventually "the root goes on" "$patience" leads "$old" "$old" c2 m2
    wait_fault
    is "and is the only one" "$(roots)" "$old"
    end_fault
}

one_server_away() {
    begin_fault "$@"
    eventually "the tree is whole without it" "$patience" whole
    end_fault
}

answer_all() {
    local name
    for name in "${names[@]}"; do
        of "$name" dcampNodeName.0 >"$work/out" || true
    done
}

# no_majority DESCRIPTION COMMAND...: nobody orders anything.
no_majority() {
    local before
    begin_fault "$@"
    eventually "$root orders nothing any more" "$patience" halted "$root"
    answer_all # after what was sent before
    before=$(orders)
    wait_fault
    is "nobody was ordered anything" "$(orders)" "$before"
    is "nobody else is root" "$(roots)" "$root"
    end_fault
}

# What a root was told that the standby did not reach, the next root finds in etcd.
told_before() {
    local old=$root new before told
    new=$(other_root) before=$(of c1 dcampTreeDigest.0)
    begin_fault "a root alone that was told something before" cut "$old" "$new"
    ok "$old is told something" "$build/dcamp" config push --wait 0 --config "$work/kept.xml" \
        "${login[@]}" "udp:${addresses[$old]}:161"
    eventually "its nodes work by that" 15 eval '[[ $(of c1 dcampTreeDigest.0) != '"'$before'"' ]]'
    told=$(of c1 dcampTreeDigest.0)
    is "but not the standby" "$(of "$new" dcampTreeDigest.0)" "$before"
    isolate "$old"
    # shellcheck disable=SC2046 # names have no spaces
    becomes_root "$new" "$old" $(all_but "$old")
    end_fault
    is "all work by what $old was told" "$(digests)" "$told"
}

faults_of_etcd() {
    without_servers
    halves
    one_server_away "a server of etcd that is frozen" freeze e1
    one_server_away "another server of etcd that is alone" isolate e2
    no_majority "two servers of etcd that are alone" isolate e2 e3
    no_majority "an etcd that is frozen" freeze "${servers[@]}"
    told_before
}

faults_of_list() {
    begin_fault "a network in two halves" part "r1 c1 m1" "r2 c2 m2"
    eventually "one half has a root" 20 leads r1 r1 c1 m1
    eventually "and the other one" 20 leads r2 r2 c2 m2
    end_fault
}

# -- The run ---------------------------------------------------------------------------------

make_root "$work/root"
ln -s "$top"/mibs/base/*.txt "$(realpath "$build/generated/mibs/DCAMP-MIB.txt")" "$work/client"
snmp=(-v3 -l authPriv -u dcampAdmin -a SHA-256 -A "$passphrase" -x AES -X "$passphrase" -M "$work/client"
    -m DCAMP-MIB:SNMPv2-MIB:SNMP-COMMUNITY-MIB)
make_network
for name in "${servers[@]}"; do
    start_server "$name"
done
for name in "${names[@]}"; do
    start_node "$name"
done
for name in "${names[@]}"; do
    eventually "$name is a base node" 15 eval '[[ $(of '"$name"' dcampNodeName.0) == '"$name"' ]]'
done
for name in "${servers[@]}"; do
    eventually "$name is a server of etcd" 30 server_answers "$name"
done
write_tree >"$work/tree.xml"
login=(-U dcampAdmin -a SHA-256 -A "$passphrase" -x AES -X "$passphrase")
ok "r1 is promoted" "$build/dcamp" promote --config "$work/tree.xml" "${login[@]}" "udp:${addresses[r1]}:161"
eventually "the tree is whole" $((patience + 15)) whole
sed 's/ period="1s"/ period="2s"/' "$work/tree.xml" >"$work/other.xml"
sed 's/ period="1s"/ period="3s"/' "$work/tree.xml" >"$work/kept.xml"
watch_terms &
jobs_started+=($!)
fault "a loss of 10 percent" lose 10
fault "a loss of 30 percent" lose 30
fault "a cut between root and collector" cut "$root" c1
fault "a cut between root and leaf" cut "$root" m1
collector='' child=''
ok "there is a collector below the root" find_link
find_link
begin_fault "a cut between collector and child" cut "$collector" "$child"
eventually "the collector says that the child is down" 15 \
    eval '[[ $(of "$collector" "dcampChildState.\"$child\"") == down || $(of "$child" dcampNodeParent.0) != "$collector" ]]'
eventually "the root gives the child another parent, which polls it" 60 polled_by_another
ok "and says why" grep -q "\"$child\" at .* is not reached by its parent, \"$collector\", but from here" \
    "$journal"
end_fault
was=$root
fault "a cut between root and standby" cut "$root" "$(other_root)"
[[ $coordination == list ]] || is "who holds the lease stays root" "$root" "$was"
"faults_of_$coordination"
alone "a root alone"
alone "the other root alone"
was=$root
begin_fault "a frozen root" freeze "$was"
# shellcheck disable=SC2046 # names have no spaces
eventually "$(other_root) becomes root of all but $was" "$patience" leads "$(other_root)" $(all_but "$was")
end_fault
for name in "${names[@]}"; do
    ok "$name refuses a share of a lower term" refuses_lower "$name" share
done
for name in r1 r2; do
    ok "$name refuses a tree document of a lower term" refuses_lower "$name" tree
done
ok "nothing was changed by that" whole
is "all of them work by the document of the last root" "$(digests)" "$(of "$root" dcampTreeDigest.0)"
is "roots and orders that may not be" "$(terms_of "$journal" 2>"$work/terms")" ""
notices "a term had two roots" second_root
notices "a node took an order of a lower term" old_order
[[ $coordination == list ]] || notices "a root did not stop when it lost its lease" unstoppable
is "roots that do not say why they are it no more" "$(grep -E 'any more: $' "$journal")" ""
is "words that no log should have" "$(grep -Ei 'assert|corrupt|sanitizer|runtime error' "$journal")" ""
echo "# $(grep -c '^observed' "$journal") observations; $(orders) orders; terms and their roots: $(<"$work/terms")"
grep -h 'not the root any more\|this root orders nothing' "$journal" | sed 's/.*warning tree: /# /'
[[ $failed -eq 0 ]] || grep -v '^observed' "$journal" | tail -n 150 | sed 's/^/# /'
finish
