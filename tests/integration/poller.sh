#!/usr/bin/env bash
# The poller process of a collector against real nodes: poll-driver stands in for the core.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

driver=${DCAMP_BUILD:-$top/build}/tests/integration/poll-driver
out=$work/out
in=$work/in

# Its standard input is descriptor 9.
start_driver() {
    rm -f "$in"
    mkfifo "$in"
    : >"$out"
    "$driver" <"$in" >"$out" 2>"$work/driver.err" &
    driver_pid=$!
    jobs_started+=("$driver_pid")
    exec 9>"$in"
}

tell() {
    printf '%s\n' "$@" >&9
}

stop_driver() {
    tell end # the daemons that were started meanwhile have the descriptor, too
    exec 9>&-
    driver_status=0
    wait "$driver_pid" || driver_status=$?
}

# came PATTERN: a line of the output matches the whole of an extended regular expression.
came() {
    grep -qxE "$1" "$out"
}

# came_after MARK PATTERN: the same for the lines after the first MARK of them.
came_after() {
    tail -n "+$(($1 + 1))" "$out" | grep -qxE "$2"
}

lines() {
    wc -l <"$out"
}

# The sequence numbers of the blocks of child $1 in the order in which they came, on one line; with
# $2, those of this boot only.
blocks_of() {
    awk -v id="$1" -v boot="${2:-}" '
        $1 == "answer" && $2 == id && (boot == "" || $4 == boot) {
            for (i = 1; $i != "blocks"; i++);
            while (++i <= NF) { sub(/:.*/, "", $i); printf "%s ", $i }
        }' "$out"
}

