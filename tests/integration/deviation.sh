#!/usr/bin/env bash
# A load that rises and falls every ten seconds: what is unusual for its time raises an alarm, though it
# is usual at another. What was learnt outlives the daemon, and a file of it that is damaged is put aside.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

SPAN=10000

# From 20 up to 45 and down to 20 in a season; 40 more while there is a file "fault".
swing() {
    local pause at
    exec {pause}<> <(:)
    while :; do
        at=$((${EPOCHREALTIME/./} / 1000 % SPAN))
        ((at < SPAN / 2)) || at=$((SPAN - at))
        set_load "$work/root" $((20 + at / 200 + $([[ -e $work/fault ]] && echo 40 || echo 0)))
        read -r -t 0.05 -u "$pause" || true
    done
}

phase() {
    get "dcampThresholdStatePhase.\"$1\".\"node1\".\"total\""
}

phase_is() {
    [[ $(phase "$1") == "$2" ]]
}

knows() {
    [[ $(phase "$1") =~ ^(clear|pending|raised)$ ]]
}

# Less than two seasons have passed since the start: what is known now is known from before.
began_knowing() {
    [[ $(get dcampNodeUpTime.0) -lt $((2 * SPAN / 10)) ]]
}

said() {
    grep -Fq "$1" "$lab_dir/node1/dcampd.log"
}

make_root "$work/root"
background swing
start_lab --root "$work/root"
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null

ok "a season of less than ten seconds is refused" not threshold short Sensor=load Operator=gt Limit=8 \
    Source=deviation Span=9999
ok "and the reason said" grep -q 'needs a span of at least 10s' <<<"$(get dcampSelfSetError.0)"
threshold odd Sensor=load Operator=gt Limit=8 Source=deviation Span=$SPAN Match=3 Window=4 >/dev/null
threshold low Sensor=load Operator=lt Limit=-500 Source=deviation Span=$SPAN >/dev/null
is "its source" "$(get 'dcampThresholdSource."odd"')" deviation
is "it learns" "$(phase odd)" unknown

eventually "it knows what is usual" 60 knows odd
is "after two seasons" "$(began_knowing || echo later)" later
touch "$work/fault"
eventually "what is unusual is raised" 20 phase_is odd raised
index=$(alarm_of node1:odd:total)
ok "in the table, in usual deviations" test "$(get "dcampAlarmThresholdText.$index")" = "> 8"
message=$(get "dcampAlarmMessage.$index")
ok "its message tells what was expected" grep -Eq \
    '^odd: deviation of load on total is [0-9.]+ usual deviations, [0-9]+ tasks where [0-9.]+ tasks was expected \(limit > 8\)$' \
    <<<"$message"
eventually "it is notified" 10 trap_count dcampAlarmRaised node1:odd:total 1

control kill-dcampd --signal TERM
ok "what was learnt is in a file" test -s "$DCAMP_LAB_STATE_1/seasons.cbor"
control start-dcampd
eventually "after a restart, it is judged" 60 knows low
ok "by what was learnt before" began_knowing
is "the alarm is the same row" "$(alarm_of node1:odd:total)" "$index"
rm "$work/fault"
eventually "what is usual again clears it" 20 not alarm_of node1:odd:total
is "it was raised once" "$(log_entries node1:odd:total raised)" 1

ok "another limit" set_ 'dcampThresholdLimit."odd"' s 9
eventually "does not forget what is usual" 60 knows odd
ok "before it could have been learnt anew" began_knowing

control kill-dcampd --signal TERM
printf x | dd of="$DCAMP_LAB_STATE_1/seasons.cbor" bs=1 seek=300 conv=notrunc status=none
control start-dcampd
ok "a damaged file is said" said "seasons.cbor: is damaged: its SHA-256 is another one"
ok "and put aside" test -s "$DCAMP_LAB_STATE_1/seasons.cbor.bad"
ok "the rest of the state is there" exists 'dcampThresholdRowStatus."odd"'
is "the model learns anew" "$(phase low)" unknown
eventually "until it knows" 60 knows low
is "what it can know after two seasons" "$(began_knowing || echo later)" later
finish
