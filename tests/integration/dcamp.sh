#!/usr/bin/env bash
# dcamp alarms against a real node: the active alarms; exactly what came after a number; a log that
# is cut off, began anew or wrapped; keys that are wrong, and nodes that are silent.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=book.sh
. "$top/tests/integration/book.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp
export TZ=XYZ-5:30

# alarms ARGUMENT...: the output, what is said, the exit status, in files and in $code.
alarms() {
    code=0
    "$dcamp_" alarms -U lab --secrets "$work/secrets" "$node" "$@" >"$work/out" 2>"$work/said" || code=$?
}

# says DESCRIPTION STATUS PATTERN ARGUMENT...: it fails with one line.
says() {
    local description=$1 expected=$2 pattern=$3 good=0
    shift 3
    alarms "$@"
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq $expected && $(<"$work/said") == "dcamp: "$pattern && $(wc -l <"$work/said") -eq 1 ]] || good=1
    report "$good" "$description" "status $code"$'\n'"$(<"$work/said")"
}

# columns LIST: of what came as TSV, a line a row, without the names.
columns() {
    sed '1d; /^#/d' "$work/out" | cut -f "$1"
}

last() {
    sed -n 's/^#last\t//p' "$work/out"
}

# sequence_of EVENT: of the latest entry of the alarm in the node's own table.
sequence_of() {
    walk dcampAlarmLogEvent | sed -n "s/^.*\\.\\([0-9]*\\) $1\$/\\1/p" | tail -n 1
}

# up and down: the alarm comes and goes once more.
up_and_down() {
    set_load "$work/root" 90
    within 10 alarm_of "$key"
    set_load "$work/root" 10
    within 10 not alarm_of "$key"
}

key=node1:hot:total
make_root "$work/root"
# No summary of what a rate held back may come between the numbers that are expected.
sed 's/rate="10" per="10s"/rate="1000" per="1s"/' "$top/conf/dcamp.xml" >"$work/dcamp.xml"
start_lab --root "$work/root" --config "$work/dcamp.xml"
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null

# -- The user of the other tools ---------------------------------------------------------------
# As dcampd(8) has it for snmpget and the like; common.sh names the directory.
words=("${snmp[@]}")
manual_display dcampd.8 '^defSecurityName' | sed -e "s/^defAuthPassphrase .*/defAuthPassphrase ${words[8]}/" \
    -e "s/^defPrivPassphrase .*/defPrivPassphrase ${words[12]}/" >"$SNMPCONFPATH/snmp.conf"
is "what no option says is in snmp.conf" "$("$dcamp_" alarms "$node" 2>&1)" "no active alarms"
sed -i 's/^defAuthType .*/defAuthType MD5/' "$SNMPCONFPATH/snmp.conf"
ok "an option goes before it" "$dcamp_" alarms -a SHA-256 "$node"
rm "$SNMPCONFPATH/snmp.conf"

# -- Active alarms ---------------------------------------------------------------------------
alarms
is "no alarms" "$code $(<"$work/out")" "0 no active alarms"
alarms --json
is "no alarms, for programs" "$code $(<"$work/out")" "0 "
alarms --since 0 --tsv
is "a log without entries" "$code $(columns 1-) $(last)" "0  0"
threshold mild Sensor=load Operator=gt Limit=40 Severity=info >/dev/null
set_load "$work/root" 45
eventually "a mild one is raised" 10 alarm_of node1:mild:total
threshold hot Sensor=load Operator=gt Limit=50 Severity=critical "Description=it is hot" >/dev/null
set_load "$work/root" 90
eventually "a critical one is raised" 10 alarm_of "$key"
index=$(alarm_of "$key")
alarms --tsv
is "the most severe is first" "$(columns 2,5,10,11,12 | tr '\t\n' ' ,')" \
    "critical $key 90 > 50 ,info node1:mild:total 45 > 40 ,"
is "its index" "$(columns 1 | head -n 1)" "$index"
alarms
is "a table: its headings" "$(head -n 1 "$work/out" | tr -s ' ')" \
    "SEVERITY SINCE KEY VALUE LIMIT HELD ACKNOWLEDGED MESSAGE"
