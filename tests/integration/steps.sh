#!/usr/bin/env bash
# Executions of steps in programs on two nodes: each record is reported once, whoever dies; their
# collector puts sequences together that pass from one node to the other; locks and arrivals whose
# figures are known have them.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# shellcheck source=stepping.sh
. "$(dirname "$0")/stepping.sh"

{
    echo '<dcamp version="1"><node/><sensors>'
    echo '<sensor name="load.1" metric="load.1" interval="1s"/>'
    for row in "records app.records basic" "count app.count basic" "lost app.lost basic" \
        "unreported app.unreported basic" "cv2 app.fit.cv2 basic" "distance app.fit.distance basic" \
        "poisson app.fit.poisson basic" "factor app.contention basic" \
        "contended app.contention.probability basic" "held app.contention.load basic"; do
        read -r name metric calculation <<<"$row"
        echo "<sensor name=\"$name\" metric=\"$metric\" calculation=\"$calculation\""
        echo 'interval="1s" window="24h"/>'
    done
    echo '</sensors></dcamp>'
} >"$work/nodes.xml"

start_lab --nodes 2 --collectors 1 --config "$work/nodes.xml"
sensor collector1 between app.latency average
sensor collector1 betweens app.latency.count basic
sensor collector1 whole app.sequence.time average
sensor collector1 orders app.sequences basic
sensor collector1 failed app.sequence.failed basic
start_program 1
start_program 2
tell 1 "run receive 999 0 0"
tell 2 "run pay 999 0 0"
eventually "node 1 reports what was executed" 20 has_records 1 1
eventually "so does node 2" 20 has_records 2 1
eventually "the collector has the sequence" 60 value_is collector1 Raw orders shop 1

# -- Sequences from one node to the other -----------------------------------------------------

for sequence in 1 2 3; do
    tell 1 "run receive $sequence 20 0"
    begun[sequence]=${told[0]}
    tell 2 "run pay $sequence 30 $((sequence == 2))"
    ended[sequence]=${told[1]}
done
eventually "all are complete" 60 value_is collector1 Raw orders shop 4
is "one of them has failed" "$(value collector1 Raw failed shop)" 1
is "there are as many latencies" "$(value collector1 Raw betweens 'shop:receive>pay')" 4
most=0
for sequence in 1 2 3; do
    ns=$((ended[sequence] - begun[sequence]))
    most=$((ns > most ? ns : most))
done
ok "no sequence took longer than it was seen to" \
    value_between collector1 Max whole shop 0.05 "$(awk -v ns="$most" 'BEGIN { print 1.02 * ns / 1e9 }')"
ok "records are those of the executions" \
    [ "$(records 2 | awk '{ print $1 ":" $2 }' | xargs)" == "1:0 2:1 3:0 999:0" ]
ok "their durations, too" [ "$(records 2 | awk '$1 <= 3 && $3 < 30000000' | wc -l)" -eq 0 ]

# -- Whoever dies -----------------------------------------------------------------------------

tell 1 "many receive 1000 400 0"
end_program 1
eventually "what was executed before a kill is reported" 20 has_records 1 404
start_program 1
tell 1 "many receive 2000 100 0"
eventually "and what the next program executes" 20 has_records 1 504
is "each has been there once" "$(records 1 | awk '{ print $1 }' | uniq -d | wc -l)" 0
is "none is lost" "$(value 1 Raw lost shop)" 0
tell 1 "many receive 3000 1000 0"
seen_all() {
    local n lost
    n=$(value 1 Raw records shop:receive) lost=$(value 1 Raw lost shop)
    [[ $((n + lost)) -eq 1504 && $lost -gt 0 ]]
}
eventually "those that the ring of the thread had no room for are counted" 20 seen_all
eventually "the table of applications shows them" 20 loss_is 1 Lost "$(value 1 Raw lost shop)"
n=$(value 1 Raw records shop:receive)
eventually "the others are reported" 20 has_records 1 "$n"
control kill-dcampd --node 1 --signal KILL
tell 1 "many receive 5000 10 0"
control start-dcampd --node 1
eventually "a new daemon takes over the count of the living" 20 value_is 1 Raw count shop:receive 1110
tell 1 "many receive 6000 7 0"
eventually "and reports what is executed from then on, once" 20 has_records 1 7
is "those meanwhile are in the count only" \
    "$(($(value 1 Raw count shop:receive) - $(value 1 Raw records shop:receive)))" 1110
eventually "the table of applications says that they were not read" 20 loss_is 1 Unread 1110
ok "all others are reported" loss_is 1 Unreported 0

# -- Arrivals and locks whose figures are known -------------------------------------------------

for kind in chance regular bursts; do
    tell 2 "arrive $kind 17 0 0"
done
tell 2 "lock 0 0 0 0"
eventually "the timers are there" 20 value_is 2 Raw count shop:bursts 0
sleep 1.2
for kind in chance regular bursts; do
    tell 2 "arrive $kind 17 1000 0"
done
tell 2 "lock 12000 2400 12000 1000"
verdict() { # KIND POISSON CV2 CV2 DISTANCE DISTANCE: of the one interval in which they came
    value_between 2 Max poisson "shop:$1" "$2" "$2" &&
        value_between 2 Max cv2 "shop:$1" "$3" "$4" &&
        value_between 2 Max distance "shop:$1" "$5" "$6"
}
eventually "arrivals by chance are a Poisson process" 20 verdict chance 1 0.8 1.25 0 0.035
eventually "regular ones are none" 20 verdict regular 0 0 0.025 0.62 0.65
eventually "nor are bursts" 20 verdict bursts 0 8 10 0.88 0.91
eventually "the lock is found held by one of five" 20 value_between 2 Max contended shop:stock 0.199 0.201
held=$(value 2 Max held shop:stock)
ok "it is held for twelve seconds in one or two" between 5 "$held" 13
ok "the factor is what the one is of the other" value_between 2 Max factor shop:stock \
    "$(awk -v held="$held" 'BEGIN { print 0.199 / held }')" \
    "$(awk -v held="$held" 'BEGIN { print 0.201 / held }')"
finish
