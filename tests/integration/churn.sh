#!/usr/bin/env bash
# Programs whose threads, children and images come and go, programs and dcampd that are killed again and
# again: what dcampd publishes is what the programs themselves have counted, exactly; percentiles are
# within 1 %, the keys that have most within their bounds; and neither a program nor dcampd grows.
# churn.sh [--threads N] [--kills N]: make sensors-long does it with a million and 200.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

build=$(realpath "${DCAMP_BUILD:-$top/build}")
driver=$build/tests/integration/applications-driver
user=$(id -un)
threads=20000
kills=4
while [[ $# -gt 0 ]]; do
    if [[ ! $1 =~ ^--(threads|kills)$ || ! ${2:-} =~ ^[1-9][0-9]*$ ]]; then
        echo "usage: churn.sh [--threads N] [--kills N]" >&2
        exit 2
    fi
    declare "${1#--}=$2"
    shift 2
done
sanitized=no
! nm "$build/dcampd" | grep -q __asan_init || sanitized=yes

config() {
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <sensors>
    <sensor name="load.1" metric="load.1" interval="1s"/>
    <sensor name="count" metric="app.count" interval="500ms"/>
    <sensor name="sum" metric="app.sum" interval="500ms"/>
    <sensor name="begun" metric="app.begun" interval="500ms"/>
    <sensor name="failed" metric="app.failed" interval="500ms"/>
    <sensor name="started" metric="app.started" interval="500ms"/>
    <sensor name="weights" metric="app.sum" calculation="average" interval="500ms" window="1d"/>
  </sensors>
</dcamp>
END
}

# -- The program -----------------------------------------------------------------------------

start_program() {
    mkfifo "$work/in" "$work/out"
    DCAMP_APPS=$DCAMP_LAB_APPS_1 "$driver" shop <"$work/in" >"$work/out" 2>>"$work/error" &
    program=$!
    jobs_started+=("$program")
    exec {to}>"$work/in" {from}<"$work/out"
    rm "$work/in" "$work/out"
}

# tell LINE: told becomes what the program has counted then.
tell() {
    echo "$1" >&"$to"
    read -r -t 600 -u "$from" -a told || told=()
}

kill_program() {
    kill -KILL "$program"
    wait "$program" 2>/dev/null || true
    exec {to}>&- {from}<&-
}

resident_kb() { # PID
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

# -- What dcampd says ------------------------------------------------------------------------

value() { # COLUMN SENSOR INSTANCE
    get "dcampValue$1.\"$2\".\"$user/shop${3:+:$3}\"" 2>/dev/null || true
}

# counter_is N
counter_is() {
    [[ $(value Raw count orders) == "$1" ]]
}

nothing_is_left() {
    [[ -z $(ls -A "$DCAMP_LAB_APPS_1") ]]
}

config >"$work/churn.xml"
start_lab --config "$work/churn.xml"

# -- Threads, children and images that come and go ---------------------------------------------

start_program
tell "come $((threads / 10))"
eventually "each thread has been counted" 20 counter_is "${told[0]}"
before_program=$(resident_kb "$program") before_daemon=$(resident_kb "$(pid_of dcampd 1)")
for _ in 1 2 3; do
    tell "come $((threads * 3 / 10))"
    eventually "and all that came then, ${told[0]}" 20 counter_is "${told[0]}"
done
grown() { # PID BEFORE MOST
    local now
    now=$(resident_kb "$1")
    echo "# $2 kB before, $now kB now"
    [[ $((now - $2)) -le $3 ]]
}
if [[ $sanitized == no ]]; then
    ok "the program has grown by no more than 512 kB" grown "$program" "$before_program" 512
    ok "nor has dcampd" grown "$(pid_of dcampd 1)" "$before_daemon" 512
fi

for _ in 1 2 3; do
    tell "crew 1000 1"
    eventually "a thousand at once are counted while they live" 20 counter_is "${told[0]}"
done
tell "crew 0 0"
before_program=$(resident_kb "$program")
for _ in 1 2 3; do
    tell "crew 1000 1"
    tell "crew 0 0"
done
eventually "and when they have ended" 20 counter_is "${told[0]}"
[[ $sanitized == yes ]] || ok "a thousand more take no more" grown "$program" "$before_program" 1024

forks=$((threads / 400 + 50))
tell "fork $forks"
eventually "children, and what they have become, are counted: $forks" $((20 + forks / 50)) counter_is "${told[0]}"
is "all of them were seen" "$(value Text started '')" $((1 + forks + forks / 2))
before_daemon=$(resident_kb "$(pid_of dcampd 1)")
for _ in 1 2 3; do
    tell "fork $forks"
    eventually "and $forks more" $((20 + forks / 50)) counter_is "${told[0]}"
done
[[ $sanitized == yes ]] || ok "dcampd has no more than before" grown "$(pid_of dcampd 1)" "$before_daemon" 512
kill_program
eventually "they have left no files" 20 nothing_is_left
ok "and all that they have counted" counter_is "${told[0]}"

# -- Programs and dcampd that are killed ---------------------------------------------------------

# What all programs have counted since dcampd has begun, but for the one that lives: as told.
begin_anew() {
    base=(0 0 0 0 0 0 0 0 0 0)
    : >"$work/values"
    : >"$work/touched"
}

# restart_dcampd: killed. It has looked at what lives, whose events before are in no window.
has_looked() {
    walk dcampApplicationProcesses >/dev/null
    exists dcampApplicationAge.0
}
restart_dcampd() {
    control kill-dcampd --signal KILL
    control start-dcampd
    begin_anew
    within 20 has_looked || true
}

add() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g", a + b }'
}

settle() {
    local i
    for i in "${!base[@]}"; do
        base[i]=$(add "${base[i]}" "${told[i]}")
    done
    cat "$work/mine" >>"$work/touched"
    : >"$work/mine"
}

equal() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && d <= 1e-6 && -d <= 1e-6) }'
}

