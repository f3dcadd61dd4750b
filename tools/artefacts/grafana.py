"""A dashboard for Grafana, over what Prometheus has of the modules of snmp.yml.

A panel is a row of data below; where it stands follows from the order and the widths. A panel of
sensors names their unit, which is part of its query: a graph never mixes units."""
import json

WIDTH = 24  # columns of Grafana's grid
SOURCE = {'type': 'prometheus', 'uid': '${datasource}'}
NODE = 'instance=~"$instance"'

# The units of sensors, and what Grafana calls them.
UNITS = {'%': 'percent', 'B': 'bytes', 'B/s': 'Bps', 'packets/s': 'pps', 'operations/s': 'iops',
         'tasks': 'short', 'sockets': 'short'}
SEVERITIES = (('critical', 'red'), ('warning', 'orange'), ('info', 'blue'), ('clear', 'green'))
STATES = {'up': 'green', 'late': 'yellow', 'down': 'red', 'refused': 'red', 'wrongKey': 'red',
          'discovering': 'blue', 'paused': 'text'}
SINKS = {'up': 'green', 'failing': 'red', 'absent': 'orange'}


# -- Parts -----------------------------------------------------------------------------------

def target(expression, legend, **more):
    return {'datasource': SOURCE, 'expr': expression, 'legendFormat': legend, **more}


def table_target(expression):
    return target(expression, '', format='table', instant=True)


def panel(kind, title, size, targets, unit='short', **more):
    for i, one in enumerate(targets):
        one['refId'] = chr(ord('A') + i)
    width, height = size
    return {'type': kind, 'title': title, 'datasource': SOURCE,
            'gridPos': {'x': 0, 'y': 0, 'w': width, 'h': height}, 'targets': targets,
            'fieldConfig': {'defaults': {'unit': unit, **more.pop('defaults', {})},
                            'overrides': more.pop('overrides', [])},
            'options': more.pop('options', {}), **more}


def line(mono=False, stack=False):
    """How a graph is drawn: as an area where its lines add up."""
    custom = {'lineWidth': 1, 'fillOpacity': 40 if stack else 0 if mono else 5,
              'showPoints': 'never', 'spanNulls': False}
    if stack:
        custom['stacking'] = {'mode': 'normal', 'group': 'A'}
    return custom


LEGEND = {'legend': {'displayMode': 'table', 'placement': 'bottom', 'showLegend': True,
                     'calcs': ['mean', 'max', 'lastNotNull']},
          'tooltip': {'mode': 'multi', 'sort': 'desc'}}


def graph(title, targets, unit, width=12, stack=False, **limits):
    return panel('timeseries', title, (width, 8), targets, unit,
                 defaults={'custom': line(stack=stack), **limits}, options=LEGEND)


def value(sensor, unit, instance=None):
    """Selects the values of a sensor, or of several by a regular expression."""
    chosen = f',dcampValueInstance="{instance}"' if instance else ''
    how = '=~' if '|' in sensor else '='
    return (f'dcampValueText{{{NODE},dcampSensorName{how}"{sensor}",'
            f'dcampValueUnit="{unit}"{chosen}}}')


def sensors(title, unit, names, width=12, instance=None, stack=False, **limits):
    """A graph of sensors, all of one unit."""
    several = '|' in names
    legend = ' '.join(['{{instance}}'] + ['{{dcampSensorName}}'] * several +
                      ['{{dcampValueInstance}}'] * (not instance))
    return graph(title, [target(value(names, unit, instance), legend)], UNITS[unit], width, stack,
                 **limits)


def both_ways(title, unit, down, up, width=12):
    """Two directions of one thing: what goes out is drawn below the zero."""
    legend = '{{instance}} {{dcampValueInstance}} '
    made = graph(title, [target(value(down[1], unit), legend + down[0]),
                         target('-' + value(up[1], unit), legend + up[0])], UNITS[unit], width)
    made['fieldConfig']['defaults']['custom']['axisLabel'] = f'{up[0]} (-) / {down[0]} (+)'
    return made


def mapped(mib, name, colours):
    """What an enumeration's numbers are called, and their colours."""
    return [{'type': 'value', 'options': {
        str(number): {'text': label, 'color': colours[label], 'index': i}
        for i, (number, label) in enumerate(mib.labels(name)) if label in colours}}]


