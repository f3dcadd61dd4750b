"""Discovery rules of the Zabbix template: one for each table whose rows are of use there."""
import json

import zabbix_groups
from zabbix_items import DATE_PARTS, UNIT_NAMES, graph, item, named, step, uuid

# Names are not-accessible index columns: they stand in the OID, as a length and the octets (or,
# of integers, as the number); where the server has loaded the MIB, as texts in quotes, if they are
# ASCII. This makes macros of them, and the unit one of Zabbix. {#AT} is the last name as it stands
# in the OID; {#WHICH} is the instance by a name that puts "total" first. A text that is not ASCII
# comes as hexadecimal octets, and becomes what it was.
INDEX_SCRIPT = """var kinds = %s, units = %s;
return JSON.stringify(JSON.parse(value).map(function (row) {
    var ids = [], at = 0;
    row['{#SNMPINDEX}'].match(/"[^"]*"|[^.]+/g).forEach(function (part) {
        if (part[0] === '"') {
            part = part.slice(1, -1).split('').map(function (c) { return c.charCodeAt(0); });
            ids.push(part.length);
        }
        ids = ids.concat(part);
    });
    kinds.forEach(function (kind) {
        var length = kind[1] ? +ids[at++] : 1, part = ids.slice(at, at + length), text = '';
        row['{#AT}'] = ids.slice(at - kind[1], at + length).join('.');
        at += length;
        part.forEach(function (c) { text += kind[1] ? String.fromCharCode(c) : c; });
        try { text = decodeURIComponent(escape(text)); } catch (error) { }
        row[kind[0]] = text;
    });
    Object.keys(row).forEach(function (macro) {
        if (/^([0-9A-F]{2}\\s+)*[89A-F][0-9A-F](\\s+[0-9A-F]{2})*\\s*$/.test(row[macro])) {
            try { row[macro] = decodeURIComponent('%%' + row[macro].trim().split(/\\s+/).join('%%')); } catch (error) { }
        }
    });
    row['{#WHICH}'] = row['{#INSTANCE}'] === 'total' ? '(all)' : row['{#INSTANCE}'];
    if ('{#UNIT}' in row) {
        row['{#UNITS}'] = units[row['{#UNIT}']] || row['{#UNIT}'];
    }
    return row;
}));
"""

# The texts of a problem have no other form for a time than the one that it has as a macro.
DATE_MACROS = DATE_PARTS + """function two(number) {
    return (number < 10 ? '0' : '') + +number;
}
value = JSON.stringify(JSON.parse(value).map(function (row) {
    %s.forEach(function (macro) {
        try {
            var t = parts(row[macro]);
            row[macro] = [t[0], two(t[1]), two(t[2])].join('-') + ' ' + [t[3], t[4], t[5]].map(two).join(':') +
                (t[7] === undefined ? '' : ' ' + t[6] + two(t[7]) + ':' + two(t[8]));
        } catch (error) { }
    });
    return row;
}));
"""

