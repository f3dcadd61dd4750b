#!/usr/bin/env bash
# With Nagios 4: a threshold set by snmpset is crossed, and the passive service becomes CRITICAL by
# the trap, and OK by the clear; check_dcamp finds the same; who is silent is found by freshness.
# The objects are those of conf/nagios, with other addresses and times.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need nagios4 nagios4-core

nagios=$work/nagios

# -- Nagios ----------------------------------------------------------------------------------

# An interval of Nagios, a minute else, is a second here.
write_main() {
    cat <<END
log_file=$nagios/nagios.log
cfg_dir=$nagios/objects
resource_file=$nagios/resource.cfg
object_cache_file=$nagios/objects.cache
precached_object_file=$nagios/objects.precache
status_file=$nagios/status.dat
command_file=$nagios/nagios.cmd
lock_file=$nagios/nagios.lock
temp_file=$nagios/nagios.tmp
temp_path=$nagios
check_result_path=$nagios/results
query_socket=$nagios/nagios.qh
state_retention_file=$nagios/retention.dat
nagios_user=$(id -un)
nagios_group=$(id -gn)
check_external_commands=1
accept_passive_service_checks=1
execute_service_checks=1
enable_notifications=1
interval_length=1
status_update_interval=1
check_result_reaper_frequency=1
check_service_freshness=1
service_freshness_check_interval=1
additional_freshness_latency=0
service_inter_check_delay_method=n
host_inter_check_delay_method=n
check_for_updates=0
use_syslog=0
log_passive_checks=1
END
}

# What a site has of its own. Who is notified is, by a line in a file.
write_site() {
    cat "$nms_top/tests/nms/operator.cfg" - <<END
define command {
    command_name  note
    command_line  echo "\$NOTIFICATIONTYPE\$ \$SERVICEDESC\$ \$SERVICESTATE\$" >>$nagios/notified && echo "\$NOTIFICATIONTYPE\$ \$SERVICEOUTPUT\$" >>$nagios/pages
}
END
}

# example.cfg with the lab's addresses and its sensor, and another rule; the secrets and short times in
# dcamp.cfg.
write_objects() {
    local top=$nms_top/conf/nagios
    sed -e "s|/etc/nagios4/dcamp.secrets|$work/secrets|" -e 's/\(_DCAMP_USER *\)dcampPoll/\1lab/' \
        -e 's/\(freshness_threshold *\)300/\14/' -e 's/\(check_interval *\)1$/\12/' \
        "$top/dcamp.cfg" >"$nagios/objects/dcamp.cfg"
    awk -v web1="${DCAMP_LAB_NODE_1##*:}" -v collector1="${DCAMP_LAB_COLLECTOR_1##*:}" '
        $1 == "host_name" { host = $2 }
        $1 == "_DCAMP_PORT" { sub(/161/, host == "web1" ? web1 : collector1) }
        { sub(/192\.0\.2\.[78]/, "127.0.0.1"); gsub(/web1/, "node1"); sub(/sensor load\.1/, "sensor load") }
        $1 == "host_name" { print "    contacts  operator" }
        { sub(/!hot/, "!hot !traffic") }
        { print }' "$top/example.cfg" >"$nagios/objects/example.cfg"
    cat >"$nagios/objects/traffic.cfg" <<END
define service {
    use                  dcamp-alarm
    host_name            node1
    contacts             operator
    service_description  dcamp traffic
    _DCAMP_RULE          traffic
}
END
}

start_nagios() {
    mkdir -p "$nagios/objects" "$nagios/results"
    echo "\$USER1\$=$DCAMP_BUILD" >"$nagios/resource.cfg"
    write_main >"$nagios/nagios.cfg"
    write_site >"$nagios/objects/site.cfg"
    write_objects
    ok "Nagios takes the objects, without a warning" verified
    start nagios nagios4 "$nagios/nagios.cfg"
    eventually "Nagios is there" 15 test -s "$nagios/status.dat" -a -p "$nagios/nagios.cmd"
}

verified() {
    local said
    said=$(nagios4 -v "$nagios/nagios.cfg") || { echo "$said"; return 1; }
    echo "$said"
    grep -q '^Total Errors: *0$' <<<"$said" && ! grep -q '^Warning: \(Service\|Host\|Duplicate\)' <<<"$said"
}

