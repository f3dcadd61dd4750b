#!/usr/bin/env bash
# collect.sh [--short]: leaves, collectors and a root under real agents. The root shows everything,
# aggregates are what the leaves have, for an hour; and whoever goes and comes back is missed, told
# of once and counted again.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

leaves=4 steady=3600
[[ ${1:-} != --short && -z ${DCAMP_TEST_SHORT:-} ]] || steady=5
root=$work/machines

# -- Machines that stand still, so that nothing moves between two reads ----------------------

# put FILE: from standard input. dcampd has it open, so that it changes in place and has to keep its
# length.
put() {
    cat 1<>"$1"
}

# free_memory LEAF ROUND: in kB.
free_memory() {
    echo $((1000000 + 70001 * $1 * $1 + 977 * $2))
}

# set_leaf LEAF ROUND: every leaf and every round has other values.
set_leaf() {
    local own=$root/node$1/proc by=$(($1 + 10 * $2)) name i
    for name in "0 sda" "1 sda1" "16 sdb"; do
        i=${name% *}
        printf '8 %s %12d 0 8000 10 %18d 0 90 7 0 5 17\n' "$name" $((1000 * by + i)) \
            $((3000000000 * by + i))
    done | put "$own/diskstats"
    {
        head -n 2 /proc/net/dev
        for i in 1 2; do
            printf '  eth%d: %18d %12d 0 0 0 0 0 0 %12d %12d 0 0 0 0 0 0\n' "$i" \
                $((by * 9000000000 + i)) $((by * 77 + i)) $((by * 1000 + i)) $((by * 33 + i))
        done
    } | put "$own/net/dev"
    printf 'MemTotal: %12d kB\nMemFree: %12d kB\nMemAvailable: %12d kB\n' $((4000000 + $1)) \
        "$(free_memory "$1" "$2")" $((1500000 + 11 * $1)) | put "$own/meminfo"
}

# Counters as they are: rates of what stands still are all 0.
write_config() {
    local metric
    {
        echo '<dcamp version="1"><node/><sensors>'
        for metric in cpu.busy mem.total mem.free load.1 net.rx.bytes net.tx.bytes \
            net.rx.packets net.tx.packets disk.reads disk.writes; do
            echo "<sensor name=\"$metric\" metric=\"$metric\" interval=\"1s\"/>"
        done
        echo '<sensor name="mem.free.percent" expression="100% * mem.free / mem.total"'
        echo 'interval="1s"/></sensors></dcamp>'
    } >"$work/leaf.xml"
}

# -- Questions -------------------------------------------------------------------------------

collector_of() {
    echo "collector$((($1 + 1) / 2))"
}

# Of a node, or of what its parent shows of it: "sensor instance" and the state or the value.
all_rows() {
    {
        walk dcampValueState
        walk dcampValueText
        walk dcampAggregateValueState
        walk dcampAggregateValueText
    } | sed -nE 's/^[^.]*\.//p' | sort
}

child_rows() {
    local child=$1
    { walk dcampChildValueState; walk dcampChildValueText; } |
        sed -nE "s/^[^.]*\.\"$child\"\.//p" | sort
}

# shows PARENT CHILD NAME: whether the parent shows what the child has.
shows() {
    at "$2" all_rows >"$work/rows"
    [[ -s $work/rows ]] && at "$1" child_rows "$3" | diff - "$work/rows"
}

state_is() {
    [[ $(at "$1" get "dcampChildState.\"$2\"") == "$3" ]]
}

# counts NODE AGGREGATE EXPECTED REPORTING MISSING [INSTANCE]
counts() {
    local row="\"$2\".\"${6:-total}\""
    [[ $(at "$1" get "dcampAggregateValueExpected.$row" "dcampAggregateValueReporting.$row" \
        "dcampAggregateValueMissing.$row" | paste -sd ' ') == "$3 $4 $5" ]]
}

