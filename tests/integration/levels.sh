#!/usr/bin/env bash
# Information levels: what the report blocks have of the same load at each of them, under a real
# master, and after a level was set while the sensor runs.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

bin=$DCAMP_BUILD/tests/integration

# sensor NAME [LEVEL]: all of them sample the same load in the same passes.
sensor() {
    local words=("dcampSensorMetric.\"$1\"" s load.1 "dcampSensorInterval.\"$1\"" u 100
        "dcampSensorWindow.\"$1\"" u 1000)
    [[ -z ${2:-} ]] || words+=("dcampSensorLevel.\"$1\"" i "$2")
    set_ "${words[@]}" "dcampSensorRowStatus.\"$1\"" i createAndGo >/dev/null
}

# The number of a series in the blocks; its samples so far.
number() {
    get "dcampValueSeries.\"$1\".\"total\""
}

samples() {
    get "dcampValueSamples.\"$1\".\"total\""
}

samples_reach() {
    [[ $(as_number samples "$1") -ge $2 ]]
}

# Waits for 25 more samples, which are two whole windows at least.
pass_time() {
    local until=$(($(samples percentile) + 25))
    eventually "time passes: $1" 20 samples_reach percentile "$until"
}

# What all blocks say, with the names of sensors in the place of numbers.
read_blocks() {
    local name
    for name in percentile basic threshold; do
        echo "$name $(number "$name")"
    done >"$work/numbers"
    snmpbulkwalk -OqvxUt "${snmp[@]}" "$node" DCAMP-MIB::dcampReportBlock | tr -d '\n' |
        tr -s '"' '\n' | "$bin/read-blocks" >"$work/said" || return 1
    awk 'NR == FNR { name[$2] = $1; next } $2 in name { $2 = name[$2]; print }' \
        "$work/numbers" "$work/said" >"$work/blocks"
}

# count KIND SENSOR [HISTOGRAM]: values, or windows; of windows, those whose last word is HISTOGRAM,
# "-" for none and "+" for one.
count() {
    awk -v kind="$1" -v name="$2" -v with="${3:-}" '
        $1 != kind || $2 != name { next }
        with == "" || (with == "-") == ($NF == "-") { n++ }
        END { print n + 0 }' "$work/blocks"
}

# values SENSOR: times and values.
values() {
    awk -v name="$1" '$1 == "value" && $2 == name { print $3, $4 }' "$work/blocks" | sort -n
}

# Of the values of a sensor, those above 50, and the first one after them.
breaches() {
    values percentile | awk '$2 > 50 || after { print } { after = $2 > 50 }'
}

make_root "$work/root"
start_lab --root "$work/root"
sensor percentile
sensor basic basic
sensor threshold threshold
is "percentile is the default" "$(get 'dcampSensorLevel."percentile"')" percentile
threshold high Sensor=threshold Operator=gt Limit=50 >/dev/null
eventually "there are series" 10 exists 'dcampValueSeries."threshold"."total"'

# -- Each level at once ----------------------------------------------------------------------

pass_time "below the limit"
ok "the blocks can be read" read_blocks
ok "percentile: values" [ "$(count value percentile)" -ge 25 ]
ok "percentile: windows, all with histograms" [ "$(count window percentile +)" -ge 2 ]
is "percentile: no window without one" "$(count window percentile -)" 0
ok "basic: values" [ "$(count value basic)" -ge 25 ]
ok "basic: windows without histograms" [ "$(count window basic -)" -ge 2 ]
is "basic: no window with one" "$(count window basic +)" 0
is "threshold: nothing below the limit" \
    "$(count value threshold) $(count window threshold)" "0 0"

for round in 1 2; do
    set_load "$work/root" 90
    eventually "round $round: raised" 10 alarm_of node1:high:total
    pass_time "round $round, above the limit"
    set_load "$work/root" 10
    eventually "round $round: cleared" 10 not alarm_of node1:high:total
    pass_time "round $round, below the limit again"
done
ok "the blocks can be read again" read_blocks
is "threshold: what breaches, and the first value after it, at the same times" \
    "$(values threshold)" "$(breaches)"
ok "threshold: that is something" [ "$(values threshold | wc -l)" -ge 50 ]
ok "threshold: windows without histograms" [ "$(count window threshold -)" -ge 4 ]
is "threshold: no window with one" "$(count window threshold +)" 0
is "threshold: no window in which nothing breached" \
    "$(awk '$1 == "window" && $2 == "threshold" && $7 <= 50' "$work/blocks")" ""
# Behind the first ones of both: the sensors were made one after the other.
windows() {
    awk -v name="$1" '$1 != "window" { next }
        !first[$2] || $3 < first[$2] { first[$2] = $3 }
        $2 == name { at[++n] = $3; $2 = $NF = ""; line[n] = $0 }
        END { for (i = 1; i <= n; i++) if (at[i] > first["basic"] && at[i] > first["percentile"]) print line[i] }' \
        "$work/blocks" | sort
}
is "windows of basic and percentile have the same moments" "$(windows basic)" "$(windows percentile)"
held=$(get 'dcampSensorHeld."threshold"') passed=$(get 'dcampSensorPassed."threshold"')
ok "dcampSensorPassed has what is in the blocks" [ "$passed" -eq "$(count value threshold)" ]
ok "dcampSensorHeld has the rest" [ "$held" -ge 50 ]

# -- While it runs ---------------------------------------------------------------------------

before=$(number percentile) n=$(samples percentile)
ok "threshold is set" set_ 'dcampSensorLevel."percentile"' i threshold
ok "no other level is" not set_ 'dcampSensorLevel."percentile"' i 4
n_values=$(get 'dcampSensorPassed."percentile"')
until=$(($(samples percentile) + 25))
eventually "time passes at the other level" 20 samples_reach percentile "$until"
is "the series is the same" "$(number percentile)" "$before"
ok "its samples go on" [ "$(samples percentile)" -gt "$n" ]
ok "one more value at most, of the pass while it was set" \
    [ "$(get 'dcampSensorPassed."percentile"')" -le $((n_values + 1)) ]
control kill-dcampd --signal KILL
control start-dcampd
is "the level outlives a kill" "$(get 'dcampSensorLevel."percentile"')" threshold
is "so do the others" \
    "$(get 'dcampSensorLevel."basic"' 'dcampSensorLevel."threshold"' | xargs)" "basic threshold"
finish
