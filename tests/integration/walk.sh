#!/usr/bin/env bash
# A full walk: every branch, in order, the same by GETNEXT and by GETBULK.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# Rows that come and go between two walks.
volatile='dcampProcess|dcampReportBlock|dcampValue|dcampAlarm'

# increasing FILE: whether its numeric OIDs are in strictly increasing order.
increasing() {
    awk '
        /^\.1/ {
            n = split(substr($1, 2), part, ".")
            for (i = 1; i <= n && i <= last_n && part[i] + 0 == last[i] + 0; i++)
                ;
            before = i <= n && (i > last_n || part[i] + 0 > last[i] + 0)
            if (last_n && !before) { print "line " NR ": " $1; exit 1 }
            last_n = split(substr($1, 2), last, ".")
        }' "$1"
}

# names FILE: the instances alone.
names() {
    awk '/^DCAMP-MIB/ { print $1 }' "$1"
}

# walk_to FILE TOOL [OPTION...]
walk_to() {
    local file=$1 tool=$2
    shift 2
    "$tool" -Oq "$@" "${snmp[@]}" "$node" DCAMP-MIB::dcampMIB | sed '/No more variables/d' >"$file"
}

start_lab
threshold always Sensor=cpu.busy Operator=ge Limit=0 Instances=total Severity=info >/dev/null
eventually "a threshold that is always breached raises its alarm" 10 alarm_of node1:always:total

# The tools themselves refuse what does not increase, with status 1.
ok "snmpwalk by name" walk_to "$work/next" snmpwalk
ok "snmpbulkwalk by name" walk_to "$work/bulk" snmpbulkwalk -Cr25
ok "snmpwalk by number" walk_to "$work/numbers" snmpwalk -On
ok "the numeric OIDs increase strictly" increasing "$work/numbers"
is "no object lacks" "$(grep -c 'No Such' "$work/next")" 0
# Octets in hexadecimal go on in lines of their own.
is "every object has a name" \
    "$(grep -Ev '^(DCAMP-MIB::dcamp[A-Z]|([0-9A-F]{2} )+"?$)' "$work/next" | head -n 3)" ''

for object in dcampNodeName.0 dcampNodeConfigDigest.0 dcampSelfCycles.0 dcampSelfStateDirty.0 \
    dcampResourceSize dcampProcessIdentifier dcampSensorMetric dcampValueText dcampValueMilli \
    dcampValueRaw dcampValueState dcampFilterRowStatus dcampReportBoot.0 dcampReportLast.0 \
    dcampReportBlock dcampSeriesSensor dcampThresholdSensor dcampThresholdStatePhase \
    dcampAlarmKey dcampAlarmLogEvent; do
    ok "$object is there" grep -q "^DCAMP-MIB::$object\b" "$work/next"
done

# A disk or an interface that another test makes may come between the two.
same_instances() {
    walk_to "$work/next" snmpwalk && walk_to "$work/bulk" snmpbulkwalk -Cr25 &&
        diff <(names "$work/next" | grep -Ev "$volatile") <(names "$work/bulk" | grep -Ev "$volatile") >"$work/diff"
}
eventually "GETNEXT and GETBULK give the same instances" 10 same_instances
[[ ! -s $work/diff ]] || sed 's/^/# /' "$work/diff"
finish
