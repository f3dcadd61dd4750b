#!/usr/bin/env bash
# crash.sh [--kills N]: dcampd is killed (-9) at random moments of SETs, acknowledgements, raises,
# clears, saves and deliveries; then accounts are settled: nothing that was acknowledged is lost, each
# transition was told, none by a number that another one has.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=receiver.sh
. "$(dirname "$0")/receiver.sh"

kills=20
[[ ${1:-} != --kills ]] || kills=$2
interfaces=20 rows=30
make_interfaces $interfaces
awk -v audit="$work/alarms.log" '
    /<alarms / { $0 = "  <alarms log=\"10000\" rate=\"1000\" per=\"1s\" queue=\"1000\" file=\"" audit "\" file-kb=\"100000\"/>" }
    { print }' "$top/conf/dcamp.xml" >"$work/crash.xml"
on_disk 5 # a save has four waits, and is hit all the more often
start_lab --root "$work/root" --config "$work/crash.xml" --binary "$work/dcampd"
watch_interfaces high 100
eventually "every interface is watched" 10 exists 'dcampThresholdStatePhase."high"."node1"."n19"'

# -- Those who change things, each with an account ----------------------------------------------

# Interfaces get bad and good.
change_values() {
    local i
    while :; do
        i=$((RANDOM % interfaces))
        octets "$i" $((RANDOM % 2 ? 1000 : 5000 + RANDOM % 4000))
        sleep 0.0$((RANDOM % 8 + 1))
    done
}

# once WORDS...: snmpset of the words, sent once.
once() {
    local snmp=("${snmp[@]}" -t 4 -r 0)
    set_ "$@" >/dev/null 2>&1
}

# A line "try ROW VALUE" before each SET, and "done" where the answer was noError. Value 0: destroyed.
change_rows() {
    local row value=0 there=()
    while :; do
        row=$((RANDOM % rows)) value=$((value + 1))
        if [[ -z ${there[row]:-} ]]; then
            echo "try r$row $value"
            once "dcampFilterThrottle.\"r$row\"" u "$value" "dcampFilterRowStatus.\"r$row\"" i createAndGo &&
                echo "done r$row $value" && there[row]=yes
        elif ((RANDOM % 4)); then
            echo "try r$row $value"
            once "dcampFilterThrottle.\"r$row\"" u "$value" && echo "done r$row $value"
        else
            echo "try r$row 0"
            once "dcampFilterRowStatus.\"r$row\"" i destroy && echo "done r$row 0" && there[row]=''
        fi || {
            # Nobody knows whether it was done: from what is there it goes on.
            until settled_row "r$row"; do sleep 0.05; done
            [[ $found -gt 0 ]] && there[row]=yes || there[row]=''
        }
    done >"$work/rows"
}

# settled_row ROW: what the node says of it, in found; fails while nobody answers.
settled_row() {
    local said
    said=$(get "dcampFilterThrottle.\"$1\"" 2>&1) || true
    case $said in
    [0-9]*) found=$said ;;
    *"No Such Instance"*) found=0 ;;
    *) return 1 ;;
    esac
}

# A line "try TEXT" before each acknowledgement, and "done TEXT".
acknowledge() {
    local n=0 index
    while :; do
        index=$(walk dcampAlarmKey 2>/dev/null | shuf -n 1 | sed 's/^[^ ]*\.\([0-9]*\) .*/\1/') || true
        if [[ $index =~ ^[0-9]+$ ]]; then
            n=$((n + 1))
            echo "try Ann.$n"
            ! once "dcampAlarmAcknowledge.$index" s "Ann.$n" || echo "done Ann.$n"
        fi
        sleep 0.05
    done >"$work/acknowledged"
}

# -- The kills -----------------------------------------------------------------------------------

change_values &
jobs_started+=($!)
change_rows &
jobs_started+=($!)
acknowledge &
jobs_started+=($!)
saving=0 setting=0 acknowledging=0
for ((n = 0; n < kills; n++)); do
    sleep "$((RANDOM % 2)).$((RANDOM % 900 + 100))"
    kill_dcampd
    [[ ! -e $DCAMP_LAB_STATE_1/state.xml.new ]] || saving=$((saving + 1))
    [[ $(tail -n 1 "$work/rows") != try* ]] || setting=$((setting + 1))
    [[ $(tail -n 1 "$work/acknowledged") != try* ]] || acknowledging=$((acknowledging + 1))
    control start-dcampd
