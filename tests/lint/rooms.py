#!/usr/bin/env python3
"""The rooms of the source and their walls. What is here is data; subagent/README says what it means.

A file includes headers of its own room and of rooms above it, in the order of ROOMS, and no private
header of another room. Files of a room may call each other in a circle only if it is in CIRCLES.

Needs the objects of a build: $DCAMP_BUILD, or build/ in the top of the tree."""
import fnmatch
import os
import re
import subprocess
import sys

# In the order in which the data flows. A room that names others may use only these.
ROOMS = {
    'libdcamp': None,
    'base': None,
    'mib': 'base',
    'metric': None,
    'calculate': None,
    'filter': None,
    'aggregate': None,
    'report': None,
    'threshold': None,
    'sample': 'base metric sample/process',
    'sample/process': 'base metric sample',
    'alarm': 'base metric report threshold',
    'config': None,
    'snmpv3': 'base',
    'collect': 'base snmpv3',
    'poller': 'base mib metric report snmpv3 collect',
    'series': None,
    'outlet': None,
    'children': None,
    'relay': None,
    'rollup': None,
    'watch': None,
    'tree': 'base config snmpv3 collect',
    'director': 'base mib config snmpv3 collect poller tree',
    'application': 'libdcamp base metric calculate report sample sample/process',
    'daemon': None,
    'agent': None,
    'cli': 'base mib calculate snmpv3 publish analysis',
    '.': None,
    'trapd-handlers': 'base mib',
    'statsd': 'libdcamp base',
    'jvm': 'base sample/process application',
    'plugins': 'base snmpv3 cli',
    'publish': 'base calculate report collect outlet',
    'plot': 'base',
    'analysis': 'calculate',
    'runs': 'base metric calculate publish plot analysis',
    'load': 'libdcamp base calculate snmpv3 cli',
    'http': 'base',
    'web': 'base calculate report publish http analysis',
    'publish/postgresql': 'base calculate report collect outlet publish',
    'publish/mqtt': 'base calculate report collect outlet publish',
    'publish/kafka': 'base calculate report collect outlet publish',
    'publish/openmetrics': 'base metric calculate report collect outlet publish http',
}

# Rooms that are beside subagent/, which its README and its lists do not have.
OUTSIDE = ('.', 'trapd-handlers', 'plugins', 'libdcamp', 'statsd', 'jvm', 'publish', 'publish/postgresql', 'publish/mqtt',
           'publish/kafka', 'publish/openmetrics', 'plot', 'analysis', 'runs', 'load', 'http', 'web')

# Headers that are for their room only.
PRIVATE = '''
    calculate/expression_error.h calculate/expression_node.h calculate/expression_token.h
    sample/cgroup.h sample/cgroup_files.h sample/cgroup_walk.h sample/filesystem.h sample/files.h
    sample/hardware.h sample/hardware_chip.h sample/mounts.h sample/scan.h
    sample/sources.h
    sample/process/exited.h sample/process/members.h sample/process/processes.h
    sample/process/read.h sample/process/sums.h
    application/copies.h application/endpoint.h application/exposed.h application/exposed_name.h
    application/exposition.h application/families.h application/fetcher.h application/scrape.h application/segment.h
    application/steps.h application/trouble.h
    alarm/active.h alarm/facts.h alarm/history.h alarm/notice.h alarm/queue.h
    config/attributes.h config/document.h config/settings.h config/state_fields.h config/xml.h
    config/tree_address.h config/tree_fields.h config/xml_schema.h config/xml_write.h
    children/complaints.h children/cursor.h children/device.h children/dictionary.h children/lost.h
    children/polling.h children/push.h children/refusal.h children/reports.h children/tops.h
    children/window.h
    threshold/season_model.h watch/input.h watch/learned.h watch/saved.h watch/wording.h
    publish/cells.h publish/chronicle.h publish/digest.h publish/entries.h
    publish/events.h publish/expiry.h publish/inbox.h publish/integers.h publish/numbers.h publish/sink.h
    publish/streams.h publish/tiers.h publish/undigested.h
    publish/delivery.h publish/link.h publish/modules.h publish/names.h publish/options.h publish/processes.h publish/queue.h
    libdcamp/app.h libdcamp/bucket.h libdcamp/clock.h libdcamp/count.h libdcamp/file.h
    libdcamp/lock.h libdcamp/process.h libdcamp/sensor.h libdcamp/space_saving.h libdcamp/top.h libdcamp/words.h
'''.split()

# Files that call each other, and why: two of a room at most.
CIRCLES = {}

