#!/usr/bin/env bash
# check.sh: the simulator in the eyes of Net-SNMP's tools, and its blocks in those of libdcamp.
# shellcheck source=../integration/common.sh
. "$(dirname "$0")/../integration/common.sh"

bin=${DCAMP_BUILD:-$top/build}/tests/sim
export MIBS=
auth=auth-secret-sim priv=priv-secret-sim
v3=(-v3 -l authPriv -u dcamp -a SHA-256 -A "$auth" -x AES -X "$priv" -t 1 -r 5 -On)
log=$work/sim.log
commands=$work/commands
mkfifo "$commands"
exec {control}<>"$commands" # held open, so that writing never waits for a reader

# The numbers of the MIB as the build has them.
number_of() {
    SNMP_PERSISTENT_DIR=$work/client MIBS=DCAMP-MIB snmptranslate -On \
        -M "$top/mibs/base:${DCAMP_BUILD:-$top/build}/generated/mibs" "DCAMP-MIB::$1"
}
name=$(number_of dcampNodeName).0
boot=$(number_of dcampReportBoot).0
first=$(number_of dcampReportFirst).0
last=$(number_of dcampReportLast).0
block=$(number_of dcampReportBlock)
sensor=$(number_of dcampSeriesSensor)
instance=$(number_of dcampSeriesInstance)
unit=$(number_of dcampSeriesUnit)
mib=$(number_of dcampMIB)
uptime=.1.3.6.1.2.1.1.3.0
engine=.1.3.6.1.6.3.10.2.1

# -- The simulator ---------------------------------------------------------------------------

# start_sim OPTION...: at a port that is free.
start_sim() {
    local attempt
    for ((attempt = 0; attempt < 5; attempt++)); do
        port=$((20000 + RANDOM % 20000))
        "$bin/dcamp-sim" --port "$port" --ready "$@" <&"$control" >"$log" 2>&1 &
        sim=$!
        jobs_started+=("$sim")
        if within 20 grep -q '^ready' "$log"; then
            return
        fi
        wait "$sim" || true
    done
    echo "Bail out! the simulator does not start: $(cat "$log")"
    exit 1
}

replies() {
    grep -cE '^(ok|error): ' "$log"
}

answered() {
    [[ $(replies) -gt $1 ]]
}

# tell COMMAND: prints the reply, and what came before it.
tell() {
    local before lines
    kill -0 "$sim" 2>/dev/null || { echo "the simulator is gone"; return 1; }
    before=$(replies) || true
    lines=$(wc -l <"$log")
    echo "$1" >&"$control"
    within 20 answered "$before" || { echo "no reply to $1"; return 1; }
    tail -n "+$((lines + 1))" "$log"
}

# stop_sim: by command; it must have lost no memory if it is built to tell.
stop_sim() {
    local status=0
    echo quit >&"$control"
    wait "$sim" || status=$?
    report "$status" "the simulator ends by itself, status 0" "$(tail -n 20 "$log")"
    jobs_started=()
}

address() {
    echo "127.1.0.$1:$port"
}

# ask CHILD OID [OPTION...]: the value, or the error message.
ask() {
    snmpget "${v3[@]}" "${@:3}" -OqvU "$(address "$1")" "$2" 2>&1
}

# says PATTERN CHILD OID [OPTION...]
says() {
    local answer
    answer=$(ask "${@:2}") || true
    echo "$answer"
    grep -qE -- "$1" <<<"$answer"
}

engine_of() {
    ask "$1" "$engine.1.0" -Ox | tr -d ' "'
}

# decode CHILD SEQUENCE [SERIES]
decode() {
    ask "$1" "$block.$2" -Ox | tr -d '"' | "$bin/expect" "$1" "${3:-20}"
}

has_blocks() { # CHILD NUMBER
    [[ $(ask "$1" "$last") -ge $2 ]]
}

# outside_window CHILD: how many of its reports were usmStatsNotInTimeWindows.
outside_window() {
    tell "show $1" | sed -n 's/.* reports [0-9]* \([0-9]*\) .*/\1/p'
}

