#!/usr/bin/env bash
# using.sh: the commands of doc/using.md, as they stand there: those to a node, and those of the lab.
# shellcheck disable=SC2016 # the commands are expanded where they are run
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=book.sh
. "$top/tests/integration/book.sh"
cd "$top"

# try COMMAND...: each of them.
try() {
    local command
    for command; do
        case $command in
        eval*) eval "$command" ;;
        tail*) ok "$command" works "timeout 1 $command || [[ \$? -eq 124 ]]" ;;
        # What is polled has yet to come.
        *AggregateValue* | *dcampChild*) eventually "$command" 20 works "$command" ;;
        *) ok "$command" works "$command" ;;
        esac
    done
}

# What the recipes poll, a node and a switch, are another node of the lab here. A window ends sooner
# than in a minute.
sed -e "s|<!-- What a collector computes|<credentials><credential name=\"site\" user=\"lab\" secrets=\"$work/secrets\"/></credentials>&|" \
    -e 's|<sensor name="cpu.busy"|& window="2s"|' conf/dcamp.xml >"$work/dcamp.xml"
start_lab --nodes 2 --config "$work/dcamp.xml"
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
threshold always Sensor=load.1 Operator=ge Limit=0 >/dev/null
eventually "there is an alarm to acknowledge" 15 alarm_of node1:always:total
eventually "there are statistics of a window" 15 exists 'dcampValueP95."cpu.busy"."total"'

recipes "Using it" | sed -e "s|Acknowledge\.17|Acknowledge.$(alarm_of node1:always:total)|" \
    -e "s|udp:192\.0\.2\.[0-9]*:161|$DCAMP_LAB_NODE_2|" >"$work/using"
mapfile -t lines <"$work/using"
node="$DCAMP_LAB_SNMP -m DCAMP-MIB $DCAMP_LAB_NODE_1"
try "${lines[@]}"
node=$DCAMP_LAB_NODE_1
for child in web1 switch1; do
    eventually "$child is polled" 15 eval '[[ $(get "dcampChildState.\"$child\"") == up ]]'
done
ok "what was created is there" exists 'dcampThresholdSensor."soon"'
ok "what was destroyed is not" not exists 'dcampThresholdSensor."hot"'

labs+=("$work/readme")
recipes "Trying things out" | sed "s|/tmp/lab|$work/readme|" >"$work/trying"
mapfile -t lines <"$work/trying"
try "${lines[@]}"
is "they are gone" "$(ls -A "$work/readme" 2>/dev/null)" ""
finish
