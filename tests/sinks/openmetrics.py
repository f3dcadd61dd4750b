#!/usr/bin/python3 -B
"""The sink openmetrics: what is scraped is what the blocks said last, in both formats, for whoever asks however."""
import collections
import concurrent.futures
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest

import common

PROMTOOL = common.need('promtool', 'prometheus')
sys.path.append('/usr/lib/python3/dist-packages') # where Debian has it, whichever Python this is
try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
    from prometheus_client.parser import text_string_to_metric_families as parse_plain
except ImportError:
    common.skip('prometheus_client', 'python3-prometheus-client')

OPENMETRICS = 'application/openmetrics-text; version=1.0.0'
# What Prometheus 2.42 sends.
ACCEPT = OPENMETRICS + ',application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'


def printable(text):
    """As octets_add_clean() leaves it: what controls or is no UTF-8 is '?', octet by octet."""
    said = text.encode('latin-1').decode('utf-8', 'surrogateescape')
    hidden = re.compile('[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]')
    return hidden.sub(lambda found: '?' * len(found[0].encode()), re.sub('[\udc80-\udcff]', '?', said))


class Sink:
    """publish-driver with the sink, which is held open behind its blocks."""

    def __init__(self, test, *words, options='?silent=600000', host='127.0.0.1'):
        self.port = common.free_port()
        self.driver = common.Driver('openmetrics', f'http://{host}:{self.port}/metrics{options}', '--start', f'{int(time.time()) - 100}000',
                                    *words)
        self.process = self.driver.start('--hold')
        test.addCleanup(self.end)
        for line in self.process.stdout:
            if line == 'done\n':
                # What has come of a node within 0.15 s may not be all of it; by the clock of the driver, blocks may
                # come later than now, which the first look finds out; and an answer is kept for 0.5 s.
                self.ask()
                time.sleep(0.6)
                return
        raise AssertionError(self.process.stderr.read())

    def end(self):
        common.end(self.process)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def connect(self):
        return http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)

    def ask(self, path='/metrics', method='GET', **headers):
        connection = self.connect()
        connection.request(method, path, headers={name.replace('_', '-'): value for name, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    def raw(self, octets):
        """Whatever is answered to these octets, before the connection ends."""
        said = b''
        with socket.create_connection(('127.0.0.1', self.port), timeout=60) as sock:
            try:
                sock.sendall(octets)
                sock.shutdown(socket.SHUT_WR)
                while piece := sock.recv(65536):
                    said += piece
            except OSError as error:
                if isinstance(error, TimeoutError):
                    raise
        return said


def samples(families):
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for family in families for sample in family.samples}


class Openmetrics(common.Case):
    def expected(self, driver, sensors=None):
        """Of each series the last value, in the order in which the driver gives blocks; of windows count and sum."""
        values, numbers, order = {}, {}, collections.defaultdict(list)
        for entry in driver.expected():
            order[(entry['path'], entry['boot'], entry['block'])].append(entry)
        newest = {}
        for path, boot, _ in order:
            newest[path] = max(newest.get(path, 0), boot)
        for (path, boot, _), entries in order.items():
            for entry in entries if boot == newest[path] else ():
                if entry['kind'] != 'value' or entry['nameless']:
                    continue
                labels = {'node': printable(path or entry['node']), 'sensor': printable(entry['sensor']),
                          'dcamp_instance': printable(entry['instance'])}
                key = tuple(sorted((name, text) for name, text in labels.items() if text))
                number = (path, entry['series'])
                if entry['state'] == 'valid':
                    values[key] = entry['value']
                    numbers[key] = number
                elif numbers.get(key) == number:
                    del values[key]
                    del numbers[key]
        return values

    def told(self, families):
        found = {}
        for (name, labels), value in samples(families).items():
            labels = {label: text for label, text in labels if label in ('node', 'sensor', 'dcamp_instance')}
            if 'sensor' in labels and '_window' not in name and not name.startswith('dcamp_alarm'):
                found[tuple(sorted(labels.items()))] = value
        return found

    def test_every_value(self):
        """In both formats, read by the parsers of others; what any name is made of changes nothing else."""
        for words in (('--plain',), ()):
            for seed in ('1', '2', '3'):
                sink = Sink(self, '--streams', '6', '--blocks', '40', '--seed', seed, *words)
                expected = self.expected(sink.driver)
                self.assertGreater(len(expected), 2)
                answer, text = sink.ask(Accept=ACCEPT)
                self.assertEqual(answer.getheader('Content-Type'), OPENMETRICS + '; charset=utf-8')
                self.assertEqual(self.told(parse_openmetrics(text)), expected)
                answer, text = sink.ask()
                self.assertEqual(answer.getheader('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8')
                self.assertEqual(self.told(parse_plain(text)), expected)
                said = subprocess.run([PROMTOOL, 'check', 'metrics'], input=text, capture_output=True, text=True)
                complaints = [line for line in said.stderr.splitlines() if 'use base unit' not in line]
                self.assertEqual(complaints, [])
                own = subprocess.run([common.BUILD + '/tests/integration/read-openmetrics', OPENMETRICS], text=True,
                                     input=sink.ask(Accept=ACCEPT)[1], capture_output=True)
                self.assertEqual(own.stdout.splitlines()[-1], 'faults 0 beyond 0 whole 1')
                sink.end()

    def test_windows_and_alarms(self):
        sink = Sink(self, '--streams', '1', '--blocks', '30', '--plain')
        found = samples(parse_openmetrics(sink.ask(Accept=ACCEPT)[1]))
        counts, alarms = collections.Counter(), {}
        for entry in sink.driver.expected():
            if entry['kind'] == 'window' and 'count' in entry and not entry['nameless']:
                counts[(entry['sensor'], entry['instance'])] += entry['count']
            if entry['kind'] == 'alarm':
                alarms[entry['id']] = entry
            if entry['kind'] == 'alarm-cleared':
                alarms.pop(entry['id'], None)
        told = collections.Counter()
        for (name, labels), value in found.items():
            if name.endswith('_count') and '_window' in name:
                labels = dict(labels)
                told[(labels['sensor'], labels.get('dcamp_instance', ''))] += value
        for key, count in told.items(): # a series that could not be had for a while counts anew
            self.assertLessEqual(count, counts[key])
        severity = collections.defaultdict(int)
        for alarm in alarms.values():
            key = ('node7' if alarm['below'] else 'node0', alarm['threshold'], alarm['alarm_sensor'], alarm['alarm_instance'])
            severity[key] = max(severity[key], alarm['severity'])
        shown = {tuple(dict(labels).get(label, '') for label in ('node', 'threshold', 'sensor', 'dcamp_instance')): value
                 for (name, labels), value in found.items() if name == 'dcamp_alarm_severity'}
        self.assertGreater(len(severity), 0)
        self.assertEqual(shown, severity)

    def test_limit(self):
        sink = Sink(self, '--streams', '2', '--blocks', '20', '--entries', 'v', options='?silent=600000&limit=3')
        found = samples(parse_plain(sink.ask()[1]))
        self.assertLessEqual(found[('dcamp_publish_series', ())], 3)
        self.assertGreater(found[('dcamp_publish_left_out_total', ())], 0)
        self.assertEqual(len(self.told(parse_plain(sink.ask()[1]))), found[('dcamp_publish_series', ())])

    def test_sensors(self):
        sink = Sink(self, '--blocks', '20', '--plain', '--entries', 'v', '--sensors', 'cpu*')
        self.assertEqual({dict(labels)['sensor'][:3] for labels in self.told(parse_plain(sink.ask()[1]))}, {'cpu'})

    def test_http(self):
        sink = Sink(self, '--blocks', '3')
        for method, path, status in (('GET', '/metrics', 200), ('GET', '/metrics?x=1', 200), ('GET', '/', 404), ('GET', '/metrics/', 404),
                                     ('GET', '/..%2fmetrics', 404), ('POST', '/metrics', 405), ('DELETE', '/metrics', 405)):
            self.assertEqual(sink.ask(path, method)[0].status, status, (method, path))
        self.assertEqual(sink.ask(method='PUT')[0].getheader('Allow'), 'GET, HEAD')
        head, text = sink.ask(method='HEAD')
        self.assertEqual((head.status, text), (200, ''))
        self.assertGreater(int(head.getheader('Content-Length')), 100)
        self.assertEqual(sink.ask(Host='evil.example')[0].status, 421)
        self.assertEqual(sink.ask(Origin='http://evil.example')[0].status, 403)
        connection = sink.connect()
        for _ in range(3): # of one connection
            connection.request('GET', '/metrics', headers={'Accept': ACCEPT})
            self.assertIn('# EOF', connection.getresponse().read().decode())
        connection.close()
        # An answer to somebody who sends still may be lost with the connection.
        too_long = b'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ' + 100000 * b'a' + b'\r\n\r\n'
        common.until(lambda: sink.raw(too_long)[9:12] == b'431')
        # Requests that never come to their end: the connection is closed after a while, as its time is over.
        halves = (b'', b'GET', b'GET /metrics HTTP/1.1\r\nHost: local', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
                  b'GET /metrics HTTP/1.1\r\n\r\n')
        with concurrent.futures.ThreadPoolExecutor(len(halves)) as pool:
            for said in pool.map(sink.raw, halves):
                self.assertNotIn(b' 200 ', said)
        self.assertEqual(sink.ask()[0].status, 200)

    def test_many_at_a_time(self):
        """While others send half a request, or do not read."""
        sink = Sink(self, '--streams', '20', '--blocks', '60')
        whole = sink.ask()[1].count('\n')
        idle = [socket.create_connection(('127.0.0.1', sink.port)) for _ in range(60)]
        for i, sock in enumerate(idle):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n' + (b'\r\n' if i % 2 else b''))
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            for answer, text in pool.map(lambda _: sink.ask(), range(300)):
                self.assertEqual(answer.status, 200)
                self.assertEqual(text.count('\n'), whole)
        for sock in idle:
            sock.close()
        self.assertIsNone(sink.process.poll())

    def test_token(self):
        directory = common.temporary()
        self.addCleanup(shutil.rmtree, directory, True)
        with open(directory + '/token', 'w', opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write('token s3cret\n')
        sink = Sink(self, '--blocks', '3', '--credentials', directory + '/token', host='0.0.0.0')
        self.assertEqual(sink.ask()[0].status, 401)
        self.assertEqual(sink.ask()[0].getheader('WWW-Authenticate'), 'Bearer')
        self.assertEqual(sink.ask(Authorization='Bearer s3cre')[0].status, 401)
        self.assertEqual(sink.ask(Authorization='Bearer s3cret', Host='anything.example')[0].status, 200)

    def test_open(self):
        sink = Sink(self, '--blocks', '3', host='0.0.0.0', options='?open=1')
        self.assertEqual(sink.ask(Host='anything.example')[0].status, 200)

    def test_wrong_settings(self):
        taken = Sink(self, '--blocks', '1')
        for location, why in (('http://0.0.0.0:1/', 'which needs credentials with a token, or open=1'), ('https://127.0.0.1:1', 'expected http://'),
                              ('http://u:hush@127.0.0.1', 'a user or a password does not belong there'),
                              ('http://127.0.0.1:x', 'expected a port'), ('http://127.0.0.1?limit=0', 'limit: expected a number from 1'),
                              ('http://127.0.0.1?x=1', 'there is no option x'), (f'http://127.0.0.1:{taken.port}', 'Address already in use')):
            location = location.replace(':1/', f':{common.free_port()}/')
            said = common.Driver('openmetrics', location).run()
            self.assertEqual(said.returncode, 3, location)
            self.assertRegex(said.stderr, f'^[^\n]*{why}[^\n]*\n$')
            self.assertNotIn('hush', said.stderr)
        said = common.Driver('openmetrics', 'http://127.0.0.1', '--credentials', '/dev/null').run()
        self.assertEqual(said.returncode, 3)


if __name__ == '__main__':
    unittest.main()
