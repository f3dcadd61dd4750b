"""Discovery rules of the Zabbix template: one for each table whose rows are of use there."""
from zabbix_items import SEVERITIES, graph, item, named, step, uuid

# Names are not-accessible index columns: they stand in the OID, as a length and the octets (or,
# of integers, as the number); where the server has loaded the MIB, as texts in quotes, if they are
# ASCII. This makes macros of them, and the unit one of Zabbix. A text that is not ASCII comes as
# hexadecimal octets, and becomes what it was.
INDEX_SCRIPT = """var kinds = %s, units = {'B/s': 'Bps', 'ms': '!ms', 'us': '!us', 'tasks': '!tasks'};
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
    if ('{#UNIT}' in row) {
        row['{#UNITS}'] = units[row['{#UNIT}']] || row['{#UNIT}'];
    }
    return row;
}));
"""

# Of the values of sensors, aggregates and children: the value itself, which is not there while it
# is not known, and why.
RULES = [
    {
        'key': 'dcamp.values', 'name': 'Sensors and instances', 'entry': 'dcampValueEntry',
        'index': ['{#SENSOR}', '{#INSTANCE}'],
        'walk': {'{#STATE}': 'dcampValueState', '{#UNIT}': 'dcampValueUnit'},
        'filters': ['SENSOR', 'INSTANCE'], 'label': '{#SENSOR} {#INSTANCE}',
        'columns': ['dcampValueText', 'dcampValueState'], 'component': 'values',
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
        'columns': ['dcampAggregateValueText', 'dcampAggregateValueState',
                    'dcampAggregateValueExpected', 'dcampAggregateValueReporting',
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
                    'dcampChildSeries'],
        'component': 'children',
        'graph': ('Child {#CHILD}: polls',
                  ['dcampChildRoundTrip', 'dcampChildPolls', 'dcampChildMissed']),
        'triggers': ['child'],
    },
    {
        'key': 'dcamp.child.values', 'name': 'Values of children',
        'entry': 'dcampChildValueEntry',
        'index': ['{#CHILD}', '{#SENSOR}', '{#INSTANCE}'],
        'walk': {'{#STATE}': 'dcampChildValueState', '{#UNIT}': 'dcampChildValueUnit'},
        'filters': ['CHILD', 'CHILD.SENSOR', 'INSTANCE'],
        'label': 'Child {#CHILD}: {#SENSOR} {#INSTANCE}',
        'columns': ['dcampChildValueText', 'dcampChildValueState'], 'component': 'child values',
    },
    {
        'key': 'dcamp.thresholds', 'name': 'Thresholds', 'entry': 'dcampThresholdEntry',
        'index': ['{#THRESHOLD}'],
        'walk': {'{#SENSOR}': 'dcampThresholdSensor', '{#SEVERITY}': 'dcampThresholdSeverity',
                 '{#DESCRIPTION}': 'dcampThresholdDescription'},
        'filters': ['THRESHOLD'], 'label': 'Threshold {#THRESHOLD}',
        'columns': ['dcampThresholdRaised'], 'component': 'thresholds',
        'triggers': ['polled'],
    },
    {
        'key': 'dcamp.samplers', 'name': 'Samplers', 'entry': 'dcampSamplerEntry',
        'index': ['{#SAMPLER}'], 'walk': {'{#PASSES}': 'dcampSamplerPasses'},
        'filters': [], 'label': 'Sampler {#SAMPLER}',
        'columns': ['dcampSamplerPasses', 'dcampSamplerErrors', 'dcampSamplerTime'],
        'component': 'samplers',
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
    'THRESHOLD': ('{#THRESHOLD}', '.*', 'Thresholds'),
}


def conditions(rule):
    return [{'macro': FILTERS[name][0], 'value': '{$DCAMP.%s.MATCHES}' % name,
             'formulaid': chr(ord('A') + i)} for i, name in enumerate(rule['filters'])]


def key_of(rule, column):
    return f"{column}[{','.join(rule['index'])}]"


def index_script(mib, rule):
    kinds = [f"['{macro}', {1 if mib.is_text(name) else 0}]"
             for macro, name in zip(rule['index'], mib.index(rule['entry']), strict=True)]
    return INDEX_SCRIPT % ('[' + ', '.join(kinds) + ']')


def prototype(mib, rule, column):
    if mib.entry(column) != rule['entry']:
        raise SystemExit(f"artefacts: {column} is not a column of {rule['entry']}")
    text = mib[column]['convention'] == 'DcampDecimal'
    title = named(mib, column, rule['entry'].removesuffix('Entry'))
    label = rule['label'] if column.endswith('ValueText') else f"{rule['label']}: {title}"
    tags = [('component', rule['component'])]
    tags += [(macro.strip('{#}').lower(), macro) for macro in rule['index']]
    return item(mib, column, '{#SNMPINDEX}', key_of(rule, column), label, tags,
                absent=True, unit='{#UNITS}' if text else None)


def discovery(mib, rule, triggers):
    """triggers: name -> function of mib and rule that gives a trigger prototype."""
    walk = ','.join(f'{macro},{mib.oid(column)}' for macro, column in rule['walk'].items())
    made = {'uuid': uuid('rule', rule['key']), 'name': rule['name'], 'type': 'SNMP_AGENT',
            'snmp_oid': f'discovery[{walk}]', 'key': rule['key'],
            'delay': '{$DCAMP.DISCOVERY}', 'lifetime': '{$DCAMP.LIFETIME}',
            'description': mib.description(rule['entry'].replace('Entry', 'Table'))}
    if rule['filters']:
        made['filter'] = {'evaltype': 'AND', 'conditions': conditions(rule)}
    made['item_prototypes'] = [prototype(mib, rule, column) for column in rule['columns']]
    if 'triggers' in rule:
        made['trigger_prototypes'] = [triggers[name](mib, rule) for name in rule['triggers']]
    if 'graph' in rule:
        title, columns = rule['graph']
        made['graph_prototypes'] = [graph(rule['key'], title,
                                          [key_of(rule, column) for column in columns])]
    made['preprocessing'] = [step('JAVASCRIPT', index_script(mib, rule))]
    if rule['key'] == 'dcamp.thresholds':
        made['overrides'] = severities(mib)
    return made


def severities(mib):
    """The trigger of a threshold has its severity."""
    made = []
    for i, (label, priority) in enumerate(SEVERITIES.items(), 1):
        number = mib.number('dcampThresholdSeverity', label)
        made.append({'name': label, 'step': str(i),
                     'filter': {'conditions': [{'macro': '{#SEVERITY}', 'value': f'^{number}$',
                                                'formulaid': 'A'}]},
                     'operations': [{'operationobject': 'TRIGGER_PROTOTYPE', 'operator': 'LIKE',
                                     'value': 'dCAMP: threshold', 'severity': priority}]})
    return made
