#!/usr/bin/env bash
# A SET is done whole or not at all: bad ones get the right error and change nothing; rows are
# made, paused, completed and destroyed as RFC 2579 says.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# All that can be configured; not what is counted beside it.
configured() {
    { walk dcampSensorTable; walk dcampFilterTable; walk dcampThresholdTable; } |
        grep -Ev '(Passed|Held|Raised|Since|SensorKind|SensorUnit|SensorSeries|SensorState|Error)\.'
}

# refused REASON OBJECT NUMBER: whether the output of snmpset in $output says so.
refused() {
    grep -q "^Reason: $1 " <<<"$output" && grep -Fq "Failed object: DCAMP-MIB::$2" <<<"$output"
}

# One bad varbind, alone and as the first, middle and last of good ones.
good1=('dcampSensorInterval."good"' u 777)
good2=('dcampFilterThrottle."good"' u 777)
bad() {
    local reason=$1 place output status=0 words
    shift
    for place in alone first middle last; do
        case $place in
        alone) words=("$@") ;;
        first) words=("$@" "${good1[@]}" "${good2[@]}") ;;
        middle) words=("${good1[@]}" "$@" "${good2[@]}") ;;
        last) words=("${good1[@]}" "${good2[@]}" "$@") ;;
        esac
        output=$(set_ "${words[@]}" 2>&1) && status=1
        refused "$reason" "$1" || status=1
        [[ $status -eq 0 ]] || break
    done
    report "$status" "$reason: $1 $2 ${3:0:40}" "${place:-}: $output"
    [[ $(configured) == "$before" ]] || report 1 "nothing has changed after that"
}

status_of() {
    get "dcamp$1RowStatus.\"new\"" 2>&1
}

