#!/usr/bin/env bash
# What the kernel counts of CPUs, memory, interfaces, disks, partitions and processes comes out as
# values; the sum over a program follows its processes, however short they live.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

probe=probe-$$ second=next-$$
counted=(net.rx.bytes net.rx.packets net.tx.bytes net.tx.packets disk.reads disk.writes)
of_processes=(proc.faults proc.faults.major proc.cpu proc.cpu.user proc.cpu.system proc.rss
    proc.vsize proc.threads proc.io.read.bytes proc.io.write.bytes proc.files proc.count)
page=$(getconf PAGESIZE)

# skip DESCRIPTION WHY: an assertion that this machine cannot make.
skip() {
    report 0 "$1 # SKIP $2"
}

# value COLUMN SENSOR [INSTANCE]
value() {
    get "dcampValue$1.\"$2\".\"${3:-total}\""
}

# value_is COLUMN SENSOR [INSTANCE] EXPECTED
value_is() {
    local expected=${*: -1}
    [[ $(value "${@:1:$#-1}") == "$expected" ]]
}

# near A B [TOLERANCE]: whether two numbers are the same.
near() {
    awk -v a="$1" -v b="$2" -v t="${3:-0.000001}" \
        'BEGIN { exit !(a ~ /^-?[0-9.]+$/ && b ~ /^-?[0-9.]+$/ && a - b <= t && b - a <= t) }'
}

# -- What is measured ------------------------------------------------------------------------

write_config() {
    local metric
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <sensors>
    <sensor name="cpu.busy" metric="cpu.busy" calculation="percent" interval="200ms"/>
    <sensor name="mem.free" metric="mem.free" interval="200ms"/>
    <sensor name="mem.total" metric="mem.total" interval="200ms"/>
    <sensor name="proc.started" metric="proc.started" interval="400ms" instances="$probe"/>
END
    for metric in "${counted[@]}"; do
        echo "    <sensor name=\"$metric\" metric=\"$metric\" interval=\"200ms\"" \
            "calculation=\"rate\"/>"
    done
    for metric in "${of_processes[@]}"; do
        echo "    <sensor name=\"$metric\" metric=\"$metric\" interval=\"400ms\"" \
            "instances=\"$probe $probe/* $second $second/*\"/>"
    done
    printf '  </sensors>\n</dcamp>\n'
}

# instances SENSOR: those that have a value.
instances() {
    walk "dcampValueText.\"$1\"" | sed -n 's/^.*"\.\"\(.*\)" [^ ]*$/\1/p' | sort
}

# resources CLASS
resources() {
    walk dcampResourceSize | sed -n "s/^.*dcampResourceSize\.$1\.\"\(.*\)\" [0-9]*\$/\1/p" | sort
}

