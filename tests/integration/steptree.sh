#!/usr/bin/env bash
# Sequences of steps that pass over nodes of two collectors: their root has all of them and their
# latencies, as the test computes them from what the nodes themselves have recorded; once each, though
# a collector is killed; and what is lost is counted where it was.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=stepping.sh
. "$(dirname "$0")/stepping.sh"

steps=(receive pay cook serve) # in this order
nodes=(1 3 2 4)                # on these: collector1 has 1 and 2, collector2 the others

{
    echo '<dcamp version="1"><node/><sensors>'
    echo '<sensor name="load.1" metric="load.1" interval="1s"/>'
    for metric in records unreported lost; do
        echo "<sensor name=\"$metric\" metric=\"app.$metric\" interval=\"500ms\"/>"
    done
    echo '</sensors></dcamp>'
} >"$work/nodes.xml"

# pass SEQUENCE: through all steps.
pass() {
    local i
    for i in "${!steps[@]}"; do
        tell "${nodes[i]}" "run ${steps[i]} $1 7 $(($1 % 10 == 0 && i == 3))"
    done
}

scalar() { # NODE OBJECT
    at "$1" get "$2.0" 2>/dev/null || true
}

scalar_is() { # NODE OBJECT EXPECTED
    [[ $(scalar "$1" "$2") == "$3" ]]
}

child_is() { # NODE CHILD STATE
    [[ $(at "$1" get "dcampChildState.\"$2\"" 2>/dev/null) == "$3" ]]
}

# has WHEN SEQUENCES FAILED: what the root knows.
has() {
    local i
    eventually "$1, the root has all sequences" 120 value_is root Raw orders shop "$2"
    is "$1, as many have failed" "$(value root Raw failed shop)" "$3"
    for i in 1 2 3; do
        is "$1, each latency from ${steps[i - 1]} to ${steps[i]} is there once" \
            "$(value root Raw betweens "shop:${steps[i - 1]}>${steps[i]}")" $(($2 - 4))
    done
    is "$1, no sequence is lost" "$(value root Raw lost shop)" 0
    is "$1, no record is left out" "$(value root Raw left shop)" 0
}

# executions: of all nodes, from their own blocks, but for those that no collector had: "place start
# duration sequence", in nanoseconds.
executions() {
    local i
    for i in "${!steps[@]}"; do
        at "${nodes[i]}" read_blocks | "$reader" | awk -v place="$i" '
            $1 == "record" && ($6 < 900 || $6 > 990) { print place, $4, $5, $6 }'
    done
}

# means: of the latencies between the steps in their order, and of the whole, in microseconds. The
# digits of a time are more than a double has: of the seconds only the last ones count.
means() {
    executions | awk '
        { start = substr($2, 6) / 1000 }
        $4 > 990 { alone++; whole += $3 / 1000; next }
        { begin[$1, $4] = start; end[$1, $4] = start + $3 / 1000; sequences[$4] }
        END { for (s in sequences) {
                n++
                for (i = 1; i < 4; i++) sum[i] += begin[i, s] - end[i - 1, s]
                whole += end[3, s] - begin[0, s] }
              for (i = 1; i < 4; i++) printf "%.3f ", sum[i] / n
              printf "%.3f\n", whole / (n + alone) }'
}

# means_are WHEN: at the root, to the digits that it shows.
means_are() {
    local i wanted is instance=() sensor=(between between between whole)
    read -r -a wanted < <(means)
    for i in 1 2 3; do
        instance+=("shop:${steps[i - 1]}>${steps[i]}")
    done
    instance+=(shop)
    for i in 0 1 2 3; do
        is=$(value root Mean "${sensor[i]}" "${instance[i]}")
        echo "# ${instance[i]}: $is s, computed here: ${wanted[i]} us"
        ok "$1, the mean of ${instance[i]} is that of what the nodes have recorded" \
            awk -v is="$is" -v wanted="${wanted[i]}" 'BEGIN {
                d = is * 1e6 - wanted; exit !(is != "" && d < 0.6 && d > -0.6) }'
    done
}

