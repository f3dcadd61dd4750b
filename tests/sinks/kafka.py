#!/usr/bin/env python3
"""The sink kafka with the mock cluster of librdkafka, which can be told what goes wrong, and with a broker of
these tests, which has transactions: what kcat reads of what is committed is each line once, whoever was killed.

What can be said with the mock cluster of 2.0.2, by its source: it checks who produces and in what order, and takes a
request that comes again once, but it shows what is not committed to everybody, and when it is killed, all is gone.
So it is killed in two ways. Front: what stands before it is killed, with every connection at whatever point, and so
is the publisher; what the cluster has taken stays, as on the disk of a broker, and the front knows which of it is
committed: nothing is lost, nothing is there twice. Mock.test_cluster_killed: the cluster itself, with all it had,
which no publisher can bring back; all that was not confirmed comes, and nothing that was."""
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import common

KCAT = common.need('kcat', 'kcat')
CLUSTER = os.path.join(common.BUILD, 'tests/sinks/kafka-cluster')
BROKER = os.path.join(common.TOP, 'tests/sinks/kafka-broker')
FRONT = os.path.join(common.TOP, 'tests/sinks/kafka-front')

# How often a publisher or a cluster is killed in one test, and the blocks of each stream meanwhile.
KILLS, BLOCKS = (5, '100') if common.SHORT else (20, '250')

# Of the protocol: requests and errors.
PRODUCE, FETCH, METADATA, INIT, ADD, END = 0, 1, 3, 22, 24, 26
NOT_LEADER, LEADER_NOT_AVAILABLE, UNKNOWN_TOPIC, FORBIDDEN_TOPIC, CONCURRENT, FENCED, TOO_LARGE, NO_COORDINATOR = 6, 5, 3, 29, 51, 90, 10, 15
FORBIDDEN_ID = 53


def expected_lines(driver, first=None):
    """Of what the driver gives, as line_of() has it, however often each; of boots in `first`, from that block on."""
    lines = collections.Counter()
    for entry in driver.expected():
        if entry['block'] < (first or {}).get(entry['boot'], 0) or entry.get('nameless') or entry['kind'] == 'alarms' or (
                entry['kind'] == 'window' and 'count' not in entry):
            continue
        for key in entry.get('keys', [{}]):
            lines[line_of(dict(entry, kind='key', **key) if entry['kind'] == 'keys' else entry)] += 1
    return lines


def line_of(said):
    """Kind and numbers of a line, in which no text is."""
    def number(name):
        return None if said.get(name) is None else repr(float(said[name]))
    kind = said['kind']
    return (kind, said['t'], number('value') if kind == 'value' else '', said.get('id'), number('count') if kind in ('window', 'key') else None)


class AtWork:
    """A driver that goes on whatever happens to the cluster, and what it says, as it comes."""

    def __init__(self, case, driver):
        self.case, self.said, self.errors = case, [], []
        self.process = driver.start('--retry', '1000', '--batch', '2')
        case.addCleanup(common.end, self.process)
        self.readers = [threading.Thread(target=lines.extend, args=(file,))
                        for file, lines in ((self.process.stdout, self.said), (self.process.stderr, self.errors))]
        for reader in self.readers:
            reader.start()

    def commits(self):
        return sum(line.startswith('committed') for line in self.said)

    def goes_on(self):
        before = self.commits()
        common.until(lambda: self.commits() > before + 5 or self.process.poll() is not None)
        self.case.assertIsNone(self.process.poll(), 'it has come to its end before')

    def ends_well(self):
        for reader in self.readers:
            reader.join(300)
        with self.process:
            self.case.assertEqual(self.process.wait(60), 0, self.errors)
        self.case.assertEqual(self.said[-1], 'done\n')