# status HOST SERVICE FIELD: what Nagios's status file has.
status() {
    awk -v host="$1" -v service="$2" -v field="$3" '
        /^[a-z]+ \{/ { in_service = $1 == "servicestatus"; host_name = name = "" }
        { line = $0; sub(/^\t/, "", line); key = line; sub(/=.*/, "", key); sub(/^[^=]*=/, "", line) }
        in_service && key == "host_name" { host_name = line }
        in_service && key == "service_description" { name = line }
        in_service && key == field && host_name == host && name == service { print line }
    ' "$nagios/status.dat"
}

# state HOST SERVICE NUMBER [PATTERN-OF-OUTPUT]
state() {
    # shellcheck disable=SC2053 # a pattern
    [[ $(status "$1" "$2" has_been_checked) == 1 && $(status "$1" "$2" current_state) == "$3" &&
        $(status "$1" "$2" plugin_output) == ${4:-*} ]]
}

# status_is HOST SERVICE FIELD VALUE
status_is() {
    [[ $(status "$1" "$2" "$3") == "$4" ]]
}

# passive HOST SERVICE NUMBER: whether dcamp-trap has written such a result.
passive() {
    grep -qF "EXTERNAL COMMAND: PROCESS_SERVICE_CHECK_RESULT;$1;$2;$3;" "$nagios/nagios.log"
}

# notified TEXT NUMBER: whether somebody heard of it so often; if not, prints what they heard.
notified() {
    [[ $(grep -cxF "$1" "$nagios/notified" 2>/dev/null) -eq $2 ]] || {
        cat "$nagios/pages"
        return 1
    }
}

# heard NUMBER PATTERN: whether somebody heard so often of the traffic, and the last text matches. That is
# the text of the trap, or that of a check for freshness that ended just then, which names all alarms.
heard() {
    # shellcheck disable=SC2053 # a pattern
    notified "PROBLEM dcamp traffic CRITICAL" "$1" &&
        [[ $(grep '^PROBLEM .*traffic: ' "$nagios/pages" | tail -n 1) == $2 ]]
}

# command_nagios NAME ARGUMENTS: what an operator does in Nagios's pages.
command_nagios() {
    echo "[$(date +%s)] $1;$2" >"$nagios/nagios.cmd"
}

# The alarms of one rule on two instances are one service.
test_instances() {
    set_traffic 90 10
    eventually "the first instance: CRITICAL" 10 state node1 "dcamp traffic" 2 \
        'CRITICAL - traffic: rx on eth0 is 90 B (limit > 50)'
    is "perfdata: of the service, as by asking" "$(status node1 "dcamp traffic" performance_data)" \
        "alarms=1;;;0 critical=1;;;0 warning=0;;;0 info=0;;;0"
    eventually "somebody hears of it" 5 heard 1 '*rx on eth0 is 90 B*'
    set_traffic 90 90
    eventually "the second, while the first goes on: both are named" 10 state node1 "dcamp traffic" 2 \
        'CRITICAL - traffic: rx on eth1 is 90 B (limit > 50) (2 active: traffic eth0, traffic eth1)'
    eventually "somebody hears of the second" 5 heard 2 '*rx on eth1 is 90 B*'
    set_traffic 10 90
    eventually "the first is over: still CRITICAL" 10 state node1 "dcamp traffic" 2 \
        'CRITICAL - traffic: rx on eth1 is 90 B (limit > 50) (1 active: traffic eth1, over: traffic eth0)'
    eventually "what freshness asks for confirms it" 15 state node1 "dcamp traffic" 2 'DCAMP CRITICAL: 1 active *'
    ok "nobody hears of the second again" notified "PROBLEM dcamp traffic CRITICAL" 2
    command_nagios ACKNOWLEDGE_SVC_PROBLEM "node1;dcamp traffic;2;1;0;operator;seen"
    eventually "the second is acknowledged" 10 status_is node1 "dcamp traffic" problem_has_been_acknowledged 1
    set_traffic 90 90
    eventually "the first again: somebody hears of it" 10 heard 3 '*rx on eth0 is 90 B*'
    set_traffic 10 10
    eventually "both are over: OK" 10 state node1 "dcamp traffic" 0
    eventually "somebody hears of the end" 5 notified "RECOVERY dcamp traffic OK" 1
    ok "three problems, one end" notified "PROBLEM dcamp traffic CRITICAL" 3
}

# A rule that nobody has made a service for.
test_catch_all() {
    load_threshold forgotten
    set_load "$work/root" 90
    eventually "no service: the catch-all is CRITICAL" 10 state node1 "dcamp other" 2 '*load on total is 90 tasks*'
    eventually "somebody hears of it" 5 notified "PROBLEM dcamp other CRITICAL" 1
    eventually "what freshness asks for confirms it" 15 state node1 "dcamp other" 2 'DCAMP CRITICAL: 1 active alarm *'
    set_load "$work/root" 10
    eventually "the catch-all is OK" 10 state node1 "dcamp other" 0
    eventually "somebody hears of the end" 5 notified "RECOVERY dcamp other OK" 1
    ok "Nagios missed no service" not grep -q 'service could not be found' "$nagios/nagios.log"
}

# -- The test --------------------------------------------------------------------------------

make_traffic_root
start_nms_lab --nodes 1 --collectors 1 --root "$work/root"
(umask 077 && printf 'auth %s\npriv %s\n' "$(option_of -A)" "$(option_of -X)" >"$work/secrets")
start_trapd -On <<END
traphandle default $DCAMP_BUILD/dcamp-trap nagios --command-file $nagios/nagios.cmd --objects $nagios/objects.cache --spool $work/spool
END
load_threshold hot
traffic_threshold
start_nagios

eventually "active: the sensor is OK" 15 state node1 "dcamp load" 0 'DCAMP OK: load total is 10 tasks'
is "its perfdata" "$(status node1 "dcamp load" performance_data)" "load=10;40;50"
eventually "active: no alarms" 10 state node1 "dcamp alarms" 0 'DCAMP OK: no active alarms'
eventually "active: fresh" 10 state node1 "dcamp freshness" 0 'DCAMP OK: node1 *'
eventually "active: the tree" 10 state collector1 "dcamp tree" 0 'DCAMP OK: 1 of 1 children up'
eventually "active: the aggregate" 10 state collector1 "dcamp cpu of all" 0 'DCAMP OK: all.cpu.busy total *'
eventually "passive: OK by freshness, before any trap" 20 state node1 "dcamp hot" 0 'DCAMP OK: no active alarms'

set_load "$work/root" 90
eventually "the trap: a passive result" 10 passive node1 "dcamp hot" 2
eventually "the passive service is CRITICAL" 10 state node1 "dcamp hot" 2 '*load on total is 90 tasks*'
eventually "active: the sensor is CRITICAL" 10 state node1 "dcamp load" 2 'DCAMP CRITICAL: load total is 90 tasks (limit 50)'
eventually "active: the alarm is there" 10 state node1 "dcamp alarms" 2 'DCAMP CRITICAL: 1 active alarm *'
eventually "somebody hears of it" 5 notified "PROBLEM dcamp hot CRITICAL" 1
eventually "what freshness asks for confirms it" 15 state node1 "dcamp hot" 2 'DCAMP CRITICAL: 1 active alarm *'

set_load "$work/root" 10
eventually "the clear: a passive result" 10 passive node1 "dcamp hot" 0
eventually "the passive service is OK" 10 state node1 "dcamp hot" 0
eventually "active: the sensor is OK again" 10 state node1 "dcamp load" 0
eventually "somebody hears of the end" 5 notified "RECOVERY dcamp hot OK" 1
ok "of the problem, once" notified "PROBLEM dcamp hot CRITICAL" 1

test_instances
test_catch_all

control kill-dcampd
eventually "dCAMP is silent: the passive service is CRITICAL" 20 state node1 "dcamp hot" 2 'DCAMP CRITICAL: snmpd answers, but there is no DCAMP-MIB*'
eventually "the active one, too" 10 state node1 "dcamp freshness" 2 'DCAMP CRITICAL: snmpd answers*'
eventually "the tree has lost it" 15 state collector1 "dcamp tree" 2 '*node1 is down*'
eventually "its collector has told so" 10 passive node1 "dcamp node-lost" 2
control start-dcampd
eventually "dCAMP is back: OK" 20 state node1 "dcamp hot" 0
eventually "the active one, too" 10 state node1 "dcamp freshness" 0
eventually "its collector has told so" 10 passive node1 "dcamp node-lost" 0
ok "its collector has told nobody of what its node tells" not grep -q '^PROBLEM dcamp notifications' "$nagios/notified"

end trapd
set_load "$work/root" 90
eventually "a trap is lost: freshness finds the alarm" 20 state node1 "dcamp hot" 2 'DCAMP CRITICAL: 1 active alarm *'
finish
