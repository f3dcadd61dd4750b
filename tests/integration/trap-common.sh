# shellcheck shell=bash
# shellcheck disable=SC2034 # variables are for those that source it
# What the tests of dcamp-trap share: a snmptrapd, traps, an HTTP server.
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[[ -n $(type -P python3) ]] || { echo "1..0 # SKIP python3 is not installed"; rm -rf "$work"; trap - EXIT; exit 77; }

build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
trap_=$build/dcamp-trap
mibs=$build/generated/mibs:$top/mibs/base
arc=.1.3.6.1.4.1.32473.1
column=$arc.1.10.1.1
sequence=100

# -- Traps and their receiver ----------------------------------------------------------------

free_udp_port() {
    local port
    while :; do
        port=$((20000 + (RANDOM << 15 | RANDOM) % 12000))
        grep -qi "$(printf ':%04X ' "$port")" /proc/net/udp || break
    done
    echo "$port"
}

# receiver [OPTION...] <CONFIGURATION: a snmptrapd that takes v2c traps and those of the lab.
receiver() {
    local own=$work/trapd
    mkdir -p "$own/persist/cert_indexes"
    port=${receiver_port:-$(free_udp_port)}
    { echo "authCommunity log,execute public"; cat "$work/users" 2>/dev/null || true; cat; } \
        >"$own/snmptrapd.conf"
    env MIBS= MIBDIRS="$own" SNMPCONFPATH="$own" SNMP_PERSISTENT_DIR="$own/persist" \
        snmptrapd -f -n -C -c "$own/snmptrapd.conf" "$@" "udp:127.0.0.1:$port" \
        </dev/null >"$work/trapd.log" 2>&1 &
    receiver_pid=$!
    jobs_started+=("$receiver_pid")
    within 20 grep -qi "$(printf ':%04X ' "$port")" /proc/net/udp || echo "# no snmptrapd: $(cat "$work/trapd.log")"
}

end_receiver() {
    kill "$receiver_pid"
    wait "$receiver_pid" 2>/dev/null || true
}

# send EVENT [FIELD=TEXT...]: a trap of node1, the next in its sequence.
send() {
    local event=$1 field
    local -A text=([key]=node1:burner:total [node]=node1 [sensor]=niced [value]=55.2 [limit]='> 20'
        [word]=critical [severity]=4 [message]='niced is 55.2: somebody burns'
        [rule]=burner [instance]=total [happened]=1)
    shift
    [[ $event -ne 2 ]] || text[word]=clear text[severity]=1 text[happened]=2
    for field; do
        text[${field%%=*}]=${field#*=}
    done
    sequence=$((sequence + 1))
    snmptrap -v2c -c public -m '' -M "$work/trapd" "127.0.0.1:$port" '' "$arc.0.$event" \
        "$column.2.5" s "${text[key]}" "$column.3.5" s "${text[node]}" \
        "$column.4.5" s "${text[sensor]}" "$column.5.5" s "${text[value]}" \
        "$column.6.5" s "${text[limit]}" "$column.7.5" s "${text[word]}" \
        "$column.8.5" i "${text[severity]}" "$column.9.5" u "${text[sequence]:-$sequence}" \
        "$column.10.5" x 07EA0B15150401002B0000 "$column.11.5" u 0 \
        "$column.12.5" s "${text[message]}" "$column.14.5" s "${text[rule]}" \
        "$column.13.5" s "${text[instance]}" "$column.18.5" i "${text[happened]}" .1.3.6.1.6.3.18.1.3.0 a 192.0.2.7
}

# lines FILE NUMBER: whether it has so many.
lines() {
    [[ -e $1 && $(wc -l <"$1") -eq $2 ]]
}

# matches FILE PATTERN NUMBER: on how many lines the pattern is.
matches() {
    [[ $(grep -c -e "$2" "$1" 2>/dev/null) -eq $3 ]]
}

# status SPOOL NAME: a count.
status() {
    "$trap_" zabbix --spool "$work/$1" --status | awk -v name="$2" '$1 == name { print $2 }'
}

# -- A server --------------------------------------------------------------------------------

web=$work/web
mkdir -p "$web"
answer() {
    echo "$*" >"$web/answer"
}

start_web() {
    rm -f "$web/port"
    background "$top/tests/integration/http-recorder" "$web" "$@"
    web_pid=$!
    within 20 test -s "$web/port"
    web_port=$(<"$web/port")
}

# requests FILTER: of Python, over the requests.
requests() {
    python3 -c 'import json, sys, time
for line in open(sys.argv[1]):
    request = json.loads(line)
    body = json.loads(request["body"])
    for value in eval(sys.argv[2]):
        print(value)' "$web/requests" "$1"
}

