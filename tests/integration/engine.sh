#!/usr/bin/env bash
# The alarm engine by SET, under real agents: several limits, acknowledgement, maintenance from now,
# conditions, and all of that over a killed daemon. doc/alarms.md has the whole of it.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

key=node1:busy:total

severity_is() {
    [[ $(get "dcampAlarmSeverityText.$(alarm_of "$1")") == "$2" ]]
}

# told KEY SEVERITY: how many raises of that severity came.
told() {
    traps dcampAlarmRaised "$1" | grep -c "dcampAlarmSeverityText\.[0-9]* = $2"$'\t' || true
}

told_are() {
    [[ $(told "$1" "$2") -eq $3 ]]
}

make_root "$work/root"
start_lab --root "$work/root"
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null

threshold busy Sensor=load Operator=gt Limit=50 Clear=40 CriticalLimit=80 CriticalClear=70 >/dev/null
ok "a critical limit below the limit is refused" \
    not set_ 'dcampThresholdCriticalLimit."busy"' s 45
set_load "$work/root" 60
eventually "warning" 5 severity_is "$key" warning
index=$(alarm_of "$key")
set_load "$work/root" 90
eventually "critical, the same alarm" 5 severity_is "$key" critical
is "its index" "$(alarm_of "$key")" "$index"
eventually "told as critical" 5 told_are "$key" critical 1
is "and as warning before" "$(told "$key" warning)" 1
set_load "$work/root" 75
value_is() {
    [[ $(get 'dcampValueText."load"."total"') == "$1" ]]
}
eventually "between the limits" 5 value_is 75
ok "it stays" severity_is "$key" critical
set_load "$work/root" 60
eventually "warning again" 5 severity_is "$key" warning
eventually "which is told" 5 told_are "$key" warning 2
is "the log has both changes" "$(log_entries "$key" changed)" 2

ok "acknowledged" set_ "dcampAlarmAcknowledge.$index" s 'Ann: on it'
is "by whom" "$(get "dcampAlarmAcknowledge.$index")" 'Ann: on it'
ok "and when" exists "dcampAlarmAcknowledgedAt.$index"
is "it is in the log" "$(log_entries "$key" acknowledged)" 1
ok "control characters are refused" not set_ "dcampAlarmAcknowledge.$index" s $'a\nb'
ok "so is what a command file splits at" not set_ "dcampAlarmAcknowledge.$index" s 'a|b'
ok "and an alarm that there is not" not set_ 'dcampAlarmAcknowledge.4711' s 'Ann'
saved() {
    grep -q 'acknowledged="Ann: on it"' "$DCAMP_LAB_STATE_1/state.xml"
}
eventually "the state file has it" 5 saved
control kill-dcampd --signal KILL
control start-dcampd
eventually "after a kill it is the same alarm" 10 severity_is "$key" warning
is "still acknowledged" "$(get "dcampAlarmAcknowledge.$index")" 'Ann: on it'
set_load "$work/root" 95
eventually "a higher severity is told" 5 told_are "$key" critical 2
is "and ends the acknowledgement" "$(get "dcampAlarmAcknowledge.$index")" ''
set_load "$work/root" 10
eventually "cleared" 5 not alarm_of "$key"
eventually "which is told" 5 trap_count dcampAlarmCleared "$key" 1

began=${EPOCHREALTIME/./}
ok "maintenance from now on" set_ 'dcampMaintenanceDuration."now"' u 600000 \
    'dcampMaintenanceThresholds."now"' s busy 'dcampMaintenanceRowStatus."now"' i createAndGo
is "it is" "$(get 'dcampMaintenanceNow."now"')" true
ok "weekly, on days by name" set_ 'dcampMaintenanceDays."weekend"' = 'sat sun' \
    'dcampMaintenanceDuration."weekend"' u 3600000 'dcampMaintenanceRowStatus."weekend"' i createAndGo
is "they are bits" "$(get 'dcampMaintenanceDays."weekend"' | tr -d '"')" '82 '
ok "an eighth day is refused" not set_ 'dcampMaintenanceDays."weekend"' x 01
ok "it is forgotten" set_ 'dcampMaintenanceRowStatus."weekend"' i destroy
ok "a maintenance without an end is refused" \
    not set_ 'dcampMaintenanceRowStatus."never"' i createAndGo
before=$(told "$key" warning)
set_load "$work/root" 60
eventually "raised" 5 alarm_of "$key"
is "and held" "$(get "dcampAlarmHeld.$(alarm_of "$key")")" maintenance
sleep 2
is "not told" "$(told "$key" warning)" "$before"
ok "it is to end a second from now" set_ 'dcampMaintenanceDuration."now"' u \
    $(((${EPOCHREALTIME/./} - began) / 1000 + 1000))
eventually "told at the end" 12 told_are "$key" warning $((before + 1))
is "it is over" "$(get 'dcampMaintenanceNow."now"')" false

threshold full Sensor=load Operator=gt Limit=90 Severity=critical >/dev/null
ok "a condition" set_ 'dcampConditionThresholds."both"' s 'busy full' \
    'dcampConditionSeverity."both"' i critical 'dcampConditionRowStatus."both"' i createAndGo
set_load "$work/root" 95
eventually "all of its thresholds have an alarm" 5 alarm_of node1:both:
is "one alarm" "$(get 'dcampConditionRaised."both"')" 1
eventually "which is told" 5 trap_count dcampAlarmRaised node1:both: 1
set_load "$work/root" 60
eventually "one has recovered" 5 not alarm_of node1:both:
eventually "which is told, too" 5 trap_count dcampAlarmCleared node1:both: 1

ok "a quiet threshold" set_ 'dcampThresholdNotify."full"' i false
before=$(traps dcampAlarmRaised node1:full:total | grep -c . || true)
set_load "$work/root" 95
eventually "has alarms" 5 alarm_of node1:full:total
sleep 2
ok "and tells nobody" trap_count dcampAlarmRaised node1:full:total "$before"
finish