# all_is_there TOLD...: what the program that lives has counted, or nothing.
all_is_there() {
    local is=("$@") i=0 have
    for have in "$(value Raw count orders)" '' '' '' "$(value Raw count weight)" "$(value Text sum weight)" \
        "$(value Raw begun cook)" "$(value Raw count cook)" "$(value Raw failed cook)" "$(value Raw count dishes)"; do
        [[ -z $have && $i -ge 1 && $i -le 3 ]] || equal "$have" "$(add "${base[i]}" "${is[i]:-0}")" || return
        i=$((i + 1))
    done
}

# Values and how often each came, as lines: the one of the rank that calculate/histogram.h has for a P-quantile.
exact_quantile() {
    sort -g "$work/values" | awk -v p="$1" '{ value[NR] = $1; sum += $2; upto[NR] = sum }
        END { rank = int(p * (sum - 1)); for (i = 1; i <= NR; i++) if (upto[i] > rank) { print value[i]; exit } }'
}

percentiles_are_right() {
    local p
    [[ $(value WindowSamples weights weight) == "$(awk '{ n += $2 } END { print n + 0 }' "$work/values")" ]] || return
    for p in 50 90 99; do
        awk -v is="$(value "P$p" weights weight)" -v should="$(exact_quantile "0.$p")" \
            'BEGIN { d = is - should; exit !(is != "" && d <= 0.01 * should && -d <= 0.01 * should) }' || return
    done
}

# Counts are never less than what was touched, and less their errors never more; the first is there.
keys_are_right() {
    walk dcampTopTable | awk '
        { rank = $1; sub(/.*\./, "", rank); column = $1; sub(/\..*/, "", column); sub(/.*::/, "", column)
          gsub(/"/, "", $2); cell[rank, column] = $2; ranks[rank] }
        END { for (rank in ranks)
            print cell[rank, "dcampTopKey"], cell[rank, "dcampTopCount"], cell[rank, "dcampTopError"] }' >"$work/tops"
    awk 'NR == FNR { really[$1] += $2; total += $2; next }
        { rows++; shown[$1] }
        $2 < really[$1] || $2 - $3 > really[$1] || $3 > 3 * total / 1000 { bad++ }
        END { for (key in really) if (really[key] > most) { most = really[key]; first = key }
              exit bad || rows != 10 || !(first in shown) }' <(cat "$work/touched" "$work/mine") "$work/tops"
}

# count_much: of each kind, by chance.
count_much() {
    local i value n key
    tell "add $((RANDOM * 7))"
    for ((i = 0; i < 20; i++)); do
        value=$((RANDOM % 100 + 1)).$((RANDOM % 10)) n=$((RANDOM % 200 + 1))
        tell "record $value $n"
        echo "$value $n" >>"$work/values"
    done
    for ((i = 0; i < 40; i++)); do
        key=key$((RANDOM % 12)) n=$((RANDOM % 1000 + 1))
        tell "touch $key $n"
        echo "$key $n" >>"$work/mine"
    done
    tell "step $((RANDOM % 500 + 10)) $((RANDOM % 10))"
}

restart_dcampd
: >"$work/mine"
for ((round = 1; round <= kills; round++)); do
    start_program
    count_much
    eventually "round $round: all is there that the program has counted" 20 all_is_there "${told[@]}"
    if ((round % 3 == 2)); then
        restart_dcampd
        eventually "what lives when dcampd is killed is there again" 20 all_is_there "${told[@]}"
        count_much
        eventually "and counts on" 20 all_is_there "${told[@]}"
    fi
    eventually "percentiles are within 1 % of the exact ones" 20 percentiles_are_right
    eventually "keys are within their bounds" 20 keys_are_right
    kill_program
    settle
    eventually "its file is gone" 20 nothing_is_left
    ok "and all of it has stayed" all_is_there
    ((round % 3)) || restart_dcampd
done
finish
