#!/usr/bin/env bash
# A thousand series cross their limit at once: notifications keep their rate, the most severe first,
# with summaries; table, log and audit file are complete; sampler and snmpd stay on time.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

series=1000
rate=10 # notifications in two seconds
period=2

# octets NUMBER_OF_WARNINGS NUMBER_OF_CRITICALS: of the interfaces, in lines that keep their length.
interfaces() {
    awk -v n="$series" -v warning="$1" -v critical="$2" 'BEGIN {
        print "Inter-|   Receive\n face |bytes"
        for (i = 0; i < n; i++) {
            octets = i >= n - critical ? 9000 : i < warning ? 5000 : 1000
            printf "  n%04d: %04d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", i, octets
        }
    }' 1<>"$work/root/proc/net/dev"
}

active() {
    walk dcampAlarmKey | grep -c 'node1:storm:'
}

active_are() {
    [[ $(active || true) -eq $1 ]]
}

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

make_root "$work/root"
: >"$work/root/proc/net/dev"
interfaces 0 0
awk -v audit="$work/alarms.log" -v rate="$rate" -v period="$period" '
    /<alarms / { $0 = "  <alarms log=\"5000\" rate=\"" rate "\" per=\"" period "s\" queue=\"1000\" file=\"" audit "\"/>" }
    { print }' "$top/conf/dcamp.xml" >"$work/storm.xml"
start_lab --root "$work/root" --config "$work/storm.xml"
set_ 'dcampSensorMetric."octets"' s net.rx.bytes 'dcampSensorInstances."octets"' s 'n*' \
    'dcampSensorInterval."octets"' u 1000 'dcampSensorRowStatus."octets"' i createAndGo >/dev/null
threshold storm Sensor=octets Operator=gt Limit=4000 CriticalLimit=8000 >/dev/null
watched() {
    [[ $(walk dcampThresholdStatePhase | grep -c '"storm"') -eq $series ]]
}
eventually "every series is watched" 20 watched
eventually "and calm" 5 active_are 0

watch_machine
late=$(get dcampSelfLateCycles.0)
cycles=$(get dcampSelfCycles.0)
began=$(now_ms)
interfaces $((series - 100)) 100
eventually "all have their alarms" 5 active_are "$series"

# What counts is what the tool waits for an answer; how long it takes itself to start is of the machine.
unanswered=0
for _ in {1..40}; do
    command snmpget -t 1 -r 0 "${snmp[@]}" "$node" DCAMP-MIB::dcampNodeName.0 >/dev/null 2>&1 ||
        unanswered=$((unanswered + 1))
    sleep 0.1
done
late=$(($(get dcampSelfLateCycles.0) - late))
still=$(stood_still)
ok "snmpd answered within a second all the time (but for $unanswered of 40; the machine stood still for $still ms)" \
    test "$unanswered" -le $((still / 1000))
ok "no cycle was late" test "$late" -le $(($(stood_still 1000) / 1000))
ok "and they went on" test "$(get dcampSelfCycles.0)" -gt $((cycles + 3))

# They have no key.
summaries() {
    grep -F 'SNMPv2-MIB::snmpTrapOID.0 = DCAMP-MIB::dcampAlarmsSuppressed' "$DCAMP_LAB_TRAPLOG" || true
}

came() {
    traps dcampAlarmRaised 'node1:storm:.*' | grep -c . || true
}
sleep 4
still=$(stood_still 1000)
least=$((($(now_ms) - began - still) / 1000 + 1))
raised=$(came)
summaries=$(summaries | grep -c . || true)
elapsed=$((($(now_ms) - began) / 1000 + 1))
ok "the rate held: $raised and $summaries summaries in $elapsed s" \
    test $((raised + summaries)) -le $((rate + rate * elapsed / period))
ok "and was used" test "$raised" -ge $((rate + rate * (least - 3) / period - summaries))
ok "summaries came" test "$summaries" -ge 2
is "the most severe first: all of them are critical" \
    "$(traps dcampAlarmRaised 'node1:storm:.*' | head -n 50 | grep -vc 'dcampAlarmSeverityText\.[0-9]* = critical' || true)" 0
first=$(summaries | head -n 1 | tr '\t' '\n' | sed -n 's/.*dcampAlarmSuppressed\.[0-9]* = //p')
ok "the first summary has the number that waited ($first)" test "$first" -ge $((series - 2 * rate))

is "the log has every raise, once" \
    "$({ walk dcampAlarmLogKey | grep -o 'node1:storm:n[0-9]*' || true; } | sort -u | wc -l)" "$series"
audited() {
    [[ $(grep -c 'event=raised .*threshold="storm"' "$work/alarms.log") -eq $series ]]
}
eventually "and so has the audit file" 5 audited
is "one line in the audit for each number" \
    "$(sed -n 's/.* seq=\([0-9]*\) .*/\1/p' "$work/alarms.log" | sort -n | uniq -d | wc -l)" 0

interfaces 0 0
eventually "all are over" 5 active_are 0
cleared_of_untold() {
    [[ $(as_number get dcampSelfNotificationsSuppressed.0) -ge $((series / 2)) ]]
}
eventually "who was never told of a raise is not told of its clear" 5 cleared_of_untold
cleared() {
    traps dcampAlarmCleared 'node1:storm:.*' | grep -c . || true
}
all_cleared() {
    [[ $(cleared) -ge $(came) ]]
}
within $((elapsed + 14)) all_cleared || true
sleep $((period + 1)) # until another one would have come
is "each that was told of is told to be over" "$(cleared)" "$(came)"

# All may go at once, but the queue has few places: those that do not fit come when there is room.
sed -i -E '/<alarms /s/rate="[0-9]+" per="[0-9]+s" queue="[0-9]+"/rate="1000" per="1s" queue="20"/' \
    "$DCAMP_LAB_CONFIG_1"
kill -HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "the configuration is read again" 5 grep -q 'config: .*: reloaded' "$DCAMP_LAB_LOG_1"
before=$(came)
interfaces "$series" 0
all_came() {
    [[ $(came) -eq $((before + series)) ]]
}
eventually "a thousand raises go through a queue of 20" 60 all_came
is "each once" "$(traps dcampAlarmRaised 'node1:storm:.*' | tail -n "$series" |
    grep -o 'node1:storm:n[0-9]*' | sort -u | wc -l)" "$series"
ok "nothing was dropped" test "$(get dcampSelfNotificationsDropped.0)" -eq 0
finish
