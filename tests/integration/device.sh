#!/usr/bin/env bash
# device.sh: children of kind snmp. Plain snmpds, without dcampd, have their tables polled: what the
# collector shows is what snmpget finds there; one that goes is missed, and comes back without a
# spike; answers that are no numbers are named.
[[ -e /etc/mtab ]] || { echo "1..0 # SKIP snmpd finds file systems by /etc/mtab, which is missing"; exit 77; }

# With a network namespace of its own there is no traffic on the loopback interface but this test's.
if [[ -z ${DCAMP_DEVICE_APART:-} ]] && unshare -n true 2>/dev/null; then
    DCAMP_DEVICE_APART=1 exec unshare -n "$0" "$@"
fi
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
[[ -z ${DCAMP_DEVICE_APART:-} ]] || ip link set lo up
dir=$work/devices
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"
mkdir -p "$dir/pid"

uptime=1.3.6.1.2.1.1.3      # SNMPv2-MIB: sysUpTime
name=1.3.6.1.2.1.1.5        # sysName
packets=1.3.6.1.2.1.11.1    # snmpInPkts
if_name=1.3.6.1.2.1.31.1.1.1.1  # IF-MIB: ifName
if_in=1.3.6.1.2.1.31.1.1.1.6    # ifHCInOctets
descr=1.3.6.1.2.1.25.2.3.1.3    # HOST-RESOURCES-MIB: hrStorageDescr
size=1.3.6.1.2.1.25.2.3.1.5     # hrStorageSize
used=1.3.6.1.2.1.25.2.3.1.6     # hrStorageUsed
processor=1.3.6.1.2.1.25.3.3.1.2 # hrProcessorLoad
la_name=1.3.6.1.4.1.2021.10.1.2 # UCD-SNMP-MIB: laNames
la_text=1.3.6.1.4.1.2021.10.1.3 # laLoad, as text
la_float=1.3.6.1.4.1.2021.10.1.6 # laLoadFloat, in an Opaque
cpu_user=1.3.6.1.4.1.2021.11.50 # ssCpuRawUser
cache=1.3.6.1.4.1.8072.1.5.3.1.2 # NET-SNMP-AGENT-MIB: nsCacheTimeout

# -- Devices ---------------------------------------------------------------------------------

declare -A port

# spawn_device NUMBER
spawn_device() {
    local own=$dir/$1
    spawn "$1" "$own/log" env MIBS= SNMPCONFPATH="$own" SNMP_PERSISTENT_DIR="$own/persist" \
        snmpd -f -Lo -C -c "$own/snmpd.conf,$own/persist/snmpd.conf"
    disown # nobody wants to read how it ended
    wait_port "$1" "${port[$1]}"
}

start_device() {
    local own=$dir/$1 attempt
    mkdir -p "$own/persist/cert_indexes"
    touch "$own/persist/snmpd.conf"
    for ((attempt = 0; attempt < 20; attempt++)); do
        port[$1]=$(free_port)
        cat >"$own/snmpd.conf" <<EOF
agentAddress udp:127.0.0.1:${port[$1]}
sysName device$1
dontLogTCPWrappersConnects yes
createUser device SHA-256 authauthauth AES privprivpriv
rwuser device priv
EOF
        spawn_device "$1" && return
    done
    echo "Bail out! no snmpd"
    exit 1
}

# Its processes are ended with the test, before the lab.
end_devices() {
    local status=$?
    end_processes KILL 1 2
    (exit "$status")
    clean_up
}
trap end_devices EXIT

# device NUMBER COMMAND OPTION OID...: without MIBs.
device() {
    local number=$1 command=$2 option=$3
    shift 3
    MIBS='' "$command" "$option" -v 3 -l authPriv -u device -a SHA-256 -A authauthauth -x AES \
        -X privprivpriv "127.0.0.1:${port[$number]}" "$@"
}

# there NUMBER OID...: the values alone, unquoted.
there() {
    device "$1" snmpget -OqvUt "${@:2}" | tr -d '"'
}

# index_of NUMBER COLUMN TEXT: of the first row with this text in the column.
index_of() {
    device "$1" snmpbulkwalk -OqUtn "$2" | sed -nE "s|^\.$2\.([0-9.]+) \"?$3\"?\$|\1|p" | head -n 1
}

# -- Questions to the collector --------------------------------------------------------------

# here NUMBER SENSOR INSTANCE
here() {
    get "dcampChildValueText.\"device$1\".\"$2\".\"$3\""
}

value_state() {
    get "dcampChildValueState.\"device$1\".\"$2\".\"$3\""
}

# same NUMBER SENSOR INSTANCE OID: whether the collector has what the device says.
same() {
    local here there
    here=$(here "$1" "$2" "$3")
    there=$(there "$1" "$4")
    echo "$here, not $there"
    [[ -n $here ]] && awk -v a="$here" -v b="$there" 'BEGIN { exit !(a + 0 == b + 0) }'
}

