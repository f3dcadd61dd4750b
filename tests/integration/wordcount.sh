#!/usr/bin/env bash
# shellcheck disable=SC2016 # there are dollars in conditions of awk
# The word count of doc/examples/wordcount: two short runs of it, in Python with several processes and in Java with
# the agent. Its page has steps, sequences, latencies, capacity and profiles, and what is counted there is what the
# programs have counted themselves, to the word. Skipped without a JDK.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
for tool in java javac python3 snmpd; do
    if [[ -z $(type -P "$tool") ]]; then
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    fi
done
if [[ ! -e $build/dcamp-agent.jar ]]; then
    echo "1..0 # SKIP dcamp-agent.jar is not built"
    exit 77
fi
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C.UTF-8 DCAMP_SCHEMA_DIR=$top/conf

# 8 chunks of 500 lines, the last of them with 250, and as often as it is said.
times=8 chunks=64
awk 'BEGIN { for (i = 0; i < 3750; i++) printf "%d the %d of\tword%d  and\n", i, i % 7, i % 191 }' >"$work/text"
words=$(($(wc -w <"$work/text") * times))

status=0
"$top/doc/examples/wordcount/run" --build "$build" --workers 1,3 --times $times --chunk 500 --pause 60 \
    --runs "$work/runs" --html "$work/page.html" "$work/text" >"$work/out" 2>&1 || status=$?
[[ $status -le 1 ]] || sed 's/^/# /' "$work/out"
ok "two runs are compared" test "$status" -le 1
is "the programs have counted all words" "$(sed -n 's/^wordcount-[-0-9]*//p' "$work/out" | sort | cut -d' ' -f1-6)" \
    "a: java: chunks $chunks words $words
a: python: chunks $chunks words $words
b: java: chunks $chunks words $words
b: python: chunks $chunks words $words"

# The tables of the page: title, then cells, with '|' between.
sed -n 's|</*details>||g; s|<h2>\(.*\)</h2>.*|# \1|p; s|</td><td[^>]*>|\||g; s|^<tr[^>]*><td>\(.*\)</td></tr>$|\1|p' \
    "$work/page.html" | sed 's|&gt;|>|g' >"$work/rows"

# rows TITLE PATTERN COLUMN...: these cells of the rows of a table whose first cell has the pattern.
rows() {
    local title=$1 pattern=$2
    shift 2
    awk -F'|' -v title="# $title" -v pattern="$pattern" -v columns="$*" '
        /^#/ { found = index($0, title) == 1 }
        found && !/^#/ && $1 ~ pattern {
            n = split(columns, column, " ")
            for (i = 1; i <= n; i++) printf "%s%s", $column[i], i < n ? " " : "\n" }' "$work/rows"
}

# all_rows N TITLE PATTERN CONDITION: so many rows, and each is as the condition of awk says.
all_rows() {
    awk -F'|' -v n="$1" -v title="# $2" -v pattern="$3" '
        /^#/ { found = index($0, title) == 1 }
        found && !/^#/ && $1 ~ pattern { rows++; if (!('"$4"')) { print; bad = 1 } }
        END { print rows + 0; exit bad || rows != n }' "$work/rows"
}

for program in wordcount wordcount-java; do
    for step in split count merge; do
        is "$program: the page has all executions of $step" "$(rows Steps "/$program:$step\$" 2 3 4)" \
            "A $chunks 0
B $chunks 0"
    done
    is "$program: and all sequences" "$(rows Sequences "sequences [a-z]*/$program\$" 2 3)" \
        "A $chunks sequences
B $chunks sequences"
    for steps in 'split>count' 'count>merge'; do
        is "$program: latencies of $steps" "$(rows Sequences "latencies [a-z]*/$program:$steps\$" 2 3)" \
            "A $chunks latencies
B $chunks latencies"
    done
done
is "and all words" "$(rows Sequences '/wordcount:words$' 2 3)" "A $words words
B $words words"
ok "latencies and sequences have times" all_rows 12 Sequences '(sequences|latencies) ' '$4 ~ /^[0-9.]+ [num]?s$/'
# Four digits of each are shown.
ok "capacity is arrivals by throughput" all_rows 12 Steps wordcount \
    '$6 + 0 > 0 && $8 + 0 < 4 && $7 / $6 - $8 < 0.002 && $8 - $7 / $6 < 0.002'
ok "Java has CPU time and memory of executions" all_rows 6 Steps wordcount-java \
    '$9 ~ /^[0-9.]+ [num]?s$/ && $10 ~ /^[0-9.]+ [kM]?B$/'
ok "for each step there is a load at which the CPU is full, or why it is not known" \
    all_rows 12 Capacity wordcount '($3 == "cpu total" && $4 ~ /^[0-9.]+ 1\/s$/) || $8 ~ /^not known: /'
ok "the profile of the JVM has its CPU, not below 0" all_rows 2 Profiles 'jvm.cpu ' \
    '$3 ~ / %$/ && $3 + 0 >= 0 && $3 + 0 <= $4 + 0 && $4 + 0 <= $5 + 0 && $5 + 0 > 0'
ok "its heap, at most what -Xmx says" all_rows 2 Profiles 'jvm.heap ' '$5 ~ / MB$/ && $5 + 0 > 0 && $5 + 0 <= 134.3'
ok "its largest heap" all_rows 2 Profiles 'jvm.heap.max ' '$3 == $5 && $5 ~ /^(134.2|128.*) MB$/'
ok "the CPUs of the machine" all_rows 2 Profiles ' cpu total' '$5 + 0 > 0 && $5 + 0 <= 100'
ok "and the processes of Python" test "$(rows Profiles 'python.memory python3' 5 | grep -c ' [MG]B$')" -ge 2
# On a busy machine there may be too few values within the executions of one of the six.
ok "executions have profiles: CPU of the machine" test "$(rows Execution 'wordcount(-java)?:' 2 | grep -c '^cpu total$')" -ge 4
ok "and the heap of the JVM" test "$(rows Execution 'wordcount-java:' 2 | grep -c '^jvm.heap ')" -ge 2
[[ $failed -eq 0 ]] || sed 's/^/# /' "$work/rows"
finish
