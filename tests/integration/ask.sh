#!/usr/bin/env bash
# The subcommands of dcamp against a real node: its values, once and again and again, one page, its
# thresholds, and SETs; what is said of names that are not there, of what the node refuses, of wrong
# arguments and of nodes that do not answer.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp
export TZ=XYZ-5:30

# dcamp SUBCOMMAND ARGUMENT...: of the node; the output, what is said, the exit status.
dcamp() {
    local subcommand=$1
    shift
    code=0
    "$dcamp_" "$subcommand" -U lab --secrets "$work/secrets" -- "$node" "$@" >"$work/out" 2>"$work/said" || code=$?
}

# with OPTIONS SUBCOMMAND ARGUMENT...: options are words that are split.
with() {
    local options=$1 subcommand=$2
    shift 2
    code=0
    # shellcheck disable=SC2086 # several words
    "$dcamp_" "$subcommand" -U lab --secrets "$work/secrets" $options -- "$node" "$@" >"$work/out" 2>"$work/said" || code=$?
}

# says DESCRIPTION STATUS PATTERN COMMAND...: it fails with one line, and prints nothing.
says() {
    local description=$1 expected=$2 pattern=$3 good=0
    shift 3
    "$@"
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq $expected && $(<"$work/said") == "dcamp: "$pattern && $(wc -l <"$work/said") -eq 1 && ! -s $work/out ]] || good=1
    report "$good" "$description" "status $code"$'\n'"$(<"$work/said")"
}

# json EXPRESSION: of all lines that came, as a list of objects called rows.
json() {
    python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
print('"$1"')' <"$work/out"
}

make_root "$work/root"
start_lab --root "$work/root"
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null
set_load "$work/root" 10
eventually "there is a value" 10 eval '[[ $(get "dcampValueText.\"load\".\"total\"") == 10 ]]'

# -- Values ----------------------------------------------------------------------------------
dcamp get load
is "a value, for people" "$code $(tr -s ' ' <"$work/out" | sed 's/ [0-9.]* s$//')" \
    "0 SENSOR INSTANCE VALUE UNIT STATE AGE
load total 10 tasks valid"
with --json get load total
is "as JSON" "$(json '[(r["node"], r["sensor"], r["instance"], r["value"], r["unit"], r["state"], r["age"] < 60000, r["time"][-1]) for r in rows]')" \
    "[(None, 'load', 'total', '10', 'tasks', 'valid', True, 'Z')]"
with --tsv get
is "all of them" "$code $(tail -n +2 "$work/out" | wc -l)" "0 $(walk dcampValueState | wc -l)"
with --tsv get '!cpu.idle cpu.*' total
ok "a pattern" eval '[[ $(tail -n +2 "$work/out" | cut -f 3 | grep -c "^cpu[.]") -gt 2 ]] && ! grep -q cpu.idle "$work/out"'
says "a sensor that is not there" 2 'no sensor and no aggregate is "laod"; did you mean "load"?' dcamp get laod
says "an instance that is not there" 2 'load has no instance "x"' dcamp get load x
set_ 'dcampSensorMetric."none"' s cpu.busy 'dcampSensorInstances."none"' s nothing \
    'dcampSensorRowStatus."none"' i createAndGo >/dev/null
eventually "a sensor without values says why" 10 eval \
    '[[ -n $(get "dcampSensorError.\"none\"") ]] && dcamp get none; [[ $(<"$work/said") == "dcamp: none has no value: "* ]]'

# -- Again and again -------------------------------------------------------------------------
with '--count 3 --interval 200ms --tsv' watch load
is "three rounds" "$code $(cut -f 3-6 "$work/out" | tr '\t\n' ' ,')" \
    "0 sensor instance value unit,load total 10 tasks,load total 10 tasks,load total 10 tasks,"
"$dcamp_" watch -U lab --secrets "$work/secrets" --changes --interval 100ms --tsv "$node" load >"$work/watched" &
watcher=$!
eventually "the first round" 10 grep -q "load.*10" "$work/watched"
set_load "$work/root" 75
eventually "a change is shown at once" 10 grep -q "load.*75" "$work/watched"
kill "$watcher"
wait "$watcher" 2>/dev/null || true
is "and nothing but changes" "$(tail -n +2 "$work/watched" | cut -f 5 | tr '\n' ' ')" "10 75 "

