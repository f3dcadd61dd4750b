#!/usr/bin/env bash
# Thresholds on children, set at their collector: the alarm has the child's name, is told once each
# way, and outlives what the child and the collector go through.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

root=$work/machines

phase_is() {
    [[ $(at collector1 get "dcampThresholdStatePhase.\"busy\".\"node$1\".\"total\"") == "$2" ]]
}

child_is() {
    [[ $(at collector1 get "dcampChildState.\"node$1\"") == "$2" ]]
}

value_is() {
    [[ $(at collector1 get "dcampChildValueText.\"node$1\".\"load\".\"total\"") == "$2" ]]
}

# told RAISED CLEARED: so many notifications came of node 1, each with its name; none of node 2.
told() {
    trap_count dcampAlarmRaised node1:busy:total "$1" &&
        trap_count dcampAlarmCleared node1:busy:total "$2" &&
        [[ $({ traps dcampAlarmRaised node1:busy:total; traps dcampAlarmCleared node1:busy:total; } |
            grep -cP 'dcampAlarmNode\.\d+ = node1(\t|$)') -eq $(($1 + $2)) ]] &&
        trap_count dcampAlarmRaised '.*:busy:.*' "$1"
}

# logged RAISED CLEARED: what the collector has in its log.
logged() {
    [[ $(at collector1 log_entries node1:busy:total raised) -eq $1 &&
        $(at collector1 log_entries node1:busy:total cleared) -eq $2 ]]
}

make_root "$root"
for i in 1 2; do
    make_root "$root/node$i"
    set_load "$root/node$i" 10
done
cat >"$work/leaf.xml" <<END
<dcamp version="1"><node/><sensors>
$(load_sensors 500ms)
</sensors></dcamp>
END
start_lab --nodes 2 --collectors 1 --config "$work/leaf.xml" --root "$root"

ok "SET: a threshold on every child" at collector1 threshold busy Sensor=load 'Children=*' \
    Operator=gt Limit=50 Clear=40 Severity=critical
is "its children" "$(at collector1 get 'dcampThresholdChildren."busy"')" '*'
for i in 1 2; do
    eventually "node $i is watched, and all is well" 10 phase_is "$i" clear
done
is "the collector is not" "$(at collector1 walk dcampThresholdStatePhase | grep -c '"busy"."collector1"')" 0

set_load "$root/node1" 90
eventually "above the limit it is raised" 10 phase_is 1 raised
ok "the other one's is not" phase_is 2 clear
index=$(at collector1 alarm_of node1:busy:total)
is "the alarm's node is the child" "$(at collector1 get "dcampAlarmNode.$index")" node1
eventually "dcampAlarmRaised came, once, and names the child" 10 told 1 0
sleep 2
ok "no other came" told 1 0

control kill-dcampd --node 1 --signal KILL
kill -KILL "$(pid_of snmpd 1)"
eventually "killed, the child is down" 10 child_is 1 down
ok "its node-lost alarm says so" at collector1 alarm_of node1:node-lost:
is "the threshold's alarm is the same" "$(at collector1 alarm_of node1:busy:total)" "$index"

control kill-dcampd --node collector1 --signal KILL
control start-dcampd --node collector1
eventually "the collector, killed, knows that it is raised" 10 at collector1 alarm_of node1:busy:total
is "the alarm is the same" "$(at collector1 alarm_of node1:busy:total)" "$index"

control restart-snmpd --node 1
control start-dcampd --node 1
eventually "the child is up again" 10 child_is 1 up
eventually "its value, too" 10 value_is 1 90
eventually "still raised" 10 phase_is 1 raised
control kill-dcampd --node collector1 --signal KILL
control start-dcampd --node collector1
eventually "the collector, killed with all children up: still raised" 10 phase_is 1 raised
boot=$(at 1 get dcampReportBoot.0)
control start-dcampd --node 1
boot_is() {
    [[ $(at collector1 get 'dcampChildBoot."node1"') == "$1" ]]
}
eventually "the child is restarted" 10 boot_is $((boot + 1))
eventually "its value is there" 10 value_is 1 90
sleep 2
ok "still raised" phase_is 1 raised
is "the alarm is the same" "$(at collector1 alarm_of node1:busy:total)" "$index"
ok "it was logged once" logged 1 0
ok "it was told once" told 1 0

set_load "$root/node1" 45
eventually "between the limits" 10 value_is 1 45
ok "it stays" phase_is 1 raised
set_load "$root/node1" 20
eventually "below the clear limit it is clear" 10 phase_is 1 clear
ok "the alarm is gone" not at collector1 alarm_of node1:busy:total
eventually "dcampAlarmCleared came, once, and names the child" 10 told 1 1

set_load "$root/node1" 90
eventually "raised again" 10 phase_is 1 raised
ok "SET: pause the child" at collector1 set_ 'dcampChildRowStatus."node1"' i notInService
eventually "its alarm is cleared with it" 10 logged 2 2
eventually "and told" 10 told 2 2
finish
