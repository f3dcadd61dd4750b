#!/usr/bin/env python3
"""The sink mqtt with a real mosquitto: each line comes, under its topic, whoever was killed meanwhile, and what comes
twice says so.

The subscriber is there all the time, with QoS 0: mosquitto writes a message to its socket before it confirms it to the
publisher. So what was confirmed is heard even if the broker is killed right after that, although it has saved nothing."""
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import common

MOSQUITTO = common.need('mosquitto', 'mosquitto')
SUBSCRIBER = common.need('mosquitto_sub', 'mosquitto-clients')
PUBLISHER = common.need('mosquitto_pub', 'mosquitto-clients')
# While the broker is killed so many times at most, so many blocks of each stream are given.
KILLS, KILLED_BLOCKS = (3, '60') if common.SHORT else (8, '300')


class Broker:
    """A mosquitto, and one who hears all below a/ of it, in a file that outlives both."""

    def __init__(self):
        self.directory = common.temporary('mosquitto')
        self.port = common.free_port()
        self.heard = self.directory + '/heard'
        self.process = self.subscriber = None
        self.connected = 0  # sockets of a subscriber that is
        self.marks = 0
        with open(self.directory + '/conf', 'w') as file:
            file.write(f'listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nset_tcp_nodelay true\n'
                       f'acl_file {self.directory}/acl\n')
        with open(self.directory + '/acl', 'w') as file:
            file.write('topic readwrite a/#\ntopic read #\n')
        self.start()

    def mark(self):
        """A message that is heard behind all that came before; whether the broker took it."""
        self.marks += 1
        return subprocess.run([PUBLISHER, '-p', str(self.port), '-t', 'a/mark', '-q', '1', '-m', str(self.marks)],
                              capture_output=True, timeout=30).returncode == 0

    def has_mark(self):
        with open(self.heard, 'rb') as file:
            file.seek(-min(os.path.getsize(self.heard), 1000), os.SEEK_END)
            return f'a/mark {self.marks}\n'.encode() in file.read()

    def start(self):
        self.process = subprocess.Popen([MOSQUITTO, '-c', self.directory + '/conf'], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **common.demote('mosquitto'))
        common.until(self.mark)
        with open(self.heard, 'ab') as file:
            self.subscriber = subprocess.Popen([SUBSCRIBER, '-p', str(self.port), '-t', 'a/#', '-F', '%t %p'],
                                               stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL)
        common.until(lambda: self.mark() and self.has_mark())
        self.connected = self.sockets()

    def sockets(self):
        """That the subscriber has open."""
        directory = f'/proc/{self.subscriber.pid}/fd'
        links = [os.path.join(directory, name) for name in os.listdir(directory)]
        return sum(os.path.lexists(link) and os.readlink(link).startswith('socket:') for link in links)

    def kill(self):
        """What it wrote to the subscriber is heard to the end: then that closes its connection, and tries another one."""
        common.end(self.process)
        common.until(lambda: self.sockets() < self.connected)
        common.end(self.subscriber)

    def messages(self):
        """All that was heard: topics and objects."""
        common.until(lambda: self.mark() and self.has_mark())
        with open(self.heard, encoding='utf-8') as file:
            lines = [line.rstrip('\n').split(' ', 1) for line in file]
        return [(topic, json.loads(text)) for topic, text in lines if topic != 'a/mark']

    def forget(self):
        """What was heard."""
        common.until(lambda: self.mark() and self.has_mark())
        os.truncate(self.heard, 0)

    def close(self):
        common.end(self.subscriber)
        common.end(self.process)
        shutil.rmtree(self.directory, True)


def number(value):
    return None if value is None else float(value)


def expected_lines(driver):
    """What each line of each block says: its kind, its time, and numbers."""
    lines, count = {}, {}
    for entry in driver.expected():
        block = (common.clean(entry['path'] or entry['node']), entry['boot'], entry['block'])
        for key in entry.get('keys', [{}]):
            at = count.get(block, 0)
            count[block] = at + 1
            if entry.get('nameless') or entry['kind'] == 'alarms' or (entry['kind'] == 'window' and 'count' not in entry):
                continue
            kind = 'key' if entry['kind'] == 'keys' else entry['kind']
            lines[block + (at,)] = (kind, entry['t'], number(entry.get('value')) if kind == 'value' else None, entry.get('id'),
                                    number(key.get('count', entry.get('count'))))
    return lines