class Kafka(common.Case):
    server = None

    def setUp(self):
        self.directory = common.temporary()
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.port = common.free_port()
        self.addCleanup(self.end)

    def command(self, *words):
        raise NotImplementedError

    def start(self, *words):
        self.words = words
        self.server = self.begin(self.command(*words))

    def begin(self, command):
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertRegex(server.stdout.readline(), '^ready')
        return server

    def end(self):
        self.server = self.kill(self.server)

    @staticmethod
    def kill(server):
        common.end(server)
        for file in (server.stdin, server.stdout) if server else ():
            file.close()

    def restart(self):
        self.end()
        self.start(*self.words)

    def driver(self, *words, options='timeout=10', scheme='kafka'):
        return common.Driver('kafka', f'{scheme}://127.0.0.1:{self.port}/a?{options}', *words)

    def read(self, isolation='committed', topic='a'):
        # From 0: kcat would wait half a second before it knows where the beginning is.
        options = f'isolation.level=read_{isolation}', 'fetch.wait.max.ms=10', 'auto.offset.reset=earliest'
        said = subprocess.run([KCAT, '-C', '-b', f'127.0.0.1:{self.port}', '-t', topic, '-o', '0', '-e', '-q', '-J',
                               *(word for option in options for word in ('-X', option))], capture_output=True, timeout=100)
        self.assertEqual(said.returncode, 0, said.stderr)
        return [json.loads(line) for line in said.stdout.splitlines()]

    def lines(self, isolation='committed'):
        """Those that came; a key is in one partition, and the message has the time, the boot and the block of its line."""
        partitions, lines = {}, collections.Counter()
        for message in self.read(isolation):
            said = json.loads(message['payload'])
            self.assertEqual(message['ts'], said['t'])
            self.assertEqual(message['headers'][::2], ['boot', 'block'])
            self.assertEqual(partitions.setdefault(message['key'], message['partition']), message['partition'])
            lines[line_of(said)] += 1
        return lines

    def compare(self, driver):
        self.same(self.lines().elements(), expected_lines(driver).elements())

    def succeeds(self, said):
        self.assertEqual((said.returncode, said.stderr), (0, ''))

    def fails(self, said, why):
        self.assertEqual(said.returncode, 3, said.stdout)
        self.assertRegex(said.stderr, rf'\A[^\n]*{why}[^\n]*\n\Z')
        self.assertNotIn('hush', said.stderr)


class Killing(Kafka):
    """The publisher and the cluster are killed by -9 again and again, while they are at work."""

    def killed(self, driver, generator):
        """What the publisher has said: somewhere between its start and its twentieth commit or so."""
        process = driver.start('--batch', '2')
        said = ''.join(process.stdout.readline() for _ in range(generator.randrange(20)))
        time.sleep(generator.random() / 50)
        process.kill()
        with process:
            return said + process.stdout.read(), process.wait()

    def aborted(self):
        """How much is there that is not committed."""
        return (self.lines('uncommitted') - self.lines()).total()

    def test_process_killed(self):
        """And then once not: what was under way is aborted, and what was confirmed is not given again."""
        self.start()
        driver = self.driver('--streams', '6', '--blocks', BLOCKS, '--seed', '2')
        generator = random.Random(18)
        confirmed, killed, told_again = {}, 0, 0
        while killed < KILLS or not self.aborted():
            said, status = self.killed(driver, generator)
            self.assertEqual(status, -signal.SIGKILL, 'it has come to the end before')
            killed += 1
            told = dict(re.findall(r'^cursor (\d+) (\d+)$', said, re.M))
            for stream, number in confirmed.items() if told else ():
                self.assertGreater(int(told.get(stream, 0)), int(number), 'what was confirmed is there')
                told_again += 1
            confirmed.update(re.findall(r'^committed (\d+) (\d+)$', said, re.M))
        self.assertGreater(told_again, killed / 2)
        self.succeeds(driver.run())
        self.compare(driver)

    def test_cluster_killed(self):
        """At times of which nobody knows how a commit ended."""
        self.start()
        driver = self.driver('--streams', '6', '--blocks', BLOCKS, '--seed', '3')
        at_work = AtWork(self, driver)
        generator = random.Random(18)
        for _ in range(KILLS):
            at_work.goes_on()
            time.sleep(generator.random() / 50)
            self.restart()
        at_work.ends_well()
        self.compare(driver)

    def test_both_killed(self):
        self.start()
        driver = self.driver('--streams', '6', '--blocks', BLOCKS, '--seed', '4')
        generator = random.Random(4)
        for _ in range(KILLS):
            process = driver.start('--batch', '2')
            for _ in range(generator.randrange(12)):
                process.stdout.readline()
            process.kill()
            self.restart()
            with process:
                process.wait()
        self.succeeds(driver.run())
        self.compare(driver)


