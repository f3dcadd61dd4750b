#!/usr/bin/env python3
"""import dcamp: what programs in Python publish is what the daemon's own reader finds, to the last unit
(tests/integration/read-segment). Each program is a process of its own, with a directory of its own."""
import collections
import math
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

TOP = os.path.abspath(os.environ.get('srcdir') or os.path.join(os.path.dirname(__file__), '../..'))
BUILD = os.environ.get('DCAMP_BUILD') or os.path.join(TOP, 'build')
READER = os.path.join(BUILD, 'tests/integration/read-segment')
STRIDE = 10 if os.environ.get('DCAMP_TEST_SHORT') else 1  # from one moment of an exception to the next
MODULE = os.path.join(TOP, 'libdcamp/python')
sys.path.insert(0, MODULE)
sys.dont_write_bytecode = True
import dcamp  # noqa: E402

FIRST_BUCKET = -1036

def number(word):
    return float(word) if set(word) & set('.en') else int(word)


class Read:
    """What the reader has found in one file."""

    def __init__(self, said):
        self.sensors, self.threads, self.steps, self.records = {}, {}, {}, []
        first, *lines = said.splitlines()
        self.state, self.name, _, refused, _, crowded, _, full = first.split()
        self.refused, self.crowded, self.full = int(refused), int(crowded), int(full)
        for line in lines:
            kind, rest = line.split(' ', 1)
            getattr(self, f'take_{kind}')(rest)

    def take_sensor(self, rest):
        name, instance, kind, *words = rest.split()
        self.sensors[name, '' if instance == '-' else instance] = {
            'kind': kind, 'words': [number(word) for word in words], 'buckets': {}, 'keys': {}}

    def sensor(self, rest, n):
        """That of the line, and the other words of it."""
        name, instance, *words = rest.split(' ', n + 1)
        return self.sensors[name, '' if instance == '-' else instance], words

    def take_unit(self, rest):
        sensor, (unit,) = self.sensor(rest, 1)
        sensor['unit'] = unit

    def take_bucket(self, rest):
        sensor, (sign, index, count) = self.sensor(rest, 3)
        sensor['buckets'][sign + index] = int(count)

    def take_key(self, rest):
        sensor, (count, error, key) = self.sensor(rest, 3)
        sensor['keys'][key] = int(count), int(error)

    def take_record(self, rest):
        """(name, instance, purpose), sequence, result, start, duration, thread, flags, cpu, allocated"""
        *names, numbers = rest.split(' ', 3)
        self.records.append([tuple(names), *map(int, numbers.split())])

    def take_thread(self, rest):
        shard, thread, epoch, name = rest.split(' ', 3)
        self.threads[int(shard)] = int(thread), int(epoch), name

    def take_shard(self, rest):
        shard, _panels, steps = map(int, rest.split())
        self.steps[shard] = steps

    def take_file(self, rest):
        descriptors, pid, self.writer = rest.split(' ', 2)
        self.descriptors, self.pid = int(descriptors), int(pid)

    def words(self, name, instance=''):
        return self.sensors[name, instance]['words']


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.apps = tempfile.mkdtemp(prefix='dcamp-python.')
        self.addCleanup(shutil.rmtree, self.apps)

    def start(self, program, *arguments, **more):
        environment = dict(os.environ, DCAMP_APPS=self.apps, PYTHONPATH=MODULE, PYTHONDONTWRITEBYTECODE='1')
        environment.update(more.pop('environment', {}))
        return subprocess.Popen([sys.executable, '-W', 'error', '-c', PREFACE + textwrap.dedent(program), *arguments],
                                env=environment, stdout=subprocess.PIPE, text=True, **more)

    def run_program(self, program, *arguments, **more):
        """What it prints; it must end well."""
        process = self.start(program, *arguments, **more)
        said = process.communicate()[0]
        self.assertEqual(process.returncode, 0, said)
        return said

    def read(self):
        """All files; each is sound."""
        found = []
        for name in sorted(os.listdir(self.apps)):
            done = subprocess.run([READER, os.path.join(self.apps, name)], capture_output=True, encoding='utf-8',
                                  errors='replace')
            self.assertEqual(done.returncode, 0, done.stderr)
            found.append(Read(done.stdout))
        return found

    def read_one(self):
        found = self.read()
        self.assertEqual(len(found), 1)
        return found[0]

    def is_locked(self, name):
        return dcamp.is_locked(os.path.join(self.apps, name))


PREFACE = '''
import collections, os, random, signal, sys, threading, time
import dcamp
'''


def bucket_name(value):
    """As the reader prints it. That this is the daemon's own scheme, Buckets tests."""
    return ('-' if value < 0 else '+') + str(dcamp.bucket_of(abs(value)) + FIRST_BUCKET)


class Buckets(unittest.TestCase):
    def indexes(self, values):
        said = subprocess.run([READER, 'indexes'], input=''.join(value.hex() + '\n' for value in values),
                              capture_output=True, text=True, check=True).stdout
        return [int(line) for line in said.split()]

    def check(self, values):
        for value, index in zip(values, self.indexes(values)):
            self.assertEqual(dcamp.bucket_of(value) + FIRST_BUCKET, index, value.hex())

    def test_borders_are_the_daemons(self):
        said = subprocess.run([READER, 'borders'], capture_output=True, text=True, check=True).stdout
        borders = [float.fromhex(line) for line in said.split()]
        self.assertEqual(len(borders), 3110)
        self.assertEqual(borders[:-1], dcamp.BORDERS)

    def test_borders_and_their_neighbours(self):
        values = [near for border in dcamp.BORDERS for near in
                  (math.nextafter(border, 0), border, math.nextafter(border, math.inf)) if near >= dcamp.LEAST]
        self.assertGreater(len(values), 9000)
        self.check(values)

    def test_ends(self):
        self.check([dcamp.LEAST, math.nextafter(dcamp.LEAST, 1), 1.0, 1e18, math.nextafter(1e18, 0),
                    math.nextafter(1e18, math.inf), 1e19, 1e300, sys.float_info.max])

    def test_random_values(self):
        chance = random.Random(1)
        self.check([10 ** chance.uniform(-9, 19) for _ in range(100000)])

    def test_nanoseconds(self):
        chance = random.Random(2)
        self.check([(ns or 1) / 1e9 for ns in [*range(3000), *(chance.randrange(2**63) >> chance.randrange(63)
                                                               for _ in range(30000))]])


