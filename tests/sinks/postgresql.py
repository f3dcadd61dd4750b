#!/usr/bin/env python3
"""The sink postgresql with a real server: what the tables say is what the blocks said, value by value, whoever was
killed meanwhile."""
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
import unittest

import common

BIN = next((os.path.join('/usr/lib/postgresql', version, 'bin') for version in
            sorted(os.listdir('/usr/lib/postgresql'), reverse=True)) if os.path.isdir('/usr/lib/postgresql') else iter(()),
           '/usr/lib/postgresql')
common.need(os.path.join(BIN, 'initdb'), 'postgresql')
common.need('psql', 'postgresql-client')
# While the server is killed so many times at most, so many blocks of each stream are given.
KILLS, KILLED_BLOCKS = (3, '60') if common.SHORT else (8, '400')


class Server:
    """One of this test, of which the processes may be killed."""

    def __init__(self):
        self.directory = common.temporary('postgres')
        self.port = common.free_port()
        self.process = None
        self.as_user = common.demote('postgres')
        # Scram needs a password on TCP; who is at the socket is trusted.
        subprocess.run([os.path.join(BIN, 'initdb'), '-D', self.directory + '/data', '-U', 'postgres', '-E', 'UTF8',
                        '--locale=C', '--no-sync', '--auth-local=trust', '--auth-host=scram-sha-256'],
                       check=True, stdout=subprocess.DEVNULL, **self.as_user)
        self.start()
        self.sql("CREATE ROLE dcamp LOGIN PASSWORD 'se cret''#'")

    def start(self):
        with open(self.directory + '/log', 'ab') as log:
            self.process = subprocess.Popen(
                [os.path.join(BIN, 'postgres'), '-D', self.directory + '/data', '-k', self.directory, '-p', str(self.port),
                 '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'restart_after_crash=on',
                 '-c', 'log_statement=none', '-c', 'timezone=America/New_York'], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, **self.as_user)
        common.until(self.answers)

    def answers(self):
        return subprocess.run(self.psql('-c', 'SELECT 1'), capture_output=True).returncode == 0

    def psql(self, *words, database='postgres'):
        return ['psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-h', self.directory, '-p', str(self.port), '-U', 'postgres',
                *words, database]

    def sql(self, text, database='postgres'):
        said = subprocess.run(self.psql('-c', text, database=database), capture_output=True, text=True, timeout=60)
        if said.returncode:
            raise AssertionError(said.stderr)
        return said.stdout.rstrip('\n')

    def rows(self, text, database):
        return [json.loads(line) for line in self.sql(text, database).split('\n') if line]

    def backends(self):
        """Processes that work for a publisher."""
        found = []
        for name in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{name}/stat') as file:
                    parent = int(file.read().rsplit(')', 1)[1].split()[1])
                with open(f'/proc/{name}/cmdline', 'rb') as file:
                    words = file.read()
            except (OSError, IndexError):
                continue
            if parent == self.process.pid and b'postgres: dcamp' in words:
                found.append(int(name))
        return found

    def children(self):
        with open(f'/proc/{self.process.pid}/task/{self.process.pid}/children') as file:
            return [int(pid) for pid in file.read().split()]

    def crash(self):
        """kill -9 of all of it."""
        pids = self.children()
        self.process.kill()
        self.process.wait()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        common.until(lambda: not any(os.path.exists(f'/proc/{pid}') for pid in pids))

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def number(text):
    return text if text is None else int(text)


def base(entry):
    return tuple(common.clean(entry[name]) for name in ('path', 'node', 'sensor', 'instance', 'metric', 'unit')) + (entry['t'],)


STATES = {'valid': 1, 'gap': 3, 'unavailable': 4}


def expected_rows(entries):
    values, windows, steps, keys = [], [], [], []
    for entry in entries:
        if entry.get('nameless', True):
            continue
        if entry['kind'] == 'value':
            values.append(base(entry) + (entry.get('value'), STATES[entry['state']]))
        elif entry['kind'] == 'window':
            histogram = entry.get('histogram')
            buckets = None if histogram is None else tuple(sorted(tuple(pair) for pair in histogram if pair[1]))
            windows.append(base(entry) + tuple(entry.get(name) for name in (
                'window_ms', 'count', 'min', 'max', 'mean', 'm2', 'sum', 'expected', 'oldest_ms')) + (buckets,))
        elif entry['kind'] == 'record':
            steps.append(base(entry) + tuple(entry.get(name) for name in (
                'start_ns', 'duration_ns', 'sequence', 'result', 'cpu_ns', 'allocated')) + (common.clean(entry['below']),))
        elif entry['kind'] == 'keys':
            for key in entry['keys'] or [{'key': None, 'count': None, 'error': None}]:
                text = key['key']
                keys.append(base(entry) + (entry['absent'], text if text is None else text.encode('latin-1').hex(),
                                           key['count'], key['error']))
    return values, windows, steps, keys


