# shellcheck shell=bash
# What the integration tests share: a lab of their own, questions to it, and assertions.
#
# A test sources this file, calls start_lab, asserts with ok, is and eventually, and ends with
# finish. It speaks TAP and exits with 1 if an assertion failed. Its files are in DCAMP_TEST_DIR, by
# default /tmp.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lab=$top/tests/lab/lab
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
labs=()
jobs_started=()
witness=''
temporary=("$work")

# What Debian has: a python3 in somebody's home may first look which version is wanted, which takes ten
# times as long as what a test has to say in it, and does not find Debian's modules.
PATH=/usr/bin:$PATH
# Times with a point, messages of the system in English.
export LC_ALL=C.UTF-8
export DCAMP_SCHEMA_DIR=$top/conf
export SNMPCONFPATH=$work/client SNMP_PERSISTENT_DIR=$work/client
mkdir -p "$work/client/cert_indexes"
unset MIBS MIBDIRS

for tool in snmpd snmptrapd snmpwalk; do
    if [[ -z $(type -P "$tool") ]]; then
        echo "1..0 # SKIP $tool is not installed"
        rm -rf "$work"
        exit 77
    fi
done

# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"

# -- The lab ---------------------------------------------------------------------------------

# start_lab [OPTION...]: with the options of lab start; its variables are set and current.
start_lab() {
    lab_dir=$work/lab${#labs[@]}
    labs+=("$lab_dir")
    if ! "$lab" start --dir "$lab_dir" "$@"; then
        echo "Bail out! the lab does not start"
        exit 1
    fi
    lab_env
}

lab_env() {
    # shellcheck disable=SC2086 # names of variables: with roles, they change
    [[ -z ${DCAMP_LAB_TREE:-} ]] || unset ${!DCAMP_LAB_@}
    eval "$("$lab" env --dir "$lab_dir")"
    # shellcheck disable=SC2153 # set by eval
    read -r -a snmp <<<"$DCAMP_LAB_SNMP -m DCAMP-MIB:SNMPv2-MIB:SNMP-COMMUNITY-MIB"
    # shellcheck disable=SC2153 # set by eval
    node=${DCAMP_LAB_NODE_1:-${DCAMP_LAB_FIRST:-}}
}

# control VERB [OPTION...]: of the lab, as in control kill-dcampd --signal KILL.
control() {
    local verb=$1
    shift
    "$lab" "$verb" --dir "$lab_dir" "$@"
    lab_env
}

# at NODE COMMAND...: asks another node: 1, collector1 ... or root.
at() {
    local where=$1 node
    shift
    case $where in
    root) node=$DCAMP_LAB_ROOT ;;
    collector*) node=DCAMP_LAB_COLLECTOR_${where#collector} && node=${!node} ;;
    *) node=DCAMP_LAB_NODE_$where && node=${!node} ;;
    esac
    "$@"
}

# pid_of dcampd NODE
pid_of() {
    local pid=${2/collector/collector_}
    pid=DCAMP_LAB_PID_${1^^}_${pid^^}
    echo "${!pid}"
}

# background COMMAND...: ended with the test, or by end_background. One that is stopped must go on to
# die of it.
background() {
    "$@" </dev/null >/dev/null 2>&1 &
    jobs_started+=($!)
}

end_background() {
    local pid
    for pid in "${jobs_started[@]}"; do
        kill "$pid" 2>/dev/null || true
        kill -CONT "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    jobs_started=()
}

