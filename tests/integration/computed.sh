#!/usr/bin/env bash
# What is computed of the values: statistics of a window and derived sensors. What is sampled on
# demand, and what the command says of sensors.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# What there must be a metric for: usage of CPUs, free memory; octets and packets of interfaces;
# operations of disks; faults, CPU, user and privileged time, working set, virtual size, threads,
# I/O, open files and number of processes.
researched=(cpu.busy mem.free net.rx.bytes net.rx.packets net.tx.bytes net.tx.packets disk.reads
    disk.writes proc.faults proc.cpu proc.cpu.user proc.cpu.system proc.rss proc.vsize proc.threads
    proc.io.read.bytes proc.io.write.bytes proc.files proc.count)
declare -A cell=() # the text of values by "SENSOR INSTANCE", see cells

# value COLUMN SENSOR [INSTANCE]
value() {
    get "dcampValue$1.\"$2\".\"${3:-total}\""
}

# value_is COLUMN SENSOR [INSTANCE] EXPECTED
value_is() {
    local expected=${*: -1}
    [[ $(value "${@:1:$#-1}") == "$expected" ]]
}

# instances SENSOR: those that have a value.
instances() {
    walk "dcampValueText.\"$1\"" | sed -n 's/^.*"\.\"\(.*\)" [^ ]*$/\1/p' | sort
}

now_ms() {
    echo $((${EPOCHREALTIME/./} / 1000))
}

write_config() {
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <sensors>
    <sensor name="cpu.user" metric="cpu.user" calculation="percent" interval="200ms"/>
    <sensor name="cpu.system" metric="cpu.system" calculation="percent" interval="200ms"/>
    <sensor name="mem.free" metric="mem.free" interval="200ms"/>
    <sensor name="mem.total" metric="mem.total" interval="200ms"/>
    <sensor name="kernel.uptime" metric="kernel.uptime" interval="200ms"/>
    <sensor name="switches" metric="kernel.switches" calculation="rate" interval="400ms"
            window="4s"/>
    <sensor name="load.1" metric="load.1" interval="on-demand"/>
  </sensors>
</dcamp>
END
}

# -- Statistics ------------------------------------------------------------------------------

window_columns=(Samples State Text Time Age WindowBegin WindowSamples
    Min Max Mean StdDev P50 P90 P95 P99)

# Every value of the sensor with what is said of its window, from now on.
poll_window() {
    local objects=("${window_columns[@]/#/dcampValue}")
    while :; do
        get "${objects[@]/%/.\"switches\".\"total\"}" | paste -s || :
        sleep 0.05
    done >"$work/polls"
}

# Compares the windows of which every value was polled with their values; fails unless there are
# two. Times are in tenths of a second, as DateAndTime has them: rounding may move them by one.
compare_windows() {
    awk -F '\t' -v length_of_window=40 '
        function tenths(date,   p, days) { # since the midnight before the first one
            split(date, p, /[-,:.]/)
            days = 367 * p[1] - int(7 * (p[1] + int((p[2] + 9) / 12)) / 4) + int(275 * p[2] / 9)
            days += p[3]
            if (!today)
                today = days
            return ((((days - today) * 24 + p[4]) * 60 + p[5]) * 60 + p[6]) * 10 + p[7]
        }
        function bad(why) { print "window of " n " values: " why; failures++ }
        function differ(a, b, tolerance) { return a - b > tolerance || b - a > tolerance }
        function compare_number(name, column, ours, tolerance) {
            if (cell[column] !~ /^[0-9.]+$/ || differ(cell[column], ours, tolerance * ours + 1e-6))
                bad(name " " cell[column] ", of the values " ours)
        }
        function quantile(name, column, q) {
            compare_number(name, column, sorted[1 + int(q * (n - 1))], 0.01)
        }
        function sort_values(   i, j, v) {
            for (i = 1; i <= n; i++) {
                v = text[member[i]]
                for (j = i - 1; j >= 1 && sorted[j] + 0 > v + 0; j--)
                    sorted[j + 1] = sorted[j]
                sorted[j + 1] = v
            }
        }
        function members(begin,   i) {
            n = 0
            for (i = first; i <= last; i++)
                if ((i in time) && time[i] >= begin - 1 && time[i] < begin + length_of_window - 1)
                    member[++n] = i
            return n > 0 && (member[1] - 1 in time) && (member[n] + 1 in time) &&
                member[n] - member[1] == n - 1
        }
        function compare(   i, sum, mean, squares) {
            sort_values()
            for (i = 1; i <= n; i++)
                sum += sorted[i]
            mean = sum / n
            for (i = 1; i <= n; i++)
                squares += (sorted[i] - mean) * (sorted[i] - mean)
            if (cell[7] != n)
                bad(cell[7] " are counted")
            if (cell[8] != sorted[1] || cell[9] != sorted[n])
                bad("from " cell[8] " to " cell[9] ", the values from " sorted[1] " to " sorted[n])
            compare_number("mean", 10, mean, 0.000001)
            compare_number("deviation", 11, sqrt(squares / n), 0.000001)
            quantile("p50", 12, 0.5); quantile("p90", 13, 0.9)
            quantile("p95", 14, 0.95); quantile("p99", 15, 0.99)
            printf "window of %d values: from %s to %s, mean %s, deviation %s\n", n,
                cell[8], cell[9], cell[10], cell[11]
        }
        NF == 15 && $2 == "valid" {
            if (!first)
                first = $1
            last = $1
            text[last] = $3
            time[last] = tenths($4)
            begin = tenths($6)
            if (begin + length_of_window > time[last] + $5 / 100 - 1) # open: none is complete
                next
            for (other in row)
                if (!differ(other, begin, 1))
                    begin = other
            row[begin] = $0
        }
        END {
            for (begin in row)
                if (members(begin)) {
                    split(row[begin], cell, "\t")
                    compare()
                    windows++
                }
            exit failures > 0 ? 1 : windows >= 2 ? 0 : 2
        }' "$work/polls"
}

