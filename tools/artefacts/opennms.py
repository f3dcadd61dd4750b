"""OpenNMS: event definitions with alarms that are reduced and cleared by dcampAlarmKey."""
import xml.etree.ElementTree as ElementTree

from text import banner

SPACE = 'http://xmlns.opennms.org/xsd/eventconf'
UEI = 'uei.opennms.org/vendor/dCAMP/traps/'
SEVERITIES = {'critical': 'Critical', 'warning': 'Minor', 'info': 'Warning'}
# Which notification ends what another began.
CLEARS = {'dcampAlarmCleared': 'dcampAlarmRaised', 'dcampNodeJoined': 'dcampNodeLost'}
RAISES = set(CLEARS.values())
HEAD = """Events of dCAMP for OpenNMS. Install it as etc/events/dcamp.events.xml and name it in
etc/eventconf.xml, before the catch-all files."""


def element(parent, name, text=None, **attributes):
    child = ElementTree.SubElement(parent, name,
                                   {key.replace('_', '-'): v for key, v in attributes.items()})
    child.text = text
    return child


def mask(mib, event, notification, severity):
    prefix, number = mib.oid(notification).rsplit('.', 1)
    node = element(event, 'mask')
    for name, value in (('id', '.' + prefix.removesuffix('.0')), ('generic', '6'),
                        ('specific', number)):
        part = element(node, 'maskelement')
        element(part, 'mename', name)
        element(part, 'mevalue', value)
    if severity:
        part = element(node, 'varbind')
        element(part, 'vbnumber', str(mib.varbind(notification, 'dcampAlarmSeverityText')))
        element(part, 'vbvalue', severity)


def summary(mib, notification):
    text = mib.annotation(notification, 'SUMMARY')
    for number in mib.arguments(notification):
        text = text.replace('%s', f'%parm[#{number}]%', 1)
    return text


def alarm_data(event, notification, key):
    if notification in RAISES:
        node = element(event, 'alarm-data', alarm_type='1', auto_clean='false',
                       reduction_key=f'{UEI}{notification}:%dpname%:%nodeid%:%parm[#{key}]%')
        # An alarm may change its severity.
        for field in ('severity', 'logmsg', 'descr'):
            element(node, 'update-field', field_name=field, update_on_reduction='true')
    elif notification in CLEARS:
        element(event, 'alarm-data', alarm_type='2', auto_clean='false',
                reduction_key=f'%uei%:%dpname%:%nodeid%:%parm[#{key}]%',
                clear_key=f'{UEI}{CLEARS[notification]}:%dpname%:%nodeid%:%parm[#{key}]%')


def decode(mib, event, notification):
    """The events are read without the MIB: what the numbers mean stands here."""
    for i, name in enumerate(mib[notification]['objects'], 1):
        labels = mib.labels(name)
        if labels:
            node = element(event, 'varbindsdecode')
            element(node, 'parmid', f'parm[#{i}]')
            for number, label in labels:
                element(node, 'decode', varbindvalue=str(number), varbinddecodedstring=label)


def event_of(mib, events, notification, label, severity=None):
    event = element(events, 'event')
    mask(mib, event, notification, severity)
    element(event, 'uei', UEI + notification + (f'/{severity}' if severity else ''))
    title = mib.annotation(notification, 'TYPE') + (f', {severity}' if severity else '')
    element(event, 'event-label', title)
    objects = ''.join(f'<tr><td>{name}</td><td>%parm[#{i}]%</td></tr>'
                      for i, name in enumerate(mib[notification]['objects'], 1))
    element(event, 'descr', f'<p>{mib.description(notification)}</p><table>{objects}</table>')
    element(event, 'logmsg', summary(mib, notification), dest='logndisplay')
    element(event, 'severity', label)
    decode(mib, event, notification)
    if 'dcampAlarmKey' in mib[notification]['objects']:
        alarm_data(event, notification, mib.varbind(notification, 'dcampAlarmKey'))


def events(mib):
    root = ElementTree.Element('events', xmlns=SPACE)
    levels = {'NORMAL': 'Normal', 'MINOR': 'Minor', 'CRITICAL': 'Critical'}
    for notification in mib.notifications():
        if notification == 'dcampAlarmRaised':
            for severity, label in SEVERITIES.items():
                event_of(mib, root, notification, label, severity)
            continue
        label = levels[mib.annotation(notification, 'SEVERITY')]
        event_of(mib, root, notification, 'Cleared' if notification in CLEARS else label)
    ElementTree.indent(root, '  ')
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<!--\n' + banner(HEAD, '  ') + '-->\n' +
            ElementTree.tostring(root, encoding='unicode') + '\n')
