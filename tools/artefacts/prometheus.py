"""snmp_exporter 0.21 and Prometheus: a module for each use, and alerting rules."""
from mib import COUNTER
from text import banner, yaml_text

EXPORTER = """Modules of dCAMP for the snmp_exporter of Prometheus, version 0.21 (Debian 12). Install as
/etc/prometheus/snmp.yml, or add to it, with your SNMPv3 user. See doc/nms.md.
  dcamp             a node: its values, its alarms, what it costs
  dcamp_statistics  the statistics of its windows; beside dcamp, every minute is enough
  dcamp_tree        a collector: its children, the alarms of all below and aggregates; beside dcamp
  dcamp_children    the values of all its children, where they are not asked themselves"""
RULES = """Alerting rules of dCAMP for Prometheus, on what the modules of snmp.yml give. The job is expected
to be called dcamp: see doc/nms.md."""

AUTH = {'security_level': 'authPriv', 'username': 'dcampPoll', 'password': 'CHANGE-ME-auth',
        'auth_protocol': 'SHA256', 'priv_protocol': 'AES', 'priv_password': 'CHANGE-ME-priv'}

# What an alarm is, and nothing that changes while it is active: a label that does makes it another
# series.
ALARM = ['dcampAlarmNode', 'dcampAlarmThreshold', 'dcampAlarmInstance', 'dcampAlarmSensor']
ALARM_BELOW = ['dcampChildAlarmPath', 'dcampChildAlarmNode', 'dcampChildAlarmThreshold',
               'dcampChildAlarmInstance', 'dcampChildAlarmSensor']

# What is walked, column by column: rows with few columns are answered faster than whole tables.
NODE = {
    'scalars': ['dcampNodeBoot', 'dcampNodeUpTime', 'dcampNodeRole', 'dcampNodeLevel',
                'dcampNodeConfigSerial', 'dcampSelfCpuTime', 'dcampSelfMemory',
                'dcampSelfCycles', 'dcampSelfLateCycles', 'dcampSelfSamples',
                'dcampSelfSampleErrors', 'dcampSelfSeries', 'dcampSelfRequests',
                'dcampSelfReconnects', 'dcampSelfNotificationsSent',
                'dcampSelfNotificationsQueued', 'dcampSelfNotificationsSuppressed',
                'dcampSelfNotificationsDropped', 'dcampSelfStateErrors'],
    'columns': ['dcampValueText', 'dcampValueState', 'dcampValueAge', 'dcampThresholdRaised',
                'dcampAlarmSeverity', 'dcampAlarmSince', 'dcampAlarmValueText', 'dcampSinkState',
                'dcampSinkBlocks', 'dcampSinkDropped', 'dcampSinkLost', 'dcampSinkNameless',
                'dcampSinkWaiting', 'dcampSinkDelay'],
    'lookups': {'dcampValueText': ['dcampValueUnit'], 'dcampSinkState': ['dcampSinkKind'],
                'dcampAlarmSeverity': ALARM, 'dcampAlarmSince': ALARM,
                'dcampAlarmValueText': ALARM},
}
WINDOW = ['dcampValueMin', 'dcampValueMax', 'dcampValueMean', 'dcampValueStdDev', 'dcampValueP50',
          'dcampValueP90', 'dcampValueP95', 'dcampValueP99']
