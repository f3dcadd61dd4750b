"""The template for Zabbix 6.0."""
from text import banner, yaml_text
from zabbix_items import SEVERITIES, TEMPLATE, graph, scalar, uuid, valuemap
from zabbix_tables import FILTERS, RULES, discovery, key_of

# The group as Zabbix itself ships it: an import finds it by this.
GROUP = ('a571c0d144b14fd4a87a9d9b2aa9fcd6', 'Templates/Applications')
HEAD = """The template "dCAMP by SNMP" for Zabbix 6.0: Configuration, Templates, Import. See doc/nms.md."""
DESCRIPTION = """Everything that a dCAMP node publishes: its sensors on all their instances, its children and
aggregates, its thresholds, what it costs, and its notifications.

The host needs an SNMPv3 interface; its address must be the one that notifications come from.
Problems are made of notifications (the item dCAMP: notifications). Where none can reach Zabbix,
set {$DCAMP.POLLED} to 1, and thresholds and children are watched by polling instead."""


# -- Notifications ---------------------------------------------------------------------------

def dotted(oid):
    """A regular expression of the OID from the enterprise on, however it begins in the trap."""
    return '[.]' + oid.removeprefix('1.3.6.1.4.1.').replace('.', '[.]')


# No regular expression below has a backslash: Zabbix 6.0 takes it as it is between the quotes of a
# function's argument, later ones as the first half of a pair.

def is_notification(mib, *names):
    """A regular expression of a trap's text: its line of snmpTrapOID.0, in names or numbers."""
    either = '|'.join(f'{name}|{dotted(mib.oid(name))}' for name in names)
    return f'^ *[^ ]*(snmpTrapOID|[.]6[.]3[.]1[.]1[.]4[.]1)[.]0 .*value=OID: [^ ]*({either}) *$'


def varbind(mib, name, value):
    """The same of the line of an object; the value is the third group."""
    column = f'({name}|{dotted(mib.oid(name))})[.][0-9]+'
    return f'^ *[^ ]*{column} +type=[0-9]+ +value=([A-Za-z0-9-]+: )?"?({value})"? *$'


def quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


def trap_key(mib):
    either = '|'.join([dotted(mib.oid('dcampNotifications')) + '[.][0-9]+',
                       *(f'DCAMP-MIB::{name}' for name in mib.notifications())])
    return f'snmptrap["({either})"]'


def trap_item(mib):
    return {'uuid': uuid('item', 'notifications'), 'name': 'dCAMP: notifications',
            'type': 'SNMP_TRAP', 'key': trap_key(mib), 'trends': '0', 'value_type': 'LOG',
            'description': 'What dCAMP notifies, as the file of traps has it.',
            'logtimefmt': 'hh:mm:ss yyyy/MM/dd',
            'tags': [{'tag': 'component', 'value': 'notifications'}]}


def find(mib, pattern):
    key = f'/{TEMPLATE}/{trap_key(mib)}'
    return f'find({key},,"regexp",{quoted(pattern)})=1'


def from_trap(mib, name, value):
    return '{{ITEM.VALUE}.regsub(%s, \\3)}' % quoted(varbind(mib, name, value))


def message(mib):
    return 'dCAMP: ' + from_trap(mib, 'dcampAlarmMessage', '.*?')


def paired(mib, key, title, raised, cleared, severity):
    """A trigger that a notification raises and another of the same alarm key clears."""
    return {'uuid': uuid('trigger', key), 'expression': raised,
            'recovery_mode': 'RECOVERY_EXPRESSION', 'recovery_expression': cleared,
            'correlation_mode': 'TAG_VALUE', 'correlation_tag': 'alarm', 'name': title,
            'event_name': message(mib),
            'priority': SEVERITIES[severity], 'type': 'MULTIPLE', 'manual_close': 'YES',
            'description': 'Made of notifications. If a notification was lost, close it by hand; '
                           'dcampAlarmTable has what is active.',
            'tags': [{'tag': 'alarm', 'value': from_trap(mib, 'dcampAlarmKey',
                                                         '[A-Za-z0-9._:-]+')},
                     {'tag': 'node', 'value': from_trap(mib, 'dcampAlarmNode',
                                                        '[A-Za-z0-9._-]+')},
                     {'tag': 'rule', 'value': from_trap(mib, 'dcampAlarmThreshold',
                                                        '[A-Za-z0-9._-]+')},
                     {'tag': 'instance', 'value': from_trap(mib, 'dcampAlarmInstance', '.*?')},
                     {'tag': 'severity', 'value': severity}]}