aggregated() {
    at "$1" get "dcampAggregateValueText.\"$2\".\"${3:-total}\""
}

# The leaves' own tables, for leaf_values.
read_leaves() {
    local leaf
    for ((leaf = 1; leaf <= leaves; leaf++)); do
        at "$leaf" walk dcampValueText >"$work/leaf$leaf"
    done
}

# leaf_values SENSOR PATTERN LEAF...: of the instances that match an extended regular expression.
leaf_values() {
    local leaf
    for leaf in "${@:3}"; do
        sed -nE "s/^[^.]*\.\"$1\"\.\"($2)\" //p" "$work/leaf$leaf"
    done
}

# compute FUNCTION: of the numbers on standard input; the percentile is the 50th, nearest rank.
compute() {
    sort -g | awk -v function_="$1" '
        { x[++n] = $1; sum += $1 }
        END {
            for (i = 1; i <= n; i++) squares += (x[i] - sum / n) ^ 2
            rank = int((n + 1) / 2)
            value["sum"] = sum; value["avg"] = sum / n; value["min"] = x[1]; value["max"] = x[n]
            value["count"] = n; value["stddev"] = sqrt(squares / n); value["percentile"] = x[rank]
            printf "%.9f\n", value[function_]
        }'
}

# near ACTUAL EXPECTED PART: whether they differ by at most this part of the expected one.
near() {
    echo "$1, not $2"
    [[ -n $1 ]] && awk -v a="$1" -v b="$2" -v part="$3" \
        'BEGIN { d = a - b; l = (b < 0 ? -b : b) * part + 1e-6; exit !(d <= l && -d <= l) }'
}

# recomputed NODE AGGREGATE FUNCTION SENSOR PATTERN LEAF...
recomputed() {
    local where=$1 aggregate=$2 function=$3 part=1e-12
    [[ $function != percentile ]] || part=0.01
    near "$(aggregated "$where" "$aggregate")" "$(leaf_values "${@:4}" | compute "$function")" "$part"
}