# kernel_has CLASS: the same from the kernel.
kernel_has() {
    local name class
    case $1 in
    cpu) sed -n 's/^cpu\([0-9][0-9]*\) .*/\1/p' /proc/stat ;;
    interface) sed -n 's/^ *\([^ ]*\):.*/\1/p' /proc/net/dev ;;
    *)
        while read -r _ _ name _; do
            class=disk
            [[ ! -e /sys/class/block/${name//\//!}/partition ]] || class=partition
            [[ $class != "$1" ]] || echo "$name"
        done </proc/diskstats
        ;;
    esac | sort
}

has_resources() {
    diff <(resources "$1") <(kernel_has "$1")
}

# The kernel's counters as "metric instance count".
kernel_counts() {
    awk '
        FILENAME == "/proc/net/dev" && sub(/:/, " ") {
            print "net.rx.bytes", $1, $2; print "net.rx.packets", $1, $3
            print "net.tx.bytes", $1, $10; print "net.tx.packets", $1, $11
        }
        FILENAME == "/proc/diskstats" {
            print "disk.reads", $3, $4; print "disk.writes", $3, $8
        }' /proc/net/dev /proc/diskstats
}

# published COLUMN: as "metric instance value".
published() {
    walk "dcampValue$1" | sed -n 's/^.*\."\(net\..*\|disk\..*\)"\."\(.*\)" \([^ ]*\)$/\1 \2 \3/p'
}

# The kernel's counters from before and from after what is published of them.
look_at_counts() {
    kernel_counts >"$work/before"
    sleep 1
    published Raw >"$work/raw"
    published Text >"$work/rates"
    kernel_counts >"$work/after"
}

# between METRIC: whether every instance that was there all the time has its rate and its count.
between() {
    awk -v metric="$1" '
        FNR == 1 { file++ }
        $1 != metric { next }
        file == 1 { low[$2] = $3 }
        file == 2 { raw[$2] = $3 }
        file == 3 { rate[$2] = $3 }
        file == 4 { high[$2] = $3 }
        END {
            for (i in low) {
                if (!(i in high))
                    continue
                seen++
                if (!(i in raw) || !(i in rate) || raw[i] < low[i] || raw[i] > high[i]) {
                    print i ": " raw[i] ", rate " rate[i] "; the kernel " low[i] " to " high[i]
                    bad++
                }
            }
            for (i in raw)
                if (!(i in low) && !(i in high)) {
                    print i ": the kernel has none"
                    bad++
                }
            exit bad > 0 || seen == 0
        }' "$work"/{before,raw,rates,after}
}

cpus_are_busy() {
    local instance
    diff <(instances cpu.busy) <({ echo total; kernel_has cpu; } | sort) || return 1
    for instance in $(instances cpu.busy); do
        value Text cpu.busy "$instance"
    done | awk '
        { print }
        $1 < 0 || $1 > 100 { bad++ }
        $1 > 0 { busy++ }
        END { exit bad > 0 || !busy }'
}

# kernel_memory NAME: of /proc/meminfo, in octets.
kernel_memory() {
    awk -v name="$1:" '$1 == name { printf "%.0f\n", 1024 * $2 }' /proc/meminfo
}

memory_is_free() {
    near "$(value Text mem.free)" "$(kernel_memory MemFree)" $(($(kernel_memory MemTotal) / 100))
}

# -- A partition -----------------------------------------------------------------------------

# make_partition: of 2 MiB, on a loop device. Both are gone as soon as nobody has the partition
# open, so that nothing is left behind however this test ends.
make_partition() {
    local image=$PWD/sensors.$$.disk
    temporary+=("$image") # not in /tmp, which may be in memory
    truncate -s 4M "$image"
    disk=$(losetup -P -f --show "$image" 2>/dev/null) || return 1
    if addpart "$disk" 1 64 4096 2>/dev/null && within 2 test -b "${disk}p1"; then
        # shellcheck disable=SC2034 # it is there to be open
        exec {held_open}<>"${disk}p1"
        partition=${disk##*/}p1
    fi
    losetup -d "$disk"
    disk=${disk##*/}
    [[ -n $partition ]]
}

operations() {
    get "dcampValueRaw.\"disk.reads\".\"$1\"" "dcampValueRaw.\"disk.writes\".\"$1\"" | paste -sd' '
}

use_partition() {
    dd if="/dev/$partition" of=/dev/null bs=4k count=7 iflag=direct
    dd if=/dev/zero of="/dev/$partition" bs=4k count=10 oflag=direct
}

# moved DEVICE READS WRITES: by what use_partition does, or more: others may look at it, too.
moved() {
    local reads writes
    read -r reads writes < <(operations "$1")
    ((reads >= $2 + 7 && writes >= $3 + 10))
}

check_partition() {
    local before device
    declare -A before
    eventually "a partition comes with its disk" 10 value_is State disk.reads "$partition" valid
    is "dcampResourceParent: the disk of the partition" \
        "$(get "dcampResourceParent.partition.\"$partition\"")" "$disk"
    is "dcampResourceSize: of the partition" \
        "$(get "dcampResourceSize.partition.\"$partition\"")" $((4096 * 512))
    for device in "$partition" "$disk"; do
        before[$device]=$(operations "$device")
    done
    ok "the partition can be read and written" use_partition
    for device in "$partition" "$disk"; do
        # shellcheck disable=SC2086 # two numbers
        eventually "disk.reads and disk.writes of $device count it" 5 \
            moved "$device" ${before[$device]}
    done
}

# -- Processes -------------------------------------------------------------------------------

make_program() {
    local cc
    read -r -a cc <<<"${CC:-cc}"
    "${cc[@]}" -O1 -pthread -o "$work/$probe" "$top/tests/integration/probe.c" &&
        cp "$work/$probe" "$work/$second"
}

# start_process OUTPUT ARGUMENT...: its pid is then ${jobs_started[-1]}.
start_process() {
    "$work/$probe" "${@:2}" </dev/null >"$work/$1" 2>&1 &
    jobs_started+=($!)
}

# said OUTPUT WORD NUMBER
said() {
    [[ $(grep -c "^$2\$" "$work/$1") -eq $3 ]]
}

# count_of METRIC PID: an integer; CPU times in hundredths of a second.
count_of() {
    local stat files
    stat=$(<"/proc/$2/stat")
    read -r -a stat <<<"${stat##*) }" # from the third field of proc(5) on
    case $1 in
    proc.faults) echo $((stat[7] + stat[9])) ;;
    proc.faults.major) echo "${stat[9]}" ;;
    proc.cpu) echo $((stat[11] + stat[12])) ;;
    proc.cpu.user) echo "${stat[11]}" ;;
    proc.cpu.system) echo "${stat[12]}" ;;
    proc.threads) echo "${stat[17]}" ;;
    proc.vsize) echo "${stat[20]}" ;;
    proc.rss) echo $((stat[21] * page)) ;;
    proc.io.*.bytes) sed -n "s/^${1:8:-6}_bytes: //p" "/proc/$2/io" ;;
    proc.files)
        files=("/proc/$2/fd/"*)
        echo ${#files[@]}
        ;;
    proc.count) echo 1 ;;
    esac
}