STATISTICS = {
    'scalars': [],
    'columns': ['dcampValueWindowSamples'] + WINDOW,
    'lookups': {name: ['dcampValueUnit'] for name in WINDOW},
}
TREE = {
    'scalars': [],
    'columns': ['dcampAggregateValueText', 'dcampAggregateValueState',
                'dcampAggregateValueExpected', 'dcampAggregateValueReporting',
                'dcampAggregateValueMissing', 'dcampAggregateValueOldest', 'dcampChildState',
                'dcampChildRoundTrip', 'dcampChildPolls', 'dcampChildMissed', 'dcampChildBlocks',
                'dcampChildLostBlocks', 'dcampChildBadBlocks', 'dcampChildSeries',
                'dcampChildAlarmsInfo', 'dcampChildAlarmsWarning', 'dcampChildAlarmsCritical',
                'dcampChildAlarmsLeftOut', 'dcampChildAlarmSeverity', 'dcampChildAlarmSince'],
    'lookups': {'dcampAggregateValueText': ['dcampAggregateValueUnit'],
                'dcampChildState': ['dcampChildGroup'],
                'dcampChildAlarmSeverity': ALARM_BELOW, 'dcampChildAlarmSince': ALARM_BELOW},
}
CHILDREN = {
    'scalars': [],
    'columns': ['dcampChildValueText', 'dcampChildValueState', 'dcampChildValueAge'],
    'lookups': {'dcampChildValueText': ['dcampChildValueUnit']},
}
MODULES = {'dcamp': NODE, 'dcamp_statistics': STATISTICS, 'dcamp_tree': TREE,
           'dcamp_children': CHILDREN}


# -- snmp_exporter ---------------------------------------------------------------------------

def label_type(mib, name):
    return 'DisplayString' if mib.is_text(name) else 'gauge'


def lookup(mib, index, name):
    return {'labels': index, 'labelname': name, 'oid': mib.oid(name),
            'type': label_type(mib, name)}


def unit(mib, name, others):
    """The unit of a metric, for its help. That of a value is not the same for all of them: it is a
    label."""
    label = next((other for other in others if other.endswith('Unit')), None)
    if label:
        return f'Unit: that of the label {label}. '
    if mib[name]['convention'] == 'DateAndTime':
        return 'Unit: seconds since 1970. '
    return f'Unit: {mib[name]["units"]}. ' if mib[name]['units'] else ''


def metric(mib, name, lookups):
    """Texts that are numbers become numbers; what people call a state stays a number, too: the
    help says which."""
    o = mib[name]
    text = unit(mib, name, lookups.get(name, [])) + mib.description(name)
    if mib.labels(name):
        text += ' - ' + ', '.join(f'{label}({number})' for number, label in mib.labels(name))
    made = {'name': name, 'oid': mib.oid(name), 'type': 'gauge', 'help': f'{text} - {mib.oid(name)}'}
    if o['syntax'] == COUNTER:
        made['type'] = 'counter'
    if o['role'] == 'MIB_COLUMN':
        index = mib.index(mib.entry(name))
        made['indexes'] = [{'labelname': column, 'type': label_type(mib, column)}
                           for column in index]
        found = [lookup(mib, index, other) for other in lookups.get(name, [])]
        # The number of an alarm is new with each raise: the lookups say what it is known by.
        if index == ['dcampAlarmIndex']:
            found.append({'labels': [], 'labelname': 'dcampAlarmIndex'})
        if found:
            made['lookups'] = found
    if o['convention'] == 'DateAndTime':
        made['type'] = 'DateAndTime'
    elif mib.is_text(name):
        made['type'] = 'DisplayString'
        made['regex_extracts'] = {'': [{'regex': '^(.+)$', 'value': '$1'}]}
    return made


def module(mib, what):
    names = what['columns']
    walked = names + [other for others in what['lookups'].values() for other in others]
    made = {'walk': sorted({mib.oid(name) for name in walked},
                           key=lambda oid: [int(part) for part in oid.split('.')])}
    if what['scalars']:
        made['get'] = [mib.instance(name) for name in what['scalars']]
    made['metrics'] = [metric(mib, name, what['lookups']) for name in what['scalars'] + names]
    made |= {'version': 3, 'max_repetitions': 25, 'retries': 1, 'timeout': '10s', 'auth': AUTH}
    return made


def exporter(mib):
    return banner(EXPORTER) + yaml_text({name: module(mib, what) for name, what in MODULES.items()})


# -- Rules -----------------------------------------------------------------------------------

def rule(name, expression, duration, severity, summary, description=None):
    made = {'alert': name, 'expr': expression}
    if duration:
        made['for'] = duration
    made['labels'] = {'severity': severity}
    made['annotations'] = {'summary': summary}
    if description:
        made['annotations']['description'] = description
    return made


