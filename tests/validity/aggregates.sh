#!/usr/bin/env bash
# aggregates.sh [--seconds N] [--keep DIR]: are aggregates what their children's own tables say, at every moment?
#
# Four leaves, two collectors and a root, under a load that changes all the time. What the leaves,
# the collectors and the root show is recorded as it is, and aggregates.awk computes every aggregate
# of it anew; with --keep, DIR then has the record. Prints a table in Markdown; exits with 1 if an aggregate is not what it should be,
# with 2 if it cannot be done.
# shellcheck source=../integration/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../integration/common.sh"

seconds=60 keep=''
while [[ $# -gt 0 ]]; do
    if [[ $1 == --seconds && ${2:-} =~ ^[1-9][0-9]*$ ]]; then
        seconds=$2
    elif [[ $1 == --keep && -d ${2:-} ]]; then
        keep=$2
    else
        echo "usage: aggregates.sh [--seconds N] [--keep DIR]" >&2
        exit 2
    fi
    shift 2
done

leaves=4
cards=3
interval=2 # of samples and of aggregates, in seconds
root=$work/machines
records=$work/records
mkdir -p "$records"

# -- The load --------------------------------------------------------------------------------

# write_counters LEAF: in place, and as long as before, for dcampd has the file open.
write_counters() {
    local i
    {
        head -n 2 /proc/net/dev
        for ((i = 1; i <= cards; i++)); do
            printf '  eth%d: %18d 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n' "$i" "${octets[$1.$i]}"
        done
    } >"$work/counters"
    cat "$work/counters" 1<>"$root/node$1/proc/net/dev"
}

# Every card goes its own way, over six powers of ten. What it moved by between two samples is whole
# octets, so that the published text has all of its digits.
load() {
    local leaf i
    while :; do
        leaf=$((RANDOM % leaves + 1))
        for ((i = 1; i <= cards; i++)); do
            octets[$leaf.$i]=$((octets[$leaf.$i] + (RANDOM + 1) * (RANDOM % 10 ? 1 : RANDOM)))
        done
        write_counters "$leaf"
        sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    done
}

# -- What is computed ------------------------------------------------------------------------

functions=(sum avg min max count stddev p50 p95)

# aggregate_element NAME SENSOR FUNCTION BY
aggregate_element() {
    local function=$3 parameter=''
    case $function in
    p*) parameter="parameter=\"${function#p}\"" function=percentile ;;
    top) parameter='parameter="3"' ;;
    esac
    echo "<aggregate name=\"$1\" sensor=\"$2\" function=\"$function\" by=\"$4\" $parameter" \
        "interval=\"${interval}s\"/>"
}

# Of the leaves, by everything; above, of these by the names that they have there.
aggregate_elements() {
    local function by
    for by in all group instance child; do
        for function in "${functions[@]}"; do
            if [[ $1 != root ]]; then
                aggregate_element "$by.$function" net.rx.bytes "$function" "$by"
            elif [[ $by == all ]]; then
                aggregate_element "$by.$function" "$by.$function" "$function" all
            else
                aggregate_element "$by.$function" "$by.$function" "$function" instance
            fi
        done
    done
    if [[ $1 == root ]]; then
        aggregate_element top child.sum top all
        aggregate_element share child.sum share all
    else
        aggregate_element top net.rx.bytes top all
        aggregate_element share net.rx.bytes share all
    fi
}

write_config() {
    echo '<dcamp version="1"><node/><sensors>'
    echo "<sensor name=\"net.rx.bytes\" metric=\"net.rx.bytes\" instances=\"eth*\""
    echo "calculation=\"delta\" interval=\"${interval}s\"/></sensors></dcamp>"
}

# set_aggregates NODE: in the place of those of the lab; and groups for the children, the odd and
# the even ones.
set_aggregates() {
    local config=DCAMP_LAB_CONFIG_${1^^}
    config=${config/COLLECTOR/COLLECTOR_}
    config=${!config}
    aggregate_elements "$1" >"$work/elements"
    sed -i -e '/^ *<aggregate /d' -e "/<aggregates>/r $work/elements" \
        -e '/name="node[13]"/s/ period=/ group="odd"&/' \
        -e '/name="node[24]"/s/ period=/ group="even"&/' "$config"
    kill -HUP "$(pid_of dcampd "$1")"
}

