#!/usr/bin/env bash
# openmetrics.sh: what is read in the texts of real exporters: all that prometheus-node-exporter says of
# this machine, and, where Python's client is installed, every type of OpenMetrics. Another reader counts:
# awk, and that client. Skipped without the exporter.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

exporter=$(type -P prometheus-node-exporter) || {
    echo "1..0 # SKIP prometheus-node-exporter is not installed"
    exit 77
}
reader=${DCAMP_BUILD:-$top/build}/tests/integration/read-openmetrics
python=$(PATH=/usr/bin:$PATH type -P python3)

fetch() {
    "$python" -c 'import sys, urllib.request as u
open(sys.argv[2], "wb").write(u.urlopen(sys.argv[1], timeout=20).read())' "$@"
}

# Name, number of labels and value of each sample, sorted: of the reader, and of Python's client.
by_reader() {
    "$reader" "$1" "${@:3}" <"$2" | grep -v '^faults ' | cut -d' ' -f2- | sort
}

by_client() {
    "$python" -c 'import sys
from importlib import import_module
module = import_module(sys.argv[1])
for family in module.text_string_to_metric_families(open(sys.argv[2], encoding="utf-8").read()):
    for sample in family.samples:
        print(sample.name, len(sample.labels), "%.17g" % sample.value)' "$1" "$2" | sort
}

plain='text/plain; version=0.0.4; charset=utf-8'
open='application/openmetrics-text; version=1.0.0; charset=utf-8'
port=$(free_ports 1)
background "$exporter" --web.listen-address="127.0.0.1:$port"
eventually "the exporter answers" 30 fetch "http://127.0.0.1:$port/metrics" "$work/node"

is "each line that is no comment is a sample" "$(by_reader "$plain" "$work/node" | wc -l)" \
    "$(awk '!/^#/ && NF > 0' "$work/node" | wc -l)"
ok "there are some hundred" test "$(by_reader "$plain" "$work/node" | wc -l)" -gt 200
is "nothing is wrong" "$("$reader" "$plain" <"$work/node" 2>&1 | tail -n 1)" \
    "faults 0 beyond 0 whole 1"
is "no family lacks its type" "$("$reader" "$plain" <"$work/node" | cut -d' ' -f1 | grep -v '^faults' |
    sort -u | wc -l)" "$(grep -c '^# TYPE' "$work/node")"
is "names and values are those of awk" "$(by_reader "$plain" "$work/node" | cut -d' ' -f1 | sort)" \
    "$(awk '!/^#/ { sub(/[{ ].*/, ""); print }' "$work/node" | sort)"
for piece in 1 7 4096; do
    is "in pieces of $piece" "$(by_reader "$plain" "$work/node" "$piece")" \
        "$(by_reader "$plain" "$work/node")"
done
head -c -1 "$work/node" >"$work/cut"
is "a text that is cut off is told" "$("$reader" "$plain" <"$work/cut" 2>/dev/null | tail -n 1)" \
    "faults 1 beyond 0 whole 0"

is "the end mark of OpenMetrics needs no newline" \
    "$(printf 'a 1\n# EOF' | "$reader" "$open" 2>&1)" "a a 0 1
faults 0 beyond 0 whole 1"

if ! "$python" -c 'import prometheus_client' 2>/dev/null; then
    echo "# without python3-prometheus-client: every type of OpenMetrics is not compared"
    finish
fi
is "Python's client reads the same of the exporter" "$(by_reader "$plain" "$work/node")" \
    "$(by_client prometheus_client.parser "$work/node")"
"$python" - "$work/open" "$work/plain" <<'END'
import sys
import prometheus_client as p
from prometheus_client.openmetrics.exposition import generate_latest

registry = p.CollectorRegistry()
counter = p.Counter('orders', 'What was "ordered"\nby \\ whom.', ['by'], registry=registry)
counter.labels('x "y" \\ \n\u20ac').inc(5, {'trace_id': 'abc'})
p.Gauge('load', 'Load.', registry=registry).set(float('nan'))
p.Gauge('size_bytes', 'Size.', unit='bytes', registry=registry).set(-1.5e300)
histogram = p.Histogram('wait_seconds', 'Wait.', registry=registry, unit='seconds')
for value in (0.001, 0.3, 20):
    histogram.observe(value, {'trace_id': 'def'})
p.Summary('took', 'Took.', registry=registry).observe(2)
p.Info('build', 'Build.', registry=registry).info({'version': '1.0', 'of': ''})
p.Enum('mode', 'Mode.', states=['up', 'down'], registry=registry).state('down')
open(sys.argv[1], 'wb').write(generate_latest(registry))
open(sys.argv[2], 'wb').write(p.generate_latest(registry))
END
is "nothing is wrong with its OpenMetrics" "$("$reader" "$open" <"$work/open" 2>&1 | tail -n 1)" \
    "faults 0 beyond 0 whole 1"
is "it reads the same of that" "$(by_reader "$open" "$work/open")" \
    "$(by_client prometheus_client.openmetrics.parser "$work/open")"
is "and in the older format" "$(by_reader "$plain" "$work/plain")" \
    "$(by_client prometheus_client.parser "$work/plain")"
finish
