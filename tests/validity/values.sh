#!/usr/bin/env bash
# values.sh [SECONDS | --short]: what is published equals what the kernel counts.
#
# The rates are sampled by the daemon once a second. Every one of them is read over SNMP, so that
# their mean is the mean rate between the first and the last sample. The kernel's files are read
# just before and just after both of these samples: what they counted in between bounds the
# truth from below and from above, however irregular the load is.
# shellcheck source=../integration/common.sh
. "$(dirname "$0")/../integration/common.sh"
# shellcheck source=clock.sh
. "$top/tests/validity/clock.sh"

seconds=${1:-60}
[[ $seconds != --short && -z ${DCAMP_TEST_SHORT:-} ]] || seconds=10

metrics=(net.rx.bytes net.rx.packets net.rx.errors net.rx.drops
    net.tx.bytes net.tx.packets net.tx.errors net.tx.drops
    disk.reads disk.writes disk.read.bytes disk.write.bytes
    disk.read.time disk.write.time disk.busy disk.queue.time)

# The kernel's counters as "metric instance count", and the CPUs as "cpu.busy instance busy all".
kernel_counts() {
    awk '
        FILENAME == "/proc/net/dev" && sub(/:/, " ") {
            for (i = 1; i <= 4; i++) {
                split("bytes packets errors drops", what, " ")
                print "net.rx." what[i], $1, $(i + 1)
                print "net.tx." what[i], $1, $(i + 9)
            }
        }
        FILENAME == "/proc/diskstats" {
            print "disk.reads", $3, $4; print "disk.writes", $3, $8
            print "disk.read.bytes", $3, $6; print "disk.write.bytes", $3, $10
            print "disk.read.time", $3, $7; print "disk.write.time", $3, $11
            print "disk.busy", $3, $13; print "disk.queue.time", $3, $14
        }
        FILENAME == "/proc/stat" && /^cpu/ {
            busy = $2 + $3 + $4 + $7 + $8 + $9
            name = $1 == "cpu" ? "total" : substr($1, 4)
            print "cpu.busy", name, busy, busy + $5 + $6
        }' /proc/net/dev /proc/diskstats /proc/stat
}

