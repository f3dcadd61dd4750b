#!/usr/bin/env bash
# check_dcamp against real nodes: every mode, every exit status, and nodes that are silent.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

check_dcamp=${DCAMP_BUILD:-$top/build}/check_dcamp

# check ADDRESS ARGUMENT...: the output; then its exit status.
check() {
    local status=0
    "$check_dcamp" -U lab --secrets "$work/secrets" -H "$@" || status=$?
    echo "exit $status"
}

# says DESCRIPTION STATUS PATTERN ADDRESS ARGUMENT...: the whole output is that of a plugin.
says() {
    local description=$1 status=$2 pattern=$3 output good=0
    local -A codes=([OK]=0 [WARNING]=1 [CRITICAL]=2 [UNKNOWN]=3)
    shift 3
    output=$(check "$@" 2>&1)
    # shellcheck disable=SC2053 # a pattern
    [[ $output == "DCAMP $status: "$pattern$'\nexit '"${codes[$status]}" ]] || good=1
    report "$good" "$description" "$output"
}

# takes DESCRIPTION TENTHS_LEAST TENTHS_MOST COMMAND...
takes() {
    local description=$1 least=$2 most=$3 started=${EPOCHREALTIME/./} status=0 tenths
    shift 3
    "$@" >/dev/null 2>&1
    tenths=$(((${EPOCHREALTIME/./} - started) / 100000))
    ((tenths >= least && tenths <= most)) || status=1
    report "$status" "$description" "$tenths tenths of a second"
}

make_root "$work/root"
ln -sf /proc/stat "$work/root/proc/stat"
start_lab --nodes 2 --collectors 1 --root "$work/root"
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorWindow."load"' u 1000 'dcampSensorRowStatus."load"' i createAndGo >/dev/null
eventually "the sensor has a value" 5 exists 'dcampValueText."load"."total"'

says "a sensor" OK 'load total is 10 tasks | load=10;20;30' "$node" -w 20 -c 30 sensor load
says "by the name of its instance" OK 'load total is 10 tasks | load=10' "$node" sensor load --instance total
says "WARNING" WARNING 'load total is 10 tasks (limit 9) | load=10;9;30' "$node" -w 9 -c 30 sensor load
says "CRITICAL" CRITICAL 'load total is 10 tasks (limit @5:10) | load=10;;@5:10' "$node" -c @5:10 sensor load
eventually "a window is over" 5 exists 'dcampValueP95."load"."total"'
says "a statistic" OK 'load (p95) total is 10 tasks | load=10' "$node" sensor load --statistic p95
says "several instances" OK "cpu.busy: all * ok, highest: * | 0=*;~: *cpu.busy=*%;~:" \
    "$node" -w '~:' sensor cpu.busy
says "what a number is" OK "cpu.busy instance 0 is * % | 0=*%" "$node" sensor cpu.busy --instance 0
says "those that match" OK 'cpu.busy: all 2 ok, * | 0=*% cpu.busy=*%' "$node" sensor cpu.busy --instance '0 tot*'
says "everything" OK $'load total is 10 tasks | load=10\nOK: total is 10 tasks, * s old\n* 4 requests, 12 values, * ms' \
    "$node" -vv sensor load
says "no such sensor" UNKNOWN 'node1 has no sensor nonsense' "$node" sensor nonsense
says "no such instance" UNKNOWN 'load nonsense has no value (there is no such instance) | nonsense=U' \
    "$node" sensor load --instance nonsense
set_ 'dcampSensorMetric."typo"' s proc.cpu 'dcampSensorInstances."typo"' s ngnix \
    'dcampSensorInterval."typo"' u 200 'dcampSensorRowStatus."typo"' i createAndGo >/dev/null
eventually "a program that never ran: a series" 5 exists 'dcampValueState."typo"."ngnix"'
says "a program that never ran" UNKNOWN \
    'typo ngnix has no value (no process: nothing of instances="ngnix" has run since dcampd began to look) | ngnix=U' \
    "$node" sensor typo
says "no instance that matches" UNKNOWN "sensor load has no instance 'x\*'" "$node" sensor load --instance 'x*'
set_ 'dcampSensorRowStatus."load"' i notInService >/dev/null
says "a sensor that is paused" UNKNOWN 'sensor load is paused' "$node" sensor load
set_ 'dcampSensorRowStatus."load"' i active >/dev/null

threshold hot Sensor=load Operator=gt Limit=50 Severity=warning >/dev/null
says "no alarms" OK 'no active alarms | alarms=0;;;0 *' "$node" alarms
set_load "$work/root" 90
eventually "an alarm" 10 alarm_of node1:hot:total
says "an alarm" WARNING \
    $'1 active alarm (0 critical, 1 warning, 0 info): node1: * | alarms=1;;;0 *\nwarning: node1:hot:total: *, since 20*' \
    "$node" alarms
says "filtered by severity" OK 'no active alarms | *' "$node" alarms --severity critical
says "filtered by threshold" OK 'no active alarms | *' "$node" alarms --threshold '!hot'
says "a threshold that is not there" UNKNOWN 'there is no threshold or condition "nosuch"' "$node" alarms --threshold nosuch
says "one that was misspelt" UNKNOWN 'there is no threshold or condition "hott"; did you mean "hot"?' \
    "$node" alarms --threshold hott
