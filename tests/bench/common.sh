# shellcheck shell=bash
# What the benchmarks share: private nodes, CPU time, tables and verdicts.
#
# A benchmark sources this file, prints a table and verdicts, and ends with finish. It exits with 1
# if a limit was not kept, with 2 if there are no figures, or not all of them: whatever ends it before
# that, a command that failed among them.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
lab=$top/tests/lab/lab
work=$(mktemp -d /tmp/dcamp-bench.XXXXXX)
labs=()
started=()
failed=0
finished=no

# Debian's own programs: what else is first, a python3 that looks for its version, say, may take ten times as long.
PATH=/usr/bin:$PATH
export DCAMP_BUILD=$build DCAMP_SCHEMA_DIR=$top/conf
export MIBS='' SNMPCONFPATH=$work/client SNMP_PERSISTENT_DIR=$work/client
mkdir -p "$work/client/cert_indexes"

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# need FILE HOW: what must be there before anything is started.
need() {
    [[ -e $1 ]] || die "$1 is missing: $2"
}

need "$build/dcampd" "build it first (make)"

# number_option NAME VALUE
number_option() {
    [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"
}

# -- Processes -------------------------------------------------------------------------------

# background LOG COMMAND...: its PID is in pid; it is ended with the benchmark.
background() {
    local log=$1
    shift
    "$@" </dev/null >"$log" 2>&1 &
    pid=$!
    started+=("$pid")
}

# start_lab NAME [OPTION...]: with the options of lab start; its variables are set.
start_lab() {
    local dir=$work/$1
    shift
    labs+=("$dir")
    "$lab" start --dir "$dir" "$@" || die "the lab does not start"
    eval "$("$lab" env --dir "$dir")"
}

# replace_dcampd NODE COMMAND...: ends the dcampd of a node of the lab that was started last and
# starts the command for it; its PID is in pid.
replace_dcampd() {
    local node=$1
    shift
    "$lab" kill-dcampd --dir "$DCAMP_LAB_DIR" --node "$node"
    background "$DCAMP_LAB_DIR/node$node/replacement.log" "$@"
}

# wait_for COMMAND...: until it succeeds, so many seconds at most.
patience=30
wait_for() {
    local deadline=$((SECONDS + patience))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || die "not within $patience seconds: $*"
        sleep 0.1
    done
}

# oid OBJECT: of the DCAMP-MIB, in numbers.
oid() {
    # shellcheck disable=SC2153 # of the lab
    snmptranslate -M "${DCAMP_LAB_SNMP##* -M }" -m DCAMP-MIB -On "DCAMP-MIB::$1"
}

# snmp COMMAND NODE OBJECT...: one of snmpget, snmpset and so on, the object with numbers only.
snmp() {
    local command=$1 address=DCAMP_LAB_NODE_$2 options
    read -r -a options <<<"$DCAMP_LAB_SNMP"
    shift 2
    "$command" "${options[@]}" "${!address}" "$@"
}

# agent NAME PID NODE: what tests/bench/manager wants to know of an agent.
agent() {
    local address=DCAMP_LAB_NODE_$3
    echo "$1 $2 $DCAMP_LAB_SNMP ${!address}"
}

# pin PID...: keeps the processes on one CPU, all of them on the same.
pin() {
    local cpu pid
    cpu=$(taskset -c -p $$)
    cpu=${cpu##*[ ,-]}
    for pid in "$@"; do
        taskset -a -c -p "$cpu" "$pid" >/dev/null
    done
}

# -- What dcampd is measured with and against ---------------------------------------------------

# every_second [NAMES [FILE]]: conf/dcamp.xml without its comments, every sensor at an interval of
# one second but those on demand. With NAMES, an extended regular expression: only the sensors with
# such a name, and the thresholds on them. With FILE: and the sensors in it.
every_second() {
    sed -z -E 's/<!--([^-]|-[^-])*-->//g' "$top/conf/dcamp.xml" |
        awk -v RS='>' -v ORS='>' -v names="${1:-.}" -v more="${2:-/dev/null}" '
            # value of the attribute
            function value(attribute) {
                if (!match($0, "[[:space:]]" attribute "=\"[^\"]*\""))
                    return ""
                split(substr($0, RSTART, RLENGTH), part, "\"")
                return part[2]
            }
            /<sensor[[:space:]]/ && value("name") !~ names { next }
            /<threshold[[:space:]]/ && value("sensor") !~ names { next }
            /<sensor[[:space:]]/ && value("interval") != "on-demand" {
                if (!sub(/[[:space:]]interval="[^"]*"/, " interval=\"1s\""))
                    sub(/<sensor/, "& interval=\"1s\"")
            }
            /<\/sensors$/ {
                while ((getline element <more) > 0)
                    if (element ~ /</)
                        print element
            }
            /[^[:space:]]/'
}

# count_sensors FILE [PATTERN]: those of a configuration by every_second; on whose lines it is.
count_sensors() {
    grep '<sensor ' "$1" | grep -c -e "${2:-.}" || true
}

collectd=$(type -P collectd || echo /usr/sbin/collectd)
collectd_plugins=/usr/lib/collectd

need_collectd() {
    need "$collectd" "on Debian, apt-get install collectd-core"
    need "$collectd_plugins/csv.so" "on Debian, apt-get install collectd-core"
}

# start_collectd PLUGIN...: these and csv, every second, with the further configuration that
# standard input has. Its PID is in pid, what it writes below $csv.
csv=$work/collectd/csv
start_collectd() {
    mkdir -p "$work/collectd"
    {
        cat <<END
Hostname "bench"
FQDNLookup false
BaseDir "$work/collectd"
PIDFile "$work/collectd/pid"
PluginDir "$collectd_plugins"
TypesDB "/usr/share/collectd/types.db"
Interval 1
END
        # A <Plugin> before its LoadPlugin is ignored.
        printf 'LoadPlugin %s\n' "$@" csv
        cat <<END
<Plugin csv>
    DataDir "$csv"
</Plugin>
END
        cat
    } >"$work/collectd.conf"
    background "$work/collectd.log" "$collectd" -f -C "$work/collectd.conf"
}

# csv_lines [PLUGIN]: how many lines collectd has written.
csv_lines() {
    find "$csv" -type f -path "$csv/bench/${1:-}*" -exec cat {} + | wc -l
}

clean_up() {
    local status=$? pid dir
    trap - EXIT
    [[ $finished == yes || $status -gt 2 ]] || status=2
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    for dir in "${labs[@]}"; do
        if [[ $status -gt 1 ]]; then
            tail -n 5 "$dir"/node*/*.log >&2 2>/dev/null || true
        fi
        "$lab" stop --dir "$dir" || status=2
    done
    rm -rf "$work"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# -- Figures ---------------------------------------------------------------------------------

# calculate EXPRESSION [FORMAT]
calculate() {
    awk "BEGIN { printf \"${2:-%.3f}\", $1 }"
}

# cpu_ns PID...: the CPU time in nanoseconds that all threads of the processes have had: proc(5),
# schedstat.
cpu_ns() {
    local pid files=()
    for pid in "$@"; do
        files+=("/proc/$pid/task"/*/schedstat)
    done
    awk '{ sum += $1 } END { printf "%.0f", sum }' "${files[@]}"
}

