#!/usr/bin/env bash
# hostile-child.sh [--seconds N]: a child with a valid key does its worst, one way after the other,
# beside healthy children of the same collector: they are never late, and the memory and the CPU
# that the hostile one costs stay within their bounds. In CI some seconds; make hostile-child takes
# ten minutes.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
DCAMP_BUILD=${DCAMP_BUILD:-$top/build}
# shellcheck source=../sim/control.sh
. "$top/tests/sim/control.sh"
# shellcheck source=healthy.sh
. "$(dirname "$0")/healthy.sh"

seconds=24
[[ ${1:-} != --seconds ]] || seconds=$2
kinds=(wide well-formed restart series dictionary sequence random head)
bound_kb=16384
each=$((seconds / ${#kinds[@]} < 3 ? 3 : seconds / ${#kinds[@]}))
((each <= 15)) || each=15

sim_start --children 1 --series 10000 --share 1 --rate 200 --keep 1000 --block-bytes 4096
jobs_started+=("$sim_pid")
start_lab --nodes 2 --collectors 1 --period 2s
sed -i "s,<credentials>,&$(sim_credential)," "$DCAMP_LAB_CONFIG_COLLECTOR_1"
kill -HUP "$DCAMP_LAB_PID_DCAMPD_COLLECTOR_1"

# hostile STATUS: of its row. Whoever goes through inactive is polled anew, refused or not.
hostile() {
    at collector1 set_ 'dcampChildRowStatus."hostile"' i "$1" >/dev/null
}

healthy_begin collector1 node1 node2
eventually "a hostile child is known" 5 at collector1 set_ \
    'dcampChildAddress."hostile"' s "udp:127.1.0.1:$sim_port" \
    'dcampChildCredential."hostile"' s sim 'dcampChildPeriod."hostile"' u 100 \
    'dcampChildRowStatus."hostile"' i createAndWait
turns=0 refusals=0 bad=0
deadline=$((SECONDS + seconds))
# On a slow machine it may take longer until somebody has to refuse it.
while ((SECONDS < deadline || (SECONDS < deadline + ${DCAMP_TEST_PATIENCE:-1} * seconds && (refusals == 0 || bad == refusals)))); do
    kind=${kinds[turns++ % ${#kinds[@]}]}
    sim_do "garbage 1 $kind" || report 1 "the simulator does as it is told"
    sim_do "reboot 1"
    hostile active
    healthy_watch "$each"
    error=$(at collector1 get 'dcampChildError."hostile"')
    echo "# $kind: $(at collector1 get 'dcampChildState."hostile"'): $error"
    [[ $error != *"it needs more"* ]] || refusals=$((refusals + 1))
    [[ -z $error ]] || bad=$((bad + 1))
    hostile notInService
done
ok "it was refused for what it costs" test "$refusals" -ge 1
ok "and for what it says" test "$bad" -gt "$refusals"
ok "the alarm names it, and why" grep -q 'hostile is lost: it needs more' "$DCAMP_LAB_LOG_COLLECTOR_1"
# What the core holds for a moment while it decodes, and what malloc(3) keeps.
healthy_end "$((bound_kb + 8192))"
finish
