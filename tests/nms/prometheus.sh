#!/usr/bin/env bash
# The module of conf/prometheus in a real snmp_exporter over SNMPv3, its rules in a real
# Prometheus: values are there, an alarm fires, reaches a real Alertmanager, and recovers. Its
# notification reaches Alertmanager by dcamp-trap, without Prometheus.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

need prometheus-snmp-exporter prometheus-snmp-exporter
need prometheus prometheus
need promtool prometheus
need prometheus-alertmanager prometheus-alertmanager
need curl curl
need jq jq
conf=$nms_top/conf/prometheus

start_exporter() {
    exporter_port=$(free_tcp_port)
    sed -e "s/username: .*/username: $(option_of -u)/" \
        -e "s/ password: .*/ password: $(option_of -A)/" \
        -e "s/priv_password: .*/priv_password: $(option_of -X)/" "$conf/snmp.yml" >"$work/snmp.yml"
    start exporter prometheus-snmp-exporter --config.file="$work/snmp.yml" \
        --web.listen-address="127.0.0.1:$exporter_port"
    within 10 curl -sf -o /dev/null "http://127.0.0.1:$exporter_port/" ||
        die "snmp_exporter does not start: $(<"$work/exporter.log")"
}

start_alertmanager() {
    alertmanager_port=$(free_tcp_port)
    cat >"$work/alertmanager.yml" <<END
route: {receiver: nobody, group_by: [alertname], group_wait: 1s, group_interval: 1s}
receivers: [{name: nobody}]
END
    start alertmanager prometheus-alertmanager --config.file="$work/alertmanager.yml" \
        --storage.path="$work/alertmanager" --cluster.listen-address= \
        --web.listen-address="127.0.0.1:$alertmanager_port"
    within 10 curl -sf -o /dev/null "http://127.0.0.1:$alertmanager_port/-/ready" ||
        die "Alertmanager does not start: $(<"$work/alertmanager.log")"
}

# job NAME MODULE ADDRESS...
job() {
    local name=$1 module=$2 addresses
    shift 2
    addresses=$(printf '%s,' "${@#udp:}")
    cat <<END
  - job_name: $name
    metrics_path: /snmp
    params: {module: [$module]}
    static_configs: [{targets: [${addresses%,}]}]
    relabel_configs:
      - {source_labels: [__address__], target_label: __param_target}
      - {source_labels: [__param_target], target_label: instance}
      - {target_label: __address__, replacement: '127.0.0.1:$exporter_port'}
END
}

start_prometheus() {
    prometheus_port=$(free_tcp_port)
    {
        echo 'global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}'
        echo "rule_files: ['$conf/dcamp.rules.yml']"
        echo "alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:$alertmanager_port']}]}]}"
        echo 'scrape_configs:'
        # shellcheck disable=SC2153 # of the lab
        job dcamp dcamp "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_NODE_2" "$DCAMP_LAB_COLLECTOR_1"
        # shellcheck disable=SC2153
        job dcamp-tree dcamp_tree "$DCAMP_LAB_COLLECTOR_1"
        job dcamp-children dcamp_children "$DCAMP_LAB_COLLECTOR_1"
        job dcamp-statistics dcamp_statistics "$DCAMP_LAB_NODE_1"
        job dcamp-sinks dcamp "$DCAMP_LAB_ROOT" # where the history is; nothing else of it
        echo "    metric_relabel_configs: [{source_labels: [__name__], regex: 'dcampSink.*', action: keep}]"
    } >"$work/prometheus.yml"
    promtool check config "$work/prometheus.yml" >"$work/check.log" 2>&1 || die "$(<"$work/check.log")"
    start prometheus prometheus --config.file="$work/prometheus.yml" \
        --storage.tsdb.path="$work/tsdb" --web.listen-address="127.0.0.1:$prometheus_port"
    within 20 curl -sf -o /dev/null "http://127.0.0.1:$prometheus_port/-/ready" ||
        die "Prometheus does not start: $(<"$work/prometheus.log")"
}

