#!/usr/bin/env python3
"""Changes the source in one place at a time and says which changes no test notices.

mutation.py --top DIR --build DIR [--rooms "ROOM..."] [--changes N] [--seed SEED] [--again FILE]

make mutation calls it, which tells it how to compile and link. A change is noticed if a test of the
room fails, crashes, or takes many times as long. What the compiler makes the same machine code of,
and what is in equivalent.txt, makes no difference. --again tries what survived another run, for example
of a build without sanitizers in one with them, which notice what leaks.
"""
import argparse
import collections
import contextlib
import fcntl
import glob
import json
import os
import queue
import random
import signal
import sys
import threading
import time

import changes
import trial

PURE = 'calculate filter aggregate report threshold alarm config'.split()

# Unit tests of other rooms that a room's behaviour shows in: after its own.
ALSO = {
    'base': ['config', 'alarm', 'agent_codec', 'agent_fields'],
    'config': ['agent_fields', 'mib', 'agent_set_rows', 'agent_set_state', 'agent_errors', 'daemon_restart', 'agent_dates'],
    'metric': ['series', 'sample', 'mib'],
    'series': ['watch_watches', 'daemon_daemon', 'agent_values', 'agent_errors'],
    'children': ['watch_children', 'watch_dependency', 'agent_child', 'rollup', 'collect'],
    'rollup': ['agent_values', 'agent_errors'],
    'watch': ['daemon_restart', 'agent_dates', 'rollup_alarms', 'agent_errors'],
    'daemon': ['watch_watches', 'agent_values', 'agent_tables', 'collect', 'rollup'],
    'cli': ['plugins'],
    'collect': ['children'],
}

# Scripts that run the daemon under a real master, for what unit tests cannot: after them.
SCRIPTS = {
    'agent': ['walk', 'set', 'nomaster'],
    'agent/agentx.c': ['nomaster', 'master', 'walk'],
    'agent/agent.c': ['nomaster', 'restart', 'told', 'walk'],
    'agent/dispatch.c': ['set', 'walk', 'engine'],
    'agent/master.c': ['nomaster', 'rights'],
    'agent/notify.c': ['alarm', 'trap'],
    'agent/wire.c': ['walk', 'set', 'master'],
    'cli': ['dcamp', 'check'],
    'snmpv3': ['secrets', 'poller', 'push'],
    'collect': ['poller', 'collect'],
    'poller': ['poller', 'collect', 'push', 'device'],
    'poller/receiver.c': ['push', 'hostile-receiver'],
    'poller/peer.c': ['poller', 'collect', 'push'],
    'poller/device_pdu.c': ['device'],
    'daemon': ['reload', 'restart', 'state'],
    'children': ['collect', 'push', 'device'],
    'series': ['computed', 'values'],
    'watch': ['threshold', 'alarm'],
}

# A script that takes longer beside the other workers is left out: each change would wait for it.
SCRIPT_SECONDS = 15


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--top', required=True, help='the source')
    parser.add_argument('--build', required=True, help='the build, with all tests')
    parser.add_argument('--rooms', default=' '.join(PURE), help='which rooms; the pure ones')
    parser.add_argument('--changes', type=int, default=400, help='how many; 400')
    parser.add_argument('--seed', default='1', help='which; 1')
    parser.add_argument('--scripts', action='store_true', help='integration tests count, too')
    parser.add_argument('--again', metavar='FILE', help='the results of a run, here or in another build: those that survived')
    parser.add_argument('--lock', help='a file to lock, shared, for some minutes at a time: who measures locks it, too')
    return parser.parse_args()


def candidates(build, room):
    """The changes of a room, each once."""
    found = []
    for path in sorted(glob.glob(os.path.join(build.top, 'subagent', room, '*.c'))):
        path = os.path.relpath(path, build.top)
        text = build.source(path)
        if '\nint main(' not in text:
            found += sorted(set(changes.changes_of(path, text)))
    return found