every_block() {
    local i
    for ((i = $(ask "$1" "$first"); i <= $(ask "$1" "$last"); i++)); do
        decode "$1" "$i" || return 1
    done
}

# What the blocks of a child say that its series reported last.
newest() {
    every_block "$1" | awk '$1 == "value" { at[$2] = $3; value[$2] = $4 }
        END { for (i = 0; i < 20; i++) print at[i], value[i] }'
}

# -- As an agent -----------------------------------------------------------------------------

start_sim --children 9 --keep 600 # block 1 is asked for to the end, which a busy machine puts off
is "a name each" "$(ask 3 "$name") $(ask 9 "$name")" '"sim3" "sim9"'
ok "an engine ID each" test "$(engine_of 1)" != "$(engine_of 2)"
ok "sysUpTime" says '^[0-9:.]+$' 1 "$uptime"
ok "a wrong passphrase" says 'Authentication failure' 1 "$name" -A wrong-secret
ok "a wrong passphrase for privacy" says 'Decryption error' 1 "$name" -X wrong-secret
ok "an unknown user" says 'Unknown user name' 1 "$name" -u nobody
ok "without privacy: refused" says authorizationError 1 "$name" -l authNoPriv
ok "without anything: refused" says authorizationError 1 "$name" -l noAuthNoPriv
# What stands still, one line each.
still() {
    grep '^\.' | grep -vE "^($uptime|$engine.3.0) |No more variables"
}
tell 'rate 4 0' >/dev/null
walked=$(snmpwalk "${v3[@]}" -Oq "$(address 4)" .1 2>&1 | still)
bulk=$(snmpbulkwalk "${v3[@]}" -Oq -Cr7 "$(address 4)" .1 2>&1 | still)
is "GETNEXT and GETBULK find the same" "$walked" "$bulk"
is "these are 4 scalars, 80 cells, 3 of the engine and the blocks" "$(wc -l <<<"$walked")" \
    $((87 + $(ask 4 "$last")))
ok "no such object" says 'No Such Object' 1 "$mib.1.2.1.0"
ok "no such instance" says 'No Such Instance' 1 "$sensor.21"
is "the dictionary begins where the boot says" \
    "$(ask 1 "$sensor.11") $(ask 1 "$instance.11") $(ask 1 "$unit.11") $(ask 1 "$sensor.10")" \
    '"cpu.busy" "total" "%" "mem.free"'
refused=$(snmpset "${v3[@]}" "$(address 1)" "$name" s other 2>&1) || true
ok "a SET is refused" grep -q notWritable <<<"$refused"

# -- Blocks ----------------------------------------------------------------------------------

is "the first block has every series" "$(decode 5 1 | tail -n 1)" \
    'boot 10 sequence 1 values 20 windows 0'
is "a rate" "$(tell 'rate 5 20')" 'ok: rate 5 20'
ok "reports come at that rate" within 5 has_blocks 5 30
tell 'rate 5 0' >/dev/null
ok "every block is what the function says" every_block 5
is "a tenth of the series in each" "$(decode 5 "$(ask 5 "$last")" | grep -c ^value)" 2
is "the command values knows what was reported last" "$(newest 5)" \
    "$(tell 'values 5' | awk '$1 == "value" { print $5, $6 }')"

# -- Engines ---------------------------------------------------------------------------------

id=$(engine_of 6)
late=$(outside_window 6)
ok "a manager with old boots gets them" says '"sim6"' 6 "$name" -e "0x$id" -Z 9,5
is "by a report" "$(outside_window 6)" $((late + 1))
tell 'reboot 6' >/dev/null
is "after a reboot" "$(ask 6 "$engine.2.0") $(ask 6 "$boot") $(ask 6 "$first")" "11 11 1"
is "its block is of the new boot" "$(decode 6 1 | tail -n 1)" \
    'boot 11 sequence 1 values 20 windows 0'
