#!/usr/bin/env bash
# The sink openmetrics, scraped by a real Prometheus: what Prometheus keeps is what the node measured,
# sample by sample, as its history and SNMP have it; whoever is killed meanwhile; and what has ended is
# stale at once.
# shellcheck source=common.sh disable=SC2016 # what eval gets is expanded there
. "$(dirname "$0")/common.sh"

need prometheus prometheus
need promtool prometheus
need curl curl
need jq jq
scrape_port=$(free_tcp_port)
scrape_url=http://127.0.0.1:$scrape_port/metrics

# write_config FILE [SENSOR]: every value of these sensors is reported.
write_config() {
    cat >"$1" <<END
<dcamp version="1">
  <node name="node1" group="lab"/>
  <report keep="3600"/>
  <sensors>
    <sensor name="switches" metric="kernel.switches" calculation="rate" interval="500ms"/>
    <sensor name="idle" metric="cpu.idle" calculation="percent" interval="500ms"/>
    <sensor name="total" metric="mem.total" interval="1s"/>
    <sensor name="free" metric="mem.free" interval="500ms" window="2s"/>
    ${2:-}
  </sensors>
  <thresholds>
    <threshold name="large" sensor="total" operator="gt" limit="1" clear="0" severity="critical"/>
  </thresholds>
  <sinks>
    <sink name="history" kind="sqlite"${3:-}/>
    <sink name="scrape" kind="openmetrics" location="$scrape_url?silent=5"/>
  </sinks>
</dcamp>
END
}

start_prometheus() {
    start prometheus prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
        --web.listen-address="127.0.0.1:$prometheus_port"
    within 30 curl -sf -o /dev/null "http://127.0.0.1:$prometheus_port/-/ready" ||
        die "Prometheus does not start: $(<"$work/prometheus.log")"
}

# ask QUERY: the value of the first series; fails if there is none.
ask() {
    curl -sf --data-urlencode "query=$1" "http://127.0.0.1:$prometheus_port/api/v1/query" |
        jq -er '.data.result[0].value[1]'
}

# labels QUERY: of the first series, but for those of Prometheus.
labels() {
    curl -sf --data-urlencode "query=$1" "http://127.0.0.1:$prometheus_port/api/v1/query" |
        jq -cS '.data.result[0].metric | del(.__name__, .instance, .job)'
}

# samples QUERY: "MILLISECONDS VALUE", as they were kept, of the last two minutes.
samples() {
    curl -sf --data-urlencode "query=$1[2m]" "http://127.0.0.1:$prometheus_port/api/v1/query" |
        jq -r '.data.result[].values[] | "\(.[0] * 1000 | floor) \(.[1])"'
}

# kept SENSOR: likewise, in the history.
kept() {
    "$DCAMP_BUILD/dcamp" history --directory "$DCAMP_LAB_HISTORY" --json node1 "$1" total --last 3m |
        jq -r '"\(.t) \(.value)"'
}

# kept_behind SENSOR MILLISECONDS: whether the history has a value of that time, or later; all are in kept.
kept_behind() {
    kept "$1" >"$work/kept"
    [[ $(tail -n 1 "$work/kept" | cut -d' ' -f1) -ge $2 ]]
}

# differing SENSOR FAMILY MILLISECONDS: samples that are none of the values that the history has of the time
# before them; behind these, how many were compared.
differing() {
    samples "$2{sensor=\"$1\",dcamp_instance=\"total\"}" >"$work/samples"
    within 20 kept_behind "$1" "$(tail -n 1 "$work/samples" | cut -d' ' -f1)" || true
    awk -v most="$3" 'NR == FNR { t[++n] = $1; value[n] = $2; next }
        { for (i = 1; i <= n; i++) if (t[i] <= $1 + 50 && t[i] > $1 - most && value[i] + 0 == $2 + 0) break
          if (i > n) print "# differs:", $0
          compared++ }
        END { print compared + 0 }' "$work/kept" "$work/samples"
}

# compared DESCRIPTION [MILLISECONDS]: of each sensor, enough samples, and none that differs.
compared() {
    local sensor said
    while read -r sensor family; do
        eventually "$1: $sensor: there are samples" 30 eval '[[ $(samples "'"$family"'{sensor=\"'"$sensor"'\"}" | wc -l) -gt 12 ]]'
        said=$(differing "$sensor" "$family" "${2:-3000}")
        grep '^#' <<<"$said" | head -n 3 || true
        is "$1: $sensor: each of $(tail -n 1 <<<"$said") samples is a value of that time" "$(grep -c '^#' <<<"$said")" 0
    done <<END
switches dcamp_kernel_switches_per_second
idle dcamp_cpu_idle_percent
free dcamp_mem_free_bytes
END
}

