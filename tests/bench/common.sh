# shellcheck shell=bash
# What the benchmarks share: private nodes, CPU time, tables and verdicts.
#
# A benchmark sources this file, prints a table and verdicts, and ends with finish. It exits with 1
# if a limit was not kept, with 2 if there are no figures.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
lab=$top/tests/lab/lab
work=$(mktemp -d /tmp/dcamp-bench.XXXXXX)
labs=()
started=()
failed=0

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

# wait_for COMMAND...: until it succeeds, half a minute at most.
wait_for() {
    local deadline=$((SECONDS + 30))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || die "not within 30 seconds: $*"
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

clean_up() {
    local status=$? pid dir
    trap - EXIT
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

# The CPU time in nanoseconds that all threads of process $1 have had: proc(5), schedstat.
cpu_ns() {
    awk '{ sum += $1 } END { printf "%.0f", sum }' "/proc/$1/task"/*/schedstat
}

# The resident memory of process $1 in kB.
resident_kb() {
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
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

# verdict NAME WHAT VALUE LIMIT
verdict() {
    local word=PASS
    if [[ $(calculate "!($3 <= $4)" %d) -ne 0 ]]; then
        word=FAIL
        failed=1
    fi
    echo "$word $1: $2 $3 (limit $4)"
}

finish() {
    exit "$failed"
}
