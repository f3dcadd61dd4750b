#!/usr/bin/env bash
# With Icinga 2: a threshold set by snmpset is crossed, the service becomes CRITICAL by the trap,
# through the API, and OK by the clear; check_dcamp finds the same; who is silent is found by the
# check that is due when nothing comes. Somebody is notified of each instance, and of a rule without
# a service. The objects are those of conf/icinga2.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need icinga2 icinga2-bin
need curl curl
need jq jq

icinga=$work/icinga
credentials=$work/credentials
password=$(od -An -N 12 -tx1 /dev/urandom | tr -d ' \n')

# With directories of its own, as who runs the test.
icinga2=(env "ICINGA2_USER=$(id -un)" "ICINGA2_GROUP=$(id -gn)" icinga2)
directories=(-D "ConfigDir=$icinga")
for name in Data Log InitRun Cache Spool; do
    directories+=(-D "${name}Dir=$icinga/${name,,}")
done

# Its certificates: an authority of its own, as "icinga2 api setup" makes it.
make_certificates() {
    local certs=$icinga/data/certs
    "${icinga2[@]}" pki new-ca "${directories[@]}"
    "${icinga2[@]}" pki new-cert "${directories[@]}" --cn localhost --key "$certs/localhost.key" --csr "$certs/localhost.csr"
    "${icinga2[@]}" pki sign-csr "${directories[@]}" --csr "$certs/localhost.csr" --cert "$certs/localhost.crt"
    cp "$icinga/data/ca/ca.crt" "$certs/ca.crt"
}

write_main() {
    cat <<END
const PluginDir = "$DCAMP_BUILD"
const NodeName = "localhost"
const ZoneName = NodeName
include <itl>
include <plugins>
object Endpoint NodeName {}
object Zone ZoneName { endpoints = [ NodeName ] }
object CheckerComponent "checker" {}
object ApiListener "api" { bind_host = "127.0.0.1", bind_port = $api_port }
object ApiUser "dcamp" {
  password = "$password"
  permissions = [ "actions/process-check-result", "actions/remove-acknowledgement", "actions/delay-notification" ]
}
object ApiUser "test" {
  password = "$password"
  permissions = [ "objects/query/*", "actions/acknowledge-problem" ]
}
object NotificationComponent "notification" {}
include "dcamp.conf"
include "example.conf"
include "site.conf"
END
}

# What a site has of its own: somebody to notify, by a line in a file.
write_site() {
    cat <<END
object User "operator" {}
object NotificationCommand "note" {
  command = [ "/bin/sh", "-c", "echo \$\$PAGE >>$icinga/pages" ]
  env.PAGE = "\$notification.type\$ \$host.name\$ \$service.name\$: \$service.output\$"
}
apply Notification "note" to Service {
  command = "note"
  users = [ "operator" ]
  types = [ Problem, Recovery ]
  assign where match("dcamp *", service.name)
}
END
}

# The lab's addresses, secrets and sensor, and short times.
write_objects() {
    local top=$nms_top/conf/icinga2
    sed -e "s|/etc/icinga2/dcamp.secrets|$work/secrets|" -e 's/dcamp_user = "dcampPoll"/dcamp_user = "lab"/' \
        -e 's/\(_interval =\) 5m/\1 4s/; s/\(_interval =\) \(1m\|30s\)/\1 2s/' "$top/dcamp.conf" >"$icinga/dcamp.conf"
    awk -v web1="${DCAMP_LAB_NODE_1##*:}" -v collector1="${DCAMP_LAB_COLLECTOR_1##*:}" '
        /^object Host/ { port = /web1/ ? web1 : collector1 }
        { sub(/192\.0\.2\.[78]/, "127.0.0.1"); gsub(/web1/, "node1"); sub(/"load\.1"/, "\"load\"") }
        { sub(/"hot" ]/, "\"hot\", \"traffic\" ]") }
        { sub(/dcamp_port = 161/, "dcamp_port = " port) }
        { print }' "$top/example.conf" >"$icinga/example.conf"
}