has_windows() {
    local status=0
    compare_windows || status=$?
    [[ $status -ne 2 ]]
}

# -- On demand -------------------------------------------------------------------------------

passes() {
    get 'dcampSamplerPasses."load"'
}

passes_are() {
    [[ $(passes) == "$1" ]]
}

# Whoever asked last is served within a second: then nothing is due any more.
calm_down() {
    local before i
    for ((i = 0; i < 10; i++)); do
        before=$(passes)
        sleep 1.3
        ! passes_are "$before" || break
    done
}

check_on_demand() {
    local before age i begin took count asked
    calm_down
    before=$(passes)
    sleep 3
    is "on demand: no pass while nobody reads" "$(passes)" "$before"
    asked=$(now_ms)
    age=$(value Age load.1)
    ok "on demand: the latest sample is old" test "$age" -ge 3000
    eventually "on demand: one GET makes a pass within a second" 1 passes_are $((before + 1))
    calm_down
    is "on demand: and no more than one" "$(passes)" $((before + 1))
    age=$(value Age load.1)
    ok "on demand: who asks again has the new sample" test "$age" -le $(($(now_ms) - asked))
    calm_down
    before=$(passes)
    begin=$(now_ms)
    for ((i = 0; i < 20; i++)); do
        value Text load.1 >/dev/null
    done
    took=$(($(now_ms) - begin))
    calm_down
    count=$(($(passes) - before))
    ok "on demand: 20 GETs in $took ms make passes" test "$count" -ge 1
    ok "on demand: at most one a second, and one for the last" \
        test "$count" -le $((took / 1000 + 2))
}

# -- Derived sensors -------------------------------------------------------------------------

# derive NAME EXPRESSION
derive() {
    set_ "dcampSensorExpression.\"$1\"" s "$2" "dcampSensorInterval.\"$1\"" u 200 \
        "dcampSensorRowStatus.\"$1\"" i createAndGo
}

# cells NAME...: of values by "SENSOR INSTANCE", all in one GET.
cells() {
    local name objects=() values i=0
    for name in "$@"; do
        objects+=("dcampValueText.\"${name% *}\".\"${name##* }\"")
    done
    mapfile -t values < <(get "${objects[@]}")
    for name in "$@"; do
        cell[$name]=${values[i]:-}
        i=$((i + 1))
    done
}

# Text has 6 decimals, so that a sum of two may be off by 1.5 in the last.
derived_fit() {
    cells "cpu.user total" "cpu.system total" "d.cpu total" "cpu.user 0" "cpu.system 0" "d.cpu 0" \
        "d.deep 0" "mem.total total" "mem.free total" "d.mem total"
    awk -v users="${cell[cpu.user total]}" -v systems="${cell[cpu.system total]}" \
        -v sums="${cell[d.cpu total]}" -v user="${cell[cpu.user 0]}" \
        -v kernel="${cell[cpu.system 0]}" -v sum="${cell[d.cpu 0]}" -v deep="${cell[d.deep 0]}" \
        -v total="${cell[mem.total total]}" -v free="${cell[mem.free total]}" \
        -v mem="${cell[d.mem total]}" '
        function same(name, a, b) {
            if (a ~ /^[0-9.]+$/ && a - b < 4e-6 && b - a < 4e-6)
                return
            print name ": " a ", of its inputs " b
            bad++
        }
        BEGIN {
            same("d.cpu total", sums, users + systems)
            same("d.cpu 0", sum, user + kernel)
            same("d.deep 0", deep, 1 + (sum > 5 ? 2 * sum : 10))
            same("d.mem", mem, 100 * (total - free) / total)
            exit bad > 0
        }'
}