class Broker(Killing):
    """The broker of these tests."""

    def command(self, *words):
        return [sys.executable, '-B', BROKER, str(self.port), self.directory + '/journal', *words]

    def test_every_line(self):
        self.start()
        for round, options in enumerate(('', 'compression=none', 'compression=zstd&positions=other')):
            driver = self.driver('--streams', '4', '--blocks', '20', '--seed', str(round), options=options)
            before = self.lines() if round else collections.Counter()
            self.succeeds(driver.run('--name', f'round{round}'))
            self.same((self.lines() - before).elements(), expected_lines(driver).elements())
        self.assertTrue(self.read(topic='other'))

    def test_goes_on(self):
        self.start()
        driver = self.driver('--streams', '4', '--blocks', '20')
        self.succeeds(driver.run())
        said = driver.run()
        self.assertEqual(said.stdout.splitlines(), [f'cursor {i} 21' for i in range(4)] + ['done'])
        self.compare(driver)

    def test_goes_on_after_long(self):
        """A cursor that is as old as those that are removed is told anew, and stays."""
        self.start()
        self.succeeds(self.driver('--streams', '2', '--blocks', '5', '--seed', '2').run())
        later = str(1795737598000 + 100 * 86400 * 1000)
        driver = self.driver('--streams', '2', '--blocks', '10', '--seed', '2', '--start', later)
        for number in 6, 11:
            said = driver.run('--batch', '20')
            self.succeeds(said)
            self.assertEqual(dict(re.findall(r'^cursor (\d+) (\d+)$', said.stdout, re.M)), {'0': str(number), '1': str(number)})

    def test_dcamp_publish_killed(self):
        """Its process of the sink, and all of it: what a real node has reported is there, each value once."""
        self.start()
        whole = common.Whole(f'kind="kafka" location="kafka://127.0.0.1:{self.port}/a"')
        self.addCleanup(whole.close)
        common.until(whole.is_up)
        for kill in (whole.kill_worker, whole.kill_publisher) * (1 if common.SHORT else 2):
            before = len(whole.reported())
            common.until(lambda: len(whole.reported()) > before + 10)
            kill()
        reported = whole.reported()

        def have():
            lines = [json.loads(message['payload']) for message in self.read()]
            return collections.Counter((said['sensor'], said['t'], f'{said["value"]:g}') for said in lines
                                       if said['kind'] == 'value' and said['state'] == 'valid')

        expected = {(*key, value) for key, value in reported.items()}
        self.assertGreater(len(expected), 30)
        common.until(lambda: set(have()) >= expected)
        self.assertEqual([line for line, n in have().items() if n > 1], [])

    def test_taken_over(self):
        """Of two by one name, the older one says so, and has written nothing twice."""
        self.start()
        driver = self.driver('--streams', '2', '--blocks', '400', '--seed', '5')
        first = driver.start('--batch', '1')
        first.stdout.readline()
        self.succeeds(driver.run())
        out, err = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 3, out[-300:])
        self.assertRegex(err, r'\A[^\n]*another publisher by the name of [^\n]*/test has taken over\n\Z')
        self.compare(driver)

    def test_others_transaction(self):
        """Of a publisher that is dead: nobody else is held up, and what it gave then comes once."""
        self.start()
        first = self.driver('--streams', '2', '--blocks', '1', '--seed', '7')
        self.succeeds(first.run('--name', 'first'))
        other = self.driver('--streams', '2', '--blocks', '10000', '--seed', '6')
        process = other.start('--name', 'other', '--batch', '100000')
        self.addCleanup(common.end, process)
        common.until(self.aborted)
        process.kill()
        self.assertEqual(process.communicate(), ('', ''))
        driver = self.driver('--streams', '2', '--blocks', '20')
        self.succeeds(driver.run())
        # The same blocks, but not all of them.
        other = self.driver('--streams', '2', '--blocks', '40', '--seed', '6')
        self.succeeds(other.run('--name', 'other'))
        self.same(self.lines().elements(), (expected_lines(first) + expected_lines(driver) + expected_lines(other)).elements())

    def test_no_topic(self):
        self.start('--no-auto-create')
        self.fails(self.driver(options='timeout=2').run(), 'topic a: it is not there, and the cluster does not make it')
        # The topic of the cursors is made to be compacted.
        self.assertRegex(self.server.stdout.readline(), "^made a-positions 1 .*'cleanup.policy': 'compact'")

    def credentials(self, text):
        path = self.directory + '/credentials'
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def test_login(self):
        self.start('--login', "dcamp:se cret'#")
        driver = self.driver(options='timeout=5&sasl=PLAIN')
        self.succeeds(driver.run('--credentials', self.credentials("user dcamp\npassword se cret'#\n")))
        for text, why in (('user dcamp\npassword hush\n', 'no such user or password'), ('token hush\n', 'a user and a password, not a token')):
            self.fails(driver.run('--credentials', self.credentials(text)), why)
        self.fails(self.driver(options='timeout=5').run('--credentials', self.credentials('user dcamp\npassword hush\n')), 'SCRAM-SHA-512')
        self.end()
        self.start()
        self.compare(driver)

    def certificate(self):
        key, path = self.directory + '/key', self.directory + '/certificate'
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', path,
                        '-days', '2', '-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1'], check=True, capture_output=True)
        return path, key

    def test_tls(self):
        path, key = self.certificate()
        self.start('--tls', path, key, '--login', 'dcamp:secret')
        words = '--credentials', self.credentials('user dcamp\npassword secret\n')
        driver = self.driver(scheme='kafkas', options=f'timeout=5&ca={path}')
        self.succeeds(driver.run(*words))
        said = driver.run(*words)
        self.assertIn('cursor', said.stdout)
        self.assertNotIn('committed', said.stdout)
        self.fails(self.driver(scheme='kafkas', options='timeout=5').run(*words), 'certificate')
        self.fails(self.driver(options='timeout=2').run(), '.')