start_icinga() {
    api_port=$(free_tcp_port)
    mkdir -p "$icinga"/{data/certs,data/ca,log,initrun,cache,spool}
    make_certificates >"$icinga/pki.log" 2>&1 || die "no certificates: $(cat "$icinga/pki.log")"
    write_main >"$icinga/icinga2.conf"
    write_site >"$icinga/site.conf"
    write_objects
    ok "Icinga takes the objects" "${icinga2[@]}" daemon "${directories[@]}" -C -c "$icinga/icinga2.conf"
    start icinga "${icinga2[@]}" daemon "${directories[@]}" -c "$icinga/icinga2.conf"
    within 20 tcp_open "$api_port" || die "there is no API: $(cat "$work/icinga.log")"
}

# api PATH ARGUMENT...: asks Icinga, with further arguments of curl.
api() {
    local path=$1
    shift
    curl -sS --cacert "$icinga/data/certs/ca.crt" -u "test:$password" -H 'Accept: application/json' "$@" \
        "https://localhost:$api_port/v1/$path"
}

# service HOST SERVICE: its attributes.
service() {
    api "objects/services/$1!${2// /%20}" | jq -e '.results[0].attrs'
}

# acknowledge HOST SERVICE: what an operator does in Icinga's pages, until the service is OK.
acknowledge() {
    local request
    request=$(jq -nc --arg service "$1!$2" '{type: "Service", service: $service, author: "operator",
        comment: "seen", sticky: true}')
    api actions/acknowledge-problem -d "$request" | jq -e '.results[0].code == 200' >/dev/null
}

# acknowledged HOST SERVICE
acknowledged() {
    [[ $(service "$1" "$2" | jq .acknowledgement) != 0 ]]
}

# heard NUMBER PATTERN: so often somebody heard of the traffic, and what was heard last.
heard() {
    # shellcheck disable=SC2053 # a pattern
    pages '^PROBLEM node1 dcamp traffic: ' "$1" &&
        [[ $(grep '^PROBLEM node1 dcamp traffic: ' "$icinga/pages" | tail -n 1) == $2 ]]
}

# pages PATTERN NUMBER: how often somebody heard of it.
pages() {
    [[ $(grep -c -e "$1" "$icinga/pages" 2>/dev/null) -eq $2 ]]
}

# once_each SERVICE: nobody heard of the same problem of node1 twice. A check that was under way when the
# notification came may end behind it, with what was before: then there is an end, and the problem again.
once_each() {
    [[ -z $(grep -oE "^(PROBLEM|RECOVERY) node1 $1:" "$icinga/pages" | uniq -d) ]]
}

# state HOST SERVICE NUMBER [PATTERN-OF-OUTPUT]
state() {
    local attributes
    attributes=$(service "$1" "$2") || return 1
    # shellcheck disable=SC2053 # a pattern
    [[ $(jq -r .state <<<"$attributes") == "$3" &&
        $(jq -r '.last_check_result.output // ""' <<<"$attributes") == ${4:-?*} ]]
}

# The alarms of one rule on two instances are one service.
test_instances() {
    set_traffic 90 10
    eventually "the first instance: CRITICAL" 10 state node1 "dcamp traffic" 2 \
        'CRITICAL - traffic: rx on eth0 is 90 B (limit > 50)'
    eventually "somebody hears of it" 5 heard 1 '*rx on eth0 is 90 B*'
    set_traffic 90 90
    eventually "the second, while the first goes on: both are named" 10 state node1 "dcamp traffic" 2 \
        'CRITICAL - traffic: rx on eth1 is 90 B (limit > 50) (2 active: traffic eth0, traffic eth1)'
    eventually "somebody hears of the second" 10 heard 2 '*rx on eth1 is 90 B*'
    set_traffic 10 90
    eventually "the first is over: still CRITICAL" 10 state node1 "dcamp traffic" 2 \
        'CRITICAL - traffic: rx on eth1 is 90 B (limit > 50) (1 active: traffic eth1, over: traffic eth0)'
    eventually "what is asked for confirms it" 15 state node1 "dcamp traffic" 2 'DCAMP CRITICAL: 1 active *'
    ok "nobody has heard of the second again" heard 2 '*'
    ok "the second is acknowledged" acknowledge node1 "dcamp traffic"
    set_traffic 90 90
    eventually "the first again: somebody hears of it" 15 heard 3 '*rx on eth0 is 90 B*'
    ok "which is not acknowledged" not acknowledged node1 "dcamp traffic"
    set_traffic 10 10
    eventually "both are over: OK" 10 state node1 "dcamp traffic" 0
    eventually "somebody hears of the end" 5 pages '^RECOVERY node1 dcamp traffic:' 1
    ok "three problems, one end" heard 3 '*'
}

