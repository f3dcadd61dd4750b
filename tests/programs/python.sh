#!/usr/bin/env bash
# python.sh: a web server in Python with sensors of its own, by the module dcamp: what it has counted is there by
# SNMP, exactly; an alarm on the 90th percentile of its response time is raised and cleared at a known load.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need python3 python3

start_programs_node <<'END'
  <sensors>
    <sensor name="load.1" metric="load.1" interval="1s"/>
    <sensor name="requests" metric="app.count" instances="*/webserver:requests" interval="500ms"/>
    <sensor name="response" metric="app.time" instances="*/webserver:response" calculation="average"
            interval="500ms" window="2s"/>
  </sensors>
  <thresholds>
    <threshold name="slow" sensor="response" source="p90" operator="gt" limit="0.2" match="1" clear="0.1"/>
  </thresholds>
END
port=$(free_tcp_port)
start webserver env PYTHONPATH="$nms_top/libdcamp/python" python3 "$programs/webserver.py" "$port"
ok "the web server runs" within 20 tcp_open "$port"
raises_and_clears "http://127.0.0.1:$port/order" response "$user/webserver:response" slow
is "all requests were answered" "$answered" 380
exactly() {
    value_is Raw requests "$user/webserver:requests" "$(curl -s "http://127.0.0.1:$port/count")"
}
eventually "what it has counted itself is what SNMP says" 10 exactly
is "it is what the load was" "$(value Raw requests "$user/webserver:requests")" 380
top_is() {
    [[ $(walk "$1" | awk '/webserver/ { gsub(/"/, "", $2); print $2 }') == "$2" ]]
}
eventually "dcampTopTable has the path that was asked for" 10 top_is dcampTopKey /order
ok "and how often" top_is dcampTopCount 380
end webserver KILL
eventually "after kill -9 the total stays" 10 value_is Raw requests "$user/webserver:requests" 380
finish