# ask_prometheus QUERY: its value, of the first series; fails if there is none.
ask_prometheus() {
    curl -sf --data-urlencode "query=$1" "http://127.0.0.1:$prometheus_port/api/v1/query" |
        jq -er '.data.result[0].value[1]'
}

# dashboard_query TITLE NUMBER ADDRESS: a query of a panel, counted from 0, of one node.
dashboard_query() {
    jq -r --arg title "$1" --argjson number "$2" --arg instance "${3#udp:}" \
        '.panels[] | select(.title == $title).targets[$number].expr // "" | sub("[$]instance"; $instance)' \
        "$nms_top/conf/grafana/dcamp.json"
}

# without_label QUERY TITLE: of the columns that a table of the dashboard names, those that are no label
# of what the query finds.
without_label() {
    curl -sf --data-urlencode "query=$1" "http://127.0.0.1:$prometheus_port/api/v1/query" |
        jq -c --arg title "$2" --slurpfile dashboard "$nms_top/conf/grafana/dcamp.json" \
            '.data.result[0].metric as $labels | $dashboard[0].panels[] | select(.title == $title)
            | [.transformations[].options.renameByName // {} | keys[]
                | select(startswith("Value") or in($labels) | not)]'
}

# firing NAME LABEL VALUE: whether Alertmanager has the alert, and it is not over.
firing() {
    curl -sf "http://127.0.0.1:$alertmanager_port/api/v2/alerts" |
        jq -e --arg name "$1" --arg tag "$2" --arg value "$3" \
            'any(.[]; .labels.alertname == $name and .labels[$tag] == $value)'
}

# annotation NAME WHICH: of an alert.
annotation() {
    curl -sf "http://127.0.0.1:$alertmanager_port/api/v2/alerts" |
        jq -r --arg name "$1" --arg which "$2" \
            '.[] | select(.labels.alertname == $name).annotations[$which]'
}

# scrape MODULE ADDRESS: what the exporter says.
scrape() {
    curl -sf "http://127.0.0.1:$exporter_port/snmp?module=$1&target=${2#udp:}"
}

ok "the rules are good" promtool check rules "$conf/dcamp.rules.yml"
start_tree --history
node=$DCAMP_LAB_NODE_2
load_threshold hot
start_exporter
start_alertmanager
start_prometheus
mkfifo "$work/stream"
start handler "$DCAMP_BUILD/dcamp-trap" alertmanager --spool "$work/spool" \
    --url "http://127.0.0.1:$alertmanager_port" --stream="$work/stream"
"$DCAMP_BUILD/dcamp-trap" --print-snmptrapd-conf | start_trapd -On -Lf "$work/stream"

one="instance=\"${DCAMP_LAB_NODE_1#udp:}\""
eventually "a value is a number" 20 ask_prometheus \
    "dcampValueText{$one,dcampSensorName=\"mem.total\",dcampValueInstance=\"total\",dcampValueUnit=\"B\"} > 1e6"