# share_kb PID...: what the processes have in memory, in kB, by their proportional set size: a page
# that several have, as those of the program and of its libraries, is shared out among them. So the
# sum over all processes has each page once, which that of their resident sets has not.
share_kb() {
    local files=("${@/#//proc/}")
    awk '$1 == "Pss:" { sum += $2 } END { printf "%.0f", sum }' "${files[@]/%//smaps_rollup}"
}

# The resident memory of process $1 in kB.
resident_kb() {
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

# watch_daemons SECONDS PID...: how many nanoseconds of CPU time each has meanwhile, per second, in
# cpu_per_s; what it has in memory then, in kB, in memory.
watch_daemons() {
    local seconds=$1 before=() pid begin i
    shift
    cpu_per_s=() memory=()
    begin=$(date +%s%N)
    for pid in "$@"; do
        before+=("$(cpu_ns "$pid")")
    done
    sleep "$seconds"
    for pid in "$@"; do
        cpu_per_s+=("$(cpu_ns "$pid" || true)")
    done
    seconds=$(calculate "($(date +%s%N) - $begin) / 1e9" %.6f)
    for i in "${!before[@]}"; do
        cpu_per_s[i]=$(calculate "(${cpu_per_s[i]} - ${before[i]}) / $seconds" %.0f)
    done
    for pid in "$@"; do
        memory+=("$(resident_kb "$pid" || true)")
        [[ -n ${memory[-1]} ]] || die "process $pid has ended: $(tail -qn 1 "$work"/*.log)"
    done
}

# ms NS: nanoseconds in milliseconds, with their unit.
ms() {
    echo "$(calculate "$1 / 1e6") ms"
}

# row CELL...: of a table.
row() {
    local line='|' cell
    for cell in "$@"; do
        line+=" $cell |"
    done
    echo "$line"
}

# table TITLE...: its head.
table() {
    local cell line='|'
    row "$@"
    for cell in "$@"; do
        line+=' --- |'
    done
    echo "$line"
}

# verdict NAME WHAT VALUE LIMIT: to awk, what is no number would be 0, and keep every limit.
verdict() {
    local word=PASS number='^-?[0-9]+([.][0-9]+)?$'
    [[ $3 =~ $number && $4 =~ $number ]] || die "$1: '$3' (limit '$4') is no figure"
    if [[ $(calculate "!($3 <= $4)" %d) -ne 0 ]]; then
        word=FAIL
        failed=1
    fi
    echo "$word $1: $2 $3 (limit $4)"
}

finish() {
    finished=yes
    exit "$failed"
}
