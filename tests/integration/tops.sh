#!/usr/bin/env bash
# The tables of dcampApplications under a real master: what is there is what programs have counted, the
# keys that have most are within their bounds, how many there are is set while it runs, and why
# something is not read is said.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

driver=$(realpath "${DCAMP_BUILD:-$top/build}")/tests/integration/applications-driver
user=$(id -un)
row="\"$user\".\"shop\""

# -- Programs --------------------------------------------------------------------------------

# start_program NAME: its process is program, and what it is told goes to the file descriptor to.
start_program() {
    mkfifo "$work/in.$1" "$work/out.$1"
    DCAMP_APPS=$DCAMP_LAB_APPS_1 "$driver" shop <"$work/in.$1" >"$work/out.$1" 2>"$work/error.$1" &
    program=$!
    jobs_started+=("$program")
    exec {to}>"$work/in.$1" {from}<"$work/out.$1"
    rm "$work/in.$1" "$work/out.$1"
}

# tell FILE: of lines, after all of which it has counted what they say.
tell() {
    local n
    n=$(wc -l <"$1")
    head -n "$n" <&"$from" >"$work/told" &
    cat "$1" >&"$to"
    wait $!
}

end_program() {
    kill -KILL "$program"
    wait "$program" 2>/dev/null || true
    exec {to}>&- {from}<&-
}

# keys FIRST LAST: so many keys, of which number n has 30000 / n, in an order by chance. Adds them to
# the file of what there really is.
keys() {
    awk -v first="$1" -v last="$2" 'BEGIN {
        for (n = first; n <= last; n++)
            print "key" n, int(30000 / n) }' | tee -a "$work/truth" | shuf --random-source=/bin/bash |
        sed 's/^/touch /'
}

# -- The tables ------------------------------------------------------------------------------

# cell COLUMN [REST]: of the application, or of a row with further indexes.
cell() {
    get "dcampApplication$1.$row${2:+.$2}" 2>/dev/null
}

cell_is() { # COLUMN EXPECTED [REST]
    [[ $(cell "$1" "${3:-}") == "$2" ]]
}

# sums: what all keys have had, key by key.
sums() {
    awk '{ sum[$1] += $2 } END { for (key in sum) print key, sum[key] }' "$work/truth"
}