polls_of() {
    get "dcampChildPolls.\"device$1\""
}

polled_since() {
    [[ $(as_number polls_of "$1") -ge $2 ]]
}

# between NUMBER SENSOR INSTANCE OID: a counter that moves: what the collector has was read between
# two readings, the first of them before it. The poll that is under way may have been answered before.
between() {
    local before after here
    before=$(there "$1" "$4")
    within 20 polled_since "$1" $(($(polls_of "$1") + 2)) || return 1
    here=$(here "$1" "$2" "$3")
    after=$(there "$1" "$4")
    echo "$before, $here, $after"
    awk -v a="$before" -v v="$here" -v b="$after" 'BEGIN { exit !(v != "" && a <= v && v <= b) }'
}

# near ACTUAL EXPECTED PART
near() {
    echo "$1, not $2"
    [[ -n $1 ]] && awk -v a="$1" -v b="$2" -v part="$3" \
        'BEGIN { d = a - b; l = (b < 0 ? -b : b) * part; exit !(d <= l && -d <= l) }'
}

state_is() {
    [[ $(get "dcampChildState.\"device$1\"") == "$2" ]]
}

counts() {
    [[ $(get "dcampAggregateValueExpected.\"$1\".\"total\"" \
        "dcampAggregateValueReporting.\"$1\".\"total\"" \
        "dcampAggregateValueMissing.\"$1\".\"total\"" | paste -sd ' ') == "$2 $3 $4" ]]
}

told() {
    trap_count "dcampNode$1" "device$2:node-lost:" "$3"
}

# -- The collector ---------------------------------------------------------------------------

object() {
    echo "<object name=\"$1\" oid=\"$2\" $3/>"
}

write_config() {
    printf 'auth authauthauth\npriv privprivpriv\n' >"$work/device.secret"
    chmod 600 "$work/device.secret"
    cat >"$work/collector.xml" <<EOF
<dcamp version="1"><node/>
<sensors><sensor name="load.1" metric="load.1"/></sensors>
<filters><filter name="still" deadband="1000000000"/></filters>
<credentials><credential name="devices" user="device" secrets="$work/device.secret"/></credentials>
<children>
<child name="device1" kind="snmp" address="udp:127.0.0.1:${port[1]}" credential="devices" period="1s"/>
<child name="device2" kind="snmp" address="udp:127.0.0.1:${port[2]}" credential="devices" period="4s"/>
</children>
<objects>
$(object if.in $if_in "kind=\"counter\" unit=\"B\" label=\"$if_name\"")
$(object if.in.rate $if_in "kind=\"counter\" unit=\"B\" calculation=\"rate\" label=\".$if_name\"")
$(object storage.used $used "label=\"$descr\"")
$(object storage.size $size "label=\"$descr\" instances=\"/\"")
$(object load $la_text "label=\"$la_name\" window=\"2s\"")
$(object load.float $la_float "")
$(object load.held $la_text 'filter="still"')
$(object cpu.user $cpu_user 'type="scalar" kind="counter"')
$(object clock $uptime 'type="scalar" kind="counter" calculation="rate" scale="0.01" unit="s"')
$(object packets $packets 'type="scalar" kind="counter" calculation="rate"')
$(object name $name 'type="scalar" children="device2"')
$(object nothing $packets.99 'type="scalar"')
$(object no.column $if_in.99 '')
</objects>
<aggregates>
<aggregate name="sum" sensor="storage.size" function="sum" interval="1s"/>
<aggregate name="median" sensor="load" instances="Load-15" function="percentile" parameter="50" interval="1s"/>
</aggregates>
</dcamp>
EOF
}

start_device 1
start_device 2
device 2 snmpset -Oq "$cache.1.3.6.1.2.1.2.2" i 1 >/dev/null
write_config
start_lab --nodes 1 --config "$work/collector.xml"

for i in 1 2; do
    eventually "device $i is up" 10 state_is "$i" up
    eventually "it has joined" 5 told Joined "$i" 1
    ok "nothing is said of reports" test "$(get "dcampChildBoot.\"device$i\"" \
        "dcampChildBlocks.\"device$i\"" "dcampChildLostBlocks.\"device$i\"" | paste -sd ' ')" = '0 0 0'
    is "its kind" "$(get "dcampChildKind.\"device$i\"")" snmp
done
has_rows() {
    exists 'dcampChildValueText."device1"."cpu.user"."total"'
}
eventually "the rows of the first device are there" 10 has_rows

# -- Values ----------------------------------------------------------------------------------