# -- The record ------------------------------------------------------------------------------

# rows_of NODE: of its tables, without columns: what snmpget takes behind dcampXxxText.
leaf_rows() {
    local i
    for ((i = 1; i <= cards; i++)); do
        echo "dcampValue \"net.rx.bytes\".\"eth$i\""
    done
}

# aggregate_rows NODE CHILD...: those that there may be.
aggregate_rows() {
    local where=$1 function child i
    shift
    for function in "${functions[@]}"; do
        echo "dcampAggregateValue \"all.$function\".\"total\""
        for i in odd even; do
            echo "dcampAggregateValue \"group.$function\".\"$i\""
        done
        for ((i = 1; i <= cards; i++)); do
            echo "dcampAggregateValue \"instance.$function\".\"eth$i\""
        done
        for child in "$@"; do
            echo "dcampAggregateValue \"child.$function\".\"$child\""
        done
    done
    for child in "$@"; do
        for function in top share; do
            if [[ $where == root ]]; then
                echo "dcampAggregateValue \"$function\".\"collector$(((${child#node} + 1) / 2))/$child\""
                continue
            fi
            for ((i = 1; i <= cards; i++)); do
                echo "dcampAggregateValue \"$function\".\"$child/eth$i\""
            done
        done
    done
    [[ $where != root ]] || return 0
    for child in "$@"; do
        for ((i = 1; i <= cards; i++)); do
            echo "dcampChildValue \"$child\".\"net.rx.bytes\".\"eth$i\""
        done
    done
}

# record NODE: the rows on standard input, value and time of each in one request, 30 rows at once,
# again and again, as lines with the node in front.
record() {
    local where=$1 rows line table objects=() i pause=0.7
    mapfile -t rows
    [[ ${#rows[@]} -lt 30 ]] || pause=0.1
    for line in "${rows[@]}"; do
        table=${line%% *} line=${line#* }
        objects+=("$table""Text.$line" "$table""Time.$line")
    done
    while :; do
        for ((i = 0; i < ${#objects[@]}; i += 60)); do
            at "$where" get_named "${objects[@]:i:60}" | sed "s/^/$where /" >>"$records/$where" || true
        done
        sleep "$pause"
    done
}

# get_named OBJECT...: like get, with their names in front.
get_named() {
    snmpget -OqUt "${snmp[@]}" "$node" "${@/#/DCAMP-MIB::}"
}

has_all() {
    [[ $(at "$1" get 'dcampAggregateValueReporting."all.p95"."total"') -eq $2 ]]
}

# -- All of it -------------------------------------------------------------------------------

declare -A octets
make_root "$root"
for ((leaf = 1; leaf <= leaves; leaf++)); do
    make_root "$root/node$leaf"
    : >"$root/node$leaf/proc/net/dev"
    for ((i = 1; i <= cards; i++)); do
        octets[$leaf.$i]=$((leaf * 1000 + i))
    done
    write_counters "$leaf"
done
write_config >"$work/leaf.xml"
start_lab --nodes "$leaves" --collectors 2 --config "$work/leaf.xml" --root "$root"
for where in collector1 collector2 root; do
    set_aggregates "$where"
done
load &
jobs_started+=($!)
within 30 has_all root $((leaves * cards)) || {
    echo "aggregates.sh: the root does not have all leaves" >&2
    exit 2
}
sleep $((2 * interval))
for ((leaf = 1; leaf <= leaves; leaf++)); do
    record "$leaf" < <(leaf_rows) &
    jobs_started+=($!)
done
sleep $((4 * interval)) # what goes into the first aggregates has been recorded
aggregate_rows collector1 node1 node2 >"$work/rows.collector1"
aggregate_rows collector2 node3 node4 >"$work/rows.collector2"
aggregate_rows root node1 node2 node3 node4 >"$work/rows.root"
for where in collector1 collector2 root; do
    record "$where" <"$work/rows.$where" &
    jobs_started+=($!)
done
sleep "$seconds"
end_background
[[ -z $keep ]] || cp "$records"/* "$keep"
status=0
awk -v interval="$interval" -v seconds="$seconds" \
    -f "$top/tests/validity/aggregates.awk" "$records"/? "$records"/[cr]* || status=$?
exit "$status"