clean_up() {
    local status=$? dir
    trap - EXIT
    end_background
    [[ $status -eq 0 || $failed -ne 0 ]] || echo "Bail out! status $status after assertion $asserted"
    for dir in "${labs[@]}"; do
        if [[ $status -ne 0 || $failed -ne 0 ]]; then
            tail -n 15 "$dir"/{node*,collector*,root}/dcampd.log 2>/dev/null | sed 's/^/# /' || true
        fi
        if ! "$lab" stop --dir "$dir"; then
            echo "# $dir is left as it is"
            exit 1
        fi
    done
    rm -rf "${temporary[@]}"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# -- SNMP ------------------------------------------------------------------------------------

# secrets_from OPTION...: the lab's passphrases as a file of secrets.
secrets_from() {
    while [[ $# -gt 1 ]]; do
        case $1 in
        -A) echo "auth $2" ;;
        -X) echo "priv $2" ;;
        esac
        shift
    done
}

# get OBJECT...: the values alone, one a line: text unquoted, enumerations by name, no units.
get() {
    snmpget -OqvUt "${snmp[@]}" "$node" "${@/#/DCAMP-MIB::}"
}

# A SET is sent once. The tool would send it again after a second, which a disk may need; the second
# one finds the row that the first one made, and its answer is the one that counts.
snmpset() {
    command snmpset -t 10 -r 0 "$@"
}

# set_ ASSIGNMENT...: as snmpset has them, three words each, objects without module.
set_() {
    local i words=("$@")
    for ((i = 0; i < ${#words[@]}; i += 3)); do
        words[i]=DCAMP-MIB::${words[i]}
    done
    snmpset -Ir "${snmp[@]}" "$node" "${words[@]}"
}

# walk OBJECT [OPTION...]: "name value" lines.
walk() {
    local object=$1
    shift
    snmpbulkwalk -OqUt "${snmp[@]}" "$@" "$node" "DCAMP-MIB::$object"
}

# exists OBJECT: whether an instance is there; without an answer it is not.
exists() {
    local said
    said=$(get "$1" 2>&1) && [[ $said != *"No Such"* ]]
}

# as_number COMMAND...: the number that it prints, and 0 where that is none. An instance that is not there
# yet, or not for a moment, is answered by words, which would end a test that compares them with a number.
as_number() {
    local said
    said=$("$@") || true
    [[ $said =~ ^[0-9]+$ ]] || said=0
    echo "$said"
}

# threshold NAME COLUMN=VALUE...: creates a threshold by createAndGo in one SET.
threshold() {
    local name=$1 column words=()
    shift
    for column in "$@"; do
        words+=("dcampThreshold${column%%=*}.\"$name\"")
        case $column in
        Operator=* | Severity=* | Source=*) words+=(i) ;;
        Match=* | Window=* | Duration=* | Absence=* | Repeat=* | HoldOff=* | Span=* | Horizon=*)
            words+=(u)
            ;;
        *) words+=(s) ;;
        esac
        words+=("${column#*=}")
    done
    set_ "${words[@]}" "dcampThresholdRowStatus.\"$name\"" i createAndGo
}

# alarm_of KEY: the index of its row in dcampAlarmTable; fails if there is none.
alarm_of() {
    walk dcampAlarmKey | awk -v key="$1" '
        { name = $1; sub(/^[^ ]+ /, ""); if ($0 == key) { sub(/.*\./, "", name); print name; n++ } }
        END { exit n == 0 }'
}

# log_entries KEY EVENT: how many entries dcampAlarmLogTable has of them.
log_entries() {
    { walk dcampAlarmLogKey; walk dcampAlarmLogEvent; } | awk -v key="$1" -v event="$2" '
        { name = $1; row = $1; sub(/.*\./, "", row); sub(/^[^ ]+ /, "") }
        name ~ /LogKey/ && $0 == key { rows[row] }
        name ~ /LogEvent/ && $0 == event && row in rows { n++ }
        END { print n + 0 }'
}

# traps EVENT [KEY]: the lines that snmptrapd logged of it.
traps() {
    grep -F "SNMPv2-MIB::snmpTrapOID.0 = DCAMP-MIB::$1"$'\t' "$DCAMP_LAB_TRAPLOG" |
        grep -E "DCAMP-MIB::dcampAlarmKey\.[0-9]+ = ${2:-.*}(	|\$)" || true
}

# trap_count EVENT [KEY] NUMBER: whether exactly that many came.
trap_count() {
    local number=${*: -1}
    [[ $(traps "${@:1:$#-1}" | grep -c .) -eq $number ]]
}

# -- The machine that it runs on ---------------------------------------------------------------

# A process that wants to wake up twenty times a second, and nothing else. By how much it was late, from
# a tenth of a second on, is in a file, in ms: then the machine stood still, or had no CPU to give.
witness() {
    local last=${EPOCHREALTIME/./} now pause
    exec {pause}<> <(:)
    while :; do
        read -r -t 0.05 -u "$pause" || true
        now=${EPOCHREALTIME/./}
        ((now - last < 150000)) || echo $(((now - last) / 1000 - 50)) >>"$work/stalls"
        last=$now
    done
}

# watch_machine: what a test says of time from now on, it can say without what the machine takes away.
watch_machine() {
    : >"$work/stalls"
    [[ -z $witness ]] || ! kill -0 "$witness" 2>/dev/null || return 0
    witness &
    witness=$!
    jobs_started+=("$witness")
}

# stood_still [MS]: how many ms the machine has stood still since then, and so many more each time.
stood_still() {
    sleep 0.2 # for the witness, which wakes up now, too
    awk -v more="${1:-0}" '{ sum += $1 + more } END { print sum + 0 }' "$work/stalls"
}

# -- A machine that does what it is told -----------------------------------------------------

# make_root DIR: a copy of what dcampd reads of /proc, standing still, with a low load.
make_root() {
    local file
    mkdir -p "$1/proc/net" "$1/sys/block" "$1/sys/class/net"
    for file in stat meminfo diskstats net/dev partitions; do
        cat "/proc/$file" >"$1/proc/$file"
    done
    set_load "$1" 10
}

# load_sensors INTERVAL: of a node whose load a test sets, and what its collector in a lab aggregates.
load_sensors() {
    cat <<END
<sensor name="load" metric="load.1" interval="$1"/>
<sensor name="mem.free.percent" expression="100% * mem.free / mem.total" interval="1s"/>
<sensor name="mem.free" metric="mem.free" interval="1s"/>
<sensor name="mem.total" metric="mem.total" interval="1s"/>
END
}

# set_load DIR NUMBER: two digits, so that the file changes in place and never is half there.
set_load() {
    printf '%02d.00 %02d.00 %02d.00 1/100 1000\n' "$2" "$2" "$2" 1<>"$1/proc/loadavg"
}
