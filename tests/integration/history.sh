#!/usr/bin/env bash
# dcamp history and dcamp plot of files that the real writer has made: what went in comes out, with
# every format; names do no harm; errors name what is wrong.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

build=${DCAMP_BUILD:-$top/build}
files=$work/history
mkdir "$files"
now=1795730400000 # 2026-11-26 22:00:00 UTC
escape=$'\e[31mred'
export TZ=UTC

# Two hours of values, each second but for ten minutes, in thousandths that a double does not have
# exactly; the same of each node.
for path in - node7 collector1/node8 "$escape<b>"; do
    awk -v path="$path" -v now="$now" 'BEGIN {
        OFS = "\t"
        for (i = 0; i < 7200; i++)
            if (i < 3000 || i >= 3600)
                print path, "cpu.busy", "total", "%", sprintf("%.0f", now - 7200000 + i * 1000), i % 97 + i % 13 / 1000
        for (i = 1; i <= 120 && path == "node7"; i++)
            print path, "basic", "total", "%", sprintf("%.0f", now - 7200000 + i * 60000), 20, 60, 10, 30
        print path, "disk", "a", "bytes", sprintf("%.0f", now - 1000), 1
        print path, "disk", "b", "bytes", sprintf("%.0f", now - 1000), 2
    }'
done >"$work/values"
"$build/tests/integration/write-history" "$files" "$now" <"$work/values"

range=(--to 2026-11-26T22:00:00Z --last 2h)

# ask ARGUMENT...: of the files.
ask() {
    "$build/dcamp" history --directory "$files" "$@" 2>&1
}

# says DESCRIPTION STATUS TEXT ARGUMENT...
says() {
    local description=$1 status=$2 text=$3 code=0 said
    shift 3
    said=$(ask "$@") || code=$?
    is "$description" "$code $said" "$status $text"
}

is "the nodes" "$(ask --tsv | cut -f 1)" $'node\nroot1\n?[31mred<b>\ncollector1/node8\nnode7'
is "the series of a node" "$(ask --tsv node7 | cut -f 2,3,4,6 | head -4)" \
    $'sensor\tinstance\tunit\tfirst\nbasic\ttotal\t%\t2026-11-26 20:00:00+0000\ncpu.busy\ttotal\t%\t2026-11-26 20:00:00+0000\ndisk\ta\tbytes\t2026-11-26 21:59:59+0000'

ask --json "${range[@]}" node7 cpu.busy >"$work/json"
python3 -c 'import json, sys
told = [json.loads(line) for line in open(sys.argv[1])]
went = [line.split("\t") for line in open(sys.argv[2]) if line.startswith("node7\tcpu.busy")]
assert [(one["t"], one["value"], one["min"], one["max"], one["count"]) for one in told] == \
    [(int(t), float(v), float(v), float(v), 1) for _, _, _, _, t, v in went], told[:3]' \
    "$work/json" "$work/values" && status=0 || status=1
report "$status" "JSON has each value as it went in" "$(head -3 "$work/json")"
is "TSV has the same" "$(ask --tsv "${range[@]}" node7 cpu.busy | tail -n +2 | cut -f 1,3)" \
    "$(awk -F '\t' '$1 == "node7" && $2 == "cpu.busy" { print $5 "\t" $6 }' "$work/values")"
is "several nodes are taken together" \
    "$(ask --json "${range[@]}" --step 2h 'node7,node8,root1' cpu.busy | head -1 | grep -o '"count": [0-9]*')" '"count": 19800'
is "spans and their percentiles" \
    "$(ask --json --to 2026-11-26T21:59:59Z --last 97s --step 97s --percentiles 0,100 node7 cpu.busy | tail -1 | grep -oE '"p(0|100)"' | tr '\n' ' ')" \
    '"p0" "p100" '
is "a gap is one, and the span after the last value" "$(ask --json "${range[@]}" --step 5m node7 cpu.busy | grep -c '"value": null, "min": null, "max": null, "count": 0')" 3

# A node of level="basic" tells windows without histograms: percentiles of those are not known.
is "JSON has null for a percentile that is not known" \
    "$(ask --json "${range[@]}" --step 1h --percentiles 50 node7 basic | head -1 | cut -d , -f 2-)" \
    ' "value": 20, "min": 10, "max": 30, "p50": null, "count": 3600}'