class Kinds(Case):
    def test_each(self):
        self.run_program('''
            app = dcamp.App('kinds')
            app.counter('counter', 'a', 'x').add(3)
            app.counter('counter', 'b', 'x').add()
            gauge = app.gauge('gauge', unit='°C')
            gauge.set(7)
            gauge.add(-0.5)
            timer = app.timer('timer')
            timer.record(0.25)
            timer.record(0)
            histogram = app.histogram('histogram', '', 'x')
            for value in (1.5, -2, 0, 1e-10, -1e-9, 1e30):
                histogram.add(value)
            top = app.top('top')
            for key in ('one', 'two', b'two', 3, 'x' * 70):
                top.add(key, 2)
            step = app.step('step', 'i', 'purpose')
            with step.begin(4711):
                pass
            step.begin(2**64 - 1).end(-7)
            begun = step.begin()
            assert not app.error and not app.reason and not top.error
            ''')
        found = self.read_one()
        self.assertEqual((found.name, found.state, found.descriptors, found.refused, found.full),
                         ('kinds', 'closed', 7, 0, 0))
        self.assertTrue(found.writer.startswith('dcamp.py, Python 3.'))
        self.assertEqual((found.words('counter', 'a'), found.words('counter', 'b')), ([3], [1]))
        self.assertEqual((found.sensors['gauge', '']['unit'], found.words('gauge')), ('°C', [6.5]))
        self.assertEqual(found.words('timer'), [2, 250000000])
        self.assertEqual(found.sensors['timer', '']['buckets'], {'+-1036': 1, bucket_name(0.25): 1})
        self.assertEqual(found.words('histogram'), [6, 1.5 - 2 + 1e-10 - 1e-9 + 1e30, 2])
        self.assertEqual(found.sensors['histogram', '']['buckets'],
                         {bucket_name(1.5): 1, bucket_name(-2): 1, '--1036': 1, '+2073': 1})
        self.assertEqual(found.words('top'), [10, 0])
        self.assertEqual(found.sensors['top', '']['keys'],
                         {'one': (2, 0), 'two': (4, 0), '3': (2, 0), 'x' * 64: (2, 0)})
        begun, ended, took, failed = found.words('step', 'i')
        self.assertEqual((begun, ended, failed), (3, 2, 1))
        self.assertEqual([record[:3] for record in found.records],
                         [[('step', 'i', 'purpose'), 4711, 0], [('step', 'i', 'purpose'), 2**64 - 1, -7]])
        self.assertEqual(took, sum(record[4] for record in found.records))
        self.assertTrue(all(abs(record[3] / 1e9 - time.time()) < 3600 for record in found.records))
        self.assertTrue(all(record[5] == found.threads[1][0] == 0 or record[5] for record in found.records))

    def test_timers(self):
        self.run_program('''
            import asyncio
            app = dcamp.App('timers')
            timer, other = app.timer('timer'), app.timer('other')

            @timer
            def add(a, b):
                "Adds."
                return a + b

            @timer
            def fail():
                raise KeyError

            @timer
            async def wait(seconds):
                await asyncio.sleep(seconds)
                return seconds

            async def within(i):
                with other:
                    await asyncio.sleep(0.001 * (i % 3))

            async def all():
                await asyncio.gather(*(within(i) for i in range(20)))
                return await wait(0.05)

            assert add(1, b=2) == 3 and add.__doc__ == 'Adds.'
            for function in (fail, lambda: timer.__enter__() and {}[1]):
                try:
                    function()
                except KeyError:
                    pass
            timer.__exit__()
            timer.__exit__()  # of nothing
            assert asyncio.run(all()) == 0.05
            with timer, timer:
                with other:
                    pass
            assert timer.stop(timer.start()) < 10**9
            ''')
        found = self.read_one()
        self.assertEqual(found.words('timer')[0], 7)
        self.assertGreaterEqual(found.words('timer')[1], 50000000)
        self.assertEqual(found.words('other')[0], 21)
        for name in ('timer', 'other'):
            self.assertEqual(sum(found.sensors[name, '']['buckets'].values()), found.words(name)[0])

    def test_steps_end_once_and_with_their_scope(self):
        self.run_program('''
            app = dcamp.App('steps')
            step = app.step('step')
            execution = step.begin(1)
            execution.end(5)
            execution.end(6)
            with step.begin(2) as execution:
                execution.result = 7
            with step.begin(3) as execution:
                execution.end()
            try:
                with step.begin(4):
                    raise KeyError
            except KeyError:
                pass
            for i in range(2000):
                step.begin(i + 5).end()
            ''')
        found = self.read_one()
        self.assertEqual(found.words('step')[:2], [2004, 2004])
        self.assertEqual(found.words('step')[3], 3)
        self.assertEqual([record[1] for record in found.records], list(range(2004 - 512 + 1, 2005)))
        self.assertEqual(found.steps[1], 2004)

    def test_space_saving(self):
        """No count is too small, none is too large by more than its error, and what has more than a
        thousandth is there."""
        said = self.run_program('''
            app = dcamp.App('top')
            top = app.top('top')
            chance = random.Random(3)
            true = collections.Counter()
            for _ in range(60000):
                key, n = str(int(20000 ** chance.random())), chance.randrange(4)
                top.add(key, n)
                true[key] += n
            print('\\n'.join(f'{key} {n}' for key, n in true.items()))
            ''')
        true = {key: int(n) for key, n in map(str.split, said.splitlines())}
        found = self.read_one()
        keys, total = found.sensors['top', '']['keys'], sum(true.values())
        self.assertGreater(len(true), 3000)
        self.assertEqual((len(keys), found.words('top')), (1000, [total, 0]))
        self.assertEqual(sum(count for count, _error in keys.values()), total)
        for key, (count, error) in keys.items():
            self.assertTrue(count - error <= true[key] <= count, key)
            self.assertLessEqual(error, total / 1000)
        for key, n in true.items():
            self.assertTrue(key in keys or n <= total / 1000, key)