def expected_alarms(entries):
    """What is left of all that was told: by node, boot, id and since."""
    alarms = {}
    for entry in entries:
        if entry['kind'] not in ('alarm', 'alarm-cleared'):
            continue
        owner = (common.clean(entry['path']), entry['boot'], entry['id'])
        since = entry.get('since_ms')
        for key, alarm in alarms.items():
            if key[:3] == owner and key[3] != since and alarm['cleared'] is None:
                alarm['cleared'] = entry['t']
        if entry['kind'] == 'alarm':
            alarms[owner + (since,)] = dict(
                {name: common.clean(entry[name]) for name in (
                    'below', 'key', 'alarm_node', 'threshold', 'alarm_sensor', 'alarm_instance', 'value', 'limit', 'message',
                    'acknowledged')}, cleared=None, told=entry['t'], severity=entry['severity'], index=entry['index'],
                acknowledged_ms=entry['acknowledged_ms'] or None)
    return [key + tuple(sorted(alarm.items(), key=lambda item: item[0])) for key, alarm in alarms.items()]


MS = 'round(extract(epoch FROM {}) * 1000)::bigint'
SERIES = (f"n.path, n.name, s.sensor, s.instance, s.metric, s.unit, {MS.format('t.time')}")
FROM = 'FROM dcamp.{} t JOIN dcamp.series s ON s.id = t.series JOIN dcamp.node n ON n.id = s.node'