# kernel_sum METRIC PID...
kernel_sum() {
    local pid sum=0
    for pid in "${@:2}"; do
        sum=$((sum + $(count_of "$1" "$pid")))
    done
    [[ $1 != proc.cpu* ]] || sum=$((sum / 100)).$(printf '%02d' $((sum % 100)))
    echo "$sum"
}

# sums_up METRIC INSTANCE PID...: shows both, and whether they are the same.
sums_up() {
    local ours theirs
    ours=$(value Text "$1" "$2")
    theirs=$(kernel_sum "$1" "${@:3}")
    echo "$ours, the kernel says $theirs"
    near "$ours" "$theirs"
}

is_used() {
    [[ $(value Text "$1" "$2") != 0 ]]
}

check_process() {
    local metric identifier=dcampProcessIdentifier.\"$probe\"
    for metric in "${of_processes[@]}"; do
        eventually "$metric of one process" 5 sums_up "$metric" "$probe/$a" "$a"
        eventually "$metric of its program" 5 sums_up "$metric" "$probe" "$a"
        [[ $metric == *.major || $metric == *.read.bytes ]] ||
            ok "$metric is not 0" is_used "$metric" "$probe"
    done
    is "proc.threads: as many as it made" "$(value Text proc.threads "$probe")" 4
    ok "proc.rss: what it has written to" used_more proc.rss "$probe" $((32 << 20)) 0 $((32 << 20))
    eventually "dcampProcessTable: the identifier by name and pid" 10 \
        exists "$identifier.$a"
    is "dcampProcessTable: the pids by name" \
        "$(walk "$identifier" | sed 's/^.*"\.//')" "$a $probe/$a"
    ok "the identifier is an instance" value_is State proc.cpu "$(get "$identifier.$a")" valid
}

# both_are PIDS: the programs have used together what their processes have.
both_are() {
    near "$(awk -v a="$(value Text proc.cpu "$probe")" -v b="$(value Text proc.cpu "$second")" \
        'BEGIN { printf "%.6f", a + b }')" "$(kernel_sum proc.cpu "$@")"
}

# used_more SENSOR INSTANCE THAN LEAST MOST
used_more() {
    awk -v now="$(value Text "$1" "$2")" -v before="$3" -v least="$4" -v most="$5" \
        'BEGIN { print now - before; exit !(now - before >= least && now - before <= most) }'
}

# dcampProcessTable is refreshed two seconds after it is read: once for what is new, and once for
# what is known.
see_processes() {
    local i
    for ((i = 0; i < 2; i++)); do
        get "dcampProcessIdentifier.\"$probe\".$a" >/dev/null
        sleep 2.1
    done
}

