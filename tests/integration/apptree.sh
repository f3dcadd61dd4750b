#!/usr/bin/env bash
# What programs on three nodes publish, as their collector and its root show it: sums over all of them,
# statistics of every event, and the keys that have most, each beside what the programs have counted;
# while programs come, are killed and come back, and while a dcampd is.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

driver=$(realpath "${DCAMP_BUILD:-$top/build}")/tests/integration/applications-driver
user=$(id -un)
declare -A to from program told

# -- Programs --------------------------------------------------------------------------------

# start_program LEAF NAME: its process is program[LEAF.NAME].
start_program() {
    local key=$1.$2 apps=DCAMP_LAB_APPS_$1 in out
    mkfifo "$work/in.$key" "$work/out.$key"
    DCAMP_APPS=${!apps} "$driver" "$2" <"$work/in.$key" >"$work/out.$key" 2>"$work/error.$key" &
    program[$key]=$!
    jobs_started+=("$!")
    exec {in}>"$work/in.$key" {out}<"$work/out.$key"
    to[$key]=$in from[$key]=$out
    rm "$work/in.$key" "$work/out.$key"
}

# tell LEAF.NAME: lines from standard input; told[LEAF.NAME] becomes what it has counted then.
tell() {
    local n last
    cat >"$work/lines"
    n=$(wc -l <"$work/lines")
    head -n "$n" <&"${from[$1]}" >"$work/log" &
    cat "$work/lines" >&"${to[$1]}"
    wait $!
    last=$(tail -n 1 "$work/log")
    told[$1]=$last
}

kill_program() { # LEAF.NAME
    local in=${to[$1]} out=${from[$1]}
    kill -KILL "${program[$1]}"
    wait "${program[$1]}" 2>/dev/null || true
    exec {in}>&- {out}<&-
}

# counted FIELD LEAF.NAME...: what these have counted together, by their own account.
counted() {
    local field=$1 key sum=0 words
    shift
    for key; do
        read -r -a words <<<"${told[$key]}"
        sum=$((sum + words[field]))
    done
    echo "$sum"
}

# -- Aggregates ------------------------------------------------------------------------------

