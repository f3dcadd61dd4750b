# shellcheck shell=bash disable=SC2154 # common.sh sets work
# A receiver that keeps account of notifications, for tests that kill dcampd: sourced after common.sh.

# account: a line for each notification of an alarm in the log of snmptrapd, in the order of their
# arrival: number, event, key, and all that it says, without what is of the moment of sending.
account() {
    awk -F '\t' '
        !/snmpTrapOID\.0 = DCAMP-MIB::dcamp(AlarmRaised|AlarmCleared|AlarmsSuppressed)/ { next }
        {
            number = event = key = says = ""
            for (i = 1; i <= NF; i++) {
                name = value = $i
                sub(/\.[0-9]+ = .*/, "", name)
                sub(/^[^=]* = /, "", value)
                sub(/^.*::/, "", name)
                if (name == "dcampAlarmSequence") number = value
                if (name == "dcampAlarmKey") key = value
                if (name == "snmpTrapOID") event = value
                if (name ~ /^dcamp/) says = says " " name "=" value
            }
            sub(/.*::dcampAlarm/, "", event)
            print number "\t" event "\t" key "\t" says
        }' "$DCAMP_LAB_TRAPLOG"
}

# told_twice: the numbers that came with different contents.
told_twice() {
    account | cut -f 1,2,3,4 | sort -u | cut -f 1 | sort -n | uniq -d
}

# told_last KEY: the last that the receiver heard of the alarm.
told_last() {
    account | awk -F '\t' -v key="$1" '$3 == key { event = $2 } END { print event }'
}

# told_times EVENT KEY: by how many numbers.
told_times() {
    account | awk -F '\t' -v event="$1" -v key="$2" \
        '$2 == event && $3 == key && !seen[$1]++ { n++ } END { print n + 0 }'
}

last_told_is() {
    [[ $(told_last "$1") == "$2" ]]
}

# -- Interfaces whose octets the test sets -----------------------------------------------------

# make_interfaces NUMBER: n00, n01 ..., all calm, in the files of the machine below $work/root.
make_interfaces() {
    local i
    make_root "$work/root"
    {
        printf 'Inter-|   Receive\n face |bytes\n'
        for ((i = 0; i < $1; i++)); do
            printf '  n%02d: 1000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n' "$i"
        done
    } >"$work/root/proc/net/dev"
    # Where the octets of the first one stand, and how far it is to the next.
    octets_at=$(($(head -n 2 "$work/root/proc/net/dev" | wc -c) + 7))
    octets_step=$(sed -n 3p "$work/root/proc/net/dev" | wc -c)
}

# octets INDEX NUMBER: four digits, in place.
octets() {
    printf '%04d' "$2" |
        dd of="$work/root/proc/net/dev" bs=1 seek=$((octets_at + octets_step * $1)) conv=notrunc \
            status=none
}

# watch_interfaces THRESHOLD INTERVAL: above 4000 octets an interface has an alarm.
watch_interfaces() {
    set_ 'dcampSensorMetric."octets"' s net.rx.bytes 'dcampSensorInstances."octets"' s 'n*' \
        'dcampSensorInterval."octets"' u "$2" 'dcampSensorRowStatus."octets"' i createAndGo >/dev/null
    threshold "$1" Sensor=octets Operator=gt Limit=4000 Severity=critical >/dev/null
}

# kill_dcampd: -9, at once.
kill_dcampd() {
    kill -s KILL "$(pid_of dcampd 1)"
}

# on_disk MS: makes $work/dcampd, which starts the daemon with a disk that is so much slower.
# DCAMP_TEST_BINARY: another one.
on_disk() {
    local build=${DCAMP_BUILD:-$top/build}
    printf '#!/bin/sh\nexec env LD_PRELOAD=%s SLOWDISK_MS=%s %s "$@"\n' \
        "$build/tests/bench/slowdisk.so" "$1" "${DCAMP_TEST_BINARY:-$build/dcampd}" >"$work/dcampd"
    chmod +x "$work/dcampd"
}
