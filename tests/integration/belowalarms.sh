#!/usr/bin/env bash
# The alarms of everything below, at the root of four nodes and two collectors: where they come
# from, how they end, and that after whatever was lost or killed the root has what its nodes have.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

machines=$work/machines

# own NODE PATH: the node's own alarms as the root is to show them, a line each.
own() {
    local column
    for column in Key Index Node Threshold Sensor Instance Severity ValueText ThresholdText Message \
        Acknowledge; do
        [[ $column == Index ]] || at "$1" walk "dcampAlarm$column"
    done | grep -v 'No Such' | awk -v path="$2" '
        { row = $1; sub(/.*\./, "", row); sub(/^[^ ]+ ?/, ""); rows[row] = rows[row] "|" $0 }
        END { for (row in rows) print path "|" row rows[row] }'
}

# below NODE: what it shows of the nodes below, in the same form.
below() {
    local column
    for column in Path Index Key Node Threshold Sensor Instance Severity ValueText ThresholdText \
        Message Acknowledged; do
        at "$1" walk "dcampChildAlarm$column"
    done | grep -v 'No Such' | awk '
        { row = $1; sub(/^[^"]*/, "", row); sub(/^[^ ]+ ?/, ""); rows[row] = rows[row] "|" $0 }
        END { for (row in rows) print substr(rows[row], 2) }' | sort
}

union() {
    local i
    {
        own collector1 collector1
        own collector2 collector2
        for i in 1 2 3 4; do
            own "$i" "collector$(((i + 1) / 2))/node$i"
        done
    } | sort
}

is_union() {
    diff <(union) <(below root)
}

# shows NODE PATTERN NUMBER: so many of the lines there match.
shows() {
    [[ $(below "$1" | grep -cE "$2") -eq $3 ]]
}

# counts NODE CHILD CRITICAL WARNING INFO
counts() {
    [[ $(at "$1" get "dcampChildAlarmsCritical.\"$2\"" "dcampChildAlarmsWarning.\"$2\"" \
        "dcampChildAlarmsInfo.\"$2\"" | tr '\n' ' ') == "$3 $4 $5 " ]]
}

unconfirmed() {
    [[ $(at "$1" walk dcampChildAlarmUnconfirmed | grep -c ' true$') -eq $2 ]]
}

lost_blocks() {
    [[ $(as_number at "$1" get "dcampChildLostBlocks.\"$2\"") -gt 0 ]]
}

child_is() {
    [[ $(at "$1" get "dcampChildState.\"$2\"") == "$3" ]]
}

load() {
    set_load "$machines/node$1" "$2"
}

make_root "$machines"
for i in 1 2 3 4; do
    make_root "$machines/node$i"
    load "$i" 10
done
cat >"$work/leaf.xml" <<END
<dcamp version="1"><node/><report keep="16"/><sensors>
$(load_sensors 250ms)
</sensors><thresholds>
<threshold name="busy" sensor="load" operator="gt" limit="50" clear="40" severity="warning"/>
<threshold name="overload" sensor="load" operator="gt" limit="80" clear="70" severity="critical"/>
<threshold name="idle" sensor="load" operator="lt" limit="5" severity="info"/>
</thresholds></dcamp>
END
start_lab --nodes 4 --collectors 2 --config "$work/leaf.xml" --root "$machines"

ok "nothing is wrong anywhere: the root shows nothing" shows root . 0
load 1 60
eventually "raised at a leaf, it is at the root" 8 \
    shows root '^collector1/node1\|[0-9]+\|node1:busy:total\|node1\|busy\|load\|total\|warning\|60\|> 50\|.*\|$' 1
ok "and at the collector" shows collector1 '^node1\|[0-9]+\|node1:busy:total' 1
ok "not at the other one" shows collector2 . 0
ok "counted by severity" counts root collector1 0 1 0
ok "it is confirmed" unconfirmed root 0
is "since, by the clock of the leaf" "$(at root walk dcampChildAlarmSince | cut -d' ' -f2-)" \
    "$(at 1 walk dcampAlarmSince | cut -d' ' -f2-)"
revision=$(at root get dcampChildAlarmRevision.0)
sleep 2
is "while nothing changes, the revision says so" "$(at root get dcampChildAlarmRevision.0)" "$revision"

index=$(at 1 alarm_of node1:busy:total)
ok "SET: acknowledged at the leaf" at 1 set_ "dcampAlarmAcknowledge.$index" s 'Ann: on my way'
eventually "the root shows by whom" 8 shows root 'node1:busy.*\|Ann: on my way$' 1
ok "the revision has changed" not test "$(at root get dcampChildAlarmRevision.0)" = "$revision"

ok "SET: a threshold of the collector on its children" at collector1 threshold watched Sensor=load \
    'Children=*' Operator=gt Limit=50 Severity=info
eventually "its alarm of the same child is another one" 8 shows root '^collector1\|.*node1:watched:' 1
eventually "each once" 8 shows root . 2
load 2 90
load 3 3
eventually "of three leaves, and of the collector" 8 counts root collector1 1 2 2
eventually "and the other one" 8 counts root collector2 0 0 1
eventually "the root has what its nodes have" 8 is_union
build=${DCAMP_BUILD:-$top/build}
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
login=(-U lab --secrets "$work/secrets")
"$build/dcamp" alarms "${login[@]}" "$DCAMP_LAB_ROOT" >"$work/alarms" 2>&1 || true
is "dcamp alarms at the root shows all" "$(grep -cE 'collector[12]/node[123] |collector1 ' "$work/alarms")" 6
ok "with severity, path and message" grep -qE '^critical .*collector1/node2 .*node2:overload:total' \
    "$work/alarms"
"$build/check_dcamp" "${login[@]}" -H "$DCAMP_LAB_ROOT" alarms --below >"$work/check" 2>&1 || true
ok "check_dcamp alarms --below counts them" grep -q '6 active alarms (1 critical, 2 warning, 3 info)' \
    "$work/check"
"$build/check_dcamp" "${login[@]}" -H "$DCAMP_LAB_ROOT" tree >"$work/tree" 2>&1 || true
ok "check_dcamp tree, too" grep -q '1 critical, 2 warning, 3 info' "$work/tree"

load 1 20
eventually "cleared at the leaf, it is gone at the root" 8 shows root 'node1:' 0
load 1 60
eventually "raised anew" 8 shows root 'node1:busy' 1

# -- Killed ----------------------------------------------------------------------------------

control kill-dcampd --node 2 --signal KILL
eventually "a leaf is killed: it is down" 10 child_is collector1 node2 down
eventually "the root has its alarms, and that it is lost" 8 \
    shows root '^collector1/node2\|.*node2:|^collector1\|.*node2:node-lost:' 3
eventually "those are not confirmed" 5 unconfirmed root 2
load 2 60
control start-dcampd --node 2
eventually "it is back: what is over meanwhile is gone" 10 shows root 'node2:overload' 0
eventually "all is confirmed" 10 unconfirmed root 0
eventually "the root has what its nodes have" 10 is_union

control kill-dcampd --node collector1 --signal KILL
load 2 20
eventually "a collector is killed; meanwhile all is well at a leaf" 8 not at 2 alarm_of node2:busy:total
control start-dcampd --node collector1
eventually "which the root hears when it is back" 12 shows root 'node2:' 0
eventually "nothing is lost" 12 is_union
numbers=$(at root walk dcampChildAlarmIndex)
control kill-dcampd --node root --signal KILL
control start-dcampd --node root
eventually "the root is killed" 12 is_union
is "the alarms have the numbers that they had" "$(at root walk dcampChildAlarmIndex)" "$numbers"
load 4 95
control restart-snmpd --node 4
eventually "an snmpd starts again: what was raised meanwhile comes" 10 shows root '/node4\|.*node4:' 2
eventually "the root has what its nodes have" 10 is_union

# -- Lost blocks -----------------------------------------------------------------------------

frozen=$(pid_of dcampd collector2)
mapfile -t pollers < <(pgrep -P "$frozen")
kill -STOP "$frozen" "${pollers[@]}"
load 4 10
load 3 60
last=$(at 3 get dcampReportLast.0)
# What the collector does not have is not kept any more.
overtaken() {
    [[ $(as_number at 3 get dcampReportFirst.0) -gt $((last + 1)) ]]
}
eventually "a leaf goes on, and further than it keeps" 20 overtaken
load 3 3
eventually "there is another alarm of it" 8 at 3 alarm_of node3:idle:total
kill -CONT "$frozen" "${pollers[@]}"
eventually "blocks were lost while a collector stood still" 10 \
    lost_blocks collector2 node3
eventually "the root has what its nodes have" 10 is_union
ok "the leaf that is quiet again has none" shows root 'node4:' 0

ok "SET: the collector does not poll a child any more" at collector1 set_ \
    'dcampChildRowStatus."node1"' i notInService
eventually "its alarms are gone" 8 shows root 'node1:' 0
ok "SET: it does again" at collector1 set_ 'dcampChildRowStatus."node1"' i active
eventually "they are back" 10 shows root '/node1\|.*node1:busy' 1
eventually "and that of the collector" 10 shows root . 3
eventually "in the end, the root has what its nodes have" 12 is_union
ok "which is something" shows root . 3
finish
