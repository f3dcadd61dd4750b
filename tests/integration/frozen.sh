#!/usr/bin/env bash
# frozen.sh: a poller, a receiver and a child that are stopped by a signal, which no socket tells of.
# Their collector notices each, starts the processes anew and loses only the child that is silent.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

start_lab --nodes 2 --collectors 1 --push 1000
log=$DCAMP_LAB_LOG_COLLECTOR_1

# process_of KIND: the latest poller or receiver of the collector.
process_of() {
    sed -n "s/.*$1 [0-9]* is process \([0-9]*\)\$/\1/p" "$log" | tail -n 1
}

state_is() {
    [[ $(at collector1 get "dcampChildState.\"$1\"") == "$2" ]]
}

another() {
    [[ $(process_of "$1") != "$2" ]]
}

contact_of() {
    at collector1 get "dcampChildPolls.\"$1\""
}

polled_on() {
    [[ $(as_number contact_of "$1") -gt $2 ]]
}

poller=$(process_of poller)
receiver=$(process_of receiver)
eventually "both children are up" 10 state_is node1 up
eventually "both children are up" 10 state_is node2 up
sleep 16
is "a healthy poller is left alone" "$(process_of poller)" "$poller"
is "and so is a receiver that has nothing to do" "$(process_of receiver)" "$receiver"

kill -STOP "$poller" "$receiver" "$DCAMP_LAB_PID_SNMPD_2"
eventually "the frozen poller is replaced" 25 another poller "$poller"
eventually "the frozen receiver is replaced" 10 another receiver "$receiver"
for name in poller receiver; do
    is "the log says so of the $name, in one line" \
        "$(grep -c "error collect: $name 1*2* *(process ${!name}) is alive but silent" "$log")" 1
    is "nothing else is wrong with the $name" "$(grep -c "error collect: $name" "$log")" 1
    eventually "the old $name is gone" 10 not kill -0 "${!name}"
done
before=$(contact_of node1)
eventually "the healthy child is polled again" 10 polled_on node1 "$before"
eventually "it is up" 10 state_is node1 up
eventually "the frozen child is down" 10 state_is node2 down
eventually "that is told" 5 trap_count dcampNodeLost node2:node-lost: 1
ok "of the healthy child it is not" trap_count dcampNodeLost node1:node-lost: 0

kill -CONT "$DCAMP_LAB_PID_SNMPD_2"
eventually "the child that runs again is up" 10 state_is node2 up
finish