says "what dCAMP itself watches" OK 'no active alarms | *' "$node" alarms --threshold node-lost
says "by number" CRITICAL '1 active alarm *| alarms=1;;0;0 *' "$node" alarms -c 0

below_are() {
    [[ $(check "$DCAMP_LAB_COLLECTOR_1" alarms --below) == "DCAMP WARNING: 1 active alarm "*": node1: "* ]]
}
eventually "the alarms of the nodes below, at their collector" 10 below_are
says "without --below, its own alone" OK 'no active alarms | alarms=0;;;0 *' "$DCAMP_LAB_COLLECTOR_1" alarms
says "by number" OK 'no active alarms | alarms=0;;0;0 *' "$DCAMP_LAB_COLLECTOR_1" alarms -c 0
says "those below, filtered" OK 'no active alarms | *' "$DCAMP_LAB_COLLECTOR_1" alarms --below --node node2
says "a threshold that only a node below has" WARNING '1 active alarm *' "$DCAMP_LAB_COLLECTOR_1" alarms --below --threshold hot
says "without an alarm of it" OK 'no active alarms | *' "$DCAMP_LAB_COLLECTOR_1" alarms --below --threshold cold
says "a node without children has none below" WARNING '1 active alarm *' "$node" alarms --below
says "--below with another mode" UNKNOWN '--below does not go with tree \(check_dcamp --help)' "$node" tree --below

says "no children" UNKNOWN 'the node polls no children | *' "$node" tree
up_are() {
    [[ $(check "$DCAMP_LAB_COLLECTOR_1" tree) == "DCAMP OK: $1 of 2 children up"* ]]
}
eventually "both children are up" 10 up_are 2
says "children" OK '2 of 2 children up* | *up=2;;;0 *children=2;;;0 alarms_critical=*' "$DCAMP_LAB_COLLECTOR_1" tree
says "an aggregate" OK 'all.cpu.busy total is * % | all.cpu.busy=*%;~: all.cpu.busy.missing=0;;;0;2' \
    "$DCAMP_LAB_COLLECTOR_1" -w '~:' aggregate all.cpu.busy
says "no such aggregate" UNKNOWN 'collector1 has no aggregate nonsense' "$DCAMP_LAB_COLLECTOR_1" aggregate nonsense

says "fresh" OK 'node1 (dcampd *) answers, * sensors are fresh | overdue=*s;5;30;0 uptime=*' "$node" freshness
kill -STOP "$DCAMP_LAB_PID_DCAMPD_1"
# snmpd waits for 5 seconds, and the plugin for 10 if nothing else is said.
takes "the time-out is kept" 15 45 check "$node" -t 2 sensor load
says "dcampd hangs" CRITICAL '*genErr*' "$node" freshness
kill -CONT "$DCAMP_LAB_PID_DCAMPD_1"
eventually "fresh again" 20 "$check_dcamp" -U lab --secrets "$work/secrets" -H "$node" freshness
control kill-dcampd
says "dcampd is gone" CRITICAL 'snmpd answers, but there is no DCAMP-MIB*' "$node" freshness
says "and not to be asked" UNKNOWN 'snmpd answers, but there is no DCAMP-MIB*' "$node" sensor load

one_down() {
    [[ $(check "$DCAMP_LAB_COLLECTOR_1" tree) == "DCAMP CRITICAL"*"1 down"* ]]
}
eventually "a child is down" 20 one_down
says "it is named" CRITICAL $'1 of 2 children up, 1 down: node1 is down* | *down=1;;;0 children=2;;;0 alarms_critical=*\nnode1: down*' \
    "$DCAMP_LAB_COLLECTOR_1" tree
says "half of them may be" OK '1 of 2 children up, 1 down*' "$DCAMP_LAB_COLLECTOR_1" tree -c 50%
missing() {
    [[ $(check "$DCAMP_LAB_COLLECTOR_1" aggregate all.cpu.busy --missing-critical 10%) == *"exit 2" ]]
}
eventually "an aggregate misses it" 15 missing
says "and says so" CRITICAL 'all.cpu.busy total is * %, 1 of 2 missing (limit 10%) | *.missing=1;;;0;2' \
    "$DCAMP_LAB_COLLECTOR_1" aggregate all.cpu.busy --missing-critical 10%

sed 's/^auth ./auth \\/' "$work/secrets" >"$work/wrong"
chmod 600 "$work/wrong"
says "a wrong passphrase" UNKNOWN '*authentication passphrase*' "$node" --secrets "$work/wrong" freshness
says "a wrong user" UNKNOWN '*unknownUserNames*' "$node" -U nobody freshness
kill -STOP "$DCAMP_LAB_PID_SNMPD_1"
says "snmpd is silent" CRITICAL '*no answer' "$node" -t 2 freshness
says "what that is can be chosen" WARNING '*no answer' "$node" -t 2:WARNING freshness
kill -CONT "$DCAMP_LAB_PID_SNMPD_1"
says "nobody is there" UNKNOWN 'udp:127.0.0.1:9: Connection refused' 127.0.0.1:9 sensor load
says "wrong arguments" UNKNOWN '*: expected one name \(check_dcamp --help)' "$node" sensor
finish
