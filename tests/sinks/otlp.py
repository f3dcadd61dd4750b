#!/usr/bin/env python3
"""The sink otlp: what a receiver has, by the published schema, is what the blocks said, value by value, whichever
side is killed; what it refuses is counted and shown, it is left alone as long as it wants, and it hangs nobody."""
import collections
import math
import os
import shutil
import struct
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

from common import SHORT, Case, Driver, Whole, end, free_port, need, temporary, until

need('protoc', 'protobuf-compiler')
try:
    import google.protobuf  # noqa: F401
except ImportError:
    print('google.protobuf is missing (package python3-protobuf)', file=sys.stderr)
    sys.exit(1 if os.environ.get('DCAMP_ALL') else 77)

import otlp_receiver

UNITS = {'bytes/s': 'By/s', 'bytes': 'By', 'B': 'By', '%': '%', 'ns': 'ns', '': '', '1/s': '1/s'}


class Linked(Driver):
    def __init__(self, location, *words):
        super().__init__('otlp', location, *words)
        self.words[:2] = ['--kind', 'otlp']


def bits(value):
    return struct.pack('>d', value)


def attributes(pairs):
    result = {}
    for pair in pairs:
        kind = pair.value.WhichOneof('value')
        assert pair.key not in result, pair.key
        result[pair.key] = getattr(pair.value, kind)
    return result


def words(attributes, *names):
    """For keys of dictionaries."""
    return tuple(attributes.get(name, '') for name in names)


class Kept:
    """What a receiver has: key -> every time it was there."""

    def __init__(self, schema, path):
        self.values, self.windows = collections.defaultdict(list), collections.defaultdict(list)
        self.logs, self.ints = collections.defaultdict(list), collections.defaultdict(list)
        for at, body in otlp_receiver.kept(path):
            request = schema.read(at, body)
            for resource in request.resource_metrics if at == '/v1/metrics' else request.resource_logs:
                node = self.node_of(attributes(resource.resource.attributes))
                for scope in resource.scope_metrics if at == '/v1/metrics' else resource.scope_logs:
                    assert scope.scope.name == 'dcamp'
                    for metric in scope.metrics if at == '/v1/metrics' else ():
                        self.read_metric(node, metric)
                    for record in scope.log_records if at == '/v1/logs' else ():
                        self.logs[node, record.event_name, record.time_unix_nano].append(record.SerializeToString(
                            deterministic=True))

    @staticmethod
    def node_of(said):
        assert said['service.name'] == 'dcamp'
        assert said['service.instance.id'].split('/')[-1] == said['host.name'], said
        return said['service.instance.id'], said.get('dcamp.group', '')

    def read_metric(self, node, metric):
        points = getattr(metric, metric.WhichOneof('data')).data_points
        assert points, 'a metric without points'
        for point in points:
            said = attributes(point.attributes)
            key = (*node, metric.name, metric.unit, *words(said, 'dcamp.instance', 'dcamp.metric'), point.time_unix_nano)
            if metric.WhichOneof('data') == 'summary':
                self.windows[key].append(point)
            elif 'dcamp.key' in said:
                self.ints[(*key, said['dcamp.key'])].append(point.as_int)
            else:
                has = point.WhichOneof('value') == 'as_double'
                assert point.flags == (0 if has else 1)
                self.values[key].append(bits(point.as_double) if has else None)


def node_of(entry):
    below = entry.get('below', '')
    whole = entry['path'] or ('' if below else entry['node'])
    return whole + ('/' if whole and below else '') + below


def key_of(entry, behind=''):
    return (node_of(entry), entry['group'], entry['sensor'] + behind, UNITS[entry['unit']], entry['instance'],
            entry['metric'], entry['t'] * 1000000)


def expected_values(entries):
    result = collections.defaultdict(list)
    for entry in entries:
        if entry['kind'] == 'value' and not entry['nameless']:
            result[key_of(entry)].append(bits(entry['value']) if 'value' in entry else None)
    return result


class WithReceiver(Case):
    def setUp(self):
        self.directory = temporary()
        self.addCleanup(shutil.rmtree, self.directory)
        self.file = os.path.join(self.directory, 'requests')
        self.cursors = os.path.join(self.directory, 'cursors')
        self.schema = otlp_receiver.Schema(self.directory)

    def serve(self, say=None):
        """In this process. Its URL."""
        self.server = otlp_receiver.Server(self.schema, self.file, say=say)
        self.server.begin()
        self.addCleanup(self.server.close)
        return f'http://127.0.0.1:{self.server.server_port}'

    def kept(self):
        return Kept(self.schema, self.file)

    def same_values(self, have, want):
        """All of them, and doubles are equal in everything."""
        self.assertEqual(set(want) - set(have), set(), 'missing')
        self.assertEqual(set(have) - set(want), set(), 'too many')
        for key, said in have.items():
            self.assertEqual(set(said), set(want[key]), key)

    def check(self, driver):
        want = expected_values(driver.expected())
        self.assertGreater(len(want), 100)
        have = self.kept().values
        self.same_values(have, want)
        return have, want