# When the latest sample was taken, and which it was: sampled_ms, sample; and between which two moments
# that was, for the question and its answer take their time: earliest_ms, latest_ms.
look_at_sample() {
    local before after answer age
    before=$(now_ms)
    answer=$(get 'dcampValueAge."v.cpu.busy"."total"' 'dcampValueSamples."v.cpu.busy"."total"')
    after=$(now_ms)
    age=${answer%%$'\n'*}
    earliest_ms=$((before - age))
    latest_ms=$((after - age))
    sampled_ms=$(((before + after) / 2 - age))
    sample=${answer##*$'\n'}
}

# bracket NAME TIME MARGIN: reads the kernel's files so many milliseconds before and after the sample due at
# TIME; fails when it may not have been taken between them.
bracket() {
    local begin end expected=$((sample + 1))
    sleep_until $(($2 - $3))
    kernel_counts >"$work/$1.before"
    begin=$(now_ms)
    sleep_until $(($2 + $3))
    end=$(now_ms)
    kernel_counts >"$work/$1.after"
    look_at_sample
    ((sample == expected && earliest_ms >= begin && latest_ms <= end))
}

# values COLUMN: as "metric instance value".
values() {
    walk "dcampValue$1" | sed -n 's/^.*"v\.\([a-z.]*\)"\."\(.*\)" \([^ ]*\)$/\1 \2 \3/p'
}

start_sensors() {
    local metric words=()
    for metric in "${metrics[@]}" cpu.busy; do
        words=("dcampSensorMetric.\"v.$metric\"" s "$metric"
            "dcampSensorInterval.\"v.$metric\"" u 1000
            "dcampSensorCalculation.\"v.$metric\"" i rate)
        [[ $metric != cpu.busy ]] || words[8]=percent
        set_ "${words[@]}" "dcampSensorRowStatus.\"v.$metric\"" i createAndGo >/dev/null
    done
}

cpu_load() {
    while :; do
        timeout 0.5 nice bash -c 'while :; do :; done'
        sleep 0.5
    done
}

network_load() {
    while :; do
        printf '%01000d' 0 >/dev/udp/127.0.0.1/9 || :
        sleep 0.02
    done
}

disk_load() {
    while :; do
        dd if=/dev/zero of="$1" bs=64k count=1 oflag=dsync conv=notrunc || :
        sleep 0.05
    done
}

# measure: from a bracketed sample to a bracketed sample, reading each in between. A slow machine needs more time
# to read around a sample; the bounds are as much wider.
measure() {
    local k margin first_sample first_ms
    for ((margin = 50; ; margin += 10)); do
        look_at_sample
        bracket first $((sampled_ms + 1000)) $margin && break
        ((margin < 250)) || return 1
    done
    first_sample=$sample first_ms=$sampled_ms
    values Raw >"$work/first.raw"
    : >"$work/rates"
    for ((k = 1; k <= seconds + 20; k++)); do
        done=no
        if ((k >= seconds)); then
            bracket last $((first_ms + k * 1000)) $margin && done=yes
        fi
        sleep_until $((first_ms + k * 1000 + 400))
        values Text >>"$work/rates"
        look_at_sample
        ((sample == first_sample + k)) || return 1
        [[ $done == no ]] || break
    done
    values Raw >"$work/last.raw"
    count=$k
    elapsed_ms=$((sampled_ms - first_ms))
    [[ $done == yes ]]
}

# compare: prints a line for each series that is off, and a summary.
compare() {
    awk -v n="$count" -v seconds="$((elapsed_ms / 1000)).$(printf '%03d' $((elapsed_ms % 1000)))" '
        FNR == 1 { file++ }
        { series = $1 " " $2 }
        file == 1 { from_low[series] = $3; all0[series] = $4 }
        file == 2 { from_high[series] = $3 }
        file == 3 { to_low[series] = $3; all1[series] = $4 }
        file == 4 { to_high[series] = $3 }
        file == 5 { raw0[series] = $3 }
        file == 6 { raw1[series] = $3 }
        file == 7 { sum[series] += $3; seen[series]++ }
        END {
            for (series in sum) {
                split(series, name, " ")
                mean = sum[series] / seen[series]
                if (seen[series] != n)
                    bad(seen[series] " values of " n)
                else if (name[1] == "cpu.busy")
                    cpu()
                else
                    counter()
                checked++
            }
            printf "%d series, %d of them moved, largest deviation of a rate %.3f%%\n", checked, moved, worst
            exit failures > 0 || checked == 0
        }
        function bad(why) { print series ": " why; failures++ }
        function cpu(   ticks, low, high) {
            ticks = all1[series] - all0[series]
            low = 100 * (to_low[series] - from_high[series]) / ticks
            high = 100 * (to_high[series] - from_low[series]) / ticks
            if (mean < low - 1 || mean > high + 1)
                bad("mean " mean " percent, the kernel says " low " to " high)
        }
        function counter(   scale, low, high, middle, off) {
            scale = name[1] ~ /^disk.*bytes/ ? 512 : 1
            low = scale * (to_low[series] - from_high[series]) / seconds
            high = scale * (to_high[series] - from_low[series]) / seconds
            if (mean < low * 0.99 - 0.001 || mean > high * 1.01 + 0.001)
                bad("mean rate " mean ", the kernel says " low " to " high)
            if (raw0[series] < from_low[series] || raw0[series] > from_high[series] ||
                raw1[series] < to_low[series] || raw1[series] > to_high[series])
                bad("raw " raw0[series] " and " raw1[series] ", the kernel says " \
                    from_low[series] " to " from_high[series] " and " to_low[series] " to " to_high[series])
            middle = scale * (raw1[series] - raw0[series]) / seconds
            if (middle < 10)
                return
            moved++
            off = 100 * (mean > middle ? mean - middle : middle - mean) / middle
            if (off > worst)
                worst = off
            if (off > 1)
                bad("mean rate " mean ", the raw counter says " middle)
        }' "$work"/{first,last}.{before,after} "$work"/{first,last}.raw "$work/rates" >"$work/result"
}

both_moved() {
    awk '$3 > 0 { split($1, name, "."); seen[name[1]] }
        END { exit !("net" in seen && "disk" in seen) }' "$work/rates"
}

start_lab
start_sensors
eventually "there are values" 10 exists 'dcampValueText."v.cpu.busy"."total"'
background cpu_load
background network_load
temporary+=("$PWD/values.$$.tmp") # not in /tmp, which may be in memory
background disk_load "$PWD/values.$$.tmp"
sleep 2
# A machine that stands still misses samples, and rates are of intervals that are not alike: from the
# beginning, then.
watch_machine
for attempt in 1 2 3 4; do
    before=$(stood_still) late=$(get dcampSelfLateCycles.0)
    status=0 right=0
    : >"$work/result"
    measure || status=1
    ((status == 0)) && compare || right=1
    late=$(($(get dcampSelfLateCycles.0) - late))
    # What asks on a busy machine may be too slow to read each sample; what was read is right all the same.
    ((status + right + late > 0 && (status > 0 || $(stood_still) > before))) || break
    echo "# attempt $attempt: the machine stood still for a while, or samples passed by unread"
done
report "$status" "every sample of $seconds s was read"
report "$right" "rates and raw counters are those of the kernel"
sed 's/^/# /' "$work/result"
ok "the load moved the counters of a network interface and of a disk" both_moved
is "no cycle was late" "$late" 0
finish
