# shellcheck shell=bash
# What the tests with real programs share: a node whose sensors are of such a program, load that is known, and
# an alarm on the 90th percentile of the response time.
#
#   start_programs_node <<'END'      a lab of one node with these <sensors> and <thresholds>
#   load URL RATE SECONDS MS         requests that last so long each; adds those answered to $answered
#   raises_and_clears URL SENSOR INSTANCE THRESHOLD
# shellcheck source=../nms/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../nms/common.sh"

programs=$nms_top/tests/programs
user=$(id -un)
answered=0

start_programs_node() {
    {
        echo '<dcamp version="1"><node name="x"/>'
        cat
        echo '</dcamp>'
    } >"$work/dcamp.xml"
    start_lab --config "$work/dcamp.xml"
    # shellcheck disable=SC2153 # of the lab
    export DCAMP_APPS=$DCAMP_LAB_APPS_1
}

# value COLUMN SENSOR INSTANCE
value() {
    get "dcampValue$1.\"$2\".\"$3\"" 2>/dev/null || true
}

# at_least A B: as numbers.
at_least() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 >= b + 0) }'
}

# value_is COLUMN SENSOR INSTANCE EXPECTED
value_is() {
    [[ $(value "$1" "$2" "$3") == "$4" ]]
}

load() {
    local more
    more=$(python3 "$programs/load.py" "$@")
    answered=$((answered + more))
}

# is_raised THRESHOLD
is_raised() {
    walk dcampAlarmKey | grep -q "$1"
}
is_over() {
    ! is_raised "$1"
}

# The load is 20 requests a second in all of it. Of the slow ones each lasts 300 ms, of the fast ones nearly
# nothing; the limit of the threshold is to be 0.2 s, and it clears below 0.1 s, over windows of 2 s.
raises_and_clears() {
    local url=$1 sensor=$2 instance=$3 threshold=$4 p90
    load "$url" 20 5 0
    eventually "while requests are fast, there is no alarm, but for the first ones" 10 is_over "$threshold"
    load "$url" 20 8 300
    p90=$(value P90 "$sensor" "$instance")
    ok "the 90th percentile is that of requests that last 300 ms: $p90 s" \
        awk -v p90="$p90" 'BEGIN { exit !(p90 >= 0.297 && p90 < 0.4) }'
    ok "that raises the alarm" is_raised "$threshold"
    load "$url" 20 6 0
    eventually "it is over when requests are fast again" 10 is_over "$threshold"
}
