#!/usr/bin/env bash
# rights.sh: what the shipped drop-in of snmpd lets each of its users do, who are made by the lab:
# every command of doc/using.md and of dcampd(8), every writable object; and what it refuses.
# shellcheck disable=SC2016 # the commands are expanded where they are run
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=book.sh
. "$top/tests/integration/book.sh"

start_lab
key=node1:always:total
threshold always Sensor=load.1 Operator=ge Limit=0 >/dev/null
eventually "there is an alarm to acknowledge" 15 alarm_of $key

# as USER: from now on the tools have what dcampd(8) says for ~/.snmp/snmp.conf; no options.
as() {
    local words
    read -r -a words <<<"$DCAMP_LAB_SNMP"
    manual_display dcampd.8 '^defSecurityName' | sed -e "s/^defSecurityName .*/defSecurityName $1/" \
        -e "s/^defAuthPassphrase .*/defAuthPassphrase ${words[8]}/" \
        -e "s/^defPrivPassphrase .*/defPrivPassphrase ${words[12]}/" >"$SNMPCONFPATH/snmp.conf"
    echo "mibdirs ${words[14]}" >>"$SNMPCONFPATH/snmp.conf"
}

# said COMMAND...: what a tool says that fails; nothing if it does not.
said() {
    local output
    output=$("$@" 2>&1) || echo "$output"
}

# refused COMMAND: for the rights that its user has, and nothing else.
refused() {
    said eval "$1" >"$work/said"
    grep -E 'noAccess|authorizationError' "$work/said" || { head -n 5 "$work/said" && return 1; }
}

# commands: of the recipes and the manual, to the node of the lab and its alarm.
commands() {
    { recipes "Using it"; manual_commands dcampd.8 '$' | grep '^snmp'; } |
        sed -e "s|Acknowledge\.17|Acknowledge.$(alarm_of $key)|" -e "s| web1 | $node |" \
            -e 's|\.1\.3\.6\.1\.4\.1\.32473\.1\.|'"$arc"'.|'
}

arc=$(snmptranslate -M "${snmp[14]}" -m DCAMP-MIB -On DCAMP-MIB::dcampMIB)
commands >"$work/commands"
mapfile -t lines <"$work/commands"
ok "there are commands" test "${#lines[@]}" -gt 20

# -- dcampPoll reads -------------------------------------------------------------------------
as dcampPoll
for line in "${lines[@]}"; do
    case $line in
    snmpset*) ok "dcampPoll is refused: $line" refused "$line" ;;
    *AggregateValue* | *P95*) ;; # there is none yet
    *) ok "dcampPoll: $line" works "$line" ;;
    esac
done

# -- dcampAdmin does all of it -----------------------------------------------------------------
# The manual takes a row away that a recipe made: what a name of a child stands for is not polled.
as dcampAdmin
for line in "${lines[@]}"; do
    case $line in
    *destroy* | *' i 6') ok "dcampAdmin: $line" works "$line || snmpget $node sysUpTime.0" ;;
    *AggregateValue* | *P95*) ;;
    *dcampChildAddress*) ok "dcampAdmin may: $line" eval '! refused "$line"' ;; # no such credential
    *) ok "dcampAdmin: $line" works "$line" ;;
    esac
done
is "it was acknowledged" "$(get "dcampAlarmAcknowledge.$(alarm_of $key)")" "Ann: on it"

# Each object that the MIB lets be written, with an address, which none of them is: who may SET it is
# told what is wrong with that.
writable() {
    awk '$2 == "OBJECT-TYPE" { name = $1 }
        $1 == "MAX-ACCESS" && $2 ~ /read-(write|create)/ {
            print "DCAMP-MIB::" name (name ~ /^dcampDeviation/ ? ".1" : "") ".1.120"
        }' \
        "$top/mibs/DCAMP-MIB.txt"
}
mapfile -t objects < <(writable)
ok "there are writable objects" test "${#objects[@]}" -gt 100
for object in "${objects[@]}"; do
    said snmpset -Ir "$node" "$object" a 192.0.2.1
done >"$work/said"
is "dcampAdmin has the right to each of them" "$(grep -c noAccess "$work/said")" 0
is "and was told that an address is none" "$(grep -c 'Reason: ' "$work/said")" "${#objects[@]}"

