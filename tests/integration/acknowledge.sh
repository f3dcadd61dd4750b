#!/usr/bin/env bash
# dcamp alarms list, acknowledge, history and maintenance against a real node and its collector: what
# is acknowledged, where alarms of nodes below can be, what is refused and to whom, and alarms that are
# over; the log and the latest of it; a maintenance that begins, holds what is raised, and ends.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp
export TZ=XYZ-5:30
machines=$work/machines

# with OPTIONS SUBCOMMAND WORD...: of dcamp alarms, of the current node; options are words that are
# split. The output, what is said, the exit status.
with() {
    local options=$1 subcommand=$2
    shift 2
    code=0
    # shellcheck disable=SC2086 # several words
    "$dcamp_" alarms $subcommand -U lab --secrets "$work/secrets" $options -- "$node" "$@" >"$work/out" 2>"$work/said" || code=$?
}

alarms() {
    with '' "$@"
}

# says DESCRIPTION STATUS PATTERN COMMAND...: it fails with one line, and prints nothing.
says() {
    local description=$1 expected=$2 pattern=$3 good=0
    shift 3
    "$@"
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq $expected && $(<"$work/said") == "dcamp: "$pattern && $(wc -l <"$work/said") -eq 1 && ! -s $work/out ]] || good=1
    report "$good" "$description" "status $code"$'\n'"$(<"$work/said")"$'\n'"$(<"$work/out")"
}

# columns LIST: of what came as TSV, a line a row, without the names.
columns() {
    sed '1d; /^#/d' "$work/out" | cut -f "$1"
}

acknowledged() {
    get "dcampAlarmAcknowledge.$1"
}

load() {
    set_load "$machines/node1" "$1"
}

# held KEY: why receivers do not know of the alarm.
held() {
    with --tsv list
    columns 5,12 | sed -n "s/^$1\t//p"
}

busy=node1:busy:total overload=node1:overload:total
make_root "$machines"
make_root "$machines/node1"
load 10
cat >"$work/leaf.xml" <<END
<dcamp version="1"><node/><sensors>
$(load_sensors 250ms)
</sensors><thresholds>
<threshold name="busy" sensor="load" operator="gt" limit="50" clear="40" severity="warning"/>
<threshold name="overload" sensor="load" operator="gt" limit="80" clear="70" severity="critical"/>
</thresholds><maintenances>
<maintenance name="weekly" days="sun" time="03:00" duration="2h" thresholds="none"/>
</maintenances></dcamp>
END
start_lab --nodes 1 --collectors 1 --config "$work/leaf.xml" --root "$machines"
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
node=$DCAMP_LAB_NODE_1
load 60
eventually "an alarm is raised" 10 alarm_of $busy
index=$(alarm_of $busy)

# -- The list --------------------------------------------------------------------------------
with --tsv ''
cp "$work/out" "$work/plain"
with --tsv list
ok "the list is that of dcamp alarms" cmp "$work/out" "$work/plain"
is "which has the alarm" "$code $(columns 1,5)" "0 $index"$'\t'"$busy"

# -- Acknowledged ----------------------------------------------------------------------------
alarms acknowledge $busy 'ann: looks'
is "an alarm is acknowledged by its key" "$code $(tr -s ' \n' ' ,' <"$work/out")$(<"$work/said")" \
    "0 INDEX KEY ACKNOWLEDGED, $index $busy ann: looks,"
is "the node knows who" "$(acknowledged "$index")" "ann: looks"
is "and has it in its log" "$(log_entries $busy acknowledged)" 1
alarms acknowledge "$index" ''
is "the empty text takes it back" "$code $(acknowledged "$index")" "0 "
with --json acknowledge "$index"
is "without a text it is who runs it" "$code $(<"$work/out")" \
    "0 {\"index\":$index,\"key\":\"$busy\",\"acknowledged\":\"$(id -un)\"}"
