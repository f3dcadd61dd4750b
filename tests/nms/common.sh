# shellcheck shell=bash
# What the tests against real network management systems share, beside what the integration tests
# have: programs that may be missing, daemons of their own, a snmptrapd with handlers.
#
#   . "$(dirname "$0")/common.sh"
#   need nagios4 nagios4-core        skips the test, and names the package
#   start_nms_lab [OPTION...]        a lab whose nodes also notify the test's own snmptrapd
#   start_trapd [OPTION...] <<'END'  that snmptrapd, with these lines in its configuration
#   start NAME COMMAND...            a daemon; its output is in $work/NAME.log
# Everything is below $work, on loopback, and ends with the test.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
nms_top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# shellcheck source=../integration/common.sh
. "$nms_top/tests/integration/common.sh"
# shellcheck source=../lab/process.sh
. "$nms_top/tests/lab/process.sh"

export DCAMP_BUILD=${DCAMP_BUILD:-$nms_top/build}
dir=$work # where process.sh keeps its records
mkdir -p "$work/pid"

die() {
    echo "Bail out! $*"
    exit 1
}

# skip REASON: a package that is missing.
skip() {
    echo "1..0 # SKIP $*"
    trap - EXIT
    rm -rf "$work"
    exit 77
}

# need PROGRAM PACKAGE
need() {
    [[ -n $(type -P "$1") ]] || skip "$1 is missing (package $2)"
}

# -- Daemons ---------------------------------------------------------------------------------

# start NAME COMMAND...: its process identifier is $(pid_of NAME).
start() {
    local name=$1
    shift
    spawn "$name" "$work/$name.log" "$@"
}

# end NAME [SIGNAL]
end() {
    end_processes "${2:-TERM}" "$1"
}

# end_daemons STATUS: of the test; the last one first, which may write to what an earlier one reads.
# By their records: what was started behind a pipe was started by a subshell, which tells nobody.
end_daemons() {
    local status=$1 name
    while read -r name; do
        [[ $status -eq 0 && $failed -eq 0 ]] ||
            tail -n 20 "$work/$name.log" 2>/dev/null | sed "s/^/# $name: /" || true
        end_processes TERM "$name"
    done < <(ls -t "$work/pid")
    wait_collected
}

# all_ended: whether no process is left that has a file of the test among its words, but for the lab.
all_ended() {
    local file words
    for file in /proc/[0-9]*/cmdline; do
        mapfile -d '' -t words 2>/dev/null <"$file" || continue
        [[ "${words[*]} " != *"$work/"* || "${words[*]}" == *"$work/lab"* ]] || return 1
    done 2>/dev/null
}

# The lab ends, whatever became of the test or of its daemons.
end_test() {
    local status=$?
    set +e
    end_daemons "$status"
    if ! within 5 all_ended; then
        echo "not ok - a process of the test is left"
        status=1
    fi
    (exit "$status")
    clean_up
}
trap end_test EXIT

# A TCP port below the ephemeral ones that nobody has at the moment.
free_tcp_port() {
    local port
    while :; do
        port=$((20000 + (RANDOM << 15 | RANDOM) % 12000))
        ! grep -qi "$(printf ':%04X ' "$port")" /proc/net/tcp /proc/net/tcp6 2>/dev/null && break
    done
    echo "$port"
}

# tcp_open PORT
tcp_open() {
    : 2>/dev/null <>"/dev/tcp/127.0.0.1/$1"
}

# -- A lab and a receiver --------------------------------------------------------------------

start_nms_lab() {
    start_lab --trap-to new "$@"
    trap_port=${DCAMP_LAB_TRAP_TO##*:}
}

# Two nodes, a collector and its root: node1 on this machine, node2 on one that set_load has.
start_tree() {
    local name
    machine=$work/machines/node2
    make_root "$machine"
    for name in node1 collector1 root; do
        ln -s / "$work/machines/$name"
    done
    start_nms_lab --nodes 2 --collectors 1 --root "$work/machines" "$@"
}

# snmptrapd of the lab's users, with further options: -On and so on. Without modules, as Debian
# has it. Lines for its configuration, traphandle above all, come from the standard input.
start_trapd() {
    local own=$work/trapd engine user auth priv
    user=$(option_of -u) auth=$(option_of -A) priv=$(option_of -X)
    mkdir -p "$own/persist/cert_indexes"
    {
        for engine in ${!DCAMP_LAB_ENGINE_*}; do
            echo "createUser -e 0x${!engine} $user SHA-256 \"$auth\" AES \"$priv\""
        done
        echo "authUser log,execute $user priv"
        cat
    } >"$own/snmptrapd.conf"
    start trapd env MIBS= MIBDIRS="$own" SNMPCONFPATH="$own" SNMP_PERSISTENT_DIR="$own/persist" \
        snmptrapd -f -n -X -A -Lo -C -c "$own/snmptrapd.conf" "$@" "udp:127.0.0.1:$trap_port"
    wait_port trapd "$trap_port" || die "snmptrapd does not start: $(cat "$work/trapd.log")"
}

# option_of LETTER: what the lab's options have after it.
option_of() {
    local i
    for ((i = 0; i < ${#snmp[@]}; i++)); do
        [[ ${snmp[i]} != "$1" ]] || echo "${snmp[i + 1]}"
    done
}

# load_threshold NAME [COLUMN=VALUE...]: on a sensor of what set_load of the lab's root says, as
# set by snmpset: raised over 50, cleared under 40.
load_threshold() {
    local name=$1
    shift
    exists 'dcampSensorMetric."load"' ||
        set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
            'dcampSensorRowStatus."load"' i createAndGo >/dev/null
    threshold "$name" Sensor=load Operator=gt Limit=50 Clear=40 Severity=critical \
        "Description=too many tasks" "$@" >/dev/null
}

# -- Two instances ---------------------------------------------------------------------------

# The lab's root below $work/root, with loads that set_load sets and interfaces that set_traffic does.
make_traffic_root() {
    make_root "$work/root"
    ln -sf /proc/stat "$work/root/proc/stat"
    : >"$work/root/proc/net/dev"
    set_traffic 10 10
}

# set_traffic ETH0 ETH1: what the node's interfaces have received; two digits, so that the file changes
# in place.
set_traffic() {
    {
        head -n 2 /proc/net/dev
        printf '  eth%d: %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n' 0 "$1" 1 "$2"
    } 1<>"$work/root/proc/net/dev"
}

# The threshold "traffic" on both: raised over 50, cleared under 40.
traffic_threshold() {
    set_ 'dcampSensorMetric."rx"' s net.rx.bytes 'dcampSensorInstances."rx"' s 'eth*' \
        'dcampSensorCalculation."rx"' i basic 'dcampSensorInterval."rx"' u 200 \
        'dcampSensorRowStatus."rx"' i createAndGo >/dev/null
    threshold traffic Sensor=rx Operator=gt Limit=50 Clear=40 Severity=critical >/dev/null
}
