#!/usr/bin/env bash
# hostile-receiver.sh [--seconds N]: a node whose notifications and pushed blocks also go to
# receivers that are silent, slow, refusing, answer garbage or cannot be reached. Its collector gets
# all of it meanwhile, and it is never late, nor is the node beside it; and nobody's memory grows.
# In CI some seconds; make hostile-receiver takes ten minutes.
if [[ -z ${DCAMP_OWN_NETWORK:-} ]] && unshare -n true 2>/dev/null; then
    # In a network of its own, nothing but the loopback can be reached, and nothing leaves it.
    DCAMP_OWN_NETWORK=1 exec unshare -n "$BASH" "$0" "$@"
fi
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=healthy.sh
. "$(dirname "$0")/healthy.sh"

seconds=20
[[ ${1:-} != --seconds ]] || seconds=$2
program=${DCAMP_BUILD:-$top/build}/tests/integration/hostile-receiver
machine=$work/machine
targets=()
if [[ -n ${DCAMP_OWN_NETWORK:-} ]]; then
    ip link set lo up
    targets+=(192.0.2.1:162) # a documentation address, RFC 5737: there is no way to it
fi

coproc receivers { exec "$program"; }
# shellcheck disable=SC2154 # of coproc
jobs_started+=("$receivers_PID")
standard_input=${receivers[1]}
exec {said}<&"${receivers[0]}" # the shell forgets its own when the program has ended
for _ in 1 2 3 4; do
    read -r -t 10 kind port <&"${receivers[0]}"
    echo "# $kind at port $port"
    targets+=("127.0.0.1:$port")
done

cat >"$work/leaf.xml" <<END
<dcamp version="1">
<node/>
<alarms rate="1000" per="1s"/>
<sensors>
<sensor name="load.1" metric="load.1" interval="100ms" window="none" filter="moved" report="push"/>
</sensors>
<filters><filter name="moved" deadband="0.5"/></filters>
<thresholds>
<threshold name="high" sensor="load.1" operator="gt" limit="50" severity="warning"/>
</thresholds>
</dcamp>
END
make_root "$machine"
start_lab --nodes 2 --collectors 1 --config "$work/leaf.xml" --root "$machine" --push 1000 --period 2s

# Each receiver gets what the real ones get: as traps, as conf/snmpd-dcamp.conf has them.
conf=$lab_dir/node1/snmpd.conf
pushes=$(grep '^trapsess -profile pushes' "$conf")
alarms=$(grep '^trapsess -profile alarms' "$conf")
for target in "${targets[@]}"; do
    {
        echo "${pushes% *} udp:$target"
        echo "${alarms% *} udp:$target"
    } >>"$conf"
done
control restart-snmpd --node 1
polled=$(at collector1 get 'dcampChildPolls."node1"')
is "all receivers are known to the node" "$(grep -c '^trapsess' "$conf")" $((2 + 2 * ${#targets[@]}))

of_child() {
    at collector1 get "dcampChild$1.\"node1\""
}
raised() {
    grep -c 'dcampAlarmRaised.*node1' "$DCAMP_LAB_TRAPLOG" || true
}

# A poll that was on its way when snmpd ended has failed by the time that two others are answered.
# Its child is late until then, for no fault of the receivers.
answers_again() {
    (($(as_number of_child Polls) >= polled + 2)) && healthy_is_up_at collector1 node1
}
eventually "it reports again" 15 answers_again
healthy_extra=("$(pid_of dcampd 1)" "$(pid_of snmpd 1)")
healthy_begin collector1 node1 node2
pushed=$(of_child Pushed)
told=$(raised)
move() {
    while :; do
        set_load "$machine" 10
        sleep 0.4
        set_load "$machine" 90
        sleep 0.4
    done
}
background move
healthy_watch "$seconds"
pushed=$(($(of_child Pushed) - pushed))
told=$(($(raised) - told))
echo "# $pushed blocks were pushed to the collector, $told alarms told to the good receiver"
ok "blocks were pushed to the good one meanwhile" test "$pushed" -ge "$seconds"
ok "alarms were told to the good one meanwhile" test "$told" -ge $((seconds / 2))
is "no block is missing" "$(of_child LostBlocks) $(of_child BadBlocks)" "0 0"
healthy_end 4096
exec {standard_input}>&-
sed 's/^/# /' <&"$said"
finish