def tell(cluster, *words):
    cluster.stdin.write(' '.join(map(str, words)) + '\n')
    cluster.stdin.flush()
    said = cluster.stdout.readline()
    assert said == 'ok\n', said


def make_topics(cluster):
    tell(cluster, 'topic', 'a-positions', 1)
    tell(cluster, 'topic', 'a', 4)


class Front(Killing):
    """The mock cluster of librdkafka, three brokers behind what may be killed; and what they may answer."""
    cluster = None

    def setUp(self):
        super().setUp()
        ports = [self.port, common.free_port(), common.free_port()]
        self.behind = {port: common.free_port() for port in ports}
        self.addCleanup(lambda: self.kill(self.cluster))

    def command(self, *words):
        return [sys.executable, '-B', FRONT, self.directory + '/journal', *(f'{port}:{behind}' for port, behind in self.behind.items())]

    def start(self, *words):
        if not self.cluster:
            self.cluster = self.begin([CLUSTER, *(f'{behind}:{port}' for port, behind in self.behind.items())])
            make_topics(self.cluster)
            for api, version in ((PRODUCE, 3), (FETCH, 4), (INIT, 1), (END, 1)):
                tell(self.cluster, 'speak', api, version)
        super().start(*words)

    def test_errors_that_pass(self):
        """The library tries again: nothing is said, nothing is lost or doubled."""
        self.start()
        driver = self.driver('--streams', '4', '--blocks', '40', '--seed', '3')
        for api, code in ((PRODUCE, NOT_LEADER), (INIT, CONCURRENT), (INIT, NO_COORDINATOR), (ADD, CONCURRENT), (END, CONCURRENT), (END, NO_COORDINATOR),
                          (METADATA, LEADER_NOT_AVAILABLE)):
            tell(self.cluster, 'error', api, code, 2)
        self.succeeds(driver.run('--batch', '10'))
        self.compare(driver)

    def test_errors_that_abort(self):
        """One line says why it was at first; the next try has all of it, once."""
        self.start()
        for name, (api, code, why) in enumerate((
                (PRODUCE, FORBIDDEN_TOPIC, 'Permission denied: .*Broker: Topic authorization failed'),
                (PRODUCE, TOO_LARGE, 'Broker: Message size too large'),
                (ADD, FORBIDDEN_TOPIC, 'Permission denied: .*Broker: Topic authorization failed'),
                (ADD, FORBIDDEN_ID, 'Permission denied: .*Broker: Transactional Id authorization failed'),
                (END, FORBIDDEN_ID, 'Permission denied: .*Broker: Transactional Id authorization failed'),
                (END, FENCED, r'another publisher by the name of [^ ]*/5 has taken over'))):
            with self.subTest(api=api, why=why):
                before = self.lines()
                tell(self.cluster, 'error', api, code, 1)
                driver = self.driver('--streams', '4', '--blocks', '20', '--seed', str(name))
                said = driver.run('--name', str(name), '--retry', '1')
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertRegex(said.stderr, rf'\A[^\n]*{why}[^\n]*\n\Z')
                self.same((self.lines() - before).elements(), expected_lines(driver).elements())

    def test_refused_id(self):
        self.start()
        tell(self.cluster, 'error', INIT, FORBIDDEN_ID, 1)
        self.fails(self.driver().run(), 'Permission denied: .*Broker: Transactional Id authorization failed')

    def test_brokers_gone(self):
        """One of three, then the others, then all, and back again."""
        self.start()
        driver = self.driver('--streams', '4', '--blocks', '200', '--seed', '4')
        at_work = AtWork(self, driver)
        for brokers in ((1,), (2, 3), (1, 2, 3)):
            at_work.goes_on()
            for broker in brokers:
                tell(self.cluster, 'down', broker)
            time.sleep(0.3)
            for broker in brokers:
                tell(self.cluster, 'up', broker)
        at_work.ends_well()
        self.compare(driver)