is "and so is its dictionary" "$(ask 6 "$sensor.12") $(ask 6 "$instance.12")" '"cpu.busy" "total"'
ok "a manager with the boots before gets them" says '"sim6"' 6 "$name" -e "0x$id" -Z 10,5
tell 'restore 6' >/dev/null
is "after a restore" "$(ask 6 "$engine.2.0") $(ask 6 "$boot")" "10 10"
late=$(outside_window 6)
ask 6 "$name" -e "0x$id" -Z 11,1 -r 0 >/dev/null || true
is "later boots are outside of the window" "$(outside_window 6)" $((late + 1))
for ((i = 0; i < 9; i++)); do
    tell 'restore 6' >/dev/null
done
is "a restore too many" "$(tell 'restore 1-9')" \
    'error: restore 1-9: child 6 has no boots before this one'
is "changes no child" "$(ask 1 "$boot") $(ask 9 "$boot")" "10 10"
tell 'rekey 7' >/dev/null
ok "re-keyed" says 'Authentication failure' 7 "$name"
ok "the other keys" says sim7 7 "$name" -A another-auth-secret -X another-priv-secret
tell "rekey 7 $auth $priv" >/dev/null
ok "re-keyed back" says sim7 7 "$name"
id=$(engine_of 8)
tell 'engine 8' >/dev/null
ok "another engine ID" test "$id" != "$(engine_of 8)"
ok "the old one is unknown" says 'Unknown engine ID|Timeout' 8 "$name" -e "0x$id" -r 1
tell 'clone 1 2' >/dev/null
is "a clone" "$(engine_of 2)" "$(engine_of 1)"

# -- Troubles --------------------------------------------------------------------------------

tell 'die 3-4' >/dev/null
ok "dead" says Timeout 3 "$name" -r 0
tell 'return all' >/dev/null
ok "back" says sim3 3 "$name"
tell 'loss 3 100%' >/dev/null
ok "all is lost" says Timeout 3 "$name" -r 0
tell 'loss 3 0' >/dev/null
tell 'delay 3 400ms' >/dev/null
ok "late: too late" says Timeout 3 "$name" -r 0 -t 0.2
ok "late: not too late" says sim3 3 "$name" -r 0 -t 5
tell 'delay 3 0s' >/dev/null
tell 'replay 3 2' >/dev/null
for kind in kept "followed by it" "followed by it again"; do
    ok "an answer is $kind" says sim3 3 "$name"
done

# spoilt KIND PATTERN OID: what the tool makes of that.
spoilt() {
    tell "garbage 3 $1" >/dev/null
    ok "garbage: $1" says "$2" 3 "$3" -r 0
}
spoilt random Timeout "$name"
spoilt ber . "$name"
spoilt pdu . "$name"
spoilt msgid Timeout "$name"
spoilt reqid . "$name"
spoilt error genError "$name"
spoilt fewer sim3 "$name"
spoilt types '^"four"$' "$boot"
spoilt types '^18446744073709551615$' "$block.1"
spoilt head '^[0-9]+$' "$first"
tell 'rate 3 0' >/dev/null
ok "the first is above the last" test "$(ask 3 "$first")" -gt "$(ask 3 "$last")"
spoilt back '^[0-9]+$' "$last"
spoilt empty '^""$' "$block.1"
for kind in block truncated series; do
    spoilt "$kind" . "$block.1"
    ok "that is not what was reported" not decode 3 1
done
tell 'garbage 3 sequence' >/dev/null
is "garbage: sequence" "$(ask 3 "$block.1" -Ox | cut -c 1-12)" '"85 02 0A 02'
tell 'garbage 3 boot' >/dev/null
is "garbage: boot" "$(ask 3 "$block.1" -Ox | cut -c 1-12)" '"85 02 0B 01'
spoilt dictionary 'x{5000}' "$sensor.1"
spoilt control . "$sensor.1"
tell 'garbage 3 none' >/dev/null
ok "sound again" decode 3 "$(ask 3 "$last")"
tell "flood 127.1.0.3 $port 20000" >/dev/null
ok "it outlives a flood" within 20 grep -q '^done: flood' "$log"
ok "and still answers" says sim3 3 "$name" -r 5

