#!/usr/bin/env bash
# tomcat.sh: Debian's Tomcat, which nobody has changed, with the agent of dcamp-agent.jar: its requests are a step,
# which is counted exactly; an alarm on the 90th percentile of their time is raised and cleared at a known load.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need java openjdk-17-jdk-headless
need tomcat10-instance-create tomcat10-user
home=/usr/share/tomcat10 examples=/usr/share/tomcat10-examples/examples
[[ -e $examples ]] || skip "there are no examples (package tomcat10-examples)"
jar=$DCAMP_BUILD/dcamp-agent.jar
[[ -e $jar ]] || skip "dcamp-agent.jar is not built"

start_programs_node <<'END'
  <sensors>
    <sensor name="load.1" metric="load.1" interval="1s"/>
    <sensor name="requests" metric="app.count" instances="*/tomcat:request" interval="500ms"/>
    <sensor name="failed" metric="app.failed" instances="*/tomcat:request" interval="500ms"/>
    <sensor name="time" metric="app.time" instances="*/tomcat:request" calculation="average"
            interval="500ms" window="2s"/>
  </sensors>
  <thresholds>
    <threshold name="slow" sensor="time" source="p90" operator="gt" limit="0.2" match="1" clear="0.1"/>
  </thresholds>
END
cat >"$work/tomcat.rules" <<'END'
application tomcat
step request org.apache.catalina.connector.CoyoteAdapter.service
END
port=$(free_tcp_port)
base=$work/tomcat
tomcat10-instance-create -p "$port" "$base" >"$work/create.log" 2>&1 || die "$(cat "$work/create.log")"
sed -i 's/<Server port="[0-9]*"/<Server port="-1"/' "$base/conf/server.xml"
ln -s "$examples" "$base/webapps/examples"
start tomcat java "-javaagent:$jar=$work/tomcat.rules" "-Dcatalina.home=$home" "-Dcatalina.base=$base" \
    "-Djava.io.tmpdir=$base/temp" -cp "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" \
    org.apache.catalina.startup.Bootstrap start
ok "Tomcat runs" within 120 tcp_open "$port"
raises_and_clears "http://127.0.0.1:$port/examples/servlets/servlet/RequestParamExample" time \
    "$user/tomcat:request" slow
is "all requests were answered" "$answered" 380
eventually "SNMP has just as many" 10 value_is Raw requests "$user/tomcat:request" 380
is "none of them has failed" "$(value Raw failed "$user/tomcat:request")" 0
finish
