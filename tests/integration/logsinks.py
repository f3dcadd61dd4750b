#!/usr/bin/env python3
"""The sinks syslog and journald, by tests/integration/publish-driver: what a real rsyslogd has received by its
socket, UDP and TCP, and what journalctl(1) reads from a real systemd-journald, is what the blocks said."""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from filesinks import BUILD, DRIVER, TOP, clean, expected, lines_of, node_of, run, time_of

sys.path.append(os.path.join(TOP, 'tests/sinks'))
from common import free_port  # noqa: E402

assert TOP and BUILD
WORDS = ['--blocks', '15']
JOURNALD = '/lib/systemd/systemd-journald'


def within(seconds, condition):
    end = time.monotonic() + seconds
    while not (said := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return said


def fields(entry):
    """Names and texts, as octets, in the order of a message."""
    alarm = entry['kind'] == 'alarm'
    names = ['alarm_sensor', 'alarm_instance'] if alarm else ['sensor', 'instance']
    told = [('node', node_of(entry)), ('group', entry['group']), ('sensor', entry[names[0]]), ('instance', entry[names[1]])]
    if not alarm:
        value = entry.get('value')
        told += [('metric', entry['metric']), ('value', '' if value is None else float(value)), ('unit', entry['unit']),
                 ('state', entry['state'])]
    else:
        told += [('value', entry['value']), ('state', {2: 'info', 3: 'warning', 4: 'critical'}[entry['severity']]),
                 ('limit', entry['limit']), ('threshold', entry['threshold']), ('acknowledged', entry['acknowledged']),
                 ('id', str(entry['id'])), ('message', entry['message'])]
    return tuple((name, text) for name, text in told if text != '')


def wanted(kinds, words):
    """What is to come, but for alarms that were cleared."""
    return collections.Counter((entry['kind'], time_of(entry), fields(entry)) for entry, _ in lines_of(expected(*words))
                               if entry['kind'] in kinds)


def cleaned(lines):
    return collections.Counter((kind, when, tuple((name, text if isinstance(text, float) else clean(text)) for name, text in all))
                               for (kind, when, all), n in lines.items() for _ in range(n))


def parse_message(text):
    """'value node=x ...' to its kind and fields."""
    kind, _, rest = text.partition(' ')
    told = []
    while rest:
        match = re.match(r'([a-z_]+)=(?:"((?:[^"\\]|\\.)*)"|([^ "=\\]*))(?: |$)', rest)
        assert match, rest
        name, quoted, bare = match.groups()
        value = bare if quoted is None else re.sub(r'\\(.)', r'\1', quoted)
        told.append((name, float(value) if name == 'value' and kind == 'value' else value))
        rest = rest[match.end():]
    return kind, tuple(told)


class Syslog(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix='dcamp-test.')
        self.addCleanup(shutil.rmtree, self.work)
        self.received, self.socket = os.path.join(self.work, 'received'), os.path.join(self.work, 'log')
        self.tcp, self.udp = free_port(), free_port()
        self.daemon = None

    def start(self):
        if not shutil.which('rsyslogd'):
            self.skipTest('rsyslogd is not installed')
        with open(os.path.join(self.work, 'conf'), 'w', encoding='utf-8') as file:
            file.write(f'''global(workDirectory="{self.work}" maxMessageSize="64k" parser.escapeControlCharactersOnReceive="on")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="{self.socket}" RateLimit.Interval="0")
module(load="imudp")
input(type="imudp" address="127.0.0.1" port="{self.udp}" rcvbufSize="4m")
module(load="imtcp")
input(type="imtcp" address="127.0.0.1" port="{self.tcp}")
template(name="all" type="string" string="%pri% %timereported:::date-rfc3339% %app-name% %structured-data% %msg%\\n")
action(type="omfile" file="{self.received}" template="all")
''')
        self.daemon = subprocess.Popen(['rsyslogd', '-n', '-i', os.path.join(self.work, 'pid'), '-f',
                                        os.path.join(self.work, 'conf')], stderr=subprocess.PIPE)
        self.addCleanup(self.stop)
        self.assertTrue(within(20, self.listens))

    def listens(self):
        """To all of them: its file pid says nothing of that."""
        bound = set()
        for protocol in 'tcp', 'udp':
            with open(f'/proc/net/{protocol}', encoding='ascii') as file:
                bound |= {(protocol, int(line.split()[1].split(':')[1], 16)) for line in file.readlines()[1:]
                          if protocol == 'udp' or line.split()[3] == '0A'}
        return os.path.exists(self.socket) and {('tcp', self.tcp), ('udp', self.udp)} <= bound

    def stop(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.communicate()
            self.daemon = None

    def lines(self):
        if not os.path.exists(self.received):
            return []
        with open(self.received, encoding='utf-8', newline='\n') as file:
            return file.read().split('\n')[:-1]

    def check(self, location, facility):
        self.start()
        want = cleaned(wanted(('value', 'alarm'), WORDS))
        self.assertGreater(sum(want.values()), 100)
        said = run('--kind', 'syslog', '--location', location, *WORDS)
        self.assertEqual(said.returncode, 0, said.stderr)
        within(20, lambda: sum('alarm-cleared node=' not in line for line in self.lines()) >= sum(want.values()))
        self.stop()
        got = collections.Counter()
        severity = {'info': 5, 'warning': 4, 'critical': 2, 'cleared': 5}
        for line in self.lines():
            priority, when, app, rest = line.split(' ', 3)
            self.assertEqual(app, 'dcamp')
            message = re.search(r'(?:^|[\] -]) ?((?:value|alarm|alarm-cleared) node=.*)$', rest)[1] if location[0] == '/' \
                else rest[self.end_of_data(rest) + 1:].lstrip(' ')
            kind, told = parse_message(message)
            self.assertEqual(int(priority), facility * 8 + (severity[dict(told)['state']] if kind != 'value' else 6))
            if kind != 'alarm-cleared':
                got[kind, told] += 1
            if location[0] != '/':
                self.assertIn('dcamp@32473 ', rest)
                self.assertRegex(when, r'^2026-11-2[67]T')
        told = collections.Counter()
        for (kind, _, all), n in want.items():
            told[kind, all] += n
        self.assertEqual(list((told - got).items())[:3], [])
        self.assertEqual(list((got - told).items())[:3], [])

    @staticmethod
    def end_of_data(text):
        """Behind the structured data: quotes and escapes within."""
        return re.match(r'\[dcamp@32473(?: [a-z_]+="(?:[^"\\\]]|\\.)*")*\]', text).end()

    def test_local(self):
        self.check(self.socket_place(), 3)

    def socket_place(self):
        return self.socket

    def test_udp(self):
        self.check(f'udp:127.0.0.1:{self.udp} local3', 19)

    def test_tcp(self):
        self.check(f'tcp:127.0.0.1:{self.tcp} user', 1)

    def test_killed(self):
        """At least once: the driver is killed again and again, and keeps its cursors in a file."""
        self.start()
        words = ['--kind', 'syslog', '--location', f'tcp:127.0.0.1:{self.tcp}', '--cursors', os.path.join(self.work, 'cursors'),
                 '--batch', '2', *WORDS]
        for n in range(10):
            run(*words, '--kill-after', str(500 + 700 * n))
        self.assertEqual(run(*words).returncode, 0)
        want = {(kind, all) for kind, _, all in cleaned(wanted(('value', 'alarm'), WORDS))}

        def missing():
            got = {parse_message(line.split(' ', 3)[3][self.end_of_data(line.split(' ', 3)[3]) + 1:].lstrip(' '))
                   for line in self.lines() if line.endswith('"') or line}
            return want - got
        within(20, lambda: not missing())
        self.assertEqual(list(missing())[:3], [])

    def test_server_restarts(self):
        """It ends and comes again in between: an error, and then it goes on."""
        self.start()
        words = ['--kind', 'syslog', '--location', f'tcp:127.0.0.1:{self.tcp}', *WORDS]
        self.stop()
        said = run(*words)
        self.assertEqual(said.returncode, 3)
        self.assertEqual(said.stderr.decode(), f'Connection refused: tcp:127.0.0.1:{self.tcp}: Connection refused\n')
        self.start()
        self.assertEqual(run(*words).returncode, 0)

    def test_locations(self):
        for location, text in (('ftp:x', 'udp:HOST:PORT'), ('udp:', 'udp:HOST:PORT'), ('tcp:[::1', 'udp:HOST:PORT'),
                               ('tcp:127.0.0.1:99999', 'udp:HOST:PORT'), ('/nowhere/log', '/nowhere/log: No such file'),
                               ('/dev/log nonsense', 'no facility "nonsense"'), ('/dev/log ', 'no facility ""'),
                               ('/' + 200 * 'a', 'File name too long')):
            said = run('--kind', 'syslog', '--location', location, *WORDS)
            self.assertEqual(said.returncode, 3, location)
            self.assertIn(text, said.stderr.decode())
            self.assertEqual(said.stderr.count(b'\n'), 1)


class Journald(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix='dcamp-test.')
        self.addCleanup(shutil.rmtree, self.work)
        self.script = f'''set -e
            mkdir -p /run/systemd /run/log
            mount -t tmpfs none /run/systemd
            mount -t tmpfs none /run/log
            mount -t tmpfs none /etc/systemd
            mkdir -p /run/systemd/journal /run/log/journal
            printf '[Journal]\\nStorage=volatile\\nReadKMsg=no\\nAudit=no\\nRateLimitBurst=0\\nForwardToWall=no\\n' \
                >/etc/systemd/journald.conf
            {JOURNALD} 2>{self.work}/log & daemon=$!
            trap 'kill $daemon 2>/dev/null; wait $daemon' EXIT
            n=0; until [ -S /run/systemd/journal/socket ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.1; done
            '''

    def run_script(self, script):
        if os.geteuid() != 0 or not os.path.exists(JOURNALD) or not shutil.which('journalctl'):
            self.skipTest('it takes root, systemd-journald and journalctl')
        return subprocess.run(['unshare', '-m', 'sh', '-c', self.script + script], capture_output=True, timeout=120)

    def test_entries(self):
        words = ' '.join(WORDS)
        said = self.run_script(f'''{DRIVER} --kind journald {words} >&2
            journalctl --sync || true
            journalctl --directory /run/log/journal --all -o json --no-pager SYSLOG_IDENTIFIER=dcamp''')
        self.assertEqual(said.returncode, 0, said.stderr)
        got = collections.Counter()
        for line in said.stdout.decode().rstrip('\n').split('\n'):
            entry = {name: self.octets(value) for name, value in json.loads(line).items()}
            kind, cleared = entry['DCAMP_KIND'], entry['DCAMP_KIND'] == 'alarm-cleared'
            names = ['node', 'group', 'sensor', 'instance', 'metric', 'value', 'unit', 'state', 'limit', 'threshold',
                     'acknowledged', 'id', 'message']
            told = tuple((name, entry['DCAMP_' + name.upper()]) for name in names if 'DCAMP_' + name.upper() in entry)
            self.assertNotIn('CODE_FILE', entry)
            message = entry['MESSAGE'].encode('latin-1').decode()
            self.assertEqual(parse_message(message)[0], kind)
            self.assertNotRegex(message, '[\x00-\x1f\x7f-\x9f]')
            severity = {'info': '5', 'warning': '4', 'critical': '2', 'cleared': '5'}
            self.assertEqual(entry['PRIORITY'], '6' if kind == 'value' else severity[entry['DCAMP_STATE']])
            if kind == 'value':
                told = tuple((name, float(text) if name == 'value' else text) for name, text in told)
            if not cleared:
                got[kind, entry['DCAMP_TIME'], told] += 1
        want = wanted(('value', 'alarm'), WORDS)
        self.assertGreater(sum(want.values()), 100)
        self.assertEqual(list((want - got).items())[:3], [])
        self.assertEqual(list((got - want).items())[:3], [])

    @staticmethod
    def octets(value):
        """journalctl has an array of octets where they are no printable UTF-8."""
        return bytes(value).decode('latin-1') if isinstance(value, list) else str(value).encode().decode('latin-1')

    def test_cleared_has_a_name(self):
        said = self.run_script(f'''{DRIVER} --kind journald --plain --entries a --streams 1 --blocks 30 >&2
            journalctl --sync || true
            journalctl --directory /run/log/journal -o json --no-pager DCAMP_KIND=alarm-cleared''')
        entries = [json.loads(line) for line in said.stdout.decode().rstrip('\n').split('\n')]
        self.assertGreater(len(entries), 20, said.stderr)
        self.assertGreater(sum('DCAMP_SENSOR' in entry for entry in entries), len(entries) // 2)

    def test_no_journal(self):
        """libsystemd says nothing then; the sink does."""
        said = self.run_script(f'''kill $daemon; wait $daemon || true
            rm -f /run/systemd/journal/socket; trap - EXIT
            {DRIVER} --kind journald --blocks 2 || echo status $?''')
        self.assertIn(b'status 3', said.stdout)
        self.assertIn(b'/run/systemd/journal/socket: No such file or directory', said.stderr)


if __name__ == '__main__':
    os.environ['LC_ALL'] = 'C.UTF-8'
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    unittest.main(testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=1))
