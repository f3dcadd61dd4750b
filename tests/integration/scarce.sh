#!/usr/bin/env bash
# The agent without memory, at every allocation, under a real master: sessions are opened again,
# notifications are told, answers are right or refused, and a SET says what it did.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

start_lab
control kill-dcampd
mkdir "$work/state"
ask="${snmp[*]} $node"
row='DCAMP-MIB::dcampFilterRowStatus.\"scarce\"'
# A lost answer is asked for again by snmpd, a second later.
"${DCAMP_BUILD:-$top/build}/tests/integration/scarce-agent" "$DCAMP_LAB_AGENTX_1" \
    "$DCAMP_LAB_CONFIG_1" "$work/state" \
    "snmpget -t 20 -r 0 $ask DCAMP-MIB::dcampNodeName.0" \
    "snmpget -t 20 -r 0 $ask DCAMP-MIB::dcampNodeRole.0 DCAMP-MIB::dcampNodeName.0" \
    "snmpgetnext -t 20 -r 0 $ask DCAMP-MIB::dcampSensorMetric" \
    -- "snmpset -t 20 -r 0 $ask $row i createAndGo" "snmpget -t 20 -r 0 -Oqv $ask $row | grep -q active" \
    "snmpset -t 20 -r 0 $ask $row i destroy" >"$work/out" 2>"$work/err" && status=0 || status=$?
report "$status" "at every allocation" "$(tail -n 3 "$work/out" "$work/err")"
ok "sessions were tried" grep -qE '^sessions: [0-9]{2}' "$work/out"
ok "three reads were tried" test "$(grep -cE '^[0-9]+: dcamp' "$work/out")" -eq 3
ok "a SET was tried" grep -qE '^[0-9]+: SET' "$work/out"
sed 's/^/# /' "$work/out"
finish