ALARM_SUMMARY = ('{{ $labels.dcampAlarmNode }}: {{ $labels.dcampAlarmThreshold }} of '
                 '{{ $labels.dcampAlarmInstance }} is %s')
# Its value is asked for when the alert is written: as a label, each change would make another alert.
ALARM_LABELS = ('instance', 'dcampAlarmNode', 'dcampAlarmThreshold', 'dcampAlarmInstance')
ALARM_VALUE = ('{{ with printf "dcampAlarmValueText{'
               + ','.join(f'{label}=%q' for label in ALARM_LABELS) + '}" '
               + ' '.join(f'$labels.{label}' for label in ALARM_LABELS) + ' | query }}'
               '{{ $labels.dcampAlarmSensor }} is {{ . | first | value }}.{{ end }}')


def alarm_rules(mib):
    """One alert for each active alarm: of its node, threshold and instance."""
    made = []
    for label in ('critical', 'warning', 'info'):
        number = mib.number('dcampAlarmSeverity', label)
        made.append(rule(f'Dcamp{label.capitalize()}', f'dcampAlarmSeverity == {number}', None,
                         label, ALARM_SUMMARY % label, ALARM_VALUE))
    return made


def node_rules(mib):
    return [
        rule('DcampSilent', 'up{job="dcamp"} == 0', '2m', 'critical',
             '{{ $labels.instance }} does not answer',
             'Neither snmpd nor dcampd can be read: nothing is watched on this node.'),
        rule('DcampGone', 'up{job="dcamp"} == 1 unless on(instance) dcampNodeUpTime', '2m',
             'critical', 'dcampd on {{ $labels.instance }} does not answer',
             'snmpd answers, but has no DCAMP-MIB.'),
        rule('DcampLate', 'rate(dcampSelfLateCycles[5m]) > 0.05', '10m', 'warning',
             'Sampling on {{ $labels.instance }} is late',
             mib.description('dcampSelfLateCycles')),
        rule('DcampNotificationsDropped', 'increase(dcampSelfNotificationsDropped[10m]) > 0',
             None, 'warning', '{{ $labels.instance }} loses notifications',
             mib.description('dcampSelfNotificationsDropped')),
        rule('DcampStateNotSaved', 'increase(dcampSelfStateErrors[10m]) > 0', None, 'warning',
             '{{ $labels.instance }} cannot write its state file',
             mib.description('dcampSelfStateErrors')),
        rule('DcampSinkDown', f'dcampSinkState != {mib.number("dcampSinkState", "up")}', '5m',
             'warning', 'The sink {{ $labels.dcampSinkName }} of {{ $labels.instance }} takes nothing',
             'No process of dcamp-publish works for it, or it fails: dcampSinkError says why.'),
        rule('DcampSinkLoses',
             'increase(dcampSinkLost[10m]) + increase(dcampSinkDropped[10m]) > 0', None, 'warning',
             'The sink {{ $labels.dcampSinkName }} of {{ $labels.instance }} loses blocks',
             'What did not fit into the queue of dcamp-publish, or was not kept for so long, is '
             'missing there.'),
    ]


def tree_rules(mib):
    bad = ' or '.join(f'dcampChildState == {mib.number("dcampChildState", label)}'
                      for label in ('down', 'refused', 'wrongKey'))
    return [
        rule('DcampChildLost', bad, None, 'critical',
             '{{ $labels.instance }} has lost its child {{ $labels.dcampChildName }}',
             mib.description('dcampChildState')),
        rule('DcampAggregateIncomplete', 'dcampAggregateValueMissing > 0', '5m', 'warning',
             '{{ $labels.dcampAggregateName }} of {{ $labels.instance }} is incomplete',
             mib.description('dcampAggregateValueMissing')),
    ]


def rules(mib):
    groups = [('dcamp-alarms', alarm_rules(mib)), ('dcamp-nodes', node_rules(mib)),
              ('dcamp-tree', tree_rules(mib))]
    return banner(RULES) + yaml_text({'groups': [{'name': name, 'rules': made}
                                            for name, made in groups]})
