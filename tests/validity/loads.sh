# shellcheck shell=bash disable=SC2154 # set by run and validity.sh
# Known loads: what tests/validity/load says it did, and what dcampd published of it.
#
# The sensors sample once a second. Those with the calculation basic are read before and after;
# those with delta and percent are read in each of their samples in between.

# -- The program ---------------------------------------------------------------------------------

# A name of its own: nobody else's processes are in the sum of this program.
program=vload-$$

start_program() {
    cp "$load" "$work/$program"
    # So that a busy machine does not cut the times in pieces that the kernel's ticks miss.
    coproc LOAD { exec nice -n -15 "$work/$program" 2>/dev/null; }
    # shellcheck disable=SC2153 # set by coproc
    load_pid=$LOAD_PID load_in=${LOAD[1]} load_out=${LOAD[0]}
    jobs_started+=("$load_pid")
}

# tell COMMAND...; answer: what it did, in the array did.
tell() {
    echo "$*" >&"$load_in"
}

answer() {
    read -r -a did <&"$load_out" || unusable "the load ended: $1"
    [[ ${did[0]} == "$1" ]] || unusable "the load says ${did[*]} to $1"
}

do_load() {
    tell "$@"
    answer "$1"
}

# -- Every sample ----------------------------------------------------------------------------