# What may be used where: a pattern, the files that have it, and where they may be.
PLACES = [
    (r'#\s*include <net-snmp', r'(agent|cli|director|poller|snmpv3)/|mib/mibgen\.c', "Net-SNMP's headers"),
    (r'#\s*include <uthash|HASH_NONFATAL_OOM', r'base/table\.h', 'uthash: by base/table.h, for what it does without memory'),
    (r'#\s*include <libxml', r'config/', "libxml2's headers"),
    (r'#\s*include <(curses|ncurses)', r'cli/top_screen\.c', "ncurses' header"),
    (r'#\s*include <libpq', r'publish/postgresql/', "libpq's header"),
    (r'#\s*include <(mosquitto|mqtt_protocol)', r'publish/mqtt/', "libmosquitto's headers"),
    (r'#\s*include <librdkafka', r'publish/kafka/', "librdkafka's header"),
    (r'#\s*include <microhttpd', r'(http|web|publish/openmetrics)/', "libmicrohttpd's header"),
    (r'#\s*include <sqlite3', r'(publish|runs)/', "SQLite's header"),
    (r'\bclock_now\b', r'base/clock\.|daemon/(dcampd|loop|saver)\.c|agent/dispatch\.c|cli/(analyse|doctor|history|plot)\.c|'
     r'application/fetcher\.c|trapd-handlers/|publish/worker\.c|publish/openmetrics/server\.c|web/server\.c|runs/main\.c', 'the clock: now is a parameter'),
    (r'"daemon/dcampd\.h"', r'daemon/(dcampd\.c|adoption\.[ch])|agent/(agent\.[ch]|(dispatch|set|view)\.c)|main\.c', 'the whole daemon'),
    (r'->valued\(', r'series/publish\.c|children/series\.c', 'news of values: by publish(), but for those that a replay had held back'),
    (r'1, *3, *6, *1|\.?1\.3\.6\.1', r'$', 'an object identifier: it comes from the MIB'),
]

top = os.environ.get('srcdir') or os.path.join(os.path.dirname(__file__), '../..')
build = os.environ.get('DCAMP_BUILD') or os.path.join(top, 'build')
order = list(ROOMS)
complaints = []


def room_of(path):
    return os.path.dirname(path) or '.'


def sources():
    """Paths, as from subagent/ or from the top, and texts."""
    others = [room for room in OUTSIDE if room != '.' and '/' not in room]
    for start, prefix in [(os.path.join(top, 'subagent'), '')] + [(os.path.join(top, room), room + '/') for room in others]:
        for folder, _, names in os.walk(start):
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    path = prefix + os.path.relpath(os.path.join(folder, name), start)
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        yield path, file.read()


def may_use(room, other):
    if other == room:
        return True
    allowed = ROOMS[room]
    return other in allowed.split() if allowed else order.index(other) < order.index(room)


def check_include(path, line, included):
    room, other = room_of(path), room_of(included)
    if included == 'dcamp_mib.h':
        other = 'mib'
    if included == 'dcamp_buckets.h':
        other = 'libdcamp'
    if other not in ROOMS:
        complaints.append(f'{path}:{line}: {included}: there is no room {other}')
    elif not may_use(room, other):
        complaints.append(f'{path}:{line}: {room} must not include {included}')
    elif included in PRIVATE and not (room + '/').startswith(other + '/'):
        complaints.append(f'{path}:{line}: {included} is private')


def check_sources():
    for path, text in sources():
        if room_of(path) not in ROOMS:
            complaints.append(f'{path}: there is no room {room_of(path)}')
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found = re.match(r'\s*#\s*include "([^"]+)"', line)
            if found:
                check_include(path, number, found[1])
            for pattern, places, what in PLACES:
                if re.search(pattern, line) and not re.match(places, path):
                    complaints.append(f'{path}:{number}: {what}')


def check_lists():
    """The lists of the Makefile are in the same order."""
    with open(os.path.join(top, 'Makefile.am'), encoding='utf-8') as file:
        lists = re.findall(r'^include subagent/(.+)/files\.mk', file.read(), re.M)
    wanted = [room for room in order if room not in OUTSIDE]
    if lists != wanted:
        complaints.append(f'Makefile.am: the rooms are {lists}, not {wanted}')


def readme_names():
    """What subagent/README lists: room and pattern of each file. A line begins with names, or with a
    room, and the text follows after two blanks; 'a.[ch]' are two files."""
    room = None
    with open(os.path.join(top, 'subagent/README'), encoding='utf-8') as file:
        listed = file.read().split('\nRooms\n', 1)[1]
    for line in listed.splitlines():
        words = re.match(r' *((?:\S+ )*\S+)(?:   *|$)', line)
        for word in words[1].split() if words else ():
            if word.endswith('/') and not line.startswith(' '):
                room = word.rstrip('/')
            elif re.search(r'\.([ch]|\[ch\])$', word.rstrip(',')):
                yield room if line.startswith(' ') else '.', word.rstrip(',')


