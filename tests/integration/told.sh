#!/usr/bin/env bash
# Told means saved: whatever receivers were told, dcampd knows of after kill -9; and that costs
# a notification hardly more than the disk and the way.
#
# With a mount namespace of its own, for a disk that is full.
if [[ -z ${DCAMP_TOLD_APART:-} ]] && unshare -m true 2>/dev/null; then
    DCAMP_TOLD_APART=1 exec unshare -m "$0" "$@"
fi
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=receiver.sh
. "$(dirname "$0")/receiver.sh"

rounds=10
make_interfaces 40
awk -v audit="$work/alarms.log" '
    /<alarms / { $0 = "  <alarms log=\"1000\" rate=\"1000\" per=\"1s\" queue=\"500\" file=\"" audit "\"/>" }
    { print }' "$top/conf/dcamp.xml" >"$work/told.xml"

on_disk 0
start_lab --root "$work/root" --config "$work/told.xml" --binary "$work/dcampd"
watch_interfaces high 100
eventually "every interface is watched" 10 exists 'dcampThresholdStatePhase."high"."node1"."n39"'
sleep 1.5

# soon COMMAND...: like within, but looks more often.
soon() {
    local i
    for ((i = 0; i < 500; i++)); do
        ! "$@" || return 0
        sleep 0.01
    done
    return 1
}

arrived() {
    grep -qF "dcampAlarmKey" "$DCAMP_LAB_TRAPLOG" && last_told_is "$@"
}

# 1. Another alarm is saved; a quarter of a second later one is raised and told; kill -9; the value
# is good again. Its clear is told, and not by a number that something else has.
forgotten=0
for ((i = 0; i < rounds; i++)); do
    octets $((2 * i)) 5000
    soon arrived "node1:high:$(printf 'n%02d' $((2 * i)))" Raised || echo "# not raised"
    sleep 0.25
    victim=node1:high:$(printf 'n%02d' $((2 * i + 1)))
    octets $((2 * i + 1)) 6000
    soon arrived "$victim" Raised || echo "# not raised"
    kill_dcampd
    octets $((2 * i + 1)) 1000
    control start-dcampd
    soon arrived "$victim" Cleared || forgotten=$((forgotten + 1))
done
is "told to be raised, killed, good again: clears that were forgotten, of $rounds" "$forgotten" 0
is "and numbers that two events have" "$(told_twice | wc -l)" 0

# 2. Raised, told, killed, and still bad with another value: told once, or again as it was.
changed=0
for ((i = 0; i < rounds; i++)); do
    victim=node1:high:$(printf 'n%02d' $((2 * i + 1)))
    before=$(told_times Raised "$victim")
    octets $((2 * i + 1)) 7000
    soon last_told_is "$victim" Raised || echo "# not raised"
    kill_dcampd
    octets $((2 * i + 1)) 8000
    control start-dcampd
    sleep 0.3
    [[ $(told_times Raised "$victim") -eq $((before + 1)) ]] || changed=$((changed + 1))
done
is "still bad after the kill: raised under a second number, of $rounds" "$changed" 0
is "and numbers that two events have" "$(told_twice | wc -l)" 0
audited_twice() {
    sed -n 's/.* seq=\([0-9]*\) .*/\1/p' "$work/alarms.log" | sort -n | uniq -d
}
is "the audit file has no number twice either" "$(audited_twice | wc -l)" 0

# 3. How long a notification takes, from the cycle that finds the breach to the receiver, beside what
# it cannot do without: the disk and the way of a packet through snmpd and back.
stamp() {
    local line
    while IFS= read -r line; do
        echo "${EPOCHREALTIME/./} ${line#*dcampAlarmSequence.}"
    done | sed -u 's/^\([0-9]*\) [0-9]* = \([0-9]*\).*/\1 \2/'
}

# median FILE: of its lines, in microseconds.
median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print int(v[int((NR + 1) / 2)]) }'
}

us() {
    local began=${EPOCHREALTIME/./}
    "$@" >/dev/null 2>&1
    echo $((${EPOCHREALTIME/./} - began))
}

tail -n 0 -F "$DCAMP_LAB_TRAPLOG" 2>/dev/null > >(stamp >"$work/stamps") &
jobs_started+=($!)
follower=$!
follows() {
    find "/proc/$follower/fd" -lname "$(realpath "$DCAMP_LAB_TRAPLOG")" | grep -q .
}
eventually "what arrives is looked at" 10 follows
for ((i = 20; i < 40; i++)); do
    octets "$i" 5000
    sleep 0.17
    us get dcampNodeName.0 >>"$work/gets"
    us dd if="$DCAMP_LAB_STATE_1/state.xml" of="$work/copy" conv=fsync status=none >>"$work/syncs"
done
all_stamped() {
    local i
    for ((i = 20; i < 40; i++)); do
        last_told_is "node1:high:n$i" Raised || return 1
    done
    [[ $(grep -c . "$work/stamps") -ge 20 ]]
}
within 10 all_stamped || true
# Of the audit, whose times are of the cycle; in milliseconds.
while read -r at number; do
    time=$(sed -n "s/^time=\\([^ ]*\\) seq=$number event=raised .*/\\1/p" "$work/alarms.log")
    [[ -z $time ]] || echo $((at - $(date -d "$time" +%s%N) / 1000))
