#!/usr/bin/env python3
"""rest.py URL DCAMP DIRECTORY: the REST interface of dcamp-web on a history of tests/web/maker: every answer is
as openapi.json says, values are what the maker has told, what the program dcamp says of the directory of
the history is the same, and what is wrong gets one clear problem.
Prints TAP, without the plan."""
import csv
import http.client
import io
import json
import math
import subprocess
import sys
import time
import urllib.parse

import jsonschema

address = urllib.parse.urlsplit(sys.argv[1])
dcamp, directory = sys.argv[2:4]
n = 0


def ok(name, holds, *what):
    global n
    n += 1
    print(f'{"ok" if holds else "not ok"} {n} - {name}')
    for one in what if not holds else ():
        print(f'#   {str(one)[:300]}')


def ask(path, headers=None, method='GET', raw=None):
    """Status, headers and text of an answer."""
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    if raw is not None:
        connection.putrequest(method, raw, skip_host=bool(headers and 'Host' in headers))
    else:
        connection.putrequest(method, path, skip_host=bool(headers and 'Host' in headers))
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


def get(path, **parameters):
    status, headers, text = ask(f'/api/v1/{path}?{urllib.parse.urlencode(parameters, doseq=True)}')
    return status, json.loads(text)


document = json.loads(ask('/api/v1/openapi.json')[2])


def is_valid(path, status, answer):
    """Whether an answer is what the document says of that path and status."""
    content = document['paths'][f'/api/v1/{path}']['get']['responses'][str(status)]['content']
    kind = 'application/json' if status == 200 else 'application/problem+json'
    schema = dict(content[kind]['schema'], components=document['components'])
    try:
        jsonschema.Draft202012Validator(schema).validate(answer)
        return ''
    except jsonschema.ValidationError as error:
        return f'{path}: {error.message} at {list(error.absolute_path)}'


def check(path, **parameters):
    status, answer = get(path, **parameters)
    fault = is_valid(path, status, answer)
    ok(f'{path} {parameters} is as the document says', status == 200 and not fault, status, fault, answer)
    return answer


def refused(path, status, detail, **parameters):
    got, answer = get(path, **parameters)
    fault = is_valid(path, got, answer)
    ok(f'{path} {parameters}: {status}, {detail}', got == status and detail in answer['detail'] and not fault,
       got, answer, fault)


# -- What there is
jsonschema.Draft202012Validator.check_schema({'$defs': document['components']['schemas']})
status = check('status')
ok('status names the node that publishes', status['node'] == 'root' and status['nodes'] == 30)
nodes = {node['name']: node for node in check('nodes')['nodes']}
ok('every node is there, with its path', len(nodes) == 30 and nodes['node7']['path'] == 'collector2/node7')
ok('the states are those of the maker', nodes['node7']['state'] == 'critical' and nodes['node9']['state'] == 'silent'
   and nodes['node3']['state'] == 'ok' and nodes['root']['state'] == 'ok', nodes['node7'], nodes['node9'])
series = check('series', node='node7')['series']
what = lambda series: [(one['sensor'], one['instance'], one['first']) for one in series] # values come meanwhile
ok('a node by its name and by its path is the same',
   what(series) == what(check('series', node='collector2/node7')['series']))
ok('the latest value is there', len(series) == 10 and all(one['value'] is not None for one in series))
hostile = {one['instance'] for one in check('series', node='node5')['series']}
ok('names are told as they are', "<script>document.title='hurt'</script>" in hostile and 'a/b&c=d#e%20f' in hostile)
ok('octets that are no UTF-8 become U+FFFD', '\ufffd\ufffd not UTF-8' in hostile, hostile)
ok('sensors are there once each', len(check('sensors')['sensors']) == 10)

# -- Values
def wave(node, place, t):
    hours = t / 3600000
    return (50 + 30 * math.sin(hours + node) + 8 * math.sin(23 * hours + place * node)
            + 4 * math.sin(211 * hours + place))

# Where the maker goes over to a value a second, which is 19 minutes after it has raised its alarm.
live = get('alarms', active=1)[1]['alarms'][0]['since'] + 19 * 60000
past = {'from': live - 30 * 60000, 'to': live}
values = check('values', node='node4', sensor='mem.used', instance='total', points=0, **past)
expected = [wave(6, 1, value['t']) for value in values['values']]
ok('every value is what the maker has told, to the last bit but one of its own sines',
   len(expected) == 181 and all(abs(value['value'] - x) <= 1e-12 * abs(x)
                                for value, x in zip(values['values'], expected)), len(expected))
question = dict(node='node4', sensor='mem.used', instance='total', to=values['values'][-1]['t'], points=5,
                **{'from': values['values'][0]['t']})
steps = check('values', **question)
counted = [[value['value'] for value in values['values'] if 0 <= value['t'] - step['t'] < steps['step']]
           for step in steps['values']]