def check_readme():
    """Each file has its line in subagent/README, and each line there its files. A room of one concept,
    whose files have its name, is one line."""
    names = list(readme_names())
    paths = [path for path, _ in sources() if room_of(path) not in OUTSIDE[1:]]
    listed = {room for room, _ in names}
    for path in paths:
        is_whole_room = os.path.splitext(path)[0] == f'{room_of(path)}/{room_of(path)}'
        if is_whole_room and room_of(path) not in listed:
            continue
        if not any(room_of(path) == room and fnmatch.fnmatchcase(os.path.basename(path), name)
                   for room, name in names):
            complaints.append(f'{path}: subagent/README has no line for it')
    with open(os.path.join(top, 'subagent/README'), encoding='utf-8') as file:
        rooms = set(re.findall(r'^(\S+)/(?: |$)', file.read(), re.M))
    for room in ROOMS:
        if room not in rooms and room not in OUTSIDE:
            complaints.append(f'subagent/README has no line for the room {room}')
    for room, name in names:
        for one in (name.replace('[ch]', 'c'), name.replace('[ch]', 'h')):
            if not any(room_of(path) == room and fnmatch.fnmatchcase(os.path.basename(path), one)
                       for path in paths):
                complaints.append(f'subagent/README: {room}/{one}: there is no such file')


def outside_names(room):
    """The same of the README of a room beside subagent/. Names also stand between ';' and ':' there.
    Lines that are indented, behind one that begins with a folder, have what is in that."""
    one = r'[\w*-]+\.(?:[ch]|\[ch\])(?!\w)'
    with open(os.path.join(top, room, 'README'), encoding='utf-8') as file:
        for line in file:
            if not line.startswith(' '):
                folder = os.path.join(room, re.match(r'(?:\S+(?=/ ))?', line)[0]).rstrip('/')
            head = re.match(rf' *((?:{one},? )+) ', line)
            for name in re.findall(one, head[1] if head else '') + re.findall(rf'; ({one}):', line):
                for end in 'ch' if '[ch]' in name else '.':
                    yield folder, name.replace('[ch]', end)


def check_outside_readmes():
    """The README of each room beside subagent/ names each of its files once, and no others."""
    paths = [path for path, _ in sources()]
    for room in (room for room in OUTSIDE[1:] if '/' not in room):
        named = []
        for folder, name in outside_names(room):
            found = [path for path in paths if room_of(path) == folder and
                     fnmatch.fnmatchcase(os.path.basename(path), name)]
            named += found
            if not found:
                complaints.append(f'{room}/README: {folder}/{name}: there is no such file')
        for path in paths:
            if path.startswith(room + '/') and named.count(path) != 1:
                complaints.append(f'{path}: {room}/README names it {named.count(path)} times')


def objects():
    """The objects of a build, and of which source each is: some are built more than once."""
    files = {path for path, _ in sources() if room_of(path) in ROOMS}
    for folder, _, names in os.walk(build):
        place = re.sub(r'^subagent(/|$)|/?\.libs$', '', os.path.relpath(folder, build))
        for name in names:
            # automake may put the name of what it is for before that of the source, and '-'
            for stem in (name[:-2], name[:-2].split('-', 1)[-1]):
                path = os.path.join(place, stem + '.c')
                if name.endswith('.o') and path in files:
                    yield os.path.join(folder, name), path
                    break


def calls():
    """For each file which others it uses. Where programs have the same name each for their own, a
    file uses that of its room, or else of a room that it may use."""
    sources_of = dict(objects())
    if len(sources_of) < 100:
        complaints.append(f'{build}: there are no objects of a build')
        return {}
    said = subprocess.run(['nm', '-A', *sources_of], capture_output=True, text=True, check=True).stdout
    where, needs = {}, {path: set() for path in sources_of.values()}
    for line in said.splitlines():
        name, _, words = line.rpartition(':')
        *_, kind, symbol = words.split()
        if kind == 'U':
            needs[sources_of[name]].add(symbol)
        elif kind in 'TDRB':
            where.setdefault(symbol, set()).add(sources_of[name])

    def used(path, symbol):
        found = where.get(symbol, set())
        return ({other for other in found if room_of(other) == room_of(path)} or
                {other for other in found if may_use(room_of(path), room_of(other))} or found)

    return {path: set().union(*(used(path, symbol) for symbol in wanted)) - {path}
            for path, wanted in needs.items()}


def reachable(graph, start):
    seen, ahead = set(), [start]
    while ahead:
        for other in graph[ahead.pop()] - seen:
            seen.add(other)
            ahead.append(other)
    return seen


def check_circles():
    graph = calls()
    reach = {path: reachable(graph, path) for path in graph}
    circles = {tuple(sorted(other for other in reach[path] if path in reach[other]))
               for path in graph if path in reach[path]}
    for circle in sorted(circles - set(CIRCLES)):
        complaints.append(f'these call each other in a circle: {" ".join(circle)}')
    for circle in CIRCLES:
        if circle not in circles:
            complaints.append(f'there is no such circle any more: {" ".join(circle)}')
    for path, others in graph.items():
        for other in others:
            if not may_use(room_of(path), room_of(other)):
                complaints.append(f'{path} must not use {other}')


check_sources()
check_lists()
check_readme()
check_outside_readmes()
check_circles()
print('\n'.join(complaints) or 'rooms: ok')
sys.exit(bool(complaints))