done <"$work/stamps" >"$work/latencies"
end_background
is "the receiver has the time of each" "$(grep -c . "$work/latencies")" 20
latency=$(median "$work/latencies") floor=$(($(median "$work/gets") + $(median "$work/syncs")))
ratio=$(awk -v a="$latency" -v b="$floor" 'BEGIN { printf "%.2f", a / b }')
ok "a notification takes $latency us at the median, $ratio times a GET and an fsync ($floor us)" \
    awk -v r="$ratio" 'BEGIN { exit !(r < 3) }'

# 4. A SET that was answered is on disk, however slow that is; so is an acknowledgement.
kill_dcampd
on_disk 100
control start-dcampd
lost=0
for ((i = 0; i < 5; i++)); do
    set_ 'dcampThresholdDescription."high"' s "answered $i" >/dev/null || echo "# not answered"
    kill_dcampd
    control start-dcampd
    [[ $(get 'dcampThresholdDescription."high"') == "answered $i" ]] || lost=$((lost + 1))
done
is "answered, killed at once: SETs that were lost, of 5" "$lost" 0
lost=0
for ((i = 20; i < 25; i++)); do
    index=$(alarm_of "node1:high:n$i")
    set_ "dcampAlarmAcknowledge.$index" s "Ann: seen" >/dev/null || echo "# not answered"
    kill_dcampd
    control start-dcampd
    [[ $(get "dcampAlarmAcknowledge.$index") == "Ann: seen" ]] || lost=$((lost + 1))
done
is "acknowledged, killed at once: acknowledgements that were lost, of 5" "$lost" 0
# 5. A disk that takes too long: the SET is refused within the master's patience, and undone.
kill_dcampd
on_disk 1200
control start-dcampd
# patiently COMMAND...: of snmpset; sent once.
patiently() {
    local snmp=("${snmp[@]}" -t 10 -r 0)
    "$@"
}
refused_with() {
    local output
    output=$("${@:2}" 2>&1) && return 1
    grep -q "^Reason: $1" <<<"$output" || { echo "$output"; return 1; }
}
ok "a disk that takes 5 s: the SET fails" \
    refused_with commitFailed patiently set_ 'dcampThresholdDescription."high"' s "too late"
is "and has changed nothing" "$(get 'dcampThresholdDescription."high"')" "answered 4"
# The configuration is read anew while it waits: it cannot be undone any more, and the manager hears
# that.
patiently set_ 'dcampThresholdDescription."high"' s "stays" >"$work/answer" 2>&1 &
setting=$!
sleep 1
kill -s HUP "$(pid_of dcampd 1)"
wait "$setting" || true
ok "SIGHUP, and then the disk takes too long" grep -q "^Reason: undoFailed" "$work/answer"
is "the SET stays" "$(get 'dcampThresholdDescription."high"')" "stays"
is "as its refusal says" "$(get dcampSelfSetError.0 | cut -d, -f1)" \
    "undoFailed: the configuration was read anew meanwhile; what was set stays"
kill_dcampd
on_disk 0
control start-dcampd
set_ 'dcampThresholdDescription."high"' s "answered 4" >/dev/null

# 6. A disk that is full holds nobody: what cannot be saved is told, and counted.
if [[ -n ${DCAMP_TOLD_APART:-} ]]; then
    control kill-dcampd
    mkdir "$work/kept"
    cp "$DCAMP_LAB_STATE_1"/* "$work/kept"
    mount -t tmpfs -o size=2m,mode=700 none "$DCAMP_LAB_STATE_1"
    cp "$work/kept"/* "$DCAMP_LAB_STATE_1"
    control start-dcampd
    is "a disk that works: all was saved" "$(get dcampSelfNotificationsUnsaved.0)" 0
    dd if=/dev/zero of="$DCAMP_LAB_STATE_1/filler" bs=4k status=none 2>/dev/null || true
    octets 0 1000
    octets 2 1000
    ok "the disk is full: alarms are told" soon last_told_is node1:high:n00 Cleared
    ok "all of them" soon last_told_is node1:high:n02 Cleared
    is "and counted" "$(get dcampSelfNotificationsUnsaved.0)" 2
    ok "that the disk fails is counted" test "$(get dcampSelfStateErrors.0)" -gt 0
    ok "a SET is refused" refused_with commitFailed \
        set_ 'dcampThresholdDescription."high"' s "on a full disk"
    is "and has changed nothing" "$(get 'dcampThresholdDescription."high"')" "answered 4"
    index=$(alarm_of node1:high:n25)
    ok "so is an acknowledgement" refused_with commitFailed set_ "dcampAlarmAcknowledge.$index" s "Bob"
    is "which is taken back" "$(get "dcampAlarmAcknowledge.$index")" ""
    rm "$DCAMP_LAB_STATE_1/filler"
    is_clean() {
        [[ $(get dcampSelfStateDirty.0) == false ]]
    }
    eventually "there is room again: all is saved" 5 is_clean
    ok "SETs are taken" set_ 'dcampThresholdDescription."high"' s "there is room"
    octets 4 1000
    ok "alarms are told" soon last_told_is node1:high:n04 Cleared
    is "as before" "$(get dcampSelfNotificationsUnsaved.0)" 2
    control kill-dcampd
    umount "$DCAMP_LAB_STATE_1"
fi
finish
