# shellcheck shell=bash
# A collector beside the simulator of its children, each on a CPU of its own: what it does, and what
# that costs. For benchmarks, which have common.sh and the control of the simulator.

work=${work:?} seconds=${seconds:?} sim_pid=${sim_pid:-}
cpu_per_s=() # by watch_daemons
notes=()     # lines for below the table

cpus=()
while IFS=- read -r first last; do
    for ((cpu = first; cpu <= ${last:-$first}; cpu++)); do
        cpus+=("$cpu")
    done
done < <(taskset -c -p $$ | sed 's/.*: //' | tr ',' '\n')
[[ ${#cpus[@]} -ge 2 ]] || die "two CPUs are needed: one for the collector, one for the simulator"

# column OBJECT: what the table has of each child, one a line.
column() {
    snmp snmpbulkwalk 1 -Oqv -Cr40 -t 20 "$(oid "$1")"
}

sum() {
    column "$1" | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

all_known() {
    [[ $(sum dcampChildSeries) -eq $1 ]]
}

# Those of the lab that was started last: processes, and of them pollers.
find_processes() {
    # shellcheck disable=SC2153 # of the lab
    processes=("$DCAMP_LAB_PID_DCAMPD_1")
    read -r -d '' -a pollers < <(cat "/proc/${processes[0]}/task"/*/children) || true
    processes+=("${pollers[@]}")
}

# The same, and has all of them on the last CPU.
collector_processes() {
    find_processes
    for pid in "${processes[@]}"; do
        taskset -a -c -p "${cpus[-1]}" "$pid" >/dev/null
    done
}

requests() {
    sim_tell total | awk '$1 == "total:" { print $3 }'
}

# measure [SECONDS]: polls per second in rate; the CPU time of the core, of all pollers and of both
# in percent of a CPU in core_share, pollers_share and share, per poll in microseconds in core_us,
# pollers_us and us; memory_kb of all.
# shellcheck disable=SC2034 # the benchmark prints them
measure() {
    local before begin i
    before=$(requests)
    begin=$(date +%s%N)
    watch_daemons "${1:-$seconds}" "${processes[@]}" "$sim_pid"
    rate=$(calculate "($(requests) - $before) * 1e9 / ($(date +%s%N) - $begin)" %.1f)
    core_share=$(calculate "${cpu_per_s[0]} / 1e7")
    pollers_share=0
    for i in "${!pollers[@]}"; do
        pollers_share=$(calculate "$pollers_share + ${cpu_per_s[i + 1]} / 1e7")
    done
    share=$(calculate "$core_share + $pollers_share")
    core_us=$(calculate "$core_share * 1e4 / $rate" %.2f)
    pollers_us=$(calculate "$pollers_share * 1e4 / $rate" %.2f)
    us=$(calculate "$core_us + $pollers_us" %.2f)
    sim_share=$(calculate "${cpu_per_s[-1]} / 1e7" %.1f)
    memory_kb=$(share_kb "${processes[@]}")
    [[ $(calculate "$sim_share < 80" %d) -eq 1 ]] ||
        notes+=("INFO the simulator is at $sim_share % of its CPU: it may be what is measured")
}

# polls_apart: the line of the simulator about them; field NAME: its number behind a word.
polls_apart() {
    apart=$(sim_tell polls | grep '^polls: ')
}
field() {
    awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }' <<<"$apart"
}