# sensor_is NAME STATE
sensor_is() {
    [[ $(get "dcampSensorState.\"$1\"") == "$2" ]]
}

always_fit() {
    local i
    for ((i = 0; i < 20; i++)); do
        derived_fit || return 1
        sleep 0.03
    done
}

# refused REASON ASSIGNMENT...
refused() {
    local answer
    ! answer=$(set_ "${@:2}" 2>&1) || return 1
    grep "^Reason: $1 " <<<"$answer"
}

configured() {
    walk dcampSensorTable | grep -Ev '(Passed|Held|Since|SensorSeries|SensorState)\.'
}

check_derived() {
    local before serial
    ok "d.cpu: a sum for every instance" derive d.cpu 'cpu.user + cpu.system'
    ok "d.deep: of a derived one" derive d.deep '1% + max(2 * d.cpu, 10%)'
    ok "d.mem: a part" derive d.mem '100% * (mem.total - mem.free) / mem.total'
    ok "d.lost: of an unknown sensor" derive d.lost 'nowhere + 1'
    ok "d.zero: a division by zero" derive d.zero 'mem.free / (mem.total - mem.total)'
    eventually "derived values are those of their inputs" 5 derived_fit
    ok "in every one of 20 GETs" always_fit
    is "d.cpu: its instances" "$(instances d.cpu)" "$(instances cpu.user)"
    ok "d.cpu: that of each CPU among them" grep -qx 0 <(instances d.cpu)
    is "d.mem: its unit" "$(value Unit d.mem)" "%"
    eventually "an unknown sensor: unavailable" 3 sensor_is d.lost unavailable
    eventually "a division by zero: unavailable" 3 value_is State d.zero unavailable
    ok "a division by zero: no value" not exists 'dcampValueText."d.zero"."total"'

    before=$(configured)
    serial=$(get dcampNodeConfigSerial.0)
    ok "a sensor of itself: inconsistentValue" refused inconsistentValue \
        'dcampSensorExpression."d.self"' s 'd.self + 1' \
        'dcampSensorRowStatus."d.self"' i createAndGo
    ok "a cycle of two: inconsistentValue" refused inconsistentValue \
        'dcampSensorExpression."d.cpu"' s 'd.deep - 1%'
    ok "octets and seconds: inconsistentValue" refused inconsistentValue \
        'dcampSensorExpression."d.mem"' s 'mem.free + kernel.uptime'
    ok "no expression: wrongValue" refused wrongValue 'dcampSensorExpression."d.mem"' s 'mem.free +'
    is "nothing has changed" "$(configured)" "$before"
    is "dcampNodeConfigSerial: neither" "$(get dcampNodeConfigSerial.0)" "$serial"
    ok "the values are still those of their inputs" always_fit

    control start-dcampd
    is "after a restart they are what they were" "$(configured)" "$before"
    eventually "after a restart the values are those of their inputs" 5 derived_fit
    eventually "an unknown sensor: unavailable after a restart" 3 sensor_is d.lost unavailable
    ok "the unknown sensor comes" derive nowhere 'mem.free / mem.total'
    eventually "and what derives from it has values" 5 value_is State d.lost total valid
}

# -- The command -----------------------------------------------------------------------------

# faulty EXPRESSION COLUMN WHY: a file with it is refused, with line and column.
faulty() {
    local message line status=0 file=$work/faulty.xml
    sed "/name=\"load.1\"/a\\
    <sensor name=\"wrong\"\\
            expression=\"$1\"/>" "$work/dcamp.xml" >"$file"
    message=$("$DCAMP_LAB_BINARY" --check-config -c "$file" 2>&1) || status=$?
    report $((status == 1 ? 0 : 1)) "--check-config refuses \"$1\"" "status $status"
    line=$(grep -n 'expression="' "$file" | cut -d: -f1)
    is "--check-config says where" "${message%"${message#*column [0-9]*: }"}" \
        "$file:$line: sensor \"wrong\": expression, column $2: "
    ok "--check-config says what: $3" grep -F "$3" <<<"$message"
}

# Names, units, kinds, meanings and sources; prints the names.
metrics_of_list() {
    awk -F ' *[|] *' '
        /^# / { title++ }
        /^\| `/ {
            gsub(/`/, "", $2)
            print $2
            if ($3 == "" || $4 !~ /^(counter|gauge)$/ || $7 == "" || $8 == "") {
                print $2 ": something is missing" > "/dev/stderr"
                bad++
            }
        }
        END { exit bad > 0 || title != 1 }' "$1"
}