# Into a new file: what the watch before has written would be taken for the first round of this one.
"$dcamp_" watch -U lab --secrets "$work/secrets" -t 1 --interval 200ms --tsv "$node" load \
    >"$work/rounds" 2>"$work/silent" &
watcher=$!
eventually "it is watched" 10 grep -q "load.*75" "$work/rounds"
kill -STOP "$DCAMP_LAB_PID_SNMPD_1"
eventually "silence is told" 10 grep -q 'no answer$' "$work/silent"
rounds=$(wc -l <"$work/rounds")
kill -CONT "$DCAMP_LAB_PID_SNMPD_1"
more() { [[ $(wc -l <"$work/rounds") -gt $rounds ]]; }
eventually "and it goes on afterwards" 10 more
kill "$watcher"
wait "$watcher" 2>/dev/null || true

# -- One page --------------------------------------------------------------------------------
threshold hot Sensor=load Operator=gt Limit=50 Severity=critical >/dev/null
eventually "an alarm is raised" 10 alarm_of node1:hot:total
dcamp status
ok "a page: who, what, and the alarm" eval \
    'grep -Eqx "node +node1, metric, dcampd .*" "$work/out" && grep -Eqx "alarms +1: 1 critical" "$work/out"'
ok "and what it complains of" grep -Eqx 'sensor +none +instances="nothing" .*' "$work/out"
with --json status
is "as JSON" "$(json '(rows[0]["node"], rows[0]["alarmsCritical"], rows[0]["series"], rows[0]["upTime"] > 0, [r["table"] for r in rows[1:] if r["name"] == "none"])')" \
    "('node1', 1, $(walk dcampValueState | wc -l), True, ['sensor'])"

# -- Thresholds ------------------------------------------------------------------------------
with --json thresholds hot
is "a threshold" "$(json '[(r["sensor"], r["operator"], r["limit"], r["severity"], r["status"], r["raised"], r["watched"]) for r in rows]')" \
    "[('load', 'gt', '50', 'critical', 'active', 1, 1)]"
with --tsv thresholds
is "all of them" "$code $(tail -n +2 "$work/out" | wc -l)" "0 $(walk dcampThresholdRowStatus | wc -l)"
says "one that is not there" 2 'no threshold is "ho"' dcamp thresholds ho

# -- SETs ------------------------------------------------------------------------------------
dcamp set threshold hot limit 99 severity info duration 1m
is "several fields at once" "$code $(tr -s ' \n' ' ,' <"$work/out")" \
    "0 dcampThresholdLimit hot 99,dcampThresholdSeverity hot info,dcampThresholdDuration hot 1m,"
is "they are set" "$(get 'dcampThresholdLimit."hot"' 'dcampThresholdSeverity."hot"' 'dcampThresholdDuration."hot"' | tr '\n' ' ')" \
    "99 info 60000 "
with --create set threshold cold sensor=load operator='<' limit=-1 clear=0 notify=no
is "a row that is made" "$code $(get 'dcampThresholdOperator."cold"' 'dcampThresholdLimit."cold"' 'dcampThresholdNotify."cold"' | tr '\n' ' ')" \
    "0 lt -1 false "
says "it is there already" 4 'dcampThreshold*."cold": inconsistentValue: the row is there already' \
    with --create set threshold cold sensor=load operator='<' limit=-1
with --delete set threshold cold
is "a row that is deleted" "$code $(exists 'dcampThresholdLimit."cold"' || echo gone)" "0 gone"
with --create set maintenance night days mon,sun time 22:00 duration 2h thresholds none
is "days and times" "$code $(get 'dcampMaintenanceDuration."night"')" "0 7200000"
dcamp set deviation threshold.hot local yes
is "a row is made local" "$code $(tr -s ' \n' ' ,' <"$work/out")" "0 dcampDeviationLocal threshold.hot yes,"
with --json deviations
is "and shown so" "$(json '[(r["what"], r["local"], r["error"]) for r in rows if r["row"] == "threshold.hot"]')" \
    "[('added', True, None)]"
says "one that is not there" 4 'dcampDeviationLocal.*: inconsistentName: there is no such row; *' \
    dcamp set deviation threshold.cold local yes