class Content(WithReceiver):
    """What the messages have."""

    def give(self, *words):
        driver = Linked(self.serve(), *words)
        said = driver.run()
        self.assertEqual((said.returncode, self.server.bad), (0, []), said.stderr)
        self.assertNotIn('refused', said.stderr)
        return driver.expected()

    def test_values(self):
        driver = Linked(self.serve(), '--plain', '--entries', 'v')
        said = driver.run()
        self.assertEqual(said.returncode, 0, said.stderr)
        have, want = self.check(driver)
        for key, values in have.items():
            self.assertEqual(collections.Counter(values), collections.Counter(want[key]), 'nothing was sent twice')
        self.assertTrue(any(value is None for values in have.values() for value in values), 'gaps are there')

    def test_windows(self):
        entries = [entry for entry in self.give('--plain', '--entries', 'w')
                   if not entry['nameless'] and 'count' in entry]
        have = self.kept().windows
        self.assertGreater(len(entries), 50)
        self.assertEqual(set(have), {key_of(entry, '.window') for entry in entries})
        for entry in entries:
            points = have[key_of(entry, '.window')]
            self.assertTrue(any(self.is_window(point, entry) for point in points), (entry, points))

    @staticmethod
    def is_window(point, entry):
        if point.start_time_unix_nano != (entry['t'] - entry['window_ms']) * 1000000 or point.count != entry['count']:
            return False
        if entry['count'] == 0:
            return point.flags == 1 and not point.quantile_values
        quantiles = {one.quantile: one.value for one in point.quantile_values}
        whole = sum(n for _, n in entry.get('histogram', [])) == entry['count']
        total = entry['sum'] if 'sum' in entry else entry['mean'] * entry['count']
        return (point.flags == 0 and quantiles[0] == entry['min'] and quantiles[1] == entry['max'] and
                set(quantiles) == ({0, 0.5, 0.9, 0.99, 1} if whole else {0, 1}) and
                math.isclose(point.sum, total, rel_tol=1e-9, abs_tol=1e-9))

    def test_keys(self):
        want = collections.defaultdict(set)
        for entry in self.give('--plain', '--entries', 'k'):
            for key in [] if entry['nameless'] else entry.get('keys', []):
                for behind, name in (('.top', 'count'), ('.top.error', 'error')):
                    want[(*key_of(entry, behind), key['key'])].add(min(key[name], 2**63 - 1))
        self.assertGreater(len(want), 50)
        self.assertEqual({key: set(said) for key, said in self.kept().ints.items()}, want)

    def records(self, event):
        from opentelemetry.proto.logs.v1 import logs_pb2
        for (node, name, ns), said in self.kept().logs.items():
            for octets in said if name == event else ():
                record = logs_pb2.LogRecord.FromString(octets)
                yield node, ns, record, attributes(record.attributes)

    def test_steps(self):
        want = collections.Counter()
        for entry in self.give('--plain', '--entries', 'r'):
            if not entry['nameless']:
                want[((node_of(entry), entry['group']), entry['start_ns'], entry['sensor'], entry['instance'],
                      min(entry['duration_ns'], 2**63 - 1), entry['result'], min(entry['sequence'], 2**63 - 1),
                      entry.get('cpu_ns'), entry.get('allocated'), 13 if entry['result'] else 9)] += 1
        self.assertGreater(len(want), 50)
        have = collections.Counter(
            (node, ns, *words(said, 'dcamp.sensor', 'dcamp.instance', 'dcamp.duration_ns', 'dcamp.result',
                              'dcamp.sequence'), said.get('dcamp.cpu_ns'), said.get('dcamp.allocated'),
             record.severity_number) for node, ns, record, said in self.records('dcamp.step'))
        self.assertEqual(have, want)

    def test_alarms(self):
        want = collections.Counter()
        severities = {2: ('info', 9), 3: ('warning', 13), 4: ('critical', 18)}
        for entry in self.give('--plain', '--entries', 'a'):
            node = node_of(entry), entry['group']
            if entry['kind'] == 'alarm':
                word, number = severities[entry['severity']]
                want[node, entry['t'] * 1000000, entry['id'], word, number, entry['message'], entry['alarm_sensor'],
                     entry['alarm_instance'], entry['threshold'], entry['value'], entry['limit']] += 1
            elif entry['kind'] == 'alarm-cleared':
                want[node, entry['t'] * 1000000, entry['id'], 'cleared', 9, '', '', '', '', '', ''] += 1
        self.assertGreater(len(want), 20)
        have = collections.Counter(
            (node, ns, said['dcamp.alarm.id'], record.severity_text, record.severity_number, record.body.string_value,
             *words(said, 'dcamp.sensor', 'dcamp.instance', 'dcamp.alarm.threshold', 'dcamp.alarm.value',
                    'dcamp.alarm.limit')) for node, ns, record, said in self.records('dcamp.alarm'))
        self.assertEqual(have, want)

    def test_hostile(self):
        """All kinds of entries and any octets in names: every request is one of the schema, whose texts are UTF-8."""
        self.give('--entries', 'vwrka')
        names = {key[2] for key in self.kept().values}
        self.assertIn('=cmd|\' /C calc\'!A0', names)
        self.assertFalse([name for name in names if any(ord(char) < 0x20 for char in name)])

    def test_small(self):
        """What points have in common is there once."""
        self.give('--plain', '--entries', 'v')
        octets = sum(len(body) for _, body in otlp_receiver.kept(self.file))
        count = sum(len(said) for said in self.kept().values.values())
        self.assertLess(octets / count, 120)

    def test_without_logs(self):
        driver = Linked(self.serve() + '/#logs=0', '--plain', '--entries', 'vra')
        said = driver.run()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.check(driver)
        self.assertEqual({path for path, _ in otlp_receiver.kept(self.file)}, {'/v1/metrics'})