def chosen(build, rooms, number, seed):
    """As many of each room, as far as there are so many."""
    ranked = collections.OrderedDict()
    for room in rooms:
        ranked[room] = sorted(candidates(build, room), key=lambda c: changes.rank(build.source(c.path), c, seed))
    picked = {room: [] for room in rooms}
    while sum(map(len, picked.values())) < number and any(ranked.values()):
        for room in rooms:
            if ranked[room] and sum(map(len, picked.values())) < number:
                picked[room].append(ranked[room].pop(0))
    return picked


def read_equivalent(top):
    """Of (path, old line, new line) why it makes no difference."""
    known, path, old, new = {}, None, None, None
    with open(os.path.join(top, 'tests/mutation/equivalent.txt'), encoding='utf-8') as file:
        for line in map(str.rstrip, file):
            if line.startswith('#') or not line:
                continue
            if not line.startswith(' '):
                path = line
            elif line.startswith('    - '):
                old = line[6:]
            elif line.startswith('    + '):
                new = line[6:]
            else:
                known[(path, old, new)] = line.strip()
    return known


class Tests:
    """The tests of the rooms: how long each takes, and in which order they are tried."""

    def __init__(self, build, rooms, scripts):
        self.build, self.scripts, self.seconds, self.noticed = build, scripts, {}, collections.Counter()
        self.of_room = {}
        for room in rooms:
            own = build.tests(room.replace('/', '_'))
            self.of_room[room] = own + [t for prefix in ALSO.get(room, []) for t in build.tests(prefix) if t not in own]

    def time_all(self, sandbox, locked):
        for test in sorted({test for tests in self.of_room.values() for test in tests}):
            with locked():
                self.seconds[test] = sandbox.time_test(test)
            if self.seconds[test] is None:
                print(f'{test} does not succeed in the sandbox: it does not count', flush=True)
        for room, tests in self.of_room.items():
            if not any(self.seconds[test] for test in tests):
                sys.exit(f'mutation: no test of {room} succeeds in the sandbox (where /tmp is empty)')

    def limit(self, test):
        return 10 + 12 * self.seconds[test]

    def order(self, room, path):
        stem = os.path.basename(path)[:-2]
        own = self.build.tests(room.replace('/', '_'))
        tests = [test for test in self.of_room[room] if self.seconds[test] is not None]
        return sorted(tests, key=lambda t: (-self.noticed[path, t], stem not in t, t not in own, self.seconds[t]))

    def scripts_of(self, room, path):
        if not self.scripts:
            return []
        short = path.removeprefix('subagent/')
        return [f'tests/integration/{name}.sh' for name in SCRIPTS.get(short, SCRIPTS.get(room, []))]


def fails_twice(sandbox, tests, script, folder):
    """A script waits for what other programs do: once may be the load, and is no proof."""
    command = ['bash', os.path.join(tests.build.top, script)]
    return not any(sandbox.run(command, 10 + 3 * tests.seconds[script], folder) for _ in range(2))


def try_change(sandbox, tests, room, change):
    """What happens: same, broken (it does not compile), survived, or the test that noticed."""
    differs = sandbox.make_change(change)
    try:
        if not differs:
            return 'same' if differs is False else 'broken'
        for test in tests.order(room, change.path):
            program = sandbox.link_test(test, change.path)
            if not program:
                return 'broken'
            if not sandbox.run([program], tests.limit(test)):
                tests.noticed[change.path, test] += 1
                return test
        scripts = tests.scripts_of(room, change.path)
        folder = sandbox.link_programs() if scripts else None
        for script in scripts if folder else []:
            if script not in tests.seconds:
                tests.seconds[script] = sandbox.time_script(script, SCRIPT_SECONDS)
                if tests.seconds[script] is None:
                    print(f'{script} fails or is slow without a change: it does not count', flush=True)
            if tests.seconds[script] is not None and fails_twice(sandbox, tests, script, folder):
                return script
        return 'survived'
    finally:
        sandbox.done(change)