check_changes() {
    local cpu
    start_process b 50 "" ""
    b=${jobs_started[-1]}
    eventually "the second process is ready" 10 said b ready 1
    eventually "two processes of a program are counted" 5 value_is Text proc.count "$probe" 2
    eventually "their CPU times are added" 5 sums_up proc.cpu "$probe" "$a" "$b"
    kill -s USR1 "$a"
    eventually "a process changes its name" 10 said a changed 1
    is "the kernel shows the new name" "$(<"/proc/$a/comm")" changed
    eventually "it is still counted" 5 sums_up proc.cpu "$probe" "$a" "$b"
    is "as one of two" "$(value Text proc.count "$probe")" 2
    see_processes
    kill -s USR2 "$a"
    eventually "a process becomes another program" 10 said a ready 2
    eventually "that program has it" 5 value_is Text proc.count "$second" 1
    is "and its old one no more" "$(value Text proc.count "$probe")" 1
    eventually "what it used counts once" 5 both_are "$a" "$b"
    ok "what it used since then is the other program's" used_more proc.cpu "$second" 0 0.18 0.4
    ok "its instance has gone" not exists "dcampValueState.\"proc.cpu\".\"$probe/$a\""
    ok "it has another one" exists "dcampValueText.\"proc.cpu\".\"$second/$a\""
    eventually "dcampProcessTable: it has the new name" 10 \
        exists "dcampProcessIdentifier.\"$second\".$a"
    ok "dcampProcessTable: and the old one no more" \
        not exists "dcampProcessIdentifier.\"$probe\".$a"
    cpu=$(value Text proc.cpu "$probe")
    kill -s TERM "$b"
    wait "$b" || true
    eventually "a process ends" 5 value_is Text proc.count "$probe" 0
    ok "what it used stays in the sum" used_more proc.cpu "$probe" "$cpu" 0 0.05
    ok "its own instance has gone" not exists "dcampValueState.\"proc.cpu\".\"$probe/$b\""
}

# Who may hear of the dead from the kernel: taskstats and the proc connector of the first
# namespaces, for who has CAP_NET_ADMIN (bit 12).
hears_of_the_dead() {
    local capabilities
    capabilities=$(sed -n 's/^CapEff:[[:blank:]]*//p' /proc/self/status)
    [[ $(readlink /proc/self/ns/user) == "user:[4026531837]" ]] &&
        [[ $(readlink /proc/self/ns/pid) == "pid:[4026531836]" ]] &&
        [[ -e /proc/sys/net/core/dev_weight ]] && # only there for the first one of networks
        ((0x$capabilities >> 12 & 1))
}

# Both print what 21 short processes have used, in seconds. Of the second ones, 20 have ended and
# are there until the last ends.
short_lives() {
    local i
    for ((i = 0; i < 21; i++)); do
        "$work/$probe" 20
    done
    used
}

late_burials() {
    "$work/$probe" 20 20
    used
}

used() {
    times >"$work/times"
    awk 'NR == 2 { gsub(/[ms]/, " "); print 60 * $1 + $2 + 60 * $3 + $4 }' "$work/times"
}

# check_lives WHICH FUNCTION
check_lives() {
    local cpu started faults used
    if ! hears_of_the_dead; then
        skip "$1 are in the sum" "the kernel tells who may ask only"
        return
    fi
    cpu=$(value Text proc.cpu "$probe")
    started=$(value Text proc.started "$probe")
    faults=$(value Text proc.faults "$probe")
    used=$("$2")
    eventually "$1 have started" 3 value_is Text proc.started "$probe" $((started + 21))
    eventually "$1 have ended" 3 value_is Text proc.count "$probe" 0
    ok "$1 used at least what they were told to" near "$used" 0.7 0.3
    # Of each, the record misses what the kernel takes to end the process after it, a millisecond on a slow
    # machine; without one of the processes, some 30 would be missing.
    ok "$1: the $used s of CPU time that they used are in the sum" \
        used_more proc.cpu "$probe" "$cpu" "$(awk -v u="$used" 'BEGIN { print u - 0.028 }')" \
        "$(awk -v u="$used" 'BEGIN { print u + 0.02 }')"
    ok "$1: so are their page faults" used_more proc.faults "$probe" "$faults" 400 1000000
}

# -- The test --------------------------------------------------------------------------------

disk='' partition=''
make_partition || :
write_config >"$work/dcamp.xml"
start_lab --config "$work/dcamp.xml"
ok "a program to watch" make_program

for class in cpu disk partition interface; do
    eventually "dcampResourceTable: each $class" 10 has_resources "$class"
done
if [[ -n $partition ]]; then
    check_partition
elif [[ -z $(kernel_has partition) ]]; then
    skip "partitions" "there is none, and none can be made (losetup, addpart)"
fi
eventually "cpu.busy: of each CPU and of all" 5 cpus_are_busy
eventually "mem.free is what the kernel says" 5 memory_is_free
is "mem.total is what the kernel says" "$(value Text mem.total)" "$(kernel_memory MemTotal)"
look_at_counts
for metric in "${counted[@]}"; do
    ok "$metric: what the kernel counts" between "$metric"
done

start_process a 150 "$PWD/sensors.$$.tmp" "$work/$second"
temporary+=("$PWD/sensors.$$.tmp")
a=${jobs_started[-1]}
eventually "a process is ready" 10 said a ready 1
check_process
check_changes
check_lives "21 short-lived processes" short_lives
check_lives "21 processes that nobody waits for" late_burials
finish
