#!/usr/bin/env python3
"""The sink influx with a real InfluxDB 1.6: what it has is what the blocks said, value by value, whichever side
is killed; what it refuses is counted, and it hangs nobody."""
import base64
import collections
import http.server
import json
import os
import shutil
import signal
import struct
import subprocess
import threading
import unittest
import urllib.parse
import urllib.request

from common import Case, Driver, Whole, end, free_port, need, temporary, until

INFLUXD = need('influxd', 'influxdb')
CONFIGURATION = '''reporting-enabled = false
bind-address = "127.0.0.1:{rpc}"
[meta]
dir = "{directory}/meta"
[data]
dir = "{directory}/data"
wal-dir = "{directory}/wal"
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:{port}"
'''


class Influx:
    def __init__(self):
        self.directory, self.port = temporary(), free_port()
        self.path = os.path.join(self.directory, 'influxdb.conf')
        with open(self.path, 'w', encoding='ascii') as file:
            file.write(CONFIGURATION.format(directory=self.directory, port=self.port, rpc=free_port()))
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen([INFLUXD, 'run', '-config', self.path], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.answers, 60)

    def answers(self):
        try:
            return urllib.request.urlopen(f'http://127.0.0.1:{self.port}/ping', timeout=5).status == 204
        except OSError:
            return False

    def kill(self):
        end(self.process)

    def ask(self, text, database=None):
        url = f'http://127.0.0.1:{self.port}/query?epoch=ns' + (f'&db={database}' if database else '')
        data = urllib.parse.urlencode({'q': text}).encode()
        with urllib.request.urlopen(url, data, timeout=30) as answer:
            return json.load(answer)['results'][0]

    def points(self, database):
        """{(measurement, tags, ns): fields} of all."""
        result = {}
        for series in self.ask('SELECT * FROM /.*/ GROUP BY *', database).get('series', []):
            tags = tuple(sorted((k, v) for k, v in series.get('tags', {}).items() if v))
            for row in series['values']:
                named = dict(zip(series['columns'], row))
                key = series['name'], tags, named.pop('time')
                result[key] = {k: v for k, v in named.items() if v is not None}
        return result

    def close(self):
        self.kill()
        shutil.rmtree(self.directory)


class Linked(Driver):
    def __init__(self, location, *words):
        super().__init__('influx', location, *words)
        self.words[:2] = ['--kind', 'influx']


def expected(entries):
    """{(measurement, tags, ns): [fields]} of all values, as they may be where several are one point."""
    result = collections.defaultdict(list)
    for entry in entries:
        if entry['kind'] != 'value' or entry.get('nameless') or 'value' not in entry:
            continue
        tags = {name: entry[name] for name in ('group', 'instance', 'metric', 'unit')}
        tags['node'] = entry['path'] or entry['node']
        key = entry['sensor'], tuple(sorted((k, v) for k, v in tags.items() if v)), entry['t'] * 1000000
        result[key].append(float(entry['value']))
    return result


def bits(value):
    return struct.pack('>d', float(value) + 0.0)  # JSON of InfluxDB has no -0


class Test(Case):
    @classmethod
    def setUpClass(cls):
        cls.influx = Influx()

    @classmethod
    def tearDownClass(cls):
        cls.influx.close()

    def setUp(self):
        self.database = 'd' + self.id().rsplit('.', 1)[-1]
        self.influx.ask(f'CREATE DATABASE {self.database}')
        self.url = f'http://127.0.0.1:{self.influx.port}/write?db={self.database}'
        self.cursors = os.path.join(self.influx.directory, self.database + '.cursors')

    def check(self, driver):
        have, want = self.influx.points(self.database), expected(driver.expected())
        self.assertGreater(len(want), 100)
        self.assertEqual(sorted(have), sorted(want))
        for key, fields in have.items():
            self.assertEqual(list(fields), ['value'])
            self.assertIn(bits(fields['value']), [bits(value) for value in want[key]], key)

    def test_values(self):
        driver = Linked(self.url, '--plain', '--entries', 'v')
        said = driver.run()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.check(driver)

    def test_publisher_killed(self):
        driver = Linked(self.url, '--plain', '--entries', 'v')
        self.assertGreater(driver.run_killed(2000, 4000, '--cursors', self.cursors), 2)
        self.check(driver)

    def test_server_killed(self):
        driver = Linked(self.url, '--plain', '--entries', 'v', '--blocks', '300')
        process = driver.start('--cursors', self.cursors, '--retry', '600', '--batch', '1')
        for _ in range(20):
            process.stdout.readline()
        self.influx.kill()
        self.influx.start()
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn('done', out)
        self.assertIn('Input/output error', err)
        self.check(driver)

    def test_hostile(self):
        """All kinds of entries and any octets in names: no line is refused, and none is of two lines."""
        driver = Linked(self.url, '--entries', 'vwrka')
        said = driver.run()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertNotIn('refused', said.stderr)
        names = {name for name, _, _ in self.influx.points(self.database)}
        self.assertIn('dcamp.alarm', names)
        self.assertIn("a,b\"c\"", names)
        self.assertIn("'; DROP TABLE x; --", names)
        self.assertIn('=cmd|\' /C calc\'!A0', names)

    def test_refused_is_counted(self):
        """A field that has another type there: the other points are taken, and it comes to its end."""
        request = urllib.request.Request(self.url, data=b'load value="a text" 1795737598000000000\n')
        urllib.request.urlopen(request, timeout=30).close()
        driver = Linked(self.url, '--plain', '--entries', 'v')
        said = driver.run()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn('refused', said.stderr)
        self.assertIn('field type conflict', said.stderr)
        have = {key for key in self.influx.points(self.database) if key[0] != 'load'}
        self.assertEqual(have, {key for key in expected(driver.expected()) if key[0] != 'load'})

    def test_no_database(self):
        said = Linked(self.url + 'x', '--plain', '--entries', 'v').run()
        self.assertEqual(said.returncode, 3)
        self.assertIn('database not found', said.stderr)

    def test_server_hangs(self):
        os.kill(self.influx.process.pid, signal.SIGSTOP)
        try:
            said = Linked(self.url + '#timeout=1', '--plain', '--entries', 'v').run()
        finally:
            os.kill(self.influx.process.pid, signal.SIGCONT)
        self.assertEqual(said.returncode, 3)
        self.assertIn('timed out', said.stderr)
        self.assertEqual(said.stderr.count('\n'), 1)

    def test_locations(self):
        for location, why in (('', 'expected http'), ('ftp://x/', 'expected http'), ('http:///x', 'expected http'),
                              ('http://u:secret@x/', 'file of credentials'), ('http://x/#timeout=0', 'timeout=1..60'),
                              ('http://x/ y', 'printable ASCII')):
            said = Linked(location).run()
            self.assertEqual(said.returncode, 3)
            self.assertIn(why, said.stderr)
            self.assertNotIn('secret', said.stderr)