lo=$(index_of 1 $if_name lo)
root=$(index_of 1 $descr /)
ok "IF-MIB: ifHCInOctets by ifName" between 1 if.in lo "$if_in.$lo"
ok "UCD-SNMP-MIB: ssCpuRawUser" between 1 cpu.user total $cpu_user.0
for row in 1:Load-1 2:Load-5 3:Load-15; do
    eventually "laLoad, a text, by laNames: ${row#*:}" 10 same 1 load "${row#*:}" "$la_text.${row%:*}"
    eventually "laLoadFloat, an Opaque, by its index" 10 same 1 load.float "${row%:*}" \
        "$la_float.${row%:*}"
done
ok "HOST-RESOURCES-MIB: hrStorageSize" same 1 storage.size / "$size.$root"
is "of the instances that were chosen" "$(walk dcampChildValueText | grep -c '"device1"."storage.size"')" 1
eventually "hrStorageUsed by hrStorageDescr" 10 same 1 storage.used / "$used.$root"
all_rows() {
    [[ $(walk dcampChildValueText | grep -c '"device1"."storage.used"') -eq $(device 1 snmpbulkwalk -OqUn "$used" | wc -l) ]]
}
eventually "it has all rows" 10 all_rows
is "a unit" "$(get 'dcampChildValueUnit."device1"."if.in.rate"."lo"')" B/s
clock_goes() {
    near "$(here 1 clock total)" 1 0.01
}
eventually "a clock goes by one second per second" 15 clock_goes
ok "what the device does not have is not there" not exists 'dcampChildValueState."device1"."nothing"."total"'
ok "nor is a column" test -z "$(walk dcampChildValueState | grep -F '"no.column"')"
is "series of an object, over all children" "$(get 'dcampObjectSeries."load"')" 6
is "and of a child" "$(get 'dcampChildSeries."device1"')" "$(walk dcampChildValueState | grep -c '"device1"')"
held=$(here 1 load.held 1)
is_old() {
    [[ $(as_number get 'dcampChildValueAge."device1"."load.held"."1"') -gt 2000 ]]
}
eventually "a filter that holds: the value is old" 10 is_old
is "and what it was" "$(here 1 load.held 1)" "$held"

# -- Rates -----------------------------------------------------------------------------------

# A steady stream, by the clock: so much that questions do not count beside it. Nobody listens there.
stream() {
    local begin=${EPOCHREALTIME/./} sent=0 payload pause
    payload=$(printf '%04000d' 0)
    exec {pause}<> <(:)
    while :; do
        for ((; sent < (${EPOCHREALTIME/./} - begin) / 2500; sent++)); do
            echo -n "$payload" >/dev/udp/127.0.0.1/9 || true
        done
        read -r -t 0.01 -u "$pause" || true
    done
}

# The agent reads its interfaces at most once a second: a reading right after a poll is that of the
# poll, and a poll right after a reading that of the reading.
apart() {
    local age
    age=$(get 'dcampChildValueAge."device2"."if.in.rate"."lo"')
    ((age > 1600 && age < 2400))
}

reading() {
    within 12 apart || true
    readarray -t answer < <(device 2 snmpget -Oqvt "$if_in.$lo" "$uptime.0")
    octets=${answer[0]} taken=${answer[1]} # in 1/100 s
}

rate_is_right() {
    local before since rate
    reading
    before=$octets since=$taken
    sleep 14
    within 12 apart || true
    rate=$(here 2 if.in.rate lo)
    reading
    near "$rate" "$(((octets - before) * 100 / (taken - since)))" 0.01
}

if [[ -n ${DCAMP_DEVICE_APART:-} ]]; then
    background stream
    sleep 5
    # A machine that is busy with other things may not keep the stream steady.
    eventually "a rate is the difference of two readings of the device" 80 rate_is_right
    end_background
fi

# -- Aggregates ------------------------------------------------------------------------------

eventually "a sum over both" 5 counts sum 2 2 0
sum=$(get 'dcampAggregateValueText."sum"."total"')
is "is what they have" "$sum" "$(($(here 1 storage.size /) + $(here 2 storage.size /)))"
eventually "a percentile of their windows" 15 counts median 2 2 0
about_theirs() {
    near "$(get 'dcampAggregateValueText."median"."total"')" "$(here 1 load Load-15)" 0.2
}
eventually "is about what they have" 10 about_theirs

ok "SET: a threshold on what a device has" threshold big Sensor=clock 'Children=device*' \
    Operator=gt Limit=0.5
eventually "it raises an alarm with the name of the device" 10 alarm_of device1:big:total
ok "SET: destroy it" set_ 'dcampThresholdRowStatus."big"' i destroy

# -- What is no number -----------------------------------------------------------------------

