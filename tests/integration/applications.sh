#!/usr/bin/env bash
# What programs publish by libdcamp is measured as all else: every number that a program has counted is
# there by SNMP, exactly, whoever dies; statistics and thresholds are of all events; and nobody who
# writes into the directory can harm others.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

build=$(realpath "${DCAMP_BUILD:-$top/build}")
driver=$build/tests/integration/applications-driver
export PKG_CONFIG_PATH=$build
# shellcheck source=examples.sh
. "$top/tests/integration/examples.sh"
user=$(id -un)

# -- The program -----------------------------------------------------------------------------

# start_program NAME: program is its process, and told what it has counted: see the driver.
start_program() {
    mkfifo "$work/in.$1" "$work/out.$1"
    DCAMP_APPS=$DCAMP_LAB_APPS_1 "$driver" "$1" <"$work/in.$1" >"$work/out.$1" 2>"$work/error.$1" &
    program=$!
    jobs_started+=("$program")
    exec {to}>"$work/in.$1" {from}<"$work/out.$1"
    rm "$work/in.$1" "$work/out.$1"
}

# tell LINE: told becomes what it has counted then.
tell() {
    echo "$1" >&"$to"
    read -r -t 60 -u "$from" -a told || told=()
}

end_program() { # SIGNAL
    kill -s "$1" "$program"
    wait "$program" 2>/dev/null || true
    exec {to}>&- {from}<&-
}

# -- What dcampd knows of it -----------------------------------------------------------------

# value COLUMN SENSOR INSTANCE
value() {
    get "dcampValue$1.\"$2\".\"$user/$3\"" 2>/dev/null || true
}

value_is() { # COLUMN SENSOR INSTANCE EXPECTED
    [[ $(value "$1" "$2" "$3") == "$4" ]]
}

# equal A B [DIFFERENCE]: as numbers, or nearly.
equal() {
    awk -v a="$1" -v b="$2" -v most="${3:-0}" 'BEGIN {
        d = a - b
        exit !(a != "" && b != "" && d <= most && -d <= most) }'
}

# counts_as_told APPLICATION: all that has a number.
counts_as_told() {
    equal "$(value Raw count "$1:orders")" "${told[0]}" &&
        equal "$(value Raw count "$1:payment:card")" "${told[2]}" &&
        equal "$(value Raw time "$1:payment:card")" "${told[3]}" &&
        equal "$(value Raw count "$1:weight")" "${told[4]}" &&
        equal "$(value Text sum "$1:weight")" "${told[5]}" &&
        equal "$(value Raw begun "$1:cook")" "${told[6]}" &&
        equal "$(value Raw count "$1:cook")" "${told[7]}" &&
        equal "$(value Raw failed "$1:cook")" "${told[8]}" &&
        equal "$(value Raw count "$1:dishes")" "${told[9]}"
}

# has_all SENSOR INSTANCE COUNT SUM: its statistics, which have not ended, have so many events, and their
# sum divided by them, with six decimals.
has_all() {
    equal "$(value WindowSamples "$1" "$2")" "$3" &&
        equal "$(value Mean "$1" "$2")" "$(awk -v n="$3" -v sum="$4" 'BEGIN { printf "%.17g", sum / n }')" 6e-7
}

config() {
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <sensors>
    <sensor name="processes" metric="app.processes" interval="500ms"/>
    <sensor name="started" metric="app.started" interval="500ms"/>
    <sensor name="refused" metric="app.refused" interval="500ms"/>
    <sensor name="lost" metric="app.lost" instances="*/lossy" interval="500ms"/>
    <sensor name="count" metric="app.count" interval="500ms"/>
    <sensor name="rate" metric="app.count" instances="*/shop:orders*" calculation="rate" interval="500ms"/>
    <sensor name="value" metric="app.value" interval="500ms"/>
    <sensor name="time" metric="app.time" interval="500ms"/>
    <sensor name="sum" metric="app.sum" interval="500ms"/>
    <sensor name="begun" metric="app.begun" interval="500ms"/>
    <sensor name="failed" metric="app.failed" interval="500ms"/>
    <sensor name="often" metric="app.time" calculation="average" interval="300ms" window="1d"/>
    <sensor name="seldom" metric="app.time" calculation="average" interval="1900ms" window="1d"/>
    <sensor name="weights" metric="app.sum" calculation="average" interval="700ms" window="1d"/>
    <sensor name="payment" metric="app.time" instances="*/shop:payment*" calculation="average"
            interval="500ms" window="2s"/>
    <sensor name="load.1" metric="load.1" interval="1s"/>
  </sensors>
  <thresholds>
    <threshold name="slow" sensor="payment" source="p90" operator="gt" limit="0.05" match="1" clear="0.04" severity="warning"/>
  </thresholds>
</dcamp>
END
}