# A value is not there while it is not known: then its item has none.
RULES = [
    {
        'key': 'dcamp.values', 'name': 'Other sensors and instances', 'entry': 'dcampValueEntry',
        'index': ['{#SENSOR}', '{#INSTANCE}'],
        'walk': {'{#STATE}': 'dcampValueState', '{#UNIT}': 'dcampValueUnit'},
        'filters': ['SENSOR', 'INSTANCE'], 'label': '{#SENSOR} {#INSTANCE}',
        'without': ('{#SENSOR}', zabbix_groups.grouped()),
        'columns': ['dcampValueText'], 'component': 'values',
    },
    {
        'key': 'dcamp.statistics', 'name': 'Statistics of windows', 'entry': 'dcampValueEntry',
        'index': ['{#SENSOR}', '{#INSTANCE}'],
        'walk': {'{#STATE}': 'dcampValueState', '{#UNIT}': 'dcampValueUnit'},
        'filters': ['STATISTICS', 'INSTANCE'], 'label': '{#SENSOR} {#INSTANCE}',
        'columns': ['dcampValueMin', 'dcampValueMean', 'dcampValueP50', 'dcampValueP95',
                    'dcampValueP99', 'dcampValueMax', 'dcampValueStdDev'],
        'component': 'statistics',
        'graph': ('{#SENSOR} {#INSTANCE}: distribution',
                  ['dcampValueMin', 'dcampValueP50', 'dcampValueP95', 'dcampValueMax']),
    },
    {
        'key': 'dcamp.aggregates', 'name': 'Aggregates', 'entry': 'dcampAggregateValueEntry',
        'index': ['{#AGGREGATE}', '{#INSTANCE}'],
        'walk': {'{#STATE}': 'dcampAggregateValueState', '{#UNIT}': 'dcampAggregateValueUnit'},
        'filters': ['AGGREGATE', 'INSTANCE'], 'label': '{#AGGREGATE} {#INSTANCE}',
        'columns': ['dcampAggregateValueText', 'dcampAggregateValueExpected',
                    'dcampAggregateValueReporting',
                    'dcampAggregateValueMissing', 'dcampAggregateValueOldest'],
        'component': 'aggregates',
        'graph': ('{#AGGREGATE} {#INSTANCE}: value and what it is of',
                  ['dcampAggregateValueText', 'dcampAggregateValueExpected',
                   'dcampAggregateValueMissing']),
        'triggers': ['missing'],
    },
    {
        'key': 'dcamp.children', 'name': 'Children', 'entry': 'dcampChildEntry',
        'index': ['{#CHILD}'],
        'walk': {'{#GROUP}': 'dcampChildGroup', '{#ADDRESS}': 'dcampChildAddress'},
        'filters': ['CHILD'], 'label': 'Child {#CHILD}',
        'columns': ['dcampChildState', 'dcampChildError', 'dcampChildLastContact',
                    'dcampChildRoundTrip', 'dcampChildPolls', 'dcampChildMissed',
                    'dcampChildBlocks', 'dcampChildLostBlocks', 'dcampChildBadBlocks',
                    'dcampChildSeries', 'dcampChildAlarmsCritical', 'dcampChildAlarmsWarning',
                    'dcampChildAlarmsInfo', 'dcampChildAlarmsLeftOut'],
        'component': 'children',
        'graph': ('Child {#CHILD}: polls',
                  ['dcampChildRoundTrip', 'dcampChildPolls', 'dcampChildMissed']),
    },
    {
        'key': 'dcamp.child.values', 'name': 'Values of children',
        'entry': 'dcampChildValueEntry',
        'index': ['{#CHILD}', '{#SENSOR}', '{#INSTANCE}'],
        'walk': {'{#STATE}': 'dcampChildValueState', '{#UNIT}': 'dcampChildValueUnit'},
        'filters': ['CHILD', 'CHILD.SENSOR', 'INSTANCE'],
        'label': 'Child {#CHILD}: {#SENSOR} {#INSTANCE}',
        'columns': ['dcampChildValueText'], 'component': 'child values',
    },
    {
        'key': 'dcamp.thresholds', 'name': 'Thresholds', 'entry': 'dcampThresholdEntry',
        'index': ['{#THRESHOLD}'],
        'walk': {'{#SENSOR}': 'dcampThresholdSensor', '{#SEVERITY}': 'dcampThresholdSeverity',
                 '{#DESCRIPTION}': 'dcampThresholdDescription'},
        'filters': ['THRESHOLD'], 'label': 'Threshold {#THRESHOLD}',
        'columns': ['dcampThresholdRaised'], 'component': 'thresholds',
    },
    {
        'key': 'dcamp.alarms', 'name': 'Active alarms', 'entry': 'dcampAlarmEntry',
        'index': ['{#ROW}'],
        'walk': {'{#KEY}': 'dcampAlarmKey', '{#NODE}': 'dcampAlarmNode',
                 '{#THRESHOLD}': 'dcampAlarmThreshold', '{#OF}': 'dcampAlarmInstance',
                 '{#MESSAGE}': 'dcampAlarmMessage'},
        'filters': ['ALARM'], 'label': 'Alarm {#ROW}: {#THRESHOLD} {#OF}',
        'columns': ['dcampAlarmSeverity'], 'component': 'alarms',
        'gone': 'clear', 'delay': '{$DCAMP.ALARMS}', 'lifetime': '1d',
        'triggers': ['unheard'],
    },
    {
        'key': 'dcamp.samplers', 'name': 'Samplers', 'entry': 'dcampSamplerEntry',
        'index': ['{#SAMPLER}'], 'walk': {'{#PASSES}': 'dcampSamplerPasses'},
        'filters': [], 'label': 'Sampler {#SAMPLER}',
        'columns': ['dcampSamplerPasses', 'dcampSamplerErrors', 'dcampSamplerTime'],
        'component': 'samplers',
    },
    {
        'key': 'dcamp.sinks', 'name': 'Sinks', 'entry': 'dcampSinkEntry',
        'index': ['{#SINK}'], 'walk': {'{#KIND}': 'dcampSinkKind'},
        'filters': ['SINK'], 'label': 'Sink {#SINK}',
        'columns': ['dcampSinkState', 'dcampSinkError', 'dcampSinkBlocks', 'dcampSinkDropped',
                    'dcampSinkLost', 'dcampSinkNameless', 'dcampSinkWaiting', 'dcampSinkDelay'],
        'component': 'sinks', 'triggers': ['sinks'],
    },
]