# Whether numbers are first, first + 1 ... without a hole; at least $1 of them.
in_sequence() {
    local least=$1
    shift
    [[ $# -ge $least ]] || return 1
    local i first=$1
    for ((i = 1; i <= $#; i++)); do
        [[ ${!i} -eq $((first + i - 1)) ]] || return 1
    done
}

blocks_in_sequence() {
    # shellcheck disable=SC2046 # one word for each number
    in_sequence "$2" $(blocks_of "$1" "${3:-}")
}

last_boots() {
    sed -nE 's/^answer 1 .* boots ([0-9]+) blocks.*/\1/p' "$out" | tail -n 1
}

boots_above() {
    [[ $(as_number last_boots) -gt $1 ]]
}

start_lab --nodes 2
# shellcheck disable=SC2153 # set by eval
read -r -a words <<<"$DCAMP_LAB_SNMP"
for ((i = 0; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    -A) auth=${words[i + 1]} ;;
    -X) priv=${words[i + 1]} ;;
    esac
done
# shellcheck disable=SC2153 # set by eval
second=$DCAMP_LAB_NODE_2

closed=udp:127.0.0.1:9 # discard, which nobody has
sleep 3 # until there are some blocks to catch up with

start_driver
tell "credential good lab $auth $priv" "credential auth lab wrongwrong $priv" \
    "credential priv lab $auth wrongwrong" "credential user nobody $auth $priv" \
    "credential short lab short $priv" \
    "child 1 $node good 500" "child 2 $node auth 500" "child 3 $node priv 500" \
    "child 4 $node user 500" "child 5 $closed good 500" "child 6 udp:localhost:161 good 500" \
    "child 7 $node none 500" "child 8 $node short 500" "child 9 $second good 500"

eventually "blocks come" 10 came 'answer 1 .* blocks [0-9]+:[0-9]+.*'
engine=$(sed -nE 's/^answer 1 .* engine ([0-9a-f]+) .*/\1/p' "$out" | head -n 1)
ok "the engine ID was discovered" grep -qi "^exactEngineID 0x$engine\$" "$DCAMP_LAB_DIR/node1/snmpd.conf"
eventually "of the other node, too" 10 came 'answer 9 .* blocks [0-9]+:[0-9]+.*'
eventually "a wrong authentication passphrase" 10 came 'silent 2 wrong-key [0-9]+ .*'
eventually "a wrong privacy passphrase" 10 came 'silent 3 wrong-key [0-9]+ .*'
eventually "an unknown user" 10 came 'silent 4 unknown-user [0-9]+ .*'
eventually "a closed port" 10 came 'silent 5 unreachable 1 .*'
eventually "names are not looked up" 10 came 'silent 6 unreachable 1 not a numeric address'
eventually "a credential that is not there" 10 came 'silent 7 no-credential 1 .*'
eventually "a passphrase that is too short" 10 came 'silent 8 no-credential 1 .*'
eventually "failures are counted" 10 came 'silent 5 unreachable 3 .*'
eventually "it caught up" 10 blocks_in_sequence 1 5
ok "the blocks are in order, from the first" [ "$(blocks_of 1 | cut -d ' ' -f 1)" = 1 ]
ok "none was lost" not came 'answer 1 .* lost [1-9].*'

tell "look-up 1 1 2 3 4 5 6 7 8 9 10 11 12 4000000000"
eventually "unknown series are said to be unknown" 10 came 'series 1 boot [0-9]+ 4000000000 none'
sensor=$(get dcampSeriesSensor.3)
instance=$(get dcampSeriesInstance.3)
ok "an entry of the dictionary" grep -qF " 3 $sensor $instance " "$out"
is "each series has its answer" "$(grep -c '^series 1 ' "$out")" 13

tell "credential auth lab $auth $priv"
mark=$(lines)
eventually "a corrected passphrase works" 10 came_after "$mark" 'answer 2 .* blocks .*'

# It does what it is told in that order: with the answer to the question, they are forgotten.
tell "forget 2" "forget 3" "forget 4" "forget 5" "look-up 1 4000000001"
eventually "it is told to forget" 10 came 'series 1 boot [0-9]+ 4000000001 none'
mark=$(lines)
sleep 2
ok "a forgotten child is polled no more" not came_after "$mark" 'silent 5 .*'

# -- Restarts --------------------------------------------------------------------------------
boots=$(last_boots)
mark=$(lines)
control restart-snmpd
eventually "a restarted snmpd: boots grow" 10 boots_above "$boots"
eventually "blocks go on" 10 came_after "$mark" 'answer 1 .* blocks [0-9]+:.*'
ok "without a hole" blocks_in_sequence 1 5
ok "and without a time-window failure" not came_after "$mark" 'silent 1 not-in-window .*'

boot=$(get dcampReportBoot.0)
mark=$(lines)
control kill-dcampd
eventually "a node without dcampd" 10 came_after "$mark" 'silent 1 no-such-object [0-9]+ .*'
control start-dcampd
eventually "a new boot" 15 came_after "$mark" "answer 1 boot $((boot + 1)) .* blocks [0-9]+:.*"
ok "its blocks from the first, in order" blocks_in_sequence 1 1 "$((boot + 1))"
is "the first" "$(blocks_of 1 "$((boot + 1))" | cut -d ' ' -f 1)" 1

# A machine that was restored from an older image: its boots count from there again.
mark=$(lines)
boots=$(last_boots)
run=$(dirname "${DCAMP_LAB_AGENTX_1#unix:}")
sed -i 's/^engineBoots .*/engineBoots 0/' "$run/persist/snmpd.conf"
control restart-snmpd --signal KILL
eventually "boots that went back are named" 10 came_after "$mark" 'silent 1 not-in-window [0-9]+ .*went back.*'
eventually "and healed" 10 came_after "$mark" "answer 1 .* boots 1 blocks .*"

# Rebuilt: another engine ID at the old address.
mark=$(lines)
sed -i "s/^exactEngineID .*/exactEngineID 0x${engine::10}aaaaaaaaaaaaaaaa/" "$run/snmpd.conf"
rm "$run/persist/snmpd.conf"
control restart-snmpd --signal KILL
eventually "a new engine ID is told" 15 came_after "$mark" \
    "silent 1 new-engine [0-9]+ .*${engine::10}aaaaaaaaaaaaaaaa"
eventually "and polled from its first block" 10 came_after "$mark" \
    "answer 1 .* engine ${engine::10}aaaaaaaaaaaaaaaa .* blocks 1:.*"
stop_driver
is "the poller ends with its core" "$driver_status" 0

# -- A known child, a core that does not read, a dead one ------------------------------------
last=$(get dcampReportLast.0)
boot=$(get dcampReportBoot.0)
start_driver
tell "credential good lab $auth $priv" \
    "child 1 $node good 200 $boot $last ${engine::10}aaaaaaaaaaaaaaaa 1"
eventually "a known cursor goes on where it was" 10 came "answer 1 .* blocks $last:.*"
tell "pause 3000"
sleep 4
tell "child 2 $second good 200"
eventually "after a pause the others come, too" 10 came 'answer 2 .* blocks .*'
ok "nothing got lost while the core did not read" blocks_in_sequence 1 1
# shellcheck disable=SC2153 # set by eval
kill -STOP "$DCAMP_LAB_PID_SNMPD_2"
eventually "an agent that stands still" 8 came 'silent 2 timeout [0-9]+ .*'
mark=$(lines)
eventually "the other child is polled meanwhile" 10 came_after "$mark" 'answer 1 .*'
kill -CONT "$DCAMP_LAB_PID_SNMPD_2"
mark=$(lines)
eventually "and when it goes on, so does the poll" 12 came_after "$mark" 'answer 2 .*'
stop_driver
is "the poller ends" "$driver_status" 0
is "and said nothing on its standard error" "$(cat "$work/driver.err")" ""
finish