is "that is what the node has" "$(acknowledged "$index")" "$(id -un)"
load 90
eventually "another one is raised" 10 alarm_of $overload
second=$(alarm_of $overload)
with --tsv acknowledge "$second" $busy 'bob: both'
is "several at once" "$code $(columns 1,3 | tr '\t\n' ' ,')" "0 $second bob: both,$index bob: both,"
is "each has it" "$(acknowledged "$index") $(acknowledged "$second")" "bob: both bob: both"

# -- What is not acknowledged ----------------------------------------------------------------
says "one of them is not there" 2 'no active alarm has the key node1:bussy:total; did you mean "node1:busy:total"\?' \
    alarms acknowledge "$second" node1:bussy:total me
says "a number that is none" 2 '4711 is no active alarm' alarms acknowledge "$second" 4711 me
says "a word that is neither" 2 'me: expected the index or the key of an alarm' alarms acknowledge "$index" me "$second"
says "no alarm at all" 2 'alarms acknowledge: expected ADDRESS INDEX|KEY... \[TEXT\]*' alarms acknowledge
says "a text that is not printable" 4 "dcampAlarmAcknowledge.$index: wrongValue: *" alarms acknowledge "$index" $'a\tb'
says "a text that is too long" 4 "dcampAlarmAcknowledge.$index: wrong*" alarms acknowledge "$index" "$(printf '%0128d ' 0)"
says "a user who only reads" 4 'snmpd does not let this user set it' with '-U dcampPoll' acknowledge "$index" me
says "a user that there is not" 4 '*unknownUserNames*' with '-U nobody' acknowledge "$index" me
says "an option of another" 2 '--count: no option of alarms acknowledge*' with '--count 3' acknowledge "$index" me
code=0
"$dcamp_" alarms acknowlege "$node" "$index" >"$work/out" 2>"$work/said" || code=$?
is "a name that is misspelt" "$code $(<"$work/said")" \
    '2 dcamp: alarms acknowlege: no such subcommand; did you mean "alarms acknowledge"? (dcamp --help)'
is "nothing of that is set" "$(acknowledged "$index") $(acknowledged "$second")" "bob: both bob: both"
with '-U dcampPoll --tsv' list
is "who only reads has the list" "$code $(columns 13 | tr '\n' ,)" "0 bob: both,bob: both,"

load 60
eventually "one of them is over" 10 not alarm_of $overload
says "by its number that is known" 2 "$second is no active alarm: that of $overload is over" \
    alarms acknowledge "$index" "$second" me
says "and it has no key any more" 2 "no active alarm has the key $overload*" alarms acknowledge $overload me
is "which keeps the others from it" "$(acknowledged "$index")" "bob: both"

# -- Of a node below -------------------------------------------------------------------------
told_above() {
    [[ $(at collector1 walk dcampChildAlarmKey) == *" $busy" ]]
}
eventually "the collector has it" 20 told_above
says "it is told where it can be acknowledged" 2 \
    "$busy is an alarm of node1, which is below this node: acknowledge it there, by \"dcamp alarms acknowledge *$DCAMP_LAB_NODE_1 $index\"" \
    at collector1 alarms acknowledge $busy me
read -r -a there < <(sed -n 's/.*by "dcamp \(.*\)"$/\1/p' "$work/said")
ok "so it is done" "$dcamp_" "${there[@]}" -U lab --secrets "$work/secrets" 'ann: from above'
above() {
    [[ $(at collector1 walk dcampChildAlarmAcknowledged) == *" ann: from above" ]]
}
eventually "and the collector knows" 20 above