class Nonsense(Case):
    def test_updates_that_make_no_sense_are_left_out(self):
        self.run_program('''
            import decimal
            app = dcamp.App('nonsense')
            counter, gauge, timer, histogram = app.counter('c'), app.gauge('g'), app.timer('t'), app.histogram('h')
            top, step = app.top('top'), app.step('s')
            class Bad:
                def __str__(self): raise KeyError
                __float__ = __index__ = __lt__ = __ge__ = __add__ = __radd__ = __str__
            for round in range(2):
                for value in (None, '3', [], Bad(), -1, 1.5, float('nan'), object()):
                    counter.add(value)
                for value in (None, '3', [], Bad(), object()):
                    gauge.set(value)
                    gauge.add(value)
                for value in (None, '3', [], Bad(), -1, float('nan'), float('inf'), 10**400, object()):
                    timer.record(value)
                for value in (None, '3', [], Bad(), float('nan'), float('-inf'), 10**400, object()):
                    histogram.add(value)
                for value in (None, '3', [], Bad(), -1, 1.5):
                    top.add('key', value)
                top.add(Bad())
                timer.stop(None), timer.stop('x')
                assert timer.stop(timer.start() + 10**12) == 0
                step.begin('x').end(0)
                step.begin(Bad()).end(Bad())
                step.begin(-1).end(2**31)
                counter.add(2), gauge.set(decimal.Decimal(3)), histogram.add(decimal.Decimal(4)), top.add('key', True)
                timer.record(1e290)
            counter.add(2**64 - 1)
            ''')
        found = self.read_one()
        self.assertEqual((found.words('c'), found.words('g'), found.words('h')), ([3], [3], [2, 8, 0]))
        self.assertEqual(found.words('t')[0], 4)
        self.assertEqual(found.sensors['t', '']['buckets'], {'+-1036': 2, bucket_name((2**63 - 1) / 1e9): 2})
        self.assertEqual((found.words('top'), found.sensors['top', '']['keys']), ([2, 0], {'key': (2, 0)}))
        self.assertEqual([record[1:3] for record in found.records],
                         [[0, 0], [0, -1], [2**64 - 1, -2**31]] * 2)

    def test_names(self):
        said = self.run_program('''
            app = dcamp.App('names')
            counter = app.counter('orders', 'a', 'x')
            counter.add(1)
            assert app.counter('orders', 'a', 'x') is counter
            for make, arguments in (
                    (app.counter, ('',)), (app.counter, (None,)), (app.counter, ('ä',)), (app.counter, ('x' * 33,)),
                    (app.counter, ('y', 'x' * 65)), (app.counter, ('y', 'ä' * 33)), (app.counter, ('y', 'a\\n')),
                    (app.counter, ('y', '\\x85')), (app.counter, ('y', '\\ud800')), (app.counter, ('y', 7)),
                    (app.counter, ('y', '', 'x' * 17)), (app.step, ('y', '', 'x' * 33)),
                    (app.counter, ('orders', 'b', 'y')), (app.timer, ('orders', 'b'))):
                sensor = make(*arguments)
                print(sensor.error, sensor.reason)
                for update in ('add', 'set', 'record', 'begin'):
                    if hasattr(sensor, update):
                        getattr(sensor, update)(1)
                if isinstance(sensor, dcamp.Step):
                    sensor.begin(1).end(1)
                if isinstance(sensor, dcamp.Timer):
                    with sensor: pass
            for make in (app.gauge, app.histogram, app.top):
                sensor = make('?')
                sensor.add(1)
            assert counter.error == 0 and app.counter('x' * 32, 'ä' * 32, None).error == 0
            other = dcamp.App('other')
            print(other.error, other.reason)
            other.close()
            other.close()
            counter.add(1)
            assert other.counter('orders', 'a', 'x') is counter and counter.reason == ''
            ''').splitlines()
        self.assertEqual([line.split()[0] for line in said], ['22'] * 12 + ['17', '17', '16'])
        self.assertEqual(said[-1], '16 this process is published as names already')
        self.assertEqual(len(set(said)), 10)
        found = self.read_one()
        self.assertEqual((found.words('orders', 'a'), found.descriptors, found.refused), ([2], 2, 17))

    def test_too_many_sensors(self):
        said = self.run_program('''
            app = dcamp.App('many')
            made = [app.histogram('h', str(i)) for i in range(400)]
            reasons = [sensor.reason for sensor in made if sensor.error]
            for sensor in made:
                sensor.add(1)
            counters = [app.counter('c', str(i)) for i in range(1030)]
            for counter in counters:
                counter.add(1)
            print(len(reasons), reasons[0], sum(counter.error == 28 for counter in counters))
            ''')
        found = self.read_one()
        self.assertEqual(said, '73 h: the program has too many sensors 333\n')
        self.assertEqual(found.descriptors, 1024)
        self.assertEqual({sensor['words'][0] for sensor in found.sensors.values()}, {1})


# What every thread of a program does at random; and what must come of it.
CHANCE = '''
class Work:
    def __init__(self, app):
        self.counters = [app.counter('c', str(i)) for i in range(5)]
        self.gauge, self.timer, self.histogram = app.gauge('g'), app.timer('t'), app.histogram('h')
        self.top, self.step = app.top('top'), app.step('s')

    def do(self, seed, rounds):
        chance = random.Random(seed)
        done = collections.Counter()
        for _ in range(rounds):
            self.one(chance, chance.randrange(7), done)
        return done

    def one(self, chance, what, done):
        if what == 0:
            i, n = chance.randrange(5), chance.choice((0, 1, 3, 2**33))
            self.counters[i].add(n)
            done['c', i] += n
        elif what == 1:
            n = chance.randrange(-8, 9) / 4
            self.gauge.add(n)
            done['g'] += n
        elif what == 2:
            ns = chance.randrange(2**40) >> chance.randrange(40)
            self.timer.record(ns / 1e9)
            ns = round(ns / 1e9 * 1e9)
            done['t'] += 1
            done['t.ns'] += ns
            done['t', f'+{dcamp.bucket_of((ns or 1) / 1e9) - 1036}'] += 1
        elif what == 3:
            value = chance.randrange(-1000, 1000) / 8 * chance.choice((0, 1, 1024))
            self.histogram.add(value)
            done['h'] += 1
            done['h.sum'] += value
            if value:
                done['h', ('-' if value < 0 else '+') + str(dcamp.bucket_of(abs(value)) - 1036)] += 1
            else:
                done['h.zero'] += 1
        elif what == 4:
            key, n = str(int(chance.paretovariate(1)) % 700), chance.randrange(5)
            self.top.add(key, n)
            done['top'] += n
            done['top', key] += n
        else:
            result = chance.choice((0, 0, -3))
            self.step.begin(done['s']).end(result)
            done['s'] += 1
            done['s.failed'] += result != 0

def show(done):
    for name, n in done.items():
        print(name if isinstance(name, str) else ' '.join(map(str, name)), '=', repr(n), sep='\\t', flush=True)
'''


