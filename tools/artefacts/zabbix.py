"""The templates for Zabbix 6.0."""
import json

import zabbix_groups
from text import banner, yaml_text
from zabbix_items import BELOW, SEVERITIES, TEMPLATE, graph, scalar, uuid, valuemap
from zabbix_tables import BELOW_RULES, FILTERS, RULES, discovery, key_of

# The group as Zabbix itself ships it: an import finds it by this.
GROUP = ('a571c0d144b14fd4a87a9d9b2aa9fcd6', 'Templates/Applications')
HEAD = f"""The templates "{TEMPLATE}", for each node, and "{BELOW}", for a collector
or root whose nodes are no hosts of Zabbix, for Zabbix 6.0: Configuration, Templates, Import.
See doc/nms.md."""
DESCRIPTION = """Everything that a dCAMP node publishes: its sensors on all their instances, its children and
aggregates, its thresholds, what it costs, and its notifications.

The host needs an SNMPv3 interface; its address must be the one that notifications come from.
A notification makes a problem at once (the item dCAMP: notifications). An alarm of which none came,
because it was lost or the alarm is older than the host, is a problem soon after it is found in the
table of active alarms."""
DESCRIPTION_BELOW = f"""A problem for each active alarm of the nodes below a collector or root.

Link it, beside "{TEMPLATE}" or alone, to the one collector or root whose nodes are no hosts of
Zabbix: those that are tell of their alarms themselves, and each would be a problem twice. Of some of
its nodes: by the macro {{$DCAMP.BELOW.PATH.MATCHES}}. The alarms of the collector itself are those of
"{TEMPLATE}"."""


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


def event(mib, *labels):
    """The same of what happened, as a number or by its name."""
    numbers = '|'.join(str(mib.number('dcampAlarmEvent', label)) for label in labels)
    return varbind(mib, 'dcampAlarmEvent', f'([a-z]+[(])?({numbers})[)]?')


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
            'logtimefmt': 'hh:mm:ss yyyy/MM/dd', 'history': '{$DCAMP.NOTIFICATIONS}',
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
            'description': 'Made of notifications. If that of its clear was lost, close it by '
                           'hand: the item of the alarm in the rule "Active alarms" says clear.',
            'tags': [{'tag': 'alarm', 'value': from_trap(mib, 'dcampAlarmKey',
                                                         '[A-Za-z0-9._:-]+')},
                     {'tag': 'node', 'value': from_trap(mib, 'dcampAlarmNode',
                                                        '[A-Za-z0-9._-]+')},
                     {'tag': 'rule', 'value': from_trap(mib, 'dcampAlarmThreshold',
                                                        '[A-Za-z0-9._-]+')},
                     {'tag': 'instance', 'value': from_trap(mib, 'dcampAlarmInstance', '.*?')},
                     {'tag': 'severity', 'value': severity}]}