class Run:
    """All changes, shared by some workers."""

    def __init__(self, options):
        self.options, self.build = options, trial.Build(options.top, options.build)
        self.rooms = options.rooms.split()
        self.known = read_equivalent(self.build.top)
        self.results, self.waiting, self.guard = [], queue.Queue(), threading.Lock()
        self.store = os.path.join(self.build.folder, 'mutation', 'last.json')
        self.stopped = False
        self.failure = None  # what a worker could not go on for

    @contextlib.contextmanager
    def locked(self):
        if not self.options.lock:
            yield
            return
        with open(self.options.lock, encoding='utf-8') as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield

    def choose(self):
        if self.options.again:
            with open(self.options.again, encoding='utf-8') as file:
                last = [tuple(entry) for entry in json.load(file)]
            self.results += [entry for entry in last if entry[4] != 'survived']
            wanted = {entry[:4] for entry in last if entry[4] == 'survived'}
            for room in self.rooms:
                for change in candidates(self.build, room):
                    entry = (room, change.path, *changes.lines_of(self.build.source(change.path), change)[1:])
                    if entry in wanted:
                        wanted.discard(entry)
                        yield room, change
            return
        for room, picked in chosen(self.build, self.rooms, self.options.changes, self.options.seed).items():
            for change in picked:
                yield room, change

    def is_known(self, change):
        return (change.path, *changes.lines_of(self.build.source(change.path), change)[1:]) in self.known

    def note(self, room, change, result):
        number, old, new = changes.lines_of(self.build.source(change.path), change)
        with self.guard:
            self.results.append((room, change.path, old, new, result))
            if result == 'survived':
                print(f'survived {change.path}:{number}\n    - {old}\n    + {new}', flush=True)
            if len(self.results) % 50 == 0:
                print(f'{len(self.results)} changes tried, {self.waiting.qsize()} to go', flush=True)

    def work(self, sandbox, tests, until):
        try:
            while time.monotonic() < until and not self.stopped:
                room, change = self.waiting.get_nowait()
                result = 'known' if self.is_known(change) else try_change(sandbox, tests, room, change)
                self.note(room, change, result)
        except queue.Empty:
            return
        except Exception as error:  # the score of the rest would look as if all had been tried
            self.failure = error
            self.stopped = True

    def run(self):
        # Scripts wait more than they compute.
        number = (os.cpu_count() or 1) * (3 if self.options.scripts else 1)
        workers = [trial.Sandbox(self.build, f'worker{i}') for i in range(number)]
        tests = Tests(self.build, self.rooms, self.options.scripts)
        tests.time_all(workers[0], self.locked)
        whole = list(self.choose())
        random.Random(0).shuffle(whole)
        for entry in whole:
            self.waiting.put(entry)
        signal.signal(signal.SIGINT, self.stop)
        while not self.waiting.empty() and not self.stopped:
            with self.locked():
                until = time.monotonic() + (240 if self.options.scripts else 60)
                threads = [threading.Thread(target=self.work, args=(worker, tests, until)) for worker in workers]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        if self.failure:
            sys.exit(f'mutation: {self.failure}')
        self.report()

    def stop(self, *_):
        """The changes are in no order: what was tried is a sample, too."""
        self.stopped = True

    def report(self):
        with open(self.store, 'w', encoding='utf-8') as file:
            json.dump(self.results, file, indent=0)
        print('\n| room | changes | noticed | equivalent | survived | score |\n|---|---|---|---|---|---|')
        totals = [0, 0, 0, 0]
        for room in self.rooms:
            own = [entry[4] for entry in self.results if entry[0] == room and entry[4] != 'broken']
            equivalent = sum(result in ('same', 'known') for result in own)
            alive = own.count('survived')
            row = [len(own), len(own) - equivalent - alive, equivalent, alive]
            totals = [a + b for a, b in zip(totals, row)]
            print(self.row(room, row))
        print(self.row('all', totals))
        broken = sum(entry[4] == 'broken' for entry in self.results)
        print(f'\n{broken} changes did not compile or link: they say nothing, and are not counted')

    @staticmethod
    def row(name, row):
        real = row[1] + row[3]
        return f'| {name} | {row[0]} | {row[1]} | {row[2]} | {row[3]} | {100 * row[1] / real if real else 100:.1f} % |'


if __name__ == '__main__':
    if os.geteuid() != 0:
        sys.exit('mutation: a changed program runs in namespaces of its own, which root may make')
    Run(arguments()).run()