config_of_metrics() {
    echo '<dcamp version="1"><sensors>'
    sed 's/.*/<sensor name="&" metric="&"\/>/' "$1"
    echo '</sensors></dcamp>'
}

# list_refuses ARGUMENT: one line that names it, the status of a wrong command line, and no list.
list_refuses() {
    local status=0
    "$DCAMP_LAB_BINARY" --list-metrics "$1" >"$work/out" 2>"$work/err" || status=$?
    [[ $status -eq 2 && ! -s $work/out ]] && grep -qF -e "$1" "$work/err"
}

check_list() {
    local metric
    ok "--list-metrics exits with 0" "$DCAMP_LAB_BINARY" --list-metrics
    "$DCAMP_LAB_BINARY" --list-metrics >"$work/list" || :
    ok "--list-metrics --foo is an error" list_refuses --foo
    ok "--list-metrics foo is an error" list_refuses foo
    script -qec "$DCAMP_LAB_BINARY --list-metrics" /dev/null </dev/null | tr -d '\r' >"$work/table"
    is "on a terminal, each metric has a line" "$(grep -c '^[a-z][a-z0-9.]* .* \(counter\|gauge\) ' "$work/table")" \
        "$(grep -c '^| `' "$work/list")"
    is "of at most 100 columns" "$(awk 'length > 100' "$work/table")" ""
    ok "--list-metrics: each with unit, kind, meaning and source" metrics_of_list "$work/list"
    metrics_of_list "$work/list" >"$work/metrics" || :
    for metric in "${researched[@]}"; do
        grep -qFx "$metric" "$work/metrics" || echo "$metric"
    done >"$work/unlisted"
    is "--list-metrics has what there must be" "$(<"$work/unlisted")" ""
    config_of_metrics "$work/metrics" >"$work/all.xml"
    ok "a sensor can have each of them" "$DCAMP_LAB_BINARY" --check-config -c "$work/all.xml"
}

# The columns and the sums that dcampd(8) tells of.
self_test_is() {
    awk '
        NR == 1 {
            header = $0 ~ /^sampler +sensors +instances +first us +median us +largest us$/
            next
        }
        /^In use, together: / { ours = $4; share = $8; next }
        NF == 0 { next }
        { samplers++; sensors += $2 }
        $2 == 0 && !/not in use/ { print "in use? " $0; bad++ }
        $2 > 0 && (/not in use/ || $3 < 1 || $4 <= 0 || $5 > $6) { print "odd: " $0; bad++ }
        $2 > 0 { sum += $5; n++ }
        END {
            print samplers " samplers, " sensors " sensors, sum " sum
            exit !(header && !bad && samplers == '"$1"' && sensors == '"$2"' && share > 0 &&
                sum - ours < n / 10 && ours - sum < n / 10)
        }' "$work/self-test"
}

check_self_test() {
    local status=0
    "$DCAMP_LAB_BINARY" --self-test -c "$work/dcamp.xml" >"$work/self-test" 2>&1 || status=$?
    is "--self-test exits with 0" "$status" 0
    ok "--self-test: a line for each sampler, and their sum" \
        self_test_is "$(walk dcampSamplerPasses | wc -l)" "$(grep -c '<sensor ' "$work/dcamp.xml")"
    mkdir "$work/nothing"
    status=0
    "$DCAMP_LAB_BINARY" --self-test -c "$work/dcamp.xml" --root "$work/nothing" \
        >"$work/self-test" 2>&1 || status=$?
    is "--self-test exits with 1 where nothing can be read" "$status" 1
    ok "--self-test: with the reason" grep '^memory .* No such file or directory$' "$work/self-test"
}

# -- The test --------------------------------------------------------------------------------

write_config >"$work/dcamp.xml"
start_lab --config "$work/dcamp.xml"
background poll_window
check_on_demand
eventually "two windows were polled" 30 has_windows
end_background
ok "statistics are those of the values" compare_windows
compare_windows | sed 's/^/# /' || :

check_derived
faulty 'mem.free + load.1' 10 'the units differ'
faulty 'mem.free + nowhere' 12 'there is no sensor "nowhere"'
faulty 'mem.free + * 2' 12 'is expected'
faulty 'mem.free + wrong' 1 'it derives from itself'
ok "--check-config exits with 0 for a good one" \
    "$DCAMP_LAB_BINARY" --check-config -c "$work/dcamp.xml"
check_list
check_self_test
finish
