#!/usr/bin/env bash
# A threshold made by SET outlives the daemon, with its state; destroy ends its alarm, once.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

columns() {
    walk dcampThresholdTable | grep "\"$1\" \|\.\"$1\" " | grep -v dcampThresholdRaised
}

phase() {
    get "dcampThresholdStatePhase.\"$1\".\"node1\".\"total\""
}

phase_is() {
    [[ $(phase "$1") == "$2" ]]
}

# survives NAME DELAY: creates it, kills the daemon after a while, and looks again.
survives() {
    local before
    threshold "$1" Sensor=load Operator=gt Limit=50 Clear=40.5 Match=2 Window=3 \
        Severity=critical "Description=too many tasks" >/dev/null
    before=$(columns "$1")
    sleep "$2"
    control kill-dcampd --signal KILL
    control start-dcampd
    is "$1: killed $2 s after the SET, it has all its columns" "$(columns "$1")" "$before"
}

make_root "$work/root"
start_lab --root "$work/root"
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null

survives at-once 0
survives later 1.5

set_load "$work/root" 90
for name in at-once later; do
    eventually "$name: raised" 10 phase_is "$name" raised
    eventually "$name: has its alarm" 2 alarm_of "node1:$name:total"
    eventually "$name: its notification came" 5 trap_count dcampAlarmRaised "node1:$name:total" 1
done
index=$(alarm_of node1:later:total)
since=$(get "dcampAlarmSince.$index")
sleep 1.5
control kill-dcampd --signal KILL
control start-dcampd
eventually "later: still raised after a kill" 5 phase_is later raised
is "later: the alarm is the same row" "$(alarm_of node1:later:total)" "$index"
is "later: raised at the same time" "$(get "dcampAlarmSince.$index")" "$since"
sleep 2
ok "later: not notified again" trap_count dcampAlarmRaised node1:later:total 1
is "later: logged once" "$(log_entries node1:later:total raised)" 1

ok "later: destroy" set_ 'dcampThresholdRowStatus."later"' i destroy
eventually "later: its alarm is gone" 5 not alarm_of node1:later:total
eventually "later: its clear came" 5 trap_count dcampAlarmCleared node1:later:total 1
ok "later: the row is gone" not exists 'dcampThresholdRowStatus."later"'
set_load "$work/root" 10
eventually "at-once: its clear came" 5 trap_count dcampAlarmCleared node1:at-once:total 1
sleep 1.5
ok "later: no second clear" trap_count dcampAlarmCleared node1:later:total 1
control kill-dcampd --signal KILL
control start-dcampd
ok "later: stays away after a restart" not exists 'dcampThresholdRowStatus."later"'
ok "at-once: still there" exists 'dcampThresholdRowStatus."at-once"'
eventually "at-once: clear" 5 phase_is at-once clear
finish
