"""A dashboard for Grafana, over what Prometheus has of the modules of snmp.yml."""
import json

SOURCE = {'type': 'prometheus', 'uid': '${datasource}'}
NODE = 'instance=~"$instance"'


def target(expression, legend, **more):
    return {'datasource': SOURCE, 'expr': expression, 'legendFormat': legend, 'refId': 'A', **more}


def panel(kind, title, place, targets, unit='short', **more):
    x, y, width, height = place
    for i, one in enumerate(targets):
        one['refId'] = chr(ord('A') + i)
    return {'type': kind, 'title': title, 'datasource': SOURCE,
            'gridPos': {'x': x, 'y': y, 'w': width, 'h': height}, 'targets': targets,
            'fieldConfig': {'defaults': {'unit': unit, **more.pop('defaults', {})},
                            'overrides': []}, 'options': more.pop('options', {}), **more}


def alarms(mib):
    """How many, by severity; and each."""
    made = []
    for i, (label, colour) in enumerate((('critical', 'red'), ('warning', 'orange'),
                                         ('info', 'blue'))):
        number = mib.number('dcampAlarmSeverity', label)
        steps = [{'color': 'green', 'value': None}, {'color': colour, 'value': 1}]
        made.append(panel('stat', f'Alarms, {label}', (i * 2, 0, 2, 6), [
            target(f'count(dcampAlarmSeverity{{{NODE}}} == {number}) or vector(0)', label)],
            defaults={'thresholds': {'mode': 'absolute', 'steps': steps}}))
    labels = ('dcampAlarmKey', 'dcampAlarmMessage', 'instance')
    made.append(panel('table', 'Active alarms', (6, 0, 18, 6), [
        target(f'dcampAlarmSeverity{{{NODE}}}', '', format='table', instant=True)],
        defaults={'mappings': [{'type': 'value', 'options': {
            str(number): {'text': label} for number, label in mib.labels('dcampAlarmSeverity')}}]},
        transformations=[{'id': 'organize', 'options': {
            'excludeByName': {name: True for name in ('Time', '__name__', 'job', 'dcampAlarmNode',
                                                      'dcampAlarmSensor')},
            'indexByName': {name: i for i, name in enumerate(labels)},
            'renameByName': {'dcampAlarmKey': 'alarm', 'dcampAlarmMessage': 'message',
                             'Value': 'severity'}}}]))
    return made


def values(mib):
    # Of one unit each: a graph of octets and percents shows neither.
    return [panel('timeseries', '$sensor', (0, 6, 24, 9), [
        target(f'dcampValueText{{{NODE},dcampSensorName=~"$sensor"}}',
               '{{instance}} {{dcampSensorName}} {{dcampValueInstance}}')],
        repeat='sensor', repeatDirection='h', maxPerRow=2,
        description=mib.description('dcampValueTable'))]


def tree(mib):
    states = {str(number): {'text': label} for number, label in mib.labels('dcampChildState')}
    return [
        panel('timeseries', 'Aggregates', (0, 15, 12, 8), [
            target(f'dcampAggregateValueText{{{NODE},dcampAggregateName=~"$aggregate"}}',
                   '{{dcampAggregateName}} {{dcampAggregateValueInstance}}')]),
        panel('timeseries', 'Missing from aggregates', (12, 15, 12, 8), [
            target(f'dcampAggregateValueMissing{{{NODE},dcampAggregateName=~"$aggregate"}}',
                   '{{dcampAggregateName}} {{dcampAggregateValueInstance}}')]),
        panel('state-timeline', 'Children', (0, 23, 12, 8), [
            target(f'dcampChildState{{{NODE}}}', '{{dcampChildName}}')],
            defaults={'mappings': [{'type': 'value', 'options': states}]}),
        panel('timeseries', 'Round trip to children', (12, 23, 12, 8), [
            target(f'dcampChildRoundTrip{{{NODE}}} / 1e6', '{{dcampChildName}}')], 's'),
    ]


def daemon():
    return [
        panel('timeseries', 'CPU time of dcampd', (0, 31, 8, 7), [
            target(f'rate(dcampSelfCpuTime{{{NODE}}}[$__rate_interval]) / 1e6', '{{instance}}')],
            'percentunit'),
        panel('timeseries', 'Memory of dcampd', (8, 31, 8, 7), [
            target(f'dcampSelfMemory{{{NODE}}} * 1024', '{{instance}}')], 'bytes'),
        panel('timeseries', 'Late passes and lost notifications', (16, 31, 8, 7), [
            target(f'rate(dcampSelfLateCycles{{{NODE}}}[$__rate_interval])', 'late {{instance}}'),
            target(f'rate(dcampSelfNotificationsDropped{{{NODE}}}[$__rate_interval])',
                   'lost {{instance}}')]),
    ]


def query(name, label, expression, current='$__all'):
    every = current == '$__all'
    return {'name': name, 'label': label, 'type': 'query', 'datasource': SOURCE,
            'query': {'query': expression, 'refId': name}, 'refresh': 2, 'multi': True,
            'includeAll': True, 'allValue': '.+', 'sort': 1,
            'current': {'text': ['All'] if every else [current], 'value': [current]}}


def dashboard(mib):
    panels = alarms(mib) + values(mib) + tree(mib) + daemon()
    for number, one in enumerate(panels, 1):
        one['id'] = number
    made = {
        'title': 'dCAMP', 'uid': 'dcamp', 'tags': ['dcamp', 'snmp'], 'schemaVersion': 36,
        'editable': True, 'refresh': '30s', 'time': {'from': 'now-3h', 'to': 'now'},
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
