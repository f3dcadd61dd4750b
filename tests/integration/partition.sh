#!/usr/bin/env bash
# partition.sh [--seconds N]: a tree whose nodes are in network namespaces of their own, behind a
# bridge that loses packets, cuts links and parts the network; and a root that is frozen. Each fault
# lasts so many seconds. Needs root's rights.
#
# What the list of candidates guarantees is checked after each fault and in the end: one root is
# left, all nodes are its and work by its document, a term has one root at most, and no node takes an
# order of a lower term, as the orders of a root that was alone and was told something there.
# What it does not guarantee is shown: while a network is parted there are two roots, of different
# terms, and what was told to the one of the lower term is lost. Where that must not be, etcd decides:
# etcd.sh.
# shellcheck disable=SC2016 # what eval gets is expanded there
for tool in nft ip nsenter unshare; do
    [[ -n $(type -P $tool) ]] || {
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    }
done
if [[ -z ${DCAMP_OWN_NETWORK:-} ]]; then
    unshare -n nft list ruleset >/dev/null 2>&1 || {
        echo "1..0 # SKIP there are no network namespaces of its own"
        exit 77
    }
    DCAMP_OWN_NETWORK=1 exec unshare -n "$BASH" "$0" "$@"
fi
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

seconds=8
[[ ${1:-} != --seconds ]] || seconds=$2
build=${DCAMP_BUILD:-$top/build}
names=(r1 r2 c1 c2 m1 m2)
passphrase=0123456789abcdef
declare -A addresses spaces snmpds daemons
frozen=

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
    within 5 eval '[[ $(readlink /proc/'"$!"'/ns/net) != $(readlink /proc/$$/ns/net) ]]'
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
    for ((i = 0; i < ${#names[@]}; i++)); do
        make_space "${names[i]}" $((i + 1))
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

# Those on one side do not reach those on the other one.
part() {
    local a b
    for a in r1 c1 m1; do
        for b in r2 c2 m2; do
            cut "$a" "$b"
        done
    done
}

isolate() {
    nft add rule bridge faults links ip saddr "${addresses[$1]}" counter drop
    nft add rule bridge faults links ip daddr "${addresses[$1]}" counter drop
}

# Links are whole again, and who is frozen runs.
heal() {
    nft flush chain bridge faults links
    [[ -z $frozen ]] || signal_node "$frozen" CONT
    frozen=
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
    MIBS='' SNMPCONFPATH=$own SNMP_PERSISTENT_DIR=$own/persist inside "$1" \
        snmpd -f -Lo -I -smux,mteTrigger,mteTriggerConf -C -c "$own/snmpd.conf" >"$own/snmpd.log" 2>&1 &
    snmpds[$1]=$!
    inside "$1" "$build/dcampd" -f -c "$own/dcamp.xml" --agentx-socket "unix:$own/agentx" \
        --state-dir "$own/state" --root "$work/root" >"$own/dcampd.log" 2>&1 &
    daemons[$1]=$!
    jobs_started+=("${daemons[$1]}" "${snmpds[$1]}")
}

# signal_node NAME SIGNAL: to its snmpd, its dcampd and the processes of that.
signal_node() {
    local pids
    pids=$(pgrep -P "${daemons[$1]}" || true)
    # shellcheck disable=SC2086 # numbers
    kill "-$2" "${snmpds[$1]}" "${daemons[$1]}" $pids
}

freeze() {
    frozen=$1
    signal_node "$1" STOP
}

write_tree() {
    local name
    printf 'auth %s\npriv %s\n' $passphrase $passphrase >"$work/site.secret"
    chmod 600 "$work/site.secret"
    cat <<EOF
<tree version="1">
  <rules fanout="3" heartbeat="500ms" missed="3" leaf-heartbeat="1s" period="1s"/>
  <access secrets="$work/site.secret"/>
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

# of NAME OBJECT...: values of a node in one line; fails where one is not there.
of() {
    local node=${addresses[$1]} values snmp=("${snmp[@]}" -t 0.5 -r 1)
    values=$(get "${@:2}" 2>/dev/null) && [[ $values != *"No Such"* ]] && tr -d '"' <<<"$values" | paste -sd ' '
}

# As each node says, again and again: "NODE TERM ROOT [TERM ROOT]", of the latest order of a share,
# and of a tree document where one was ordered.
watch_terms() {
    local name
    while :; do
        for name in "${names[@]}"; do
            of "$name" dcampDocumentTerm.share dcampDocumentRoot.share dcampDocumentTerm.tree \
                dcampDocumentRoot.tree | sed "s/^/$name /" || true
        done
        sleep 0.2
    done >"$work/terms"
}

roots() {
    local name
    for name in "${names[@]}"; do
        [[ $(of "$name" dcampTreeIsRoot.0) != true ]] || echo "$name"
    done
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
    root=$(roots) && [[ $(wc -w <<<"$root") -eq 1 ]] || return 1
    local node=${addresses[$root]}
    [[ $(walk dcampTreeState 2>/dev/null | grep -c ' up$') -eq ${#names[@]} ]] || return 1
    obey "$root" "${names[@]}" && [[ $(digests | wc -l) -eq 1 ]]
}

# leads ROOT NAME...: it is root, and has these.
leads() {
    [[ $(of "$1" dcampTreeIsRoot.0) == true ]] && obey "$@"
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

roots_of_terms() {
    local name
    for name in "${names[@]}"; do
        sed -n "s/.*this node is the root, in term \([0-9]*\)\$/\1 $name/p" "$work/$name/dcampd.log"
    done
    awk '{ print $2, $3 } NF == 5 { print $4, $5 }' "$work/terms"
}

terms_of_two() {
    roots_of_terms | sort -u | awk '{ n[$1]++; who[$1] = who[$1] " " $2 } END { for (t in n) if (n[t] > 1) print t who[t] }'
}

lower_terms() {
    awk '$2 < share[$1] || $4 < tree[$1] { print } { share[$1] = $2; tree[$1] = $4 }' "$work/terms"
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

# The time of the fault is over; then all is well again.
end_fault() {
    local left=$((seconds - ($(date +%s%N) - began) / 1000000000))
    [[ $left -le 0 ]] || sleep "$left"
    [[ -n $frozen ]] || ok "packets were lost by $description" grep -q 'packets [1-9]' <(nft list ruleset)
    heal
    began=$(date +%s%N)
    eventually "after $description, there is one root, which has all" 45 whole
    echo "# whole after $((($(date +%s%N) - began) / 1000000)) ms; root ${root:-none}, in term" \
        "$(of "${root:-r1}" dcampTreeRootTerm.0 || true)"
}

fault() {
    begin_fault "$@"
    end_fault
}

# The root is alone, and is given another document there. It does not know of the other one, but
# nobody takes its orders when it is back.
alone() {
    local old=$root new before
    new=$(other_root) before=$(digests)
    begin_fault "$1" isolate "$old"
    # shellcheck disable=SC2046 # names have no spaces
    eventually "$new becomes root of all but $old" 15 leads "$new" $(all_but "$old")
    echo "# $new has all others after $((($(date +%s%N) - began) / 1000000)) ms"
    is "$old does not know: two roots" "$(roots)" $'r1\nr2'
    ok "of different terms" test "$(of "$old" dcampTreeRootTerm.0)" -lt "$(of "$new" dcampTreeRootTerm.0)"
    ok "$old is told something else" "$build/dcamp" config push --wait 0 --config "$work/other.xml" \
        "${login[@]}" "udp:${addresses[$old]}:161"
    eventually "and works by that, unlike the others" 15 eval '[[ $(digests | wc -l) -eq 2 ]]'
    end_fault
    is "what only $old was told is lost" "$(digests)" "$before"
    is "and $new stays root" "$root" "$new"
}

# other_root: the candidate that is not root.
other_root() {
    [[ $root == r1 ]] && echo r2 || echo r1
}

# -- The run ---------------------------------------------------------------------------------

make_root "$work/root"
ln -s "$top"/mibs/base/*.txt "$(realpath "$build/generated/mibs/DCAMP-MIB.txt")" "$work/client"
snmp=(-v3 -l authPriv -u dcampAdmin -a SHA-256 -A "$passphrase" -x AES -X "$passphrase" -M "$work/client"
    -m DCAMP-MIB:SNMPv2-MIB:SNMP-COMMUNITY-MIB)
make_network
for name in "${names[@]}"; do
    start_node "$name"
done
for name in "${names[@]}"; do
    eventually "$name is a base node" 15 eval '[[ $(of '"$name"' dcampNodeName.0) == '"$name"' ]]'
done
write_tree >"$work/tree.xml"
login=(-U dcampAdmin -a SHA-256 -A "$passphrase" -x AES -X "$passphrase")
ok "r1 is promoted" "$build/dcamp" promote --config "$work/tree.xml" "${login[@]}" "udp:${addresses[r1]}:161"
eventually "the tree is whole" 30 whole
sed 's/period="1s"/period="2s"/' "$work/tree.xml" >"$work/other.xml"
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
    "$work/$root/dcampd.log"
end_fault
fault "a cut between root and standby" cut "$root" "$(other_root)"
begin_fault "a network in two halves" part
eventually "one half has a root" 20 leads r1 r1 c1 m1
eventually "and the other one" 20 leads r2 r2 c2 m2
end_fault
alone "a root alone"
alone "the other root alone"
was=$root
begin_fault "a frozen root" freeze "$was"
# shellcheck disable=SC2046 # names have no spaces
eventually "$(other_root) becomes root of all but $was" 15 leads "$(other_root)" $(all_but "$was")
end_fault
for name in "${names[@]}"; do
    ok "$name refuses a share of a lower term" refuses_lower "$name" share
done
for name in r1 r2; do
    ok "$name refuses a tree document of a lower term" refuses_lower "$name" tree
done
ok "nothing was changed by that" whole
is "terms with two roots" "$(terms_of_two)" ""
is "orders of a lower term that were taken" "$(lower_terms)" ""
is "roots that do not say why they are it no more" "$(grep -EH 'any more: $' "$work"/*/dcampd.log)" ""
is "words that no log should have" "$(grep -EHi 'assert|corrupt|sanitizer|runtime error' "$work"/*/dcampd.log)" ""
echo "# $(wc -l <"$work/terms") observations; terms and their roots: $(roots_of_terms | sort -un | paste -sd ';')"
grep -h 'not the root any more' "$work"/*/dcampd.log | sed 's/.*warning tree: /# /'
[[ $failed -eq 0 ]] || tail -n 25 "$work"/*/dcampd.log | sed 's/^/# /'
finish