class Killed(Case):
    """A node, the whole of dcamp-publish and the server: each is killed while values come."""

    def setUp(self):
        self.influx = Influx()
        self.addCleanup(self.influx.close)
        self.influx.ask('CREATE DATABASE test')
        self.whole = Whole(f'kind="influx" location="http://127.0.0.1:{self.influx.port}/write?db=test"')
        self.addCleanup(self.whole.close)
        until(self.whole.is_up)

    def have(self):
        points = self.influx.points('test')
        self.assertEqual({key[1] for key in points if key[0] == 'idle'},
                         {(('group', 'g'), ('instance', 'total'), ('metric', 'cpu.idle'), ('node', 'node1'),
                           ('unit', '%'))})
        result = {(sensor, ns // 1000000): format(fields['value'], 'g')
                  for (sensor, tags, ns), fields in points.items() if sensor in Whole.SENSORS and 'value' in fields}
        count = sum(key[0] in Whole.SENSORS and 'value' in fields for key, fields in points.items())
        self.assertEqual(len(result), count, 'nothing is there twice')
        return result

    def test_killed(self):
        self.whole.kill_each(self, self.influx, self.have, '127.0.0.1')


class Server(http.server.BaseHTTPRequestHandler):
    """A server that says what it is told to, by the line it gets."""
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length'])).decode()
        self.server.seen.append((self.headers.get('Authorization'), body))
        status, text = self.server.say(body)
        self.send_response(status)
        self.send_header('Content-Length', str(len(text)))
        if status == 302:
            self.send_header('Location', f'http://localhost:{self.server.server_port}/other')
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Says(Case):
    """What InfluxDB 1.6 does not say by itself."""

    def with_server(self, say, *words):
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
        server.say, server.seen = say, []
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            driver = Linked(f'http://127.0.0.1:{server.server_port}/api/v2/write?org=o&bucket=b', '--plain',
                            '--entries', 'v', *words)
            return driver.run(), server.seen
        finally:
            server.shutdown()
            server.server_close()

    def credentials(self, text):
        path = os.path.join(temporary(), 'credentials')
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), 'w', encoding='ascii') as file:
            file.write(text)
        self.addCleanup(shutil.rmtree, os.path.dirname(path))
        return path

    def test_token(self):
        said, seen = self.with_server(lambda _: (204, ''), '--credentials', self.credentials('token abc\n'))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual({header for header, _ in seen}, {'Token abc'})

    def test_password(self):
        _, seen = self.with_server(lambda _: (204, ''), '--credentials',
                                   self.credentials('user u\npassword p q\n'))
        self.assertEqual({header for header, _ in seen}, {'Basic ' + base64.b64encode(b'u:p q').decode()})

    def test_redirection(self):
        said, seen = self.with_server(lambda _: (302, ''), '--credentials', self.credentials('token abc\n'))
        self.assertEqual(said.returncode, 3)
        self.assertIn('not followed', said.stderr)
        self.assertEqual(len(seen), 1)

    def test_refused_lines_are_found(self):
        """A server that takes all of a batch or nothing."""
        taken = []

        def say(body):
            if 'load' in body:
                return 400, 'unable to parse\nmore\n'
            taken.extend(body.splitlines())
            return 204, ''
        said, _ = self.with_server(say, '--blocks', '3')
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn('unable to parse', said.stderr)
        driver = Linked('', '--plain', '--entries', 'v', '--blocks', '3')
        count = sum(e['kind'] == 'value' and 'value' in e and not e['nameless'] and e['sensor'] != 'load'
                    for e in driver.expected())
        self.assertEqual(len(set(taken)), len(taken))
        self.assertEqual(len(taken), count)

    def test_refused_for_another_reason(self):
        said, _ = self.with_server(lambda _: (400, 'no such thing'), '--blocks', '1')
        self.assertEqual(said.returncode, 3)
        self.assertIn('no such thing', said.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=2)