# is_newer MILLISECONDS: Prometheus has a sample behind that time.
is_newer() {
    [[ $(samples 'dcamp_kernel_switches_per_second' | tail -n 1 | cut -d' ' -f1) -gt $1 ]]
}

# again DESCRIPTION: what is measured from now on is scraped.
again() {
    eventually "$1: it is scraped again" 60 is_newer $((EPOCHSECONDS * 1000 + 1000))
}

worker() {
    pgrep -P "$publish" -f -- '--sink scrape'
}

write_config "$work/dcamp.xml" '<sensor name="gone" metric="load.1" interval="500ms"/>'
start_lab --config "$work/dcamp.xml" --history
publish=$DCAMP_LAB_PID_PUBLISH
prometheus_port=$(free_tcp_port)
cat >"$work/prometheus.yml" <<END
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs: [{job_name: dcamp, static_configs: [{targets: ['127.0.0.1:$scrape_port']}]}]
END
start_prometheus

eventually "it is scraped" 30 ask 'dcamp_mem_total_bytes{node="node1"} > 1e6'
is "its value is that of SNMP" "$(ask 'dcamp_mem_total_bytes{node="node1"}')" \
    "$(get 'dcampValueText."total"."total"' | tr -d '"')"
is "its labels" "$(labels dcamp_mem_total_bytes)" '{"dcamp_instance":"total","node":"node1","sensor":"total"}'
is "the node is up, with its group" "$(ask 'dcamp_node_up{node="node1",group="lab"}')" 1
eventually "an alarm is there" 20 ask 'dcamp_alarm_severity{node="node1",threshold="large",sensor="total",dcamp_instance="total"} == 4'
eventually "windows are there" 20 ask 'dcamp_mem_free_window_bytes{quantile="0.99"} > 0'
eventually "their counts are counters" 30 ask 'rate(dcamp_mem_free_window_bytes_count[10s]) > 1 < 3'
eventually "and so is their mean a value" 30 ask \
    'rate(dcamp_mem_free_window_bytes_sum[10s]) / rate(dcamp_mem_free_window_bytes_count[10s]) > 1e6'
curl -s "http://127.0.0.1:$prometheus_port/api/v1/targets/metadata?metric=dcamp_mem_free_window_bytes" >"$work/metadata"
is "Prometheus has read OpenMetrics" "$(jq -r '.data[0] | .type + " " + .unit' "$work/metadata")" "summary bytes"
ok "promtool has nothing to complain of but units" eval \
    '! curl -s "$scrape_url" | promtool check metrics 2>&1 | grep -v "use base unit"'
compared "at first"

for round in 1 2; do
    kill -KILL "$(worker)"
    again "the process of the sink was killed $round times"
done
compared "the process of the sink was killed"

kill -KILL "$publish"
eventually "without dcamp-publish, nothing is told" 20 not ask 'dcamp_mem_total_bytes'
start publish "$DCAMP_BUILD/dcamp-publish" --socket "$DCAMP_LAB_PUBLISH_SOCKET" \
    --state-dir "$(dirname "$DCAMP_LAB_HISTORY")" --modules "$DCAMP_BUILD/publish/.libs"
publish=$(pid_of publish)
again "dcamp-publish was killed"
ok "a value that has not changed since is there, too" ask dcamp_mem_total_bytes
ok "and an alarm" ask 'dcamp_alarm_severity{threshold="large"} == 4'
compared "dcamp-publish was killed"

end prometheus KILL
start_prometheus
again "Prometheus was killed"
compared "Prometheus was killed"

ok "a sensor is there" ask 'dcamp_load_1_tasks{sensor="gone"}'
write_config "$DCAMP_LAB_CONFIG_1" '' " location=\"$DCAMP_LAB_HISTORY\""
kill -HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "once it is not, its series is stale, long before it would be too old" 20 not ask 'dcamp_load_1_tasks'
ok "others are not" ask dcamp_mem_total_bytes

control kill-dcampd --signal KILL
eventually "a node that is silent is down" 30 ask 'dcamp_node_up{node="node1"} == 0'
eventually "and its series are stale" 10 not ask dcamp_mem_total_bytes
control start-dcampd
eventually "until it is back" 30 ask 'dcamp_node_up{node="node1"} == 1'
again "its dcampd was killed"
compared "its dcampd was killed" 8000 # until it was taken for silent
finish
