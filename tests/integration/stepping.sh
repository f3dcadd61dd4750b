# shellcheck shell=bash
# Programs whose steps are executed as they are told, and what nodes know of that; for tests that have
# sourced common.sh.
# shellcheck disable=SC2034,SC2154

driver=$(realpath "${DCAMP_BUILD:-$top/build}")/tests/integration/steps-driver
reader=$(realpath "${DCAMP_BUILD:-$top/build}")/tests/integration/read-blocks
user=$(id -un)

# -- Programs --------------------------------------------------------------------------------

declare -A process to from

# start_program NODE
start_program() {
    local apps=DCAMP_LAB_APPS_$1 in out
    mkfifo "$work/in" "$work/out"
    DCAMP_APPS=${!apps} "$driver" shop <"$work/in" >"$work/out" 2>"$work/error.$1" &
    process[$1]=$!
    jobs_started+=($!)
    exec {in}>"$work/in" {out}<"$work/out"
    to[$1]=$in from[$1]=$out
    rm "$work/in" "$work/out"
}

# tell NODE LINE: told is when that began and ended.
tell() {
    echo "$2" >&"${to[$1]}"
    read -r -t 60 -u "${from[$1]}" -a told || told=()
}

end_program() { # NODE
    local in=${to[$1]} out=${from[$1]}
    kill -KILL "${process[$1]}"
    wait "${process[$1]}" 2>/dev/null || true
    exec {in}>&- {out}<&-
}

# -- What nodes know -------------------------------------------------------------------------

# value NODE COLUMN SENSOR INSTANCE
value() {
    at "$1" get "dcampValue$2.\"$3\".\"$user/$4\"" 2>/dev/null || true
}

value_is() { # NODE COLUMN SENSOR INSTANCE EXPECTED
    [[ $(value "$1" "$2" "$3" "$4") == "$5" ]]
}

loss_is() { # NODE COLUMN EXPECTED: of dcampApplicationTable
    [[ $(at "$1" get "dcampApplication$2.\"$user\".\"shop\"" 2>/dev/null) == "$3" ]]
}

# between LEAST VALUE MOST
between() {
    awk -v least="$1" -v value="$2" -v most="$3" \
        'BEGIN { exit !(value != "" && value + 0 >= least && value + 0 <= most) }'
}

value_between() { # NODE COLUMN SENSOR INSTANCE LEAST MOST
    between "$5" "$(value "$1" "$2" "$3" "$4")" "$6"
}

read_blocks() {
    snmpbulkwalk -OqvxUt "${snmp[@]}" "$node" DCAMP-MIB::dcampReportBlock | tr -d '\n' | tr -s '"' '\n'
}

# records NODE: those in its blocks: "sequence result duration", sorted.
records() {
    at "$1" read_blocks | "$reader" | awk '$1 == "record" { print $6, $7, $5 }' | sort -n
}

has_records() { # NODE N
    [[ $(records "$1" | wc -l) -eq $2 ]]
}

# sensor NODE NAME METRIC CALCULATION
sensor() {
    at "$1" set_ "dcampSensorMetric.\"$2\"" s "$3" "dcampSensorCalculation.\"$2\"" i "$4" \
        "dcampSensorInterval.\"$2\"" u 1000 "dcampSensorWindow.\"$2\"" u 86400000 \
        "dcampSensorRowStatus.\"$2\"" i createAndGo >/dev/null
}
