#!/usr/bin/env bash
# publish.sh: what a node reports is in its history, value by value and once: while the process of the sink,
# the one that starts it, or dcampd are killed, and while it does not read. dcampSinkTable says how it goes;
# sinks come and go with dcamp.xml.
# shellcheck source=common.sh disable=SC2016 # what eval gets is expanded there
. "$(dirname "$0")/common.sh"

bin=${DCAMP_BUILD:-$top/build}
sensors=(switches idle free)

# write_config FILE SINK...: a node that reports every value of three sensors, and these sinks.
write_config() {
    cat >"$1" <<END
<dcamp version="1">
  <node name="node1" group="g"/>
  <report keep="3600"/>
  <sensors>
    <sensor name="switches" metric="kernel.switches" calculation="rate" interval="200ms"/>
    <sensor name="idle" metric="cpu.idle" calculation="percent" instances="total" interval="500ms"/>
    <sensor name="free" metric="mem.free" interval="1s" window="2s"/>
  </sensors>
  <sinks>
$(printf '    %s\n' "${@:2}")
  </sinks>
</dcamp>
END
}

# number SENSOR: of its only series, in the blocks of this boot.
number() {
    get "dcampValueSeries.\"$1\".\"total\""
}

# What the node's blocks say: "SENSOR TIME VALUE" of each value, sorted. The number of values is bounded by
# what SNMP answers in a while, so that a test that goes on for long compares its last part.
reported() {
    local name
    for name in "${sensors[@]}"; do
        echo "$name $(number "$name")"
    done >"$work/numbers"
    snmpbulkwalk -OqvxUt "${snmp[@]}" "$node" DCAMP-MIB::dcampReportBlock | tr -d '\n' | tr -s '"' '\n' |
        "$bin/tests/integration/read-blocks" >"$work/said" || return 1
    awk 'NR == FNR { name[$2] = $1; next } $1 == "value" && $2 in name { print name[$2], $3, $4 }' \
        "$work/numbers" "$work/said" | sort
}

# What the history has, likewise.
kept() {
    local name
    for name in "${sensors[@]}"; do
        "$bin/dcamp" history --directory "$DCAMP_LAB_HISTORY" --json node1 "$name" --last 30m 2>/dev/null |
            python3 -B -c 'import json, sys
for line in sys.stdin:
    value = json.loads(line)
    print(sys.argv[1], value["t"], "%g" % value["value"])' "$name"
    done | sort
}

has_reported() {
    reported >"$work/reported" && [[ $(wc -l <"$work/reported") -gt 10 ]]
}

# Whether all that was read by has_reported is in the history; what is reported later is not waited for: the
# history is a second behind, in which there are new values.
has_all() {
    kept >"$work/kept"
    [[ -z $(comm -23 "$work/reported" "$work/kept") ]]
}

# no_doubles DESCRIPTION: no time of a sensor is there twice.
no_doubles() {
    is "$1: nothing is there twice" "$(kept | cut -d' ' -f1,2 | uniq -d | head -n 3)" ""
}

# all_there DESCRIPTION
all_there() {
    eventually "$1: the node reports" 20 has_reported
    eventually "$1: all that was reported is in the history" 20 has_all
    comm -23 "$work/reported" "$work/kept" | sed 's/^/# missing: /' | head -n 3
    no_doubles "$1"
}

# sink COLUMN [NAME]: of dcampSinkTable.
sink() {
    snmpget -OqvU "${snmp[@]}" "$node" "DCAMP-MIB::dcampSink$1.\"${2:-history}\"" | tr -d '"'
}

sink_is() {
    [[ $(sink "${@:3}" "$2" 2>/dev/null || true) == "$1" ]]
}

# state_is STATE [NAME]
state_is() {
    [[ $(sink State "${2:-history}") == "$1" ]]
}

# The process that works for the history.
worker() {
    pgrep -P "$DCAMP_LAB_PID_PUBLISH" -f -- '--sink history'
}

write_config "$work/dcamp.xml" '<sink name="history" kind="sqlite"/>' '<sink name="odd" kind="no-such-kind"/>'
start_lab --config "$work/dcamp.xml" --history

