#!/usr/bin/env bash
# restart.sh [--short]: the daemon goes on while its master is restarted, frozen and away, is
# back soon after it, and nothing is lost or told twice.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

restarts=20 frozen=30
[[ ${1:-} != --short && -z ${DCAMP_TEST_SHORT:-} ]] || restarts=3 frozen=8

configured() {
    walk dcampSensorTable | grep -Ev '(Passed|Held|Since|SensorSeries|SensorState)\.'
    walk dcampThresholdTable | grep -v dcampThresholdRaised
}

# answers: whether scalars and every table are there again.
answers() {
    get dcampNodeName.0 | grep -q '^node1$' && exists 'dcampThresholdRowStatus."high"' &&
        exists 'dcampValueText."load"."total"'
}

now_ms() {
    echo $((${EPOCHREALTIME/./} / 1000))
}

start_pace() {
    pace_still=$(stood_still 500)
    pace_cycles=$(get dcampSelfCycles.0)
    pace_ms=$(now_ms)
}

# kept_pace: two cycles a second, as the sensor wants; within 2 percent and the cycle at each end, but
# for those of the time in which the machine stood still.
kept_pace() {
    local cycles due missed
    cycles=$(($(get dcampSelfCycles.0) - pace_cycles))
    due=$((($(now_ms) - pace_ms) / 500))
    missed=$((($(stood_still 500) - pace_still) / 500))
    echo "$cycles cycles, $due due, $missed of them while the machine stood still"
    ((cycles >= (due - missed) * 98 / 100 - 1 && cycles <= due * 102 / 100 + 2))
}

# soon_back: everything answers within 5 seconds, besides those in which the machine stood still.
soon_back() {
    local began took still
    still=$(stood_still)
    began=$(now_ms)
    within 20 answers || return 1
    took=$(($(now_ms) - began)) still=$(($(stood_still) - still))
    echo "after $took ms, in $still of which the machine stood still"
    ((took - still <= 5200))
}

# late_cycles: how many more were late than may have been when the machine stood still.
late_cycles() {
    local n
    n=$(($(get dcampSelfLateCycles.0) - late))
    echo $((n - $(stood_still 500) / 500))
}

# contiguous: whether the blocks have all numbers from first to last and no two are alike.
contiguous() {
    local first last
    first=$(get dcampReportFirst.0)
    walk dcampReportBlock -Ox | awk '
        /^DCAMP-MIB/ { if (NR > 1) print block; block = "" }
        { block = block $0 }
        END { print block }' | sed 's/^DCAMP-MIB::dcampReportBlock\.//' >"$work/blocks"
    last=$(sed -n '$s/ .*//p' "$work/blocks")
    echo "blocks $first to $last"
    cut -d' ' -f1 "$work/blocks" | cmp - <(seq "$first" "$last") &&
        [[ -z $(cut -d' ' -f2- "$work/blocks" | sort | uniq -d) ]]
}

freeze() {
    kill -s STOP "$DCAMP_LAB_PID_SNMPD_1"
    sleep $((frozen / 2))
    set_load "$work/root" 90
    sleep $((frozen - frozen / 2))
    kill -s CONT "$DCAMP_LAB_PID_SNMPD_1"
}

make_root "$work/root"
start_lab --root "$work/root"
key=node1:high:total
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 500 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null
threshold high Sensor=load Operator=gt Limit=50 Severity=critical >/dev/null
sleep 2
before=$(configured)
boot=$(get dcampReportBoot.0)
watch_machine
late=$(get dcampSelfLateCycles.0)
start_pace
back=0
for ((i = 0; i < restarts; i++)); do
    control restart-snmpd --signal "$([[ $((i % 2)) -eq 0 ]] && echo TERM || echo KILL)"
    if soon_back >"$work/back"; then back=$((back + 1)); else sed 's/^/# /' "$work/back"; fi
done
is "everything answered within 5 s after each of $restarts restarts" "$back" "$restarts"
ok "sampling kept its pace during the restarts" kept_pace
is "nothing configured was lost or doubled" "$(configured)" "$before"

start_pace
freeze
ok "everything answers 5 s after $frozen s of a frozen master" soon_back
ok "sampling kept its pace meanwhile" kept_pace
eventually "the alarm raised meanwhile is active" 2 alarm_of "$key"
eventually "its notification came" 15 trap_count dcampAlarmRaised "$key" 1

kill -s KILL "$DCAMP_LAB_PID_SNMPD_1"
sleep 2
set_load "$work/root" 10
sleep 2
control restart-snmpd
ok "everything answers 5 s after a killed master is back" soon_back
eventually "the clear that came while it was away was told" 15 trap_count dcampAlarmCleared "$key" 1
sleep 6
ok "the raise was told once" trap_count dcampAlarmRaised "$key" 1
ok "the clear was told once" trap_count dcampAlarmCleared "$key" 1
is "the raise was logged once" "$(log_entries "$key" raised)" 1
is "the clear was logged once" "$(log_entries "$key" cleared)" 1
is "nothing configured was lost or doubled" "$(configured)" "$before"
is "it is the same daemon" "$(get dcampReportBoot.0)" "$boot"
ok "no cycle was late" test "$(late_cycles)" -le 0
ok "the report blocks are all there, each once" contiguous
ok "it counts its reconnects" test "$(get dcampSelfReconnects.0)" -ge "$restarts"
finish