ok "local time with its zone, and the message" grep -Eq \
    "^critical  20[0-9-]{8} [0-9:]{8}\+0530  $key +90 +> 50 +- +- +.*it is hot" "$work/out"
snmpset "${snmp[@]}" "$node" "DCAMP-MIB::dcampAlarmAcknowledge.$index" s "ann: looks" >/dev/null
alarms --json
is "acknowledged, as JSON" "$(head -n 1 "$work/out" | python3 -c '
import json, sys, datetime
a = json.load(sys.stdin)
since, seen = (datetime.datetime.strptime(a[k], "%Y-%m-%dT%H:%M:%S.%fZ") for k in ("since", "acknowledgedAt"))
now = datetime.datetime.utcnow()
print(a["severity"], a["acknowledged"], a["value"], a["limit"], a["index"],
      since <= seen <= now < since + datetime.timedelta(minutes=2))')" \
    "critical ann: looks 90 > 50 $index True"
alarms
ok "acknowledged, in the table" grep -Eq "^critical .* ann: looks  " "$work/out"
set_load "$work/root" 10
eventually "the critical one is over" 10 not alarm_of "$key"
eventually "and the mild one" 10 not alarm_of node1:mild:total
alarms
is "no alarms any more" "$(<"$work/out")" "no active alarms"

# -- The log ---------------------------------------------------------------------------------
set_ 'dcampThresholdRowStatus."mild"' i destroy >/dev/null
alarms --since 0 --tsv
is "all of the log" "$code $(columns 2,4 | sort | tr '\t\n' ' ,')" \
    "0 acknowledged $key,cleared $key,cleared node1:mild:total,raised $key,raised node1:mild:total,"
is "oldest first" "$(columns 1)" "$(columns 1 | sort -n)"
seen=$(last)
is "the last number is the log's" "$seen" "$(sequence_of '.*')"
alarms --since "$seen" --tsv
is "nothing came since" "$code $(columns 1-) $(last) $(<"$work/said")" "0  $seen "
up_and_down
alarms --since "$seen" --tsv
is "exactly what came since" "$code $(columns 1,2,4,5,10,11 | tr '\t\n' ' ,')$(<"$work/said")" \
    "0 $((seen + 1)) raised $key critical 90 > 50,$((seen + 2)) cleared $key clear 10 > 50,"
is "and where to go on" "$(last)" $((seen + 2))
alarms --since $((seen + 1)) -v
ok "nothing older is asked for" eval \
    '! grep -Eo "dcampAlarmLog[A-Za-z]*\.[0-9]+" "$work/said" | sed "s/.*[.]//" | grep -vx "$((seen + 2))"'
ok "but what came after" grep -q "dcampAlarmLogKey.$((seen + 2)) = " "$work/said"
is "the table ends in the number" "$(tail -n 1 "$work/out")" "last: $((seen + 2))"
alarms --since "$seen" --json
is "as JSON" "$(python3 -c '
import json, sys
for line in sys.stdin:
    o = json.loads(line)
    print(o.get("last") or (o["sequence"], o["event"], o["threshold"], o["notified"], o["time"][-1]))' <"$work/out")" \
    "($((seen + 1)), 'raised', 'hot', True, 'Z')
($((seen + 2)), 'cleared', 'hot', True, 'Z')
$((seen + 2))"

# -- A log that is cut off -------------------------------------------------------------------
for _ in 1 2 3 4; do
    up_and_down
done
sed -i 's/<alarms log="1000"/<alarms log="10"/' "$DCAMP_LAB_CONFIG_1"
kill -HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "the log is shorter" 10 eval '[[ $(walk dcampAlarmLogEvent | wc -l) -eq 10 ]]'
newest=$(sequence_of '.*')
oldest=$((newest - 9))
says "what is not kept is told" 1 "$((oldest - 3)) entries after 2 are not kept any more: the next one is $oldest" \
    --since 2 --tsv