is "TSV has nothing there" "$(ask --tsv "${range[@]}" --step 1h --percentiles 50 node7 basic | sed -n 2p | cut -f 3-)" \
    $'20\t10\t30\t\t3600'
table=$(LC_ALL=C ask "${range[@]}" --step 1h --percentiles 50 node7 basic)
is "the table leaves it out of what it says of all" "$(sed -n 3p <<<"$table")" \
    'lowest 10, mean 20, highest 30; 7200 values'
is "and has - in its place" "$(sed -n 5p <<<"$table" | awk '{ print $(NF - 1), $NF }')" '- 3600'

table=$(COLUMNS=40 ask "${range[@]}" node7 cpu.busy)
ok "the table has a line of bars" grep -q '^[▁▂▃▄▅▆▇█ ]*$' <<<"$table"
ok "which is not wider than the terminal" test "$(sed -n 2p <<<"$table" | wc -m)" -le 41
table=$(LC_ALL=C ask "${range[@]}" node7 cpu.busy)
ok "without UTF-8 it is ASCII" grep -q '^[_.:=+*# -]*$' <<<"$(sed -n 2p <<<"$table")"
is "nothing of a name reaches the terminal" "$(ask "${range[@]}" '*red*' cpu.busy | grep -c $'\e')" 0

says "another name" 2 'dcamp: nod7: the history has no such node; did you mean "node7"?' nod7
says "another sensor" 2 'dcamp: cpu.bsy: no such sensor of node7 in the history; did you mean "cpu.busy"?' node7 cpu.bsy
says "which instance" 2 'dcamp: which instance: disk of node7 has a, b' node7 disk
says "a name that would be obeyed" 2 'dcamp: ?[1mxxxxxxxx: the history has no such node; it has root1, ?[31mred<b>, collector1/node8, node7' $'\e[1mxxxxxxxx'
says "nothing of that time" 1 'dcamp: nothing of that time: the history has it from 2026-11-26T20:00:00Z to 2026-11-26T21:59:59Z' \
    --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z node7 cpu.busy
says "too much" 2 'dcamp: that is too much at once: a shorter range, or a longer --step' --last 52w --step 1ms node7 cpu.busy
says "no time" 2 'dcamp: --last yesterday: expected a time such as 90s, 6h, 7d or 4w' --last yesterday node7 cpu.busy
is "no directory" "$("$build/dcamp" history --directory "$work/none" 2>&1 || echo $?)" \
    "dcamp: $work/none: No such file or directory"$'\n2'
mkdir "$work/empty"
is "an empty directory" "$("$build/dcamp" history --directory "$work/empty" 2>&1 || echo $?)" \
    "dcamp: $work/empty: there is no history yet"$'\n2'

plot() {
    "$build/dcamp" plot --directory "$files" "${range[@]}" "$@" 2>&1
}
ok "a picture as PNG" plot --output "$work/a.png" node7,root1 cpu.busy
is "is one" "$(head -c 8 "$work/a.png" | od -An -tx1)" ' 89 50 4e 47 0d 0a 1a 0a'
ok "a picture as SVG" plot --output "$work/a.svg" --dark '*' cpu.busy
ok "is well-formed" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/a.svg"
is "nothing of a name is in it" "$(grep -c 'red' "$work/a.svg")" 0
"$build/dcamp" plot --directory "$files" "${range[@]}" --step 10m --output "$work/basic.svg" node7 basic 2>"$work/said" &&
    status=0 || status=$?
is "a picture of values whose percentiles are not known" "$status $(<"$work/said") $(head -c 5 "$work/basic.svg")" '0  <?xml'
is "another unit" "$(plot --output "$work/b.svg" node7 cpu.busy,disk a || echo $?)" \
    $'dcamp: a: no such instance: cpu.busy of node7 has total\n2'
is "another format" "$(plot --output "$work/b.gif" node7 cpu.busy || echo $?)" \
    "dcamp: --output $work/b.gif: expected a name that ends with .svg or .png"$'\n2'
is "no file is made then" "$(ls "$work"/b.* 2>/dev/null)" ''
is "the reader has made no files" "$(ls "$files")" $'history-2026-11.db\nlock'

printf 'garbage' >"$files/history-2026-12.db"
ask --json "${range[@]}" node7 cpu.busy >"$work/json2" 2>/dev/null || :
is "the others are read" "$(grep '^{' "$work/json2" | md5sum)" "$(md5sum <"$work/json")"

finish
