#!/usr/bin/env bash
# dcamp top on a real terminal (tmux), of a real collector with two nodes: what is on the screen after
# each key, at each size, while a node dies and comes back, and what is left of the terminal then.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

[[ -n $(type -P tmux) ]] || { echo "1..0 # SKIP tmux is not installed"; exit 77; }
dcamp_=${DCAMP_BUILD:-$top/build}/dcamp
unset NO_COLOR

# A terminal of its own: nothing of the user's tmux is read or touched.
term() {
    tmux -L "top$$" -f /dev/null "$@"
}

end_terminal() {
    term kill-server 2>/dev/null || true
}
trap 'end_terminal; clean_up' EXIT

# open_terminal COLUMNS LINES ADDRESS [ENVIRONMENT]: dcamp top, and how it ended.
open_terminal() {
    end_terminal
    cat >"$work/run" <<END
stty -a >'$work/before'
${4:-} '$dcamp_' top -U lab --secrets '$work/secrets' -t 3 --interval 500ms -- '$3' 2>'$work/said'
echo "ended with \$?"
stty -a >'$work/after'
read -r _
END
    rm -f "$work/before" "$work/after"
    term new-session -d -x "$1" -y "$2" "bash '$work/run'"
}

screen() {
    term capture-pane -p
}

keys() {
    term send-keys "$@"
}

# shows PATTERN: a line of the screen is like that (grep -E).
shows() {
    screen | grep -qE -- "$1"
}

lacks() {
    ! shows "$1"
}

# sees DESCRIPTION PATTERN: it is on the screen soon.
sees() {
    local before=$failed
    eventually "$1" 20 shows "$2"
    [[ $failed -eq $before ]] || screen | sed 's/^/# /'
}

# put_process PID NAME TICKS PAGES: a process of the machine that all nodes are on.
put_process() {
    mkdir -p "$work/root/proc/$1"
    echo "$1 ($2) S 1 2 3 4 -1 4194560 28 0 0 0 $3 0 0 0 20 0 1 0 50 4096 $4 3" >"$work/root/proc/$1/stat.new"
    mv "$work/root/proc/$1/stat.new" "$work/root/proc/$1/stat"
}

