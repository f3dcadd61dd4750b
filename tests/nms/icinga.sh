#!/usr/bin/env bash
# With Icinga 2: a threshold set by snmpset is crossed, the service becomes CRITICAL by the trap,
# through the API, and OK by the clear; check_dcamp finds the same; who is silent is found by the
# check that is due when nothing comes. The objects are those of conf/icinga2.
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
  permissions = [ "actions/process-check-result" ]
}
object ApiUser "test" {
  password = "$password"
  permissions = [ "objects/query/*" ]
}
include "dcamp.conf"
include "example.conf"
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
        { sub(/dcamp_port = 161/, "dcamp_port = " port) }
        { print }' "$top/example.conf" >"$icinga/example.conf"
}

start_icinga() {
    api_port=$(free_tcp_port)
    mkdir -p "$icinga"/{data/certs,data/ca,log,initrun,cache,spool}
    make_certificates >"$icinga/pki.log" 2>&1 || die "no certificates: $(cat "$icinga/pki.log")"
    write_main >"$icinga/icinga2.conf"
    write_objects
    ok "Icinga takes the objects" "${icinga2[@]}" daemon "${directories[@]}" -C -c "$icinga/icinga2.conf"
    start icinga "${icinga2[@]}" daemon "${directories[@]}" -c "$icinga/icinga2.conf"
    within 20 tcp_open "$api_port" || die "there is no API: $(cat "$work/icinga.log")"
}

# service HOST SERVICE: its attributes.
service() {
    curl -sS --cacert "$icinga/data/certs/ca.crt" -u "test:$password" -G \
        --data-urlencode 'attrs=state' --data-urlencode 'attrs=last_check_result' \
        "https://localhost:$api_port/v1/objects/services/$1!${2// /%20}" |
        jq -e '.results[0].attrs'
}

# state HOST SERVICE NUMBER [PATTERN-OF-OUTPUT]
state() {
    local attributes
    attributes=$(service "$1" "$2") || return 1
    # shellcheck disable=SC2053 # a pattern
    [[ $(jq -r .state <<<"$attributes") == "$3" &&
        $(jq -r '.last_check_result.output // ""' <<<"$attributes") == ${4:-?*} ]]
}

make_root "$work/root"
ln -sf /proc/stat "$work/root/proc/stat"
start_nms_lab --nodes 1 --collectors 1 --root "$work/root"
(
    umask 077
    printf 'auth %s\npriv %s\n' "$(option_of -A)" "$(option_of -X)" >"$work/secrets"
    printf 'user dcamp\npassword %s\n' "$password" >"$credentials"
)
load_threshold hot
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

control kill-dcampd
eventually "dCAMP is silent: CRITICAL" 20 state node1 "dcamp hot" 2 'DCAMP CRITICAL: snmpd answers, but there is no DCAMP-MIB*'
finish