# -- Rows ------------------------------------------------------------------------------------

def counts(mib):
    """How many alarms, by severity."""
    made = []
    for label, colour in SEVERITIES[:3]:
        number = mib.number('dcampAlarmSeverity', label)
        steps = [{'color': 'green', 'value': None}, {'color': colour, 'value': 1}]
        made.append(panel('stat', f'Alarms, {label}', (2, 8), [
            target(f'count(dcampAlarmSeverity{{{NODE}}} == {number}) or vector(0)', label)],
            defaults={'thresholds': {'mode': 'absolute', 'steps': steps}},
            options={'colorMode': 'background', 'graphMode': 'area',
                     'reduceOptions': {'calcs': ['lastNotNull']}}))
    return made


def of_column(name, properties):
    return {'matcher': {'id': 'byName', 'options': name},
            'properties': [{'id': key, 'value': value} for key, value in properties.items()]}


def each_alarm(mib, title, width, table, labels):
    """A line each, the most severe first. table: what the columns of the MIB begin with; labels:
    those of the metrics, and what they are called here.

    The severity and the time are a metric each: Grafana puts what agrees in all labels into a line."""
    by = f'max by ({", ".join(labels)})'
    columns = {'Value #A': 'severity', 'Value #B': 'since', **labels}
    return panel('table', title, (width, 8), [
        table_target(f'{by} ({table}Severity{{{NODE}}})'),
        # Grafana has milliseconds.
        table_target(f'{by} ({table}Since{{{NODE}}}) * 1000')],
        overrides=[
            of_column('severity', {
                'mappings': mapped(mib, f'{table}Severity', dict(SEVERITIES)),
                'custom.cellOptions': {'type': 'color-background'}, 'custom.width': 90}),
            of_column('since', {'unit': 'dateTimeAsIso', 'custom.width': 170})],
        options={'showHeader': True, 'sortBy': [{'displayName': 'severity', 'desc': True}]},
        transformations=[{'id': 'merge', 'options': {}}, {'id': 'organize', 'options': {
            'excludeByName': {'Time': True},
            'indexByName': {name: i for i, name in enumerate(columns)},
            'renameByName': columns}}])


def alarms(mib):
    own = each_alarm(mib, 'Active alarms', 18, 'dcampAlarm', {
        'dcampAlarmNode': 'node', 'dcampAlarmThreshold': 'threshold', 'dcampAlarmInstance': 'of',
        'dcampAlarmSensor': 'sensor', 'instance': 'asked at'})
    below = each_alarm(mib, 'Active alarms below collectors and roots', WIDTH, 'dcampChildAlarm', {
        'dcampChildAlarmNode': 'node', 'dcampChildAlarmThreshold': 'threshold',
        'dcampChildAlarmInstance': 'of', 'dcampChildAlarmSensor': 'sensor',
        'dcampChildAlarmPath': 'path', 'instance': 'asked at'})
    below['description'] = mib.description('dcampChildAlarmTable')
    return counts(mib) + [own, below]


def nodes(mib):
    state = mapped(mib, 'dcampChildState', STATES)
    return [
        panel('state-timeline', 'Children of collectors', (12, 8), [
            target(f'dcampChildState{{{NODE}}}', '{{dcampChildName}}')],
            defaults={'mappings': state, 'custom': {'fillOpacity': 80}},
            options={'mergeValues': True, 'showValue': 'auto', 'rowHeight': 0.9}),
        panel('state-timeline', 'Nodes that answer Prometheus', (12, 8), [
            target(f'up{{job="dcamp",{NODE}}}', '{{instance}}')],
            defaults={'custom': {'fillOpacity': 80}, 'mappings': [{'type': 'value', 'options': {
                '0': {'text': 'silent', 'color': 'red', 'index': 0},
                '1': {'text': 'up', 'color': 'green', 'index': 1}}}]},
            options={'mergeValues': True, 'showValue': 'auto', 'rowHeight': 0.9}),
        graph('Round trip to children', [
            target(f'dcampChildRoundTrip{{{NODE}}} / 1e6', '{{dcampChildName}}')], 's', 8),
        graph('Aggregates', [
            target(f'dcampAggregateValueText{{{NODE},dcampAggregateName=~"$aggregate"}}',
                   '{{dcampAggregateName}} {{dcampAggregateValueInstance}} '
                   '{{dcampAggregateValueUnit}}')], 'short', 8),
        graph('Missing from aggregates', [
            target(f'dcampAggregateValueMissing{{{NODE},dcampAggregateName=~"$aggregate"}}',
                   '{{dcampAggregateName}} {{dcampAggregateValueInstance}}')], 'short', 8),
    ]