tell 'record 3-4 100ms' >/dev/null
is "no polls, no times between them" "$(tell polls | head -n 1)" "polls: apart 0"
times=()
for ((i = 0; i < 3; i++)); do
    times+=("${EPOCHREALTIME/./}")
    ask 3 "$name" -t 10 -r 0 >/dev/null
    times+=("${EPOCHREALTIME/./}")
    sleep 0.2
done
ask 5 "$name" >/dev/null
apart=$(tell polls | sed -nE 's/^polls: apart 2 mean-ms ([0-9]+)\..*/\1/p')
ok "the times between polls: $apart ms" test "${apart:-0}" -ge $(((times[4] - times[1]) / 2000)) \
    -a "${apart:-0}" -le $(((times[5] - times[0]) / 2000))

while IFS='|' read -r command reply; do
    is "bad command: $command" "$(tell "$command")" "error: $command: $reply"
done <<'END'
explode 3|no such command; see --help
die|usage: die CHILDREN 
die 0|0: not children of 1-9: 7, 5-10 or all
die 5-10|5-10: not children of 1-9: 7, 5-10 or all
die 5-4|5-4: not children of 1-9: 7, 5-10 or all
delay 3 200|200: not a duration like 200ms
loss 3 101%|101%: not a share from 0% to 100%
record 3 0s|0s: not a duration like 200ms
garbage 3 rubbish|rubbish: no such kind of garbage; see --help
clone 1-2 3|one child and another one of 1-9 are needed
rate 3 -1|-1: not a number of reports per second, 0 or 0.0001 to 1000
rekey 3 short short|a passphrase has at least 8 characters
flood 10.0.0.1 9 9|10.0.0.1: not an address in 127.0.0.0/8
flood 127.0.0.1 0 9|0: not a port
END
totals=$(tell total)
ok "counters" grep -qE '^total: requests [1-9][0-9]* answers [1-9][0-9]* malformed [1-9]' <<<"$totals"
stop_sim

# -- Other forms -----------------------------------------------------------------------------

start_sim --children 2 --series 7 --rate 4 --windows 3 --window 500ms --block-bytes 256 \
    --auth sha512 --priv aes256 --user other --boots 3 --knob 'die 1'
v3=(-v3 -l authPriv -u other -a SHA-512 -A "$auth" -x AES-256 -X "$priv" -t 1 -r 5 -On)
ok "SHA-512 and AES-256" says sim2 2 "$name"
ok "a command of the command line" says Timeout 1 "$name" -r 0
ok "windows come" within 10 has_blocks 2 12
tell 'rate all 0' >/dev/null
windows=$(for ((i = 1; i <= $(ask 2 "$last"); i++)); do decode 2 "$i" 7; done) ||
    report 1 "every block is what the function says" "$windows"
ok "and are what the function says" grep -qE 'windows [1-9]' <<<"$windows"
stop_sim

start_sim --children 3 --ports --address 127.0.0.1 --rate 0
v3=(-v3 -l authPriv -u dcamp -a SHA-256 -A "$auth" -x AES -X "$priv" -t 1 -r 5 -On)
is "a port each" "$(snmpget "${v3[@]}" -Oqv "127.0.0.1:$((port + 2))" "$name")" '"sim3"'
stop_sim

start_sim --children 50 --rate 0
load=$("$bin/load" 127.1.0.1 "$port" 50 1 16 "$sim" blocks)
ok "under load nothing is lost" grep ' lost 0 ' <<<"$load"
stop_sim

while read -r options; do
    # shellcheck disable=SC2086 # options
    error=$("$bin/dcamp-sim" $options </dev/null 2>&1) && error="status 0"
    ok "bad options: $options" grep -q '^dcamp-sim: .*; see --help$' <<<"$error"
done <<'END'
--children 0
--port 70000
--address 10.0.0.1
--address 127.255.255.255 --children 2
--ports --port 65000 --children 1000
--share 101
--auth md5
--auth-secret short
--series 5 --windows 6
more
END
finish
