"""snmptt.conf: an EVENT for each notification, and for raises one for each severity."""
from text import banner

HEAD = """Events of dCAMP for snmptt. Install it as /etc/snmp/snmptt-dcamp.conf and name it among the
snmptt_conf_files of snmptt.ini. Numbers stand for objects, in the order of the MIB; those of
alarms and of nodes:
"""

# Notifications that carry a severity, and what snmptt calls it.
SEVERITIES = {'critical': 'Critical', 'warning': 'Warning', 'info': 'Informational'}
OTHERS = {'NORMAL': 'Normal', 'MINOR': 'Minor', 'CRITICAL': 'Critical', 'MAJOR': 'Major'}


def form(mib, notification):
    """The summary of the MIB with the numbers of snmptt."""
    text = mib.annotation(notification, 'SUMMARY')
    for number in mib.arguments(notification):
        text = text.replace('%s', f'${number}', 1)
    return text


def event(mib, notification, severity, match=None):
    lines = [f'EVENT {notification} .{mib.oid(notification)} "dCAMP" {severity}',
             f'FORMAT {form(mib, notification)}']
    if match:
        lines.append(f'MATCH ${match[0]}: (^{match[1]}$)')
    lines += ['SDESC', mib.description(notification), 'EDESC']
    return '\n'.join(lines) + '\n'


def of_notification(mib, notification):
    # What is raised has the severity of its threshold, which the object in words tells.
    if notification == 'dcampAlarmRaised':
        text = mib.varbind(notification, 'dcampAlarmSeverityText')
        return [event(mib, notification, name, (text, label))
                for label, name in SEVERITIES.items()]
    return [event(mib, notification, OTHERS[mib.annotation(notification, 'SEVERITY')])]


def events(mib):
    objects = mib['dcampAlarmRaised']['objects']
    head = HEAD + '\n'.join(f'  ${i} {name}' for i, name in enumerate(objects, 1))
    parts = [banner(head)]
    for notification in mib.notifications():
        parts += of_notification(mib, notification)
    return '\n'.join(parts)