# by_steps KIND COLUMNS...: createAndWait, column by column (three words each), and away again.
by_steps() {
    local kind=$1 status="dcamp$1RowStatus.\"new\""
    shift
    ok "$kind: createAndWait" set_ "$status" i createAndWait
    while [[ $# -gt 0 ]]; do
        if [[ $kind != Filter ]]; then
            is "$kind: not ready before $1" "$(status_of "$kind")" notReady
            ok "$kind: cannot be active yet" not set_ "$status" i active
        fi
        ok "$kind: $1" set_ "dcamp$kind$1.\"new\"" "$2" "$3"
        shift 3
    done
    is "$kind: complete" "$(status_of "$kind")" notInService
    ok "$kind: active" set_ "$status" i active
    is "$kind: is active" "$(status_of "$kind")" active
    ok "$kind: notInService" set_ "$status" i notInService
    is "$kind: is not in service" "$(status_of "$kind")" notInService
    ok "$kind: active again" set_ "$status" i active
    ok "$kind: destroy" set_ "$status" i destroy
    ok "$kind: is gone" not exists "$status"
    ok "$kind: destroy of what is not there" set_ "$status" i destroy
}

long() {
    printf "%0$1d" 0
}

start_lab
ok "createAndGo of a sensor, a filter and a threshold in one SET" set_ \
    'dcampSensorMetric."base"' s mem.free 'dcampSensorRowStatus."base"' i createAndGo \
    'dcampFilterThrottle."base"' u 5000 'dcampFilterRowStatus."base"' i createAndGo \
    'dcampThresholdSensor."base"' s base 'dcampThresholdOperator."base"' i lt \
    'dcampThresholdLimit."base"' s 1 'dcampThresholdClear."base"' s 2.5 \
    'dcampThresholdWindow."base"' u 3 'dcampThresholdRowStatus."base"' i createAndGo
ok "and of the rows that good varbinds are for" set_ \
    'dcampSensorMetric."good"' s load.1 'dcampSensorRowStatus."good"' i createAndGo \
    'dcampFilterRowStatus."good"' i createAndGo
before=$(configured)
is "the rows are active" "$(get 'dcampSensorRowStatus."base"' 'dcampFilterRowStatus."base"' \
    'dcampThresholdRowStatus."base"' | tr '\n' ' ')" "active active active "

bad wrongType 'dcampThresholdLimit."base"' i 5
bad wrongType 'dcampThresholdMatch."base"' s 2
bad wrongType 'dcampSensorInterval."base"' i 1000
bad wrongType 'dcampFilterGate."base"' u 1
bad wrongType 'dcampFilterRowStatus."base"' s active
bad wrongLength 'dcampThresholdLimit."base"' s "$(long 33)"
bad wrongValue 'dcampThresholdLimit."base"' s ''
bad wrongLength 'dcampThresholdDescription."base"' s "$(long 128)"
bad wrongLength 'dcampSensorInstances."base"' s ''
bad wrongLength 'dcampSensorMetric."base"' s "$(long 33)"
bad wrongLength 'dcampFilterDeadband."base"' s "$(long 40)"
for text in many 1e5 ' 5' '5,' 0x10 . --1 nan; do
    bad wrongValue 'dcampThresholdLimit."base"' s "$text"
done
bad wrongValue 'dcampThresholdOperator."base"' i 7
bad wrongValue 'dcampThresholdOperator."base"' i 99
bad wrongValue 'dcampThresholdSeverity."base"' i 1
bad wrongValue 'dcampThresholdMatch."base"' u 0
bad wrongValue 'dcampThresholdWindow."base"' u 65
bad wrongValue 'dcampThresholdDuration."base"' u 86400001
bad wrongValue 'dcampThresholdSensor."base"' s 'no name'
bad wrongValue 'dcampThresholdRowStatus."base"' i 3
bad wrongValue 'dcampThresholdRowStatus."base"' i 7
bad wrongValue 'dcampSensorMetric."base"' s no.such.metric
bad wrongValue 'dcampSensorInterval."base"' u 99
bad wrongValue 'dcampSensorCalculation."base"' i 6
bad wrongValue 'dcampFilterDeadband."base"' s -1
bad wrongValue 'dcampFilterDeadbandPercent."base"' s 5%
bad wrongValue 'dcampFilterHeartbeat."base"' u 604800001
bad inconsistentValue 'dcampThresholdClear."base"' s 0.5
bad inconsistentValue 'dcampThresholdMatch."base"' u 4
bad inconsistentValue 'dcampFilterGate."base"' i gt
bad wrongValue 'dcampThresholdStorageType."base"' i permanent
bad inconsistentValue 'dcampThresholdRowStatus."base"' i createAndGo
bad inconsistentValue 'dcampSensorRowStatus."base"' i createAndWait
bad inconsistentValue 'dcampThresholdRowStatus."none"' i active
bad inconsistentValue 'dcampThresholdRowStatus."none"' i notInService
bad inconsistentValue 'dcampThresholdRowStatus."none"' i createAndGo
bad inconsistentName 'dcampThresholdLimit."none"' s 5
bad noCreation 'dcampThresholdRowStatus."no name"' i createAndGo
bad noCreation "dcampFilterRowStatus.\"$(long 33)\"" i createAndGo
bad notWritable dcampNodeName.0 s other
bad notWritable 'dcampThresholdRaised."base"' u 1
bad notWritable dcampReportLast.0 u 1

permanent=$(walk dcampSensorStorageType | sed -n 's/^.*StorageType\.\(.*\) permanent$/\1/p' | head -n 1)
if [[ -n $permanent ]]; then
    bad inconsistentValue "dcampSensorRowStatus.$permanent" i destroy
fi
is "nothing has changed" "$(configured)" "$before"

# Why, for who stands before "Reason: wrongValue".
set_ 'dcampThresholdLimit."base"' s many >/dev/null 2>&1 || true
why='dcampThresholdLimit."base": wrongValue: limit="many" is not a decimal number; write for example "90" or "-0.5"'
is "why a SET was refused" "$(get dcampSelfSetError.0)" "$why"
ok "and when" exists dcampSelfSetErrorTime.0
eventually "the log has it" 5 grep -qF "info set: refused: dcampThreshold" "$DCAMP_LAB_DIR/node1/dcampd.log"
set_ 'dcampThresholdSensor."lost"' s bsae 'dcampThresholdOperator."lost"' i gt \
    'dcampThresholdLimit."lost"' s 5 'dcampThresholdRowStatus."lost"' i createAndGo >/dev/null
is "why a threshold does not work" "$(get 'dcampThresholdError."lost"')" \
    'sensor="bsae" is not a sensor of this node; did you mean "base"?'
ok "one that works has no error" test -z "$(get 'dcampThresholdError."base"')"
set_ 'dcampThresholdRowStatus."lost"' i destroy >/dev/null

by_steps Sensor Metric s net.rx.bytes
by_steps Filter Throttle u 1000 Deadband s 0.5
by_steps Threshold Sensor s base Operator i gt Limit s 10
ok "a row may be made and filled in one SET, status first" set_ \
    'dcampThresholdRowStatus."new"' i createAndWait 'dcampThresholdLimit."new"' s 10
ok "and be destroyed while it is not ready" set_ 'dcampThresholdRowStatus."new"' i destroy
is "nothing is left of it all" "$(configured)" "$before"
finish