memory=$(awk '/^MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
is "the right one" "$(ask_prometheus "dcampValueText{$one,dcampSensorName=\"mem.total\"}")" "$memory"
eventually "aggregates are there" 20 ask_prometheus \
    'dcampAggregateValueText{dcampAggregateName="all.mem.free.percent",dcampAggregateValueUnit="%"} > 0'
is "of both nodes" "$(ask_prometheus 'dcampAggregateValueReporting{dcampAggregateName="all.mem.free.percent"}')" 2
eventually "children are there, up" 20 ask_prometheus \
    'count(dcampChildState{dcampChildName=~"node[12]",dcampChildGroup="default"} == 2) == 2'
eventually "the collector has the values of its children" 20 ask_prometheus \
    'dcampChildValueText{dcampChildName="node1",dcampChildValueSensor="mem.total",dcampChildValueUnit="B"} > 1e6'
eventually "statistics are there" 90 ask_prometheus \
    "dcampValueP95{$one,dcampSensorName=\"cpu.busy\",dcampValueInstance=\"total\",dcampValueUnit=\"%\"} >= 0"
scrape dcamp "$DCAMP_LAB_NODE_1" >"$work/dcamp.txt"
ok "help has the unit" grep -q '^# HELP dcampSelfMemory Unit: kilobytes[.] ' "$work/dcamp.txt"
ok "that of values is a label" grep -q '^# HELP dcampValueText Unit: that of the label dcampValueUnit[.] ' \
    "$work/dcamp.txt"
ok "statistics are no part of it" not grep -q '^dcampValueP95' "$work/dcamp.txt"
ok "no alarm" not firing DcampCritical dcampAlarmThreshold hot

raised=$EPOCHSECONDS
set_load "$machine" 90
eventually "an alarm fires, with its threshold" 30 firing DcampCritical dcampAlarmThreshold hot
ok "with its node" firing DcampCritical dcampAlarmNode node2
ok "with its instance" firing DcampCritical dcampAlarmInstance total
is "which are its summary" "$(annotation DcampCritical summary)" "node2: hot of total is critical"
is "its value is told, and is no label" "$(annotation DcampCritical description)" "load is 90."
scrape dcamp "$DCAMP_LAB_NODE_2" | grep '^dcampAlarm' >"$work/alarm.txt"
ok "neither is its message" not grep -q -i -e message -e 'too many tasks' "$work/alarm.txt"
eventually "the notification of it gets there by itself, too" 10 firing hot key node2:hot:total

# Every query of the dashboard finds something, with all that its variables can be. Queries of
# sensors name the unit of their panel, so that a wrong unit finds nothing.
sed -e 's/^SwapTotal:.*/SwapTotal: 1048576 kB/' -e 's/^SwapFree:.*/SwapFree: 524288 kB/' \
    /proc/meminfo >"$machine/proc/meminfo"
while read -r query; do
    eventually "dashboard: $query" 20 ask_prometheus "$query"
done < <(jq -r '.. | .targets? // empty | .[].expr' "$nms_top/conf/grafana/dcamp.json" |
    sed -e 's/"[$][a-z]*"/".+"/g' -e 's/[$]__rate_interval/1m/g')
# Those that count alarms find a 0 where there are none.
is "the dashboard counts the alarm" \
    "$(ask_prometheus "$(dashboard_query 'Alarms, critical' 0 "$DCAMP_LAB_NODE_2")")" 1
# The tables of alarms: at the node, and at its collector.
for table in "$DCAMP_LAB_NODE_2 Active alarms" \
    "$DCAMP_LAB_COLLECTOR_1 Active alarms below collectors and roots"; do
    severity=$(dashboard_query "${table#* }" 0 "${table%% *}")
    since=$(dashboard_query "${table#* }" 1 "${table%% *}")
    is "${table#* }: it is critical" "$(ask_prometheus "$severity")" 4
    ok "${table#* }: since it was raised" \
        ask_prometheus "($since) >= ${raised}000 <= ${raised}000 + 20000"
    is "${table#* }: the other columns are labels" "$(without_label "$severity" "${table#* }")" '[]'
    is "${table#* }: of both queries" "$(without_label "$since" "${table#* }")" '[]'
done
is "the table of alarms below has that of the node" "$(ask_prometheus \
    'dcampChildAlarmSeverity{dcampChildAlarmPath="node2",dcampChildAlarmNode="node2",dcampChildAlarmThreshold="hot",dcampChildAlarmInstance="total"}')" 4

set_load "$machine" 10
eventually "it is over" 40 not firing DcampCritical dcampAlarmThreshold hot
eventually "in the table of alarms below, too" 20 not ask_prometheus "$severity"
eventually "so says the notification" 10 not firing hot key node2:hot:total
control kill-dcampd --node 2
eventually "a child that is lost fires" 20 firing DcampChildLost dcampChildName node2
control start-dcampd --node 2
eventually "until it is back" 30 not firing DcampChildLost dcampChildName node2
finish