# A rule that nobody has made a service for.
test_catch_all() {
    load_threshold forgotten
    set_load "$work/root" 90
    eventually "no service: the catch-all is CRITICAL" 10 state node1 "dcamp other" 2 'CRITICAL - *load on total is 90 tasks*'
    eventually "somebody hears of it" 5 pages '^PROBLEM node1 dcamp other: ' 1
    eventually "what is asked for confirms it" 15 state node1 "dcamp other" 2 'DCAMP CRITICAL: 1 active alarm *forgotten*'
    set_load "$work/root" 10
    eventually "the catch-all is OK" 10 state node1 "dcamp other" 0
    eventually "somebody hears of the end" 5 pages '^RECOVERY node1 dcamp other:' 1
    ok "of the problem, once" once_each "dcamp other"
}

make_traffic_root
start_nms_lab --nodes 1 --collectors 1 --root "$work/root"
(
    umask 077
    printf 'auth %s\npriv %s\n' "$(option_of -A)" "$(option_of -X)" >"$work/secrets"
    printf 'user dcamp\npassword %s\n' "$password" >"$credentials"
)
load_threshold hot
traffic_threshold
start_icinga
start_trapd -On <<END
traphandle default $DCAMP_BUILD/dcamp-trap icinga --url https://localhost:$api_port --credentials $credentials --ca $icinga/data/certs/ca.crt --spool $work/spool
END

eventually "by asking: the sensor is OK" 15 state node1 "dcamp load" 0 'DCAMP OK: load total is 10 tasks '
eventually "by asking: fresh" 10 state node1 "dcamp freshness" 0 'DCAMP OK: node1 *'
eventually "by asking: the tree" 10 state collector1 "dcamp tree" 0 'DCAMP OK: 1 of 1 children up *'
eventually "by asking: the aggregate" 10 state collector1 "all.cpu.busy" 0 'DCAMP OK: all.cpu.busy total *'
eventually "by asking: no alarms" 10 state node1 "dcamp hot" 0 'DCAMP OK: no active alarms *'

set_load "$work/root" 90
eventually "the trap: CRITICAL" 10 state node1 "dcamp hot" 2 'CRITICAL - *load on total is 90 tasks*'
is "with its perfdata" "$(service node1 "dcamp hot" | jq -c .last_check_result.performance_data)"  \
    '["alarms=1;;;0","critical=1;;;0","warning=0;;;0","info=0;;;0"]'
eventually "by asking: CRITICAL" 10 state node1 "dcamp load" 2 'DCAMP CRITICAL: load total is 90 tasks (limit 50) '
eventually "what is asked for confirms the trap" 15 state node1 "dcamp hot" 2 'DCAMP CRITICAL: 1 active alarm *'
set_load "$work/root" 10
eventually "the clear: OK" 10 state node1 "dcamp hot" 0 'OK - *'
eventually "by asking: OK" 10 state node1 "dcamp load" 0
eventually "somebody has heard of the end" 5 pages '^RECOVERY node1 dcamp hot:' 1
ok "and of the problem, once" once_each "dcamp hot"

test_instances
test_catch_all
ok "no other service has told of an alarm of the node" not grep -E '^PROBLEM (collector1|node1 dcamp notifications)' "$icinga/pages"

# A user who may not: the result comes all the same.
sed -i 's/, "actions\/remove-acknowledgement", "actions\/delay-notification"//' "$icinga/icinga2.conf"
end icinga
start icinga "${icinga2[@]}" daemon "${directories[@]}" -c "$icinga/icinga2.conf"
eventually "Icinga is back, with fewer permissions" 20 tcp_open "$api_port"
set_load "$work/root" 90
eventually "the result comes without them" 10 state node1 "dcamp hot" 2 'CRITICAL - *load on total is 90 tasks*'
eventually "a line says what is missing" 10 grep -q 'Icinga may not notify of what "dcamp hot" of host "node1" is told' "$work/trapd.log"

control kill-dcampd
eventually "dCAMP is silent: CRITICAL" 20 state node1 "dcamp hot" 2 'DCAMP CRITICAL: snmpd answers, but there is no DCAMP-MIB*'
finish