def alarm_triggers(mib):
    made = []
    raised = find(mib, is_notification(mib, 'dcampAlarmRaised'))
    cleared = find(mib, is_notification(mib, 'dcampAlarmCleared'))
    for label in SEVERITIES:
        severity = find(mib, varbind(mib, 'dcampAlarmSeverityText', label))
        # The same alarm with another severity ends this one and begins that one.
        made.append(paired(mib, f'alarm {label}', f'dCAMP: alarm, {label}',
                           f'{raised} and {severity}',
                           f"{cleared} or ({raised} and {severity.removesuffix('=1')}=0)",
                           label))
    made.append(paired(mib, 'node lost', 'dCAMP: node lost',
                       find(mib, is_notification(mib, 'dcampNodeLost')),
                       find(mib, is_notification(mib, 'dcampNodeJoined')), 'critical'))
    made.append({'uuid': uuid('trigger', 'suppressed'),
                 'expression': find(mib, is_notification(mib, 'dcampAlarmsSuppressed')),
                 'name': 'dCAMP: notifications were suppressed',
                 'event_name': message(mib),
                 'priority': 'INFO', 'manual_close': 'YES',
                 'description': mib.description('dcampAlarmsSuppressed')})
    return made


# -- Polled ----------------------------------------------------------------------------------

def last(name):
    return f'last(/{TEMPLATE}/{name})'


def node_triggers():
    """By item: what is wrong with a node itself."""
    def trigger(key, expression, name, priority, description):
        return {'uuid': uuid('trigger', key), 'expression': expression, 'name': f'dCAMP: {name}',
                'priority': priority, 'description': description}
    return {
        'dcampNodeUpTime': [
            trigger('silent', f'nodata(/{TEMPLATE}/dcampNodeUpTime,{{$DCAMP.SILENT}})=1',
                    'node is silent', 'HIGH',
                    'Neither snmpd nor dcampd has answered: nothing is watched on this node.'),
            trigger('restarted', f'{last("dcampNodeUpTime")}<10m', 'dcampd has restarted', 'INFO',
                    'Less than ten minutes ago.')],
        'dcampSelfLateCycles': [
            trigger('late', f'min(/{TEMPLATE}/dcampSelfLateCycles,10m)>0',
                    'sampling is late', 'WARNING',
                    'For ten minutes: the machine is overloaded, or intervals are too short.')],
        'dcampSelfNotificationsDropped': [
            trigger('dropped', f'{last("dcampSelfNotificationsDropped")}>0',
                    'notifications are lost', 'WARNING',
                    'The queue is full. dcampAlarmLogTable has all of them.')],
        'dcampSelfStateErrors': [
            trigger('state', f'{last("dcampSelfStateErrors")}>0',
                    'the state file cannot be written', 'AVERAGE',
                    'What is set would be lost with a restart.')],
    }


def there(key):
    """Whether a row is there: one that was destroyed has no new values, and its last one would be a
    problem until Zabbix forgets the item. Only of an item that keeps no value back."""
    return f'nodata(/{TEMPLATE}/{key},{{$DCAMP.SILENT}})=0'


def missing(_mib, rule):
    key = key_of(rule, 'dcampAggregateValueMissing')
    return {'uuid': uuid('trigger', 'missing'),
            'expression': f'min(/{TEMPLATE}/{key},{{$DCAMP.MISSING}})>0 and {there(key)}',
            'name': 'dCAMP: aggregate {#AGGREGATE} {#INSTANCE} is incomplete',
            'opdata': '{ITEM.LASTVALUE1} missing', 'priority': 'WARNING',
            'description': 'Series that it should be over have no value.'}


def child(mib, rule):
    value = last(key_of(rule, 'dcampChildState'))
    bad = ' or '.join(f'{value}={mib.number("dcampChildState", label)}'
                      for label in ('down', 'refused', 'wrongKey'))
    row = there(key_of(rule, 'dcampChildSeries'))
    return {'uuid': uuid('trigger', 'child'),
            'expression': f'({bad}) and {{$DCAMP.POLLED}}=1 and {row}',
            'name': 'dCAMP: child {#CHILD} is lost', 'opdata': '{ITEM.LASTVALUE1}',
            'priority': 'HIGH', 'description': mib.description('dcampChildState')}