# nodes_in NODE: of which nodes there are records in its blocks, and how many of each.
nodes_in() {
    at "$1" read_blocks | "$reader" | awk '$1 == "record" { n[$8]++ }
        END { for (node in n) print node ":" n[node] }' | sort | xargs
}

nodes_are() { # NODE EXPECTED
    [[ $(nodes_in "$1") == "$2" ]]
}

start_lab --nodes 4 --collectors 2 --config "$work/nodes.xml"
for where in collector1 collector2 root; do
    sensor $where records app.records basic
done
sensor root between app.latency average
sensor root betweens app.latency.count basic
sensor root whole app.sequence.time average
sensor root orders app.sequences basic
sensor root failed app.sequence.failed basic
sensor root lost app.sequence.lost basic
sensor root left app.sequence.left basic

# -- Over both collectors ------------------------------------------------------------------------

# Each step is executed once first, so that all nodes know it by its name.
for i in "${!steps[@]}"; do
    start_program "${nodes[i]}"
    tell "${nodes[i]}" "run ${steps[i]} $((991 + i)) 1 0"
done
eventually "the root knows all steps" 120 value_is root Raw orders shop 4
for sequence in {1..20}; do
    pass "$sequence"
done
has "over both collectors" 24 2
means_are "over both collectors"
is "collectors have the records of their nodes" "$(nodes_in collector1) $(nodes_in collector2)" \
    "node1:21 node2:21 node3:21 node4:21"
is "the root has those of all, with their paths" "$(nodes_in root)" \
    "collector1/node1:21 collector1/node2:21 collector2/node3:21 collector2/node4:21"
for where in collector1 collector2 root; do
    for object in Lost LeftOut Unreported; do
        is "$where counts none in dcampStepRecords$object" "$(scalar $where "dcampStepRecords$object")" 0
    done
done

# -- A collector is killed -------------------------------------------------------------------------

control kill-dcampd --node collector1 --signal KILL
tell 1 "many receive 901 7 0"
eventually "what is executed meanwhile is in the blocks of the node" 20 has_records 1 28
control start-dcampd --node collector1
eventually "what its nodes have kept from before is counted" 60 \
    scalar_is collector1 dcampStepRecordsBefore 49
eventually "the root polls it again" 60 child_is root collector1 up
for sequence in {21..30}; do
    pass "$sequence"
done
has "after a kill of a collector" 34 3
means_are "after a kill of a collector"
is "nothing from before was passed on again" "$(nodes_in collector1)" "node1:10 node2:10"
is "the root has each record once" "$(nodes_in root)" \
    "collector1/node1:31 collector1/node2:31 collector2/node3:31 collector2/node4:31"

# -- A node is killed ------------------------------------------------------------------------------

control kill-dcampd --node 2 --signal KILL
tell 2 "many cook 911 5 0"
control start-dcampd --node 2
eventually "what its programs have executed by then is counted" 60 loss_is 2 Unread 36
for sequence in {31..35}; do
    pass "$sequence"
done
has "after a kill of a node" 39 3
is "the root has each record of that once" "$(nodes_in root)" \
    "collector1/node1:36 collector1/node2:36 collector2/node3:36 collector2/node4:36"

# -- More than there is room for -------------------------------------------------------------------

control kill-dcampd --node collector2 --signal KILL
sed -i 's#<report keep="[0-9]*" block-bytes="[0-9]*"#<report keep="16" block-bytes="256"#' \
    "$DCAMP_LAB_CONFIG_COLLECTOR_2"
control start-dcampd --node collector2
eventually "the second collector has begun anew" 60 \
    scalar_is collector2 dcampStepRecordsBefore 72
eventually "the root polls that one again, too" 60 child_is root collector2 up
tell 3 "many pay 2000 400 0"
all_are_accounted_for() {
    lost=$(as_number scalar collector2 dcampStepRecordsUnreported)
    more=$(($(as_number value root Raw records shop:pay) - 36))
    [[ $lost -gt 0 && $more -gt 0 && $((lost + more)) -eq 400 ]]
}
eventually "records that there is no room for are counted where they are lost" 60 all_are_accounted_for
echo "# lost: $lost, passed on: $more"
is "the collector has taken all of them" "$(value collector2 Raw records shop:pay)" 400
finish