is "the rest is there all the same" "$(columns 1 | tr '\n' ' ')$(last)" "$(seq "$oldest" "$newest" | tr '\n' ' ')$newest"
says "one that is not kept" 1 "1 entry after $((oldest - 2)) is not kept any more: the next one is $oldest" \
    --since $((oldest - 2))
alarms --since $((oldest - 1)) --tsv
is "nothing is missing behind the one before" "$code $(columns 1 | wc -l) $(<"$work/said")" "0 10 "
alarms --since 0 --tsv
is "nor of all that there is" "$code $(columns 1 | wc -l) $(<"$work/said")" "0 10 "
says "a number that the node never gave" 1 "there is no entry $((newest + 9)) and none after it: *" --since $((newest + 9))
is "then there is none to go on from" "$(<"$work/out")" ""

# -- Numbers that come round -----------------------------------------------------------------
control kill-dcampd
sed -i -e '/<entry /d' -e '/<dcamp-state/s/\( sequence=\)"[0-9]*"/\1"4294967293"/' "$DCAMP_LAB_STATE_1/state.xml"
control start-dcampd
up_and_down
up_and_down
round='4294967294 4294967295 1 2 '
alarms --since 4294967293 --tsv
is "on beyond the largest number" "$code $(columns 1 | tr '\n' ' ')$(last)" "0 ${round}2"
alarms --since 4294967294 --tsv
is "from before it" "$code $(columns 1 | tr '\n' ' ')$(last)" "0 ${round#* }2"
alarms --since 4294967295 --tsv
is "from it" "$code $(columns 1 | tr '\n' ' ')$(last)" "0 1 2 2"
alarms --since 1 --tsv
is "from behind it: what was before is not later" "$code $(columns 1 | tr '\n' ' ')$(last)" "0 2 2"
alarms --since 2 --tsv
is "from the end" "$code $(columns 1)$(last)" "0 2"
alarms --since 0 --tsv
is "all, oldest first" "$code $(columns 1 | tr '\n' ' ')$(last)" "0 ${round}2"
says "what is missing before it" 1 "3 entries after 4294967290 are not kept any more: the next one is 4294967294" \
    --since 4294967290

# -- Who does not answer ---------------------------------------------------------------------
sed 's/^auth ./auth \\/' "$work/secrets" >"$work/wrong"
chmod 600 "$work/wrong"
says "a wrong passphrase" 4 '*authentication passphrase*' --secrets "$work/wrong"
says "a wrong user" 4 '*unknownUserNames*' -U nobody
sed 's/^priv ./priv \\/' "$work/secrets" >"$work/wrong"
says "a wrong privacy passphrase" 3 '*the privacy passphrase is wrong' --secrets "$work/wrong" -t 2
chmod 644 "$work/secrets"
says "secrets that others may read" 2 '*chmod*' --since 0
chmod 600 "$work/secrets"
code=0
"$dcamp_" alarm >"$work/out" 2>"$work/said" || code=$?
is "an unknown subcommand" "$code $(<"$work/said")" \
    '2 dcamp: alarm: no such subcommand; did you mean "alarms"? (dcamp --help)'
code=0
"$dcamp_" alarms -U lab --secrets "$work/secrets" "$node" --since 0 >/dev/full 2>"$work/said" || code=$?
is "no room for the output" "$code $(<"$work/said")" "5 dcamp: the output is not complete: No space left on device"
kill -STOP "$DCAMP_LAB_PID_DCAMPD_1"
says "dcampd hangs" 3 '*genErr*'
kill -CONT "$DCAMP_LAB_PID_DCAMPD_1"
control kill-dcampd
says "dcampd is gone" 3 'snmpd answers, but there is no DCAMP-MIB*' --since 2
kill -STOP "$DCAMP_LAB_PID_SNMPD_1"
says "snmpd is silent" 3 '*no answer' --since 2 -t 2
is "and nothing is printed" "$(<"$work/out")" ""
kill -CONT "$DCAMP_LAB_PID_SNMPD_1"
node=127.0.0.1:9
says "nobody is there" 3 '*Connection refused'
finish