# -- The log ---------------------------------------------------------------------------------
with '--tsv --since 0' list
all=$(columns 1)
with --tsv history
is "the history is all of the log" "$code $(columns 1)" "0 $all"
is "newest last" "$(columns 1)" "$(sort -n <<<"$all")"
is "with who has acknowledged" "$(grep -c $'\tacknowledged\t' "$work/out")" 6
with '--tsv --count 2' history
is "the latest of it" "$code $(columns 1) $(<"$work/said")" "0 $(tail -n 2 <<<"$all") "
with "--tsv --since $(tail -n 3 <<<"$all" | head -n 1)" history
is "what is after a number" "$code $(columns 1)" "0 $(tail -n 2 <<<"$all")"
with '-U dcampPoll' history
ok "for people" eval 'head -n 1 "$work/out" | grep -q "^ *NUMBER  EVENT " && tail -n 1 "$work/out" | grep -qx "last: $(tail -n 1 <<<"$all")"'
says "a count that is none" 2 '--count 0: expected a number*' with '--count 0' history

# -- Maintenance -----------------------------------------------------------------------------
with --tsv maintenance
is "the row of the file" "$code $(columns 1,2,7-10 | tr '\t' ' ')" "0 weekly $(columns 2) 7200000 sun 03:00 permanent"
load 10
eventually "no alarm" 10 not alarm_of $busy
with --json maintenance start move 1h nodes node1 thresholds busy
is "one begins" "$code $(python3 -c '
import json, sys, datetime
row = json.load(sys.stdin)
begin, end = (datetime.datetime.strptime(row[k], "%Y-%m-%dT%H:%M:%S.%fZ") for k in ("begin", "end"))
print(row["name"], row["now"], row["nodes"], row["thresholds"], end - begin, row["status"])' <"$work/out")" \
    "0 move True node1 busy 1:00:00 active"
load 90
eventually "what is raised meanwhile" 10 alarm_of $busy
eventually "and what is not of it" 10 alarm_of $overload
is "is held" "$(held $busy)" maintenance
is "all else is not" "$(held $overload)" ""
alarms maintenance list
is "it is maintenance now" "$code $(awk '$1 == "move" { print $2, $3, $4 }' "$work/out")" "0 yes node1 busy"
says "it cannot begin twice" 4 'move is there already, and it is maintenance by it now: *' alarms maintenance start move 2h
says "a user who only reads begins none" 4 'snmpd does not let this user set it' \
    with '-U dcampPoll' maintenance start other 1h
says "nor does that user end one" 4 'snmpd does not let this user set it' with '-U dcampPoll' maintenance end move
says "a time that is too long" 2 'dcampMaintenanceDuration 8d: *' alarms maintenance start other 8d
says "a time without a unit" 2 'start 5: expected a time such as 2h' alarms maintenance start other 5
says "a pattern that is none" 4 'dcampMaintenanceNodes."other": wrong*' alarms maintenance start other 1h nodes ''
says "a field of weekly ones" 2 'dcampMaintenanceDays: *' alarms maintenance start other 1h days mon
says "no time" 2 'alarms maintenance start: expected list*' alarms maintenance start other
says "what is neither" 2 'alarms maintenance stop: expected list*' alarms maintenance stop move
says "one that is not there" 2 'no maintenance is "mve"' alarms maintenance end mve
says "the file's does not end" 4 'dcampMaintenanceRowStatus."weekly": inconsistentValue: *' alarms maintenance end weekly
is "nothing of that has made a row" "$(walk dcampMaintenanceRowStatus | wc -l)" 2
alarms maintenance end move
is "it ends" "$code $(<"$work/out")" "0 move: it has ended"
ok "it is gone" not exists 'dcampMaintenanceNow."move"'
told_after() {
    [[ -z $(held "$busy") ]]
}
eventually "and what it held is told" 10 told_after

control kill-dcampd --node 1
node=$DCAMP_LAB_NODE_1
says "dcampd is gone" 3 'snmpd answers, but there is no DCAMP-MIB*' alarms acknowledge "$index" me
says "nor is there a log" 3 'snmpd answers, but there is no DCAMP-MIB*' alarms history
says "nor a maintenance" 3 'snmpd answers, but there is no DCAMP-MIB*' alarms maintenance
node=127.0.0.1:9
says "nobody is there" 3 '*Connection refused' alarms maintenance end move
finish