class Mock(Kafka):
    """The mock cluster alone, which shows at once what is not committed: more may be seen than is."""

    def command(self, *words):
        return [CLUSTER, *(words or [str(self.port)])]

    def tell(self, *words):
        tell(self.server, *words)

    def start(self, *words):
        super().start(*words)
        make_topics(self.server)

    def test_every_line(self):
        self.start()
        driver = self.driver('--streams', '4', '--blocks', '20')
        self.succeeds(driver.run())
        self.compare(driver)
        self.assertNotIn('committed', driver.run().stdout)
        self.compare(driver)

    def test_cluster_killed(self):
        """With all it had. Of each stream, the new one at its address has what was not confirmed by then, to the end."""
        self.start()
        driver = self.driver('--streams', '2', '--blocks', '200', '--seed', '5')
        process = driver.start('--retry', '1000', '--batch', '2')
        self.addCleanup(common.end, process)
        said = ''.join(process.stdout.readline() for _ in range(20))
        self.assertEqual(re.findall(r'^committed (\d+) (\d+)$', said, re.M)[-2:], [('0', '10'), ('1', '10')])
        self.restart()
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        first = collections.defaultdict(lambda: 1000)
        for message in self.read():
            _, boot, _, block = map(str, message['headers'])
            first[int(boot)] = min(first[int(boot)], int(block))
        # What it has confirmed after that, up to its end, is gone, too.
        self.assertTrue(len(first) == 2 and all(10 < block < 200 for block in first.values()), first)
        self.same(self.lines().elements(), expected_lines(driver, first).elements())

    def test_cluster_hangs(self):
        """It is given up after its time, at any point, and the end is not held up."""
        self.start()
        driver = self.driver('--streams', '4', '--blocks', '4000', '--seed', '6', options='timeout=2')
        process = driver.start('--batch', '2')
        process.stdout.readline()
        self.server.send_signal(signal.SIGSTOP)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, out[-100:])
        self.assertRegex(err, r'\A[^\n]*kafka 127\.0\.0\.1:\d+: [^\n]*\n\Z')
        self.fails(driver.run(timeout=60), r'kafka 127\.0\.0\.1:\d+: ')
        self.server.send_signal(signal.SIGCONT)

    def test_no_cluster(self):
        self.fails(self.driver(options='timeout=2').run(timeout=60), 'Connection refused')

    def test_refused_topic(self):
        self.start()
        for code, why in ((FORBIDDEN_TOPIC, 'topic a: Broker: Topic authorization failed'), (UNKNOWN_TOPIC, 'topic a: it is not there')):
            self.tell('refuse', 'a', code)
            self.fails(self.driver(options='timeout=2').run(), why)

    def test_wrong_settings(self):
        for location, why in (('kafka://u:hush@h/x', 'a user or a password does not belong there'), ('http://h/x', 'expected kafka://'),
                              ('kafka://h/a+b', 'a topic is'), ('kafka://h/x?timeout=1', 'timeout: expected a number from 2 to 50'),
                              ('kafka://h/?x=3', 'there is no option x'), ('kafka://h,/x', 'expected HOST or HOST:PORT')):
            self.fails(common.Driver('kafka', location).run(), re.escape(why))


if __name__ == '__main__':
    del Kafka, Killing
    unittest.main()