# Of the template for alarms below.
BELOW_RULES = [
    {
        'key': 'dcamp.alarms.below', 'name': 'Active alarms below', 'entry': 'dcampChildAlarmEntry',
        'index': ['{#CHILD}', '{#ROW}'],
        'walk': {'{#KEY}': 'dcampChildAlarmKey', '{#PATH}': 'dcampChildAlarmPath',
                 '{#NODE}': 'dcampChildAlarmNode', '{#THRESHOLD}': 'dcampChildAlarmThreshold',
                 '{#OF}': 'dcampChildAlarmInstance', '{#SINCE}': 'dcampChildAlarmSince',
                 '{#MESSAGE}': 'dcampChildAlarmMessage'},
        'filters': ['BELOW.PATH', 'BELOW.ALARM'],
        'label': 'Alarm {#ROW} below {#CHILD}: {#NODE} {#THRESHOLD} {#OF}',
        'columns': ['dcampChildAlarmSeverity'], 'component': 'alarms below',
        'gone': 'clear', 'delay': '{$DCAMP.ALARMS}', 'lifetime': '1d',
        'triggers': ['below'],
    },
]

# filter -> (macro of the row, regular expression that it must match by default, what it is)
FILTERS = {
    'SENSOR': ('{#SENSOR}', '.*', 'Sensors whose values are items'),
    'INSTANCE': ('{#INSTANCE}', '.*', 'Instances of sensors, children and aggregates'),
    'STATISTICS': ('{#SENSOR}', r'^cpu\.busy$',
                   'Sensors whose statistics (minimum, percentiles and so on) are items'),
    'AGGREGATE': ('{#AGGREGATE}', '.*', 'Aggregates'),
    'CHILD': ('{#CHILD}', '.*', 'Children'),
    'CHILD.SENSOR': ('{#SENSOR}', '^$',
                     'Sensors of children: none by default, for a child may be a host of Zabbix '
                     'of its own, and a collector may have thousands'),
    'SINK': ('{#SINK}', '.*', 'Sinks'),
    'THRESHOLD': ('{#THRESHOLD}', '.*', 'Thresholds'),
    'ALARM': ('{#THRESHOLD}', '.*',
              'Thresholds whose active alarms are problems though no notification of them came'),
    'BELOW.PATH': ('{#PATH}', '.*',
                   'Nodes below whose alarms are problems: by the path to them, such as '
                   'collector1/node7'),
    'BELOW.ALARM': ('{#THRESHOLD}', '.*', 'Thresholds whose alarms below are problems'),
}