config >"$work/apps.xml"
start_lab --config "$work/apps.xml"
ok "nothing is there while no program publishes" [ -z "$(walk dcampValueText | grep '"count"')" ]

# -- Every number ----------------------------------------------------------------------------

start_program shop
tell "add 7"
tell "set -2.5"
tell "record 0.5 3"
tell "record 1000 2"
tell "record -4 1"
tell "step 9 2"
tell "touch soup 5"
tell "touch tea 6"
tell "work 1 20"
eventually "the values are those that the program has told" 10 counts_as_told shop
eventually "the gauge, too" 5 value_is Text value shop:queue:north -2.5
for row in "count shop:orders orders" "rate shop:orders orders/s" "count shop:payment:card events" \
    "value shop:queue:north jobs" "time shop:payment:card s" "sum shop:weight kg" "count shop:dishes dishes" \
    "count shop:cook events" "often shop:cook s"; do
    read -r sensor instance unit <<<"$row"
    is "$sensor of $instance has its unit" "$(value Unit "$sensor" "$instance")" "$unit"
done
is "its process is counted" "$(value Text processes shop)" 1
is "a pattern selects sensors" "$(walk 'dcampValueState."rate"' | grep -c .)" 1
is "a gauge has no count" "$(walk 'dcampValueState."count"' | grep -c queue)" 0
is "what a timer does not have, it does not have" "$(walk 'dcampValueState."sum"' | grep -c .)" 1

# -- Every event -----------------------------------------------------------------------------

for _ in 1 2 3; do
    tell "work 3 100 9"
    tell "record 12.5 40"
done
seconds=$(awk -v ns="${told[3]}" 'BEGIN { printf "%.17g", ns / 1e9 }')
eventually "a sensor has counted every event, and their time" 10 \
    has_all often shop:payment:card "${told[2]}" "$seconds"
eventually "one that is due more seldom, too" 10 has_all seldom shop:payment:card "${told[2]}" "$seconds"
eventually "and that of a histogram" 10 has_all weights shop:weight "${told[4]}" "${told[5]}"
ok "a percentile is of the events" equal "$(value P50 weights shop:weight)" 12.5 0.125

# Meanwhile it is read, in the middle of updates.
tell "mix 40000000"
eventually "what is counted all the time is counted as well" 10 has_all weights shop:weight "${told[4]}" "${told[5]}"

# -- Every thread ----------------------------------------------------------------------------

