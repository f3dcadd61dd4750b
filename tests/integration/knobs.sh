#!/usr/bin/env bash
# A collector and children that do everything wrong that the simulator can: what the tables say of
# each of them, and that the others go on as if nothing had happened.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
DCAMP_BUILD=${DCAMP_BUILD:-$top/build}
# shellcheck source=../sim/control.sh
. "$top/tests/sim/control.sh"

# What is done to which child; those from 34 on are left alone.
delayed=1 lossy=2 dead=3 rebooted=4 restored=5 rekeyed=6 rekeyed_privacy=7 rebuilt=8
original=9 clone=10 busy=11 overrun=12 replayed=13
kinds=(random ber pdu msgid reqid error fewer types head back empty block truncated sequence boot
    series dictionary control empty-text)
cramped=14 first_spoilt=15
sound=34 n=37
period_ms=500
long=$((${DCAMP_TEST_SHORT:-0} == 0 ? 3 : 1)) # times as long

declare -A spoilt
for i in "${!kinds[@]}"; do
    spoilt[${kinds[i]}]=$((first_spoilt + i))
done

# -- The collector ---------------------------------------------------------------------------

sim_start --children "$n" --rate 2 --keep 200
jobs_started+=("$sim_pid")
cat >"$work/dcamp.xml" <<END
<?xml version="1.0" encoding="UTF-8"?>
<dcamp version="1">
  <node name=""/>
  <alarms rate="1000"/>
  <sensors><sensor name="load.1" metric="load.1" interval="1s"/></sensors>
  <credentials>$(sim_credential)</credentials>
  <children>
$(sim_children 1 "$n" "${period_ms}ms")
  </children>
</dcamp>
END
start_lab --config "$work/dcamp.xml"
# shellcheck disable=SC2153 # set by eval
core=$DCAMP_LAB_PID_DCAMPD_1 log=$DCAMP_LAB_LOG_1

# child NUMBER COLUMN...: of dcampChildTable.
child() {
    local number=$1
    shift
    get "${@/%/.\"sim$number\"}" 2>&1
}
state() { child "$1" dcampChildState; }

# has NUMBER COLUMN PATTERN: an extended regular expression for the whole value.
has() {
    child "$1" "$2" | grep -qxE -- "$3"
}
more() { # NUMBER COLUMN THAN
    [[ $(as_number child "$1" "$2") -gt $3 ]]
}
logged() { # NUMBER PATTERN
    grep -qE "child sim$1: .*$2" "$log"
}

all_are() { # COLUMN VALUE [NUMBER]
    [[ $(walk "$1" | awk -v value="$2" '$2 == value' | wc -l) -eq ${3:-$n} ]]
}

# shown NUMBER FIELD: what the simulator says of a child.
shown() {
    sim_tell "show $1" | awk -v field="$2" '$1 == "child" {
        for (i = 1; i < NF; i++) if ($i == field) { print $(i + 1); exit } }'
}

# taken NUMBER: the blocks that were taken or are known to be lost; ahead of them none is missing.
taken() {
    child "$1" dcampChildBlocks dcampChildLostBlocks dcampChildBadBlocks |
        awk '{ sum += $1 } END { print sum }'
}
all_taken() { # NUMBER [BEFORE]
    [[ $(taken "$1") -eq $((${2:-0} + $(shown "$1" last))) ]]
}

# frozen NUMBER...: they report no more, and what they reported has been taken.
frozen() {
    local number
    for number in "$@"; do
        sim_do "rate $number 0"
    done
    for number in "$@"; do
        [[ $number == all ]] || eventually "all is taken of sim$number" 15 all_taken "$number"
    done
}

