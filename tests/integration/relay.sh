#!/usr/bin/env bash
# Values of nodes below collectors in the history of the root: those that the nodes themselves
# have, each once, whoever is killed.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

machines=$work/machines
bin=${DCAMP_BUILD:-$top/build}
make_root "$machines"
for i in 1 2 3; do
    make_root "$machines/node$i"
    set_load "$machines/node$i" "$i"
done
cat >"$work/leaf.xml" <<END
<dcamp version="1"><node/><report keep="2000"/><sensors>
<sensor name="load" metric="load.1" interval="500ms" window="5s"/>
<sensor name="other" metric="load.5" interval="1s"/>
</sensors></dcamp>
END
start_lab --nodes 3 --collectors 2 --config "$work/leaf.xml" --root "$machines" --history
directory=$DCAMP_LAB_HISTORY

# reported NODE: what its blocks say of load, as time and value, a line each.
reported() {
    local number
    number=$(at "$1" get 'dcampValueSeries."load"."total"')
    at "$1" blocks | tr -d '\n' | tr -s '"' '\n' | "$bin/tests/integration/read-blocks" |
        awk -v number="$number" '$1 == "value" && $2 == number { print $3, $4 }' | sort
}

blocks() {
    snmpbulkwalk -OqvxUt "${snmp[@]}" "$node" DCAMP-MIB::dcampReportBlock
}

# kept PATH: the same in the history of the root.
kept() {
    "$bin/dcamp" history --directory "$directory" --json --last 1h "$1" load 2>"$work/error" |
        python3 -c 'import json, sys
for line in sys.stdin:
    one = json.loads(line)
    if one["value"] is not None:
        print(one["t"], "%g" % one["value"])' | sort
}

# has PATH NUMBER: so many values at least.
has() {
    [[ $(kept "$1" | wc -l) -ge $2 ]]
}

# From the first value that the history has up to the last one, it has what the node has told.
# same PATH NODE
same() {
    kept "$1" >"$work/kept"
    reported "$2" | awk -v first="$(head -1 "$work/kept" | cut -d' ' -f1)" \
        -v last="$(tail -1 "$work/kept" | cut -d' ' -f1)" '$1 >= first && $1 <= last' >"$work/reported"
    [[ -s $work/kept ]] && diff "$work/reported" "$work/kept" >"$work/difference"
}


is "without a row nothing is relayed" "$(kept collector1/node1)" ""
for collector in collector1 collector2; do
    ok "SET: $collector relays" at "$collector" set_ 'dcampRelaySensors."up"' s 'lo*' \
        'dcampRelayRowStatus."up"' i createAndGo
done
eventually "values of a node are in the history of the root" 30 has collector1/node1 10
eventually "of the other collector, too" 30 has collector2/node3 10
set_load "$machines/node1" 50
ok "they are in no table of values of the root" not grep -q node1 <<<"$(at root walk dcampChildValueText)"
is "the dictionary of the collector says whose they are" \
    "$(at collector1 walk dcampSeriesPath | grep -c node1)" 1
is "what the row does not mean is not there" "$("$bin/dcamp" history --directory "$directory" --tsv collector1/node1 |
    cut -f 2 | tail -n +2)" load
eventually "they are those of the node" 20 same collector1/node1 1
eventually "and of another one" 20 same collector2/node3 3

control kill-dcampd --node collector1 --signal KILL
n=$(kept collector1/node1 | wc -l)
sleep 2
control start-dcampd --node collector1
eventually "its collector was killed: they go on" 90 has collector1/node1 $((n + 30))
eventually "and none is missing or doubled" 30 same collector1/node1 1

read -r publisher _ <"$lab_dir/pid/publish"
worker=$(pgrep -P "$publisher")
ok "the process of the sink is killed" kill -KILL "$worker"
n=$(kept collector1/node1 | wc -l)
eventually "the publisher was killed: they go on" 90 has collector1/node1 $((n + 10))
eventually "and none is missing or doubled then" 30 same collector1/node1 1

# relayed NODE: how many series of it the collector relays.
relayed() {
    at collector1 walk dcampSeriesPath | grep -c "$1" || true
}

is_relayed_no_more() {
    [[ $(relayed "$1") -eq 0 ]]
}

is "a leaf is there" "$(relayed node1)" 1
ok "SET: a leaf leaves" at collector1 set_ 'dcampChildRowStatus."node1"' i notInService
eventually "its number is given back" 20 is_relayed_no_more node1
is "the other one stays" "$(relayed node2)" 1