# watch FILE SENSOR INSTANCE...: "sensor instance number value" of the samples as they come, until
# the file FILE.end is there.
watch() {
    local file=$1 k series objects=() lines
    shift
    for ((k = 1; k < $#; k += 2)); do
        series=".\"${!k}\""
        k=$((k + 1)) series+=".\"${!k}\"" k=$((k - 1))
        objects+=("dcampValueSamples$series" "dcampValueText$series")
    done
    while [[ ! -e $file.end ]]; do
        mapfile -t lines < <(get "${objects[@]}")
        for ((k = 1; k < $#; k += 2)); do
            echo "${*:k:2} ${lines[k - 1]} ${lines[k]}"
        done
        sleep 0.1
    done >"$file"
}

# start_watch NAME SENSOR INSTANCE...
start_watch() {
    watched=$work/$1
    rm -f "$watched" "$watched.end"
    shift
    watch "$watched" "$@" 2>/dev/null &
    watch_pid=$!
    jobs_started+=("$watch_pid")
    within 10 test -s "$watched" || unusable "dcampd does not answer"
}

end_watch() {
    : >"$watched.end"
    wait "$watch_pid"
    done_with "$watch_pid"
}

# of_samples sum|mean SENSOR INSTANCE [SKIP]: of the samples that were watched but for the first
# SKIP; no sum if one was missed, and no mean if every tenth was.
of_samples() {
    awk -v what="$1" -v sensor="$2" -v instance="$3" -v skip="${4:-0}" '
        $1 == sensor && $2 == instance && $4 ~ /^[0-9.]+$/ && !($3 in value) {
            value[$3] = $4; if (!first) first = $3; last = $3
        }
        END {
            for (k = first + skip; k <= last; k++) {
                if (k in value) { sum += value[k]; n++ }
                else missed++
            }
            if (n < 1 || missed > (what == "mean" ? n / 10 : 0)) print "missed"
            else printf "%.12g\n", what == "sum" ? sum : sum / n
        }' "$watched"
}

# -- The loads -------------------------------------------------------------------------------

load_sensors() {
    local metric
    for metric in cpu cpu.user cpu.system faults.minor io.read.bytes io.write.bytes started \
        rss threads files count; do
        sensor "p.proc.$metric" "proc.$metric" basic 1000 "$program $program/*"
    done
    sensor p.percent proc.cpu percent 1000 "$program"
    sensor p.delta.io proc.io.write.bytes delta 1000 "$program"
    sensor p.udp.datagrams.out udp.datagrams.out basic 1000 total
    for metric in rx.bytes rx.packets tx.bytes tx.packets; do
        sensor "p.net.$metric" "net.$metric" basic 1000 "lo ${net}a"
    done
    sensor p.delta.tx net.tx.bytes delta 1000 "${net}a"
    [[ -n $disk ]] || return 0
    for metric in read.bytes write.bytes reads writes; do
        sensor "p.disk.$metric" "disk.$metric" basic 1000 "${disk#/dev/}"
    done
    sensor p.delta.write disk.write.bytes delta 1000 "${disk#/dev/}"
}

# An Ethernet header has 14 octets, which the loopback does not count (drivers/net/loopback.c
# loopback_xmit); an IPv4 header has 20, a UDP header 8.
transfer() {
    local count=100000 size=1000 blocks=2048 block=65536 datagrams=0 read=0 written=0 series=()
    [[ -n $short ]] || count=400000
    series+=(p.delta.io "$program")
    [[ $have_network == no ]] || series+=(p.delta.tx "${net}a")
    [[ -z $disk ]] || series+=(p.delta.write "${disk#/dev/}")
    start_watch deltas "${series[@]}"
    sleep 1.2
    # Who closes a disk after writing makes udev read it: so the reads come first.
    if [[ -n $disk ]]; then
        do_load read "$disk" $blocks $block
        read=${did[2]}
        do_load write "$disk" $blocks $block
        written=${did[2]}
    fi
    do_load write "$plain_file" $((blocks / 2)) $block
    written_plain=${did[2]}
    do_load send 127.0.0.1 $count $size
    datagrams=${did[1]}
    if [[ $have_network == yes ]]; then
        do_load send "${far[0]}" $count $size
        do_load send "${far[1]}" $((count / 2)) $size
        datagrams=$((datagrams + count + count / 2))
    fi
    snapshot after p.
    sleep 0.5
    end_watch
    transferred "$count" "$size" "$datagrams" "$read" "$written" "$blocks"
}

# transferred COUNT SIZE DATAGRAMS READ WRITTEN BLOCKS: the rows.
transferred() {
    local frame=$(($2 + 42)) d=${disk#/dev/}
    if [[ -n $disk ]]; then
        row "disk.write.bytes, loop device, basic" B "$5" "$(grown before after disk.write.bytes "$d")" exact
        row "disk.write.bytes, loop device, sum of deltas" B "$5" "$(of_samples sum p.delta.write "$d")" exact
        row "disk.writes, loop device" operations "$6" "$(grown before after disk.writes "$d")" exact
        row "disk.read.bytes, loop device" B "$4" "$(grown before after disk.read.bytes "$d")" exact
        row "disk.reads, loop device" operations "$6" "$(grown before after disk.reads "$d")" exact
        row "proc.io.read.bytes" B "$4" "$(grown before after proc.io.read.bytes "$program")" percent 1
    else
        skip "disk.*" "there are no loop devices here"
    fi
    row "proc.io.write.bytes, basic" B $(($5 + written_plain)) "$(grown before after proc.io.write.bytes "$program")" percent 1
    row "proc.io.write.bytes, sum of deltas" B $(($5 + written_plain)) "$(of_samples sum p.delta.io "$program")" percent 1
    if [[ $have_network == yes ]]; then
        row "net.tx.bytes, veth, basic" B $(($1 * frame)) "$(grown before after net.tx.bytes "${net}a")" exact
        row "net.tx.bytes, veth, sum of deltas" B $(($1 * frame)) "$(of_samples sum p.delta.tx "${net}a")" exact
        row "net.tx.packets, veth" packets "$1" "$(grown before after net.tx.packets "${net}a")" exact
        row "net.rx.bytes, veth" B $(($1 * frame / 2)) "$(grown before after net.rx.bytes "${net}a")" exact
        row "net.rx.packets, veth" packets $(($1 / 2)) "$(grown before after net.rx.packets "${net}a")" exact
    else
        skip "net.*, veth" "no network devices can be made here"
    fi
    row "net.tx.bytes, lo (others send, too)" B $(($1 * ($2 + 28))) "$(grown before after net.tx.bytes lo)" percent 1
    row "net.rx.bytes, lo (others send, too)" B $(($1 * ($2 + 28))) "$(grown before after net.rx.bytes lo)" percent 1
    row "udp.datagrams.out (others send, too)" datagrams "$3" "$(grown before after udp.datagrams.out total)" percent 1
}

page_faults() {
    do_load faults 50000
    snapshot after p.
    row "proc.faults.minor, pages touched" faults "${did[1]}" "$(grown before after proc.faults.minor "$program")" percent 1
}

# The kernel divides the CPU time of all the life of a process by what a CPU did at each tick: so this
# comes first. Where the kernel itself is off by more than half a point, as getrusage(2) tells, it is no load that
# is known, and another is tried. A machine on which it is off every time has no better truth than getrusage(2),
# and the rows say so. The parts are in points of the whole.
cpu_split() {
    local ms=2000 attempt whole off note=''
    [[ -n $short ]] || ms=10000
    for ((attempt = 1; ; attempt++)); do
        do_load split $ms $((ms / 2))
        snapshot after p.
        whole=$((did[1] + did[2]))
        off=$((1000 * did[1] / whole - 1000 * did[3] / (did[3] + did[4])))
        if ((attempt == 3 || off >= -5 && off <= 5)); then
            break
        fi
        mv "$work/after" "$work/before"
    done
    row "proc.cpu, burned" s "$(calculate "$whole / 1e6")" "$(grown before after proc.cpu "$program")" percent 1
    if ((off < -5 || off > 5)); then
        did[1]=$((whole * did[3] / (did[3] + did[4]))) did[2]=$((whole - did[1]))
        note=' as getrusage(2) has it'
    fi
    split_row "user, part of it$note" "${did[1]}" "$whole"
    split_row "system, part of it$note" "${did[2]}" "$whole"
}

# split_row "MODE, WHAT" BURNED WHOLE
split_row() {
    row "proc.cpu.$1" % "$(calculate "100 * $2 / $3")" \
        "$(calculate "1e8 * $(grown before after "proc.cpu.${1%%,*}" "$program") / $3")" points 1
}

# children WHAT NUMBER MILLISECONDS [exec or later]: many in each of the intervals.
children() {
    local what=$1
    shift
    do_load children "$@"
    snapshot after p.
    row "proc.started, $what" processes "${did[1]}" "$(grown before after proc.started "$program")" exact
    row "proc.faults.minor, $what" faults "${did[4]}" "$(grown before after proc.faults.minor "$program")" percent 1
    row "proc.count, $what: the parent is left" processes 1 "$(value after proc.count "$program")" exact
    # One percent, and what the kernel takes to end a process after its record: more where the caches are full
    # of what others do, or where a hypervisor has a part in it.
    row "proc.cpu, $what, of each" ms "$(calculate "(${did[2]} + ${did[3]}) / 1e3 / $1")" \
        "$(calculate "1e3 * $(grown before after proc.cpu "$program") / $1")" points "$(calculate "0.4 + $2 / 100")"
}

levels() {
    local size=$((128 << 20))
    do_load memory $size
    do_load threads 7
    do_load files 25
    snapshot after p.
    row "proc.rss, memory touched" B $size "$(grown before after proc.rss "$program")" percent 1
    row "proc.threads, started" threads 7 "$(grown before after proc.threads "$program")" exact
    row "proc.files, opened" files 25 "$(grown before after proc.files "$program")" exact
    row "proc.threads, of the one process" threads 8 "$(value after proc.threads "$program/$load_pid")" exact
}

# duty PERCENT SECONDS: the samples that lie wholly within it. Where the machine stood still, they are
# of intervals that are not alike: then others.
duty() {
    local share attempt began
    for ((attempt = 1; attempt <= 3; attempt++)); do
        watch_machine
        began=$(now_ms)
        tell cpu "$1" "$2"
        sleep 0.3
        start_watch "duty.$1" p.percent "$program"
        sleep_until $((began + 1000 * $2 - 700))
        end_watch
        answer cpu
        [[ $(stood_still) -gt 0 ]] || break
    done
    share=$(calculate "100 * ${did[1]} / ${did[2]}")
    row "proc.cpu percent, mean of the samples" % "$share" "$(of_samples mean p.percent "$program" 2)" points 1
}

# next COMMAND...: what was after is before.
next() {
    mv "$work/after" "$work/before"
    "$@"
}

known_loads() {
    local seconds=6 number=100
    [[ -n $short ]] || seconds=30 number=300
    load_sensors
    within 10 exists "dcampValueText.\"p.proc.cpu\".\"$program\"" ||
        unusable "there is no value of $program"
    snapshot before p.
    cpu_split
    next transfer
    next page_faults
    [[ -n $short ]] || next children "children that only fork" "$number" 40
    next children "children that execute it anew" "$number" 40 exec
    next children "children that stay zombies for a while" 400 5 later
    [[ -n $short ]] || next children "children of 1 ms" 2000 1
    next levels
    duty 30 $seconds
    [[ -n $short ]] || duty 75 $seconds
    remove_sensors p.
}