# aggregate NAME SENSOR FUNCTION [COLUMN TYPE VALUE]...
aggregate() {
    local name=$1 sensor=$2 function=$3 words=()
    shift 3
    while [[ $# -gt 0 ]]; do
        words+=("dcampAggregate$1.\"$name\"" "$2" "$3")
        shift 3
    done
    set_ "dcampAggregateSensor.\"$name\"" s "$sensor" "dcampAggregateFunction.\"$name\"" i "$function" \
        "dcampAggregateInterval.\"$name\"" u 1000 "${words[@]}" \
        "dcampAggregateRowStatus.\"$name\"" i createAndGo
}

# child NAME ADDRESS CREDENTIAL: in a group of its own, which no aggregate is over.
child() {
    set_ "dcampChildAddress.\"$1\"" s "$2" "dcampChildCredential.\"$1\"" s "$3" \
        "dcampChildGroup.\"$1\"" s odd "dcampChildPeriod.\"$1\"" u 1000 \
        "dcampChildRowStatus.\"$1\"" i createAndGo
}

error_is() {
    [[ $(at "$1" get "dcampChildError.\"$2\"") =~ $3 ]]
}

# told EVENT NODE NUMBER: whether exactly that many notifications came.
told() {
    trap_count "dcampNode$1" "$2:node-lost:" "$3"
}

gone() {
    [[ ! -e /proc/$1 ]]
}

# boot_is CHILD BOOT
boot_is() {
    [[ $(get "dcampChildBoot.\"$1\"") == "$2" ]]
}

pollers_of() {
    sed -nE 's/.*poller [0-9]+ is process ([0-9]+)$/\1/p' "$lab_dir/$1/dcampd.log"
}

# soon DESCRIPTION COMMAND...: as ok, but it may need a while.
soon() {
    within 10 "${@:2}" || true
    ok "$@"
}

now_ms() {
    echo $((${EPOCHREALTIME/./} / 1000))
}

# -- Everything is there ---------------------------------------------------------------------

make_root "$root"
for ((i = 1; i <= leaves; i++)); do
    make_root "$root/node$i"
    for file in diskstats net/dev meminfo; do
        : >"$root/node$i/proc/$file"
    done
    set_load "$root/node$i" $((10 + 7 * i))
    set_leaf "$i" 0
done
write_config
start_lab --nodes "$leaves" --collectors 2 --config "$work/leaf.xml" --root "$root"

# place NODE: its role, level and parent.
place() {
    at "$1" get dcampNodeRole.0 dcampNodeLevel.0 dcampNodeParent.0 | paste -sd ' '
}

is "the root is one" "$(place root)" 'root 0 '
is "a collector says who is above it" "$(place collector2)" 'collector 1 root'
is "and so does a leaf" "$(place 1)" 'metric 2 collector1'
# same_percent LEAF: whether the root has its own value of it.
same_percent() {
    local value
    value=$(at "$1" get 'dcampValueText."mem.free.percent"."total"')
    [[ -n $value && $(aggregated root node.mem.free.percent "node$1") == "$value" ]]
}

for child in collector1 collector2; do
    ok "the root has $child" state_is root "$child" up
    eventually "the root shows all of $child, its aggregates, too" 10 shows root "$child" "$child"
done
for ((i = 1; i <= leaves; i++)); do
    is "a collector knows the name of leaf $i" "$(at "$i" get dcampNodeName.0)" "node$i"
    eventually "$(collector_of "$i") shows all of leaf $i" 5 shows "$(collector_of "$i")" "$i" "node$i"
    eventually "the root shows a value of leaf $i" 10 same_percent "$i"
    eventually "it has joined, once" 10 told Joined "node$i" 1
done

# -- Aggregates equal what is computed of the leaves' own tables -----------------------------

# check_aggregates NODE LEAF...: those of the lab.
check_aggregates() {
    local where=$1 metric
    shift
    soon "$where: number of nodes" recomputed "$where" all.nodes count cpu.busy total "$@"
    soon "$where: average CPU" recomputed "$where" all.cpu.busy avg cpu.busy total "$@"
    soon "$where: average free memory" \
        recomputed "$where" all.mem.free.percent avg mem.free.percent total "$@"
    for metric in net.rx.bytes net.tx.bytes net.rx.packets net.tx.packets; do
        soon "$where: sum of $metric" recomputed "$where" "all.$metric" sum "$metric" 'eth[12]' "$@"
        soon "$where: of all series" counts "$where" "all.$metric" $((2 * $#)) $((2 * $#)) 0
    done
    for metric in disk.reads disk.writes; do
        soon "$where: sum of $metric" recomputed "$where" "all.$metric" sum "$metric" 'sd[ab]' "$@"
        soon "$where: of disks only" counts "$where" "all.$metric" $((2 * $#)) $((2 * $#)) 0
    done
}

read_leaves
check_aggregates collector1 1 2
check_aggregates collector2 3 4
check_aggregates root 1 2 3 4

functions=(sum avg min max count stddev percentile)
for function in "${functions[@]}"; do
    parameter=()
    [[ $function != percentile ]] || parameter=(Parameter s 50)
    for where in collector1 collector2; do
        ok "$where: $function by a SET" at "$where" \
            aggregate "t.$function" mem.free "$function" Groups s default "${parameter[@]}"
    done
    ok "root: $function by a SET" at root aggregate "t.$function" "t.$function" "$function" "${parameter[@]}"
done
ok "root: an aggregate of one by a SET" at root aggregate t.default t.sum sum
ok "shares by a SET" at collector1 aggregate t.share mem.free share
ok "the largest by a SET" at collector1 aggregate t.top mem.free top Parameter s 1
for function in "${functions[@]}"; do
    eventually "collector1: $function is right" 10 recomputed collector1 "t.$function" "$function" mem.free total 1 2
    eventually "root: $function of all leaves is right" 10 \
        recomputed root "t.$function" "$function" mem.free total 1 2 3 4
done
is "the largest is named" "$(aggregated collector1 t.top node2/total)" "$(leaf_values mem.free total 2)"
shares=$(at collector1 walk dcampAggregateValueText | grep -F '."t.share".' | cut -d ' ' -f 2 | compute sum)
ok "shares make a whole" near "$shares" 100 1e-6

# -- A leaf goes and comes back --------------------------------------------------------------

# down_within PARENT CHILD TIME [LIMIT]: gone since TIME, it is down within three periods, and LIMIT
# allows for the questions. Where the machine stands still, the poll that is due then is one of the next
# period.
down_within() {
    local took limit=${4:-3500}
    within 10 state_is "$1" "$2" down || true
    took=$(($(now_ms) - $3))
    limit=$((limit + $(stood_still 1000)))
    ok "it is down" state_is "$1" "$2" down
    ok "within three periods" test "$took" -le "$limit"
}

# lost LEAF TIME [LIMIT]
lost() {
    local collector
    collector=$(collector_of "$1")
    down_within "$collector" "node$1" "${@:2}"
    eventually "its collector misses it" 10 counts "$collector" all.nodes 2 1 1
    eventually "every series of it" 10 counts "$collector" all.net.rx.bytes 4 2 2
    eventually "and so does the root" 10 counts root all.nodes 4 3 1
    eventually "the root, too, every series" 10 counts root all.net.rx.bytes 8 6 2
    eventually "its own value counts as missing" 10 counts root node.mem.free.percent 1 0 1 "node$1"
    eventually "dcampNodeLost came" 10 told Lost "node$1" 1
    ok "it is an active alarm" at "$collector" alarm_of "node$1:node-lost:"
    is "its last values are stale" \
        "$(at "$collector" get "dcampChildValueState.\"node$1\".\"mem.total\".\"total\"")" stale
}

# back LEAF: what lost saw reverses.
back() {
    local collector
    collector=$(collector_of "$1")
    eventually "it is up again" 10 state_is "$collector" "node$1" up
    eventually "its collector counts it again" 10 counts "$collector" all.nodes 2 2 0
    eventually "the root, too" 10 counts root all.nodes 4 4 0
    eventually "nothing is missing at the root" 10 counts root all.net.rx.bytes 8 8 0
    eventually "its own value is there again" 10 counts root node.mem.free.percent 1 1 0 "node$1"
    eventually "all of it is shown" 10 shows "$collector" "$1" "node$1"
    eventually "dcampNodeJoined came" 10 told Joined "node$1" 2
    ok "the alarm is cleared" not at "$collector" alarm_of "node$1:node-lost:"
    ok "it was told once that it was lost" told Lost "node$1" 1
}

boot=$(at 1 get dcampReportBoot.0)
watch_machine
control kill-dcampd --node 1 --signal KILL
kill -KILL "$(pid_of snmpd 1)"
lost 1 "$(now_ms)"
soon "sums are those of the others" recomputed root all.net.rx.bytes sum net.rx.bytes 'eth[12]' 2 3 4
soon "and the average is" recomputed root all.mem.free.percent avg mem.free.percent total 2 3 4
control restart-snmpd --node 1
control start-dcampd --node 1
back 1
is "its new boot is shown" "$(at collector1 get 'dcampChildBoot."node1"')" $((boot + 1))

boot=$(at 2 get dcampReportBoot.0)
restarted=$(now_ms)
control start-dcampd --node 2
restarted=$(($(now_ms) - restarted))
eventually "a restarted leaf: its new boot" 10 at collector1 boot_is node2 $((boot + 1))
eventually "nothing of it is missing" 10 counts collector1 all.net.rx.bytes 4 4 0
eventually "all of it is shown" 10 shows collector1 2 node2
((restarted > 2000)) || ok "it was not lost" told Lost node2 0

# Its snmpd answers, as one does that never was a node.
watch_machine
control kill-dcampd --node 3 --signal KILL
lost 3 "$(now_ms)"
ok "SET: a child that has only snmpd" at collector1 child plain "$DCAMP_LAB_NODE_3" children
eventually "it is refused" 10 state_is collector1 plain refused
ok "for it lacks the objects" error_is collector1 plain 'its agent shows no dCAMP reports.*'
ok "SET: destroy it" at collector1 set_ 'dcampChildRowStatus."plain"' i destroy
control start-dcampd --node 3
back 3

# Nothing says that it is gone: the last of three polls is given up a time-out later.
watch_machine
kill -STOP "$(pid_of snmpd 4)"
lost 4 "$(now_ms)" 4300
kill -CONT "$(pid_of snmpd 4)"
back 4

# -- Children that are not what they should be -----------------------------------------------

secret=$lab_dir/collector2/children.secret
sed 's/^auth .*/auth wrongwrong/' "$secret" >"$work/auth.secret"
sed 's/^priv .*/priv wrongwrong/' "$secret" >"$work/priv.secret"
chmod 600 "$work"/*.secret
for name in auth priv; do
    echo "<credential name=\"$name\" user=\"collector\" secrets=\"$work/$name.secret\"/>"
done >"$work/credentials"
echo "<credential name=\"user\" user=\"nobody\" secrets=\"$secret\"/>" >>"$work/credentials"
sed -i "/<credentials>/r $work/credentials" "$DCAMP_LAB_CONFIG_COLLECTOR_2"
kill -HUP "$(pid_of dcampd collector2)"
eventually "SET: a child with a credential of the new configuration" 10 \
    at collector2 child wrong-auth "$DCAMP_LAB_NODE_1" auth
ok "SET: one with another" at collector2 child wrong-priv "$DCAMP_LAB_NODE_1" priv
ok "SET: one with an unknown user" at collector2 child wrong-user "$DCAMP_LAB_NODE_1" user
ok "SET: one where nobody is" at collector2 child dead udp:127.0.0.1:9 children # discard
ok "SET: a good one" at collector2 child extra "$DCAMP_LAB_NODE_1" children
ok "SET: one with a credential that is not there" at collector2 child wrong-name "$DCAMP_LAB_NODE_1" none
ok "SET: not with a name for an address" not at collector2 child none udp:localhost:161 children
ok "nothing is left of it" not at collector2 exists 'dcampChildRowStatus."none"'
eventually "the good one is up" 10 state_is collector2 extra up
eventually "with all its values" 10 shows collector2 1 extra
eventually "a wrong authentication passphrase" 10 state_is collector2 wrong-auth wrongKey
eventually "a wrong privacy passphrase" 10 state_is collector2 wrong-priv wrongKey
eventually "an unknown user" 10 state_is collector2 wrong-user wrongKey
eventually "a credential that is not there" 10 state_is collector2 wrong-name wrongKey
soon "the reasons are told: credential" error_is collector2 wrong-name 'no such credential'
soon "the reasons are told: digest" error_is collector2 wrong-auth wrongDigests
soon "the reasons are told: user" error_is collector2 wrong-user unknownUserNames
eventually "nobody there" 10 state_is collector2 dead down
eventually "dcampNodeLost came of it" 10 told Lost dead 1
eventually "the child with a wrong key is lost, too" 10 told Lost wrong-auth 1
soon "the others are polled meanwhile" state_is collector2 node3 up
eventually "an aggregate over the group of the lab is whole" 10 recomputed root t.default sum mem.free total 1 2 3 4

# -- A collector goes and comes back ---------------------------------------------------------

missed=$(at root get 'dcampChildMissed."collector2"')
mapfile -t pollers < <(pollers_of collector2)
ok "it has a poller" test "${#pollers[@]}" -ge 1
ok "SET: a last aggregate" at collector2 aggregate t.last mem.free sum Groups s default
watch_machine
control kill-dcampd --node collector2 --signal KILL
down_within root collector2 "$(now_ms)"
for pid in "${pollers[@]}"; do
    eventually "its poller has ended" 10 gone "$pid"
done
eventually "the root misses its leaves" 10 counts root t.default 4 2 2
ok "and polls on" test "$(at root get 'dcampChildMissed."collector2"')" -gt "$missed"
eventually "dcampNodeLost came of it" 10 told Lost collector2 1
control start-dcampd --node collector2
eventually "it is up again" 10 state_is root collector2 up
eventually "dcampNodeJoined came of it" 10 told Joined collector2 2
eventually "the child by SET is there again" 10 state_is collector2 extra up
eventually "with its values" 10 shows collector2 1 extra
eventually "the aggregate by SET, too" 10 recomputed collector2 t.last sum mem.free total 3 4
eventually "the root counts all leaves" 10 counts root t.default 4 4 0
eventually "and their sum is right" 10 recomputed root t.default sum mem.free total 1 2 3 4
eventually "the dead child is still down" 10 state_is collector2 dead down
ok "that was told once" told Lost dead 1
ok "its children have not joined again" told Joined node4 2
ok "SET: destroy a child" at collector2 set_ 'dcampChildRowStatus."dead"' i destroy
ok "it is gone" not at collector2 exists 'dcampChildState."dead"'
eventually "its alarm is cleared" 10 told Joined dead 1
for name in extra wrong-auth wrong-priv wrong-user wrong-name; do
    ok "SET: destroy $name" at collector2 set_ "dcampChildRowStatus.\"$name\"" i destroy
done
soon "it is still the same root" state_is root collector1 up

# -- Values that move ------------------------------------------------------------------------

# leaf_has LEAF ROUND
leaf_has() {
    [[ $(at "$1" get 'dcampValueText."mem.free"."total"') == $(($(free_memory "$1" "$2") * 1024)) ]]
}

# differences: what the root has that is not what the leaves have.
differences() {
    local function metric
    read_leaves
    for function in "${functions[@]}"; do
        recomputed root "t.$function" "$function" mem.free total 1 2 3 4 || echo "t.$function"
    done
    for metric in net.rx.bytes net.tx.bytes net.rx.packets net.tx.packets; do
        recomputed root "all.$metric" sum "$metric" 'eth[12]' 1 2 3 4 || echo "all.$metric"
    done
    for metric in disk.reads disk.writes; do
        recomputed root "all.$metric" sum "$metric" 'sd[ab]' 1 2 3 4 || echo "all.$metric"
    done
    recomputed root all.mem.free.percent avg mem.free.percent total 1 2 3 4 || echo percent
}

none() {
    differences >"$work/differences"
    ! grep -q '^[a-z]' "$work/differences"
}

# one_round ROUND: prints what is wrong.
one_round() {
    local leaf
    for ((leaf = 1; leaf <= leaves; leaf++)); do
        set_leaf "$leaf" "$1"
    done
    for ((leaf = 1; leaf <= leaves; leaf++)); do
        within 5 leaf_has "$leaf" "$1" || echo "round $1: leaf $leaf does not see it"
    done
    within 6 none || sed "s/^/round $1: /" "$work/differences"
}

until_seconds=$((SECONDS + steady)) rounds=0
while ((SECONDS < until_seconds)); do
    rounds=$((rounds + 1))
    one_round "$rounds" >>"$work/wrong"
done
is "$rounds rounds of new values: every aggregate is what the leaves have" "$(cat "$work/wrong")" ""
ok "no report block was lost or bad on the way" test "$(for where in root collector1 collector2; do
    at "$where" walk dcampChildLostBlocks
    at "$where" walk dcampChildBadBlocks
done | awk '{ n += $NF } END { print n }')" -eq 0
finish
