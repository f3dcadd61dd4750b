#!/usr/bin/env bash
# analysis.sh [SERIES-LENGTH] [REPLICATES]: what analysis/ computes, beside R (analysis.R), of series that are
# made, of some that R has, and of real ones: a node measures this machine every 100 ms while it works now and
# then, and keeps a history, which dcamp reads. Prints a table in Markdown; 1: something is out of its bound.
set -euo pipefail
export LC_ALL=C TZ=UTC
top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
length=${1:-600} replicates=${2:-1999}
analysed=${DCAMP_ANALYSED:-$build/tests/validity/analysed}
work=$(mktemp -d /tmp/dcamp-analysis.XXXXXX)
worker=
lab() { "$top/tests/lab/lab" "$1" --dir "$work/lab" "${@:2}"; }
clean_up() {
    [[ -z $worker ]] || kill "$worker" 2>/dev/null || true
    lab stop >"$work/stopped" 2>&1 || true
    rm -rf "$work"
}
trap clean_up EXIT

cat >"$work/config" <<'END'
<dcamp version="1">
  <node name="" group="default" address="" parent="" level=""/>
  <agentx socket="unix:/run/agentx/master" ping="15s" timeout="5s"/>
  <state directory="/var/lib/dcamp"/>
  <applications directory="/run/dcamp/apps"/>
  <report keep="600" block-bytes="1200" push="0"/>
  <alarms log="1000" rate="10" per="10s" queue="500"/>
  <sensors>
    <sensor name="cpu.busy" metric="cpu.busy" interval="100ms" window="none"/>
    <sensor name="kernel.switches" metric="kernel.switches" interval="100ms" window="none"/>
    <sensor name="mem.free" metric="mem.free" interval="100ms" window="none"/>
  </sensors>
  <sinks>
    <sink name="history" kind="sqlite"/>
  </sinks>
</dcamp>
END
lab start --nodes 1 --config "$work/config" --history --binary "$build/dcampd" >"$work/started" 2>&1 || {
    cat "$work/started" >&2
    exit 2
}
eval "$(lab env)"

# It works a second of every two.
while :; do
    timeout 1 bash -c 'while :; do :; done' || true
    sleep 1
done &
worker=$!

values() {
    "$build/dcamp" history --directory "$DCAMP_LAB_HISTORY" --json --last 1h node1 "$1" 2>"$work/said" |
        sed -n 's/.*"value": \([^,]*\),.*/\1/p' | sed 's/null/NA/' >"$work/$1"
    [[ $(wc -l <"$work/$1") -ge $length ]]
}
given=()
for sensor in cpu.busy kernel.switches mem.free; do
    for ((i = 0; i < 600; i++)); do
        ! values "$sensor" || break
        sleep 0.5
    done
    head -n "$length" "$work/$sensor" >"$work/$sensor.values"
    [[ $(wc -l <"$work/$sensor.values") -eq $length ]] || {
        cat "$work/said" >&2
        exit 2
    }
    given+=("$sensor of this machine" "$work/$sensor.values")
done
lab stop >"$work/stopped" 2>&1
kill "$worker" 2>/dev/null || true
worker=
printf '| what | numbers | R, the first | dCAMP, the first | largest deviation | bound | verdict |\n'
printf '| --- | ---: | ---: | ---: | ---: | ---: | --- |\n'
Rscript --vanilla "$top/tests/validity/analysis.R" "$analysed" "$replicates" "${given[@]}"
