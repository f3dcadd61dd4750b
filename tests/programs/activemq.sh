#!/usr/bin/env bash
# activemq.sh: Debian's ActiveMQ, which nobody has changed, with the agent of dcamp-agent.jar: messages that are sent
# to it are a step, which is counted exactly, with the time of each.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need java openjdk-17-jdk-headless
home=/usr/share/activemq
[[ -e $home/bin/activemq.jar ]] || skip "ActiveMQ is missing (package activemq)"
jar=$DCAMP_BUILD/dcamp-agent.jar
[[ -e $jar ]] || skip "dcamp-agent.jar is not built"

start_programs_node <<'END'
  <sensors>
    <sensor name="load.1" metric="load.1" interval="1s"/>
    <sensor name="sent" metric="app.count" instances="*/activemq:send" interval="500ms"/>
    <sensor name="time" metric="app.time" instances="*/activemq:send" calculation="average"
            interval="500ms" window="1m"/>
  </sensors>
END
cat >"$work/activemq.rules" <<'END'
application activemq
step send org.apache.activemq.broker.region.AbstractRegion.send
END
port=$(free_tcp_port)
mkdir "$work/activemq"
start activemq java "-javaagent:$jar=$work/activemq.rules" "-Dactivemq.home=$home" \
    "-Dactivemq.base=$work/activemq" "-Dactivemq.data=$work/activemq" -jar "$home/bin/activemq.jar" start \
    "broker:(stomp://127.0.0.1:$port)?persistent=false&useJmx=false&advisorySupport=false"
ok "ActiveMQ runs" within 120 tcp_open "$port"
sent=$(python3 "$programs/stomp.py" "$port" 1000)
is "all messages were taken over" "$sent" 1000
eventually "SNMP has just as many" 10 value_is Raw sent "$user/activemq:send" 1000
is "and the time of each" "$(value WindowSamples time "$user/activemq:send")" 1000
ok "which is some time: $(value P90 time "$user/activemq:send") s at the 90th percentile" \
    awk -v p90="$(value P90 time "$user/activemq:send")" 'BEGIN { exit !(p90 > 0 && p90 < 1) }'
finish