# read_tops: the rows of dcampTopTable as "rank key count error guaranteed".
read_tops() {
    walk "dcampTopTable" | awk '
        { rank = $1; sub(/.*\./, "", rank); column = $1
          sub(/\..*/, "", column); sub(/.*::/, "", column)
          gsub(/"/, "", $2); cell[rank, column] = $2; ranks[rank] }
        END { for (rank in ranks)
            print rank, cell[rank, "dcampTopKey"], cell[rank, "dcampTopCount"],
                  cell[rank, "dcampTopError"], cell[rank, "dcampTopGuaranteed"] }' | sort -n >"$work/tops"
}

has_rows() { # N
    read_tops
    [[ $(wc -l <"$work/tops") -eq $1 ]]
}

# what_is_wrong N: of the rows, by what really was added: counts are never less than that, and less
# their errors never more; errors are bounded; ranks are complete and in order; and what is guaranteed
# is among the N that really have most, and all of those are there if all are guaranteed.
what_is_wrong() {
    sums | sort -k2,2nr -k1,1 >"$work/sums"
    awk -v n="$1" '
        NR == FNR { really[$1] = $2; total += $2; if (FNR <= n) least = $2; next }
        { rows++; shown[$2] }
        $1 != rows { print "rank", $1, "in the place of", rows }
        !($2 in really) { print $2, "was never there" }
        $3 < really[$2] { print $2, "has", really[$2], "and not", $3, "at most" }
        $3 - $4 > really[$2] { print $2, "has", really[$2], "and not", $3 - $4, "at least" }
        $4 > 3 * total / 1000 { print $2, "has an error of", $4, "of", total }
        rows > 1 && $3 > before { print $2, "is behind one with less" }
        { before = $3 }
        $5 == "true" && really[$2] < least { print $2, "is not among the first" }
        $5 == "true" { sure++ }
        END { if (rows != n) print rows, "rows"
              if (sure < n / 2) print sure + 0, "are guaranteed" }' "$work/sums" "$work/tops"
}

# tops_are N: once the rows are those of now.
tops_are() {
    has_rows "$1" && [[ -z $(what_is_wrong "$1") ]]
}

start_lab
is "ten keys are shown at first" "$(get dcampTopSize.0)" 10
ok "nothing is there while no program publishes" \
    [ -z "$(walk dcampApplications | grep -v 'dcampTopSize\|Age\|Error\|LeftOut\|StepRecords')" ]

# -- What one program has counted ------------------------------------------------------------

start_program one
printf '%s\n' "add 7" "set -2.5" "record 0.5 3" "step 9 2" "work 1 5" "make bad/name 3" >"$work/lines"
tell "$work/lines"
eventually "it has a process" 10 cell_is Processes 1
eventually "the sensor that could not be is counted" 5 cell_is Refused 1
is "there are six sensors" "$(cell Sensors)" 6
is "nothing is wrong with it" "$(cell Error)" ""
eventually "sensors have what they have counted" 5 cell_is SensorCount 7 '"orders".""'
is "the timer has its events" "$(cell SensorCount '"payment"."card"')" 5
is "the step has its executions" "$(cell SensorCount '"cook".""')" 9
is "the histogram has its values" "$(cell SensorCount '"weight".""')" 3
ok "a gauge has no count" not exists "dcampApplicationSensorCount.$row.\"queue\".\"north\""
is "kinds have names" "$(walk dcampApplicationSensorKind | awk '{ print $2 }' | sort | xargs)" \
    "counter gauge histogram step timer top"
is "the path of a sensor is its instance elsewhere" "$(cell SensorPath '"queue"."north"')" \
    "$user/shop:queue:north"
is "units are there" "$(cell SensorUnit '"queue"."north"')" jobs
is "so are purposes" "$(cell SensorPurpose '"cook".""')" kitchen

# -- Keys that have most ---------------------------------------------------------------------

keys 1 3000 >"$work/lines"
tell "$work/lines"
eventually "ten keys are within their bounds" 10 tops_are 10
is "so the first is" "$(awk '$1 == 1 { print $2 }' "$work/tops")" key1
what_is_wrong 10 | sed 's/^/# /'
for n in 1 100 25; do
    ok "$n keys are wanted" set_ dcampTopSize.0 u "$n"
    eventually "$n keys are within their bounds" 10 tops_are "$n"
    what_is_wrong "$n" | sed 's/^/# /'
done
ok "none are not" not set_ dcampTopSize.0 u 0
ok "nor are 101" not set_ dcampTopSize.0 u 101

# -- Several programs, and their end -----------------------------------------------------------

end_program
eventually "who was killed has ended" 10 cell_is Ended 1
is "there is no process" "$(cell Processes)" 0
eventually "its keys stay" 10 tops_are 25
start_program two
keys 11 500 >"$work/lines"
tell "$work/lines"
eventually "another one adds to them" 10 tops_are 25
what_is_wrong 25 | sed 's/^/# /'
eventually "the application is the same" 10 cell_is Processes 1
is "which knows of the one before" "$(cell Ended)" 1
control kill-dcampd --signal KILL
control start-dcampd
is "how many keys are wanted outlives a kill" "$(get dcampTopSize.0)" 25

# -- What is not read ---------------------------------------------------------------------------

head -c 10000 /dev/urandom >"$DCAMP_LAB_APPS_1/77.7"
says() {
    [[ $(cell Error) == *"its user has 1 files there that are no segments"* ]]
}
eventually "an application has the troubles of its user" 20 says
is "so has the node" "$(get dcampApplicationsError.0)" "$user has 1 files there that are no segments"
ok "the rest goes on" cell_is Processes 1
ok "the age of what is shown is known" [ "$(get dcampApplicationAge.0)" -le 60000 ]
is "nothing is left out" "$(get dcampApplicationsLeftOut.0)" 0
finish