# make_aggregate NAME SENSOR FUNCTION [COLUMN TYPE VALUE]...: at the collector over the leaves, at the
# root over that.
make_aggregate() {
    local name=$1 sensor=$2 function=$3 words=() where
    shift 3
    while [[ $# -gt 0 ]]; do
        words+=("dcampAggregate$1.\"$name\"" "$2" "$3")
        shift 3
    done
    for where in collector1 root; do
        at "$where" set_ "dcampAggregateSensor.\"$name\"" s "$sensor" \
            "dcampAggregateFunction.\"$name\"" i "$function" \
            "dcampAggregateInterval.\"$name\"" u 500 "${words[@]}" \
            "dcampAggregateRowStatus.\"$name\"" i createAndGo >>"$work/set" || return
        sensor=$name
    done
}

# cells NODE COLUMN AGGREGATE.INSTANCE...: values in one answer, in a line.
cells() {
    local where=$1 column=$2 row objects=()
    shift 2
    for row; do
        objects+=("dcampAggregateValue$column.\"${row%%:*}\".\"${row#*:}\"")
    done
    at "$where" get "${objects[@]}" 2>/dev/null | paste -sd ' '
}

cells_are() { # EXPECTED NODE COLUMN AGGREGATE:INSTANCE...
    [[ $(cells "${@:2}") == "$1" ]]
}

# -- Events ----------------------------------------------------------------------------------

# burst FILE: what it says to each program, at once: lines of LEAF.NAME and what it is told.
burst() {
    local key
    cut -d " " -f 1 "$1" | sort -u >"$work/whom"
    while read -r key; do
        tell "$key" < <(sed -n "s/^$key //p" "$1")
    done <"$work/whom"
}

# values_of FILE: the values that the lines of a burst record.
values_of() {
    awk '$2 == "mix" { for (i = 0; i < $3; i++) print i % 1000 }
         $2 == "record" { for (i = 0; i < $4; i++) print $3 }' "$1" | sort -g
}

# figures FILE: count, sum, mean, least, largest and the 90th percentile, by nearest rank.
figures() {
    values_of "$1" | awk '
        { value[NR] = $1; sum += $1 }
        END { rank = int(NR * 0.9); rank += rank < NR * 0.9
              print NR, sum, sum / NR, value[1], value[NR], value[rank] }'
}

# same NUMBERS EXPECTED: sums and means nearly, and the last three within 1 %, or equal.
same() {
    paste -d ' ' <(tr ' ' '\n' <<<"$1") <(tr ' ' '\n' <<<"$2") | awk '
        { d = $1 - $2; d = d < 0 ? -d : d; size = $2 < 0 ? -$2 : $2
          if (NF != 2 || d > size * (NR <= 3 ? 1e-6 : 0.01)) wrong++ }
        END { exit wrong > 0 || NR != 6 }'
}

# shows_events NODE INSTANCE EXPECTED: of six aggregates.
shows_events() {
    seen=$(cells "$1" Text "weight.count:$2" "weight.sum:$2" "weight.avg:$2" "weight.min:$2" \
        "weight.max:$2" "weight.p90:$2")
    same "$seen" "$3"
}

# What comes in one window comes again until it did so on all nodes: where it is cut, there are two
# windows with a part each.
events_are_shown() { # INSTANCE FILE
    local expected try
    expected=$(figures "$2")
    for ((try = 0; try < 8; try++)); do
        burst "$2"
        ! within 8 shows_events collector1 "$1" "$expected" || break
    done
    echo "# collector1: $seen, expected $expected, after $((try + 1)) times"
    [[ $try -lt 8 ]] && within 8 shows_events root "$1" "$expected"
}

# -- Keys ------------------------------------------------------------------------------------

# keys LEAF FIRST LAST: so many keys, of which number n has 30000 / n, in an order by chance. Adds them
# to the file of what there really is on that leaf.
keys() {
    awk -v first="$2" -v last="$3" 'BEGIN {
        for (n = first; n <= last; n++)
            print "key" n, int(30000 / n) }' | tee -a "$work/truth.$1" |
        shuf --random-source=/bin/bash | sed 's/^/touch /'
}

# read_tops NODE AGGREGATE INSTANCE: the rows as "rank key count error guaranteed".
read_tops() {
    at "$1" walk "dcampAggregateTopTable" | grep -F ".\"$2\".\"$3\"." | awk '
        { rank = $1; sub(/.*\./, "", rank); column = $1
          sub(/\..*/, "", column); sub(/.*::/, "", column)
          gsub(/"/, "", $2); cell[rank, column] = $2; ranks[rank] }
        END { for (rank in ranks)
            print rank, cell[rank, "dcampAggregateTopKey"], cell[rank, "dcampAggregateTopCount"],
                  cell[rank, "dcampAggregateTopError"], cell[rank, "dcampAggregateTopGuaranteed"] }' |
        sort -n >"$work/tops"
}

# what_is_wrong N: of the rows, by what really was added on all leaves: counts are never less than
# that, and less their errors never more; ranks are complete and in order; and all are guaranteed, so
# that they are the N that really have most.
what_is_wrong() {
    awk '{ sum[$1] += $2 } END { for (key in sum) print key, sum[key] }' "$work"/truth.* |
        sort -k2,2nr -k1,1 >"$work/sums"
    awk -v n="$1" '
        NR == FNR { really[$1] = $2; total += $2; if (FNR <= n) least = $2; next }
        { rows++ }
        $1 != rows { print "rank", $1, "in the place of", rows }
        !($2 in really) { print $2, "was never there" }
        $3 < really[$2] { print $2, "has", really[$2], "and not", $3, "at most" }
        $3 - $4 > really[$2] { print $2, "has", really[$2], "and not", $3 - $4, "at least" }
        rows > 1 && $3 > before { print $2, "is behind one with less" }
        { before = $3 }
        $5 != "true" { print $2, "is not guaranteed" }
        $5 == "true" && really[$2] < least { print $2, "is not among the first" }
        END { if (rows != n) print rows + 0, "rows" }' "$work/sums" "$work/tops"
}

tops_are() { # NODE N
    read_tops "$1" dishes "$user/shop:dishes"
    what_is_wrong "$2" >"$work/wrong"
    [[ ! -s $work/wrong ]]
}

# tops_are_right WHEN N: at the collector, and at the root.
tops_are_right() {
    local where
    for where in collector1 root; do
        eventually "$1, $2 keys have most at $where" 30 tops_are "$where" "$2"
        sed 's/^/# /' "$work/wrong"
    done
}

# -- Sums over nodes ---------------------------------------------------------------------------

config() {
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <sensors>
    <sensor name="orders" metric="app.count" instances="*:orders" interval="500ms"/>
    <sensor name="rate" metric="app.count" instances="*:orders" calculation="rate" interval="500ms"/>
    <sensor name="dishes" metric="app.count" instances="*:dishes" interval="500ms" window="2s"/>
    <sensor name="weight" metric="app.sum" instances="*:weight" calculation="average" interval="500ms"
            window="4s"/>
    <sensor name="load.1" metric="load.1" interval="1s"/>
  </sensors>
</dcamp>
END
}

# sums_are WHEN SHOP TILL EXPECTED: of two applications and of both, and how many nodes have the first.
sums_are() {
    local where rows=("orders:$user/shop:orders" "orders:$user/till:orders" orders.all:total)
    for where in collector1 root; do
        eventually "$1, orders are added up at $where" 30 \
            cells_are "$2 $3 $(($2 + $3))" "$where" Text "${rows[@]}"
        echo "# $(cells "$where" Text "${rows[@]}")"
        eventually "$1, $where knows how many nodes have some" 30 \
            cells_are "$4" "$where" Reporting "orders:$user/shop:orders"
        is "$1, $where misses none" "$(cells "$where" Missing "${rows[@]}")" "0 0 0"
    done
}

config >"$work/leaf.xml"
start_lab --nodes 3 --collectors 1 --config "$work/leaf.xml"
for function in sum:sum: avg:avg: min:min: max:max: count:count: p90:percentile:90; do
    IFS=: read -r name function parameter <<<"$function"
    ok "there is an aggregate of events, $name" make_aggregate "weight.$name" weight "$function" \
        By i instance Source i window Parameter s "$parameter"
done
ok "there is one of orders" make_aggregate orders orders sum By i instance
ok "there is one of all orders" make_aggregate orders.all orders sum
ok "there is one of rates" make_aggregate rate rate sum By i instance
ok "there is one of keys" make_aggregate dishes dishes sum By i instance
ok "the function top cannot be of windows" not at collector1 set_ 'dcampAggregateSensor."t"' s orders \
    'dcampAggregateFunction."t"' i top 'dcampAggregateParameter."t"' s 3 \
    'dcampAggregateSource."t"' i window 'dcampAggregateRowStatus."t"' i createAndGo 2>/dev/null

start_program 1 shop
start_program 2 shop
start_program 3 till
tell 1.shop <<<"add 700"
tell 2.shop <<<"add 41"
tell 3.till <<<"add 5"
sums_are "with two shops" "$(counted 0 1.shop 2.shop)" "$(counted 0 3.till)" 2
start_program 3 shop
tell 3.shop <<<"add 1000"
sums_are "with a third one" "$(counted 0 1.shop 2.shop 3.shop)" "$(counted 0 3.till)" 3
for where in collector1 root; do
    is "at $where they are orders" "$(cells $where Unit "orders:$user/shop:orders" orders.all:total)" \
        "orders orders"
    is "at $where rates are of orders" "$(cells $where Unit "rate:$user/shop:orders")" orders/s
done

# -- Every event -------------------------------------------------------------------------------

cat >"$work/burst" <<'END'
1.shop mix 2000
2.shop mix 700
2.shop record -4 30
3.shop record 2500 400
END
ok "statistics over all nodes are of every event" events_are_shown "$user/shop:weight" "$work/burst"
eventually "without events lately, all are missing" 40 \
    cells_are 3 collector1 Missing "weight.p90:$user/shop:weight"
is "there is no percentile then" "$(cells collector1 State "weight.p90:$user/shop:weight")" unavailable

# -- Keys that have most -----------------------------------------------------------------------

keys 1 1 3000 >"$work/keys"
tell 1.shop <"$work/keys"
{
    keys 2 3 2000
    echo "touch lonely 50000" && echo "lonely 50000" >>"$work/truth.2"
} >"$work/keys"
tell 2.shop <"$work/keys"
keys 3 1 500 >"$work/keys"
tell 3.shop <"$work/keys"
tops_are_right "with three shops" 10
ok "two keys are wanted" at collector1 set_ dcampTopSize.0 u 2
eventually "there are two" 30 tops_are collector1 2
sed 's/^/# /' "$work/wrong"
eventually "the root has as many as before" 10 tops_are root 10
ok "ten are wanted" at collector1 set_ dcampTopSize.0 u 10

# -- Who is killed -----------------------------------------------------------------------------

kill_program 1.shop
gone=$(counted 0 1.shop)
sums_are "with a program killed" $((gone + $(counted 0 2.shop 3.shop))) "$(counted 0 3.till)" 3
tops_are_right "with a program killed" 10
start_program 1 shop
tell 1.shop <<<"add 9"
keys 1 5 800 >"$work/keys"
tell 1.shop <"$work/keys"
sums_are "with another in its place" $((gone + $(counted 0 1.shop 2.shop 3.shop))) \
    "$(counted 0 3.till)" 3
tops_are_right "with another in its place" 10

control kill-dcampd --node 2 --signal KILL
eventually "the collector misses what it does not hear of" 30 \
    cells_are 1 collector1 Missing "orders:$user/shop:orders"
tell 2.shop <<<"add 300"
keys 2 20 40 >"$work/keys"
tell 2.shop <"$work/keys"
control start-dcampd --node 2
sums_are "after a kill of dcampd" $((gone + $(counted 0 1.shop 2.shop 3.shop))) "$(counted 0 3.till)" 3
tops_are_right "after a kill of dcampd" 10

# What the dead have counted is known to dcampd only.
control kill-dcampd --node 1 --signal KILL
control start-dcampd --node 1
awk 'NR > 3000' "$work/truth.1" >"$work/living" && mv "$work/living" "$work/truth.1"
sums_are "when nobody knows of the dead" "$(counted 0 1.shop 2.shop 3.shop)" "$(counted 0 3.till)" 3
tops_are_right "when nobody knows of the dead" 10
finish