# -- Keys ------------------------------------------------------------------------------------
# The row of dcampPoll in usmUserTable, for dcamp key rotate; an octet is a key of no protocol.
# shellcheck disable=SC2046 # one word for each octet
row=$((${#DCAMP_LAB_ENGINE_1} / 2))$(printf '.%d' $(fold -w 2 <<<"$DCAMP_LAB_ENGINE_1" | sed 's/^/0x/')).9.100.99.97.109.112.80.111.108.108
users=.1.3.6.1.6.3.15.1.2.2.1
for column in 6 9; do
    as dcampAdmin
    ok "dcampAdmin may change keys ($column), if it knows them" \
        eval 'said snmpset -Ir "$node" "$users.$column.$row" x 00 | grep -E "wrongLength|genError|inconsistentName"'
    as dcampPoll
    ok "dcampPoll may not" refused "snmpset -Ir $node $users.$column.$row x 00"
done
as dcampAdmin
for column in 4 5 7 8 10 11 12 13; do
    ok "dcampAdmin may change nothing else of users ($column)" refused "snmpset -Ir $node $users.$column.$row i 6"
done

# -- The documents of a tree -----------------------------------------------------------------
# What is not in the view of who asks is not there.
hidden() {
    snmpget "$node" "$1" 2>&1 | grep -E 'No Such|authorizationError'
}
# Without its secrets the root asks nobody.
cat >"$work/tree.xml" <<END
<tree version="1"><access secrets="$work/none"/><candidates><candidate node="node1"/></candidates>
<nodes><node name="node1" address="$node"/></nodes></tree>
END
as dcampAdmin
read -r -a login <<<"$DCAMP_LAB_LOGIN"
ok "dcampAdmin orders a document" "${DCAMP_BUILD:-$top/build}/dcamp" promote --wait 0 --config "$work/tree.xml" "${login[@]}" "$node"
kept=(DCAMP-MIB::dcampKept{Serial,Digest,Length,Octets}.inForce.1)
for object in "${kept[@]}"; do
    ok "dcampAdmin reads it back: $object" works "snmpget $node $object"
    ok "and may not write it: $object" eval 'said snmpset -Ir "$node" "$object" x 00 | grep notWritable'
done
as dcampPoll
for object in "${kept[@]}"; do
    ok "dcampPoll does not see $object" hidden "$object"
done
snmpwalk "$node" DCAMP-MIB::dcampTree >"$work/walked" 2>&1
is "nor in a walk" "$(grep -c dcampKept "$work/walked")" 0
ok "which has what stands beside it" grep -q dcampDocumentInForce "$work/walked"

# -- Nothing else ----------------------------------------------------------------------------
for user in dcampPoll dcampAdmin; do
    as "$user"
    ok "$user: sysUpTime" works "snmpget $node .1.3.6.1.2.1.1.3.0"
    ok "$user: boots of the engine" works "snmpget $node .1.3.6.1.6.3.10.2.1.2.0"
    ok "$user does not see interfaces" hidden .1.3.6.1.2.1.2.1.0
    ok "$user does not see access rights" hidden .1.3.6.1.6.3.16.1.5.1.0
    ok "$user does not see users" hidden "$users.3.$row"
    ok "$user may not rename the system" refused "snmpset -Ir $node .1.3.6.1.2.1.1.5.0 s other"
    ok "$user may not make users" refused "snmpset -Ir $node $users.13.${row%.9.*}.1.120 i 4"
    ok "$user may not run commands" \
        refused "snmpset -Ir $node .1.3.6.1.4.1.8072.1.3.2.2.1.2.1.120 s /bin/true"
    ok "$user may do nothing without privacy" refused "snmpget -l authNoPriv $node dcampNodeName.0"
    ok "$user may do nothing without authentication" \
        refused "snmpget -l noAuthNoPriv $node dcampNodeName.0"
done
as dcampTrap
ok "dcampTrap may not read" refused "snmpget $node dcampNodeName.0"
ok "dcampTrap may not SET" refused "snmpset $node 'dcampThresholdRowStatus.\"soon\"' = destroy"
ok "what was created is there" exists 'dcampThresholdSensor."soon"'
ok "communities get no answer" not snmpget -v 2c -c public -t 1 -r 0 "$node" .1.3.6.1.2.1.1.3.0
finish
