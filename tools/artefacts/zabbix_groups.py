"""What the template knows of the default sensors: those of one thing, a disk, an interface, are items
and graphs together. Every other sensor is an item by itself: zabbix_tables.py."""
from zabbix_items import UNIT_NAMES, graph, item, uuid

VALUE = 'dcampValueText'

# Each group is found by the instances of its first sensor. Sensors with their units; graphs with
# their sensors, of which those behind None have the axis on the right; stacked: they add up.
GROUPS = [
    {'key': 'dcamp.cpu', 'name': 'CPU', 'label': 'CPU {#WHICH}',
     'sensors': {'cpu.busy': '%', 'cpu.user': '%', 'cpu.system': '%', 'cpu.iowait': '%',
                 'cpu.steal': '%'},
     'graphs': [('busy', ['cpu.busy']),
                ('stacked', ['cpu.user', 'cpu.system', 'cpu.iowait', 'cpu.steal'])]},
    {'key': 'dcamp.load', 'name': 'Load', 'label': 'Load {#INSTANCE}',
     'sensors': {'load.1': 'tasks', 'load.5': 'tasks', 'load.15': 'tasks'},
     'graphs': [('averages', ['load.1', 'load.5', 'load.15'])]},
    {'key': 'dcamp.memory', 'name': 'Memory', 'label': 'Memory {#INSTANCE}',
     'sensors': {'mem.used.percent': '%', 'swap.used.percent': '%', 'mem.available': 'B',
                 'mem.cached': 'B', 'mem.free': 'B', 'mem.used': 'B', 'mem.total': 'B',
                 'swap.free': 'B'},
     'graphs': [('used', ['mem.used.percent', 'swap.used.percent']),
                ('octets', ['mem.available', 'mem.cached', 'mem.free'])]},
    {'key': 'dcamp.filesystems', 'name': 'File systems', 'label': 'File system {#INSTANCE}',
     'sensors': {'fs.used.percent': '%', 'fs.inodes.percent': '%', 'fs.free': 'B'},
     'graphs': [('used', ['fs.used.percent', 'fs.inodes.percent', None, 'fs.free'])]},
    {'key': 'dcamp.disks', 'name': 'Disks', 'label': 'Disk {#INSTANCE}',
     'sensors': {'disk.busy': '%', 'disk.read.bytes': 'B/s', 'disk.write.bytes': 'B/s',
                 'disk.reads': 'operations/s', 'disk.writes': 'operations/s',
                 'disk.queue': 'operations'},
     'graphs': [('octets', ['disk.read.bytes', 'disk.write.bytes']),
                ('operations', ['disk.reads', 'disk.writes', None, 'disk.busy'])]},
    {'key': 'dcamp.interfaces', 'name': 'Network interfaces', 'label': 'Interface {#INSTANCE}',
     'sensors': {'net.rx.bytes': 'B/s', 'net.tx.bytes': 'B/s', 'net.rx.packets': 'packets/s',
                 'net.tx.packets': 'packets/s', 'net.rx.errors': 'packets/s',
                 'net.tx.errors': 'packets/s', 'net.rx.drops': 'packets/s',
                 'net.tx.drops': 'packets/s'},
     'graphs': [('octets', ['net.rx.bytes', 'net.tx.bytes']),
                ('packets', ['net.rx.packets', 'net.tx.packets']),
                ('errors and drops', ['net.rx.errors', 'net.tx.errors', 'net.rx.drops',
                                      'net.tx.drops'])]},
]
INDEX = ['{#SENSOR}', '{#INSTANCE}']


def finder(group):
    return next(iter(group['sensors']))


def exactly(names):
    return '^(' + '|'.join(name.replace('.', '[.]') for name in names) + ')$'


def grouped():
    """Regular expressions that together match every sensor of a group; each is short enough for
    Zabbix."""
    return [exactly(group['sensors']) for group in GROUPS]


def key(sensor):
    return f'{VALUE}[{sensor},{{#INSTANCE}}]'


def index(sensor):
    """A name in an OID: its length and its octets."""
    return '.'.join(str(number) for number in (len(sensor), *sensor.encode('ascii')))


def prototype(mib, group, sensor, unit):
    tags = [('component', group['key'].removeprefix('dcamp.')), ('sensor', sensor),
            ('instance', '{#INSTANCE}')]
    return item(mib, VALUE, f'{index(sensor)}.{{#AT}}', key(sensor), f'{sensor} {{#INSTANCE}}',
                tags, absent=True, unit=UNIT_NAMES.get(unit, unit))


def title(group, name):
    return f"{group['label']}: {name}"


def graph_of(group, name, sensors):
    left = sensors.index(None) if None in sensors else len(sensors)
    return graph(group['key'] + name, title(group, name),
                 [key(sensor) for sensor in sensors if sensor], left=left,
                 stacked=name == 'stacked')


def rule(mib, group):
    """The same form as a rule of zabbix_tables.py."""
    return {'key': group['key'], 'name': group['name'], 'entry': 'dcampValueEntry', 'index': INDEX,
            'walk': {'{#STATE}': 'dcampValueState'}, 'filters': ['INSTANCE'],
            'only': ('{#SENSOR}', exactly([finder(group)])),
            'items': [prototype(mib, group, *one) for one in group['sensors'].items()],
            'graphs': [graph_of(group, *one) for one in group['graphs']]}


# -- The dashboard ---------------------------------------------------------------------------

WIDTH, HEIGHT = 24, 5


def widget(kind, host, name, place, columns):
    """Of a graph, or of as many as a prototype has become, columns beside each other."""
    x, y, width = place
    prototypes = kind == 'GRAPH_PROTOTYPE'
    fields = [{'type': 'INTEGER', 'name': 'source_type', 'value': '2' if prototypes else '0'}]
    if prototypes:
        fields += [{'type': 'INTEGER', 'name': 'columns', 'value': str(columns)},
                   {'type': 'INTEGER', 'name': 'rows', 'value': '1'}]
    fields.append({'type': 'GRAPH_PROTOTYPE' if prototypes else 'GRAPH', 'name': 'graphid',
                   'value': {'host': host, 'name': f'dCAMP: {name}'}})
    return {'type': kind, 'x': str(x), 'y': str(y), 'width': str(width), 'height': str(HEIGHT),
            'fields': fields}


def page(name, host, lines):
    """Each line: titles of graphs (False) or of prototypes (True), beside each other."""
    widgets = []
    for y, line in enumerate(lines):
        width = WIDTH // len(line)
        widgets += [widget('GRAPH_PROTOTYPE' if many else 'GRAPH_CLASSIC', host, one,
                           (i * width, y * HEIGHT, width), max(1, 2 // len(line)))
                    for i, (one, many) in enumerate(line)]
    return {'name': name, 'widgets': widgets}


def dashboards(host, graphs, prototypes):
    """graphs: titles of those of the template; prototypes: of those of the tables of nodes."""
    lines = {group['key']: [(title(group, name), True) for name, _ in group['graphs']]
             for group in GROUPS}
    interfaces = lines['dcamp.interfaces']
    pages = [
        page('CPU and memory', host, [lines['dcamp.cpu'], lines['dcamp.load'],
                                      lines['dcamp.memory']]),
        page('Disks', host, [lines['dcamp.filesystems'], lines['dcamp.disks']]),
        page('Network', host, [interfaces[:1], interfaces[1:]]),
        page('Nodes', host, [[(name, True)] for name in prototypes]),
        page('dCAMP itself', host, [[(name, False)] for name in graphs])]
    return [{'uuid': uuid('dashboard'), 'name': 'dCAMP', 'pages': pages}]
