#!/usr/bin/env bash
# r.sh: doc/history.R with the real R: what it has computed of a series is what curl and Python have of it,
# and there is a picture.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need r-base-core Rscript
need curl curl
Rscript -e 'library(jsonlite)' 2>/dev/null || {
    echo "1..0 # SKIP R's jsonlite is missing (package r-cran-jsonlite)"
    exit 77
}
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

mkdir "$work/history"
"$build/tests/web/maker" "$work/history" 10 60
"$build/dcamp-web" --directory "$work/history" --page "$top/web/page" --listen 127.0.0.1:0 2>"$work/log" &
server=$!
within 20 grep -q 'http://' "$work/log"
url=$(sed -n 's/.*\(http:[^ ]*[0-9]\): .*/\1/p' "$work/log")

# The numbers of doc/history.R, by Python: quantiles of type 7, as R has them.
expected() {
    "$python" -c '
import json, sys
values = [value["value"] for value in json.load(sys.stdin)["values"]]
ranked = sorted(values)
def quantile(p):
    place = (len(ranked) - 1) * p
    low = int(place)
    return ranked[low] + (place - low) * (ranked[min(low + 1, len(ranked) - 1)] - ranked[low])
numbers = [len(values), *map(quantile, (0.1, 0.5, 0.9, 0.99)), sum(values[-10:]) / 10]
print(" ".join("%.9g" % number for number in numbers))'
}

for series in "node4 mem.used total" "node7 disk.util sda" "node5 load.1 \"><img%20src=x%20onerror=alert(1)>"; do
    read -r node sensor instance <<<"$series"
    instance=${instance//\%20/ }
    printed=$(Rscript "$top/doc/history.R" "$url" "$node" "$sensor" "$instance" 30m "$work/$sensor.svg" |
        awk '{ printf "%s%.9g", (NR > 1 ? " " : ""), $1 }')
    asked=$(curl -sG "$url/api/v1/values" -d points=0 -d "node=$node" -d "sensor=$sensor" -d last=30m \
        --data-urlencode "instance=$instance" | expected)
    is "$node $sensor: R reads and computes what curl and Python do" "$printed" "$asked"
    # The same by a command that reads the files, and by the table for spreadsheets; all since the first hour.
    command=$("$build/dcamp" history --directory "$work/history" --json "$node" "$sensor" "$instance" --last 55m |
        "$python" -c 'import json, sys
for line in sys.stdin:
    value = json.loads(line)
    print(value["t"], repr(float(value["value"])), repr(float(value["min"])), repr(float(value["max"])), value["count"])')
    table=$(curl -sG "$url/api/v1/values.csv" -d points=0 -d "node=$node" -d "sensor=$sensor" -d last=55m \
        --data-urlencode "instance=$instance" | "$python" -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["t"], *(repr(float(row[name])) for name in ("value", "min", "max")), row["count"])')
    is "$node $sensor: a spreadsheet and dcamp history have the same values" "$(tail -n 300 <<<"$table" | md5sum)" \
        "$(tail -n 300 <<<"$command" | md5sum)"
    ok "$node $sensor: and many" test "$(wc -l <<<"$command")" -ge 320
    ok "$node $sensor: there is a picture" grep -q '<path' "$work/$sensor.svg"
done
finish