make_root "$work/root"
start_lab --nodes 2 --collectors 1 --root "$work/root"
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
collector=${DCAMP_LAB_COLLECTOR_1#udp:}

# -- Screens ---------------------------------------------------------------------------------
open_terminal 120 24 "$collector"
sees "the head has the node and its role" '^collector1  collector  [0-9:]{8}  up '
sees "a node is up" '^node1 +up '
sees "and the other" '^node2 +up '
sees "alarms are counted" '^alarms: 0 critical, 0 warning, 0 info +2 rows'
keys 2
sees "aggregates" '^all\.cpu\.busy +total '
keys 3
sees "processes, of all the machine" '^ *PID +USER +CPU %v'
put_process 1 init 100 300
put_process 4711 busy 0 20
sees "those of its machine" '^ +1 .* init$'
# It has used 20 s of CPU since the look before: more than there is, but nobody else has any.
put_process 4711 busy 2000 20
sees "and which one takes the CPU" '^ *4711 +[^ ]+ +[1-9][0-9]+\.[0-9] .* busy$'
is "it is the first of them" "$(screen | grep -E ' (init|busy)$' | head -1 | awk '{ print $NF }')" busy
keys M
sees "by memory" '^ *PID .* MEMORYv'
eventually "it is the other one" 10 eval '[[ $(screen | grep -E " (init|busy)$" | head -1) == *init ]]'
keys 4
sees "no applications" '^no program publishes anything here'
keys 5
sees "no alarms" '^there are no active alarms'
keys 6
sees "own values" '^self\.|^cpu\.'
keys Tab
sees "after the last screen comes the first" '^node1 +up '
keys BTab
sees "and back" '^ +1 nodes .*\[6 values\]'

# -- Order, filter, selection ----------------------------------------------------------------
keys 1
sees "in the order of names" '^NODE\^'
keys r
sees "reversed" '^NODEv'
ok "node2 is first" eval '[[ $(screen | grep -nE "^node2" | cut -d: -f1) -lt $(screen | grep -nE "^node1" | cut -d: -f1) ]]'
keys r '>'
sees "by the state" 'STATEv'
keys '<' /
sees "a filter is asked for" '^/_'
keys -l node2
eventually "only what has the text" 10 lacks '^node1'
sees "what it is stays to be seen" 'filter "node2"'
keys Enter Escape
sees "all again" '^node1 +up '
keys End Enter
sees "the values of a node of the collector" 'of node2 \(Esc: back\)'
sees "which are there" '^cpu\.busy +'
keys Escape
sees "and back to the nodes" '^\[1 nodes\]'
keys '?'
sees "the keys" '^space +pauses'
keys '?' Space
sees "it pauses" 'PAUSED$'
keys Space
eventually "and goes on" 10 lacks 'PAUSED$'

# -- Sizes -----------------------------------------------------------------------------------
for size in "20 5" "1 1" "3 2" "20 24" "200 50" "120 24"; do
    term resize-window -x "${size% *}" -y "${size#* }"
    eventually "drawn at $size" 20 eval '[[ -n $(screen | tr -d "\n ") ]]'
done
term resize-window -x 20 -y 5
sees "20 columns and 5 lines: a node" '^node1 +up'
sees "and the headings" '^NODE'
term resize-window -x 120 -y 24
sees "and all again" '^alarms: 0 critical'

# -- Alarms ----------------------------------------------------------------------------------
# A name that is none, in a place where a node may say anything.
at 1 set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
    'dcampSensorRowStatus."load"' i createAndGo >/dev/null
at 1 set_ 'dcampThresholdSensor."hot"' s load 'dcampThresholdOperator."hot"' i gt \
    'dcampThresholdLimit."hot"' s 5 \
    'dcampThresholdSeverity."hot"' i critical 'dcampThresholdRowStatus."hot"' i createAndGo >/dev/null
set_load "$work/root" 10
keys 5
sees "an alarm of a node below" '^critical .* node1 +hot '
sees "is counted" '^alarms: 1 critical'
keys a
sees "a comment is asked for" 'acknowledge node1:hot:total, comment:'
keys -l seen
keys Enter
sees "which is said where it can be done" 'is an alarm of node1'
open_terminal 120 24 "${DCAMP_LAB_NODE_1#udp:}"
keys 5
sees "at its node" '^critical '
keys a
sees "is it asked for, too" 'comment:'
keys -l 42
keys Enter
sees "a number is a comment as well" 'is acknowledged'
sees "and it is to be seen" ' 42 '
keys Enter
sees "all of the alarm" '^ACKNOWLEDGED +42$'
keys Escape

# -- A node that dies ------------------------------------------------------------------------
control kill-dcampd --node 1 --signal KILL
sees "that it does not answer" 'what is shown is of [0-9:]{8}$'
sees "what was there stays" '^critical '
control start-dcampd --node 1
eventually "it is back" 60 lacks 'what is shown is of'

# -- Ends ------------------------------------------------------------------------------------
keys q
sees "it ends well" '^ended with 0$'
eventually "the terminal is as it was" 10 cmp -s "$work/before" "$work/after"
is "nothing was said" "$(<"$work/said")" ""
for signal in TERM INT HUP; do
    open_terminal 80 24 "$collector"
    sees "it runs" '^node1 +up '
    kill -"$signal" "$(pgrep -f -- "$dcamp_ top .* $collector" | tail -1)"
    sees "$signal ends it" '^ended with 0$'
    eventually "and gives the terminal back" 10 cmp -s "$work/before" "$work/after"
done
open_terminal 80 24 "$collector" 'NO_COLOR=1 LC_ALL=C'
sees "without colours and without UTF-8" '^node1 +up '
term capture-pane -p -e >"$work/escapes"
ok "there is no colour" eval '! grep -qE "\[3[1-7]m" "$work/escapes"'
open_terminal 80 24 "$collector" 'TERM=dumb'
sees "a terminal that is too simple" '^ended with 5$'
is "is told of" "$(grep -c 'too simple: --once prints a screen' "$work/said")" 1
open_terminal 80 24 "$collector" 'TERM=nosuch'
sees "so is one that is not known" '^ended with 5$'

# -- For scripts -----------------------------------------------------------------------------
"$dcamp_" top -U lab --secrets "$work/secrets" --json -- "$collector" nodes >"$work/out"
is "as JSON" "$(python3 -c 'import json, sys
print([(r["name"], r["state"]) for r in map(json.loads, sys.stdin)])' <"$work/out")" \
    "[('node1', 'up'), ('node2', 'up')]"
finish
