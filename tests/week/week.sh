#!/usr/bin/env bash
# Many nodes are stored over days by a simulated clock, by a writer that is killed again and again;
# nodes are cut off and reboot meanwhile. All that is read back is what was told: values, minutes and
# hours, by the reader, and for some by dcamp history and dcamp plot. --nodes N and --hours N: how much;
# --keep DIRECTORY: where the files and pictures are, and stay. --record: the figures become the section
# "Week" of doc/benchmarks.md.
# shellcheck source=../integration/common.sh
. "$(dirname "$0")/../integration/common.sh"

build=${DCAMP_BUILD:-$top/build}
week=$build/tests/week/week
nodes=5 hours=54 files=$work/week record=no
while [[ $# -gt 0 ]]; do
    case $1 in
    --nodes) nodes=$2 ;;
    --hours) hours=$2 ;;
    --keep) files=$2 ;;
    --record)
        record=yes
        shift
        continue
        ;;
    *) exit 2 ;;
    esac
    shift 2
done
mkdir -p "$files"
export TZ=UTC

# figure NAME: of what was printed last.
figure() {
    awk -v name="$1" '$1 == name { print $2 }' "$work/told"
}

# of WHAT...: the program says it, and its figures stay, with the seconds that it took.
of() {
    local began=$SECONDS
    "$week" "$@" >>"$work/told" && echo "$1_s $((SECONDS - began))" >>"$work/told"
}

ok "$nodes nodes are stored for $hours hours" of write "$files" "$nodes" "$hours"
ok "the writer was killed" test "$(figure kills)" -ge 5
ok "blocks came again" test "$(figure doubles)" -gt 0
ok "readers asked meanwhile" test "$(figure reads)" -gt "$((hours * 2))"
ok "what is read back is what was told" of check "$files" "$nodes" "$hours"
ok "raw values are kept" test "$(figure points)" -gt "$((nodes * 50 * 24 * 200))"
ok "minutes are" test "$(figure minutes)" -gt "$((nodes * 50 * hours * 50))"
ok "hours are" test "$(figure hours)" -gt "$((nodes * 50 * hours * 9 / 10))"
is "two months have a file" "$(cd "$files" && echo *.db)" 'history-2026-11.db history-2026-12.db'

# The last hours, up to the end of the week.
start=1795989600
end=$((start + hours * 3600))
first=$(((hours - 6) * 360))
sensors=(cpu.busy net.in mem.used load processes)

# same NODE SERIES: dcamp history prints what was told.
same() {
    "$week" values "$1" "$2" "$first" $((hours * 360)) >"$work/expected"
    "$build/dcamp" history --json --directory "$files" --from "$(date -ud "@$((end - 6 * 3600))" +%FT%TZ)" \
        --to "$(date -ud "@$end" +%FT%TZ)" "node$1" "${sensors[$2 % 5]}" $(($2 / 5)) >"$work/json"
    python3 -c 'import json, sys
told = [json.loads(line) for line in open(sys.argv[1])]
went = [line.split() for line in open(sys.argv[2])]
assert len(went) > 100, len(went)
assert [(one["t"], one["value"]) for one in told] == [(int(t), json.loads(v)) for t, v in went], (told[:3], went[:3])' \
        "$work/json" "$work/expected"
}
for series in 0 6 12 18 49; do
    ok "dcamp history prints series $series as it was told" same $((series % nodes)) "$series"
done

drawing=$(date +%s%N)
for what in 'cpu.busy 3' 'mem.used 1'; do
    # shellcheck disable=SC2086 # two arguments
    ok "a picture of $what" "$build/dcamp" plot --directory "$files" --output "$files/${what%% *}.png" \
        --from "$(date -ud "@$start" +%FT%TZ)" --to "$(date -ud "@$end" +%FT%TZ)" node1,node3 $what
done
drawing=$((($(date +%s%N) - drawing) / 2000000))
ok "pictures are there" test "$(find "$files" -name '*.png' -size +5k | wc -l)" -eq 2

ok "questions are timed" of ask "$files" "$nodes" "$hours"
per() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'
}
figures() {
    cat <<END
$nodes nodes of 50 series every 10 s for $hours hours by a simulated clock, stored by a writer that is
killed again and again while readers ask. What retention keeps was read back by the reader of the history
and is the same: raw values bit by bit, minutes and hours as they come out when they are computed anew.

| what | figure |
| --- | --- |
| values told | $(figure told) |
| kills, readers meanwhile | $(figure kills), $(figure reads) |
| raw values that are equal | $(figure points) |
| minutes that are equal | $(figure minutes) |
| hours that are equal | $(figure hours) |
| octets of raw values, for each kept | $(figure raw), $(per "$(figure raw)" "$(figure kept)") |
| octets of minutes, for each value | $(figure minute), $(per "$(figure minute)" "$(figure told)") |
| octets of hours, for each value | $(figure hour), $(per "$(figure hour)" "$(figure told)") |
| octets of the inbox, and of the rest | $(figure inbox), $(figure rest) |
| CPU time of the writer for each value | $(per "$(figure ns)" "$(figure told)") ns |
| to write, with all that measures and reads | $(figure write_s) s |
| to check | $(figure check_s) s |
| a day of one series | $(figure day_ms) ms |
| a day of 1,000 series as minutes | $(figure minutes_ms) ms |
| a picture of all hours of two nodes, by dcamp plot | $drawing ms |
END
}

# section: what becomes of doc/benchmarks.md; the sections of others stay as they are.
section() {
    local doc=$top/doc/benchmarks.md commit
    commit=$(git -C "$top" describe --always --dirty 2>/dev/null || echo none)
    {
        awk '/^## / { mine = $0 == "## Week" } !mine' "$doc" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
        printf '\n## Week\n\nRecorded %s, commit %s, load %s.\n\n' "$(date -u '+%Y-%m-%d %H:%M UTC')" "$commit" \
            "$(cut -d ' ' -f 1-3 /proc/loadavg)"
        figures
    } >"$work/document"
    cp "$work/document" "$doc"
}
figures | sed 's/^/# /'
[[ $record == no || $failed -ne 0 ]] || ok "the figures are in doc/benchmarks.md" section
finish