def cpu(_):
    return [
        sensors('CPU busy', '%', 'cpu.busy', instance='total', min=0, max=100),
        sensors('Where the time goes', '%', 'cpu.user|cpu.system|cpu.iowait|cpu.steal',
                instance='total', stack=True, min=0),
        sensors('Each CPU', '%', 'cpu.busy', width=8, min=0, max=100),
        sensors('Load', 'tasks', 'load.1|load.5|load.15', width=8, instance='total', min=0),
        sensors('Pressure: time in which some task waits', '%', 'pressure.some.avg10', width=8,
                min=0),
    ]


def memory(_):
    return [
        sensors('Memory used', '%', 'mem.used.percent', 8, 'total', min=0, max=100),
        sensors('Memory', 'B', 'mem.available|mem.cached|mem.free', 8, 'total', min=0),
        sensors('Swap used', '%', 'swap.used.percent', 8, 'total', min=0, max=100),
    ]


def disks(_):
    steps = [{'color': 'green', 'value': None}, {'color': 'orange', 'value': 80},
             {'color': 'red', 'value': 90}]
    return [
        panel('bargauge', 'File systems, used', (8, 8), [
            target(value('fs.used.percent', '%'), '{{instance}} {{dcampValueInstance}}',
                   instant=True)], 'percent',
            defaults={'min': 0, 'max': 100, 'thresholds': {'mode': 'absolute', 'steps': steps}},
            options={'displayMode': 'basic', 'orientation': 'horizontal',
                     'reduceOptions': {'calcs': ['lastNotNull']}}),
        sensors('File systems, free', 'B', 'fs.free', 8, min=0),
        sensors('Disks, busy', '%', 'disk.busy', 8, min=0, max=100),
        both_ways('Disks, throughput', 'B/s', ('read', 'disk.read.bytes'),
                  ('write', 'disk.write.bytes')),
        both_ways('Disks, operations', 'operations/s', ('read', 'disk.reads'),
                  ('write', 'disk.writes')),
    ]


def network(_):
    return [
        both_ways('Interfaces', 'B/s', ('received', 'net.rx.bytes'), ('sent', 'net.tx.bytes')),
        both_ways('Packets', 'packets/s', ('received', 'net.rx.packets'),
                  ('sent', 'net.tx.packets')),
        sensors('Errors and drops', 'packets/s',
                'net.rx.errors|net.tx.errors|net.rx.drops|net.tx.drops', min=0),
        sensors('TCP connections', 'sockets', 'tcp.established', min=0),
    ]


def any_sensor(mib):
    """One graph for each chosen sensor, and its statistics: of one unit each."""
    chosen = f'{NODE},dcampSensorName=~"$sensor"'
    legend = '{{instance}} {{dcampValueInstance}} {{dcampValueUnit}}'
    repeated = {'repeat': 'sensor', 'repeatDirection': 'h', 'maxPerRow': 2}
    latest = graph('$sensor', [target(f'dcampValueText{{{chosen}}}', legend)], 'short', WIDTH)
    windows = graph('$sensor, windows', [
        target(f'{name}{{{chosen}}}', f'{legend} {label}')
        for name, label in (('dcampValueMin', 'min'), ('dcampValueMean', 'mean'),
                            ('dcampValueP95', 'p95'), ('dcampValueMax', 'max'))], 'short', WIDTH)
    below = graph('$sensor of children', [
        target(f'dcampChildValueText{{{NODE},dcampChildValueSensor=~"$sensor"}}',
               '{{dcampChildName}} {{dcampChildValueInstance}} {{dcampChildValueUnit}}')],
        'short', WIDTH)
    latest['description'] = mib.description('dcampValueTable')
    windows['description'] = 'Statistics of the last whole window: the module dcamp_statistics.'
    below['description'] = 'As their collectors have them: the module dcamp_children.'
    return [one | repeated for one in (latest, windows, below)]


