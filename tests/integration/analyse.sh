#!/usr/bin/env bash
# dcamp analyse of files that the real writer has made: what is known of them is what it says; names do no
# harm; errors name what is wrong.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

build=${DCAMP_BUILD:-$top/build}
files=$work/history
mkdir "$files"
now=1795730400000 # 2026-11-26 22:00:00 UTC
escape=$'\e[31mred'
export TZ=UTC

# Two hours, each ten seconds: a wave of ten minutes with noise and a gap; a level; numbers by chance; one value.
for path in node7 "$escape<b>"; do
    awk -v path="$path" -v now="$now" 'BEGIN {
        OFS = "\t"
        srand(7)
        for (i = 0; i < 720; i++) {
            time = sprintf("%.0f", now - 7200000 + i * 10000)
            if (i < 300 || i >= 310)
                print path, "cpu.busy", "total", "%", time, 50 + 20 * sin(i * 2 * 3.14159265358979 / 60) + rand()
            print path, "disk", "level", "bytes", time, 5
            print path, "disk", "chance", "bytes", time, rand()
        }
        print path, "disk", "one", "bytes", sprintf("%.0f", now - 1000), 1
    }'
done >"$work/values"
"$build/tests/integration/write-history" "$files" "$now" <"$work/values"

ask() {
    "$build/dcamp" analyse --directory "$files" --to 2026-11-26T21:59:59Z --last 2h "$@" 2>&1
}

# says DESCRIPTION STATUS TEXT ARGUMENT...
says() {
    local description=$1 status=$2 text=$3 code=0 said
    shift 3
    said=$(ask "$@") || code=$?
    is "$description" "$code $said" "$status $text"
}

# holds DESCRIPTION EXPRESSION ARGUMENT...: of the object d, in Python.
holds() {
    local description=$1 expression=$2
    shift 2
    ask --json "$@" >"$work/json" || true
    ok "$description" python3 -c 'import json, math, sys
d = json.load(open(sys.argv[1]), parse_constant=lambda word: sys.exit(word + " is no JSON"))
line, smooth = d["forecasts"]
sys.exit(not eval("(" + sys.argv[2] + ")"))' "$work/json" "$expression"
}

holds "JSON has all parts" '{"node", "sensor", "instance", "unit", "from", "step", "distribution", "fits",
    "autocorrelation", "season", "forecasts"} == set(d)' node7 cpu.busy
holds "values and gaps are counted" 'd["distribution"]["n"] == 710 and d["distribution"]["gaps"] == 10' node7 cpu.busy
holds "the season is found" 'd["season"]["known"] and abs(d["season"]["period"] - 600000) <= 20000' node7 cpu.busy
holds "the next season is foretold" 'smooth["known"] and smooth["points"][0][0] == 1795730400000 and all(
    abs(v - 50.5 - 20 * math.sin((t - 1795730400000) / 600000 * 2 * math.pi)) < 4 and low < v < high
    for t, v, low, high in smooth["points"])' node7 cpu.busy
holds "the line is no good for a wave" 'not line["known"] and line["points"] == [] and
    line["why"] == "it does no better than the value one season before" and line["error"] > line["naive_error"]' \
    node7 cpu.busy
holds "numbers by chance may be uniform, and are not normal" '[f["distance_p"] < 0.05 for f in d["fits"]] ==
    [True, True, True, False]' node7 disk chance
holds "they have no season" 'not d["season"]["known"] and smooth["why"] == "there is no season"' node7 disk chance
holds "of a level, nothing is foretold" 'not line["known"] and not smooth["known"] and
    d["autocorrelation"]["r"][0] is None and d["distribution"]["skewness"] is None and
    d["fits"][0]["why"] == "all values are equal"' node7 disk level
holds "one value has values and no more" 'd["distribution"]["n"] == 1 and line["why"] == "too few values"' \
    node7 disk one
holds "a step is taken" 'd["step"] == 60000 and d["season"]["period"] == 600000' --step 1m node7 cpu.busy
text=$(ask node7 cpu.busy)
ok "people read it, too" grep -q '^season .*accounts for 9[0-9] % of the variance' <<<"$text"
ok "with intervals" grep -q '90 % within' <<<"$text"
is "nothing of a name reaches the terminal" "$(ask '*red*' cpu.busy | grep -c $'\e')" 0
says "a sensor that is not there" 2 "dcamp: nothing: no such sensor of node7 in the history" node7 nothing
says "it is no table" 2 "dcamp: --tsv: this is no table; --json has all of it" --tsv node7 cpu.busy
says "too many spans" 2 "dcamp: 71901 spans of --step are too many: 20000 at most" --step 100ms node7 disk level
code=0
said=$("$build/dcamp" analyse --directory "$files" --last 1h --to 2020-01-01T00:00:00Z node7 cpu.busy 2>&1) || code=$?
is "nothing of that time" "$code $said" "1 dcamp: nothing of that time in the history"
finish