class Answers(WithReceiver):
    """What a receiver may say, and where it is."""

    def give(self, say, *words, behind=''):
        self.driver = Linked(self.serve(say) + behind, '--plain', '--entries', 'v', *words)
        return self.driver.run()

    def test_partial_success(self):
        """Some points were not taken: this is said and counted, and not tried again."""
        def say(path, _, request):
            response = self.schema.responses[path]()
            response.partial_success.rejected_data_points = 3
            response.partial_success.error_message = 'too \033[31mold'
            self.server.keep(path, request.SerializeToString())
            return 200, {}, response.SerializeToString()
        said = self.give(say)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn('has refused 3 points: partial success: too ?[31mold', said.stderr)
        self.check(self.driver)

    def test_refused_points_are_found(self):
        """A receiver that takes all of a request or nothing."""
        def say(_, __, request):
            for resource in request.resource_metrics:
                for scope in resource.scope_metrics:
                    if any(metric.name == 'load' for metric in scope.metrics):
                        return 400, {'Content-Type': 'text/plain'}, b'no load here'
            return None
        said = self.give(say, '--blocks', '5')
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn('no load here', said.stderr)
        want = expected_values(self.driver.expected())
        self.same_values(self.kept().values, {key: value for key, value in want.items() if key[2] != 'load'})

    def test_refused_for_another_reason(self):
        """One that does not even take none: nothing is left out."""
        said = self.give(lambda *_: (400, {}, b'\x12\x0bno such key'), '--blocks', '1')
        self.assertEqual(said.returncode, 3)
        self.assertIn('HTTP status 400: no such key', said.stderr)

    def test_failures(self):
        for status in (401, 403, 404, 429, 500, 502, 503, 504):
            said = self.give(lambda *_: (status, {}, b''), '--blocks', '1')
            self.assertEqual(said.returncode, 3)
            self.assertIn(f'/v1/metrics: HTTP status {status}', said.stderr)
            self.assertEqual(said.stderr.count('\n'), 1)

    def test_page(self):
        said = self.give(lambda *_: (200, {'Content-Type': 'text/html; charset=utf-8'}, b'<p>Log in'), '--blocks', '1')
        self.assertEqual(said.returncode, 3)
        self.assertIn('HTTP status 200: <p>Log in', said.stderr)

    def test_other_answers(self):
        """Some receivers answer with nothing, with JSON, or with more than a little."""
        for answer in (b'', b'{}', b'OK\n', b'\x0a\xff', b'\x0a' + b'\x00' * 5000):
            said = self.give(lambda path, _, request: self.server.keep(path, request.SerializeToString()) or
                             (200, {'Content-Type': 'application/json'}, answer), '--blocks', '3')
            self.assertEqual((said.returncode, said.stderr), (0, ''), answer)

    def test_hangs(self):
        over = threading.Event()
        said = self.give(lambda *_: over.wait(60) and (503, {}, b''), behind='#timeout=1')
        over.set()
        self.assertEqual(said.returncode, 3)
        self.assertIn('timed out', said.stderr)

    def test_token(self):
        path = os.path.join(self.directory, 'credentials')
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), 'w', encoding='ascii') as file:
            file.write('token abc\n')
        seen = set()
        said = self.give(lambda _, headers, __: seen.add(headers.get('Authorization')), '--credentials', path)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(seen, {'Bearer abc'})

    def test_locations(self):
        for location, why in (('', 'expected http'), ('http://x/?a=b', "without '?'"), ('http://x#logs=2', 'logs=0 or 1'),
                              ('http://u:secret@x/', 'file of credentials'), ('http://x#logs', '#logs=0 or 1')):
            said = Linked(location).run()
            self.assertEqual(said.returncode, 3)
            self.assertIn(why, said.stderr)
            self.assertNotIn('secret', said.stderr)