# resident: of the core and of its poller, in kB.
poller=$(cat "/proc/$core/task"/*/children)
read -r poller <<<"$poller"
resident() {
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$core/status" "/proc/$poller/status"
}
grown() { # BEFORE AFTER KB
    paste <(echo "$1") <(echo "$2")
    paste <(echo "$1") <(echo "$2") | awk -v limit="$3" '$2 - $1 > limit { bad = 1 } END { exit bad }'
}

# -- Pace: the children that are left alone --------------------------------------------------

begin_pace() {
    pace_begin=() pace_polls=()
    watch_machine
    for ((i = sound; i <= n; i++)); do
        pace_polls[i]=$(child "$i" dcampChildPolls)
        pace_begin[i]=$(date +%s%N)
    done
}

# Counted over at least ten seconds; the poll at either end may be in or not, and those of the time in
# which the machine stood still.
kept_pace() {
    local polls expected left missed
    left=$((100 - ($(date +%s%N) - pace_begin[n]) / 100000000))
    [[ $left -le 0 ]] || sleep "$((left / 10)).$((left % 10))"
    for ((i = sound; i <= n; i++)); do
        polls=$(($(child "$i" dcampChildPolls) - pace_polls[i]))
        expected=$((($(date +%s%N) - pace_begin[i]) / (period_ms * 1000000)))
        missed=$(($(stood_still "$period_ms") / period_ms))
        echo "sim$i: $polls polls, expected $expected, but for $missed"
        [[ $(((polls - 1) * 10)) -le $((expected * 11)) &&
            $(((polls + 1) * 10)) -ge $(((expected - missed) * 9)) ]] || return 1
    done
}

undisturbed() {
    ok "$1: the others keep their period" kept_pace
    for ((i = sound; i <= n; i++)); do
        is "$1: sim$i has missed nothing" \
            "$(child "$i" dcampChildState dcampChildMissed dcampChildLostBlocks dcampChildBadBlocks |
                xargs)" "up 0 0 0"
    done
}

eventually "all children are up" 15 all_are dcampChildState up
eventually "and all their series are known" 15 all_are dcampChildSeries 20
sleep 1
before=$(resident)
begin_pace

# -- Troubles, all at once -------------------------------------------------------------------

missed_before=$(child "$replayed" dcampChildMissed)
sim_do "delay $delayed 300ms"
sim_do "loss $lossy 40"
sim_do "die $dead"
frozen "$rebooted" "$restored" "$original"
old_last=$(shown "$rebooted" last)
sim_do "reboot $rebooted"
sim_do "restore $restored"
sim_do "rekey $rekeyed"
sim_do "rekey $rekeyed_privacy auth-secret-sim another-priv-secret"
engine_before=$(child "$rebuilt" dcampChildEngineId)
sim_do "engine $rebuilt"
sim_do "reboot $original"
sim_do "clone $original $clone"
sim_do "rate $busy 20"
sim_do "rate $overrun 1000"
sim_do "replay $replayed 1000"
sim_do "largest $cramped 600"
for kind in "${kinds[@]}"; do
    sim_do "garbage ${spoilt[$kind]} ${kind%-text}"
done
# Names are asked for when series begin.
for kind in types dictionary control empty-text; do
    sim_do "reboot ${spoilt[$kind]}"
done
sim_do "reboot $cramped"

eventually "dead: down" 10 has "$dead" dcampChildState down
is "dead: the error" "$(child "$dead" dcampChildError)" "no answer"
ok "dead: missed polls are counted" more "$dead" dcampChildMissed 2
is "dead: its values are stale" "$(get "dcampChildValueState.\"sim$dead\".\"cpu.busy\".\"total\"")" stale
# notified NUMBER EVENT TIMES
notified() {
    [[ $(grep -F "dcampNode$2" "$DCAMP_LAB_TRAPLOG" | grep -cE "sim$1(/|\"| )") -eq $3 ]]
}
eventually "dead: notified once" 5 notified "$dead" Lost 1

ok "delay: up" has "$delayed" dcampChildState up
ok "delay: the round trip has it" more "$delayed" dcampChildRoundTrip 299999
is "delay: nothing is missed" "$(child "$delayed" dcampChildMissed)" 0

eventually "reboot: the new boot" 5 has "$rebooted" dcampChildBoot 11
ok "reboot: up, without an error" has "$rebooted" dcampChildState up
is "reboot: nothing is missed" "$(child "$rebooted" dcampChildMissed)" 0
eventually "reboot: each block of both boots once" 5 all_taken "$rebooted" "$old_last"

eventually "restore: named" 5 logged "$restored" "boot count went back: restored or cloned"
eventually "restore: healed" 5 has "$restored" dcampChildBoot 9
eventually "restore: up" 5 has "$restored" dcampChildState up

eventually "re-keyed: wrongKey" 5 has "$rekeyed" dcampChildState wrongKey
is "re-keyed: the error" "$(child "$rekeyed" dcampChildError)" \
    "wrongDigests: the authentication passphrase is not its own"
eventually "re-keyed for privacy: wrongKey" 5 has "$rekeyed_privacy" dcampChildState wrongKey
is "re-keyed for privacy: the error" "$(child "$rekeyed_privacy" dcampChildError)" \
    "decryptionErrors: the privacy passphrase is not its own"

eventually "rebuilt: named" 5 logged "$rebuilt" "another engine ID answers at this address"
eventually "rebuilt: polled again" 5 has "$rebuilt" dcampChildState up
is "rebuilt: the engine ID" "$(child "$rebuilt" dcampChildEngineId | tr -d ' "' | tr A-F a-f)" \
    "$(shown "$rebuilt" engine)"
ok "rebuilt: it is another one" not test "$engine_before" = "$(child "$rebuilt" dcampChildEngineId)"

eventually "clone: named" 10 has "$clone" dcampChildError \
    "its engine ID is also that of udp:127\.1\.0\.$original:$sim_port: cloned"

ok "20 reports a second: up" has "$busy" dcampChildState up
is "20 reports a second: none is lost" "$(child "$busy" dcampChildLostBlocks)" 0
eventually "1,000 reports a second: what is lost is said" 5 more "$overrun" dcampChildLostBlocks 0
ok "1,000 reports a second: up" has "$overrun" dcampChildState up
ok "replayed answers: up" has "$replayed" dcampChildState up
is "replayed answers: nothing is missed" "$(child "$replayed" dcampChildMissed)" "$missed_before"

eventually "small answers: all series have names" 10 has "$cramped" dcampChildSeries 20
eventually "small answers: up" 5 has "$cramped" dcampChildState up
is "small answers: nothing is missed" "$(child "$cramped" dcampChildMissed)" 0

# spoils KIND STATES ERROR [COUNTER]: what a kind of garbage leads to, by extended regular
# expressions. The counter grows.
spoils() {
    local number=${spoilt[$1]}
    eventually "garbage $1: state" 10 has "$number" dcampChildState "$2"
    eventually "garbage $1: error" 5 has "$number" dcampChildError "$3"
    eventually "garbage $1: counted" 5 more "$number" "dcampChild${4:-Missed}" 0
}
spoils random down "no answer"
spoils ber 'down|refused|late|wrongKey' '.+'
eventually "garbage pdu: counted" 5 more "${spoilt[pdu]}" dcampChildMissed 0
spoils msgid down "no answer"
spoils reqid down '.+'
spoils error refused '.*general failure.*'
spoils fewer refused "not what was asked for"
spoils types refused "not a number"
spoils head refused "its first block is after its last"
eventually "garbage back: named" 5 logged "${spoilt[back]}" "its block numbers went back"
spoils empty refused "not a block"
spoils block refused 'report block [0-9]+: .+' BadBlocks
spoils truncated refused 'report block [0-9]+: .+' BadBlocks
spoils sequence refused 'report block [0-9]+: it says that it is another block' BadBlocks
spoils boot refused 'report block [0-9]+: it says that it is of another boot' BadBlocks
ok "garbage series: up" has "${spoilt[series]}" dcampChildState up
is "garbage series: they get no rows" "$(child "${spoilt[series]}" dcampChildSeries)" 20
# Entries that are none cost their series, and not the answer that they are in.
declare -A counter=([dictionary]=BadBlocks [control]=BadBlocks [empty-text]=Missed)
for kind in dictionary control empty-text; do
    number=${spoilt[$kind]}
    eventually "garbage $kind: named" 12 logged "$number" \
        '(a series has no name of a sensor|not a block)'
    eventually "garbage $kind: counted" 5 more "$number" "dcampChild${counter[$kind]}" 0
    is "garbage $kind: it gets no rows" \
        "$(walk "dcampChildValueState.\"sim$number\"" | grep -cv waiting)" 0
done
# Polls are answered well all the while.
for kind in dictionary control; do
    number=${spoilt[$kind]}
    polls=$(child "$number" dcampChildPolls)
    eventually "garbage $kind: polled on" 5 more "$number" dcampChildPolls $((polls + 2))
    is "garbage $kind: refused all the while" "$(state "$number")" refused
done
sleep $((2 * long))
undisturbed "troubles"

# -- A flood ---------------------------------------------------------------------------------

begin_pace
flooded() {
    [[ $(grep -c '^done: flood' "$sim_log") -eq $1 ]]
}
# The ports that the poller polls the first two of the sound children from.
floods=0
for ((i = sound; i < sound + 2; i++)); do
    port=$(awk -v remote="$(printf '%02X00017F:%04X' "$i" "$sim_port")" \
        '$3 == remote { print substr($2, 10); exit }' /proc/net/udp)
    ok "the port of sim$i is found" test -n "$port"
    sim_do "flood 127.0.0.1 $((16#${port:-1})) $((100000 * long))"
    floods=$((floods + 1))
done
eventually "they are flooded" $((30 * long)) flooded "$floods"
sleep 2
undisturbed "flood"

# -- Back to order ---------------------------------------------------------------------------

begin_pace
sim_do "delay all 0s"
sim_do "loss all 0"
sim_do "return all"
sim_do "rekey $rekeyed auth-secret-sim priv-secret-sim"
sim_do "rekey $rekeyed_privacy auth-secret-sim priv-secret-sim"
sim_do "engine $clone"
for kind in "${kinds[@]}"; do
    sim_do "garbage ${spoilt[$kind]} none"
done
# What a child itself has told wrong is right again in its next boot at the latest.
sim_do "reboot ${spoilt[pdu]}"
sim_do "reboot ${spoilt[series]}"
sim_do "rate all 2"
eventually "all are up again" 25 all_are dcampChildState up
# Joined was the one before it died, too.
eventually "the return of the dead is notified once" 5 notified "$dead" Joined 2
ok "and there was one loss" notified "$dead" Lost 1
# On a busy machine look-ups are lost, too, and each is repeated only after ten seconds.
eventually "with all their series" 60 all_are dcampChildSeries 20
walk dcampChildSeries | awk '$2 != 20 { print "#", $0 }'
undisturbed "return"

frozen all
reported() {
    sim_tell "values all" | awk '$1 == "value" {
        printf "dcampChildValueText.\"sim%s\".\"%s\".\"%s\" %s\n", $2, $3, $4, $6 }' | sort
}
published() {
    walk dcampChildValueText | sed 's/^DCAMP-MIB:://' | sort
}
same_values() {
    diff <(reported) <(published)
}
within 10 same_values || true
ok "every value is what was reported last" same_values
is "and there is one for each series" "$(published | wc -l)" $((20 * n))
ok "what died has lost nothing" has "$dead" dcampChildLostBlocks 0
for number in "$delayed" "$lossy" "$dead" "$rekeyed" "$rekeyed_privacy" "$busy" "$overrun" \
    "$replayed" "${spoilt[random]}" "${spoilt[msgid]}" "${spoilt[reqid]}" "${spoilt[error]}" \
    "${spoilt[fewer]}" "${spoilt[head]}" "${spoilt[back]}" "${spoilt[empty]}" "${spoilt[block]}" \
    "${spoilt[truncated]}" "${spoilt[sequence]}" "${spoilt[boot]}" "$sound" "$n"; do
    eventually "sim$number: each block is counted once" 5 all_taken "$number"
done
after=$(resident)
# AddressSanitizer keeps what was freed, to find who still uses it.
if grep -q libasan "/proc/$core/maps"; then
    report 0 "core and poller have not grown by much # SKIP this build keeps what is freed"
else
    ok "core and poller have not grown by much" grown "$before" "$after" 4096
fi
is "it is the same poller" "$(cat "/proc/$core/task"/*/children | xargs)" "$poller"
sim_stop || report 1 "the simulator ends by itself"
finish
