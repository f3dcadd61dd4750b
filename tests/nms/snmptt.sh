#!/usr/bin/env bash
# The events of conf/snmptt in a real snmptt behind a real snmptrapd: raise and clear are in its
# log with the severity and the text that they should have, and nothing is unknown.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

need snmptt snmptt
perl -MNet::IP -e 1 2>/dev/null || skip 'Net::IP is missing (package libnet-ip-perl)'
ini=/etc/snmp/snmptt.ini
log=$work/snmptt.log
unknown=$work/unknown.log

# That of Debian, but for where things are.
write_ini() {
    mkdir -p "$work/spool"
    sed -e "s|^\(log_file\) = .*|\1 = $log|" \
        -e "s|^\(log_system_enable\) = .*|\1 = 1|" -e "s|^\(log_system_file\) = .*|\1 = $work/system.log|" \
        -e "s|^\(unknown_trap_log_enable\) = .*|\1 = 1|" -e "s|^\(unknown_trap_log_file\) = .*|\1 = $unknown|" \
        -e "s|^\(syslog[a-z_]*enable\) = .*|\1 = 0|" -e "s|^\(spool_directory\) = .*|\1 = $work/spool/|" \
        -e "s|^/etc/snmp.*/snmptt.conf|$nms_top/conf/snmptt/snmptt-dcamp.conf|" "$ini" >"$work/snmptt.ini"
}

# logged EVENT SEVERITY TEXT: how often, exactly.
logged() {
    grep -c " $1 $2 \"dCAMP\" .* - $3\$" "$log" 2>/dev/null || true
}

# logged_once EVENT SEVERITY TEXT
logged_once() {
    [[ $(logged "$@") -eq 1 ]]
}

arc=$(sed -n 's/^EVENT dcampAlarmRaised \(.*\)\.1 "dCAMP" Critical$/\1/p' \
    "$nms_top/conf/snmptt/snmptt-dcamp.conf")
write_ini
machine=$work/machine
make_root "$machine"
start_nms_lab --root "$machine"
load_threshold hot
load_threshold warm Severity=warning
start_trapd <<END
outputOption n
traphandle default $(type -P snmptt) --ini=$work/snmptt.ini
END

set_load "$machine" 90
# snmptt takes characters like > out of what it logs.
text='too many tasks: load on total is 90 tasks (limit .* 50)'
eventually "a critical raise" 20 logged_once "$arc.1" Critical \
    "node1: hot total is critical: $text"
eventually "a warning" 20 logged_once "$arc.1" Warning \
    "node1: warm total is warning: $text"
set_load "$machine" 10
eventually "their clears" 20 logged_once "$arc.2" Normal "node1: hot total is clear: .*"
eventually "of both" 20 logged_once "$arc.2" Normal "node1: warm total is clear: .*"
[[ $failed -eq 0 ]] || sed 's/^/# /' "$log" "$unknown" || true
is "each once, and nothing else of this node" "$(grep -c ' node1: ' "$log")" 4
ok "nothing of dCAMP is unknown" not grep -qF "$arc" "$unknown"
finish
