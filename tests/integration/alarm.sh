#!/usr/bin/env bash
# A CPU burner raises an alarm and its end clears it: one notification, one log entry each way.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

key=node1:burner:burner

# The objects of a logged notification, without modules and instances, in their order.
payload() {
    tr '\t' '\n' <<<"$1" | sed -n 's/^\(DCAMP-MIB\|SNMP-COMMUNITY-MIB\|SNMPv2-MIB\)::\([A-Za-z]*\)\..*/\2/p' |
        tr '\n' ' '
}

# value TRAP OBJECT
value() {
    tr '\t' '\n' <<<"$1" | sed -n "s/^[A-Z0-9a-z-]*::$2\.[0-9]* = //p"
}

# A program of its own, which burns as long as the file is there. What it takes is what counts, for
# nobody knows what else a test machine does meanwhile, nor how niced the test itself is.
burners() {
    local cpu
    cp "$(type -P bash)" "$work/burner"
    for ((cpu = $(nproc); cpu > 0; cpu--)); do
        # shellcheck disable=SC2016 # for the burner to expand
        background "$work/burner" -c 'while :; do
            [[ -e $1 ]] || { sleep 0.1; continue; }
            for ((i = 0; i < 10000; i++)); do :; done
        done' burner "$work/burns"
    done
}

start_lab
burners
set_ 'dcampSensorMetric."burnt"' s proc.cpu 'dcampSensorInstances."burnt"' s burner \
    'dcampSensorCalculation."burnt"' i percent 'dcampSensorInterval."burnt"' u 500 \
    'dcampSensorRowStatus."burnt"' i createAndGo >/dev/null
threshold burner Sensor=burnt Operator=gt Limit=10 Clear=8 Match=2 Window=3 \
    Severity=critical "Description=somebody burns" >/dev/null

watched() {
    [[ $(get 'dcampValueState."burnt"."burner"') == valid ]]
}
eventually "calm: the burner is watched" 10 watched
sleep 2
ok "calm: no alarm" not alarm_of "$key"
touch "$work/burns"
eventually "burning: the alarm is active" 20 alarm_of "$key"
eventually "burning: the notification came" 5 trap_count dcampAlarmRaised "$key" 1
index=$(alarm_of "$key")
is "burning: its severity" "$(get "dcampAlarmSeverity.$index")" critical
is "burning: one threshold raised" "$(get 'dcampThresholdRaised."burner"')" 1
sleep 2
rm "$work/burns"
eventually "calm again: the row is gone" 20 not alarm_of "$key"
eventually "calm again: the clear came" 5 trap_count dcampAlarmCleared "$key" 1
sleep 2
ok "one notification up" trap_count dcampAlarmRaised "$key" 1
ok "one notification down" trap_count dcampAlarmCleared "$key" 1
is "one log entry up" "$(log_entries "$key" raised)" 1
is "one log entry down" "$(log_entries "$key" cleared)" 1

raised=$(traps dcampAlarmRaised "$key")
cleared=$(traps dcampAlarmCleared "$key")
order='sysUpTime snmpTrapOID dcampAlarmKey dcampAlarmNode dcampAlarmSensor dcampAlarmValueText'
order+=' dcampAlarmThresholdText dcampAlarmSeverityText dcampAlarmSeverity dcampAlarmSequence'
order+=' dcampAlarmSince dcampAlarmSuppressed dcampAlarmMessage dcampAlarmThreshold'
order+=' dcampAlarmInstance dcampAlarmEvent snmpTrapAddress '
is "the objects of a raise, in order" "$(payload "$raised")" "$order"
is "the objects of a clear, in order" "$(payload "$cleared")" "$order"
is "same key" "$(value "$cleared" dcampAlarmKey)" "$(value "$raised" dcampAlarmKey)"
is "raise: node" "$(value "$raised" dcampAlarmNode)" node1
is "raise: sensor" "$(value "$raised" dcampAlarmSensor)" burnt
is "raise: limit" "$(value "$raised" dcampAlarmThresholdText)" "> 10"
is "raise: severity" "$(value "$raised" dcampAlarmSeverityText)" critical
is "clear: severity" "$(value "$cleared" dcampAlarmSeverityText)" clear
is "clear: severity as a number" "$(value "$cleared" dcampAlarmSeverity)" clear
is "the sequence goes up by one" "$(value "$cleared" dcampAlarmSequence)" \
    $(($(value "$raised" dcampAlarmSequence) + 1))
is "raise: threshold" "$(value "$raised" dcampAlarmThreshold)" burner
is "raise: instance" "$(value "$raised" dcampAlarmInstance)" burner
is "raise: event" "$(value "$raised" dcampAlarmEvent)" raised
is "clear: event" "$(value "$cleared" dcampAlarmEvent)" cleared
ok "the message names the description" grep -q 'somebody burns' <<<"$(value "$raised" dcampAlarmMessage)"

# An instance that a key has no room for, a change of severity, and a rule that is removed.
set_ 'dcampSensorMetric."space"' s fs.size 'dcampSensorInstances."space"' s / \
    'dcampSensorInterval."space"' u 500 'dcampSensorRowStatus."space"' i createAndGo >/dev/null
threshold full Sensor=space Operator=gt Limit=0 Severity=warning >/dev/null
eventually "/: the raise came" 10 trap_count dcampAlarmRaised 'node1:full:.*' 1
raised=$(traps dcampAlarmRaised 'node1:full:.*')
slash=$(value "$raised" dcampAlarmKey)
is "/: its instance" "$(value "$raised" dcampAlarmInstance)" /
is "/: its event" "$(value "$raised" dcampAlarmEvent)" raised
set_ 'dcampThresholdSeverity."full"' i critical >/dev/null
eventually "/: the change came" 10 trap_count dcampAlarmRaised "$slash" 2
changed=$(traps dcampAlarmRaised "$slash" | tail -n 1)
is "/: its event now" "$(value "$changed" dcampAlarmEvent)" changed
is "/: the row has it, too" "$(get "dcampAlarmEvent.$(alarm_of "$slash")")" changed
set_ 'dcampThresholdRowStatus."full"' i destroy >/dev/null
eventually "/: the clear of a removed rule came" 10 trap_count dcampAlarmCleared "$slash" 1
cleared=$(traps dcampAlarmCleared "$slash")
is "/: its instance" "$(value "$cleared" dcampAlarmInstance)" /
is "/: its message names it" "$(value "$cleared" dcampAlarmMessage)" \
    "full: space on /: cleared, the threshold was removed"
finish