ok('steps have count, minimum, maximum and mean of their values',
   len(steps['values']) in range(2, 6) and all(
       step['count'] == len(inside) and step['min'] == min(inside) and step['max'] == max(inside)
       and abs(step['value'] - sum(inside) / len(inside)) < 1e-9
       for step, inside in zip(steps['values'], counted)), steps)
ok('quantiles are within 1 percent', all(
    sorted(inside)[(len(inside) - 1) // 2] * 0.98 <= step['p50'] <= sorted(inside)[len(inside) // 2] * 1.02
    for step, inside in zip(steps['values'], counted)))
both = check('values', node=['node4', 'node6'], sensor='mem.used', instance='total', points=2, **past)
ok('several nodes are taken together', sum(value.get('count', 0) for value in both['values']) == 362, both)
check('values', node='node4', sensor='mem.used', instance='total', last='3h', tier='minutes')
table = ask('/api/v1/values.csv?' + urllib.parse.urlencode(question))
rows = list(csv.DictReader(io.StringIO(table[2])))
ok('a spreadsheet reads the same values', table[1]['Content-Type'].startswith('text/csv') and
   [(int(row['t']), float(row['value']), float(row['p99'])) for row in rows] ==
   [(step['t'], step['value'], step['p99']) for step in steps['values']], table[2])
for one in hostile - {'\ufffd\ufffd not UTF-8'}:
    sensors = [each['sensor'] for each in get('series', node='node5')[1]['series'] if each['instance'] == one]
    answer = get('values', node='node5', sensor=sensors[0], instance=one, last='10m')[1]
    ok(f'the values of an instance that is called {one!r} are found', len(answer['values']) > 50, answer)

# -- Alarms, tops, changes
active = check('alarms', active=1)['alarms']
ok('the active alarm is there once, with its texts', len(active) == 1 and active[0]['node'] == 'collector2/node7'
   and active[0]['until'] is None and '<b>now</b>' in active[0]['message'], active)
log = {alarm['name']: alarm for alarm in check('alarms', last='2h')['alarms']}
ok('one that is over is in the log, from its beginning to its end', 'node3' in log and
   18 * 60000 < log['node3']['until'] - log['node3']['since'] < 22 * 60000, log)
ok('the log of an hour ago does not have the one that came later', 'node7' not in
   {alarm['name'] for alarm in check('alarms', **{'from': status['now'] - 7200000, 'to': status['now'] - 3600000})['alarms']})
top = check('top', sensor='disk.util', n=3)['top'][0]['values']
ok('the slow disk is first among its like', top[0]['node'] == 'collector2/node7' and len(top) == 3, top)
check('top')
changes = check('changes', at=active[0]['since'] - 60000, node=active[0]['node'], n=5)['changes']
ok('what moved with the alarm comes first', {(change['node'], change['sensor']) for change in changes[:2]} ==
   {('collector2/node7', 'disk.util'), ('collector2/node7', 'load.1')}, changes)

# -- Analysis
def rounded(value):
    """As the command has numbers: with 15 digits."""
    if isinstance(value, float):
        return float(f'{value:.15g}')
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def analyse(node, sensor, instance, begin, end, *options):
    """What the command says of a time from one second to another."""
    date = lambda s: time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(s))
    return json.loads(subprocess.run([dcamp, 'analyse', '--json', '--directory', directory, '--from', date(begin),
                                      '--to', date(end), *options, '--', node, sensor, instance],
                                     stdout=subprocess.PIPE, check=True).stdout)


end = live // 1000 - 60
for node, sensor, instance, minutes, step in (('collector1/node4', 'mem.used', 'total', 170, None),
                                              ('collector2/node7', 'disk.util', 'sda', 30, '30s'),
                                              ('collector1/node4', 'proc.count', 'total', 120, None),
                                              ('collector2/node5', 'disk.reads', 'a/b&c=d#e%20f', 60, '1m')):
    question = {'node': node, 'sensor': sensor, 'instance': instance, 'from': 1000 * (end - 60 * minutes),
                'to': 1000 * end, **({'step': step} if step else {})}
    answer = check('analysis', **question)
    said = analyse(node, sensor, instance, end - 60 * minutes, end, *(('--step', step) if step else ()))
    ok(f'of {sensor} {instance} it says what the command says', rounded(answer) == said,
       *({name: (rounded(answer.get(name)), said[name])} for name in said if rounded(answer.get(name)) != said[name]))
    # Spans are of whole steps, so that the first one begins before the time that was asked for.
    spans = answer['distribution']['n'] + answer['distribution']['gaps']
    counted = get('values', node=node, sensor=sensor, instance=instance, points=0,
                  **{'from': answer['from'], 'to': answer['from'] + spans * answer['step'] - 1})[1]['values']
    ok('of all values', answer['distribution']['n'] >= 30 and min(one['value'] for one in counted)
       <= answer['distribution']['min'] <= answer['distribution']['max'] <= max(one['value'] for one in counted))
    if sensor == 'proc.count':
        smooth = answer['forecasts'][1]
        late = counted[0]['t'] % 10000 # of each span
        inside = [low <= 50 + 20 * math.sin(2 * math.pi * (t + late) / 600000) <= high
                  for t, value, low, high in smooth['points']]
        ok('the season of the maker is found, and foretold', answer['season']['period'] == 600000 and smooth['known']
           and len(inside) == 60 and sum(inside) >= 54, answer['season'], smooth)
