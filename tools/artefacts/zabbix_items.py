"""Items of the Zabbix template: what a value is, from what the MIB says of its object."""
import hashlib

from mib import COUNTER, OCTETS, TICKS
from text import words

TEMPLATE = 'dCAMP by SNMP'
BELOW = 'dCAMP alarms below by SNMP'

# DateAndTime (RFC 2579) comes as hexadecimal octets or, to a server that has loaded the MIB, in its
# display hint: 2026-11-22,9:30:0.0,+1:0. Either way its parts are these.
DATE_PARTS = """function parts(value) {
    var t = value.match(/(\\d+)-(\\d+)-(\\d+),(\\d+):(\\d+):(\\d+)[.]\\d+(?:,([+-])(\\d+):(\\d+))?/);
    if (t) {
        return t.slice(1);
    }
    var o = value.trim().split(/\\s+/).map(function (h) { return parseInt(h, 16); });
    if (o.length !== 8 && o.length !== 11) {
        throw 'not a DateAndTime: ' + value;
    }
    return [o[0] * 256 + o[1], o[2], o[3], o[4], o[5], o[6], o[8] === 45 ? '-' : '+', o[9], o[10]];
}
"""
# As the value of an item it is seconds since 1970, which Zabbix shows as a date.
DATE_SCRIPT = DATE_PARTS + """var t = parts(value), zone = (t[7] || 0) * 3600 + (t[8] || 0) * 60;
return Date.UTC(t[0], t[1] - 1, t[2], t[3], t[4], t[5]) / 1000 + (t[6] === '-' ? zone : -zone);
"""

# units of the MIB -> (factor, unit of Zabbix)
UNITS = {
    'milliseconds': ('0.001', 's'),
    'microseconds': ('0.000001', 's'),
    'kilobytes': ('1024', 'B'),
}
# Severities of the MIB and of Zabbix.
SEVERITIES = {'info': 'INFO', 'warning': 'WARNING', 'critical': 'HIGH'}
# Units of sensors as Zabbix has them; behind '!' none of thousands of it is made.
UNIT_NAMES = {'B/s': 'Bps', 'ms': '!ms', 'us': '!us', 'tasks': '!tasks'}
COLOURS = ['1A7C11', '2774A4', 'F7941D', 'E30000']
# Counters that are shown otherwise than as a rate in their own unit.
BUSY = {'dcampSelfCpuTime': ('0.0001', '%'), 'dcampSamplerTime': ('0.0001', '%')}


def uuid(*names):
    """A UUID of version 4 in form, the same for ever for the same thing."""
    digits = list(hashlib.md5('/'.join(('dcamp', *names)).encode()).hexdigest())
    digits[12] = '4'
    digits[16] = '89ab'[int(digits[16], 16) % 4]
    return ''.join(digits)


def step(kind, *parameters, discard=False):
    made = {'type': kind}
    if parameters:
        made['parameters'] = list(parameters)
    if discard:
        made['error_handler'] = 'DISCARD_VALUE'
    return made


def preprocessing(mib, name, absent, gone):
    """The steps from what SNMP gives to the value, and its unit. gone: what the value is when the
    row is no more; then each value counts, be it new or not."""
    steps = []
    if gone:
        steps.append(step('CHECK_NOT_SUPPORTED', '') | {'error_handler': 'CUSTOM_VALUE',
                                                        'error_handler_params': gone})
        return steps, ''
    # A cell that is not there is no fault of the item: the value is not known at present.
    if absent:
        steps.append(step('CHECK_NOT_SUPPORTED', '', discard=True))
    o = mib[name]
    factor, unit = UNITS.get(o['units'], (None, ''))
    if o['syntax'] == COUNTER:
        factor, unit = BUSY.get(name, (None, ''))
        steps.append(step('CHANGE_PER_SECOND', ''))
    if o['syntax'] == TICKS:
        factor, unit = '0.01', 'uptime'
    if o['convention'] == 'DateAndTime':
        steps.append(step('JAVASCRIPT', DATE_SCRIPT))
        unit = 'unixtime'
    if factor:
        steps.append(step('MULTIPLIER', factor))
    if mib.labels(name) or mib.is_text(name) and o['convention'] not in ('DcampDecimal',
                                                                         'DateAndTime'):
        steps.append(step('DISCARD_UNCHANGED_HEARTBEAT', '1h'))
    return steps, unit


def value_type(mib, name):
    o = mib[name]
    if o['convention'] == 'DateAndTime' or mib.labels(name):
        return 'UNSIGNED'
    if o['convention'] == 'DcampDecimal' or o['syntax'] == COUNTER or o['units'] in UNITS \
            or o['syntax'] == TICKS:
        return 'FLOAT'
    return 'CHAR' if o['syntax'] == OCTETS else 'UNSIGNED'


def valuemap(mib, name):
    """The name of the value map: of the textual convention, if there is one."""
    return mib[name]['convention'] or name


def item(mib, name, instance, key, title, tags, absent=False, unit=None, gone=None):
    """One item, or item prototype, that reads name at instance."""
    steps, own_unit = preprocessing(mib, name, absent, gone)
    kind = value_type(mib, name)
    made = {'uuid': uuid('item', key), 'name': title, 'type': 'SNMP_AGENT',
            'snmp_oid': f'{mib.oid(name)}.{instance}', 'key': key,
            'delay': '{$DCAMP.INTERVAL}'}
    if kind == 'CHAR':
        made['trends'] = '0'
    if kind != 'UNSIGNED':
        made['value_type'] = kind
    if unit or own_unit:
        made['units'] = unit or own_unit
    made['description'] = mib.description(name)
    if mib.labels(name):
        made['valuemap'] = {'name': valuemap(mib, name)}
    if steps:
        made['preprocessing'] = steps
    made['tags'] = [{'tag': tag, 'value': value} for tag, value in tags]
    return made


def named(mib, name, prefix='dcamp'):
    """The name of an item; what is made a rate is called one."""
    rate = mib[name]['syntax'] == COUNTER and name not in BUSY
    return words(name, prefix) + (' per second' if rate else '')


def scalar(mib, name):
    branch = words(mib[name]['parent'])
    # What does not exist before the first time is not a fault.
    absent = 'not exist' in mib.description(name)
    return item(mib, name, '0', name, f'dCAMP: {named(mib, name)}', [('component', branch)], absent)


def graph(key, title, keys, left=None, stacked=False):
    """Of the items with these keys; all but the first left ones have the axis on the right."""
    left = len(keys) if left is None else left
    return {'uuid': uuid('graph', key), 'name': f'dCAMP: {title}',
            **({'type': 'STACKED'} if stacked else {}),
            'graph_items': [{'sortorder': str(i), 'color': COLOURS[i],
                             **({'yaxisside': 'RIGHT'} if i >= left else {}),
                             'item': {'host': TEMPLATE, 'key': one}}
                            for i, one in enumerate(keys)]}
