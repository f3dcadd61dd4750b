#!/usr/bin/env bash
# HUP takes a good configuration and keeps the old one when the new one is bad; --check-config
# tells which; TERM ends the daemon cleanly; a master that comes late is found.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

configured() {
    { walk dcampSensorTable; walk dcampFilterTable; walk dcampThresholdTable; } |
        grep -Ev '(Passed|Held|Since|Raised|SensorSeries|SensorState)\.'
}

serial_moved() {
    [[ $(get dcampNodeConfigSerial.0) != "$1" ]]
}

log_has() {
    tail -n "+$((log_lines + 1))" "$DCAMP_LAB_LOG_1" | grep -Fq -- "$1"
}

reload() {
    log_lines=$(wc -l <"$DCAMP_LAB_LOG_1")
    kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
}

# bad WHAT SED LINE: spoils the configuration by a sed script, at that line, and reloads it.
bad() {
    local before output status=0 digest
    sed -E "$2" "$work/good.xml" >"$config"
    before=$(configured)
    digest=$(get dcampNodeConfigSerial.0 dcampNodeConfigDigest.0)
    output=$("$DCAMP_LAB_BINARY" --check-config -c "$config" 2>&1) || status=$?
    is "$1: --check-config exits with 1" "$status" 1
    ok "$1: and names the place" grep -Fq "$config:$3: " <<<"$output"
    is "$1: in one line" "$(wc -l <<<"$output")" 1
    reload
    eventually "$1: the log names the place" 5 log_has "$config:$3: "
    is "$1: the configuration is kept whole" "$(configured)" "$before"
    is "$1: serial and digest, too" "$(get dcampNodeConfigSerial.0 dcampNodeConfigDigest.0)" "$digest"
}

# The daemon as the lab starts it, but as a child, whose exit status can be had.
start_own() {
    "$DCAMP_LAB_BINARY" -f -c "$config" --agentx-socket "$DCAMP_LAB_AGENTX_1" \
        --state-dir "$DCAMP_LAB_STATE_1" </dev/null >>"$DCAMP_LAB_LOG_1" 2>&1 &
    own=$!
    jobs_started+=("$own")
}

name_is_there() {
    [[ $(get dcampNodeName.0) == node1 ]]
}

start_lab
config=$DCAMP_LAB_CONFIG_1
set_ 'dcampSensorMetric."mine"' s mem.dirty 'dcampSensorRowStatus."mine"' i createAndGo >/dev/null

status=0
"$DCAMP_LAB_BINARY" --check-config -c "$config" >/dev/null || status=$?
is "--check-config exits with 0" "$status" 0
status=0
"$DCAMP_LAB_BINARY" --check-config -c "$work/none.xml" >/dev/null 2>&1 || status=$?
is "--check-config of a file that is not there exits with 1" "$status" 1

sensors=$(grep -n '<sensors>' "$config" | cut -d: -f1)
sed "${sensors}a <sensor name=\"added\" metric=\"mem.buffers\" interval=\"1s\"/>" "$config" >"$work/good.xml"
cp "$work/good.xml" "$config"
serial=$(get dcampNodeConfigSerial.0)
reload
eventually "good: the serial moves" 5 serial_moved "$serial"
eventually "good: the new sensor is there" 5 exists 'dcampValueText."added"."total"'
ok "good: what was set before is kept" exists 'dcampSensorRowStatus."mine"'

line=$((sensors + 1))
bad "not well-formed" "${line}s/ metric=/ metric/" "$line"
bad "not in the schema" "${line}s/ metric=/ metrik=/" "$line"
bad "no such metric" "${line}s/mem.buffers/mem.bufers/" "$line"
bad "bad duration" "${line}s/\"1s\"/\"1 sec\"/" "$line"
bad "name taken" "${line}s/\"added\"/\"cpu.busy\"/" "$((line + $(sed "1,${line}d" "$work/good.xml" | grep -n -m 1 'name="cpu.busy"' | cut -d: -f1)))"
serial=$(get dcampNodeConfigSerial.0)
sed "${line}d" "$work/good.xml" >"$config"
reload
eventually "good again: the serial moves" 5 serial_moved "$serial"
eventually "good again: the sensor is gone" 5 not exists 'dcampSensorRowStatus."added"'

control kill-dcampd
start_own
eventually "started again: it answers" 10 name_is_there
kill -s TERM "$own"
status=0
wait "$own" || status=$?
is "TERM: it exits with 0" "$status" 0

kill -s KILL "$DCAMP_LAB_PID_SNMPD_1"
start_own
sleep 2
ok "without a master: it runs" kill -0 "$own"
control restart-snmpd
eventually "it finds the master that comes late" 5 name_is_there
ok "what was set is still there" exists 'dcampSensorRowStatus."mine"'
finish