def polled(_mib, rule):
    key = key_of(rule, 'dcampThresholdRaised')
    return {'uuid': uuid('trigger', 'polled'),
            'expression': f'{last(key)}>0 and {{$DCAMP.POLLED}}=1 and {there(key)}',
            'name': 'dCAMP: threshold {#THRESHOLD}: {#DESCRIPTION}',
            'opdata': '{ITEM.LASTVALUE1} raised', 'priority': 'AVERAGE',
            'description': 'On how many series of {#SENSOR} it is raised: dcampAlarmTable says '
                           'which.'}


# -- The template ----------------------------------------------------------------------------

def valuemaps(mib):
    made = {}
    # An object may have fewer labels than its textual convention: that with the most decides.
    for name in sorted(mib.objects, key=lambda name: -len(mib.labels(name))):
        if mib.labels(name) and valuemap(mib, name) not in made:
            made[valuemap(mib, name)] = {
                'uuid': uuid('valuemap', valuemap(mib, name)), 'name': valuemap(mib, name),
                'mappings': [{'value': str(number), 'newvalue': label}
                             for number, label in mib.labels(name)]}
    return made


def used(template, maps):
    """Only the value maps that some item has."""
    items = template['items'] + [item for rule in template['discovery_rules']
                                 for item in rule['item_prototypes']]
    names = {item['valuemap']['name'] for item in items if 'valuemap' in item}
    return [maps[name] for name in sorted(names)]


def macros():
    made = [('{$DCAMP.INTERVAL}', '1m', 'How often values are polled'),
            ('{$DCAMP.DISCOVERY}', '1h', 'How often rows are discovered'),
            ('{$DCAMP.LIFETIME}', '7d', 'How long items of rows that are gone are kept'),
            ('{$DCAMP.SILENT}', '5m', 'A node that has not answered for so long is silent'),
            ('{$DCAMP.MISSING}', '5m', 'An aggregate may be incomplete for so long'),
            ('{$DCAMP.POLLED}', '0', '1 makes problems of polled thresholds and children: for '
                                     'where notifications do not reach Zabbix')]
    made += [('{$DCAMP.%s.MATCHES}' % name, pattern, text)
             for name, (_, pattern, text) in FILTERS.items()]
    return [{'macro': macro, 'value': value, 'description': text}
            for macro, value, text in made]


def graphs():
    def of(title, *keys):
        return graph(title, title, keys, right=True)
    return [of('what dcampd costs', 'dcampSelfCpuTime', 'dcampSelfMemory'),
            of('passes of the sampling loop', 'dcampSelfCycles', 'dcampSelfLateCycles'),
            of('notifications', 'dcampSelfNotificationsSent',
               'dcampSelfNotificationsSuppressed', 'dcampSelfNotificationsDropped')]


def items(mib):
    made = []
    triggers = node_triggers()
    for branch in ('dcampNode', 'dcampSelf'):
        for name in mib.scalars(branch):
            one = scalar(mib, name)
            if name in triggers:
                one['triggers'] = triggers.pop(name)
            made.append(one)
    if triggers:
        raise SystemExit(f'artefacts: triggers of no item: {", ".join(triggers)}')
    trap = trap_item(mib)
    trap['triggers'] = alarm_triggers(mib)
    return made + [trap]


def template(mib):
    made = {'uuid': uuid('template'), 'template': TEMPLATE, 'name': TEMPLATE,
            'description': DESCRIPTION, 'groups': [{'name': GROUP[1]}], 'items': items(mib),
            'discovery_rules': [discovery(mib, rule, {'missing': missing, 'child': child,
                                                      'polled': polled}) for rule in RULES],
            'tags': [{'tag': 'class', 'value': 'software'},
                     {'tag': 'target', 'value': 'dcamp'}],
            'macros': macros()}
    made['valuemaps'] = used(made, valuemaps(mib))
    export = {'version': '6.0', 'groups': [{'uuid': GROUP[0], 'name': GROUP[1]}],
              'templates': [made], 'graphs': graphs()}
    return banner(HEAD) + yaml_text({'zabbix_export': export})