def daemon(mib):
    return [
        graph('CPU time of dcampd', [
            target(f'rate(dcampSelfCpuTime{{{NODE}}}[$__rate_interval]) / 1e6', '{{instance}}')],
            'percentunit', 8),
        graph('Memory of dcampd', [
            target(f'dcampSelfMemory{{{NODE}}} * 1024', '{{instance}}')], 'bytes', 8),
        graph('Late passes and lost notifications', [
            target(f'rate(dcampSelfLateCycles{{{NODE}}}[$__rate_interval])', 'late {{instance}}'),
            target(f'rate(dcampSelfNotificationsDropped{{{NODE}}}[$__rate_interval])',
                   'lost {{instance}}')], 'cps', 8),
        panel('state-timeline', 'Sinks', (8, 8), [
            target(f'dcampSinkState{{{NODE}}}', '{{instance}} {{dcampSinkName}}')],
            defaults={'mappings': mapped(mib, 'dcampSinkState', SINKS),
                      'custom': {'fillOpacity': 80}},
            options={'mergeValues': True, 'showValue': 'auto', 'rowHeight': 0.9}),
        graph('Blocks that sinks miss', [
            target(f'rate(dcampSinkDropped{{{NODE}}}[$__rate_interval]) + '
                   f'rate(dcampSinkLost{{{NODE}}}[$__rate_interval])',
                   '{{instance}} {{dcampSinkName}}')], 'cps', 8),
        graph('How far sinks are behind', [
            target(f'dcampSinkDelay{{{NODE}}} / 1000', '{{instance}} {{dcampSinkName}}')], 's', 8),
    ]


# The second is whether the row is folded at first: what is rarely looked at costs no query.
ROWS = (('Alarms', False, alarms), ('Nodes', False, nodes), ('CPU', False, cpu),
        ('Memory', False, memory), ('Disks', False, disks), ('Network', False, network),
        ('Any sensor', True, any_sensor), ('dCAMP itself', True, daemon))


# -- The dashboard ---------------------------------------------------------------------------

def place(panels, y):
    """From left to right, line by line. Returns where the next line is."""
    x = height = 0
    for one in panels:
        if x + one['gridPos']['w'] > WIDTH:
            x, y, height = 0, y + height, 0
        one['gridPos'] |= {'x': x, 'y': y}
        x += one['gridPos']['w']
        height = max(height, one['gridPos']['h'])
    return y + height


def rows(mib):
    made, y = [], 0
    for title, folded, panels_of in ROWS:
        panels = panels_of(mib)
        made.append({'type': 'row', 'title': title, 'collapsed': folded,
                     'gridPos': {'x': 0, 'y': y, 'w': WIDTH, 'h': 1},
                     'panels': panels if folded else []})
        y = place(panels, y + 1)
        made += [] if folded else panels
    return made


def number(panels, first=1):
    for one in panels:
        one['id'] = first
        first = number(one.get('panels', []), first + 1)
    return first


def query(name, label, expression, current='$__all'):
    every = current == '$__all'
    return {'name': name, 'label': label, 'type': 'query', 'datasource': SOURCE,
            'query': {'query': expression, 'refId': name}, 'refresh': 2, 'multi': True,
            'includeAll': True, 'allValue': '.+', 'sort': 1,
            'current': {'text': ['All'] if every else [current], 'value': [current]}}


def dashboard(mib):
    panels = rows(mib)
    number(panels)
    made = {
        'title': 'dCAMP', 'uid': 'dcamp', 'tags': ['dcamp', 'snmp'], 'schemaVersion': 39,
        'editable': True, 'refresh': '30s', 'time': {'from': 'now-3h', 'to': 'now'},
        'graphTooltip': 1,
        'description': 'Made by "make artefacts" from DCAMP-MIB.txt. Needs the modules of '
                       'conf/prometheus/snmp.yml.',
        'templating': {'list': [
            {'name': 'datasource', 'label': 'Data source', 'type': 'datasource',
             'query': 'prometheus'},
            query('instance', 'Node', 'label_values(dcampNodeUpTime, instance)'),
            query('sensor', 'Sensor', f'label_values(dcampValueText{{{NODE}}}, dcampSensorName)',
                  'cpu.busy'),
            query('aggregate', 'Aggregate',
                  f'label_values(dcampAggregateValueText{{{NODE}}}, dcampAggregateName)')]},
        'panels': panels}
    return json.dumps(made, indent=2) + '\n'