def conditions(rule):
    made = [{'macro': FILTERS[name][0], 'value': '{$DCAMP.%s.MATCHES}' % name}
            for name in rule['filters']]
    if 'only' in rule:
        made.append({'macro': rule['only'][0], 'value': rule['only'][1]})
    macro, others = rule.get('without', ('', []))
    made += [{'macro': macro, 'value': one, 'operator': 'NOT_MATCHES_REGEX'} for one in others]
    return [one | {'formulaid': chr(ord('A') + i)} for i, one in enumerate(made)]


def key_of(rule, column):
    return f"{column}[{','.join(rule['index'])}]"


def index_script(mib, rule):
    kinds = [f"['{macro}', {1 if mib.is_text(name) else 0}]"
             for macro, name in zip(rule['index'], mib.index(rule['entry']), strict=True)]
    dates = [macro for macro, column in rule['walk'].items()
             if mib[column]['convention'] == 'DateAndTime']
    made = INDEX_SCRIPT % ('[' + ', '.join(kinds) + ']', json.dumps(UNIT_NAMES))
    return DATE_MACROS % json.dumps(dates) + made if dates else made


def prototype(mib, rule, column):
    if mib.entry(column) != rule['entry']:
        raise SystemExit(f"artefacts: {column} is not a column of {rule['entry']}")
    text = mib[column]['convention'] == 'DcampDecimal'
    title = named(mib, column, rule['entry'].removesuffix('Entry'))
    label = rule['label'] if column.endswith('ValueText') else f"{rule['label']}: {title}"
    tags = [('component', rule['component'])]
    tags += [(macro.strip('{#}').lower(), macro) for macro in rule['index']]
    gone = str(mib.number(column, rule['gone'])) if 'gone' in rule else None
    return item(mib, column, '{#SNMPINDEX}', key_of(rule, column), label, tags,
                absent=True, unit='{#UNITS}' if text else None, gone=gone)


def discovery(mib, rule, triggers):
    """triggers: name -> function of mib and rule that gives trigger prototypes."""
    walk = ','.join(f'{macro},{mib.oid(column)}' for macro, column in rule['walk'].items())
    made = {'uuid': uuid('rule', rule['key']), 'name': rule['name'], 'type': 'SNMP_AGENT',
            'snmp_oid': f'discovery[{walk}]', 'key': rule['key'],
            'delay': rule.get('delay', '{$DCAMP.DISCOVERY}'),
            'lifetime': rule.get('lifetime', '{$DCAMP.LIFETIME}'),
            'description': mib.description(rule['entry'].replace('Entry', 'Table'))}
    if conditions(rule):
        made['filter'] = {'evaltype': 'AND', 'conditions': conditions(rule)}
    made['item_prototypes'] = rule.get('items') or [prototype(mib, rule, column)
                                                    for column in rule['columns']]
    if 'triggers' in rule:
        made['trigger_prototypes'] = [one for name in rule['triggers']
                                      for one in triggers[name](mib, rule)]
    if 'graph' in rule:
        title, columns = rule['graph']
        made['graph_prototypes'] = [graph(rule['key'], title,
                                          [key_of(rule, column) for column in columns])]
    if 'graphs' in rule:
        made['graph_prototypes'] = rule['graphs']
    # Rows are looked for often, so that they are there soon; what has not changed costs Zabbix
    # nothing but the walk.
    made['preprocessing'] = [step('JAVASCRIPT', index_script(mib, rule)),
                             step('DISCARD_UNCHANGED_HEARTBEAT', '1h')]
    return made
