# shellcheck shell=bash disable=SC2154 # set by run and validity.sh
# The same interval seen by sysstat. The cells of dcampd that are compared, here and with snmpd, are
# read in one GET.

cells=() # "sensor instance"
objects=()

# cell METRIC INSTANCE
cell() {
    cells+=("$1 $2")
    objects+=("dcampValueText.\"q.$1\".\"$2\"")
}

# look FILE: what dcampd has now; FILE.ms is when.
look() {
    local k lines
    now_ms >"$work/$1.ms"
    mapfile -t lines < <(get "${objects[@]}")
    for ((k = 0; k < ${#cells[@]}; k++)); do
        echo "${cells[k]} ${lines[k]}"
    done >"$work/$1"
}

tool_sensors() {
    local metric
    for metric in cpu.{user,nice,system,iowait,irq,softirq,steal,idle} kernel.{switches,interrupts,forks} \
        vm.{paged.in,paged.out,faults,faults.major} mem.{total,free,available,buffers,cached} \
        swap.{total,free} load.{1,5,15,tasks} udp.datagrams.{in,out}; do
        sensor "q.$metric" "$metric" basic 100 total
        cell "$metric" total
    done
    for metric in fs.{size,used}; do
        sensor "q.$metric" "$metric" basic 100 /
        cell "$metric" /
    done
    for metric in proc.{cpu,cpu.user,cpu.system,faults.minor,io.read.bytes,io.write.bytes,rss,vsize,threads,files}; do
        sensor "q.$metric" "$metric" basic 100 "$program/*"
        cell "$metric" "$program/$mix_pid"
    done
    for metric in net.{rx,tx}.{bytes,packets}; do
        sensor "q.$metric" "$metric" basic 100 "lo ${net}a"
        cell "$metric" lo
        [[ $have_network == no ]] || cell "$metric" "${net}a"
    done
    [[ -n $disk ]] || return 0
    for metric in disk.{reads,writes,read.bytes,write.bytes,busy,queue.time}; do
        sensor "q.$metric" "$metric" basic 100 "${disk#/dev/}"
        cell "$metric" "${disk#/dev/}"
    done
}

# -- Running them ----------------------------------------------------------------------------

# In an interval in which the machine stood still, the tools and dcampd did not look when it is taken for
# granted that they did: then another one.
run_tools() {
    local attempt status
    for ((attempt = 1; attempt <= 4; attempt++)); do
        status=0
        watch_machine
        run_tools_once "$1" || status=1
        [[ $status -ne 0 || $(stood_still) -gt 0 ]] || break
    done
    [[ $status -eq 0 ]] || unusable "this machine is too busy for this test"
    read_tools
}

# Each of them looks once at the beginning and once at the end. The first look is over half a second
# after the start; the last one is not before the end of the seconds that were asked for. Fails if
# dcampd's is not before that.
run_tools_once() {
    local seconds=$1 begun status=0
    rm -f "$work/sar.data"
    settle q.
    look begin.before
    begun=$(now_ms)
    tools=()
    run_tool sar.out sar -o "$work/sar.data" -u ALL -r -q -w -B -n DEV -n UDP "$seconds" 1
    run_tool pidstat.out pidstat -h -u -r -d -v -p "$mix_pid" "$seconds" 1
    [[ -z $disk ]] || run_tool iostat.out iostat -x -k -y "${disk#/dev/}" "$seconds" 1
    sleep 0.5
    settle q.
    look begin.after
    sleep_until $((begun + seconds * 1000 - 200))
    look end.before
    (($(now_ms) < begun + seconds * 1000)) || status=1
    wait "${tools[@]}" || unusable "a tool of sysstat failed: $(tail -n 3 "$work"/*.out)"
    done_with "${tools[@]}"
    settle q.
    look end.after
    return "$status"
}

# What they found, as lines of device, field and number.
read_tools() {
    sadf -p "$work/sar.data" -- -u ALL -r -q -w -B -n DEV -n UDP | awk -F '\t' '{ print $4, $5, $6 }' >"$work/sar"
    awk '$2 == "Time" { for (i = 3; i <= NF; i++) name[i - 1] = $i; next }
        name[2] { for (i = 2; i < NF; i++) print "-", name[i], $i; exit }' "$work/pidstat.out" >"$work/pidstat"
    [[ -z $disk ]] || awk '$1 == "Device" { for (i = 2; i <= NF; i++) name[i] = $i; next }
        2 in name && NF > 2 { for (i = 2; i <= NF; i++) print $1, name[i], $i }' "$work/iostat.out" >"$work/iostat"
}

run_tool() {
    local output=$work/$1
    shift
    "$@" >"$output" 2>&1 &
    tools+=($!)
    jobs_started+=($!)
}

# of TOOL DEVICE FIELD
of() {
    awk -v device="$2" -v field="$3" '$1 == device && $2 == field { print $3; exit }' "$work/$1"
}

# -- Comparing -------------------------------------------------------------------------------

# A tool knows its interval to 10 ms and is woken up a bit late.
INTERVAL_S=0.03

# rate WHAT UNIT THEIRS FACTOR ROUNDING METRIC INSTANCE: FACTOR times what we count is theirs. The row
# has our rate between the outer two looks.
rate() {
    local inner outer
    inner=$(grown begin.after end.before "$6" "$7")
    outer=$(grown begin.before end.after "$6" "$7")
    [[ $inner != none && $outer != none ]] || inner=nan outer=nan
    row_between "$1" "$2" "$3" "$(calculate "$4 * $inner / $interval")" "$(calculate "$4 * $outer / $interval")" \
        "$(calculate "$5 + ${3:-0} * $INTERVAL_S / $interval")" \
        "$(calculate "1000 * $4 * $outer / ($(<"$work/end.after.ms") - $(<"$work/begin.before.ms"))")"
}

# level WHAT UNIT THEIRS FACTOR ROUNDING METRIC INSTANCE
level() {
    local before after
    before=$(value end.before "$6" "$7")
    after=$(value end.after "$6" "$7")
    row_between "$1" "$2" "$3" "$(calculate "$4 * ${before:-nan}")" "$(calculate "$4 * ${after:-nan}")" "$5"
}

# A percent of sar is of the times of all CPUs that the kernel counted, so it has bounds of its own: of
# what one moved at least and the others at most, and the other way round. sar sums what the kernel shows
# of each CPU, in ticks of 10 ms: one for each may be missing.
compare_cpu() {
    local field low high middle modes=(user nice system iowait irq softirq steal idle)
    local fields=(%usr %nice %sys %iowait %irq %soft %steal %idle)
    for ((k = 0; k < ${#modes[@]}; k++)); do
        read -r low middle high < <(
            for field in "${modes[@]}"; do
                echo "$field $(grown begin.after end.before "cpu.$field" total) $(grown begin.before end.after "cpu.$field" total)"
            done | awk -v mode="${modes[k]}" '
                $1 == mode { least = $2; most = $3; next }
                { least_rest += $2; most_rest += $3 }
                function share(a, b) { return a + b > 0 ? sprintf("%.15g", 100 * a / (a + b)) : "none" }
                END { print share(least, most_rest), share(least + most, least_rest + most_rest), share(most, least_rest) }')
        row_between "sar -u ALL ${fields[k]}: cpu.${modes[k]}" % "$(of sar all "${fields[k]}")" "$low" "$high" \
            "$(calculate "0.005 + 1 / $interval")" "$middle"
    done
}

compare_machine() {
    local field room theirs ours unit
    for field in proc/s:kernel.forks:1 cswch/s:kernel.switches:1 pgpgin/s:vm.paged.in:1024 \
        pgpgout/s:vm.paged.out:1024 fault/s:vm.faults:1 majflt/s:vm.faults.major:1 \
        idgm/s:udp.datagrams.in:1 odgm/s:udp.datagrams.out:1; do
        IFS=: read -r theirs ours unit <<<"$field"
        rate "sar $theirs: $ours" 1/s "$(of sar - "$theirs")" "1 / $unit" 0.005 "$ours" total
    done
    room=$(calculate "0.002 * $(value end.before mem.total total) / 1024")
    for field in kbmemfree:mem.free kbavail:mem.available kbbuffers:mem.buffers kbcached:mem.cached; do
        level "sar -r ${field%:*}: ${field#*:}" kB "$(of sar - "${field%:*}")" "1 / 1024" "$room" "${field#*:}" total
        [[ $field != kbavail:* ]] || room=4096
    done
    for field in 1 5 15; do
        level "sar -q ldavg-$field: load.$field" tasks "$(of sar - ldavg-$field)" 1 0.0001 load.$field total
    done
    level "sar -q plist-sz: load.tasks" tasks "$(of sar - plist-sz)" 1 5 load.tasks total
}

compare_devices() {
    local end field d=${disk#/dev/} theirs ours factor unit
    for end in lo ${net}a; do
        [[ $end == lo || $have_network == yes ]] || continue
        for field in rx:r tx:t; do
            rate "sar -n DEV ${field%:*}kB/s ${end/$net*/veth}: net.${field%:*}.bytes" kB/s "$(of sar "$end" "${field%:*}kB/s")" \
                "1 / 1024" 0.005 "net.${field%:*}.bytes" "$end"
            rate "sar -n DEV ${field%:*}pck/s ${end/$net*/veth}: net.${field%:*}.packets" 1/s "$(of sar "$end" "${field%:*}pck/s")" \
                1 0.005 "net.${field%:*}.packets" "$end"
        done
    done
    [[ -n $disk ]] || return 0
    for field in r/s:disk.reads:1:1/s w/s:disk.writes:1:1/s rkB/s:disk.read.bytes:1/1024:kB/s \
        wkB/s:disk.write.bytes:1/1024:kB/s %util:disk.busy:1/10:% aqu-sz:disk.queue.time:1/1000:operations; do
        IFS=: read -r theirs ours factor unit <<<"$field"
        rate "iostat -x $theirs: $ours" "$unit" "$(of iostat "$d" "$theirs")" "$factor" 0.005 "$ours" "$d"
    done
}

# The memory moves by the 50 pages that the load maps at a time.
compare_process() {
    local field theirs ours factor unit p=$program/$mix_pid
    for field in %usr:proc.cpu.user:100:% %system:proc.cpu.system:100:% %CPU:proc.cpu:100:% \
        minflt/s:proc.faults.minor:1:1/s kB_rd/s:proc.io.read.bytes:1/1024:kB/s kB_wr/s:proc.io.write.bytes:1/1024:kB/s; do
        IFS=: read -r theirs ours factor unit <<<"$field"
        rate "pidstat $theirs: $ours" "$unit" "$(of pidstat - "$theirs")" "$factor" 0.005 "$ours" "$p"
    done
    level "pidstat VSZ: proc.vsize" kB "$(of pidstat - VSZ)" 1/1024 256 proc.vsize "$p"
    level "pidstat RSS: proc.rss" kB "$(of pidstat - RSS)" 1/1024 256 proc.rss "$p"
    level "pidstat threads: proc.threads" threads "$(of pidstat - threads)" 1 0 proc.threads "$p"
    level "pidstat fd-nr: proc.files" files "$(of pidstat - fd-nr)" 1 0 proc.files "$p"
}

other_tools() {
    # shellcheck disable=SC2034 # judge prints it
    truth=other
    interval=60
    [[ -z $short ]] || interval=8
    [[ $have_network == yes ]] || far=(127.0.0.1 127.0.0.1)
    "$work/$program" mix $((4 * (interval + 10) + 60)) "${disk:-$plain_file}" "${far[@]}" >/dev/null &
    mix_pid=$!
    jobs_started+=("$mix_pid")
    tool_sensors
    within 10 exists "${objects[-1]}" || unusable "there are no values"
    agent_cells
    ask_agent agent.begin
    run_tools $interval
    ask_agent agent.end
    compare_cpu
    compare_machine
    compare_devices
    compare_process
    compare_agent
    kill "$mix_pid"
    wait "$mix_pid" || true
    done_with "$mix_pid"
    remove_sensors q.
}