few = check('analysis', node='node4', sensor='mem.used', instance='total', **{'from': live - 50000, 'to': live})
ok('what is not known of few values has its reason', few['distribution']['n'] in (5, 6) and
   {one['why'] for one in few['forecasts'] + few['fits'][:1]} == {'too few values'}, few)
none = check('analysis', node='node4', sensor='mem.used', instance='total', **{'from': 1, 'to': 2})
ok('nor of none', none['distribution'] == {'n': 0, 'gaps': 0, 'quantiles': []} and not none['season']['known'] and
   none['forecasts'][0]['why'] == 'too few values', none)
own = check('analysis', sensor='cpu.busy', instance='total', last='1h', step='10s')
ok('without a node it is the one that publishes', own['node'] == '' and own['step'] == 10000, own['node'])
check('analysis', sensor='cpu.busy', instance='total', last='730d')
check('values', sensor='cpu.busy', instance='total', last='60d', points=100)
refused('analysis', 404, 'there is no series', sensor='nothing')
refused('analysis', 404, 'did you mean node7', node='nod7', sensor='cpu.busy')
refused('analysis', 400, 'sensor is missing')
refused('analysis', 400, 'step=0s: expected a duration', sensor='cpu.busy', step='0s')
refused('analysis', 400, 'step=often: expected a duration', sensor='cpu.busy', step='often')
refused('analysis', 400, 'more than 2016 spans', sensor='cpu.busy', instance='total', last='7w', step='1ms')
refused('analysis', 400, "no parameter 'points'", sensor='cpu.busy', points=5)

# -- What is wrong
refused('series', 404, 'did you mean node7', node='nod7')
refused('values', 404, 'there is no series', sensor='nothing')
refused('values', 400, 'sensor is missing')
refused('values', 400, 'expected a whole number', sensor='x', points='many')
refused('values', 400, 'expected a duration', sensor='x', last='yesterday')
refused('values', 400, "no parameter 'nodes'", sensor='cpu.busy', nodes='a')
refused('alarms', 400, 'from is later than to', **{'from': 2, 'to': 1})
ok('a path that is not there', ask('/api/v1/nothing')[0] == 404 and ask('/../etc/passwd')[0] == 404)
for method in 'POST', 'PUT', 'DELETE', 'OPTIONS':
    ok(f'{method} changes nothing', ask('/api/v1/nodes', method=method)[0] == 405)
ok('a page whose name leads here is not this server', ask('/api/v1/nodes', {'Host': 'evil.example'})[0] == 421)
ok('a page of others is refused', ask('/api/v1/nodes', {'Origin': 'http://evil.example'})[0] == 403
   and ask('/api/v1/nodes', {'Sec-Fetch-Site': 'cross-site'})[0] == 403)
ok('nothing invites others', 'Access-Control-Allow-Origin' not in ask('/api/v1/nodes')[1])
policy = ask('/')[1]
ok('the page loads nothing from elsewhere', "default-src 'none'" in policy['Content-Security-Policy']
   and policy['X-Content-Type-Options'] == 'nosniff')
many = '&'.join(f'a{i}=1' for i in range(200))
ok('very many parameters', ask(f'/api/v1/nodes?{many}')[0] == 400)
ok('a NUL in a parameter', ask('/api/v1/series?node=a%00b')[0] == 400)

# -- What is live
connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
connection.request('GET', '/api/v1/stream?' + urllib.parse.urlencode(
    [('node', 'node4'), ('sensor', 'mem.used'), ('instance', 'total')]))
stream = connection.getresponse()
ok('a stream is one of events', stream.status == 200 and stream.headers['Content-Type'] == 'text/event-stream')
points, lines = [], iter(stream.readline, b'')
for line in lines:
    if line.startswith(b'data: ['):
        points += json.loads(line[6:])
    if len(points) >= 3:
        break
ok('points come as they are told', all(place == 0 and abs(value - wave(6, 1, t)) <= 1e-12 * abs(value)
                                        for place, t, value in points), points)
ok('they are new, and in their order', points == sorted(points, key=lambda point: point[1])
   and points[0][1] > status['now'], points)
connection.close()
ok('a stream of half a series', ask('/api/v1/stream?sensor=a')[0] == 400)
sys.exit(0)