def shown(said):
    done = collections.Counter()
    for line in said.splitlines():
        name, _, n = line.split('\t')
        done[name] += float(n) if '.' in n else int(n)
    return done


def sums(found):
    """The same of what the reader has found."""
    done = collections.Counter()
    for i in range(5):
        done[f'c {i}'] = found.words('c', str(i))[0]
    done['g'] = found.words('g')[0]
    done['t'], done['t.ns'] = found.words('t')
    done['h'], done['h.sum'], done['h.zero'] = found.words('h')
    for name in 'th':
        done.update({f'{name} {bucket}': n for bucket, n in found.sensors[name, '']['buckets'].items()})
    done['top'] = found.words('top')[0]
    done.update({f'top {key}': count for key, (count, _error) in found.sensors['top', '']['keys'].items()})
    done['s'], done['s.failed'] = found.words('s')[1], found.words('s')[3]
    return done


class Threads(Case):
    def check(self, said, found):
        expected = shown(said)
        self.assertEqual({name: n for name, n in sums(found).items() if n},
                         {name: n for name, n in expected.items() if n})
        self.assertEqual(found.words('s')[0], found.words('s')[1])
        self.assertEqual(sum(found.sensors['s', '']['buckets'].values()), found.words('s')[1])
        self.assertEqual(sum(found.steps.values()), found.words('s')[1])
        self.assertEqual(found.words('top')[1], 0)

    def random_threads(self, threads, rounds, setting=''):
        return self.run_program(CHANCE + setting + f'''
app = dcamp.App('random')
work, all = Work(app), collections.Counter()
lock = threading.Lock()
def run(seed):
    done = work.do(seed, {rounds})
    with lock:
        for name, n in done.items():
            all[name] += n
threads = [threading.Thread(target=run, args=(seed,)) for seed in range({threads})]
for thread in threads: thread.start()
run(-1)
for thread in threads: thread.join()
show(all)
''')

    def test_random_updates(self):
        said = self.random_threads(8, 2500, 'sys.setswitchinterval(1e-5)\n')
        found = self.read_one()
        self.check(said, found)
        self.assertEqual((found.crowded, found.full), (0, 0))

    def test_the_same_where_stores_need_barriers(self):
        said = self.run_program('''
            import importlib, platform
            platform.machine = lambda: 'aarch64'
            importlib.reload(dcamp)
            print(dcamp.in_order())
            ''')
        self.assertEqual(said, 'None\n')
        said = self.random_threads(3, 700, "import importlib, platform\nplatform.machine = lambda: 'aarch64'\n"
                                   'importlib.reload(dcamp)\nassert dcamp._barriers\n')
        self.check(said, self.read_one())

    def test_more_threads_than_shards(self):
        said = self.run_program(CHANCE + '''
app = dcamp.App('crowd')
work, all = Work(app), collections.Counter()
there, over, lock = threading.Barrier(90), threading.Barrier(90), threading.Lock()
def run(seed):
    work.counters[0].add(1)
    there.wait()
    done = work.do(seed, 100)
    done['c', 0] += 1
    over.wait()
    with lock:
        for name, n in done.items():
            all[name] += n
threads = [threading.Thread(target=run, args=(seed,)) for seed in range(90)]
for thread in threads: thread.start()
for thread in threads: thread.join()
show(all)
''')
        found = self.read_one()
        self.check(said, found)
        self.assertEqual(found.crowded, 90 - 64)
        self.assertEqual(len(found.threads), 64)

    def test_shards_are_used_again(self):
        said = self.run_program(CHANCE + '''
app = dcamp.App('one')
work, all = Work(app), collections.Counter()
def run(seed):
    for name, n in work.do(seed, 60).items():
        all[name] += n
for seed in range(100):
    thread = threading.Thread(target=run, args=(seed,), name=f'number {seed} ä')
    thread.start()
    thread.join()
show(all)
dcamp.thread_name('the main thread, which has a long name')
''')
        found = self.read_one()
        self.check(said, found)
        self.assertEqual(list(found.threads), [1])
        self.assertEqual(found.threads[1][1:], (101, 'the main thread, which has a lon'))

    def test_names_of_threads(self):
        process = self.start('''
            app = dcamp.App('names')
            counter = app.counter('c')
            counter.add(1)
            def run():
                counter.add(1)
                done.wait()
                done.wait()
                dcamp.thread_name('renamed')
                done.wait()
                done.wait()
            done = threading.Barrier(2)
            thread = threading.Thread(target=run, name='Wörker')
            thread.start()
            done.wait()
            print(thread.native_id, os.getpid(), flush=True)
            sys.stdin.readline()
            done.wait()
            done.wait()
            print('renamed', flush=True)
            sys.stdin.readline()
            done.wait()
            thread.join()
            ''', stdin=subprocess.PIPE)
        thread, main = map(int, process.stdout.readline().split())
        found = self.read_one()
        self.assertEqual((found.threads[1][0], found.threads[1][2]), (main, 'MainThread'))
        self.assertEqual((found.threads[2][0], found.threads[2][2]), (thread, 'Wörker'))
        process.stdin.write('\n')
        process.stdin.flush()
        process.stdout.readline()
        self.assertEqual(self.read_one().threads[2][2], 'renamed')
        process.communicate('\n')
        self.assertEqual((process.returncode, self.read_one().threads[2][0]), (0, 0))

    @unittest.skipIf(sys.version_info < (3, 10), 'signals come between any two instructions')
    def test_handlers_of_signals_and_finalizers(self):
        """They interrupt updates, and what finds places for them, in the same thread."""
        said = self.run_program(CHANCE + '''
app = dcamp.App('signals')
work, all, chance = Work(app), collections.Counter(), random.Random(5)
def add(done):
    for name, n in done.items():
        all[name] += n
handled = collections.Counter()
def handle(*_):
    if handled['depth'] == 0 and handled['n'] < 3000:
        handled['depth'] = 1
        handled['n'] += 1
        work.one(chance, chance.choice((0, 2, 3, 5)), handled)
        handled['depth'] = 0
class Cycle:
    def __init__(self): self.me = self
    def __del__(self): work.counters[1].add(1)
signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
cycles = 0
while handled['n'] < 1000:
    add(work.do(cycles, 20))
    for _ in range(50): Cycle()
    cycles += 50
signal.setitimer(signal.ITIMER_REAL, 0)
import gc; gc.collect()
work.counters[2].add(1)
del handled['depth'], handled['n']
add(handled)
all['c', 1] += cycles
all['c', 2] += 1
show(all)
''')
        self.check(said, self.read_one())


