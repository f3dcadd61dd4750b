#!/usr/bin/env bash
# nomaster.sh: a master that cannot be connected to is explained, and one that hangs does not keep
# dcampd from saving its state and ending.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# said TEXT: of the current log.
said() {
    grep -qF "$1" "$log"
}

# dcampd: one of our own, with the state and the master of the lab's.
dcampd() {
    exec "$DCAMP_LAB_BINARY" -f -c "$DCAMP_LAB_CONFIG_1" --agentx-socket "$DCAMP_LAB_AGENTX_1" \
        --state-dir "$DCAMP_LAB_STATE_1" --root "$work/root"
}

# begin: in the background; pid is then its.
begin() {
    dcampd </dev/null >"$log" 2>&1 &
    pid=$!
    jobs_started+=("$pid")
}

saved_alarm() {
    grep -q '<alarm .*threshold="high"' "$DCAMP_LAB_STATE_1/state.xml"
}

gone() {
    [[ ! -e /proc/$1/stat ]] || grep -q '^State:.Z' "/proc/$1/status"
}

make_root "$work/root"
start_lab --root "$work/root"
set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null
threshold high Sensor=load Operator=gt Limit=50 Severity=critical >/dev/null
sleep 1
control kill-dcampd
log=$work/log

# -- What keeps it from the master -----------------------------------------------------------

if [[ $EUID -eq 0 ]]; then
    chmod 0711 "$work" "$lab_dir" "$lab_dir/node1"
    cp "$DCAMP_LAB_BINARY" "$work/dcampd"
    cp -r "$top/conf" "$work/conf"
    install -d -m 0700 -o nobody "$work/state"
    echo '<dcamp version="1"/>' >"$work/dcamp.xml"
    chmod 0644 "$work/dcamp.xml"
    background env DCAMP_SCHEMA_DIR="$work/conf" setpriv --reuid=nobody \
        --regid="$(id -g nobody)" --clear-groups bash -c "exec \"\$@\" 2>$work/state/log" -- \
        "$work/dcampd" -f -c "$work/dcamp.xml" --agentx-socket "$DCAMP_LAB_AGENTX_1" \
        --state-dir "$work/state"
    log=$work/state/log
    eventually "without the right to the socket it says so, and as whom it runs" 10 \
        said "warning agentx: $DCAMP_LAB_AGENTX_1: Permission denied; dcampd runs as user nobody, group $(id -gn nobody): agentXPerms of snmpd.conf must let it in"
    end_background
    log=$work/log
fi
kill -s STOP "$DCAMP_LAB_PID_SNMPD_1"

# Each leaves a connection in the queue that nobody accepts, until one finds it full.
queued() {
    grep -c " ${DCAMP_LAB_AGENTX_1#unix:}\$" /proc/net/unix
}
has_tried() {
    [[ $(queued) -gt $before ]] || said "Resource temporarily unavailable"
}
for ((i = 0; i < 20; i++)); do
    before=$(queued)
    : >"$log"
    begin
    within 10 has_tried || true
    ! said "Resource temporarily unavailable" || break
    kill -s KILL "$pid"
    wait "$pid" 2>/dev/null || true
done
eventually "a frozen master with a full queue is said to hang" 5 \
    said "Resource temporarily unavailable; the master does not accept connections; snmpd hangs"
sleep 2
set_load "$work/root" 90
eventually "the alarm that is raised meanwhile is saved at once" 5 saved_alarm
set_load "$work/root" 10
# It is for the cycles to see that it is good again, five a second: half a second, or what a busy
# machine needs.
sleep 0.5
within 10 not saved_alarm || true
kill "$pid"
status=0
eventually "it ends all the same" 10 gone "$pid"
gone "$pid" || kill -s KILL "$pid"
wait "$pid" || status=$?
is "with status 0" "$status" 0
ok "that it was cleared before it ended is saved, too" not saved_alarm
kill -s CONT "$DCAMP_LAB_PID_SNMPD_1"
control start-dcampd
eventually "it goes on with the master" 10 exists dcampNodeName.0
is "and has both in the log" \
    "$(log_entries node1:high:total raised) $(log_entries node1:high:total cleared)" "1 1"

control kill-dcampd
kill -s KILL "$DCAMP_LAB_PID_SNMPD_1"
within 20 gone "$DCAMP_LAB_PID_SNMPD_1"
begin
eventually "a socket that a killed snmpd left" 5 \
    said "warning agentx: $DCAMP_LAB_AGENTX_1: Connection refused; nobody listens there; does snmpd run?"
rm "${DCAMP_LAB_AGENTX_1#unix:}"
sleep 1.2
is "is one message, also when it has gone" "$(grep -c agentx: "$log")" 1
end_background
begin
eventually "no socket" 5 said \
    "warning agentx: $DCAMP_LAB_AGENTX_1: No such file or directory; snmpd does not run, has no line \"master agentx\", or another agentXSocket"
end_background
finish