eventually "the sink is up" 20 state_is up
all_there "at first"
ok "values are counted" test "$(sink Values)" -gt 0
is "nothing is lost" "$(sink Lost)" 0
eventually "a kind that there is not fails" 20 state_is failing odd
ok "and it says so" eval '[[ $(sink Error odd) == *no-such-kind* ]]'
eventually "dcamp history asks the node where it is" 20 eval \
    '"$bin/dcamp" history --json $DCAMP_LAB_LOGIN "$node" node1 idle --last 10m | grep -q "\"count\": 1"'
eventually "dcamp analyse does, too" 20 eval \
    '"$bin/dcamp" analyse --json $DCAMP_LAB_LOGIN "$node" node1 idle --last 10m | grep -q "\"unit\""'
eventually "and dcamp-web shows it" 20 eval \
    'curl -s "$DCAMP_LAB_WEB/api/v1/values?node=node1&sensor=idle&instance=total&last=10m" | grep -q "\"count\":1"'

for round in 1 2 3; do
    pid=$(worker)
    kill -KILL "$pid"
    eventually "killed $round times, the sink is worked for again" 30 eval \
        '[[ -n $(worker) && $(worker) != '"$pid"' ]]'
    eventually "it is up" 30 state_is up
done
all_there "the process of the sink was killed"

kill -KILL "$DCAMP_LAB_PID_PUBLISH"
eventually "without the one that starts it, nobody works for it" 20 state_is absent
sleep 1 # values come meanwhile
"$bin/dcamp-publish" --socket "$DCAMP_LAB_PUBLISH_SOCKET" --state-dir "$(dirname "$DCAMP_LAB_HISTORY")" 2>"$work/publish.log" &
DCAMP_LAB_PID_PUBLISH=$!
jobs_started+=($!)
eventually "it goes on where it was" 30 state_is up
all_there "the whole of dcamp-publish was killed"

late=$(get dcampSelfLateCycles.0)
pid=$(worker)
kill -STOP "$pid"
# shellcheck disable=SC2034 # what eval gets has it
begun=$(get dcampReportLast.0)
ok "a sink that does not read holds nobody up: blocks go on" within 30 eval \
    '[[ $(get dcampReportLast.0) -gt $((begun + 15)) ]]'
stood_still_late=$(($(get dcampSelfLateCycles.0) - late))
ok "and cycles are in time ($stood_still_late late)" test "$stood_still_late" -le 2
kill -CONT "$pid"
all_there "the sink did not read for a while"

reported >"$work/before"
control kill-dcampd --signal KILL
control start-dcampd
eventually "dcampd has begun again, and the sink is up" 30 state_is up
# But for the last second, which it may not have sent.
sort -k2n "$work/before" | head -n -10 | sort >"$work/reported"
eventually "what was reported before dcampd was killed is there" 20 has_all
all_there "dcampd was killed"

write_config "$DCAMP_LAB_CONFIG_1" "<sink name=\"history\" kind=\"sqlite\" location=\"$DCAMP_LAB_HISTORY\"/>" \
    "<sink name=\"lines\" kind=\"json\" location=\"$work/lines\" sensors=\"idle\"/>" \
    '<sink name="one" kind="csv"/>' '<sink name="two" kind="csv"/>'
mkdir "$work/lines"
kill -HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "a sink that comes into dcamp.xml is worked for" 30 state_is up lines
eventually "several sinks of files have no location" 30 eval 'state_is up one && state_is up two'
eventually "and a directory each" 30 eval 'ls "$(dirname "$DCAMP_LAB_HISTORY")"/csv-one/one-*.csv "$(dirname "$DCAMP_LAB_HISTORY")"/csv-two/two-*.csv'
not_there() { [[ $(sink State odd 2>&1) == *'No Such Instance'* ]]; }
eventually "one that has gone is not there any more" 30 not_there
eventually "its lines are those of its sensors" 30 eval \
    'cat "$work"/lines/* | grep -q "\"sensor\": *\"idle\"" && ! cat "$work"/lines/* | grep -q "\"sensor\": *\"switches\""'
all_there "sinks came and went"
finish