class Receiver:
    """In a process of its own, which can be killed."""

    def __init__(self, file, directory):
        self.port = free_port()
        self.words = [sys.executable, '-B', otlp_receiver.__file__, str(self.port), file, directory]
        self.url = f'http://127.0.0.1:{self.port}'
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL)
        until(self.answers)

    def answers(self):
        try:
            urllib.request.urlopen(self.url, timeout=5)
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    def kill(self):
        end(self.process)


class Killed(WithReceiver):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver(self.file, self.directory)
        self.addCleanup(self.receiver.kill)

    def test_publisher(self):
        driver = Linked(self.receiver.url, '--plain', '--entries', 'v')
        self.assertGreater(driver.run_killed(2000, 4000, '--cursors', self.cursors), 2)
        self.check(driver)

    def test_receiver(self):
        driver = Linked(self.receiver.url, '--plain', '--entries', 'v', '--blocks', '100' if SHORT else '300')
        process = driver.start('--cursors', self.cursors, '--retry', '600', '--batch', '1')
        for _ in range(20):
            process.stdout.readline()
        self.receiver.kill()
        self.receiver.start()
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn('done', out)
        self.check(driver)

    def have(self):
        """{(sensor, ms): value} of the node; whatever is there twice is the same."""
        result = {}
        for (node, group, sensor, _, instance, _, ns), values in self.kept().values.items():
            self.assertEqual((node, group, instance), ('node1', 'g', 'total'))
            self.assertEqual(len(set(values)), 1)
            if values[0] is not None:
                result[sensor, ns // 1000000] = format(struct.unpack('>d', values[0])[0], 'g')
        return result

    def test_whole(self):
        """A node, the whole of dcamp-publish and the receiver: each is killed while values come."""
        whole = Whole(f'kind="otlp" location="{self.receiver.url}"')
        self.addCleanup(whole.close)
        until(whole.is_up)
        whole.kill_each(self, self.receiver, self.have, '/v1/metrics')


class Shown(WithReceiver):
    """What dcampSinkTable says of a receiver that refuses."""

    def test_shown(self):
        times, mood = [], ['well']

        def say(path, _, request):
            times.append((mood[0], time.monotonic()))
            response = self.schema.responses[path]()
            if mood[0] == 'partly':
                mood[0] = 'well'
                self.server.keep(path, request.SerializeToString())
                response.partial_success.rejected_data_points = 2
                response.partial_success.error_message = 'too old'
                return 200, {}, response.SerializeToString()
            return (503, {'Retry-After': '4'}, b'') if mood[0] == 'busy' else None
        whole = Whole(f'kind="otlp" location="{self.serve(say)}"')
        self.addCleanup(whole.close)
        until(whole.is_up)
        mood[0] = 'partly'
        until(lambda: 'refused 2 points: partial success: too old' in whole.sink('Error'))
        self.assertEqual(whole.sink('State'), 'up')
        mood[0] = 'busy'
        until(lambda: whole.sink('State') == 'failing')
        self.assertIn('HTTP status 503', whole.sink('Error'))
        until(lambda: sum(said == 'busy' for said, _ in times) >= 2)
        first, second = [at for said, at in times if said == 'busy'][:2]
        self.assertGreaterEqual(second - first, 4, 'Retry-After is kept')
        mood[0] = 'well'
        until(whole.is_up, 60)
        want = whole.reported()
        until(lambda: not want.keys() - {(key[2], key[6] // 1000000) for key in self.kept().values})


if __name__ == '__main__':
    unittest.main(verbosity=2)