class Mqtt(common.Case):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.close)

    def driver(self, *words, options='', prefix='a/b'):
        driver = common.Driver('mqtt', f'mqtt://127.0.0.1:{self.broker.port}/{prefix}{options}', *words)
        driver.words += ['--cursors', self.broker.directory + '/cursors']
        return driver

    def check_topic(self, topic, said):
        self.assertTrue(topic.startswith('a/b/'))
        levels = topic.split('/')
        self.assertEqual(len(levels), 5 if said['kind'] == 'value' else 6, topic)
        self.assertNotRegex(topic, '[+#\x00-\x1f]')
        if said['kind'] in ('window', 'record', 'key'):
            self.assertEqual(said['kind'], levels[5])

    def told(self):
        """By their blocks and numbers; and how many came more than once: those were the same in all."""
        lines, all_of, again = {}, {}, 0
        for topic, said in self.broker.messages():
            self.check_topic(topic, said)
            boot, _, node = said['stream'].split(':', 2)
            key = (node, int(boot), said['block'], said['line'])
            again += key in lines
            self.assertEqual(all_of.setdefault(key, (topic, said)), (topic, said))
            lines[key] = (said['kind'], said['t'], number(said.get('value')) if said['kind'] == 'value' else None, said.get('id'),
                          number(said.get('count')))
        return lines, again

    def compare(self, driver):
        """Nothing is missing, nothing is told that was not said. How many lines came again."""
        told, again = self.told()
        expected = expected_lines(driver)
        self.assertEqual([(key, told.get(key), line) for key, line in expected.items() if told.get(key) != line][:3], [],
                         f'missing or other ones, of {len(expected)}')
        self.assertEqual([key for key in told if key not in expected][:3], [], 'too many')
        return again

    def test_every_line(self):
        for options in ('', '?qos=2&version=5', '?version=3.1.1'):
            driver = self.driver('--streams', '4', '--blocks', '20', options=options)
            said = driver.run()
            self.assertEqual((said.returncode, said.stderr), (0, ''))
            self.assertEqual(self.compare(driver), 0)
            os.unlink(self.broker.directory + '/cursors')
            self.broker.forget()

    def test_publisher_killed(self):
        """With QoS 2, too, what was on its way comes again: its session was in memory."""
        for options in ('', '?qos=2'):
            driver = self.driver('--streams', '4', '--blocks', '40', '--seed', '2', options=options)
            kills = driver.run_killed(2000, 2000)
            self.assertGreater(kills, 5)
            again = self.compare(driver)
            print(f'mqtt{options}: {again} lines came again after {kills} kills')
            os.unlink(self.broker.directory + '/cursors')
            self.broker.forget()

    def crash_broker(self, process):
        """At any moment; the publisher goes on when there is somebody again who hears it."""
        self.broker.process.kill()
        process.send_signal(signal.SIGSTOP)
        try:
            self.broker.kill()
            self.broker.start()
        finally:
            process.send_signal(signal.SIGCONT)

    def test_broker_killed(self):
        for options, seed in (('', '3'), ('?qos=2', '4')):
            driver = self.driver('--streams', '4', '--blocks', KILLED_BLOCKS, '--seed', seed, options=options)
            process = driver.start('--retry', '1000', '--batch', '4')
            self.addCleanup(common.end, process)
            kills = 0
            while kills < KILLS and process.poll() is None:
                process.stdout.readline()  # something was committed since
                time.sleep(random.random() / 50)
                self.crash_broker(process)
                kills += 1
            out, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
            self.assertGreaterEqual(kills, 2)
            again = self.compare(driver)
            print(f'mqtt{options}: {again} lines came again after {kills} kills of the broker')
            os.unlink(self.broker.directory + '/cursors')
            self.broker.forget()

    def test_dcamp_publish_killed(self):
        """Its process of the sink, and all of it: what a real node has reported is heard, and what comes again says so."""
        whole = common.Whole(f'kind="mqtt" location="mqtt://127.0.0.1:{self.broker.port}/a/b"')
        self.addCleanup(whole.close)
        common.until(whole.is_up)
        for kill in (whole.kill_worker, whole.kill_publisher) * 2:
            before = len(whole.reported())
            common.until(lambda: len(whole.reported()) > before + 10)
            kill()
        reported = set((*key, value) for key, value in whole.reported().items())

        def heard():
            return {(said['sensor'], said['t'], f'{said["value"]:g}') for _, said in self.broker.messages()
                    if said['kind'] == 'value' and said['state'] == 'valid'}

        self.assertGreater(len(reported), 30)
        common.until(lambda: heard() >= reported)
        all_of = {}
        for topic, said in self.broker.messages():
            key = (said['stream'], said['block'], said['line'], said['t'])
            self.assertEqual(all_of.setdefault(key, (topic, said)), (topic, said))
        times = [(said['stream'], said['sensor'], said['instance'], said['t']) for _, said in all_of.values() if said['kind'] == 'value']
        self.assertEqual(len(times), len(set(times)), 'without what came again, each value is there once')

    def test_broker_hangs(self):
        driver = self.driver('--blocks', '10', options='?timeout=1')
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            said = driver.run()
        finally:
            self.broker.process.send_signal(signal.SIGCONT)
        self.assertEqual(said.returncode, 3)
        self.assertRegex(said.stderr, r'^[^\n]*mqtt 127\.0\.0\.1:\d+: nothing was heard of the broker for 1 seconds\n$')

    def test_broker_refuses(self):
        """One that accepts and loses: it says so in MQTT 5."""
        said = self.driver('--blocks', '3', prefix='forbidden').run()
        self.assertEqual(said.returncode, 3)
        self.assertRegex(said.stderr, r'^[^\n]*the broker refuses a message: Not authorized[^\n]*\n$')

    def test_wrong_settings(self):
        for location, why in (('mqtt://u:hush@h/x', 'a user or a password does not belong there'), ('http://h', 'expected mqtt://'),
                              ('mqtt://h/a+b', 'topics'), ('mqtt://h/?qos=3', 'qos: expected a number from 1 to 2'),
                              ('mqtt://h/?x=3', 'there is no option x'), ('mqtt://127.0.0.1:1', 'refused')):
            said = common.Driver('mqtt', location).run()
            self.assertEqual(said.returncode, 3)
            self.assertRegex(said.stderr, f'^[^\n]*{why}[^\n]*\n$')
            self.assertNotIn('hush', said.stderr)


if __name__ == '__main__':
    unittest.main()