ok "the object is named" test "$(get 'dcampChildError."device2"')" = 'object name: its value is not a number'
is "its series has no value" "$(value_state 2 name total)" unavailable
is "it is counted" "$(get 'dcampObjectErrors."name"')" "$(get 'dcampChildBadBlocks."device2"')"
ok "the device is up all the same" state_is 2 up
ok "SET: the object is for nobody now" set_ 'dcampObjectChildren."name"' s none
eventually "its series is gone" 10 not exists 'dcampChildValueState."device2"."name"."total"'
no_fault() {
    [[ -z $(get 'dcampChildError."device2"') ]]
}
eventually "and its fault" 10 no_fault
eventually "what is left is there again" 10 same 2 storage.size / "$size.$root"

# -- A device goes and comes back ------------------------------------------------------------

now_ms() {
    echo $((${EPOCHREALTIME/./} / 1000))
}

watch_machine
end_processes KILL 1
killed=$(now_ms)
within 10 state_is 1 down || true
took=$(($(now_ms) - killed))
ok "it is down" state_is 1 down
# Where the machine stands still, the poll that is due then is one of the next period.
ok "within three periods" test "$took" -le $((4000 + $(stood_still 1000)))
eventually "it is missed" 10 counts sum 2 1 1
eventually "dcampNodeLost came, once" 5 told Lost 1 1
is "its values are stale" "$(value_state 1 cpu.user total)" stale
spawn_device 1

# Until it has values again, none of its rates is out of order.
back='' gap=''
watch_machine
for ((i = 0; i < 100; i++)); do
    state=$(value_state 1 clock total)
    clock=$(here 1 clock total 2>&1)
    in=$(here 1 packets total 2>&1)
    if [[ $state == valid ]]; then
        back+=" $clock:$in"
        [[ $(wc -w <<<"$back") -lt 20 ]] || break
    elif [[ $state == gap ]]; then
        gap=seen
    fi
    sleep 0.1
done
# A machine that stands still for a period may hide the gap, and makes two of its answers come at once.
# A spike is something else: so far a counter is back that began anew.
# By less than a tenth of a second at either end of a second an answer may be late, and nobody notices.
spike=1.2 least=0.8
[[ $(stood_still) -eq 0 ]] || gap=seen spike=10 least=0
is "its start is a gap" "$gap" seen
ok "and no spike" awk -v all="$back" -v least="$least" -v most="$spike" 'BEGIN {
    n = split(all, pairs, " ")
    for (i = 1; i <= n; i++) {
        split(pairs[i], of, ":")
        if (of[1] < least || of[1] > most || of[2] < 0 || of[2] > 100 * most) { print pairs[i]; exit 1 }
    }
    exit n == 0
}'
eventually "it is up" 10 state_is 1 up
eventually "it is counted again" 10 counts sum 2 2 0
eventually "dcampNodeJoined came" 5 told Joined 1 2
ok "dcampNodeLost still once" told Lost 1 1

identifier() { # OBJECT
    snmpget -OqvnU "${snmp[@]}" "$node" "DCAMP-MIB::$1"
}

# -- By SET ----------------------------------------------------------------------------------

ok "SET: another object" set_ 'dcampObjectOid."new"' = $processor \
    'dcampObjectChildren."new"' s device2 'dcampObjectRowStatus."new"' i createAndGo
for load in $(device 2 snmpbulkwalk -OqnU $processor | sed -nE "s/^\.$processor\.([0-9]+) .*/\1/p"); do
    eventually "hrProcessorLoad of processor $load" 10 same 2 new "$load" "$processor.$load"
    processors=some
done
[[ -n ${processors:-} ]] || echo "# this agent has no hrProcessorLoad"
is "read as one" "$(identifier 'dcampObjectOid."new"')" ".$processor"
is "and no label is 0.0" "$(identifier 'dcampObjectLabel."new"')" .0.0
for bad in 0.0 "1.3$(printf '.4294967295%.0s' {1..30})"; do
    ok "SET: not the identifier of an object: ${bad:0:20}" not set_ 'dcampObjectOid."new"' = "$bad"
done
ok "SET: an identifier is no text" not set_ 'dcampObjectOid."new"' s $processor
ok "SET: not a scalar with a label" not set_ 'dcampObjectType."new"' i scalar \
    'dcampObjectLabel."new"' = $descr
ok "SET: a child of the other kind" set_ 'dcampChildKind."device2"' i dcamp
eventually "it is down: a node that has no DCAMP-MIB any more" 25 state_is 2 down
ok "SET: back" set_ 'dcampChildKind."device2"' i snmp
eventually "it is up" 15 state_is 2 up
eventually "with its values" 10 same 2 storage.size / "$size.$root"
ok "SET: a wrong credential" set_ 'dcampChildCredential."device2"' s none
eventually "wrong key" 10 state_is 2 wrongKey
finish