class Exceptions(Case):
    """Of handlers of signals: they reach the program, and what is counted stays whole."""

    def check_whole(self, found):
        for key, sensor in found.sensors.items():
            words, buckets = sensor['words'], sum(sensor['buckets'].values())
            if sensor['kind'] == 'top':
                self.assertEqual((sum(count for count, _error in sensor['keys'].values()), words[1]), (words[0], 0), key)
            elif sensor['kind'] in ('timer', 'step', 'histogram'):
                self.assertEqual(words[1] if sensor['kind'] == 'step' else words[0],
                                 buckets + (words[2] if sensor['kind'] == 'histogram' else 0), key)

    @unittest.skipIf(sys.version_info < (3, 10), 'signals come between any two instructions')
    def test_time_limits(self):
        said = self.run_program('''
            class Limit(Exception): pass
            kinds = Limit, TimeoutError, KeyError, OSError, TypeError, RuntimeError, ValueError
            fired = caught = i = 0
            def handle(*_):
                global fired
                fired += 1
                raise kinds[fired % len(kinds)]
            signal.signal(signal.SIGALRM, handle)
            begun, done = collections.Counter(), collections.Counter()
            chance = random.Random(7)
            app = dcamp.App('limits')
            counter, timer, histogram = app.counter('c'), app.timer('t'), app.histogram('h')
            gauge, top, step = app.gauge('g'), app.top('top'), app.step('s')
            updates = {'c': lambda: counter.add(1), 't': lambda: timer.record(i / 1e4), 'h': lambda: histogram.add(i % 7),
                       'g': lambda: gauge.add(1), 'top': lambda: top.add(str(i % 1500)), 's': lambda: step.begin(i).end(),
                       'many': lambda: app.timer('many', str(i // 50 % 300)).record(i % 5)}
            while fired < 1200:
                try:
                    signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0001, 0.002))
                    while True:
                        for what, update in updates.items():
                            i += 1
                            begun[what] += 1
                            update()
                            done[what] += 1
                except kinds:
                    caught += 1
            print(fired, caught)
            for what in begun: print(what, done[what], begun[what])
            ''')
        first, *lines = said.splitlines()
        self.assertEqual(*first.split())
        found = self.read_one()
        self.check_whole(found)
        for line in lines:
            what, done, begun = line.split()
            if what == 'many':
                n = sum(sensor['words'][0] for key, sensor in found.sensors.items() if key[0] == 'many')
            else:
                n = found.words(what)[what == 's']
            self.assertTrue(int(done) <= n <= int(begun), (what, done, n, begun))

    @unittest.skipIf(sys.version_info < (3, 10), 'signals come between any two instructions')
    def test_at_each_call(self):
        """An exception at each moment at which there may be one, for each kind of sensor: the first update of
        a thread, and one of many; and where the application is opened, a sensor made, or the parent's left."""
        said = self.run_program('''
            import importlib
            STRIDE = 10 if os.environ.get('DCAMP_TEST_SHORT') else 1 # as of the test
            class Limit(Exception): pass
            class OfSystem(TimeoutError): pass
            def interrupt(at, kind):
                left = at
                def trace(frame, event, _argument):
                    global fired
                    nonlocal left
                    if event != 'c_call' and frame.f_code is not interrupted.__code__:
                        left -= 1
                        if left < 0:
                            fired = True
                            raise kind
                return trace
            def interrupted(action, at, kind):
                """Whether an exception came, of which it was told."""
                global fired
                fired = False
                sys.setprofile(interrupt(at, kind))
                try:
                    action()
                except kind:
                    return True
                finally:
                    sys.setprofile(None)
                assert not fired, (at, kind, 'it was not told')
                return False
            SENSORS = {
                'c': (lambda app: app.counter('c'), lambda sensor, n: sensor.add(1)),
                'g': (lambda app: app.gauge('g'), lambda sensor, n: sensor.add(1)),
                't': (lambda app: app.timer('t'), lambda sensor, n: sensor.record(1)),
                'h': (lambda app: app.histogram('h'), lambda sensor, n: sensor.add(2)),
                'top': (lambda app: app.top('top'), lambda sensor, n: sensor.add(str(n))),
                's': (lambda app: app.step('s'), lambda sensor, n: sensor.begin(n).end(0))}
            def keep(app, name):
                path = dcamp.process.segment.file.path
                assert not app.reason, app.reason
                app.close()
                assert not dcamp.process.busy and not dcamp.process.later and not dcamp.is_locked(path)
                os.rename(path, os.path.join(os.environ['DCAMP_APPS'], name))
            def update(what, before):
                make, add = SENSORS[what]
                at, came = 0, True
                while came:
                    importlib.reload(dcamp)
                    app = dcamp.App('calls')
                    sensor = make(app)
                    for n in range(before): add(sensor, n)
                    came = interrupted(lambda: add(sensor, before), at, (Limit, OfSystem, ValueError)[at % 3])
                    for n in range(3): add(sensor, before + n)
                    keep(app, f'{what}.{before}.{at}.{before + 3}')
                    at += STRIDE
            def make():
                at, came = 0, True
                while came:
                    importlib.reload(dcamp)
                    app = dcamp.App('calls')
                    came = interrupted(lambda: app.step('s', 'x'), at, (Limit, OfSystem, ValueError)[at % 3])
                    app.step('s').begin().end(0), app.step('s', 'x').begin().end(0)
                    keep(app, f's.0.{at}.1')
                    at += STRIDE
            def opened():
                at, came = 0, True
                while came:
                    importlib.reload(dcamp)
                    came = interrupted(lambda: dcamp.App('calls'), at, (Limit, OfSystem, ValueError)[at % 3])
                    while dcamp.process.users: dcamp.process.close()
                    app = dcamp.App('calls')
                    app.counter('c').add(1)
                    keep(app, f'c.0.{at}.open.1')
                    for name in os.listdir(os.environ['DCAMP_APPS']):
                        if name.startswith(str(os.getpid())): os.unlink(os.path.join(os.environ['DCAMP_APPS'], name))
                    at += STRIDE
            def forked():
                at, came = 0, True
                while came:
                    importlib.reload(dcamp)
                    app = dcamp.App('calls')
                    gauge, counter = app.gauge('g'), app.counter('c')
                    gauge.add(1), counter.add(1)
                    pid = os.fork()
                    if pid == 0:
                        came = interrupted(lambda: counter.add(1), at, (Limit, OfSystem, ValueError)[at % 3])
                        for _ in range(3): counter.add(1), gauge.add(1)
                        for name in os.listdir(os.environ['DCAMP_APPS']):
                            if name.startswith(f'{os.getpid()}.') and name.endswith('.1'):
                                os.unlink(os.path.join(os.environ['DCAMP_APPS'], name))
                        keep(app, f'c.0.{at}.fork.3')
                        os._exit(10 + came)
                    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                    assert status in (10, 11), (at, status)
                    came = status == 11
                    path = dcamp.process.segment.file.path
                    app.close()
                    os.unlink(path)
                    at += STRIDE
            for what in SENSORS:
                update(what, 0)
                update(what, 6)
            update('top', 1001)
            make()
            opened()
            forked()
            ''')
        self.assertEqual(said, '')
        names = os.listdir(self.apps)
        self.assertGreater(len(names), 500 // STRIDE)
        for name in names:
            with self.subTest(name):
                done = subprocess.run([READER, os.path.join(self.apps, name)], capture_output=True, encoding='utf-8')
                self.assertEqual(done.returncode, 0, done.stderr)
                found, (what, *_, least) = Read(done.stdout), name.split('.')
                self.assertIn(found.words(what)[what == 's'] - int(least), (0, 1))
                self.check_whole(found)
                # Where it came while the thread took its shard, that was taken twice.
                self.assertTrue(all(thread[1] in (1, 2) for thread in found.threads.values()), found.threads)


class Processes(Case):
    def test_children_count_for_themselves(self):
        """While other threads of the parent count; the children's children as well."""
        said = self.run_program(CHANCE + '''
app = dcamp.App('parent')
work, stop, all, lock = Work(app), [], collections.Counter(), threading.Lock()
def add(done):
    with lock:
        for name, n in done.items():
            all[name] += n
def run(seed):
    while not stop:
        add(work.do(seed, 30))
        seed += 100
threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
for thread in threads: thread.start()
work.counters[0].add(5)
all['c', 0] += 5
for child in range(6):
    pid = os.fork()
    if pid == 0:
        stop, all, lock = [], collections.Counter(), threading.Lock()
        thread = threading.Thread(target=lambda: add(work.do(child, 50)))
        thread.start()
        add(work.do(child + 100, 50))
        thread.join()
        if child == 0 and os.fork() == 0:
            work.gauge.set(11)
            os._exit(0)
        if child == 0: os.wait()
        sys.stdout = open(f'{os.environ["DCAMP_APPS"]}.{child}', 'w')
        show(all)
        sys.stdout.close()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop.append(1)
for thread in threads: thread.join()
show(all)
print('\\t'.join(['pid', '=', str(os.getpid())]))
''')
        found = {read.pid: read for read in self.read()}
        self.assertEqual(len(found), 8)
        expected = shown(said)
        parent = found.pop(expected.pop('pid'))
        results = [{name: n for name, n in sums(read).items() if n} for read in found.values()]
        self.assertEqual({name: n for name, n in sums(parent).items() if n},
                         {name: n for name, n in expected.items() if n})
        self.assertIn({'g': 11.0}, results)
        for child in range(6):
            with open(f'{self.apps}.{child}') as file:
                self.assertIn({name: n for name, n in shown(file.read()).items() if n}, results)
            os.unlink(f'{self.apps}.{child}')

    def test_a_child_that_cannot_let_go_of_the_file(self):
        """As without memory, where the kernel promises no more than it has: it counts for itself all the same."""
        self.run_program('''
            app = dcamp.App('parent')
            counter = app.counter('c')
            counter.add(1)
            map_memory = dcamp.map_memory
            def fail(base, flags, fd):
                if base: raise OSError(12, 'Cannot allocate memory')
                return map_memory(base, flags, fd)
            dcamp.map_memory = fail
            pid = os.fork()
            counter.add(2)
            if pid == 0:
                dcamp.map_memory = map_memory
                app.close()
                os._exit(0)
            dcamp.map_memory = map_memory
            assert os.waitpid(pid, 0)[1] == 0
            counter.add(4)
            ''')
        self.assertEqual(sorted(read.words('c')[0] for read in self.read()), [2, 7])

    def test_code_in_c_that_forks(self):
        """Servers as uWSGI fork in C, and say it in the child only, while any thread may have the lock."""
        process = self.start('''
            import ctypes
            app = dcamp.App('parent')
            counter = app.counter('c')
            counter.add(1)
            here, over = threading.Event(), threading.Event()
            def hold():
                with dcamp.process.lock:
                    here.set()
                    over.wait()
            thread = threading.Thread(target=hold)
            thread.start()
            here.wait()
            pid = ctypes.PyDLL(None).fork()
            if pid == 0:
                ctypes.pythonapi.PyOS_AfterFork_Child()
                signal.alarm(60)
                counter.add(2)
                if os.fork() == 0:
                    counter.add(4)
                    app.close()
                    os._exit(0)
                status = os.wait()[1]
                app.close()
                os._exit(status != 0)
            over.set()
            thread.join()
            assert os.waitpid(pid, 0)[1] == 0
            counter.add(8)
            ''', stderr=subprocess.STDOUT)
        self.assertEqual((process.communicate()[0], process.returncode), ('', 0))
        self.assertEqual(sorted(read.words('c')[0] for read in self.read()), [2, 4, 9])

    def test_the_parent_keeps_its_file_and_its_lock(self):
        process = self.start('''
            app = dcamp.App('parent')
            counter, gauge, top = app.counter('c'), app.gauge('g'), app.top('top')
            counter.add(1)
            there, here = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(1)  # or the test would wait for this process to the end of its output
                os.write(here, b'x')
                time.sleep(600)
            os.read(there, 1)
            print(pid, flush=True)
            sys.stdin.readline()
            counter.add(2), gauge.set(1), top.add('x')
            app.close()
            counter.add(4), gauge.set(2), top.add('x')
            print(counter.error, counter.reason, flush=True)
            sys.stdin.readline()
            app = dcamp.App('again')
            counter.add(8), gauge.add(3), top.add('x')
            print(counter.reason, flush=True)
            sys.stdin.readline()
            ''', stdin=subprocess.PIPE)

        def go_on():
            process.stdin.write('\n')
            process.stdin.flush()
            return process.stdout.readline()
        child = int(process.stdout.readline())
        self.addCleanup(os.kill, child, signal.SIGKILL)
        name, = os.listdir(self.apps)
        self.assertTrue(self.is_locked(name))
        self.assertEqual(self.read_one().state, 'alive')
        with open(f'/proc/{child}/maps') as maps:
            self.assertFalse(self.apps in maps.read(), 'the child has the file still')
        self.assertEqual(go_on(), '107 the application is closed\n')
        self.assertFalse(self.is_locked(name), 'it was given back, though the child goes on')
        found = self.read_one()
        self.assertEqual((found.state, found.words('c'), found.words('g'), found.words('top')), ('closed', [3], [1.0], [1, 0]))
        self.assertEqual(go_on(), '\n')
        self.assertEqual(sorted(os.listdir(self.apps)), [name, f'{name}.1'])
        found = {read.name: read for read in self.read()}['again']
        self.assertEqual((found.state, found.words('c'), found.words('g'), found.words('top')), ('alive', [8], [3.0], [1, 0]))
        self.assertTrue(self.is_locked(name))
        process.communicate('\n')
        self.assertEqual(process.returncode, 0)
        self.assertFalse(self.is_locked(name))

    def test_killed_at_any_moment(self):
        """The file can be read, and has all that was told, and at most one update more."""
        chance = random.Random(6)
        for _ in range(12):
            process = self.start('''
                app = dcamp.App('killed')
                n = 0
                while True:
                    counter = app.counter('c', str(n % 300))
                    counter.add(1)
                    app.top('top').add(str(n), 1)
                    app.timer('t', str(n % 7)).record(n * 1e-6)
                    app.step('s').begin(n).end()
                    n += 1
                    os.write(1, b'%d\\n' % n)
                ''')
            for _ in range(chance.choice((1, 10, 100, 1000, 3000))):
                last = process.stdout.readline()
            process.kill()
            rest = process.communicate()[0]
            told = int((last + rest).split()[-1])
            found = self.read_one()
            counted = sum(sensor['words'][0] for key, sensor in found.sensors.items() if key[0] == 'c')
            self.assertIn(counted - told, (0, 1))
            self.assertIn(found.words('top')[0] - told, (0, 1))
            self.assertIn(found.words('s')[1] - told, (0, 1))
            name, = os.listdir(self.apps)
            self.assertFalse(self.is_locked(name))
            os.unlink(os.path.join(self.apps, name))

    def test_images(self):
        """A process that runs another program keeps its number and its start time: the file of the former
        program stays for the reader; no more than ten of them."""
        self.run_program('''
            n = int(sys.argv[1])
            app = dcamp.App('images')
            app.counter('c').add(100 + n)
            assert not app.reason, app.reason
            if n: os.execv(sys.executable, [sys.executable, '-c', sys.argv[2], str(n - 1), sys.argv[2]])
            ''', '3', PREFACE + textwrap.dedent('''
            n = int(sys.argv[1])
            app = dcamp.App('images')
            app.counter('c').add(100 + n)
            assert not app.reason, app.reason
            if n: os.execv(sys.executable, [sys.executable, '-c', sys.argv[2], str(n - 1), sys.argv[2]])
            '''))
        self.assertEqual(sorted(read.words('c')[0] for read in self.read()), [100, 101, 102, 103])
        names = sorted(os.listdir(self.apps))
        self.assertEqual(names[1:], [f'{names[0]}.{n}' for n in (1, 2, 3)])

    def test_another_that_lives_has_the_name(self):
        said = self.run_program('''
            app = dcamp.App('first')
            app.counter('c').add(1)
            import importlib
            importlib.reload(dcamp)
            other = dcamp.App('second')
            counter = other.counter('c')
            counter.add(2)
            print(other.error, other.reason == f'a file in {os.environ["DCAMP_APPS"]} cannot be created: File exists')
            ''')
        self.assertEqual(said, '17 True\n')
        self.assertEqual(self.read_one().words('c'), [1])


class Places(Case):
    FILL = '''
        app = dcamp.App('fill')
        print(app.reason)
        counter, histogram, top = app.counter('c'), app.histogram('h'), app.top('top')
        def run():
            for i in range(3000):
                counter.add(1)
                top.add(f'{i} {threading.get_ident()}')
                histogram.add((i - 1500) * 10 ** (i % 12))
        threads = [threading.Thread(target=run) for _ in range(12)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        made = [app.timer('t', str(i)) for i in range(200)]
        print(made[-1].reason)
        for timer in made:
            timer.record(1)
        run()
        '''

    def check_filled(self, found):
        self.assertGreater(found.full, 0)
        self.assertEqual(found.words('c'), [39000])
        self.assertEqual(found.words('h')[0], 39000)
        self.assertEqual(found.words('top')[0], 39000)
        self.assertLess(sum(found.sensors['h', '']['buckets'].values()) + found.words('h')[2], 39000)
        self.assertGreater(sum(found.sensors['h', '']['buckets'].values()), 1000)
        made = [sensor['words'][0] for key, sensor in found.sensors.items() if key[0] == 't']
        self.assertLessEqual(set(made), {1})

    def test_the_size_of_files_is_limited(self):
        said = self.run_program(self.FILL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000,) * 2))
        self.assertEqual(said.splitlines()[0], '')
        self.assertRegex(said.splitlines()[1], '^(|t: File too large)$')
        self.check_filled(self.read_one())
        name, = os.listdir(self.apps)
        self.assertEqual(os.stat(os.path.join(self.apps, name)).st_size, 3 * 65536)

    def in_small_file_system(self, size):
        script = f'mount -t tmpfs -o size={size} none "$DCAMP_APPS" && "$@" && cp -r "$DCAMP_APPS" "$0"'
        copy = os.path.join(self.apps, 'copy')
        with tempfile.TemporaryDirectory(prefix='dcamp-python.') as other:
            environment = dict(os.environ, DCAMP_APPS=other, PYTHONPATH=MODULE, PYTHONDONTWRITEBYTECODE='1')
            done = subprocess.run(['unshare', '-rm', 'sh', '-c', script, copy, sys.executable, '-c',
                                   PREFACE + textwrap.dedent(self.FILL)], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.apps = copy
        return done.stdout.splitlines()

    def test_full_file_systems(self):
        if subprocess.run(['unshare', '-rm', 'true'], capture_output=True).returncode:
            self.skipTest('no user namespaces here')
        whole = self.apps
        said = self.in_small_file_system('200k')
        self.assertEqual(said[0], '')
        self.check_filled(self.read_one())
        self.apps = whole
        shutil.rmtree(os.path.join(whole, 'copy'))
        said = self.in_small_file_system('16k')
        self.assertRegex(said[0], '^a file in .* cannot be allocated: No space left on device$')
        self.assertEqual(os.listdir(self.apps), [])

    def test_no_place(self):
        program = '''
            app = dcamp.App(sys.argv[1])
            counter, gauge, timer, histogram = app.counter('c'), app.gauge('g'), app.timer('t'), app.histogram('h')
            top, step = app.top('top'), app.step('s')
            for _ in range(2):
                counter.add(1), gauge.set(1), gauge.add(1), timer.record(1), histogram.add(1), top.add('x')
                step.begin(1).end()
                with timer: pass
                print(counter.error, app.reason)
                if os.fork() == 0:
                    counter.add(1)
                    os._exit(0)
                os.wait()
                app.close()
            dcamp.thread_name('x')
            '''
        said = self.run_program(program, 'shop', environment={'DCAMP_APPS': '/nonexistent'})
        self.assertEqual(said, '2 a file in /nonexistent cannot be created: No such file or directory\n'
                         '107 the application is closed\n')
        said = self.run_program(program, 'two words')
        self.assertEqual(said.splitlines()[0], "22 'two words': the name has other characters than A-Z a-z 0-9 . _ -")
        said = self.run_program(program, 'shop', environment={'DCAMP_APPS': '/' + 5000 * 'x'})
        self.assertRegex(said, '^36 .* cannot be created: File name too long\n')
        self.assertEqual(self.read(), [])

    def test_without_ctypes(self):
        said = self.run_program('''
            import importlib
            sys.modules['ctypes'] = None
            importlib.reload(dcamp)
            app = dcamp.App('shop')
            counter = app.counter('c')
            counter.add(1)
            print(counter.error)
            ''')
        self.assertEqual(said, '95\n')
        self.assertEqual(self.read(), [])

    def test_a_daemon_that_closes_all_descriptors(self):
        """The file cannot grow any more, and nobody else's is touched."""
        self.run_program('''
            app = dcamp.App('daemon')
            counter, top = app.counter('c'), app.top('top')
            counter.add(1)
            os.closerange(3, 200)
            files = [open(os.environ['DCAMP_APPS'] + f'/../{os.getpid()}.other', 'w+') for _ in range(20)]
            os.unlink(files[0].name)
            for i in range(3000):
                counter.add(1)
                top.add(str(i))
            if os.fork() == 0:
                counter.add(1)
                os._exit(0)
            os.wait()
            app.close()
            assert all(os.fstat(file.fileno()).st_size == 0 for file in files)
            for file in files: file.close()
            ''')
        found = [read for read in self.read() if read.words('c') == [3001]]
        self.assertEqual([read.words('top') for read in found], [[3000, 0]])
        self.assertGreater(found[0].full, 0)

    def test_a_program_with_more_rights_looks_at_no_variable(self):
        before = os.getuid, os.environ.get(dcamp.DIRECTORY_VARIABLE)
        try:
            os.environ[dcamp.DIRECTORY_VARIABLE] = '/tmp/x'
            self.assertEqual(dcamp.find_directory(), '/tmp/x')
            os.getuid = lambda: os.geteuid() + 1
            self.assertEqual(dcamp.find_directory(), dcamp.DIRECTORY)
        finally:
            os.getuid = before[0]
            os.environ.pop(dcamp.DIRECTORY_VARIABLE)
            if before[1]:
                os.environ[dcamp.DIRECTORY_VARIABLE] = before[1]

    def test_modes_and_start_times(self):
        self.run_program('''
            os.umask(0o077)
            dcamp.App('x')
            ''')
        name, = os.listdir(self.apps)
        self.assertEqual(os.stat(os.path.join(self.apps, name)).st_mode, 0o100640)
        self.assertEqual(dcamp.start_time_of(b'7 (a) b) S' + b' 0' * 18 + b' 4711 0 0'), 4711)

    def test_magic_is_last(self):
        """Whatever fails while a file is made, it has no magic number, or all that it says."""
        segment = dcamp.Segment(dcamp.Private())
        segment.write_header('name')
        self.assertEqual(segment.octets[:8].tobytes(), bytes(8))
        segment.write_magic()
        self.assertEqual(segment.octets[:8].tobytes(), b'dCAMPseg')
        self.assertEqual(struct.unpack_from('<HHIII', segment.octets, 8), (1, 0, 4672, 576, 65))


if __name__ == '__main__':
    unittest.main()