class Postgresql(common.Case):
    databases = 0

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        Postgresql.databases += 1
        self.database = f'test{Postgresql.databases}'
        self.server.sql(f'CREATE DATABASE {self.database} OWNER dcamp')
        self.local = f'host={self.server.directory} port={self.server.port} user=dcamp dbname={self.database}'

    def driver(self, *words, location=None):
        return common.Driver('postgresql', location or self.local, *words)

    def told(self, table, columns):
        text = f'SELECT json_build_array({SERIES}, {columns}) ' + FROM.format(table)
        return self.server.rows(text, self.database)

    def compare(self, driver):
        entries = driver.expected()
        values, windows, steps, keys = expected_rows(entries)
        self.assertTrue(values and windows and steps and keys)
        self.same([tuple(row) for row in self.told('value', 't.value, t.state')], values)
        told = self.told('window', 't.window_ms, t.count, t.min, t.max, t.mean, t.m2, t.sum, t.expected, t.oldest_ms, '
                         't.bucket, t.bucket_count')
        self.same([tuple(row[:-2]) + (None if row[-2] is None else tuple(zip(row[-2], row[-1])),) for row in told], windows)
        for row in told:
            if row[-2] is not None:
                self.assertEqual(row[-2], sorted(row[-2]))
        told = self.told('step', 't.start_ns, t.duration_ns, t.sequence, t.result, t.cpu_ns, t.allocated, t.node')
        self.same([tuple(row) for row in told], steps)
        told = self.told('top_key', "t.absent, encode(t.key, 'hex'), t.count, t.error")
        self.same([tuple(row) for row in told], keys)
        self.compare_alarms(entries)
        self.assertEqual(self.server.sql('SELECT count(*), min(next), max(next) FROM dcamp.cursor', self.database),
                         '|'.join(map(str, (len({(e['path'], e['boot']) for e in entries}), *[max(e['block'] for e in entries) + 1] * 2))))

    def compare_alarms(self, entries):
        text = (f"SELECT json_build_array(n.path, a.boot, a.id, {MS.format('since')}, json_build_object('below', a.path, 'key', key, "
                "'alarm_node', alarm_node, 'threshold', threshold, 'alarm_sensor', sensor, 'alarm_instance', instance, 'value', "
                "value, 'limit', \"limit\", 'message', message, 'acknowledged', acknowledged_by, 'severity', severity, 'index', "
                f"index, 'told', {MS.format('told')}, 'cleared', {MS.format('cleared')}, 'acknowledged_ms', "
                f"{MS.format('acknowledged')})) FROM dcamp.alarm a JOIN dcamp.node n ON n.id = a.node")
        told = [tuple(row[:4]) + tuple(sorted(row[4].items(), key=lambda item: item[0])) for row in self.server.rows(text, self.database)]
        self.same(told, expected_alarms(entries))

    def test_every_entry(self):
        driver = self.driver('--streams', '8', '--blocks', '40')
        said = driver.run()
        self.assertEqual((said.returncode, said.stderr), (0, ''))
        self.compare(driver)
        # Once more: everything is there.
        said = driver.run()
        self.assertEqual(said.stdout.splitlines()[-1], 'done')
        self.assertNotIn('committed', said.stdout)
        self.compare(driver)

    def test_publisher_killed(self):
        driver = self.driver('--streams', '6', '--blocks', '30', '--seed', '2')
        self.assertGreater(driver.run_killed(), 5)
        self.compare(driver)

    def meanwhile(self, driver, harm, *words):
        """Does that again and again while blocks are given, at least a few times."""
        process = driver.start('--retry', '1000', '--batch', '2', *words)
        self.assertTrue(process.stdout.readline())
        said = []
        reader = threading.Thread(target=lambda: said.extend(process.communicate()))
        reader.start()
        times = 0
        while reader.is_alive() and times < KILLS:
            times += harm()
            time.sleep(random.random() / 20)
        reader.join(100)
        common.end(process)
        self.assertEqual(process.returncode, 0, said)
        self.assertGreater(times, 1)
        return said

    def test_backend_killed(self):
        """The server ends all others, too, and recovers."""
        driver = self.driver('--streams', '6', '--blocks', KILLED_BLOCKS, '--seed', '3')

        def harm():
            pids = self.server.backends()
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            if pids:
                common.until(self.server.answers)
            return bool(pids)

        self.meanwhile(driver, harm)
        self.compare(driver)

    def test_server_killed(self):
        driver = self.driver('--streams', '6', '--blocks', KILLED_BLOCKS, '--seed', '4')

        def harm():
            if not self.server.backends():
                return False
            self.server.crash()
            self.server.start()
            return True

        self.meanwhile(driver, harm)
        self.compare(driver)

    def test_server_restarted(self):
        driver = self.driver('--streams', '4', '--blocks', KILLED_BLOCKS, '--seed', '5')

        def harm():
            if not self.server.backends():
                return False
            self.server.process.send_signal(signal.SIGINT)
            self.server.process.wait()
            self.server.start()
            return True

        self.meanwhile(driver, harm)
        self.compare(driver)

    def test_server_hangs(self):
        """A process that never answers is given up, with one line, and what was given is given again."""
        driver = self.driver('--streams', '4', '--blocks', '200' if common.SHORT else '800', '--batch', '2', '--seed', '6', location=self.local + ' connect_timeout=2')
        process = driver.start()
        common.until(self.server.backends)
        process.stdout.readline()
        pids = self.server.backends()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, out)
        self.assertRegex(err, r'^[^\n]*: postgresql [^\n]*: nothing was heard of the server for 2 seconds\n$')
        # Its end is not waited for: the next process is told that another one publishes there.
        said = driver.run()
        self.assertEqual(said.returncode, 3)
        self.assertRegex(said.stderr, r'^[^\n]*another process publishes there by the same name[^\n]*\n$')
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(driver.run('--retry', '50').returncode, 0)
        self.compare(driver)

    def test_postmaster_hangs(self):
        driver = self.driver(location=f'host=127.0.0.1 port={self.server.port} user=dcamp dbname={self.database} connect_timeout=2')
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            said = driver.run()
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.assertEqual(said.returncode, 3)
        self.assertRegex(said.stderr, r'^[^\n]*127\.0\.0\.1[^\n]*\n$')

    def test_password(self):
        driver = self.driver(location=f'postgresql://dcamp@127.0.0.1:{self.server.port}/{self.database}')
        credentials = self.server.directory + '/credentials'
        for text, status in (("user dcamp\npassword se cret'#\n", 0), ('user dcamp\npassword wrong-one\n', 3), ('token x\n', 3)):
            with open(credentials, 'w') as file:
                file.write(text)
            os.chmod(credentials, 0o600)
            said = driver.run('--credentials', credentials)
            self.assertEqual(said.returncode, status, said.stderr)
            self.assertEqual(said.stderr.count('\n'), status // 3)
            self.assertNotIn('wrong-one', said.stderr)
        self.compare(driver)

    def refused(self, location, why):
        said = self.driver(location=location).run()
        self.assertEqual(said.returncode, 3)
        self.assertRegex(said.stderr, f'^[^\n]*{why}[^\n]*\n$')
        self.assertNotIn('hush', said.stderr)

    def test_wrong_settings(self):
        self.refused('postgresql://dcamp:hush@127.0.0.1/x', 'a password does not belong there')
        self.refused(self.local + ' password=hush', 'a password does not belong there')
        self.refused('nonsense hush', 'neither a connection URI nor keywords and values')
        self.refused(self.local + ' connect_timeout=soon', 'connect_timeout=soon: expected seconds')
        self.refused('host=127.0.0.1 port=1 user=dcamp', 'refused')
        self.refused(f'host={self.server.directory} port={self.server.port} user=dcamp dbname=absent', 'absent.*does not exist')

    def test_other_schema(self):
        self.assertEqual(self.driver().run().returncode, 0)
        self.server.sql('UPDATE dcamp.version SET version = 77', self.database)
        self.refused(self.local, 'the schema dcamp is of version 77, and this program writes version 1')
        self.server.sql('DROP SCHEMA dcamp CASCADE; CREATE SCHEMA dcamp AUTHORIZATION dcamp; CREATE TABLE dcamp.mine ()', self.database)
        self.refused(self.local, 'has tables of somebody else')

    def test_rights(self):
        """Who may not make the schema is told so; one that was made for it will do."""
        self.server.sql(f'ALTER DATABASE {self.database} OWNER TO postgres')
        self.refused(self.local, 'permission denied')
        self.server.sql('CREATE SCHEMA dcamp AUTHORIZATION dcamp', self.database)
        driver = self.driver()
        self.assertEqual(driver.run().returncode, 0)
        self.compare(driver)

    def test_partitions(self):
        """One a day, what has no day yet is moved, and what is old goes, with its partition."""
        day = 86400000
        start = 1795737598000
        late, early = (self.driver('--streams', '2', '--blocks', '2', '--seed', seed, '--start', str(when)) for seed, when in (
            ('7', start), ('8', start - 3 * day)))
        self.assertEqual(early.run('--name', 'early').returncode, 0)
        self.assertEqual(late.run('--name', 'late').returncode, 0)
        days = "SELECT string_agg(right(inhrelid::regclass::text, 8), ' ' ORDER BY 1) FROM pg_inherits WHERE inhparent = 'dcamp.value'::regclass AND inhrelid::regclass::text ~ '[0-9]$'"
        self.assertIn('20261126', self.server.sql(days, self.database))
        self.assertEqual(self.server.sql('SELECT count(*) FROM dcamp.value_elsewhen', self.database), '0')
        process = late.start('--name', 'late', '--hold', '--raw', '86400')
        common.until(lambda: self.server.sql(days, self.database) == '20261126 20261127 20261128')
        process.stdin.close()
        self.assertEqual(process.wait(30), 0, process.stderr.read())
        self.assertEqual(self.server.sql(f"SELECT count(*) FROM dcamp.value WHERE time < '2026-11-25 00:00+00'", self.database), '0')

    def test_drop_fails(self):
        """Somebody's view is in the way of a day that is old: it is said, once a step, and blocks are taken."""
        day = 86400000
        start = 1795737598000
        for i in range(5, 2, -1):
            early = self.driver('--streams', '2', '--blocks', '2', '--start', str(start - i * day))
            self.assertEqual(early.run('--name', f'early{i}').returncode, 0)
        self.server.sql('CREATE VIEW public.mine AS SELECT * FROM dcamp.value_20261121', self.database)
        process = self.driver('--streams', '2', '--blocks', '2', '--start', str(start)).start('--hold', '--raw', '86400')
        self.addCleanup(common.end, process)
        self.assertRegex(process.stderr.readline(), 'old days are not dropped: .* 2BP01: cannot drop')
        time.sleep(1)  # it does not try again and again
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, err), (0, ''))
        self.assertIn('done', out)

    def test_views(self):
        self.assertEqual(self.driver('--streams', '6', '--blocks', '60').run().returncode, 0)
        for view in ('node', 'runtime_performance', 'jvm_profile', 'execution_profile', 'resource_snapshot'):
            self.server.sql(f'SELECT * FROM dcamp.research_{view}', self.database)
        count = 'SELECT count(*) FROM dcamp.'
        self.assertEqual(self.server.sql(count + 'research_node', self.database), '3')
        self.assertEqual(self.server.sql(count + 'research_runtime_performance', self.database),
                         self.server.sql(count + 'step', self.database))

    def test_two_at_a_time(self):
        """Publishers of the same database that begin at the same time: the schema is made once."""
        drivers = [self.driver('--seed', str(seed), location=self.local + f' application_name=p{seed}') for seed in range(4)]
        processes = [driver.start() for driver in drivers]
        for process in processes:
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err), (0, ''), out)
        self.assertEqual(self.server.sql('SELECT count(*) FROM dcamp.publisher', self.database), '4')
        values = [row for driver in drivers for row in expected_rows(driver.expected())[0]]
        self.same([tuple(row) for row in self.told('value', 't.value, t.state')], values)


if __name__ == '__main__':
    unittest.main()