def alarm_triggers(mib):
    """What is repeated is a problem already. What flaps is one of its own kind, instead of that of
    its severity, until its notifications go on."""
    made = []
    raised = find(mib, is_notification(mib, 'dcampAlarmRaised'))
    cleared = find(mib, is_notification(mib, 'dcampAlarmCleared'))
    news = find(mib, event(mib, 'raised', 'changed'))
    flaps = find(mib, event(mib, 'flapping'))
    for label in SEVERITIES:
        severity = find(mib, varbind(mib, 'dcampAlarmSeverityText', label))
        # The same alarm with another severity ends this one and begins that one.
        made.append(paired(mib, f'alarm {label}', f'dCAMP: alarm, {label}',
                           f'{raised} and {news} and {severity}',
                           f"{cleared} or {flaps} or "
                           f"({raised} and {severity.removesuffix('=1')}=0)", label))
    made.append(paired(mib, 'flapping', 'dCAMP: alarm is flapping', f'{raised} and {flaps}',
                       f'{cleared} or ({raised} and {news})', 'warning'))
    made.append(paired(mib, 'node lost', 'dCAMP: node lost',
                       find(mib, is_notification(mib, 'dcampNodeLost')) + f' and {news}',
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
    return [{'uuid': uuid('trigger', 'missing'),
             'expression': f'min(/{TEMPLATE}/{key},{{$DCAMP.MISSING}})>0 and {there(key)}',
             'name': 'dCAMP: aggregate {#AGGREGATE} {#INSTANCE} is incomplete',
             'opdata': '{ITEM.LASTVALUE1} missing', 'priority': 'WARNING',
             'description': 'Series that it should be over have no value.'}]


def sinks(mib, rule):
    state, error = key_of(rule, 'dcampSinkState'), key_of(rule, 'dcampSinkError')
    waiting, up = key_of(rule, 'dcampSinkWaiting'), mib.number('dcampSinkState', 'up')
    lost, dropped = key_of(rule, 'dcampSinkLost'), key_of(rule, 'dcampSinkDropped')
    return [{'uuid': uuid('trigger', 'sink down'),
             'expression': f'last(/{TEMPLATE}/{state})<>{up} and '
                           f'last(/{TEMPLATE}/{state},#1:now-5m)<>{up} and {there(waiting)} and '
                           f'length(last(/{TEMPLATE}/{error}))>0',
             'name': 'dCAMP: sink {#SINK} takes nothing',
             'opdata': '{ITEM.LASTVALUE4}', 'priority': 'WARNING',
             'description': 'For five minutes no process of dcamp-publish has worked for it, or it '
                            'has taken nothing.'},
            {'uuid': uuid('trigger', 'sink loses'),
             'expression': f'last(/{TEMPLATE}/{lost})>0 or last(/{TEMPLATE}/{dropped})>0',
             'name': 'dCAMP: sink {#SINK} loses blocks', 'priority': 'WARNING',
             'description': 'What did not fit into the queue of dcamp-publish, or was not kept for '
                            'so long, is missing there.'}]


def of_row(mib, rule, expression, texts):
    """A trigger for each severity that the alarm of a row may have. expression: function of the key
    of the item, the severity and its number; texts: function of the severity."""
    column, = rule['columns']
    which, = rule['triggers']
    return [{'uuid': uuid('trigger', which, label),
             'expression': expression(key_of(rule, column), label, mib.number(column, label)),
             **texts(label), 'priority': priority, 'manual_close': 'YES',
             'tags': [{'tag': 'alarm', 'value': '{#KEY}'}, {'tag': 'node', 'value': '{#NODE}'},
                      {'tag': 'rule', 'value': '{#THRESHOLD}'},
                      {'tag': 'instance', 'value': '{#OF}'},
                      {'tag': 'severity', 'value': label}]}
            for label, priority in SEVERITIES.items()]


def unheard(mib, rule):
    """An active alarm of whose severity no notification came: it was lost, or the alarm is older than
    the host. It was seen twice, so that a notification has had the time to come; if it comes later, the
    problem is that of the notification."""
    def expression(key, label, number):
        # The key, and somewhere behind it the severity, as first words of texts of this alarm. Not
        # with the names of the objects: Zabbix has room for 255 characters.
        line = '[.]{#ROW} +type=4 +value=[^"]*"'
        heard = quoted(f'{line}{{#KEY}}"[[:cntrl:][:^cntrl:]]*{line}{label}"')
        return (f'count(/{TEMPLATE}/{key},#2,"eq","{number}")=2 and '
                f'count(/{TEMPLATE}/{trap_key(mib)},{{$DCAMP.NOTIFICATIONS}},"regexp",{heard})=0')

    def texts(label):
        return {'name': f'dCAMP: alarm {{#ROW}}, {label}: {{#THRESHOLD}} {{#OF}}',
                'event_name': 'dCAMP: {#MESSAGE}',
                'description': 'Found in the table of active alarms. No notification of it came.'}
    return of_row(mib, rule, expression, texts)


def below(mib, rule):
    """An active alarm of a node below, which sends its notifications to nobody here."""
    def texts(label):
        alarm = '{#NODE}: {#THRESHOLD} {#OF}'
        return {'name': f'dCAMP: alarm {{#ROW}} below {{#CHILD}}, {label}: {alarm}',
                'event_name': f'dCAMP: {alarm}: {{#MESSAGE}}', 'opdata': 'since {#SINCE}',
                'description': 'Found in the table of alarms below, at {#PATH}.'}
    return of_row(mib, rule, lambda key, _, number: f'last(/{BELOW}/{key})={number}', texts)


# -- The templates ---------------------------------------------------------------------------

def valuemaps(mib, *owner):
    made = {}
    # An object may have fewer labels than its textual convention: that with the most decides.
    for name in sorted(mib.objects, key=lambda name: -len(mib.labels(name))):
        if mib.labels(name) and valuemap(mib, name) not in made:
            made[valuemap(mib, name)] = {
                'uuid': uuid(*owner, 'valuemap', valuemap(mib, name)), 'name': valuemap(mib, name),
                'mappings': [{'value': str(number), 'newvalue': label}
                             for number, label in mib.labels(name)]}
    return made


def used(template, maps):
    """Only the value maps that some item has."""
    items = template.get('items', []) + [item for rule in template['discovery_rules']
                                         for item in rule['item_prototypes']]
    names = {item['valuemap']['name'] for item in items if 'valuemap' in item}
    return [maps[name] for name in sorted(names)]


def macros(template):
    """Those that something of the template has."""
    made = [('{$DCAMP.INTERVAL}', '1m', 'How often values are polled'),
            ('{$DCAMP.DISCOVERY}', '2m', 'How often rows are discovered'),
            ('{$DCAMP.ALARMS}', '1m', 'How often active alarms are discovered'),
            ('{$DCAMP.NOTIFICATIONS}', '31d', 'How long notifications are kept, and so for how '
                                              'long it is known which alarms they told of'),
            ('{$DCAMP.LIFETIME}', '7d', 'How long items of rows that are gone are kept'),
            ('{$DCAMP.SILENT}', '5m', 'A node that has not answered for so long is silent'),
            ('{$DCAMP.MISSING}', '5m', 'An aggregate may be incomplete for so long')]
    made += [('{$DCAMP.%s.MATCHES}' % name, pattern, text)
             for name, (_, pattern, text) in FILTERS.items()]
    has = json.dumps(template)
    return [{'macro': macro, 'value': value, 'description': text}
            for macro, value, text in made if macro in has]


def graphs():
    def of(title, *keys):
        return graph(title, title, keys, left=1)
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


def template(mib, name, description, rules, *owner, **more):
    """owner: what the UUIDs of this template begin with; the first one has nothing."""
    triggers = {'missing': missing, 'sinks': sinks, 'unheard': unheard, 'below': below}
    made = {'uuid': uuid(*owner, 'template'), 'template': name, 'name': name,
            'description': description, 'groups': [{'name': GROUP[1]}], **more,
            'discovery_rules': [discovery(mib, rule, triggers) for rule in rules],
            'tags': [{'tag': 'class', 'value': 'software'},
                     {'tag': 'target', 'value': 'dcamp'}]}
    made['macros'] = macros(made)
    made['valuemaps'] = used(made, valuemaps(mib, *owner))
    return made


def export(mib):
    groups = [zabbix_groups.rule(mib, group) for group in zabbix_groups.GROUPS]
    node = template(mib, TEMPLATE, DESCRIPTION, groups + RULES, items=items(mib))
    own = graphs()
    node['dashboards'] = zabbix_groups.dashboards(
        TEMPLATE, [one['name'].removeprefix('dCAMP: ') for one in own],
        [rule['graph'][0] for rule in RULES if rule['key'] in ('dcamp.children', 'dcamp.aggregates')])
    nodes_below = template(mib, BELOW, DESCRIPTION_BELOW, BELOW_RULES, 'below')
    made = {'version': '6.0', 'groups': [{'uuid': GROUP[0], 'name': GROUP[1]}],
            'templates': [node, nodes_below], 'graphs': own}
    return banner(HEAD) + yaml_text({'zabbix_export': made})