# shares COLUMN SENSOR [WHERE]: what the threads of the program have of a sensor, in the order of the
# shards, which but for that of the process begin at 1.
shares() {
    walk "dcampApplicationThread$1.\"$user\".\"shop\".$2" |
        awk '{ shard = $1; sub(/.*\./, "", shard); value = $0; sub(/^[^ ]* /, "", value)
               gsub(/"/, "", value); print shard, value }' | sort -n | cut -d ' ' -f 2-
}
shares_are() { # COLUMN SENSOR EXPECTED...
    [[ $(shares "$1" "$2" | xargs) == "${*:3}" ]]
}

before=${told[0]}
tell "crew 8 1000"
eventually "each of eight threads has what it has counted, and the main one what it had" 10 \
    shares_are Count '"orders".""' "$before" 1000 1001 1002 1003 1004 1005 1006 1007
is "together it is what the sensor has" "$(shares Count '"orders".""' | awk '{ sum += $1 } END { print sum }')" "${told[0]}"
is "each has a name" "$(shares Name '"orders".""' | tail -n +2 | xargs)" \
    "crew 0 crew 1 crew 2 crew 3 crew 4 crew 5 crew 6 crew 7"
is "all of them live" "$(shares Lives '"orders".""' | sort -u)" true
ok "they are those of the process" equal "$(shares Id '"orders".""' | head -n 1)" "$program"
is "who has timed nothing has no row" "$(shares Name '"payment"."card"' | tail -n +2 | xargs)" \
    "crew 1 crew 2 crew 3 crew 4 crew 5 crew 6 crew 7"
is "the others have their time" "$(shares Time '"payment"."card"' | tail -n +2 | xargs)" "1000 2000 3000 4000 5000 6000 7000"
is "a gauge is of the process" "$(shares Value '"queue"."north"')" -2.5
tell "crew 0 0"
eventually "a thread that has ended does not live" 10 shares_are Lives '"orders".""' true false false false \
    false false false false false
ok "what it has counted stays" shares_are Count '"orders".""' "$before" 1000 1001 1002 1003 1004 1005 1006 1007
tell "crew 2 1"
eventually "another one goes on where it was" 10 shares_are Count '"orders".""' "$before" 1001 1003 1002 1003 1004 1005 \
    1006 1007
is "and is the second one there" "$(shares Threads '"orders".""' | xargs)" "1 2 2 1 1 1 1 1 1"
ok "the process shares nothing with them" not exists "dcampApplicationThreadCount.\"$user\".\"shop\".\"orders\".\"\".$program.0"
tell "crew 0 0"

# -- Who dies --------------------------------------------------------------------------------

end_program KILL
eventually "a program that was killed has no process" 10 value_is Text processes shop 0
ok "the totals of a program that was killed stay" counts_as_told shop
is "its file is gone" "$(ls -A "$DCAMP_LAB_APPS_1")" ""
last=("${told[@]}")

start_program shop
tell "add 3"
eventually "another process goes on where the first one was" 10 value_is Raw count shop:orders $((last[0] + 3))
is "and is the second one" "$(value Text started shop)" 2
control kill-dcampd --signal KILL
tell "add 10"
control start-dcampd
eventually "what lives when dcampd has been killed is there as a whole" 15 value_is Raw count shop:orders 13
tell "add 5"
eventually "and counts on" 10 value_is Raw count shop:orders 18

# -- A threshold -----------------------------------------------------------------------------

is_open() {
    walk dcampAlarmKey | grep -q "slow.*payment"
}
is_over() {
    ! is_open
}
for ((i = 0; i < 10; i++)); do
    tell "work 10 20 80"
    ! is_open || break
done
ok "a fifth that is slow raises the alarm on the 90th percentile" is_open
for ((i = 0; i < 20; i++)); do
    tell "work 10 50 10"
    ! is_over || break
done
ok "it ends when they are fast" is_over

# -- Who means harm --------------------------------------------------------------------------

head -c 100000 /dev/urandom >"$DCAMP_LAB_APPS_1/4711.1"
head -c 6000 "$DCAMP_LAB_APPS_1/$program".* >"$DCAMP_LAB_APPS_1/4712.1"
: >"$DCAMP_LAB_APPS_1/4713.1"
ln -s /etc/passwd "$DCAMP_LAB_APPS_1/4714.1"
mkfifo "$DCAMP_LAB_APPS_1/4715.1"
mkdir "$DCAMP_LAB_APPS_1/4716.1"
tell "add 100"
eventually "who puts rubbish there harms nobody" 10 value_is Raw count shop:orders 118
eventually "and is told of" 10 grep -q 'warning application: user' "$DCAMP_LAB_LOG_1"

# -- The documentation -----------------------------------------------------------------------

build_example C shop.c
ok "the example of the documentation runs" env DCAMP_APPS="$DCAMP_LAB_APPS_1" "$work/shop"
eventually "its orders are there, too" 10 value_is Raw count shop:orders 1118

# -- Names -----------------------------------------------------------------------------------

tell "make wide 64"
eventually "what has a name that is too long is told of" 10 grep -q 'are not shown' "$DCAMP_LAB_LOG_1"
sleep 2
is "once" "$(grep -c 'are not shown' "$DCAMP_LAB_LOG_1")" 1
is "and is not there" "$(walk dcampValueState | grep -c wide)" 0
tell "make wide 40"
eventually "a shorter one is" 10 value_is Raw count "shop:wide:$(printf 'i%.0s' {1..40})" 0
end_program TERM
finish