with --json set dcampThresholdLimit.hot=98
is "names of the MIB" "$(json '[(r["object"], r["row"], r["value"]) for r in rows]') $(get 'dcampThresholdLimit."hot"')" \
    "[('dcampThresholdLimit', 'hot', '98')] 98"
says "a limit that is none" 4 'dcampThresholdLimit."hot": wrongValue: *' dcamp set threshold hot limit 90x
says "nothing of it is set" 4 'dcampThresholdLimit."hot": wrongValue: *' dcamp set threshold hot severity critical limit x
is "not the rest either" "$(get 'dcampThresholdSeverity."hot"')" info
says "what does not go together" 4 'dcampThreshold*."hot": inconsistentValue: *' dcamp set threshold hot clear 500
says "a row that is not there" 4 'dcampThreshold*."ho": inconsistentName: there is no such row*' dcamp set threshold ho limit 3
says "a row of the file is not deleted" 4 'dcampThresholdRowStatus."cpu-busy": inconsistentValue: *' \
    with --delete set threshold cpu-busy
says "an alarm that is not there" 4 'dcampAlarmAcknowledge.4711: noCreation: *' dcamp set alarm 4711 acknowledge me
says "a kind that there is not" 2 'treshold: *did you mean "threshold"?' dcamp set treshold hot limit 3
says "a field that there is not" 2 'limt: *did you mean "limit"?' dcamp set threshold hot limt 3
says "a value that the MIB has not" 2 'dcampThresholdSeverity bad: expected clear, info, warning, critical' \
    dcamp set threshold hot severity bad
says "a time that is too long" 2 'dcampThresholdDuration 2d: expected 0 to 86400000 milliseconds*' \
    dcamp set threshold hot duration 2d
says "no value" 2 'limit: the value is missing' dcamp set threshold hot limit
is "nothing of that is set" "$(get 'dcampThresholdLimit."hot"' 'dcampThresholdSeverity."hot"' | tr '\n' ' ')" "98 info "
says "nothing to set" 2 'set: expected ADDRESS KIND NAME*' dcamp set
kill -STOP "$DCAMP_LAB_PID_DCAMPD_1"
says "dcampd hangs" 3 '*genErr*' dcamp set threshold hot limit 3
kill -CONT "$DCAMP_LAB_PID_DCAMPD_1"
# snmpd has closed the session of a subagent that hangs: it must connect anew.
eventually "it goes on and is there again" 15 eval 'dcamp get load; [[ $code -eq 0 ]]'

# -- Trees -----------------------------------------------------------------------------------
says "no tree to show" 2 'node1 is in no tree' dcamp tree
says "no tree to end" 2 'node1 is in no tree' dcamp stop
says "no file of a tree" 2 'promote: --config is missing *' dcamp promote
says "a file that is not there" 2 '/nowhere: No such file or directory' with '--config /nowhere' promote
echo '<tree version="1"><nodes/></tree>' >"$work/tree.xml"
says "a file that is not good" 4 'the node refuses the document: *:1: *' with "--config $work/tree.xml --wait 0" promote
says "which leaves it as it was" 2 'node1 is in no tree' dcamp tree
says "a time that is none" 2 '--wait 1h: expected 0 to 3600 seconds*' with '--wait 1h' stop
says "an option of promote alone" 2 '--force: no option of tree *' with '-f' tree
code=0
PATH=${DCAMP_BUILD:-$top/build}:$PATH "$dcamp_" config check "$work/tree.xml" >"$work/out" 2>"$work/said" || code=$?
is "and dcampd knows before" "$code $(grep -c '^/.*tree.xml:1: ' "$work/said")" "2 1"

# -- Wrong arguments, and who does not answer ------------------------------------------------
says "no sensor to watch" 2 'watch: expected ADDRESS SENSOR \[INSTANCE\]*' dcamp watch
says "too many words" 2 'get: expected ADDRESS*' dcamp get a b c
says "an option of another" 2 '--changes: no option of get*' with --changes get
says "an interval that is none" 2 '--interval 5: expected a time*' with '--interval 5' watch load
says "a wrong user" 4 '*unknownUserNames*' with '-U nobody' get
control kill-dcampd
says "dcampd is gone" 3 'snmpd answers, but there is no DCAMP-MIB*' dcamp get
node=127.0.0.1:9
says "nobody is there" 3 '*Connection refused' dcamp get
says "nobody to watch" 3 '*Connection refused' dcamp watch load
finish
