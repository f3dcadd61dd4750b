"""Makes the files for network management systems out of the DCAMP-MIB.

  artefacts MIB.json DCAMP-MIB.txt DIRECTORY

MIB.json is what "mibgen json" prints. Below DIRECTORY a file of each kind is written; what was
there and is the same keeps its date."""
import os
import sys

import grafana
import librenms
import mib
import opennms
import prometheus
import snmptt
import zabbix

FILES = {
    'zabbix/dcamp-zabbix-6.0.yaml': zabbix.export,
    'snmptt/snmptt-dcamp.conf': snmptt.events,
    'prometheus/snmp.yml': prometheus.exporter,
    'prometheus/dcamp.rules.yml': prometheus.rules,
    'opennms/dcamp.events.xml': opennms.events,
    'librenms/os_discovery.yaml': librenms.discovery,
    'librenms/DcampAlarm.php': librenms.handler,
    'librenms/snmptraps.php': librenms.registration,
    'grafana/dcamp.json': grafana.dashboard,
}


def write(path, text):
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + '.new', 'w', encoding='utf-8') as file:
        file.write(text)
    os.replace(path + '.new', path)


def main(arguments):
    if len(arguments) != 4:
        raise SystemExit(__doc__)
    source = mib.Mib(arguments[1], arguments[2])
    for name, make in FILES.items():
        write(os.path.join(arguments[3], name), make(source))


main(sys.argv)
