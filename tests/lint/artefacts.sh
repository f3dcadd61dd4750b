#!/usr/bin/env bash
# The files for network management systems in conf/ are what the MIB says ("make artefacts" writes
# them), and each is good by itself, as far as that can be seen without the system.
set -euo pipefail
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=${DCAMP_BUILD:-$top/build}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

python3 -c 'import yaml' 2>/dev/null || {
    echo "1..0 # SKIP Python or its yaml is missing (package python3-yaml)"
    exit 77
}
fail() {
    echo "artefacts: $*"
    exit 1
}

"$build/mibgen" json "$top/mibs/DCAMP-MIB.txt" "$top/mibs/base" dcampMIB >"$made/mib.json"
python3 -B "$top/tools/artefacts" "$made/mib.json" "$top/mibs/DCAMP-MIB.txt" "$made/conf"
(cd "$made/conf" && find . -type f) | while read -r file; do
    diff -u "$top/conf/$file" "$made/conf/$file" ||
        fail "conf/$file is not what the MIB gives: run make artefacts"
done

# Another arc must change every OID: nothing is typed.
sed 's/{ enterprises [^}]* }/{ enterprises dcampArc4711(4711) 7 }/' "$top/mibs/DCAMP-MIB.txt" \
    >"$made/DCAMP-MIB.txt"
"$build/mibgen" json "$made/DCAMP-MIB.txt" "$top/mibs/base" dcampMIB >"$made/other.json"
python3 -B "$top/tools/artefacts" "$made/other.json" "$made/DCAMP-MIB.txt" "$made/other"
# shellcheck disable=SC2251 # a failure is told of
! grep -rn '32473' "$made/other" || fail "an OID that does not come from the MIB"
grep -rq '4711[.]7' "$made/other" || fail "no OID of the other arc"

# Zabbix keeps what it has by UUID: each once, of version 4.
uuids=$(sed -n 's/^ *\(- \)*uuid: *//p' "$top/conf/zabbix/dcamp-zabbix-6.0.yaml" | tr -d "'")
[[ -z $(sort <<<"$uuids" | uniq -d) ]] || fail "zabbix: a UUID twice"
! grep -qvE '^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$' <<<"$uuids" || fail "zabbix: a bad UUID"

python3 - "$top/conf" <<'END'
import json, sys, xml.etree.ElementTree, yaml
for name in ('zabbix/dcamp-zabbix-6.0.yaml', 'prometheus/snmp.yml', 'prometheus/dcamp.rules.yml',
             'librenms/os_discovery.yaml'):
    with open(f'{sys.argv[1]}/{name}', encoding='utf-8') as file:
        yaml.safe_load(file)
xml.etree.ElementTree.parse(f'{sys.argv[1]}/opennms/dcamp.events.xml')
with open(f'{sys.argv[1]}/grafana/dcamp.json', encoding='utf-8') as file:
    json.load(file)
END
# The handler of LibreNMS logs the message of what it is registered for: each has one.
sed -n "s/.*'DCAMP-MIB::\(.*\)' =>.*/\1/p" "$top/conf/librenms/snmptraps.php" | while read -r name; do
    sed -n "/^$name NOTIFICATION-TYPE/,/::=/p" "$top/mibs/DCAMP-MIB.txt" | grep -q dcampAlarmMessage ||
        fail "librenms: $name has no message"
done

# What Nagios and Icinga ask with and for is there: the user of the drop-in for snmpd, and what the
# default configuration measures.
cd "$top/conf"
sed -n 's/^ *_DCAMP_USER *//p; s/.*dcamp_user = "\(.*\)"/\1/p' nagios/dcamp.cfg icinga2/dcamp.conf | while read -r user; do
    grep -q "^access $user " snmpd-dcamp.conf || fail "nagios, icinga2: snmpd-dcamp.conf has no user $user"
done
{
    sed -n 's/.*check_dcamp!\(sensor\|aggregate\) \([^ ]*\).*/\1 \2/p' nagios/example.cfg
    sed -n 's/.*dcamp_name = "\(.*\)"/sensor \1/p; s/.*dcamp_aggregates\["\(.*\)"\].*/aggregate \1/p' icinga2/example.conf
} | while read -r kind name; do
    grep -q "<$kind name=\"$name\"" dcamp.xml || fail "nagios, icinga2: dcamp.xml has no $kind $name"
done
cd "$OLDPWD"

# The units may write where the documents say, each in a directory of its own.
logs() {
    sed -n 's/^LogsDirectory=//p' "$top/conf/$1.service"
}
audit=$(sed -n 's|.*file="/var/log/\(.*\)/alarms\.log".*|\1|p' "$top/conf/dcamp.xml")
[[ $(logs dcampd) == "$audit" ]] || fail "dcampd.service may not write the file of conf/dcamp.xml"
file=$(sed -n 's|.*--trap-file \([^ ]*\).*|\1|p' "$top/conf/dcamp-trap.service")
[[ $file == "/var/log/$(logs dcamp-trap)/"* && $(logs dcamp-trap) != "$audit" ]] ||
    fail "dcamp-trap.service: $file is not in a directory of its own"
grep -qx " *SNMPTrapperFile=$file" "$top/doc/nms.md" || fail "doc/nms.md has not the file of dcamp-trap.service"

if [[ -n $(type -P php) ]]; then
    for file in "$top"/conf/librenms/*.php; do
        php -l "$file" >"$made/php.log" 2>&1 || fail "$(<"$made/php.log")"
    done
fi
echo "artefacts: ok"