done
end_background
delivered() {
    [[ $(get dcampSelfNotificationsQueued.0) == 0 && $(get dcampSelfStateDirty.0) == false ]]
}
sleep 1
eventually "in the end all is delivered and saved" 10 delivered

# -- The accounts --------------------------------------------------------------------------------

# What the receiver was told, and of the log: number, event, key and whether it was notified.
take_down() {
    account >"$work/told"
    walk dcampAlarmLogTable >"$work/log"
    awk '
    {
        name = $1; number = $1; sub(/\..*/, "", name); sub(/.*::dcampAlarmLog/, "", name)
        sub(/.*\./, "", number); sub(/^[^ ]+ /, ""); cell[number, name] = $0; numbers[number]
    }
    END {
        for (n in numbers)
            print n "\t" cell[n, "Event"] "\t" cell[n, "Key"] "\t" cell[n, "Notified"] "\t" cell[n, "Message"]
    }' "$work/log" | sort -n >"$work/entries"
}

# Of the log: raises and clears that receivers were to be told of and were not, by that number, event
# and key.
untold() {
    awk -F '\t' '
        NR == FNR { told[$1, tolower($2), $3]; next }
        ($2 == "raised" || $2 == "cleared") && $4 == "true" && !(($1, $2, $3) in told)' \
        "$work/told" "$work/entries"
}

# Of the receiver: by the numbers, raises and clears of a key take turns.
out_of_turn() {
    cut -f 1-3 "$work/told" | sort -u -n -k 1,1 | awk -F '\t' '
        $2 == last[$3] || ($2 == "Cleared" && !($3 in last)) { print }
        { last[$3] = $2 }'
}

# What the receiver believes to be active, beside what is.
believed() {
    cut -f 1-3 "$work/told" | sort -u -n -k 1,1 |
        awk -F '\t' '{ last[$3] = $2 } END { for (k in last) if (last[k] == "Raised") print k }' | sort
}
active() {
    walk dcampAlarmKey | sed 's/^[^ ]* //' | sort
}

# Rows whose value is neither the last that was answered nor one that was tried after it.
lost_rows() {
    awk '
        !($2 in tried) { tried[$2] = " 0" }
        $1 == "try" { tried[$2] = tried[$2] " " $3 }
        $1 == "done" { tried[$2] = " " $3 }
        END { for (row in tried) print row tried[row] }' "$work/rows" |
        while read -r row values; do
            within 10 settled_row "$row" || found='not to be read'
            [[ " $values " == *" $found "* ]] || echo "$row is $found, not one of $values"
        done
}

lost_acknowledgements() {
    awk '$1 == "done" { print $2 }' "$work/acknowledged" | sort >"$work/said"
    awk -F '\t' '$2 == "acknowledged" { print $5 }' "$work/entries" | sort -u | comm -23 "$work/said" -
}

count() {
    "$@" | grep -c . || true
}

# What was delivered may be on its way through the receiver.
all_heard() {
    take_down
    [[ -z $(untold) && $(believed) == "$(active)" ]]
}
within 10 all_heard || true

is "numbers that came with different contents" "$(told_twice | wc -l)" 0
is "raises and clears of the log that were not told" "$(untold)" ""
is "raises that were forgotten: alarms whose notifications do not take turns" "$(out_of_turn)" ""
is "what the receiver believes to be active is what is" "$(believed)" "$(active)"
is "numbers that the audit file has twice" \
    "$(sed -n 's/.* seq=\([0-9]*\) .*/\1/p' "$work/alarms.log" | sort -n | uniq -d)" ""
is "SETs that were answered and lost" "$(lost_rows)" ""
is "acknowledgements that were answered and lost" "$(lost_acknowledgements)" ""
again=$(cut -f 1 "$work/told" | sort | uniq -d | wc -l)
sets=$(grep -c '^done' "$work/rows") said=$(grep -c '^done' "$work/acknowledged")
told=$(cut -f 1 "$work/told" | sort -u | wc -l)
echo "# $kills kills: $saving during a save, $setting with a SET on its way, $acknowledging with an" \
    "acknowledgement, $again between delivery and the save of it"
echo "# $sets SETs and $said acknowledgements answered; $told transitions told, $(wc -l <"$work/told")" \
    "notifications; $(wc -l <"$work/entries") entries in the log"
ok "there was something to lose" test "$sets" -gt "$kills" -a "$told" -gt "$kills" -a "$said" -gt 0
finish
